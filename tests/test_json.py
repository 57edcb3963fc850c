"""Every JSON report keeps to its schema, and each schema notices what is wrong."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from prompteval.inputs.contract import REPORTS
from tests.helpers import ROOT, Bench, ok, write_corpus
from tests.small import FIXTURES, V5, small_bench

COMMANDS = {
    "score v5": ("score-report", "score", "--run", "v5"),
    "score v6": ("score-report", "score", "--run", "v6"),
    "score latest": ("score-report", "score", "--run", "v5", "--labels", "latest"),
    "diff": ("diff-report", "diff", "v5", "v6"),
    "diff recorded": ("diff-report", "diff", "v5", "v6", "--labels", "recorded"),
    "runs": ("history-report", "runs"),
    "history": ("history-report", "history"),
    "versions": ("history-report", "history", "--by", "version"),
}


def validator(name: str) -> Any:
    return jsonschema_rs.validator_for(json.loads(ok("schema", name)))


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """The small corpus, with a second run of version 5 and a corpus that has lost a fixture since."""
    bench = small_bench(tmp_path, monkeypatch)
    bench.ingest("5", {**V5, "admit-map-01": "null"}, "--temperature", "0", "--harness", "claude")
    for path in ("sessions/admit-cache-01.md", "expected/admit-cache-01.yaml"):
        (bench.fixtures / path).unlink()
    write_corpus(bench.fixtures, {"admit-map-01": FIXTURES["admit-map-01"]})
    ok("ingest", "--fixtures", bench.fixtures, "--ledger", bench.ledger)
    return bench


@pytest.mark.parametrize("name", COMMANDS)
def test_a_report_keeps_to_its_schema(name: str, bench: Bench) -> None:
    schema, *command = COMMANDS[name]
    for report in (bench.report(*command, "--format", "json"), _of_the_committed_ledger(command)):
        validator(schema).validate(json.loads(report))


def _of_the_committed_ledger(command: list[str]) -> str:
    return ok(*command, "--format", "json", "--ledger", ROOT / "ledger" / "prompteval.db")


def test_each_schema_is_one() -> None:
    for name in REPORTS:
        jsonschema_rs.meta.validate(json.loads(ok("schema", name)))


@pytest.mark.parametrize("name", ["score v5", "diff", "versions"])
def test_a_schema_notices_a_key_that_is_missing_or_new(name: str, bench: Bench) -> None:
    schema, *command = COMMANDS[name]
    good = json.loads(bench.report(*command, "--format", "json"))
    check = validator(schema)
    for change in _changes(good):
        assert not check.is_valid(change)


def _changes(good: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the report with each of its first keys gone, and with one more."""
    missing = [{key: value for key, value in good.items() if key != gone} for gone in good]
    return [*missing, {**copy.deepcopy(good), "score": 1}]
