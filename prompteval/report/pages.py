"""One self-contained HTML page of a ledger: no script, nothing from elsewhere, hostile text inert."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from prompteval.ledger.detail import FixtureDetail, ProposalDetail, detail
from prompteval.ledger.ledger import Ledger
from prompteval.report import reasons
from prompteval.report.charts import HEIGHT, LEFT, RIGHT, WIDTH, charts
from prompteval.report.diff import diff_reports
from prompteval.report.history import history_reports
from prompteval.report.score import score_reports
from prompteval.report.show import why_phantom
from prompteval.tags import shown
from prompteval.text.highlight import Part, marked
from prompteval.text.visible import visible_text
from prompteval.versions import History, histories, successive

DETAILED_RUNS = 12  # the newest runs, which are compared and whose fixtures can be opened; more would be many megabytes


def whole_page(ledger: Ledger, suite: str | None = None) -> str:
    """Return all of it, suite by suite: each version against the one before, the history, the newest runs and fixtures.

    All under the latest labels, so that no part of the page contradicts another.
    """
    environment, suites = _environment(), []
    found = histories(ledger, suite, labels="latest")
    for each in found:
        several = len(found) > 1
        context = {
            **_suite(ledger, each),
            "prefix": f"{each.suite}-" if several else "",
            "named": f"{each.suite}: " if several else "",
        }
        body = Markup(environment.get_template("suite.html").render(context))
        suites.append({**context, "body": body})
    return environment.get_template("page.html").render(title="prompteval report", suites=suites)


def _suite(ledger: Ledger, found: History) -> dict[str, Any]:
    """Return what the page says of one suite."""
    newest = [run for run, _ in found.runs[-DETAILED_RUNS:]]
    scoring = ledger.score(newest, found.judge, more=["session"])
    outcomes = scoring.outcomes()
    fixtures: dict[str, dict[str, FixtureDetail]] = defaultdict(dict)  # and run id
    for run in newest:
        for outcome in outcomes.get(run.id, []):
            fixtures[outcome.fixture_id][run.id] = detail(scoring, run, outcome)
    successions = successive(ledger, found.suite, newest)
    return {
        "reports": diff_reports(successions) if successions.comparisons else [],
        "charts": charts(found.runs),
        "size": {"width": WIDTH, "height": HEIGHT, "left": LEFT, "right": WIDTH - RIGHT},
        "history": history_reports([found], "run"),
        "scores": [r for each in reversed(ledger.scored(newest, "latest")) for r in score_reports(each)],
        "runs": newest,
        "older": len(found.runs) - len(newest),
        "fixtures": dict(sorted(fixtures.items())),
    }


def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_inert,
        keep_trailing_newline=True,
    )
    environment.globals.update(marks=_marks, why=why_phantom, reason=reasons.text, shown=shown)
    return environment


def _inert(value: Any) -> Any:
    """Make what does not show visible; the template engine escapes what is mark-up."""
    return visible_text(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _marks(detail: FixtureDetail, proposal: ProposalDetail, text: str) -> list[Part]:
    """Return a text of a proposal in parts, the terms found in that proposal marked, and the guards that leaked."""
    attempts = [each for point in detail.points for each in point.attempts if each.proposal == proposal.number]
    found = [term for attempt in attempts for term in attempt.terms if term.found]
    terms = [term.term for term in found if term.role != "guard"]
    return marked(text, terms, [term.term for term in found if term.role == "guard"])
