"""The table of measures: each row of it is in every report of runs, in every format."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

from prompteval.outcomes import MEASURES, Measure
from tests.helpers import Bench
from tests.small import small_bench

REPORTS = {
    "score": ("score", "--run", "v5"),
    "diff": ("diff", "v5", "v6"),
    "runs": ("runs",),
    "history": ("history",),
    "history by version": ("history", "--by", "version"),
}
SHORT = {"gate accuracy": "Gate", "fixtures passed": "Passed"}  # where `runs` has no room for the name
each_measure = pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.name)


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    return small_bench(tmp_path, monkeypatch)


def counts(measure: Measure) -> set[str]:
    return {name for name in (measure.part, measure.whole) if name}


@each_measure
@pytest.mark.parametrize("form", ["text", "markdown"])
@pytest.mark.parametrize("report", REPORTS)
def test_tables_name_it(report: str, form: str, measure: Measure, bench: Bench) -> None:
    """As the head of a row, or of a column: with a capital letter, and "per run" where runs are added up."""
    rows = [
        re.split(r"  +| ?\| ?", line.strip(" |"))
        for line in bench.report(*REPORTS[report], "--format", form).splitlines()
    ]
    column = SHORT.get(measure.name, measure.name.capitalize()) if report == "runs" else measure.name.capitalize()
    assert any(row[0] == measure.name or {column, f"{column}/run"} & set(row) for row in rows)


@each_measure
def test_json_has_its_counts(measure: Measure, bench: Bench) -> None:
    read: dict[str, Any] = {
        name: json.loads(bench.report(*report, "--format", "json")) for name, report in REPORTS.items()
    }
    (comparison,) = read["diff"]["comparisons"]
    sides = [comparison["baseline"], comparison["candidate"]]
    (history,), (versions,) = (read[name]["suites"] for name in ("history", "history by version"))
    runs = [*read["runs"]["runs"], *history["runs"], *versions["versions"]]
    for row in (read["score"], *runs, *sides):
        assert counts(measure) <= set(row["totals"])
    for side in sides:
        assert counts(measure) <= set(side["means"])


@each_measure
@pytest.mark.parametrize("report", ["runs", "history", "history by version"])
def test_csv_has_its_counts(report: str, measure: Measure, bench: Bench) -> None:
    (first, *_) = csv.DictReader(io.StringIO(bench.report(*REPORTS[report], "--format", "csv")))
    assert counts(measure) <= set(first)
