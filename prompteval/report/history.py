"""The finished history: version over version, a line a run or a line a version."""

from __future__ import annotations

from collections.abc import Sequence

from prompteval.errors import count
from prompteval.outcome import History, Run, Totals, add
from prompteval.report.table import Report, Section, Table, answers, corpus_name, mean, not_counted, of, share, table
from prompteval.tags import NOT_RECORDED, shown, shown_temperature

_SETTING = ("Model", "Temperature", "Harness")
_MEASURES = ("Answers", "Recall", "Phantoms", "Gate accuracy", "Fixtures passed")


def by_version(runs: Sequence[tuple[Run, Totals]]) -> list[tuple[Run, int, Totals]]:
    """Return one entry for each version and setting, in the order of their first runs: that run, how many, the sums."""
    grouped: dict[object, list[tuple[Run, Totals]]] = {}
    for run, sums in runs:
        grouped.setdefault((run.version, run.setting), []).append((run, sums))
    return [(group[0][0], len(group), add(sums for _, sums in group)) for group in grouped.values()]


def history_reports(history: History, grain: str) -> list[Report]:
    """Return the one report, oldest first. `grain` is run or version."""
    sections = [Section("", table=_by_version(history) if grain == "version" else _by_run(history))]
    lines = []
    if history.judge:
        lines.append(f"scored under the latest labels, those of corpus {corpus_name(history.judge, None)}")
    elif len({run.corpus for run, _ in history.runs}) > 1:
        lines.append("each run under the labels it was recorded with; --labels latest judges all by the same")
    if history.left_out:
        rows = [(fixture.fixture_id, fixture.why) for fixture in history.left_out]
        sections.append(Section("Left out of some runs", table=table(("Fixture", "Why"), rows)))
    if grain == "version":
        lines += [not_counted(copy, shown(copy.run.version)) for copy in history.copies]
    versions = len({run.version for run, _ in history.runs})
    headline = f"{count(len(history.runs), 'run')} of {count(versions, 'version')}, oldest first"
    return [Report(headline, tuple(lines), tuple(sections))]


def _by_version(history: History) -> Table:
    """Phantoms are told a run, since versions may have different numbers of runs."""
    measures = [f"{name} a run" if name == "Phantoms" else name for name in _MEASURES]
    rows = [
        (shown(run.version), str(n), *_setting(run), *_measures(sums, mean(sums.phantoms, n)))
        for run, n, sums in by_version(history.counted)
    ]
    return table(("Version", "Runs", *_SETTING, *measures), rows, right=("Runs", "Temperature", *measures))


def _by_run(history: History) -> Table:
    rows = [
        (shown(run.version), run.short_id, run.recorded_at[:10], *_setting(run), *_measures(sums, str(sums.phantoms)))
        for run, sums in history.runs
    ]
    return table(("Version", "Run", "Date", *_SETTING, *_MEASURES), rows, right=("Temperature", *_MEASURES))


def _setting(run: Run) -> tuple[str, str, str]:
    return run.model, shown_temperature(run.temperature), NOT_RECORDED if run.harness is None else run.harness


def _measures(sums: Totals, phantoms: str) -> tuple[str, ...]:
    return answers(sums), share(sums.points), phantoms, share(sums.gate), of(sums.fixtures)
