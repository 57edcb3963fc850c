"""Set reports as one self-contained HTML page: no script, nothing from elsewhere, hostile text inert."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import jinja2
from markupsafe import Markup

from prompteval.ledger.detail import FixtureDetail, ProposalDetail
from prompteval.outcomes import Counts, Run
from prompteval.report import reasons
from prompteval.report.charts import HEIGHT, LEFT, RIGHT, WIDTH, charts
from prompteval.report.show import why_phantom
from prompteval.report.table import Report
from prompteval.tags import shown
from prompteval.text.highlight import Part, marked
from prompteval.text.visible import visible_text

_TEMPLATES = Path(__file__).parent / "templates"


class Examined(NamedTuple):
    """One run with the detail of each of its fixtures, by fixture id."""

    run: Run
    fixtures: tuple[FixtureDetail, ...]


class Page(NamedTuple):
    """What a page shows: reports, the history with its charts, and every fixture of the examined runs.

    `older` is how many runs are not examined.
    """

    title: str
    reports: Sequence[Report] = ()
    history: Sequence[tuple[Run, Counts]] = ()
    table: Sequence[Report] = ()  # the history as a table
    scores: Sequence[Report] = ()  # one a run
    runs: Sequence[Examined] = ()
    older: int = 0


def render_page(page: Page) -> str:
    """Return the page as HTML text that ends in a line break."""
    fixtures = _by_fixture(page.runs)
    return _template().render(
        page=page,
        charts=charts(page.history) if page.history else [],
        size={"width": WIDTH, "height": HEIGHT, "left": LEFT, "right": WIDTH - RIGHT},
        fixtures=fixtures,
        known=set(fixtures),
    )


def _by_fixture(runs: Sequence[Examined]) -> dict[str, list[FixtureDetail]]:
    """Return the details of each fixture, in the order of the runs, fixtures by id."""
    found: dict[str, list[FixtureDetail]] = {}
    for examined in runs:
        for detail in examined.fixtures:
            found.setdefault(detail.outcome.fixture_id, []).append(detail)
    return dict(sorted(found.items()))


@lru_cache(maxsize=1)
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_inert,
        keep_trailing_newline=True,
    )
    environment.globals.update(marks=_marks, why=why_phantom, reason=reasons.text, shown=shown)
    return environment.get_template("page.html")


def _inert(value: Any) -> Any:
    """Make what does not show visible; the template engine escapes what is mark-up."""
    return visible_text(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _marks(detail: FixtureDetail, proposal: ProposalDetail, text: str) -> list[Part]:
    """Return a text of a proposal in parts, the terms found in that proposal marked, and the guards that leaked."""
    found = [
        term
        for point in detail.points
        for attempt in point.attempts
        if attempt.proposal == proposal.number
        for term in attempt.terms
        if term.found
    ]
    terms = [term.term for term in found if term.role != "guard"]
    return marked(text, terms, [term.term for term in found if term.role == "guard"])
