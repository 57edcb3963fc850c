"""Suites of other prompts: an extractor of entities, the next version of its contract, and answers that are lists."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.helpers import ROOT, cli, ok, refused, write_results

TEXTS = {
    "harbour-1": "The pilot boat Kestrel met the tanker off Skerry Point before the fog came in.",
    "harbour-2": "Harbour master Ilse Brandt closed the north basin after the crane failed.",
    "quiet-1": "Nothing was said all evening, and the lamps were put out early.",
}
LABELS: dict[str, dict[str, Any]] = {
    "harbour-1": {
        "category": "harbour",
        "points": [
            {"id": "boat", "type": "entities", "must_match_all": ["kestrel"]},
            {"id": "place", "type": "entities", "must_match_all": ["skerry point"], "must_match_none": ["kestrel"]},
        ],
    },
    "harbour-2": {
        "category": "harbour",
        "points": [
            {"id": "person", "type": "entities", "must_match_all": ["ilse brandt"], "must_not_match": ["crane"]}
        ],
    },
    "quiet-1": {"category": "quiet", "points": []},
}
ITEM = {
    "type": "object",
    "required": ["name", "kind"],
    "additionalProperties": False,
    "properties": {
        "name": {"type": "string"},
        "kind": {"enum": ["ship", "place", "person"]},
        "quote": {"type": "string"},
    },
}
OBJECT = {
    "type": "object",
    "required": ["entities"],
    "additionalProperties": False,
    "properties": {"entities": {"type": "array", "items": ITEM}},
}
ENTITIES = {"schema": "answer.json", "proposals": {"entities": "/entities"}, "title": "/name", "searched": ["/name"]}
KESTREL = {"name": "Kestrel", "kind": "ship", "quote": "The pilot boat Kestrel"}
SKERRY = {"name": "Skerry Point", "kind": "place", "quote": "off Skerry Point"}
BRANDT = {"name": "Ilse Brandt", "kind": "person", "quote": "Harbour master Ilse Brandt"}
RIGHT = {"harbour-1": [KESTREL, SKERRY], "harbour-2": [BRANDT], "quiet-1": []}


def write_suite(root: Path, answer: Mapping[str, Any] = ENTITIES, schema: object = OBJECT, **keys: object) -> Path:
    """Write the suite with a contract, and return its folder."""
    for folder in ("sessions", "expected"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    for name, text in TEXTS.items():
        (root / "sessions" / f"{name}.txt").write_text(text + "\n", "utf-8")
        points = LABELS[name]["points"]
        value = {
            "fixture_id": name,
            "category": LABELS[name]["category"],
            "expect_empty": not points,
            "expected_points": points,
            "max_unexpected_proposals": 0,
        }
        (root / "expected" / f"{name}.yaml").write_text(yaml.safe_dump(value), "utf-8")
    settings = {"name": "ships", "version": "1", "prompt": "extract-entities", "sessions": "text", "answer": answer}
    (root / "corpus.yaml").write_text(yaml.safe_dump({**settings, **keys}, sort_keys=False), "utf-8")
    (root / "answer.json").write_text(schema if isinstance(schema, str) else json.dumps(schema), "utf-8")
    return root


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    return write_suite(tmp_path / "ships")


def ingest(suite: Path, ledger: Path, version: str, answers: Mapping[str, Any], *more: object) -> str:
    """Record answers and return the short id of the run."""
    results = write_results(ledger.parent / f"results-{version}", answers)
    tags = ("--version", version, "--model", "X", "--fixtures", suite, "--ledger", ledger)
    return ok("ingest", *tags, *more, results).split(":")[0].removeprefix("run ")


def wrapped(answers: Mapping[str, Any]) -> dict[str, Any]:
    return {name: {"entities": listed} for name, listed in answers.items()}


def test_from_check_to_status(suite: Path, tmp_path: Path) -> None:
    prompt = tmp_path / "extract.md"
    prompt.write_text("List the entities.\n\n{{session}}\n", "utf-8")
    assert ok("check", suite) == "3 sessions: 0 problems and 0 warnings\n"
    pasted = ok("prompt", "harbour-1", "--prompt", prompt, "--fixtures", suite)
    assert pasted.startswith("List the entities.") and TEXTS["harbour-1"] in pasted and "{{" not in pasted
    results = tmp_path / "saved"
    where = ("--results", results, "--fixtures", suite)
    reply = f"Here they are:\n```json\n{json.dumps({'entities': [KESTREL, SKERRY]})}\n```\n"
    assert "2 entities" in ok("save", "harbour-1", *where, input=reply)
    broken = '{"entities": [{"name": "Ilse Brandt", "kind": "master"}]}'
    assert "is not one of" in refused("save", "harbour-2", *where, input=broken)
    assert ok("status", "--next", results, "--fixtures", suite) == "harbour-2\n"
    assert ok("validate", results, "--fixtures", suite) == "1 file: valid\n"


def test_from_ingest_to_report(suite: Path, tmp_path: Path) -> None:
    """v1 finds all but the person, whose name is in no searched text, and one ship too many; v2 finds all."""
    ledger = tmp_path / "ledger.db"
    one = {**RIGHT, "harbour-2": [{**KESTREL, "quote": "Ilse Brandt"}]}
    ingest(suite, ledger, "1", wrapped(one))
    ingest(suite, ledger, "2", wrapped(RIGHT))
    text = ok("score", "--run", "v1", "--ledger", ledger)
    assert text.startswith("v1 extracted 2/3 expected knowledge points and produced 1 phantom.")
    assert 'missed "person": no proposal has any of its terms' in text and '"Kestrel"' in text
    assert "suite ships, corpus" in text
    compared = ok("diff", "v1", "v2", "--ledger", ledger)
    assert "harbour-2" in compared and compared.startswith("v2 extracted 3/3 expected knowledge points")
    assert "entities" in ok("show", "harbour-2", "--run", "v1", "--ledger", ledger)
    assert ok("labels", "--ledger", ledger).startswith("3 points in 2 runs")
    page = re.sub("</?mark>", "", ok("report", "--ledger", ledger))
    assert "Ilse Brandt" in page and TEXTS["harbour-2"] in page
    with sqlite3.connect(ledger) as rows:
        assert rows.execute("select recall, gate_accuracy from run_score order by recall").fetchall() == [
            (2 / 3, 1.0),
            (1.0, 1.0),
        ]
        assert set(rows.execute("select type, title from proposal")) == {
            ("entities", "Kestrel"),
            ("entities", "Skerry Point"),
            ("entities", "Ilse Brandt"),
        }
    assert ok("ledger", "verify", "--ledger", ledger).startswith("0 problems")


def test_a_guard_is_looked_for_in_what_is_kept(suite: Path, tmp_path: Path) -> None:
    """The quote holds the guard: it hits, unless the contract keeps the name alone."""
    quoted = {**RIGHT, "harbour-2": [{**BRANDT, "quote": "Ilse Brandt closed it after the crane failed"}]}
    ingest(suite, tmp_path / "all.db", "1", wrapped(quoted))
    assert '"crane" leaked' in ok("score", "--ledger", tmp_path / "all.db")
    write_suite(suite, {**ENTITIES, "kept": ["/name", "/kind"]})
    ingest(suite, tmp_path / "name.db", "1", wrapped(quoted))
    assert ok("score", "--ledger", tmp_path / "name.db").startswith("v1 extracted 3/3")


def test_each_run_is_read_by_its_own_contract(suite: Path, tmp_path: Path) -> None:
    """The second version renames a field: both versions are compared, on the same sessions and labels."""
    ledger = tmp_path / "ledger.db"
    ingest(suite, ledger, "1", wrapped({**RIGHT, "harbour-2": []}))
    schema = json.loads(json.dumps(OBJECT).replace('"name"', '"label"'))
    write_suite(suite, {**ENTITIES, "title": "/label", "searched": ["/label"]}, schema)
    renamed = json.loads(json.dumps(wrapped(RIGHT)).replace('"name"', '"label"'))
    ingest(suite, ledger, "2", renamed)
    for labels in ("candidate", "recorded", "latest"):
        (comparison,) = json.loads(ok("diff", "1", "2", "--labels", labels, "--format", "json", "--ledger", ledger))[
            "comparisons"
        ]
        sides = (comparison["baseline"], comparison["candidate"])
        assert [side["totals"]["points_matched"] for side in sides] == [2, 3]
        assert [side["totals"]["fixtures_invalid"] for side in sides] == [0, 0] and not comparison["left_out"]
    with sqlite3.connect(ledger) as rows:
        assert rows.execute("select count(*) from contract").fetchone() == (2,)
    old = ok("show", "harbour-1", "--run", "v1", "--ledger", ledger)
    assert 'entities "Kestrel"' in old
    assert ok("ledger", "verify", "--ledger", ledger).startswith("0 problems")


def test_a_renamed_type_gives_no_verdict(suite: Path, tmp_path: Path) -> None:
    """The next version calls the same things by another type: its labels are not for the older answers."""
    ledger = tmp_path / "ledger.db"
    ingest(suite, ledger, "1", wrapped(RIGHT))
    write_suite(suite, {**ENTITIES, "proposals": {"thing": "/entities"}})
    for path in (suite / "expected").iterdir():
        path.write_text(path.read_text("utf-8").replace("type: entities", "type: thing"), "utf-8")
    ingest(suite, ledger, "2", wrapped({**RIGHT, "quiet-1": [KESTREL]}))
    (comparison,) = json.loads(ok("diff", "1", "2", "--format", "json", "--ledger", ledger))["comparisons"]
    assert [fixture["fixture_id"] for fixture in comparison["fixtures"]] == ["quiet-1"]
    why = "its labels expect the type thing, which the contract of some answers does not have"
    assert {fixture["why"] for fixture in comparison["left_out"]} == {why}
    assert why in ok("history", "--labels", "latest", "--ledger", ledger)
    (recorded,) = json.loads(ok("diff", "1", "2", "--labels", "recorded", "--format", "json", "--ledger", ledger))[
        "comparisons"
    ]
    assert [recorded[side]["totals"]["points_matched"] for side in ("baseline", "candidate")] == [3, 3]


def test_only_what_is_wrong_with_the_suite_is_named(suite: Path) -> None:
    write_suite(suite, keep_prompt=True)
    assert cli("check", suite).stdout.splitlines()[:-1] == ['corpus.yaml: line 1: unknown key "keep_prompt"']


LIST = {"schema": "answer.json", "proposals": {"entity": ""}, "title": "/name", "searched": ["/name", "/quote"]}


def test_an_answer_that_is_a_bare_list(suite: Path, tmp_path: Path) -> None:
    for path in (suite / "expected").iterdir():
        path.write_text(path.read_text("utf-8").replace("type: entities", "type: entity"), "utf-8")
    keys = {"name": "lists", "version": "1", "prompt": "extract", "sessions": "text", "answer": LIST}
    (suite / "corpus.yaml").write_text(yaml.safe_dump(keys, sort_keys=False), "utf-8")
    (suite / "answer.json").write_text(json.dumps({"type": "array", "items": ITEM}), "utf-8")
    assert "0 problems" in ok("check", suite)
    where = ("--results", tmp_path / "saved", "--fixtures", suite)
    reply = f"See [the rules](x) and [1], then:\n\n{json.dumps([KESTREL, SKERRY], indent=1)}\nDone."
    assert "2 entity" in ok("save", "harbour-1", *where, input=reply)
    assert "no JSON list" in refused("save", "quiet-1", *where, input="Nothing: `String[] args` is all I see.")
    assert "an empty answer" in ok("save", "quiet-1", *where, input="Nothing to report.\n```json\n[]\n```\n")
    said = refused("save", "harbour-2", *where, input=f'Here: {{"entities": {json.dumps([BRANDT])}}}')
    assert "is an object; the answer is one list" in said
    assert "does not end by line 1" in refused("save", "harbour-2", *where, input='[{"name": "Ilse Brandt", ')
    ingest(suite, tmp_path / "ledger.db", "1", RIGHT)
    assert ok("score", "--ledger", tmp_path / "ledger.db").startswith("v1 extracted 3/3")


def test_lists_deep_in_the_answer_and_types_in_the_proposal(tmp_path: Path) -> None:
    """`type` overrides the type of the list; a title that is missing is the first searched text, or the number."""
    block = {
        "schema": "answer.json",
        "proposals": {"entities": "/found/here", "place": "/found/places"},
        "type": "/kind",
        "title": "/title",
        "searched": ["/about/name", "/quote"],
    }
    suite = write_suite(tmp_path / "ships", block, {})
    labels = suite / "expected" / "harbour-1.yaml"
    labels.write_text(labels.read_text("utf-8").replace("entities", "place", 1), "utf-8")
    given = {"kind": "place", "about": {"name": "Kestrel"}}
    answers = {
        "harbour-1": {"found": {"here": [given], "places": [{"quote": "off Skerry Point", "kind": 7}, {}]}},
        "harbour-2": {"found": {"here": [{"about": {"name": "Ilse Brandt"}}], "places": []}},
        "quiet-1": {"found": {"here": [], "places": 3}},
    }
    ingest(suite, tmp_path / "ledger.db", "1", answers)
    report = json.loads(ok("score", "--format", "json", "--ledger", tmp_path / "ledger.db"))
    found = {each["fixture_id"]: each for each in report["fixtures"]}
    assert found["harbour-1"]["points_matched"] == 1 and found["harbour-1"]["phantoms"] == 2
    assert found["harbour-2"]["passed"]
    assert found["quiet-1"]["reasons"][0]["problems"] == ["/found/places is not a list"]
    text = ok("show", "harbour-1", "--ledger", tmp_path / "ledger.db")
    assert 'place "Kestrel"' in text and 'place "off Skerry Point"' in text and 'place "proposal 3"' in text


FAULTS: dict[str, tuple[dict[str, Any], object, str]] = {
    "unknown type": ({"proposals": {"things": "/entities"}}, OBJECT, '"entities" is none of things'),
    "no such file": ({"schema": "nowhere.json"}, OBJECT, "answer.schema (line 6): nowhere.json cannot be read"),
    "outside": ({"schema": "../answer.json"}, OBJECT, "../answer.json is outside the suite"),
    "not JSON": ({}, "{", "answer.json: no JSON"),
    "a list": ({}, [], "answer.json is not a JSON object, as a schema is"),
    "another draft": (
        {},
        {"$schema": "http://json-schema.org/draft-07/schema#"},
        "is not a JSON Schema of draft 2020-12",
    ),
    "remote": (
        {},
        {"items": [], "$defs": {"a": {"$ref": "https://x.invalid/y"}}},
        "refers to https://x.invalid/y, which",
    ),
    "another file": ({}, {"$ref": "other.json#/a"}, "refers to other.json#/a, which is not in the file"),
    "dynamic": ({}, {"$dynamicRef": "other.json"}, "refers to other.json, which is not in the file"),
    "no schema": ({}, {"type": "nonsense"}, "answer.json is not a JSON Schema"),
    "no such definition": ({}, {"$ref": "#/$defs/a"}, "answer.json is not a JSON Schema"),
    "pointer": ({"title": "name"}, OBJECT, "answer.title (line"),
    "tilde": ({"title": "/a~1b"}, OBJECT, "is not a path of keys"),
    "nothing searched": ({"searched": []}, OBJECT, "answer.searched (line"),
    "no lists": ({"proposals": {}}, OBJECT, "answer.proposals (line"),
    "searched that is not there": (
        {"searched": ["/nam"]},
        OBJECT,
        "answer.searched: /nam leads to nothing that the schema",
    ),
    "title that is not there": ({"title": "/title"}, OBJECT, "answer.title: /title leads to nothing that the schema"),
    "list that is not there": (
        {"proposals": {"entities": "/entity"}},
        OBJECT,
        "answer.proposals.entities: /entity leads",
    ),
    "one list for two": ({"proposals": {"entities": "/entities", "b": "/entities"}}, OBJECT, "2 types have the list"),
    "a list in a list": ({"proposals": {"entities": "", "b": "/entities"}}, {}, "the answer itself"),
    "unknown key": ({"body": "/b"}, OBJECT, 'unknown key "body"'),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_contract_that_cannot_be_used(tmp_path: Path, name: str) -> None:
    change, schema, said = FAULTS[name]
    suite = write_suite(tmp_path / "ships", {**ENTITIES, **change}, schema)
    result = cli("check", suite)
    assert result.exit_code == 1
    assert said in result.stdout, result.stdout
    ledger = tmp_path / "ledger.db"
    assert said in refused("ingest", "--fixtures", suite, "--ledger", ledger)
    assert not ledger.exists()


@pytest.mark.parametrize("key", ["schema", "proposals", "searched"])
def test_what_a_contract_needs(tmp_path: Path, key: str) -> None:
    block = {name: value for name, value in ENTITIES.items() if name != key}
    assert f'missing key "{key}"' in cli("check", write_suite(tmp_path / "ships", block)).stdout


def test_a_category_expects_a_type_of_the_contract(suite: Path) -> None:
    row = {"category": "harbour", "count": 2, "tests": "It."}
    write_suite(suite, categories=[{**row, "expected": "practice"}])
    assert 'harbour expects "practice", which is none of entities, empty, subset' in cli("check", suite).stdout


def test_the_contract_in_force(suite: Path) -> None:
    assert json.loads(ok("schema", "--fixtures", suite)) == OBJECT
    shipped = json.loads((ROOT / "prompteval" / "contracts" / "proposal-output.schema.json").read_text("utf-8"))
    assert json.loads(ok("schema", "--fixtures", ROOT / "fixtures")) == shipped
    assert "is not a folder" in refused("schema", "--fixtures", suite / "nowhere")


def test_a_shipped_contract_can_be_named(tmp_path: Path) -> None:
    """The default, written out, is the default: the same corpus revision."""
    block = {
        "schema": "proposal-output",
        "proposals": {"practice": "/practice", "map": "/map"},
        "type": "/type",
        "title": "/title",
        "searched": ["/title", "/body"],
    }
    for name in ("written", "absent"):
        write_suite(tmp_path / name, block)
        for path in (tmp_path / name / "expected").iterdir():
            path.write_text(path.read_text("utf-8").replace("type: entities", "type: map"), "utf-8")
    settings = yaml.safe_load((tmp_path / "absent" / "corpus.yaml").read_text("utf-8"))
    del settings["answer"]
    (tmp_path / "absent" / "corpus.yaml").write_text(yaml.safe_dump(settings), "utf-8")
    said = [
        ok("ingest", "--fixtures", tmp_path / name, "--ledger", tmp_path / "l.db") for name in ("written", "absent")
    ]
    revisions = [re.findall(r"corpus (\w+)", each)[0] for each in said]
    assert revisions[0] == revisions[1] and "unchanged" in said[1]


def test_plain_texts_need_no_front_matter_and_transcripts_do(suite: Path) -> None:
    (suite / "sessions" / "quiet-1.txt").write_text("---\nNothing: was said\n---\nat all.\n", "utf-8")
    assert "0 problems" in ok("check", suite)
    assert ok("prompt", "quiet-1", "--body", "--fixtures", suite) == "---\nNothing: was said\n---\nat all.\n"
    write_suite(suite, sessions="transcript")
    assert "no fixtures in" in refused("prompt", "quiet-1", "--body", "--fixtures", suite)


def test_no_word_of_one_contract_in_the_code() -> None:
    """What is kenkeep's is data: its words stand in its contract, in the default block and in documentation."""
    allowed = {
        "proposal-output.schema.json": 99,
        "contract.py": 2,
    }
    for path in sorted((ROOT / "prompteval").rglob("*")):
        if path.suffix in (".py", ".json", ".sql", ".html"):
            lines = [
                line
                for line in path.read_text("utf-8").splitlines()
                if re.search(r'practice|kk_confidence|"map"', line)
            ]
            assert len(lines) <= allowed.get(path.name, 0), (path.name, lines)
