"""`prompteval ledger verify` and `ledger merge`: every planted fault is found, and a union is a union."""

from __future__ import annotations

import itertools
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from prompteval.ledger import facts, schema, times
from tests.helpers import ROOT, Bench, answer, cli, labels, ok, point, proposal, refused, write_corpus
from tests.small import small_bench


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    return small_bench(tmp_path, monkeypatch)


def test_the_committed_ledger_verifies() -> None:
    assert ok("ledger", "verify", "--ledger", ROOT / "ledger" / "prompteval.db").startswith("0 problems")


def test_a_good_ledger_verifies(bench: Bench) -> None:
    assert ok("ledger", "verify", "--ledger", bench.ledger).endswith(
        "6 in session, 5 in labels, 11 in answer, 1 in corpus, 2 in run\n"
    )


# Each changes one fact behind the back of the triggers, which are put back, and names the place where it shows.
FAULTS = {
    "session": ("update session set text = text || 'x' where rowid = 1", "session "),
    "labels": ("update labels set text = replace(text, '\"edge proxy\"', '\"edge\"')", "labels "),
    "notes": ("update labels set text = replace(text, 'A note', 'Another') where rowid = 1", "labels "),
    "contract": ("update contract set text = text || ' '", "contract "),
    "answer": ("update answer set text = replace(text, 'Purge', 'Other')", "answer "),
    "invalid answer": ("update answer set text = 'x' where text like 'Nothing%'", "answer "),
    "corpus": ("delete from corpus_fixture where fixture_id = 'reject-noise-02'", "corpus "),
    "suite": ("update corpus set suite = 'other'", "corpus "),
    "model": ("update run set model = 'Y' where version = '6'", "run "),
    "temperature": ("update run set temperature = 1 where version = '6'", "run "),
    "result": ("delete from result where fixture_id = 'admit-map-01'", "run "),
    "swapped": (
        "update result set answer = (select max(digest) from answer) where fixture_id = 'admit-map-01'",
        "run ",
    ),
    "result of no fixture": ("insert into result select run_id, 'nowhere', answer from result limit 1", "run "),
    "lost labels": ("delete from labels where rowid = 1", "labels "),
    "lost answer": ("delete from answer where rowid = 1", "answer "),
    "time": ("update run set recorded_at = '2026-02-30T10:00:00.000000Z' where version = '6'", "run "),
    "note": ("update run set note = 'other' where version = '5'", "run "),
    "prompt": ("insert into run_prompt select id, 0, 'p.md', 'x' from run where version = '5'", "run "),
    "moment": ("update run set recorded_at = '2025-01-01T10:00:00.000000Z' where version = '5'", "run "),
    "corpus version": ("update corpus_recording set version = '9'", "corpus_recording "),
    "reference": ("update result set answer = 'nothing' where fixture_id = 'admit-map-01'", "run "),
    "trigger": ("drop trigger run_no_update", "run_no_update"),
}
# What is derived: a problem for verify, and no number moves, since reports make it again.
DERIVED = {
    "searched": "update proposal set written = 'everything' where rowid = 1",
    "read": "update proposal set read = 'everything' where rowid = 1",
    "title": "update proposal set title = 'Other' where rowid = 1",
    "lost proposal": "delete from proposal where rowid = 1",
    "validity": "update validity set problems = '[\"x\"]'",
    "term": "update term set folded = 'x' where rowid = 1",
}


def tamper(path: Path, statement: str) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    triggers = connection.execute("select name, sql from sqlite_schema where type = 'trigger'").fetchall()
    if not statement.startswith("drop"):
        for name, _ in triggers:
            connection.execute(f"drop trigger {name}")
    assert connection.execute(statement).rowcount, "nothing was changed"
    if not statement.startswith("drop"):
        for _, sql in triggers:
            connection.execute(sql)
    connection.close()


@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_is_found(bench: Bench, name: str) -> None:
    statement, place = FAULTS[name]
    tamper(bench.ledger, statement)
    result = cli("ledger", "verify", "--ledger", bench.ledger)
    assert result.exit_code == 1
    assert f"{bench.ledger}: {place}" in result.stdout, result.stdout


@pytest.mark.parametrize(
    "name",
    [
        *("labels", "notes", "contract", "answer", "invalid answer", "corpus", "corpus version", "swapped", "result"),
        *("note", "prompt", "moment", "lost labels", "lost answer"),
    ],
)
def test_nothing_is_scored_that_is_not_what_was_recorded(bench: Bench, name: str) -> None:
    """A flipped bit of a text is in order for SQLite. One line, no number, and the bytes as they were."""
    tamper(bench.ledger, FAULTS[name][0])
    before = bench.ledger.read_bytes()
    for command in (
        ("score", "--run", "v5"),
        ("diff", "v5", "v6"),
        ("report",),
        ("show", "admit-map-01", "--run", "v5"),
        ("history",),
        ("runs",),
        ("labels",),
    ):
        said = refused(*command, "--ledger", bench.ledger)
        assert f"{bench.ledger} is damaged: " in said and "'prompteval ledger verify' lists every problem" in said
        assert len(said.splitlines()) == 1
    assert bench.ledger.read_bytes() == before


@pytest.mark.parametrize("name", DERIVED)
def test_what_is_derived_moves_no_number(bench: Bench, tmp_path: Path, name: str) -> None:
    """Reports make it again where it is not what the rules made; verify names it; a merge leaves it behind."""
    commands = (("score", "--run", "v5"), ("diff", "v5", "v6"), ("labels",), ("history",))
    before = [bench.report(*command) for command in commands]
    ok("ledger", "merge", bench.ledger, "--ledger", tmp_path / "good.db")
    tamper(bench.ledger, DERIVED[name])
    assert [bench.report(*command) for command in commands] == before
    assert cli("ledger", "verify", "--ledger", bench.ledger).exit_code == 1
    ok("ledger", "merge", bench.ledger, "--ledger", tmp_path / "merged.db")
    assert (tmp_path / "merged.db").read_bytes() == (tmp_path / "good.db").read_bytes()


@pytest.mark.parametrize("name", FAULTS)
def test_a_faulty_ledger_is_not_merged(bench: Bench, name: str) -> None:
    tamper(bench.ledger, FAULTS[name][0])
    before = bench.ledger.read_bytes()
    assert "does not verify" in refused("ledger", "merge", bench.ledger, "--ledger", bench.root / "new.db")
    assert bench.ledger.read_bytes() == before and not (bench.root / "new.db").exists()


@pytest.fixture
def ledgers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Three ledgers: a common run, a run of its own in each, and a corrected label in the last."""
    moments = iter(datetime(2026, 2, 1, tzinfo=timezone.utc) + timedelta(hours=hour) for hour in range(99))
    monkeypatch.setattr(times, "utc_now", lambda: next(moments))
    made = []
    for number in range(3):
        bench = Bench(tmp_path / str(number), {"a": labels(point(must_match_any=[["z", "b"], ["a"]])), "b": labels()})
        bench.ingest("1", {"a": answer(proposal("common")), "b": answer()}, "--note", f"by {number}")
        if number == 2:
            write_corpus(bench.fixtures, {"a": labels(point(must_match_all=["own"]))})
        bench.ingest(f"{number + 2}", {"a": answer(proposal(f"own {number}")), "b": "nonsense"})
        made.append(bench.ledger)
    return made


def merged(ledgers: list[Path], order: tuple[int, ...], into: Path) -> bytes:
    """Return the bytes of a copy of the first ledger with the others merged into it, one command each."""
    shutil.copy(ledgers[order[0]], into)
    for index in order[1:]:
        ok("ledger", "merge", ledgers[index], "--ledger", into)
    return into.read_bytes()


def test_every_order_of_merging_gives_the_same_bytes(ledgers: list[Path], tmp_path: Path) -> None:
    results = {merged(ledgers, order, tmp_path / "m.db") for order in itertools.permutations(range(3))}
    assert len(results) == 1
    assert ok("ledger", "verify", "--ledger", tmp_path / "m.db").startswith("0 problems")


def test_merging_all_at_once_or_in_groups_gives_the_same_bytes(ledgers: list[Path], tmp_path: Path) -> None:
    one_by_one = merged(ledgers, (0, 1, 2), tmp_path / "a.db")
    ok("ledger", "merge", *ledgers, "--ledger", tmp_path / "b.db")
    merged(ledgers, (1, 2), tmp_path / "c.db")
    ok("ledger", "merge", tmp_path / "c.db", ledgers[0], "--ledger", tmp_path / "d.db")
    assert (tmp_path / "b.db").read_bytes() == (tmp_path / "d.db").read_bytes() == one_by_one


def test_merging_again_changes_nothing(ledgers: list[Path], tmp_path: Path) -> None:
    before = merged(ledgers, (0, 1, 2), tmp_path / "a.db")
    out = ok("ledger", "merge", *ledgers, tmp_path / "a.db", "--ledger", tmp_path / "a.db")
    assert (tmp_path / "a.db").read_bytes() == before
    assert out.endswith("has 4 runs now, 0 of them new\n")


def test_nothing_is_lost_and_no_score_moves(ledgers: list[Path], tmp_path: Path) -> None:
    merged(ledgers, (2, 0, 1), tmp_path / "a.db")
    for number, ledger in enumerate(ledgers):
        for version in ("1", str(number + 2)):
            command = ("score", "--run", version, "--format", "json")
            alone, together = ok(*command, "--ledger", ledger), ok(*command, "--ledger", tmp_path / "a.db")
            parts = [text[text.index('"labels"') :] for text in (alone, together)]
            assert parts[0] == parts[1]
    assert '"note": "by 0"' in ok("score", "--run", "1", "--format", "json", "--ledger", tmp_path / "a.db")


def test_every_table_has_a_rule() -> None:
    """The keys of merging are the primary keys of the tables, and the rows have their columns."""
    with closing(sqlite3.connect(":memory:")) as connection:
        schema.create(connection)
        assert set(facts.TABLES) == set(schema.table_statements()) - set(schema.DERIVED)
        for table, (row, length) in facts.TABLES.items():
            columns = connection.execute(f"select name, pk from pragma_table_info('{table}') order by cid").fetchall()
            assert tuple(name for name, _ in columns) == row._fields
            assert tuple(name for name, place in columns if place) == row._fields[:length]


def test_what_is_no_ledger_is_not_merged(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("hello " * 30)
    before = bench.ledger.read_bytes()
    for other in (tmp_path / "text.db", tmp_path / "none.db"):
        assert "Error: " in refused("ledger", "merge", other, "--ledger", bench.ledger)
    assert bench.ledger.read_bytes() == before


def test_textconv_shows_each_run_and_how_it_came_out(bench: Bench) -> None:
    text = ok("ledger", "textconv", bench.ledger)
    assert text.startswith("corpus 867e7392") and "    admit-map-01 session " in text.partition("run fdd5c24b")[0]
    assert "  v5, model X, temperature 0, harness claude\n" in text and "  note before the bump\n" in text
    assert "    admit-map-01 PASS 1/1 +0\n" in text and "    reject-noise-02 invalid 0/0 +0\n" in text
    assert "    reject-noise-02 missing 0/0 +0\n" in text.partition("run 21543d34")[2]


def test_a_further_run_only_adds_lines(bench: Bench) -> None:
    before = ok("ledger", "textconv", bench.ledger)
    bench.ingest("7", {"admit-map-01": answer()}, "--partial")
    after = ok("ledger", "textconv", bench.ledger)
    assert after.startswith(before) and len(after) > len(before)


def test_git_shows_it(bench: Bench, tmp_path: Path) -> None:
    """Through a real git, with the attributes of this repository and the configuration of the help."""
    if shutil.which("git") is None:
        pytest.skip("no git")
    root = tmp_path / "repository"
    (root / "ledger").mkdir(parents=True)
    shutil.copy(ROOT / ".gitattributes", root)
    shutil.copy(bench.ledger, root / "ledger" / "prompteval.db")

    def git(*arguments: str) -> str:
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "GIT_CONFIG_NOSYSTEM": "1", "HOME": str(tmp_path)}
        who = ["-c", "user.name=a", "-c", "user.email=a@b.invalid"]
        command = ["git", *who, *arguments]
        return subprocess.run(command, cwd=root, env=environment, check=True, capture_output=True, text=True).stdout

    git("init", "-q")
    git("config", "diff.prompteval.textconv", f"{sys.executable} -m prompteval ledger textconv")
    git("add", ".")
    git("commit", "-qm", "First")
    bench.ingest("7", {"admit-map-01": answer()}, "--partial")
    shutil.copy(bench.ledger, root / "ledger" / "prompteval.db")
    changed = [line for line in git("diff").splitlines() if line.startswith(("+", "-"))]
    assert any("v7, model X" in line for line in changed)
    assert not [line for line in changed if line.startswith("-") and not line.startswith("---")]


def test_changes_of_another_program_beside_the_ledger_are_refused(bench: Bench) -> None:
    """SQLite reads a -wal whatever the header says, and a checkpoint of it would cost what was recorded since."""
    before = bench.ledger.read_bytes()
    beside = bench.ledger.with_name(bench.ledger.name + "-wal")
    beside.write_bytes(b"\x37\x7f\x06\x82" + bytes(28))
    results = bench.arguments("7", {"reject-noise-01": answer()}, "--partial")
    for command in (["runs", "--ledger", bench.ledger], ["ledger", "verify", "--ledger", bench.ledger], results):
        assert "has a -wal file of another database beside it" in refused(*command)
    assert bench.ledger.read_bytes() == before and beside.exists()
