"""`prompteval init`: a suite to start from, whole or not at all, and the pointers that a JSON Schema suggests."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from prompteval.inputs.contract import contract_text
from tests.helpers import by_id, ok, refused

FILES = {"corpus.yaml", "README.md", "answer.schema.json", "sessions/example-01.txt", "expected/example-01.yaml"}
TEXT = {"type": "string"}
RIGHT = "The Marlow press is rinsed with citric acid"


def listed(*texts: str, required: tuple[str, ...] = (), **properties: Any) -> dict[str, Any]:
    """Return the schema of a list of objects that have these texts and these other properties."""
    properties = dict.fromkeys(texts, TEXT) | properties
    return {"type": "array", "items": {"type": "object", "required": list(required), "properties": properties}}


def extractor(**lists: Any) -> dict[str, Any]:
    """Return the schema of an object with lists, all of them required."""
    return {"type": "object", "required": list(lists), "properties": lists}


ENTITIES = extractor(entities=listed("name", "quote", kind={"enum": ["person", "place", "thing"]}))


def files(root: Path) -> set[str]:
    """Return the files and empty folders below a folder."""
    return {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file() or not list(path.iterdir())}


def start(root: Path, schema: object) -> dict[str, Any]:
    """Make a suite from a schema, check it, and return its answer block."""
    contract = root / "contract.json"
    contract.write_text(json.dumps(schema), "utf-8")
    ok("init", root / "suite", "--contract", contract)
    assert ok("check", root / "suite") == "1 session: 0 problems and 0 warnings\n"
    assert (root / "suite" / "answer.schema.json").read_text("utf-8") == contract.read_text("utf-8")
    block: dict[str, Any] = yaml.safe_load((root / "suite" / "corpus.yaml").read_text("utf-8"))["answer"]
    assert block.pop("schema") == "answer.schema.json"
    return block


def scored(suite: Path, ledger: Path, answer: object, version: str = "1") -> dict[str, Any]:
    """Take the one fixture of a suite from the prompt to the score; return the fixture's report."""
    results = suite.parent / f"results-{version}"
    prompt = suite.parent / "prompt.txt"
    prompt.write_text("Extract.\n\n[TRANSCRIPT PLACEHOLDER]\n", "utf-8")
    assert "Marlow press" in ok("prompt", "example-01", "--fixtures", suite, "--prompt", prompt)
    ok("save", "example-01", "--fixtures", suite, "--results", results, input=json.dumps(answer))
    tags = ("--version", version, "--model", "X", "--fixtures", suite, "--ledger", ledger)
    ok("ingest", *tags, results)
    report = ok("score", "--run", f"v{version}", "--format", "json", "--ledger", ledger)
    fixture: dict[str, Any] = by_id(json.loads(report))["example-01"]
    return fixture


def test_from_init_to_diff(tmp_path: Path) -> None:
    suite, ledger = tmp_path / "minutes", tmp_path / "ledger.db"
    said = ok("init", suite)
    assert files(suite) == FILES
    assert {line.removeprefix("wrote ") for line in said.splitlines() if line.startswith("wrote")} == {
        str(suite / name) for name in FILES
    }
    assert ok("check", suite) == "1 session: 0 problems and 0 warnings\n"
    assert scored(suite, ledger, {"decision": []})["passed"] is False
    assert scored(suite, ledger, {"decision": [{"title": "Press", "text": RIGHT}]}, "2")["passed"] is True
    (compared,) = json.loads(ok("diff", "v1", "v2", "--format", "json", "--ledger", ledger))["comparisons"]
    assert (compared["suite"], by_id(compared)["example-01"]["change"]) == ("minutes", "fixed")


def test_what_is_printed_can_be_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    said = ok("init", "evals/it's a try")
    assert "  prompteval check 'evals/it'\"'\"'s a try'\n" in said
    for line in ("ledger/*.db -text diff=prompteval merge=prompteval", "tmp/", "ledger/.*.lock"):
        assert f"  {line}\n" in said
        assert f"    {line}\n" in Path("evals/it's a try/README.md").read_text("utf-8")


def test_no_path_of_the_machine_is_written(tmp_path: Path) -> None:
    ok("init", tmp_path / "minutes")
    for name in FILES:
        assert str(tmp_path) not in (tmp_path / "minutes" / name).read_text("utf-8")


def test_every_option_in_the_comments_is_one(tmp_path: Path) -> None:
    ok("init", tmp_path)
    path = tmp_path / "corpus.yaml"
    text = re.sub(r"^( *)# ( *(?:- )?[a-z_]+:( .*)?)$", r"\1\2", path.read_text("utf-8"), flags=re.MULTILINE)
    path.write_text(text.replace("type: /type", "type: /title"), "utf-8")  # which the schema has
    assert set(yaml.safe_load(text)) == {
        *("name", "version", "prompt", "sessions", "placeholder", "keep_prompts", "answer", "categories")
    }
    assert ok("check", tmp_path) == "1 session: 0 problems and 0 warnings\n"


@pytest.mark.parametrize("there", ["corpus.yaml", "README.md", "answer.schema.json", "sessions", "expected"])
def test_nothing_is_overwritten(tmp_path: Path, there: str) -> None:
    (tmp_path / there).write_text("mine", "utf-8")
    said = refused("init", tmp_path)
    assert said.count("\n") == 1
    assert f"{tmp_path / there} already exists" in said
    assert files(tmp_path) == {there}
    assert (tmp_path / there).read_text("utf-8") == "mine"


def test_a_folder_with_other_files_keeps_them(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine", "utf-8")
    ok("init", tmp_path)
    assert files(tmp_path) == {*FILES, "notes.txt"}


def test_a_file_in_the_place_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine", "utf-8")
    for folder in (tmp_path / "file", tmp_path / "file" / "suite"):
        assert "cannot be written: Not a directory; nothing was written" in refused("init", folder)
    assert files(tmp_path) == {"file"}


def test_what_was_begun_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Path.open

    def full(path: Path, mode: str = "r", **more: Any) -> Any:
        if path.name == "example-01.yaml" and "x" in mode:
            raise OSError(28, "No space left on device")
        return real(path, mode, **more)

    monkeypatch.setattr(Path, "open", full)
    assert "No space left on device; nothing was written" in refused("init", tmp_path / "a" / "suite")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        assert "cannot be written: Permission denied; nothing was written" in refused("init", tmp_path / "suite")
    finally:
        tmp_path.chmod(0o700)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("core-2.x_y", "core-2.x_y"),
        ("true", "true"),
        ("1.0", "1.0"),
        ("my suite (old)", "my-suite-old"),
        ("-$name ${x}", "name-x"),
        (".évals", "vals"),
        ("評価", "suite"),
        ("a" * 80, "a" * 64),
    ],
)
def test_the_name_of_the_suite(tmp_path: Path, folder: str, name: str) -> None:
    ok("init", tmp_path / folder)
    assert yaml.safe_load((tmp_path / folder / "corpus.yaml").read_text("utf-8"))["name"] == name
    assert ok("check", tmp_path / folder) == "1 session: 0 problems and 0 warnings\n"


def test_an_entity_extractor(tmp_path: Path) -> None:
    assert start(tmp_path, ENTITIES) == {
        "proposals": {"entities": "/entities"},
        "title": "/name",
        "searched": ["/name", "/quote"],
    }
    right = {"name": "Marlow press", "kind": "thing", "quote": RIGHT}
    assert scored(tmp_path / "suite", tmp_path / "ledger.db", {"entities": [right]})["passed"] is True


@pytest.mark.parametrize(
    ("title", "type_"), [("Entities", "entity"), ("Rules", "rule"), ("What is found", "item"), (None, "item")]
)
def test_a_bare_list(tmp_path: Path, title: str | None, type_: str) -> None:
    schema = listed("rule", "why", required=("rule",)) | ({"title": title} if title else {})
    assert start(tmp_path, schema) == {"proposals": {type_: ""}, "title": "/rule", "searched": ["/rule", "/why"]}
    assert scored(tmp_path / "suite", tmp_path / "ledger.db", [{"rule": RIGHT, "why": "Seals."}])["passed"] is True


def test_nested_lists_through_references(tmp_path: Path) -> None:
    schema = {
        **extractor(found={"$ref": "#/$defs/found"}, count={"type": "integer"}),
        "$defs": {
            "found": extractor(people={"$ref": "#/$defs/odd~1~0%20name"}, places=listed("summary", "where")),
            "odd/~ name": {"type": "array", "items": {"$ref": "#/$defs/person"}},
            "person": {"properties": {"summary": TEXT, "role": TEXT, "tags": {"type": "array", "items": TEXT}}},
        },
    }
    assert start(tmp_path, schema) == {
        "proposals": {"people": "/found/people", "places": "/found/places"},
        "title": "/summary",
        "searched": ["/summary"],
    }
    answer = {"found": {"people": [{"summary": RIGHT}], "places": []}, "count": 1}
    assert scored(tmp_path / "suite", tmp_path / "ledger.db", answer)["passed"] is True


OPTIONAL = {"anyOf": [TEXT, {"type": "null"}]}  # as pydantic writes it
SUGGESTED: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "nothing in common": (
        extractor(a=listed("x", "y"), b=listed("z")),
        {"proposals": {"a": "/a", "b": "/b"}, "searched": ["/x", "/y", "/z"]},
    ),
    "no text": (extractor(a=listed(n={"type": "integer"})), {"proposals": {"a": "/a"}, "searched": [""]}),
    "the same key twice": (
        extractor(left=extractor(items=listed("name")), right=extractor(items=listed("name"))),
        {
            "proposals": {"left/items": "/left/items", "right/items": "/right/items"},
            "title": "/name",
            "searched": ["/name"],
        },
    ),
    "optional and combined": (
        extractor(a={"type": "array", "items": {"allOf": [{"properties": {"label": OPTIONAL}}]}}),
        {"proposals": {"a": "/a"}, "title": "/label", "searched": ["/label"]},
    ),
    "several types": (
        extractor(a=listed(x={"type": ["string", "null"]}, kind={"const": "k"})),
        {"proposals": {"a": "/a"}, "searched": ["/x"]},
    ),
    "recursive": (
        {"properties": {"a": listed("name", inner={"$ref": "#"}), "child": {"$ref": "#"}}},
        {"proposals": {"a": "/a"}, "title": "/name", "searched": ["/name"]},
    ),
    "keys without a pointer": (
        extractor(**{"a/b": listed("x"), 'say "it"': listed("x"), " ": listed("x"), "no: #1\\": listed("x~", "x, y")}),
        {"proposals": {"no: #1\\": "/no: #1\\"}, "searched": ["/x, y"]},
    ),
    "kenkeep's": (
        json.loads(contract_text("proposal-output")),
        {
            "proposals": {"practice": "/practice", "map": "/map"},
            "title": "/title",
            "searched": ["/title", "/description", "/body"],
        },
    ),
}


@pytest.mark.parametrize("name", SUGGESTED)
def test_what_a_schema_suggests(tmp_path: Path, name: str) -> None:
    schema, block = SUGGESTED[name]
    assert start(tmp_path, schema) == block


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"type": "object"}', "has no list of objects"),
        ('{"properties": {"tags": {"type": "array", "items": {"type": "string"}}}}', "has no list of objects"),
        ("[]", "is not a JSON object, as a schema is"),
        ("{", "no JSON"),
        ("", "is empty"),
        ('{"type": "list"}', "is not a JSON Schema: "),
        ('{"$ref": "#/$defs/none"}', "is not a JSON Schema: "),
        ('{"$ref": "https://example.test/a.json"}', "refers to https://example.test/a.json, which is not in the file"),
        ('{"$schema": "http://json-schema.org/draft-07/schema#"}', "is not a JSON Schema of draft 2020-12"),
    ],
)
def test_a_contract_that_is_refused(tmp_path: Path, text: str, said: str) -> None:
    contract = tmp_path / "contract.json"
    contract.write_text(text, "utf-8")
    message = refused("init", tmp_path / "suite", "--contract", contract)
    assert message.count("\n") == 1
    assert message.startswith(f"Error: {contract}")
    assert said in message
    assert files(tmp_path) == {"contract.json"}


def test_a_contract_that_is_not_there(tmp_path: Path) -> None:
    message = refused("init", tmp_path / "suite", "--contract", tmp_path / "none.json")
    assert f"{tmp_path / 'none.json'} cannot be read: No such file or directory" in message
