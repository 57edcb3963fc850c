"""What reaches a terminal, a pipe or a full disk: no character of the data steers it, no traceback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.helpers import EMPTY, ROOT, Bench, answer, labels, ok, point, proposal, session, slow_but
from tests.process import process, steering

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="file names and streams are those of Linux"),
    pytest.mark.wrapped,
]
# ESC, BEL, C1, bidi overrides and isolates, line and paragraph separators, zero width, soft hyphen, a tag, DEL
EVIL = "\x1b[31m\x07\x9b2k\x85\u202e\u2066\u200f\u2028\u2029\u200b\xad\U000e0041\x7f"
NAME = f"evil{EVIL}-01"
BYTES = b"broken\xff\x1b[2J-01"  # no UTF-8


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """Two runs in which every text, and the name of a fixture, holds what steers a terminal."""
    terms: Any = {"must_match_all": [f"alpha{EVIL}"], "must_not_match": [f"lf{EVIL}"]}
    evil = labels(point(f"id{EVIL}", **terms), point("never", "map"), category=f"evil{EVIL}")
    bench = Bench(tmp_path_factory.mktemp("evil"), {NAME: evil | {"notes": EVIL}, "b-01": labels()})
    path = bench.fixtures / "sessions" / f"{NAME}.md"
    path.write_text(session(NAME, f"[USER]: Say {EVIL} it.\n\n[AGENT]: Said.\n"))
    shown = proposal(f"Alpha {EVIL}", f"# {EVIL}\n[x](http://x{EVIL})", description=EVIL, tags=[EVIL])
    bench.ingest("1", {NAME: answer(shown, proposal(f"alpha{EVIL}")), "b-01": f"oops {EVIL}"}, "--note", EVIL)
    wrong = json.dumps({"practice": [], "map": [], f"key{EVIL}": EVIL}, ensure_ascii=False)
    bench.ingest("2", {NAME: wrong.encode().decode(), "b-01": answer(shown)}, "--note", EVIL)
    return bench


REPORTS = [
    *(["score", "--run", run, "--format", form] for run in "12" for form in ("text", "markdown", "json", "csv")),
    *(["diff", "1", "2", "--format", form] for form in ("text", "markdown", "json", "csv")),
    *(["history", "--format", form] for form in ("text", "markdown", "json", "csv")),
    *(["runs", "--format", form] for form in ("text", "markdown", "json", "csv")),
    *(["labels", "--format", form] for form in ("text", "markdown")),
    ["show", NAME, "--run", "1", "--transcript"],
    ["show", "b-01", "--run", "1"],
    ["report"],
    ["ledger", "verify"],
    # what cannot be done, with the argument in the message
    ["show", f"x{EVIL}"],
    ["score", "--run", EVIL],
    ["score", "--format", EVIL],
    ["diff", EVIL, "1"],
    ["runs", f"--{EVIL}"],
    ["runs", EVIL, EVIL],
    [f"runs{EVIL}"],
    [f"--{EVIL}"],
    ["schema", EVIL],
    ["ledger", "merge", f"x{EVIL}"],
    ["ledger", "textconv", f"x{EVIL}"],
    ["ledger", EVIL],
]

QUICK = [["diff", "1", "2", "--format", "text"], ["show", NAME, "--run", "1", "--transcript"], ["show", f"x{EVIL}"]]


@pytest.mark.parametrize("command", slow_but(QUICK, REPORTS), ids=lambda command: ascii(" ".join(command))[:40])
def test_no_report_or_message_steers_a_terminal(bench: Bench, command: list[str]) -> None:
    done = process(*command, env={"PROMPTEVAL_LEDGER": str(bench.ledger)})
    assert steering(done.stdout + done.stderr) == []
    assert done.stdout or done.stderr


WORDS = "ｗｉｄｅ ｗｏｒｄｓ, e\u0301 and more of them, " * 3


@pytest.fixture(scope="module")
def wordy(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """Two versions and two models, with long texts, wide and combining letters wherever somebody writes."""
    told = labels(point("a-point-with-a-long-name", must_match_all=[f"alpha {WORDS}".strip()]), category="ｗｉｄｅ")
    bench = Bench(tmp_path_factory.mktemp("wordy"), {"ｗｉｄｅ-fixture": told | {"notes": WORDS}, "b-01": labels()})
    unread, wide = "oops " * 40, answer(proposal(f"T {WORDS}", f"    code\n\n{WORDS}"))
    for version in ("5", "6.1-draft"):
        for model in ("a model with a long name of many words", "b"):
            tags = ("--model", model, "--harness", "a harness with a name", "--note", WORDS)
            bench.ingest(version, {"ｗｉｄｅ-fixture": wide, "b-01": unread if model == "b" else wide}, *tags)
    return bench


NARROW = [["runs"], ["history"], ["history", "--by", "version"], ["score"], ["labels"], ["ledger", "verify"]]
OF_TWO = {
    "committed": [["diff", "v5", "v6"], ["diff", "v6", "v8"], ["show", "admit-prohibition-02", "--transcript"]],
    "wordy": [["diff", "5", "6.1-draft"], ["show", "ｗｉｄｅ-fixture", "--transcript"], ["show", "b-01"]],
}


@pytest.mark.parametrize(
    ("ledger", "command"), [(name, command) for name, more in OF_TWO.items() for command in (*NARROW, *more)]
)
def test_text_reports_fit_80_columns(wordy: Bench, ledger: str, command: list[str]) -> None:
    text = ok(*command, "--ledger", wordy.ledger if ledger == "wordy" else ROOT / "ledger" / "prompteval.db")
    assert [line for line in text.splitlines() if len(line) > 80 and len(line.split()[-1]) < 40] == []


def test_status_fits_80_columns(tmp_path: Path) -> None:
    bench = Bench(tmp_path, {"a": labels(point()), "b": labels()})
    bench.arguments("5", {"a": {"practice": [], "map": [], "a long key of many words " * 5: 1}})
    text = ok("status", tmp_path / "results-1", "--fixtures", bench.fixtures)
    shown, _, command = text.rpartition("next: ")
    assert "a long key" in shown and max(map(len, shown.splitlines())) <= 80
    assert command.count("\n") == 1, "what is pasted into a shell stays on one line"


def test_wide_letters_shift_no_column(wordy: Bench) -> None:
    """No renderer knows how wide a terminal shows them, so that nothing stands behind them."""
    text = wordy.report("score")
    header = next(line for line in text.splitlines() if line.endswith("  Fixture"))
    (row,) = [line for line in text.splitlines() if line.endswith("  ｗｉｄｅ-fixture")]
    assert row[: header.index("Fixture")].isascii()


def test_what_rows_share_is_said_once(bench: Bench, wordy: Bench) -> None:
    assert bench.report("runs").count("model X, temperature not recorded") == 1
    assert "\n  model b:\n" in wordy.report("runs") and "harness a harness" in wordy.report("runs").split("---")[0]


@pytest.fixture
def folders(tmp_path: Path) -> Bench:
    """A corpus and results whose file names hold what steers a terminal, some of them no UTF-8, and all is wrong."""
    bench = Bench(tmp_path / f"root{EVIL}", {"a-01": labels(point()), f"b{EVIL}": labels(category=EVIL)})
    results = tmp_path / f"root{EVIL}" / f"results{EVIL}"
    results.mkdir()
    for folder, suffix in ((bench.fixtures / "sessions", b".md"), (bench.fixtures / "expected", b".yaml")):
        Path(os.fsdecode(os.fsencode(folder) + b"/" + BYTES + suffix)).write_text(f"{EVIL}: {EVIL}")
    for name in (f"{EVIL}.json", f"b{EVIL}.JSON", f"other{EVIL}.txt", f"link{EVIL}.json"):
        (results / name).write_text(f'{{"{EVIL}": 1}}')
    (results / "a-01.json").write_text(f"{EVIL}")
    Path(os.fsdecode(os.fsencode(results) + b"/" + BYTES + b".json")).write_text("")
    (bench.fixtures / "corpus.yaml").write_text(f'version: "{EVIL}"\n{EVIL}: [')
    return bench


COMMANDS = {
    "check": ("check", "F"),
    "ingest": ("ingest", "--fixtures", "F", "--ledger", "L"),
    "ingest results": ("ingest", "--version", "1", "--model", "M", "--fixtures", "F", "--ledger", "L", "R"),
    "status": ("status", "R", "--fixtures", "F"),
    "status next": ("status", "R", "--next", "--fixtures", "F"),
    "validate": ("validate", "R"),
    "validate labels": ("validate", "--contract", "expected-labels", "F/expected"),
    "validate sessions": ("validate", "--contract", "session-front-matter", "F/sessions"),
    "validate corpus": ("validate", "F/corpus.yaml"),
    "save": ("save", f"c{EVIL}", "--results", "R", "--fixtures", "F"),
    "save a file": ("save", "a-01", f"reply{EVIL}", "--results", "R", "--fixtures", "F"),
    "save here": ("save", f"b{EVIL}", "--results", "R", "--fixtures", "F"),
    "prompt": ("prompt", "a-01", "--fixtures", "F", "--prompt", f"prompt{EVIL}"),
    "names as arguments": ("status", "R", "R/link", "--fixtures", "F"),
}


@pytest.mark.parametrize("readable", [False, True])
@pytest.mark.parametrize("name", slow_but(["check", "ingest results"], COMMANDS))
def test_no_file_name_steers_a_terminal(folders: Bench, name: str, readable: bool) -> None:
    if readable:  # the corpus can be read now, and what is wrong with the results is said
        (folders.fixtures / "corpus.yaml").unlink()
        for folder in ("sessions", "expected"):
            for path in (folders.fixtures / folder).glob("broken*"):
                path.unlink()
    where = {"F": str(folders.fixtures), "R": f"{folders.root}/results{EVIL}", "L": str(folders.ledger)}
    arguments = [where.get(word[:1], "") + word[1:] if word[:1] in where else word for word in COMMANDS[name]]
    done = process(*arguments, input=f"{EVIL} {json.dumps(EMPTY)[:-1]}".encode())
    assert steering(done.stdout + done.stderr) == []


def test_a_session_that_steers_is_not_printed_on_a_terminal(bench: Bench) -> None:
    """It has to reach the model as it is, so it is refused there and unchanged in a pipe."""
    import pty

    command = ("prompt", NAME, "--body", "--fixtures", bench.fixtures)
    controller, terminal = pty.openpty()
    done = process(*command, stdout=terminal)
    os.close(terminal)
    os.close(controller)
    assert done.returncode == 2 and done.stderr.startswith(b"Error: the text holds control or bidi characters")
    assert EVIL.encode() in process(*command).stdout


@pytest.mark.parametrize("encoding", slow_but(["ascii"], ["ascii", "cp1252", "latin-1", "ascii:strict", "utf-8"]))
@pytest.mark.parametrize("columns", slow_but(["80"], ["1", "80"]))
def test_any_encoding_and_width(bench: Bench, encoding: str, columns: str) -> None:
    env = {"PYTHONIOENCODING": encoding, "COLUMNS": columns, "PROMPTEVAL_LEDGER": str(bench.ledger)}
    for command in (["diff", "1", "2"], ["show", NAME, "--run", "1"], ["score", "--help"], ["--help"]):
        done = process(*command, env=env)
        assert (done.returncode, done.stderr) == (0, b""), command
        done.stdout.decode(encoding.partition(":")[0])
    for wrong in (["show", "é→"], ["é→"], ["score", "--é→"], ["score", "--format", "é→"]):
        done = process(*wrong, env=env)
        assert done.returncode == 2 and done.stdout == b""
        shown = done.stderr.decode(encoding.partition(":")[0])
        assert "\\xe9" in shown if encoding.startswith("ascii") else "é" in shown


WRITERS = [["runs"], ["report"], ["score", "-h"], ["--help"], ["--version"], ["schema", "corpus"]]


@pytest.mark.parametrize("command", slow_but([["runs"]], WRITERS), ids=" ".join)
def test_a_full_disk(bench: Bench, command: list[str]) -> None:
    env = {"PROMPTEVAL_LEDGER": str(bench.ledger)}
    with Path("/dev/full").open("wb") as full:
        done = process(*command, env=env, stdout=full)
        assert done.returncode == 2 and done.stderr.startswith(b"Error: ") and done.stderr.count(b"\n") == 1
        assert process(*command, env=env, stdout=full, stderr=full).returncode == 2
        assert process("runs", "--ledger", "none", stderr=full).returncode == 2
        assert process("runs", "--nothing", stderr=full).returncode == 2


@pytest.mark.parametrize("command", slow_but([["runs"]], WRITERS), ids=" ".join)
def test_a_broken_pipe(bench: Bench, command: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = process(*command, env={"PROMPTEVAL_LEDGER": str(bench.ledger)}, stdout=writer)
    os.close(writer)
    assert done.returncode != 0 and done.stderr == b""


@pytest.mark.parametrize(
    ("closed", "command", "code"),
    [
        (">&-", "runs", 2),
        (">&-", "check nowhere", 2),
        ("2>&-", "runs", 0),
        ("2>&-", "runs --ledger none", 2),
        (">&- 2>&-", "runs", 2),
        ("<&-", "runs", 0),
        ("<&-", "save b-01 --results R --fixtures F", 2),
        ("<&- >&- 2>&-", "runs --ledger none", 2),
    ],
)
def test_closed_streams(bench: Bench, closed: str, command: str, code: int) -> None:
    command = command.replace(" F", f" '{bench.fixtures}'").replace(" R", f" '{bench.root}/new'")
    whole = f"exec '{sys.executable}' -m prompteval {command} {closed}"
    env = {**os.environ, "PROMPTEVAL_LEDGER": str(bench.ledger), "PYTHONPATH": os.getcwd()}
    done = subprocess.run(["sh", "-c", whole], capture_output=True, timeout=20, check=False, env=env)
    assert done.returncode == code, done.stderr
    assert b"Traceback" not in done.stderr and b"Exception" not in done.stderr
