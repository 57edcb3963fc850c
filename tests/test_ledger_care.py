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
from prompteval.digest import seal

from prompteval.ledger import schema, times
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
    "labels": ("update labels set max_unexpected_proposals = 9 where rowid = 1", "labels "),
    "notes": ("update labels set notes = 'other' where rowid = 1", "labels "),
    "point": ("update point set type = 'map' where rowid = 1", "labels "),
    "term": ("update term set term = 'edge', folded = 'edge' where term = 'edge proxy'", "labels "),
    "folded": ("update term set folded = 'x' where rowid = 1", "labels "),
    "title": ("update proposal set title = 'Other' where rowid = 1", "answer "),
    "confidence": ("update proposal set kk_confidence = 'low' where rowid = 1", "answer "),
    "tags": ("update proposal set tags = '[\"x\"]' where rowid = 1", "answer "),
    "searched": ("update proposal set written = 'everything' where rowid = 1", "answer "),
    "read": ("update proposal set read = 'everything' where rowid = 1", "answer "),
    "seal": ("update term set seal = '' where rowid = 1", "labels "),
    "raw": ("update answer set raw = 'x' where state = 'invalid'", "answer "),
    "corpus": ("delete from corpus_fixture where fixture_id = 'reject-noise-02'", "corpus "),
    "model": ("update run set model = 'Y' where version = '6'", "run "),
    "temperature": ("update run set temperature = 1 where version = '6'", "run "),
    "result": ("delete from result where fixture_id = 'admit-map-01'", "run "),
    "swapped": (
        "update result set answer = (select max(digest) from answer) where fixture_id = 'admit-map-01'",
        "run ",
    ),
    "result of no fixture": (
        "insert into result select run_id, 'nowhere', answer from result limit 1",
        "result of run ",
    ),
    "lost labels": ("delete from labels where rowid = 1", "point, row "),
    "lost answer": ("delete from answer where rowid = 1", "result, row "),
    "time": ("update run set recorded_at = '2026-02-30T10:00:00.000000Z' where version = '6'", "run "),
    "spelled time": ("update run set recorded_at = '2026-01- 1T10:00:00.000000Z' where version = '6'", "run "),
    "note": ("update run set note = 'other' where version = '5'", "run "),
    "prompt": ("update run set prompt_version = '4' where version = '5'", "run "),
    "moment": ("update run set recorded_at = '2025-01-01T10:00:00.000000Z' where version = '5'", "run "),
    "corpus version": ("update corpus_recording set version = '9'", "corpus_recording "),
    "problem": ("update answer_problem set problem = 'none' where rowid = 1", "answer "),
    "position": ("update proposal set position = 7 where position = 1", "answer "),
    "place of a point": ("update point set position = 7 where position = 1", "labels "),
    "alternative": ("update term set alternative = 7 where alternative = 1", "labels "),
    "spelled tags": ("update proposal set tags = '[ ' || substr(tags, 2) where rowid = 1", "answer "),
    "reference": ("update result set answer = 'nothing' where fixture_id = 'admit-map-01'", "result, row "),
    "trigger": ("drop trigger run_no_update", "run_no_update"),
    "view": ("drop view leaked", "leaked"),
    "planted view": ("create view score as select 1", "score"),
}


def tamper(path: Path, statement: str) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.create_function("sealed", -1, seal)
    triggers = connection.execute("select name, sql from sqlite_schema where type = 'trigger'").fetchall()
    if not statement.startswith(("drop", "create")):
        for name, _ in triggers:
            connection.execute(f"drop trigger {name}")
    connection.execute(statement)
    if not statement.startswith(("drop", "create")):
        for _, sql in triggers:
            connection.execute(sql)
    connection.close()


# Texts as another version may make them: under their seal, and yet not those that this version makes.
MADE_OTHERWISE = {
    "folded": ("update term set folded = 'x', seal = sealed(term, 'x', spelled) where rowid = 1", "term of labels "),
    "searched": (
        "update proposal set written = 'x', seal = sealed(title, body, 'x', read, spelled) where rowid = 1",
        "proposal of answer ",
    ),
}


@pytest.mark.parametrize(("statement", "place"), [*FAULTS.values(), *MADE_OTHERWISE.values()])
def test_each_fault_is_found(bench: Bench, statement: str, place: str) -> None:
    tamper(bench.ledger, statement)
    result = cli("ledger", "verify", "--ledger", bench.ledger)
    assert result.exit_code == 1
    assert f"{bench.ledger}: {place}" in result.stdout, result.stdout


@pytest.mark.parametrize(
    "name",
    [
        *("labels", "notes", "point", "term", "folded", "seal", "title", "confidence", "tags", "searched", "read"),
        *("raw", "problem", "corpus", "corpus version", "swapped", "result", "note", "moment"),
        *("lost labels", "lost answer"),
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
        assert f"{bench.ledger} is damaged: " in said and "'prompteval ledger verify' lists all of it" in said
        assert len(said.splitlines()) == 1
    assert bench.ledger.read_bytes() == before


@pytest.mark.parametrize("name", MADE_OTHERWISE)
def test_merging_makes_searched_texts_anew(bench: Bench, tmp_path: Path, name: str) -> None:
    ok("ledger", "merge", bench.ledger, "--ledger", tmp_path / "good.db")
    tamper(bench.ledger, MADE_OTHERWISE[name][0])
    ok("ledger", "merge", bench.ledger, "--ledger", tmp_path / "mended.db")
    assert (tmp_path / "mended.db").read_bytes() == (tmp_path / "good.db").read_bytes()
    assert ok("ledger", "verify", "--ledger", tmp_path / "mended.db").startswith("0 problems")


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
    """The keys of merging are the primary keys of the tables."""
    with closing(sqlite3.connect(":memory:")) as connection:
        schema.create(connection)
        for table in schema.table_names(connection):
            keys = connection.execute(f"select name from pragma_table_info('{table}') where pk order by pk").fetchall()
            assert tuple(name for (name,) in keys) == content.KEYS[table]
        assert set(content.KEYS) == set(schema.table_names(connection))


def test_what_is_no_ledger_is_not_merged(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("hello " * 30)
    before = bench.ledger.read_bytes()
    for other in (tmp_path / "text.db", tmp_path / "none.db"):
        assert "Error: " in refused("ledger", "merge", other, "--ledger", bench.ledger)
    assert bench.ledger.read_bytes() == before


def test_textconv_shows_each_run_and_how_it_came_out(bench: Bench) -> None:
    text = ok("ledger", "textconv", bench.ledger)
    assert text.startswith("corpus 0cf6c37a") and "    admit-map-01 session " in text.partition("run fdd5c24b")[0]
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
        assert "has changes of another program beside it (-wal)" in refused(*command)
    assert bench.ledger.read_bytes() == before and beside.exists()
