"""The HTML pages: which reports stand on one, and the fixtures behind them."""

from __future__ import annotations

from pathlib import Path

from prompteval.evaluate import Compared, read_history, score_run
from prompteval.examine import examine, successive
from prompteval.outcome import History, Scored
from prompteval.report.as_html import Page, render_page
from prompteval.report.diff import diff_reports
from prompteval.report.history import history_reports
from prompteval.report.score import score_reports
from prompteval.tags import shown


def score_page(ledger: Path, scored: Scored) -> str:
    """Return the report of one run, with every fixture of it."""
    title = f"Score of {shown(scored.run.version)}, run {scored.run.short_id}"
    return render_page(Page(title, score_reports(scored), runs=examine(ledger, [scored.run], scored.judge)))


def diff_page(ledger: Path, compared: Compared) -> str:
    """Return the comparisons, with every fixture of the compared runs."""
    runs = {(run.id, c.labels): run for c in compared.comparisons for run in (*c.baseline.runs, *c.candidate.runs)}
    examined = [each for (_, labels), run in runs.items() for each in examine(ledger, [run], labels)]
    first = compared.comparisons[0]
    title = f"{first.baseline.name} and {first.candidate.name}"
    return render_page(Page(title, diff_reports(compared), runs=examined))


def history_page(ledger: Path, history: History, grain: str) -> str:
    """Return the history with its charts, fixtures by runs, and every fixture."""
    examined = examine(ledger, [run for run, _ in history.runs], history.judge)
    return render_page(Page("History", history=history.runs, table=history_reports(history, grain), runs=examined))


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
