"""Files that mean harm: each costs one line, seconds and megabytes, whichever command reads it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.helpers import (
    EMPTY,
    answer,
    labels,
    point,
    proposal,
    refused,
    session,
    slow_but,
    write_corpus,
    write_results,
)
from tests.process import bounded, process

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits and odd files are those of Linux")
BIG, DEEP = 10_000_000, 100_000
BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n"
    for before, name in zip("abcdefghi", "bcdefghij", strict=True)
)


class Desk:
    """A corpus of two fixtures, a complete results folder, and the four commands that read them."""

    def __init__(self, root: Path) -> None:
        self.fixtures = write_corpus(root / "fixtures", {"a-01": labels(point(), category="a"), "b-01": labels()})
        self.results = write_results(root / "results", {"a-01": EMPTY, "b-01": EMPTY})
        self.ledger = root / "ledger.db"

    def run(self, command: str, bad: Path) -> tuple[int, list[str]]:
        tags = ("--version", "1", "--model", "X", "--ledger", self.ledger)
        arguments: dict[str, tuple[object, ...]] = {
            "ingest": ("ingest", *tags, "--fixtures", self.fixtures, self.results),
            "check": ("check", self.fixtures),
            "validate": ("validate", bad),
            "status": ("status", "--fixtures", self.fixtures, self.results),
        }
        code, said = bounded(*arguments[command])
        return code, said.splitlines()

    def hold(self, bad: Path, said: str, codes: dict[str, int]) -> None:
        """Run each command on the bad file; each names it and says why, in one line."""
        for command, code in codes.items():
            returned, lines = self.run(command, bad)
            assert returned == code, (command, lines)
            about = [line for line in lines if bad.stem in line and said in line]
            assert len(about) == 1 and len(about[0]) < 500, (command, said, lines)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


ALL_STOP = {"ingest": 2, "check": 1, "validate": 1}

# An answer of the model's that is invalid: it is evidence, and an ingest takes it.
INVALID = {
    "deep": ("[" * DEEP + "]" * DEEP, "nested deeper than 64"),
    "deep objects": ('{"a":' * DEEP, "nested deeper than 64"),
    "a million wrong proposals": ('{"practice": [' + "0," * 1_000_000 + '0], "map": []}', "practice[0]"),
    "a million empty proposals": ('{"practice": [' + "{}," * 1_000_000 + '{}], "map": []}', "practice[0]"),
    "many keys": ("{" + ",".join(f'"{n:x}":0' for n in range(390_000)) + "}", 'missing key "practice"'),
    "a key twice among many": (
        "{" + ",".join(f'"{n:x}":0' for n in range(390_000)) + ',"5f000":1}',
        'the key "5f000" occurs twice',
    ),
    "a number of a million digits": ("9" * 1_000_000, "a number of 1000000 characters"),
    "one long text": ('"' + "a" * 3_900_000 + '"', '"aaa'),
}


@pytest.mark.parametrize("name", slow_but(["deep"], INVALID))
def test_an_answer_that_is_too_much(desk: Desk, name: str) -> None:
    text, said = INVALID[name]
    bad = desk.results / "b-01.json"
    bad.write_text(text)
    desk.hold(bad, said, {"validate": 1, "status": 0})
    code, lines = desk.run("ingest", bad)
    assert code == 0 and "2 results: 1 valid, 1 invalid, 0 missing" in lines


@pytest.mark.parametrize("text", [json.dumps(EMPTY) + " " * BIG, json.dumps(answer(proposal(body="a" * BIG)))])
def test_a_result_of_10_mb(desk: Desk, text: str) -> None:
    bad = desk.results / "b-01.json"
    bad.write_text(text)
    desk.hold(bad, "is larger than 4,000,000 bytes", {"ingest": 2, "validate": 1, "status": 0})
    assert not desk.ledger.exists()


SESSION = session("b")
FIELD = "harness: claude"
FIXTURE_FILES = {
    "alias bomb": ("expected/b-01.yaml", BOMB, "anchors and aliases are not allowed"),
    "alias bomb in front matter": (
        "sessions/b-01.md",
        SESSION.replace(FIELD + "\n", BOMB),
        "anchors and aliases are not allowed",
    ),
    "merge keys": ("expected/b-01.yaml", "a: &a {b: 1}\n<<: *a\n", "anchors and aliases are not allowed"),
    "deep": ("expected/b-01.yaml", "notes: " + "[" * DEEP, "longer than 100,000 characters"),
    "deep lists": ("expected/b-01.yaml", "notes: " + "[" * 90_000, "nested deeper than 20"),
    "deep mappings": ("expected/b-01.yaml", "notes: " + "{a: " * 20_000, "nested deeper than 20"),
    "deep dashes": ("expected/b-01.yaml", "- " * 45_000, "nested deeper than 20"),
    "deep blocks": ("expected/b-01.yaml", "".join(" " * n + "a:\n" for n in range(400)), "nested deeper than 20"),
    "deep in front matter": ("sessions/b-01.md", SESSION.replace("claude", "[" * 90_000), "nested deeper than 20"),
    "many items": ("expected/b-01.yaml", "expected_points: [" + "a," * 45_000 + "a]", 'missing key "fixture_id"'),
    "many numbers": ("expected/b-01.yaml", "[" + "1," * 45_000 + "1]", "[1,1,"),
    "many keys in front matter": (
        "sessions/b-01.md",
        SESSION.replace(FIELD, "".join(f"k{n}: 1\n" for n in range(50_000))),
        "longer than 100,000 characters",
    ),
    "10 MB of labels": ("expected/b-01.yaml", "notes: " + "a" * BIG, "is larger than 4,000,000 bytes"),
    "10 MB of session": ("sessions/b-01.md", SESSION + "a" * BIG, "is larger than 4,000,000 bytes"),
    "no end of front matter": ("sessions/b-01.md", "---\n" + "--\n" * 1_300_000, "does not start with front matter"),
    "lone surrogate": ("expected/b-01.yaml", 'notes: "\\udcff"', "U+DCFF is not allowed in a text"),
    "NUL": ("expected/b-01.yaml", 'notes: "\\0"', "U+0000 is not allowed in a text"),
    "lone surrogate in front matter": (
        "sessions/b-01.md",
        SESSION.replace("claude", '"\\ud800"'),
        "U+D800 is not allowed in a text",
    ),
    "no such character": ("expected/b-01.yaml", 'notes: "\\UFFFFFFFF"', "not YAML: a number out of range"),
    "long version": ("expected/b-01.yaml", f"%YAML 1.{'9' * 5000}\n---\na: 1", "not YAML: a number out of range"),
}

QUICK = [
    "alias bomb",
    "merge keys",
    "deep",
    "deep blocks",
    "lone surrogate",
    "NUL",
    "no such character",
    "long version",
]


@pytest.mark.parametrize("name", slow_but(QUICK, FIXTURE_FILES))
def test_a_fixture_that_is_too_much(desk: Desk, name: str) -> None:
    where, text, said = FIXTURE_FILES[name]
    bad = desk.fixtures / where
    bad.write_text(text)
    desk.hold(bad, said, ALL_STOP)
    assert not desk.ledger.exists()


# Runs of characters that a pattern, or a Markdown parser, could search once for each of its characters.
RUNS = ["a", "a.", "a-", "a+", "a@", "eyJ-", "com.", "1.", "secret ", "<!--", "![", "**a ", "- a\n"]


@pytest.mark.parametrize("piece", slow_but(["a"], RUNS))
def test_a_session_that_is_one_long_run(desk: Desk, piece: str) -> None:
    text = session("b-01", f"[USER]: {piece * (2_000_000 // len(piece))}\n\n[AGENT]: Said.\n")
    (desk.fixtures / "sessions" / "b-01.md").write_text(text)
    for command, codes in (("check", (0, 1)), ("status", (0,))):
        code, lines = desk.run(command, desk.fixtures)
        assert code in codes, lines[-1][:500]


@pytest.mark.parametrize("piece", slow_but(["a"], RUNS))
def test_an_answer_that_is_one_long_run(desk: Desk, piece: str) -> None:
    bodies = [piece * (49_000 // len(piece))] * 2
    write_results(desk.results, {"a-01": answer(*(proposal("Alpha", body) for body in bodies))})
    code, lines = desk.run("ingest", desk.results)
    assert code == 0, lines


def test_an_answer_of_more_text_than_any_model_gives(desk: Desk) -> None:
    write_results(desk.results, {"a-01": answer(*(proposal("Alpha", "word " * 7_000) for _ in range(3)))})
    desk.hold(desk.results / "a-01.json", "has more than 100,000 characters in its proposals", {"ingest": 2})
    assert not desk.ledger.exists()


def _circle(path: Path) -> None:
    path.symlink_to(path.name)


def _device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _folder(path: Path) -> None:
    path.mkdir()


def _link_into_circle(path: Path) -> None:
    path.with_name("x").symlink_to("x")
    path.symlink_to("x/y")


def _name_too_long(path: Path) -> None:
    path.symlink_to("x" * 300)


ODD: dict[str, tuple[Callable[[Path], None], str]] = {
    "pipe": (os.mkfifo, "is a pipe, not a file"),
    "way out": (lambda path: path.symlink_to("/etc/passwd"), "is a link that leads out of its folder"),
    "way out by steps": (lambda path: path.symlink_to("../../../../../../../etc/passwd"), "is a link"),
    "device": (_device, "is a link that leads out of its folder"),
    "nothing": (lambda path: path.symlink_to("nowhere"), "is a link to nothing"),
    "circle": (_circle, "is a link to nothing"),
    "into a circle": (_link_into_circle, "is a link to nothing"),
    "name too long": (_name_too_long, "cannot be read: File name too long"),
    "folder": (_folder, "is a folder, not a file"),
}
PLACES = ["results/b-01.json", "fixtures/sessions/b-01.md", "fixtures/expected/b-01.yaml", "fixtures/corpus.yaml"]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", ODD)
def test_what_is_no_file_is_never_read(desk: Desk, tmp_path: Path, name: str, place: str) -> None:
    make, said = ODD[name]
    bad = tmp_path / place
    bad.unlink(missing_ok=True)
    make(bad)
    codes = {"ingest": 2, "status": 0} if place.startswith("results") else {"ingest": 2, "check": 1}
    if place.endswith("corpus.yaml"):
        codes["status"] = 2
    desk.hold(bad, said, codes if name == "folder" else codes | {"validate": 1})
    assert not desk.ledger.exists()


@pytest.mark.parametrize("name", ["sessions", "expected"])
def test_a_folder_that_leads_out_is_not_read(desk: Desk, tmp_path: Path, name: str) -> None:
    folder = tmp_path / "fixtures" / name
    (tmp_path / "elsewhere").mkdir()
    folder.rename(tmp_path / "elsewhere" / name)
    folder.symlink_to(tmp_path / "elsewhere" / name)
    prompt = ("prompt", "a-01", "--body", "--fixtures", tmp_path / "fixtures")
    for command in (("check", tmp_path / "fixtures"), *([prompt] if name == "sessions" else [])):
        done = process(*command)
        assert done.returncode == 2 and done.stderr.endswith(
            f"{name} is a link that leads out of its folder\n".encode()
        )
    assert not desk.ledger.exists()


LONG = "x" * 300


COMMANDS = """
check P
status P --fixtures F
status --fixtures P r
validate P
ingest --fixtures P
runs --ledger P
score --ledger P
runs --ledger L --output P
save a-01 --results P --fixtures F
save a-01 P --results r --fixtures F
prompt a-01 --fixtures F --prompt P
"""


@pytest.mark.parametrize("command", COMMANDS.strip().splitlines())
@pytest.mark.parametrize("path", [LONG, "/etc/passwd/below"])
def test_a_path_that_cannot_be_one(desk: Desk, command: str, path: str) -> None:
    desk.run("ingest", desk.results)
    where = {"P": path, "F": str(desk.fixtures), "L": str(desk.ledger)}
    arguments = [where.get(word, word) for word in command.split()]
    if path != LONG and command.startswith(("status P", "save a-01 --results")):
        return  # no folder yet, like any other name
    assert path in refused(*arguments)


REPLIES = {
    "a million objects": '{""}' * 1_000_000,
    "a million lines": '{""}\n' * 790_000,
    "a million braces": "{" * 3_900_000,
    "a million open objects": '{"a":' * 700_000,
    "a million lists": '[{"a":1}]' * 400_000,
    "white space": "x{" + " " * 3_900_000,
    "brackets and white space": "[ " * 1_900_000 + '{"a": 1',
    "10 MB": "a" * BIG,
    "valid, and too large one field a line": json.dumps(answer(proposal(tags=["a"] * 790_000))),
}


@pytest.mark.parametrize("name", slow_but(["a million braces"], REPLIES))
def test_a_reply_that_is_too_much(desk: Desk, tmp_path: Path, name: str) -> None:
    where = ("--results", tmp_path / "new", "--fixtures", desk.fixtures)
    done = process("save", "a-01", *where, input=REPLIES[name].encode())
    *problems, last = done.stderr.decode().splitlines()
    assert (done.returncode, done.stdout, problems) == (2, b"", []) and last.startswith("Error: ") and len(last) < 300
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("more", [(), ("--as-is",)])
def test_a_reply_without_end(desk: Desk, tmp_path: Path, more: tuple[str, ...]) -> None:
    done = process("save", "a-01", "/dev/zero", "--results", tmp_path / "new", "--fixtures", desk.fixtures, *more)
    assert (done.returncode, done.stderr) == (2, b"Error: the reply is larger than 4,000,000 bytes\n")
