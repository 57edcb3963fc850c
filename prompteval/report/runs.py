"""The finished list of runs."""

from __future__ import annotations

from collections.abc import Sequence

from prompteval.errors import count
from prompteval.outcomes import MEASURES, Counts, Run
from prompteval.report.numbers import MEASURE_HEADERS, UNKNOWN, answers, of
from prompteval.report.table import Report, Section, Table
from prompteval.tags import SETTING_HEADERS, setting_cells, shown

_SHORT = {"Gate accuracy": "Gate", "Fixtures passed": "Passed"}


def runs_reports(runs: Sequence[tuple[Run, Counts]]) -> list[Report]:
    """Return one report: one row per run, oldest first, each scored under the labels it was recorded with."""
    measures = ("Answers", *(_SHORT.get(header, header) for header in MEASURE_HEADERS))
    headers = ("Run", "Version", *SETTING_HEADERS, "Sample", "Date", *measures)
    rows = []
    for run, sums in runs:
        tags = (run.short_id, shown(run.version), *setting_cells(run), str(run.sample), run.date)
        reached = (measure.of(sums) for measure in MEASURES)
        rows.append((*tags, answers(sums), *(UNKNOWN if ratio.whole == 0 else of(ratio) for ratio in reached)))
    listed = Section("", table=Table(headers, rows, right=("Temperature", "Sample", *measures)))
    return [Report(f"{count(len(runs), 'run')}, oldest first", (), (listed,))]
