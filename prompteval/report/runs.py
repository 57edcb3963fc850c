"""The finished list of runs."""

from __future__ import annotations

from collections.abc import Sequence

from prompteval.errors import count
from prompteval.outcome import Run, Totals
from prompteval.report.table import UNKNOWN, Report, Section, answers, of, table
from prompteval.tags import NOT_RECORDED, shown, shown_temperature


def runs_reports(runs: Sequence[tuple[Run, Totals]]) -> list[Report]:
    """Return one report: one row a run, oldest first, each scored under the labels it was recorded with."""
    headers = (
        *("Run", "Version", "Model", "Temperature", "Harness", "Sample", "Date"),
        *("Answers", "Recall", "Phantoms", "Gate", "Passed"),
    )
    rows = [
        (
            *(run.short_id, shown(run.version), run.model, shown_temperature(run.temperature)),
            *(NOT_RECORDED if run.harness is None else run.harness, str(run.sample), run.recorded_at[:10]),
            answers(sums),
            *(_known(of(sums.points), sums.points.whole), str(sums.phantoms)),
            *(_known(of(sums.gate), sums.gate.whole), of(sums.fixtures)),
        )
        for run, sums in runs
    ]
    numbers = ("Temperature", "Sample", "Answers", "Recall", "Phantoms", "Gate", "Passed")
    listed = Section("", table=table(headers, rows, right=numbers))
    return [Report(f"{count(len(runs), 'run')}, oldest first", (), (listed,))]


def _known(text: str, whole: int) -> str:
    return text if whole else UNKNOWN
