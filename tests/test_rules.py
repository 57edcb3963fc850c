"""Rules change and facts do not: comments, views and folding in a copy of the package, on the committed ledger."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from prompteval.ledger import open as open_module
from prompteval.ledger import schema
from tests.helpers import (
    ROOT,
    Bench,
    answer,
    by_id,
    case_answer,
    case_labels,
    labels,
    ok,
    point,
    proposal,
    refused,
    slow_but,
)

COMMITTED = ROOT / "ledger" / "prompteval.db"
READS = (
    ("score", "--run", "v5", "--format", "json"),
    ("score", "--run", "v6", "--labels", "latest"),
    ("diff", "v5", "v6"),
    ("history", "--format", "csv"),
    ("runs", "--format", "json"),
    ("labels",),
    ("show", "admit-gotcha-01", "--run", "v5"),
    ("report",),
)
# Runs commands in one process, which is to start but once.
RUN = """
import json, sys
from click.testing import CliRunner
from prompteval.cli import main
done = [CliRunner().invoke(main, command) for command in json.load(sys.stdin)]
json.dump([[one.exit_code, one.stdout, one.stderr, repr(one.exception)] for one in done], sys.stdout)
"""


class Package:
    """A copy of the package, whose files can be edited, run in processes of its own."""

    def __init__(self, root: Path, *edits: tuple[str, str, str]) -> None:
        self.root = root
        shutil.copytree(ROOT / "prompteval", root / "prompteval", ignore=shutil.ignore_patterns("__pycache__"))
        for name, old, new in edits:
            path = root / "prompteval" / name
            text = path.read_text("utf-8")
            assert text.count(old) == 1, (name, old)
            path.write_text(text.replace(old, new), "utf-8")

    def run(self, ledger: Path, *commands: Sequence[object]) -> list[str]:
        """Run commands on a ledger, which must succeed; return what each prints."""
        listed = [[*map(str, command), "--ledger", str(ledger)] for command in commands]
        environment = {**os.environ, "PYTHONPATH": str(self.root)}
        done = subprocess.run(
            [sys.executable, "-c", RUN],
            cwd=self.root,
            env=environment,
            input=json.dumps(listed),
            capture_output=True,
            text=True,
            check=False,
            encoding="utf-8",
        )
        assert done.returncode == 0, done.stderr
        results = json.loads(done.stdout)
        for command, (code, _, said, error) in zip(commands, results, strict=True):
            assert code == 0, (command, said, error)
        return [out for _, out, _, _ in results]

    def verified(self, ledger: Path) -> str:
        """Return what an integrity check says, which must find no problem."""
        (said,) = self.run(ledger, ["ledger", "verify"])
        assert said.startswith("0 problems")
        return said

    def rebuilt(self, ledger: Path, into: Path) -> Path:
        """Return a new ledger with the facts of another, in which these rules made all that is derived."""
        self.run(into, ["ledger", "merge", ledger])
        return into


class Change(NamedTuple):
    """An edit of the package: is what stands in the file stale after it, and do numbers move."""

    edits: tuple[tuple[str, str, str], ...]
    stale: bool
    moves: bool


CHANGES = {
    "comments of tables and columns": Change(
        (
            ("ledger/schema.sql", "-- one row per session\n", "-- one row for each session\n"),
            ("ledger/schema.sql", "-- sampling temperature; null: not recorded", "-- null: nobody wrote it down"),
        ),
        stale=False,
        moves=False,
    ),
    "the comment of a view": Change(
        (("ledger/views.sql", "-- one row per run and category\n", "-- one row for each run and category\n"),),
        stale=False,
        moves=False,
    ),
    "a further column of a view": Change(
        (("ledger/views.sql", "create view expectation as\nselect\n", "create view expectation as\nselect\n  1,\n"),),
        stale=True,
        moves=False,
    ),
    "a view that fails fixtures at their budget": Change(
        (("ledger/views.sql", "phantoms > max_unexpected_proposals", "phantoms >= max_unexpected_proposals"),),
        stale=True,
        moves=True,
    ),
    "a fold that reads 60 characters": Change(
        tuple(
            ("text/fold.py", f'" ", {text})', f'" ", {text})[:60]') for text in ("text.lower()", "_known_folded(text)")
        ),
        stale=True,
        moves=True,
    ),
}


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Package:
    return Package(tmp_path_factory.mktemp("installed"))


@pytest.fixture(scope="module")
def reports(installed: Package) -> list[str]:
    return installed.run(COMMITTED, *READS)


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    return Path(shutil.copy(COMMITTED, tmp_path / "ledger.db"))


def rows(ledger: Path, *tables: str) -> dict[str, list[Any]]:
    """Return the rows of tables or views, as another program reads them."""
    with closing(sqlite3.connect(ledger)) as connection:
        return {table: sorted(connection.execute(f"select * from {table}"), key=repr) for table in tables}


@pytest.mark.parametrize("name", slow_but([], CHANGES))
def test_other_rules_read_and_refresh_the_committed_ledger(
    tmp_path: Path, ledger: Path, installed: Package, reports: list[str], name: str
) -> None:
    change, before = CHANGES[name], ledger.read_bytes()
    other = Package(tmp_path / "other", *change.edits)
    rebuilt = other.rebuilt(ledger, tmp_path / "rebuilt.db")

    shown = other.run(ledger, *READS)
    assert shown == other.run(rebuilt, *READS)
    assert (shown != reports) == change.moves
    assert ("by other rules" in other.verified(ledger)) == change.stale
    assert ledger.read_bytes() == before, "reading changed it"

    (said,) = other.run(ledger, ["ingest", "--fixtures", ROOT / "fixtures"])
    assert "unchanged" in said
    assert (ledger.read_bytes() != before) == change.stale
    assert "by other rules" not in other.verified(ledger)
    assert other.run(ledger, *READS) == shown
    for table, found in rows(rebuilt, *schema.DERIVED, "run_score", "fixture_reason").items():
        assert rows(ledger, table)[table] == found, table

    against = ["ledger", "verify", "--against", COMMITTED]
    assert installed.run(ledger, against)[0].startswith("0 problems"), "a fact is gone or changed"
    assert installed.run(ledger, *READS) == reports
    assert ("by other rules" in installed.verified(ledger)) == change.stale


def test_an_ingest_mixes_no_rules(tmp_path: Path, installed: Package) -> None:
    """The runs of two programs, in turns: each leaves the file as if it had made all of it."""
    bench = Bench(tmp_path / "bench", {"a": labels(point()), "b": labels()})
    other = Package(tmp_path / "other", *CHANGES["a fold that reads 60 characters"].edits)
    for number, package in enumerate((installed, other, installed, other)):
        given = {"a": answer(proposal(f"Title {number}", "word " * 40 + "Alpha")), "b": answer()}
        package.run(bench.ledger, bench.arguments(str(number), given))
        rebuilt = package.rebuilt(bench.ledger, tmp_path / f"{number}.db")
        assert rows(bench.ledger, *schema.DERIVED) == rows(rebuilt, *schema.DERIVED)
        assert len(rows(bench.ledger, "derived_by")["derived_by"]) == 1
        with closing(sqlite3.connect(bench.ledger)) as connection:
            matched = connection.execute("select points_matched from run_score").fetchall()
        assert matched == [(int(package is installed),)] * (number + 1)


# Digests, with hashlib and json alone. What is derived is not asked for.


def sha(value: object) -> str:
    """Return what the ledger knows a text by, or a value as canonical JSON."""
    if not isinstance(value, (str, bytes)):
        value = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(value if isinstance(value, bytes) else value.encode()).hexdigest()[:32]


@pytest.fixture(scope="module")
def varied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger with a repeat, a temperature, a prompt file, other labels, a missing answer and two invalid ones."""
    root = tmp_path_factory.mktemp("varied")
    bench = Bench(root, {"a": labels(point()), "b": labels()})
    (root / "prompt.md").write_text("Read it.\n")
    given = {"a": answer(proposal("Älpha")), "b": "nonsense"}
    for more in ([], ["--repeat"], ["--temperature", "0.7", "--harness", "h", "--prompt", root / "prompt.md"]):
        bench.ingest("1", given, *more)
    bench.ingest("2", {"a": '{"practice": 1}'}, "--partial", "--temperature", "1")
    return bench.ledger


@pytest.mark.parametrize("which", ["committed", "varied"])
def test_each_digest_is_of_facts_alone(varied: Path, which: str) -> None:
    with closing(sqlite3.connect(f"file:{COMMITTED if which == 'committed' else varied}?mode=ro", uri=True)) as ledger:
        ask = ledger.execute
        for table in ("session", "labels", "contract", "prompt", "answer"):
            for name, text in ask(f"select digest, text from {table}").fetchall():
                assert name == sha(text)
        for revision, suite, contract in ask("select revision, suite, contract from corpus").fetchall():
            query = "select fixture_id, session, labels from corpus_fixture where corpus = ?"
            assert revision == sha(["corpus", suite, contract, sorted(map(list, ask(query, [revision])))])
        found = ask(
            "select id, version, model, temperature, harness, repeat, corpus, suite from run"
            " join corpus on revision = corpus"
        ).fetchall()
        for run, *tags, repeat, corpus, suite in found:
            query = (
                "select result.fixture_id, session, answer from result join corpus_fixture as mine"
                " on mine.fixture_id = result.fixture_id and mine.corpus = ? where run_id = ?"
            )
            evidence = sorted(map(list, ask(query, [corpus, run])))
            assert evidence and run == sha(["run", suite, tags, evidence, repeat])
        assert len(found) == (13 if which == "committed" else 4)


# A file that another program uses. It is a process of its own, since locks belong to processes.

USES = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
for statement in sys.argv[2:]:
    connection.execute(statement)
print("ready", flush=True)
sys.stdin.readline()
connection.execute("commit")
"""
EXCLUSIVE = ("begin exclusive",)
RESERVED = ("begin immediate", "insert into prompt values ('x', 'y')")  # with a journal beside the file
# More than SQLite keeps in memory: pages of the file are written, and it grows, before anything is committed.
SPILLED = (
    "pragma cache_size = 2",
    "begin immediate",
    "insert into prompt with recursive n (i) as (select 1 union all select i + 1 from n where i < 100)"
    " select 'd' || i, hex(randomblob(1000)) from n",
)
IN_USE = "is in use by another program; try again"
READING = (("score",), ("runs",), ("diff", "1", "2"), ("ledger", "verify"))


class User:
    """Another program, which stopped in the middle of what it does with a ledger."""

    def __init__(self, ledger: Path, *statements: str) -> None:
        command = [sys.executable, "-c", USES, str(ledger), *statements]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.process.stdout and self.process.stdout.readline() == b"ready\n"

    def end(self) -> None:
        """Let it commit and end."""
        self.process.communicate(b"\n", timeout=20)
        assert self.process.returncode == 0

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    monkeypatch.setattr(open_module, "BUSY_SECONDS", 0.2)
    bench = Bench(tmp_path, {"a": labels(point())})
    for version in ("1", "2"):
        bench.ingest(version, {"a": answer(proposal(f"Alpha {version}"))})
    return bench


@pytest.fixture
def use(bench: Bench) -> Iterator[Callable[..., User]]:
    """Start users of the ledger, none of which outlives the test."""
    users: list[User] = []

    def start(*statements: str) -> User:
        users.append(User(bench.ledger, *statements))
        return users[-1]

    yield start
    for user in users:
        user.kill()


def beside(ledger: Path) -> dict[str, bytes]:
    """Return the ledger and what SQLite keeps beside it."""
    return {path.name: path.read_bytes() for path in ledger.parent.glob(f"{ledger.name}*")}


def said_of(bench: Bench, *commands: Sequence[object]) -> set[str]:
    """Return what is said of the ledger by commands that are refused and leave all as it was."""
    before = beside(bench.ledger)
    messages = {refused(*command, "--ledger", bench.ledger) for command in commands}
    assert beside(bench.ledger) == before
    start = f"Error: {bench.ledger} "
    assert all(message.startswith(start) and message.count("\n") == 1 for message in messages), messages
    return {message.removeprefix(start).strip() for message in messages}


@pytest.mark.parametrize("statements", [EXCLUSIVE, (*RESERVED, "commit", *EXCLUSIVE)], ids=["exclusive", "and changed"])
def test_a_file_that_another_program_holds_is_in_use(
    bench: Bench, use: Callable[..., User], statements: tuple[str, ...]
) -> None:
    user = use(*statements)
    writing = bench.arguments("3", {"a": answer()})
    assert said_of(bench, *READING, writing) == {IN_USE}
    assert IN_USE in refused("ledger", "merge", bench.ledger, "--ledger", bench.root / "new.db")
    user.end()
    ok(*writing)
    assert bench.report("runs").startswith("3 runs")


def test_a_file_that_another_program_writes_to_is_read_and_not_written(bench: Bench, use: Callable[..., User]) -> None:
    """Until it commits, what it changed is in its memory, and a journal is beside the file."""
    reports = [bench.report(*command) for command in READING]
    user = use(*RESERVED)
    assert "ledger.db-journal" in beside(bench.ledger)
    assert [bench.report(*command) for command in READING] == reports
    assert said_of(bench, bench.arguments("3", {"a": answer()})) == {IN_USE}
    user.end()
    bench.ingest("3", {"a": answer()})
    assert rows(bench.ledger, "prompt")["prompt"] == [("x", "y")], "what the other program wrote is lost"
    assert bench.report("runs").startswith("3 runs")


def test_a_program_that_ends_in_time_is_waited_for(
    bench: Bench, use: Callable[..., User], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_module, "BUSY_SECONDS", 20)
    for number, command in enumerate([*READING, bench.arguments("3", {"a": answer()})]):
        user = use("begin exclusive")
        timer = threading.Timer(0.3, user.end)
        timer.start()
        ok(*command, "--ledger", bench.ledger)
        timer.join()
        assert user.process.returncode == 0, number


def test_a_file_that_another_program_has_half_written_is_not_called_damaged(
    bench: Bench, use: Callable[..., User]
) -> None:
    before = bench.ledger.read_bytes()
    user = use(*SPILLED)
    assert bench.ledger.read_bytes() != before and "ledger.db-journal" in beside(bench.ledger)
    assert said_of(bench, *READING, bench.arguments("3", {"a": answer()})) == {IN_USE}
    user.end()
    bench.ingest("3", {"a": answer()})
    assert bench.report("runs").startswith("3 runs")


def test_what_a_killed_program_left_is_named_and_left_alone(bench: Bench, use: Callable[..., User]) -> None:
    """Its journal is all that leads back, and the program that the message names finds it."""
    before, report = bench.ledger.read_bytes(), bench.report("runs")
    use(*SPILLED).kill()
    assert bench.ledger.read_bytes() != before and "ledger.db-journal" in beside(bench.ledger)
    (said,) = said_of(bench, *READING, bench.arguments("3", {"a": answer()}))
    assert said.startswith("has an unfinished change beside it (-journal)")
    with closing(sqlite3.connect(bench.ledger)) as connection:
        connection.execute("select count(*) from run").fetchone()
    assert bench.ledger.read_bytes() == before and bench.report("runs") == report
    bench.ingest("3", {"a": answer()})


def test_a_program_killed_before_it_wrote_leaves_nothing_to_undo(bench: Bench, use: Callable[..., User]) -> None:
    reports = [bench.report(*command) for command in READING]
    use(*RESERVED).kill()
    assert "ledger.db-journal" in beside(bench.ledger)
    assert [bench.report(*command) for command in READING] == reports
    bench.ingest("3", {"a": answer()})
    assert bench.report("ledger", "verify").startswith("0 problems") and not rows(bench.ledger, "prompt")["prompt"]


# One rule of near misses


@pytest.mark.parametrize("file", ["scoring", "labels"])
def test_score_show_and_labels_agree_on_near_misses(tmp_path: Path, file: str) -> None:
    """Each case with its first answer: who names a proposal near a missed point, and who does not.

    In its table of proposals, `show` says it of phantoms alone; its head says of a missed point what `score` says.
    """
    cases = yaml.safe_load((ROOT / "tests" / "cases" / f"{file}.yaml").read_text("utf-8"))
    names = {f"case-{index:02}": case for index, case in enumerate(cases)}
    bench = Bench(tmp_path, {name: case_labels(case) for name, case in names.items()})
    given = {
        name: case_answer(case["answer"] if file == "scoring" else case["answers"][0]) for name, case in names.items()
    }
    bench.ingest("1", given, "--partial")
    never = bench.report("labels").partition("Never matched\n")[2].partition("\n\n")[0]
    in_labels = {(row[0], row[1]): row[3] == "1" for row in map(str.split, never.splitlines()) if row[2:3] == ["0/1"]}
    in_score: dict[tuple[str, str], bool] = {}
    for name, fixture in by_id(bench.score()).items():
        shown = bench.report("show", name)
        for reason in (reason for reason in fixture["reasons"] if reason["code"] == "missed"):
            place, text = (name, reason["point"]), reason["text"]
            assert f"\n{text}\n" in shown
            assert in_labels[place] or f'near miss of "{reason["point"]}"' not in shown
            if "leaked" not in text:  # of a point that leaked, no nearest proposal is named
                in_score[place] = "nearest proposal" in text or "right words" in text
    assert in_score == {place: near for place, near in in_labels.items() if place in in_score}
    assert set(in_score.values()) == {True, False}
