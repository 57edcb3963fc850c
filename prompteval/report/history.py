"""The finished history: version over version, a line a run or a line a version."""

from __future__ import annotations

from collections.abc import Sequence

from prompteval.errors import count
from prompteval.outcome import Run, Totals, add
from prompteval.report.values import Report, Section, of, share, table
from prompteval.tags import NOT_RECORDED, shown, shown_temperature

History = Sequence[tuple[Run, Totals]]
_MEASURES = ("Answers", "Recall", "Phantoms", "Gate accuracy", "Fixtures passed")


def by_version(runs: History) -> list[tuple[Run, int, Totals]]:
    """Return one entry for each version and setting, in the order of their first runs: that run, how many, the sums."""
    grouped: dict[object, list[tuple[Run, Totals]]] = {}
    for run, sums in runs:
        grouped.setdefault((run.version, run.setting), []).append((run, sums))
    return [(group[0][0], len(group), add(sums for _, sums in group)) for group in grouped.values()]


def history_reports(runs: History, grain: str) -> list[Report]:
    """Return the one report, oldest first. `grain` is run or version."""
    rows: list[tuple[str, ...]]
    if grain == "version":
        headers = ["Version", "Runs"]
        groups = by_version(runs)
        rows = [(shown(run.version), str(n), *_setting(run), *_measures(sums)) for run, n, sums in groups]
    else:
        headers = ["Version", "Run", "Date"]
        rows = [
            (shown(run.version), run.short_id, run.recorded_at[:10], *_setting(run), *_measures(sums))
            for run, sums in runs
        ]
    headers += ["Model", "Temperature", "Harness", *_MEASURES]
    listed = Section("", table=table(headers, rows, right=("Runs", "Temperature", *_MEASURES)))
    versions = len({run.version for run, _ in runs})
    return [Report(f"{count(len(runs), 'run')} of {count(versions, 'version')}, oldest first", (), (listed,))]


def _setting(run: Run) -> tuple[str, str, str]:
    return run.model, shown_temperature(run.temperature), NOT_RECORDED if run.harness is None else run.harness


def _measures(sums: Totals) -> tuple[str, ...]:
    return of(sums.answered), share(sums.points), str(sums.phantoms), share(sums.gate), of(sums.fixtures)
