"""`prompteval history`: version over version."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.helpers import Bench, answer, labels, ok, point, proposal, refused, write_corpus


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """v5 twice, 1/1 and 0/1; v6 once, 1/1; a run of another model."""
    bench = Bench(tmp_path, {"a": labels(point()), "b": labels()})
    bench.ingest("5", {"a": answer(proposal("Alpha")), "b": answer(proposal("X"))})
    bench.ingest("5", {"a": answer(proposal("Other")), "b": answer()})
    bench.ingest("6", {"a": answer(proposal("Alpha")), "b": answer()})
    bench.ingest("6", {"a": answer(), "b": answer()}, "--model", "Y")
    return bench


def rows(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines() if line.startswith("  v")]


def test_one_row_per_run_oldest_first(bench: Bench) -> None:
    listed = rows(bench.report("history"))
    assert [row[0] for row in listed] == ["v5", "v5", "v6", "v6"]
    assert listed[0][-10:] == ["1/1", "100.0", "%", "1", "0/1", "0.0", "%", "1/2", "50.0", "%"]
    assert listed[1][-10:] == ["0/1", "0.0", "%", "1", "1/1", "100.0", "%", "1/2", "50.0", "%"]


def test_one_row_per_version(bench: Bench) -> None:
    """Two runs of v5 together: 1 of 2 points, 2 phantoms, so 1 per run, 1 of 2 gates, 2 of 4 fixtures."""
    text = bench.report("history", "--by", "version")
    listed = rows(text)
    assert "Phantoms/run" in text
    assert [row[:2] for row in listed] == [["v5", "2"], ["v6", "1"], ["v6", "1"]]
    assert text.index("model X") < text.index("  v5 ") < text.index("model Y") < text.rindex("  v6 ")
    assert listed[0][-10:] == ["1/2", "50.0", "%", "1", "1/2", "50.0", "%", "2/4", "50.0", "%"]
    bench.ingest("5", {"a": answer(proposal("Third")), "b": answer(proposal("Fourth"), proposal("Fifth"))})
    assert rows(bench.report("history", "--by", "version"))[0][-7] == "1.7", "5 phantoms in 3 runs"


def test_a_copy_is_no_further_sample_of_its_version(bench: Bench) -> None:
    """The partial run is in the complete one: v7 has 1 run, of 2 fixtures, 1 of 1 points and 1 phantom."""
    given = {"a": answer(proposal("Alpha")), "b": answer(proposal("Y"))}
    partial = bench.ingest("7", {"a": given["a"]}, "--partial")
    complete = bench.ingest("7", given)
    text = bench.report("history", "--by", "version")
    assert rows(text)[-1][:2] == ["v7", "1"]
    assert rows(text)[-1][-10:] == ["1/1", "100.0", "%", "1", "0/1", "0.0", "%", "1/2", "50.0", "%"]
    assert f"run {partial} of v7 is not counted: each of its 1 answer is in run {complete} too" in text
    assert len(rows(bench.report("history"))) == 6, "each run is listed all the same"
    (value,) = json.loads(bench.report("history", "--by", "version", "--format", "json"))["suites"]
    assert [(copy["run"][:8], copy["of"][:8], copy["answers"]) for copy in value["copies"]] == [(partial, complete, 1)]
    assert (
        bench.report("history", "--by", "version", "--format", "csv").splitlines()[-1]
        == "core,7,X,,,1,1,1,1,0,1,1,2,2,0"
    )
    assert "2 points in 5 runs" not in bench.report("labels") and "1 point in 5 runs" in bench.report("labels")
    assert "is not counted" in bench.report("labels")


def test_one_model(bench: Bench) -> None:
    assert len(rows(bench.report("history", "--model", "Y"))) == 1
    assert "no run has the model 'Z'" in refused("history", "--model", "Z", "--ledger", bench.ledger)


def test_json_and_csv(bench: Bench) -> None:
    runs = json.loads(bench.report("history", "--format", "json"))["suites"][0]["runs"]
    assert [run["totals"]["phantoms"] for run in runs] == [1, 1, 0, 0]
    versions = json.loads(bench.report("history", "--format", "json", "--by", "version"))["suites"][0]["versions"]
    assert versions[0]["runs"] == 2 and versions[0]["totals"]["fixtures_total"] == 4
    header, first, *_ = bench.report("history", "--format", "csv", "--by", "version").splitlines()
    assert header.split(",")[:6] == ["suite", "version", "model", "temperature", "harness", "runs"]
    assert first == "core,5,X,,,2,1,2,2,1,2,2,4,4,0"
    assert bench.report("history", "--format", "csv") == bench.report("runs", "--format", "csv")


def test_latest_labels_score_old_runs_again(bench: Bench) -> None:
    """A corrected label changes the old runs to what a fresh ingest of their answers gives."""
    write_corpus(bench.fixtures, {"a": labels(point(must_match_all=["other"])), "b": labels()})
    ok("ingest", "--fixtures", bench.fixtures, "--ledger", bench.ledger)
    assert [row[-10] for row in rows(bench.report("history"))] == ["1/1", "0/1", "1/1", "0/1"]
    latest = bench.report("history", "--labels", "latest")
    assert [row[-10] for row in rows(latest)] == ["0/1", "1/1", "0/1", "0/1"]
    (value,) = json.loads(bench.report("history", "--labels", "latest", "--format", "json"))["suites"]
    assert f"scored under the latest labels, those of corpus {value['labels'][:8]}" in latest
    assert value["left_out"] == [] and "Left out" not in latest
    assert json.loads(bench.report("history", "--format", "json"))["suites"][0]["labels"] is None


def test_labels_that_fit_no_session_leave_nothing_known(bench: Bench) -> None:
    for name in ("a", "b"):
        path = bench.fixtures / "sessions" / f"{name}.md"
        path.write_text(path.read_text("utf-8") + "[USER]: More.\n", "utf-8")
    ok("ingest", "--fixtures", bench.fixtures, "--ledger", bench.ledger)
    text = bench.report("history", "--labels", "latest")
    assert rows(text)[0][-4:] == ["n/a", "0", "n/a", "n/a"]
    assert [line.split("  ")[1:] for line in text.partition("Left out")[2].splitlines()[3:]] == [
        ["its session changed", "a"],
        ["its session changed", "b"],
    ]
