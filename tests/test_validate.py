"""The contract of an answer, and `prompteval validate` and `schema`, which check files against it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from prompteval.inputs import CONTRACTS
from tests.helpers import EMPTY, ROOT, Bench, answer, cli, labels, ok, proposal, refused, write_corpus, write_results

GOOD = json.dumps(answer(proposal(), proposal(type="map")))
DEEP = "[" * 100_000 + "]" * 100_000

# Each text, and what is said of it. None of them may be taken for an answer, least of all for an empty one.
NO_ANSWERS = {
    "empty": ("", "is empty"),
    "blank": (" \n\t", "is empty"),
    "prose": ("Nothing to propose.", "no JSON"),
    "fenced": (f"```json\n{json.dumps(EMPTY)}\n```", "no JSON"),
    "two values": (json.dumps(EMPTY) * 2, "more than one value (line 1 column 28)"),
    "trailing comma": ('{"practice": [], "map": [],}', "no JSON"),
    "comment": ('{"practice": [], "map": []} // done', "more than one value"),
    "cut off": (GOOD[:60], "no JSON"),
    "null": ("null", "null is not of type"),
    "object": ("{}", 'missing key "practice"'),
    "list": ("[]", "[] is not of type"),
    "text": ('"practice"', "is not of type"),
    "number": ("0", "0 is not of type"),
    "false": ("false", "false is not of type"),
    "wrapped": (json.dumps({"result": EMPTY}), 'unknown key "result"'),
    "one list": ('{"practice": []}', 'missing key "map"'),
    "misspelt": ('{"practices": [], "map": []}', 'unknown key "practices"'),
    "null list": ('{"practice": null, "map": []}', "practice: null is not of type"),
    "list of text": ('{"practice": ["x"], "map": []}', "practice[0]: "),
    "duplicate key": ('{"practice": [], "practice": [], "map": []}', 'the key "practice" occurs twice'),
    "duplicate key inside": (GOOD.replace('"tags":', '"type": "map", "tags":', 1), 'the key "type" occurs twice'),
    "NaN": (GOOD.replace('"high"', "NaN", 1), "NaN is not JSON"),
    "Infinity": (GOOD.replace('"high"', "-Infinity", 1), "-Infinity is not JSON"),
    "surrogate": (GOOD.replace("A title", "\\ud800", 1), "a lone surrogate"),
    "surrogate in a key": ('{"\\udfff": []}', "a lone surrogate"),
    "deep": (DEEP, "nested deeper than 64"),
    "deep in a field": (GOOD.replace('"high"', DEEP, 1), "nested deeper than 64"),
    "integer": ("9" * 5000, "a number of 5000 characters"),
    "float": ("1e999", "a number out of range"),
    "missing field": (json.dumps({"practice": [{"type": "practice"}], "map": []}), 'practice[0]: missing key "body"'),
    "extra field": (json.dumps(answer(proposal(why="x"))), 'practice[0]: unknown key "why"'),
    "confidence": (json.dumps(answer(proposal(kk_confidence="High"))), "practice[0].kk_confidence: "),
    "type": (GOOD.replace('"practice", "tags"', '"lesson", "tags"', 1), "practice[0].type: "),
    "tag": (json.dumps(answer(proposal(tags=[1]))), "practice[0].tags[0]: "),
}


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Every text above as the answer to a fixture of its own, which expects an empty answer."""
    names = {name: f"case-{index:02}" for index, name in enumerate(NO_ANSWERS)}
    bench = Bench(tmp_path_factory.mktemp("results"), {name: labels(budget=99) for name in names.values()})
    bench.ingest("1", {names[name]: text for name, (text, _) in NO_ANSWERS.items()})
    fixtures = {fixture["fixture_id"]: fixture for fixture in bench.score()["fixtures"]}
    return {name: fixtures[identity] for name, identity in names.items()}


@pytest.mark.parametrize("name", NO_ANSWERS)
def test_an_unreadable_answer_is_never_an_empty_one(name: str, scored: dict[str, Any]) -> None:
    fixture = scored[name]
    assert (fixture["passed"], fixture["gate"]) == (False, False)
    (reason,) = fixture["reasons"]
    assert reason["code"] == "invalid"
    assert any(NO_ANSWERS[name][1] in problem for problem in reason["problems"]), reason


@pytest.mark.parametrize("name", NO_ANSWERS)
def test_validate_says_what_ingest_says(name: str, scored: dict[str, Any], tmp_path: Path) -> None:
    write_results(tmp_path, {"a": NO_ANSWERS[name][0]})
    result = cli("validate", tmp_path)
    assert result.exit_code == 1
    *lines, last = result.stdout.splitlines()
    problems = scored[name]["reasons"][0]["problems"]
    assert lines == [f"{tmp_path / 'a.json'}: {problem}" for problem in problems]
    assert last == f"{len(lines)} problem{'s' * (len(lines) > 1)} in 1 of 1 file"


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        json.dumps(EMPTY),
        "\ufeff" + GOOD,
        json.dumps(json.loads(GOOD), indent=4).replace("\n", "\r\n"),
        json.dumps(answer(proposal("\U0001f41f", '``` {"practice": [}] ```\n', tags=[], description=""))),
        json.dumps(answer(*[proposal(body="[" * 500)] * 70)),
    ],
)
def test_answers_that_are_valid(tmp_path: Path, text: str) -> None:
    write_results(tmp_path, {"a": text})
    assert ok("validate", tmp_path) == "1 file: valid\n"


def test_a_type_that_disagrees_with_its_list_is_a_warning(tmp_path: Path) -> None:
    write_results(tmp_path, {"a": {"practice": [proposal(type="map")], "map": []}})
    result = cli("validate", tmp_path / "a.json")
    assert result.exit_code == 0
    assert 'practice[0] has the type "map", which counts' in result.stderr


def test_files_of_every_contract(tmp_path: Path) -> None:
    root = write_corpus(tmp_path, {"a": labels()})
    assert ok("validate", root / "expected" / "a.yaml", root / "sessions" / "a.md") == "2 files: valid\n"
    assert ok("validate", "--contract", "expected-labels", root / "expected") == "1 file: valid\n"
    assert ok("validate", ROOT / "fixtures" / "corpus.yaml") == "1 file: valid\n"
    result = cli("validate", "--contract", "proposal-output", root / "expected" / "a.yaml")
    assert result.exit_code == 1 and "no JSON" in result.stdout


def test_what_cannot_be_validated(tmp_path: Path) -> None:
    assert "does not exist" in refused("validate", tmp_path / "none.json")
    assert "has no .json file" in refused("validate", tmp_path)
    (tmp_path / "a.json").write_bytes(GOOD.encode("utf-16"))
    result = cli("validate", tmp_path / "a.json")
    assert result.exit_code == 1 and "is UTF-16" in result.stdout


@pytest.mark.parametrize("name", CONTRACTS)
def test_schema_prints_a_contract_that_is_one(name: str) -> None:
    schema = json.loads(ok("schema", name))
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    jsonschema_rs.meta.validate(schema)


def test_the_printed_contract_agrees_with_ingest() -> None:
    """A colleague who validates with a library of their own gets the same verdict."""
    validator = jsonschema_rs.validator_for(json.loads(ok("schema", "proposal-output")))
    assert validator.is_valid(json.loads(GOOD))
    for name in ("null", "object", "wrapped", "misspelt", "confidence", "type", "tag", "extra field"):
        assert not validator.is_valid(json.loads(NO_ANSWERS[name][0])), name


def test_an_unknown_contract_is_refused() -> None:
    assert "'nothing' is not one of" in refused("schema", "nothing")
