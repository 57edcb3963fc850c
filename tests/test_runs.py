"""`prompteval runs`: one row per run."""

from __future__ import annotations

import json
from pathlib import Path

from tests.helpers import Bench, answer, labels, point, proposal, refused


def test_one_row_per_run_oldest_first(tmp_path: Path) -> None:
    bench = Bench(tmp_path, {"a": labels(point()), "b": labels()})
    first = bench.ingest("10", {"a": answer(proposal("Alpha")), "b": answer()}, "--temperature", "0")
    second = bench.ingest("9", {"a": answer(proposal("Other")), "b": "nonsense"}, "--harness", "H")
    third = bench.ingest("9", {"a": answer(), "b": answer()}, "--harness", "H")
    text = bench.report("runs").splitlines()
    rows = [line.split() for line in text if line.strip()[:8] in (first, second, third)]
    assert [row[0] for row in rows] == [first, second, third]
    assert [row[1] for row in rows] == ["v10", "v9", "v9"]
    assert rows[0][-5:] == [rows[0][-5], "1/1", "0", "1/1", "2/2"]
    assert rows[1][-4:] == ["0/1", "1", "0/1", "0/2"]
    value = json.loads(bench.report("runs", "--format", "json"))["runs"]
    assert [(run["id"][:8], run["sample"]) for run in value] == [(first, 1), (second, 1), (third, 2)]
    assert value[1]["totals"]["phantoms"] == 1
    assert len(bench.report("runs", "--format", "csv").splitlines()) == 4
    assert bench.report("runs", "--format", "markdown").count(f"| {first} |") == 1


def test_no_run_looks_like_a_number(tmp_path: Path) -> None:
    """Ids such as 7e215001 are text; a table that read them as numbers would change them."""
    bench = Bench(tmp_path, {"a": labels()})
    ids = [bench.ingest("1e3", {"a": answer()}, "--repeat", "--model", "1.50") for _ in range(40)]
    text = bench.report("runs")
    assert all(identity in text for identity in ids)
    assert text.count("model 1.50,") == 1 and text.count("v1e3") == 40


def test_what_cannot_be_divided_is_not_shown_as_a_score(tmp_path: Path) -> None:
    bench = Bench(tmp_path, {"a": labels()})
    bench.ingest("1", {"a": answer()})
    assert bench.report("runs").splitlines()[-1].split()[-4:] == ["n/a", "0", "1/1", "1/1"]


def test_no_runs(tmp_path: Path) -> None:
    assert "no ledger at" in refused("runs", "--ledger", tmp_path / "none.db")
