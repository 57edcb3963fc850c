"""The finished list of runs."""

from __future__ import annotations

from collections.abc import Sequence

from prompteval.errors import count
from prompteval.outcomes import MEASURES, Counts, Run
from prompteval.report.table import UNKNOWN, Report, Section, answers, of, table
from prompteval.tags import SETTING_HEADERS, setting_cells, shown

_SHORT = {"gate accuracy": "Gate", "fixtures passed": "Passed"}


def runs_reports(runs: Sequence[tuple[Run, Counts]]) -> list[Report]:
    """Return one report: one row per run, oldest first, each scored under the labels it was recorded with."""
    measures = ("Answers", *(_SHORT.get(measure.name, measure.name.capitalize()) for measure in MEASURES))
    headers = ("Run", "Version", *SETTING_HEADERS, "Sample", "Date", *measures)
    rows = [
        (
            *(run.short_id, shown(run.version), *setting_cells(run), str(run.sample), run.recorded_at[:10]),
            answers(sums),
            *(UNKNOWN if m.whole and not sums[m.whole] else of(m.of(sums)) for m in MEASURES),
        )
        for run, sums in runs
    ]
    listed = Section("", table=table(headers, rows, right=("Temperature", "Sample", *measures)))
    return [Report(f"{count(len(runs), 'run')}, oldest first", (), (listed,))]
