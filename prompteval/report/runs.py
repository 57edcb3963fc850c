"""The finished list of runs."""

from __future__ import annotations

from collections.abc import Sequence

from prompteval.errors import count
from prompteval.outcomes import MEASURES
from prompteval.report.history import repeated
from prompteval.report.numbers import MEASURE_HEADERS, UNKNOWN, answers, of
from prompteval.report.table import Report, Section, Table
from prompteval.tags import SETTING_HEADERS, setting_cells, shown
from prompteval.versions import History, all_runs

_SHORT = {"Gate accuracy": "Gate", "Fixtures passed": "Passed"}


def runs_reports(histories: Sequence[History]) -> list[Report]:
    """Return one report: one row per run, oldest first, each scored under the labels it was recorded with."""
    measures = ("Answers", *(_SHORT.get(header, header) for header in MEASURE_HEADERS))
    runs = all_runs(histories)
    several = len(histories) > 1
    headers = (*(["Suite"] if several else []), "Run", "Version", *SETTING_HEADERS, "Sample", "Date", *measures)
    rows = []
    for run, sums in runs:
        tags = (
            *([run.suite] if several else []),
            run.short_id,
            shown(run.version),
            *setting_cells(run),
            str(run.sample),
            run.date,
        )
        reached = (measure.of(sums) for measure in MEASURES)
        rows.append((*tags, answers(sums), *(UNKNOWN if ratio.whole == 0 else of(ratio) for ratio in reached)))
    repeats = [line for each in histories for line in repeated(each)]
    listed = Section("", table=Table(headers, rows, right=("Temperature", "Sample", *measures)))
    return [Report(f"{count(len(runs), 'run')}, oldest first", repeats, (listed,))]
