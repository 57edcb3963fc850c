"""Each report in the format that was asked for, with no renderer imported but that one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from prompteval.ledger.detail import FixtureDetail
    from prompteval.outcomes import Scored
    from prompteval.report.table import Report
    from prompteval.versions import Compared, History, LabelEvidence


def score(form: str, scored: Scored) -> str:
    """Return the report of one run as text, markdown, json or csv."""
    if form == "json":
        from prompteval.report import as_json

        return as_json.render_score(scored)
    if form == "csv":
        from prompteval.report import as_csv

        return as_csv.render_score(scored)
    from prompteval.report.score import score_reports

    return _set(form, score_reports(scored))


def diff(form: str, compared: Compared) -> str:
    """Return comparisons as text, markdown, json or csv."""
    if form == "json":
        from prompteval.report import as_json

        return as_json.render_diff(compared)
    if form == "csv":
        from prompteval.report import as_csv

        return as_csv.render_diff(compared)
    from prompteval.report.diff import diff_reports

    return _set(form, diff_reports(compared))


def history(form: str, found: History, grain: str) -> str:
    """Return version over version as text, markdown, json or csv. `grain` is run or version."""
    if form == "json":
        from prompteval.report import as_json

        return as_json.render_history(found, grain)
    if form == "csv":
        from prompteval.report import as_csv

        return as_csv.render_history(found, grain)
    from prompteval.report.history import history_reports

    return _set(form, history_reports(found, grain))


def runs(form: str, found: History) -> str:
    """Return the list of runs as text, markdown, json or csv."""
    if form == "json":
        from prompteval.report import as_json

        return as_json.render_runs(found.runs)
    if form == "csv":
        from prompteval.report import as_csv

        return as_csv.render_runs(found.runs)
    from prompteval.report.runs import runs_reports

    return _set(form, runs_reports(found.runs))


def labels(form: str, evidence: LabelEvidence) -> str:
    """Return what the answers say about the labels as text or markdown."""
    from prompteval.report.labels import labels_reports

    return _set(form, labels_reports(evidence))


def show(detail: FixtureDetail, transcript: bool) -> str:
    """Return why a fixture scored as it did, as text."""
    from prompteval.report.show import show_reports

    return _set("text", show_reports(detail, transcript))


def _set(form: str, reports: Iterable[Report]) -> str:
    if form == "markdown":
        from prompteval.report.as_markdown import render
    else:
        from prompteval.report.as_text import render
    return "\n".join(render(report) for report in reports)
