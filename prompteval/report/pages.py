"""The HTML page: which reports stand on it, and the fixtures behind them."""

from __future__ import annotations

from prompteval.ledger.detail import detail
from prompteval.ledger.ledger import Ledger
from prompteval.report.as_html import Examined, Page, render_page
from prompteval.report.diff import diff_reports
from prompteval.report.history import history_reports
from prompteval.report.score import score_reports
from prompteval.versions import history, successive

DETAILED_RUNS = 12  # the newest runs, which are compared and whose fixtures can be opened; more would be many megabytes


def whole_page(ledger: Ledger) -> str:
    """Return all of it: each version against the one before, the history, the newest runs and their fixtures.

    All under the latest labels, so that no part of the page contradicts another.
    """
    found = history(ledger, labels="latest")
    runs = [run for run, _ in found.runs]
    newest = runs[-DETAILED_RUNS:]
    scoring = ledger.score(newest, found.judge, sessions=True)
    outcomes = scoring.outcomes()
    scored = ledger.scored(newest, "latest")
    successions = successive(ledger, newest)
    page = Page(
        "prompteval report",
        reports=diff_reports(successions) if successions.comparisons else (),
        history=found.runs,
        table=history_reports(found, "run"),
        scores=[report for each in reversed(scored) for report in score_reports(each)],
        runs=[Examined(run, tuple(detail(scoring, run, o) for o in outcomes.get(run.id, []))) for run in newest],
        older=len(runs) - len(newest),
    )
    return render_page(page)
