"""The HTML page: which reports stand on it, and the fixtures behind them."""

from __future__ import annotations

from pathlib import Path

from prompteval.evaluate import read_history, score_run
from prompteval.examine import examine, successive
from prompteval.report.as_html import Page, render_page
from prompteval.report.diff import diff_reports
from prompteval.report.history import history_reports
from prompteval.report.score import score_reports


def whole_page(ledger: Path) -> str:
    """Return all of it: each version against the one before, the history, every run and every fixture.

    All under the latest labels, so that no part of the page contradicts another.
    """
    history = read_history(ledger, labels="latest")
    runs = [run for run, _ in history.runs]
    scores = [report for run in reversed(runs) for report in score_reports(score_run(ledger, run.id, "latest")[0])]
    successions = successive(ledger, runs)
    page = Page(
        "prompteval report",
        reports=diff_reports(successions) if successions.comparisons else (),
        history=history.runs,
        table=history_reports(history, "run"),
        scores=scores,
        runs=examine(ledger, runs, history.judge),
    )
    return render_page(page)
