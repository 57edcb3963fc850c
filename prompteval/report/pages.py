"""The HTML pages: which reports stand on one, and the fixtures behind them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from prompteval.evaluate import Compared, list_runs, score_run
from prompteval.examine import examine, latest_labels, successive
from prompteval.outcome import Run, Scored, Totals
from prompteval.report.diff import diff_reports
from prompteval.report.history import history_reports
from prompteval.report.html import Page, render_page
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
    reports = diff_reports(compared.comparisons, compared.not_compared)
    return render_page(Page(f"{first.baseline.name} and {first.candidate.name}", reports, runs=examined))


def history_page(ledger: Path, runs: Sequence[tuple[Run, Totals]], grain: str, labels: str) -> str:
    """Return the history with its charts, fixtures by runs, and every fixture."""
    judge = latest_labels(ledger) if labels == "latest" else None
    examined = examine(ledger, [run for run, _ in runs], judge)
    return render_page(Page("History", history=runs, table=history_reports(runs, grain), runs=examined))


def whole_page(ledger: Path) -> str:
    """Return all of it: each version against the one before, the history, every run and every fixture."""
    runs = list_runs(ledger)
    scores = [report for run, _ in reversed(runs) for report in score_reports(score_run(ledger, run.id, "recorded")[0])]
    comparisons = successive(ledger, runs)
    page = Page(
        "prompteval report",
        reports=diff_reports(comparisons, ()) if comparisons else (),
        history=runs,
        table=history_reports(runs, "run"),
        scores=scores,
        runs=examine(ledger, [run for run, _ in runs], None),
    )
    return render_page(page)
