"""The finished history: a row per run or per version."""

from __future__ import annotations

from collections.abc import Sequence

from prompteval.errors import count
from prompteval.outcomes import MEASURES
from prompteval.report.numbers import MEASURE_HEADERS, answers, number, share, shares
from prompteval.report.prompts import odd_prompts
from prompteval.report.table import Report, Section, Table, corpus_name, left_out, newer_labels, not_counted
from prompteval.tags import SETTING_HEADERS, setting_cells, shown
from prompteval.versions import History


def history_reports(histories: Sequence[History], grain: str) -> list[Report]:
    """Return a report per suite, oldest run first; it names the suite if there are several. `grain`: run or version."""
    return [_report(each, grain, f"{each.suite}: " if len(histories) > 1 else "") for each in histories]


def _report(history: History, grain: str, suite: str) -> Report:
    lines = []
    if history.judge:
        lines.append(f"scored under the latest labels, those of corpus {corpus_name(history.judge, None)}")
    elif len({run.corpus for run, _ in history.runs}) > 1:
        lines.append(
            "each run under the labels it was recorded with; use --labels latest to score all runs with the same labels"
        )
    lines += newer_labels(history.newer)
    versions = len({run.version for run, _ in history.runs})
    if versions > 2:
        lines.append(f"{versions} versions make {versions - 1} comparisons, and each one can mislead by chance")
    lines += odd_prompts([run for run, _ in history.runs], history.prompts)
    lines += repeated(history)
    if grain == "version":
        lines += [not_counted(copy, shown(copy.run.version)) for copy in history.copies]
    listed = Section("", table=_by_version(history) if grain == "version" else _by_run(history))
    headline = (
        f"{suite}{count(len(history.runs), 'run')} of {count(versions, 'version')}{', oldest first' * (grain == 'run')}"
    )
    return Report(headline, lines, [listed, *left_out(history.left_out, "Left out of some runs")])


def repeated(history: History) -> list[str]:
    """Return a line for each run with exactly the answers of an earlier run with the same tags."""
    return [f"run {run.short_id} is a repeat of run {first.short_id}" for run, first in history.repeats]


def _by_version(history: History) -> Table:
    """Return a row per version. Counts are per run, since versions may have different numbers of runs."""
    measures = [m.name.capitalize() + ("" if m.whole else "/run") for m in MEASURES]
    rows = []
    for run, n, sums in history.by_version:
        means = [share(m.of(sums)) if m.whole else number(sums[m.part], n) for m in MEASURES]
        rows.append((shown(run.version), str(n), *setting_cells(run), answers(sums), *means))
    headers = ("Version", "Runs", *SETTING_HEADERS, "Answers", *measures)
    return Table(headers, rows, ("Runs", "Temperature", "Answers", *measures), heads=(*SETTING_HEADERS, "Answers"))


def _by_run(history: History) -> Table:
    rows = [
        (shown(run.version), run.short_id, run.date, *setting_cells(run), answers(sums), *shares(sums))
        for run, sums in history.runs
    ]
    measures = ("Answers", *MEASURE_HEADERS)
    headers = ("Version", "Run", "Date", *SETTING_HEADERS, *measures)
    return Table(headers, rows, ("Temperature", *measures), heads=(*SETTING_HEADERS, "Date", "Answers"))
