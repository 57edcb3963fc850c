"""One self-contained HTML page of a ledger: no script, nothing from elsewhere, hostile text inert."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import jinja2
from markupsafe import Markup

from prompteval.chance import weigh
from prompteval.compare import Comparison, Pair
from prompteval.ledger.detail import FixtureDetail, ProposalDetail, detail
from prompteval.ledger.ledger import Ledger
from prompteval.outcomes import Run
from prompteval.report import reasons
from prompteval.report.charts import HEIGHT, LEFT, RIGHT, WIDTH, charts, plots
from prompteval.report.diff import fairness, headline, settings, surroundings, why
from prompteval.report.history import history_reports
from prompteval.report.numbers import of
from prompteval.report.score import score_reports
from prompteval.report.show import why_phantom
from prompteval.report.table import said
from prompteval.report.verdict import limits, measures_table, verdict
from prompteval.tags import SETTING, shown, sort_key
from prompteval.text.highlight import Part, marked
from prompteval.text.visible import visible_text
from prompteval.versions import Compared, History, diff, histories, successive

DETAILED_RUNS = 12  # whose answers are on the page, the compared ones first; more would be many megabytes
COMPARED_VERSIONS = 6  # the newest, each with the one before
_CHANGES = {"broken": "Broken", "fixed": "Fixed", "still-failing": "Still failing"}


class Changed(NamedTuple):
    """A fixture that changed: how many runs of either side pass it, why, and an answer of either side that shows it."""

    passes: str
    why: Sequence[str]
    answers: Sequence[FixtureDetail]


def whole_page(ledger: Ledger, suite: str | None = None, sides: Sequence[str] = ()) -> str:
    """Return the page: per suite the comparison of two `sides`, the history, the newest runs and their answers.

    Without `sides`, each of the newest versions is compared with the one before. All under the latest labels, so that
    no part of the page contradicts another. Raises SelectionError where there is nothing to show.
    """
    environment = _environment()
    named = diff(ledger, *sides, suite=suite, labels="latest") if sides else None
    found = histories(ledger, suite, labels="latest")
    if named:
        found = [each for each in found if each.suite in {c.suite for c in named.comparisons}]
    suites: list[dict[str, Any]] = []
    for each in found:
        compared = named or successive(ledger, each.suite, [run for run, _ in each.runs], COMPARED_VERSIONS)
        named = named and named._replace(not_compared=[])  # they are said once, in the first section
        context = {**_suite(ledger, each, compared), "prefix": f"{each.suite}-" if len(found) > 1 else ""}
        suites.append({**context, "body": Markup(environment.get_template("suite.html").render(context))})
    return environment.get_template("page.html").render(suites=suites)


def _suite(ledger: Ledger, found: History, compared: Compared) -> dict[str, Any]:
    """Return what the page says of one suite."""
    runs = {run.id: run for run, _ in found.runs}
    comparisons = [each for each in compared.comparisons if each.suite == found.suite]
    newest = _newest(list(runs.values()), comparisons)
    examples = [example for each in comparisons for pair in each.pairs for example in _examples(each, pair)]
    needed = [runs[identity] for identity in dict.fromkeys([*(run.id for run in newest), *examples])]
    scoring = ledger.score(needed, found.judge, more=["session"])
    scored = scoring.outcomes()
    outcomes = {run.id: {each.fixture_id: each for each in scored.get(run.id, ())} for run in needed}
    answers: dict[tuple[str, str], FixtureDetail] = {}

    def answer(fixture: str, run: str) -> FixtureDetail:
        if (fixture, run) not in answers:
            answers[fixture, run] = detail(scoring, runs[run], outcomes[run][fixture])
        return answers[fixture, run]

    fixtures = sorted({fixture for run in newest for fixture in outcomes[run.id]})
    last = (comparisons[0].candidate.runs if comparisons else newest)[-1]
    return {
        "suite": found.suite,
        "prompt": next((file.name for file in found.prompts.get(last.id, ())), ""),
        "version": shown(last.version),
        "comparisons": [
            _comparison(each, answer, name) for each, name in zip(comparisons, _names(comparisons), strict=True)
        ],
        "not_compared": compared.not_compared,
        "charts": charts(found.runs),
        "size": {"width": WIDTH, "height": HEIGHT, "left": LEFT, "right": WIDTH - RIGHT},
        "history": [history_reports([found], grain)[0] for grain in ("version", "run")],
        "scores": [r for each in reversed(ledger.scored(newest, "latest")) for r in score_reports(each)],
        "runs": newest,
        "older": len(runs) - len(newest),
        "fixtures": {f: {run.id: answer(f, run.id) for run in newest if f in outcomes[run.id]} for f in fixtures},
    }


def _newest(runs: Sequence[Run], comparisons: Sequence[Comparison]) -> list[Run]:
    """Return the runs whose answers are shown, by version: those of the first comparison, then the newest ones."""
    half = DETAILED_RUNS // 2
    first = {run.id for each in comparisons[:1] for side in each.sides for run in side.runs[-half:]}
    order = {run.id: (sort_key(run.version), run.recorded_at, run.id) for run in runs}
    chosen = sorted(runs, key=lambda run: (run.id in first, order[run.id]))[-DETAILED_RUNS:]
    return sorted(chosen, key=lambda run: order[run.id])


def _names(comparisons: Sequence[Comparison]) -> Iterator[str]:
    """Yield `v6 against v5` for each comparison, with those tags of its runs that are not the same in all."""
    runs = [each.candidate.runs[-1] for each in comparisons]
    differ = [tag for tag in SETTING if len({getattr(run, tag) for run in runs}) > 1]
    for each, run in zip(comparisons, runs, strict=True):
        tags = (f", {tag} {SETTING[tag](getattr(run, tag))}" for tag in differ)
        yield f"{each.candidate.name} against {each.baseline.name}{''.join(tags)}"


def _comparison(comparison: Comparison, answer: Callable[[str, str], FixtureDetail], name: str) -> dict[str, Any]:
    """Return one comparison; what `diff` prints comes from the same functions."""
    evidence = weigh(comparison) if comparison.pairs else None
    changed: Mapping[str, list[Changed]] = {
        heading: [
            Changed(
                " → ".join(map(of, pair.passes)),
                list(why(pair)),
                [answer(pair.fixture_id, run) for run in _examples(comparison, pair)],
            )
            for pair in comparison.changed(change)
        ]
        for change, heading in _CHANGES.items()
        if evidence
    }
    return {
        "name": name,
        "sides": [side.name for side in comparison.sides],
        "fixtures": len(comparison.pairs),
        "headline": headline(comparison),
        "verdict": verdict(comparison, evidence) if evidence else "",
        "changed": changed,
        "measures": zip(measures_table(comparison, evidence).rows, plots(comparison, evidence), strict=True)
        if evidence
        else (),
        "settings": list(settings(comparison)),
        "notes": list(fairness(comparison)),
        "limits": limits(comparison, evidence).lines if evidence else (),
        "surroundings": surroundings(comparison),
    }


def _examples(comparison: Comparison, pair: Pair) -> Iterator[str]:
    """Yield the run of either side whose answer shows how a fixture changed: the newest that passes, or fails, it."""
    passing = {"broken": (True, False), "fixed": (False, True), "still-failing": (False, False)}
    for side, passed in zip(comparison.sides, passing.get(pair.change, ()), strict=False):
        outcomes = side.outcomes[pair.fixture_id]
        yield [run for run, outcome in outcomes.items() if outcome.passed == passed][-1]


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
    names = {"marks": _marks, "taught": _taught, "why": why_phantom, "reason": reasons.text}
    environment.globals.update(names, shown=shown, said=said)
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


def _taught(detail: FixtureDetail) -> list[Part]:
    """Return the session in parts, the terms marked that an answer should have."""
    wanted = [term for point in detail.points for term in point.wanted]
    return marked(detail.session, [term.term for term in wanted if term.role in ("all", "any")], ())
