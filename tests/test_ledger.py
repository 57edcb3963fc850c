"""The ledger file: what it holds, what it refuses, and that nothing damages it."""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from prompteval.ledger import schema, times, write
from tests.helpers import Bench, answer, labels, ok, point, proposal, refused


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    bench = Bench(tmp_path, {"a": labels(point(must_match_any=[["alpha", "beta"], ["gamma"]])), "b": labels()})
    bench.ingest("1", {"a": answer(proposal("Alpha", "**be**ta\n\ntext"), proposal("Other")), "b": answer()})
    (tmp_path / "prompt.md").write_text("Read the transcript.\n")
    second = {"a": answer(proposal("Gàmma"), proposal("g\u200bamma", type="map")), "b": "nonsense"}
    bench.ingest("2", second, "--prompt", tmp_path / "prompt.md")
    return bench


@pytest.fixture
def opened(bench: Bench) -> Iterator[sqlite3.Connection]:
    """The ledger of the bench, as another program opens it."""
    with closing(sqlite3.connect(bench.ledger)) as connection:
        yield connection


def test_no_fact_can_be_changed_or_removed(opened: sqlite3.Connection) -> None:
    """Each table of facts has rows here, so each trigger has something to stop."""
    opened.execute("insert into prompt values ('d', 'text')")
    for table in set(schema.table_statements()) - set(schema.DERIVED):
        assert opened.execute(f"select count(*) from {table}").fetchone() > (0,), table
        column = opened.execute(f"select name from pragma_table_info('{table}')").fetchone()[0]
        for statement in (f"delete from {table}", f"update {table} set {column} = {column}"):
            with pytest.raises(sqlite3.IntegrityError, match="the ledger only grows"):
                opened.execute(statement)


def test_every_table_has_its_grain_and_every_column_a_comment(opened: sqlite3.Connection) -> None:
    rows = opened.execute("select name, sql from sqlite_schema where type = 'table'").fetchall()
    assert {name for name, _ in rows} == set(schema.table_statements())
    for name, sql in rows:
        assert re.match(rf"CREATE TABLE {name} \(\n  -- one row per ", sql), name
        for column in (line for line in sql.splitlines() if re.match(r"  [a-z_0-9]+ (text|integer|real|any)\b", line)):
            assert re.search(r"  -- \S", column), column
        assert re.search(r"\) strict(, without rowid)?$", sql.rstrip())


def test_every_view_has_its_grain(opened: sqlite3.Connection) -> None:
    rows = opened.execute("select name, sql from sqlite_schema where type = 'view'").fetchall()
    assert {name for name, _ in rows} == set(schema.view_statements())
    for name, sql in rows:
        assert f"CREATE VIEW {name} as\n  -- one row per " in sql
        assert not re.search(r"round\(|printf", sql), name


def test_the_views_in_the_file_say_what_score_says(bench: Bench, opened: sqlite3.Connection) -> None:
    """People who open the ledger with another program see the same numbers."""
    for version in ("1", "2"):
        report = bench.score(version)
        identity, totals = report["run"]["id"], report["totals"]
        invalid = "select count(*) from fixture_outcome where run_id = ? and state = 'invalid'"
        assert opened.execute(invalid, [identity]).fetchone() == (totals.pop("fixtures_invalid"),)
        row = opened.execute("select * from run_score where run_id = ?", [identity])
        columns = [column[0] for column in row.description]
        found = dict(zip(columns, row.fetchone(), strict=True))
        assert {name: found[name] for name in totals} == totals
        rows = opened.execute(
            "select fixture_id, passed, points_matched, points_total, phantoms, gate from fixture_outcome"
            " where run_id = ? order by fixture_id",
            [identity],
        )
        names = ("fixture_id", "passed", "points_matched", "points_total", "phantoms", "gate")
        assert rows.fetchall() == [tuple(fixture[name] for name in names) for fixture in report["fixtures"]]
    assert opened.execute("select recall, gate_accuracy from run_score where points_total = 0").fetchall() == []


def test_the_marks_of_the_file(opened: sqlite3.Connection) -> None:
    assert opened.execute("pragma application_id").fetchone() == (schema.APPLICATION_ID,)
    assert opened.execute("pragma user_version").fetchone() == (schema.USER_VERSION,)
    assert opened.execute("pragma journal_mode").fetchone() == ("delete",)
    assert opened.execute("pragma integrity_check").fetchone() == ("ok",)
    assert opened.execute("pragma foreign_key_check").fetchall() == []


def test_nothing_lies_beside_it(bench: Bench) -> None:
    beside = {path.name for path in bench.ledger.parent.iterdir() if path.name.lstrip(".").startswith("ledger.db")}
    assert beside <= {"ledger.db", ".ledger.db.lock"}


def _other_application(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("create table run (id text)")
    connection.close()


def _with(statement: str) -> Any:
    def change(path: Path) -> None:
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute(statement)
        connection.close()

    return change


def _bytes(change: Any) -> Any:
    return lambda path: path.write_bytes(change(path.read_bytes()))


def _wal(path: Path) -> None:
    """As a program leaves it that was killed with the ledger open in WAL mode."""
    connection = sqlite3.connect(path)
    connection.execute("pragma journal_mode = wal")
    connection.execute("pragma wal_autocheckpoint = 0")
    connection.execute("insert into prompt values ('x', 'y')")
    connection.commit()
    held, log = path.read_bytes(), path.with_name(path.name + "-wal").read_bytes()
    connection.close()
    path.write_bytes(held)
    path.with_name(path.name + "-wal").write_bytes(log)


NO_LEDGERS = {
    "text": (lambda path: path.write_text("hello " * 100), "is not a ledger (no SQLite file)"),
    "empty": (lambda path: path.write_bytes(b""), "is empty"),
    "conflict": (_bytes(lambda data: b"<<<<<<< ours\n" + data), "holds conflict marks"),
    "LFS": (_bytes(lambda _: b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n"), "Git LFS pointer"),
    "short": (_bytes(lambda data: data[:50]), "is cut short"),
    "truncated": (_bytes(lambda data: data[: len(data) // 2]), "is cut short"),
    "tail": (_bytes(lambda data: data + b"x" * 4096), "has extra bytes"),
    "other application": (_other_application, "another application"),
    "newer": (_with("pragma user_version = 99"), "written by a newer prompteval (version 99"),
    "WAL": (_wal, "WAL mode"),
    "planted table": (_with("create table extra (id text)"), "has other tables"),
    "altered column": (_with("alter table run add column score integer"), "has other tables"),
}


@pytest.mark.parametrize("name", NO_LEDGERS)
@pytest.mark.parametrize("command", ["score", "runs", "diff", "ingest"])
def test_what_is_no_ledger_is_refused_and_left_alone(bench: Bench, name: str, command: str) -> None:
    change, said = NO_LEDGERS[name]
    if name == "other application":
        bench.ledger.unlink()
    change(bench.ledger)
    before = {path.name: path.read_bytes() for path in bench.ledger.parent.glob("ledger.db*")}
    arguments = {
        "diff": ["diff", "1", "2", "--ledger", bench.ledger],
        "ingest": ["ingest", "--fixtures", bench.fixtures, "--ledger", bench.ledger],
    }.get(command, [command, "--ledger", bench.ledger])
    message = refused(*arguments)
    assert message.startswith("Error: ") and len(message.splitlines()) == 1
    assert said in message
    assert {path.name: path.read_bytes() for path in bench.ledger.parent.glob("ledger.db*")} == before


def test_a_missing_trigger_stops_writing_and_not_reading(bench: Bench) -> None:
    reports = bench.report("score"), bench.report("runs")
    _with("drop trigger run_no_delete")(bench.ledger)
    assert (bench.report("score"), bench.report("runs")) == reports
    assert "run_no_delete: the trigger is missing" in bench.refuse("3", {"a": answer(), "b": answer()})


@pytest.mark.parametrize("statement", ["drop view scored", "create view v as select 1"])
def test_views_are_made_again_by_the_next_write(bench: Bench, statement: str) -> None:
    """Reports use the views of the installed rules, so no view of the file is a reason to refuse anything."""
    reports = bench.report("score"), bench.report("runs")
    _with(statement)(bench.ledger)
    assert (bench.report("score"), bench.report("runs")) == reports
    assert "were made by other rules" in ok("ledger", "verify", "--ledger", bench.ledger)
    bench.ingest("3", {"a": answer(), "b": answer()})
    assert "other rules" not in ok("ledger", "verify", "--ledger", bench.ledger)


def test_a_journal_beside_it_is_refused(bench: Bench) -> None:
    bench.ledger.with_name("ledger.db-journal").write_bytes(b"x")
    assert "unfinished change" in refused("score", "--ledger", bench.ledger)


def test_a_folder_is_no_ledger(tmp_path: Path) -> None:
    assert "is not a file" in refused("score", "--ledger", tmp_path)


@pytest.mark.parametrize("command", [["score"], ["runs"], ["diff", "1", "2"]], ids=lambda command: command[0])
def test_reading_leaves_bytes_and_time_as_they_were(bench: Bench, command: list[str]) -> None:
    bench.ledger.chmod(0o444)
    bench.ledger.parent.chmod(0o555)
    before, names = (bench.ledger.read_bytes(), bench.ledger.stat().st_mtime_ns), set(os.listdir(bench.ledger.parent))
    try:
        bench.report(*command)
    finally:
        bench.ledger.parent.chmod(0o755)
    assert (bench.ledger.read_bytes(), bench.ledger.stat().st_mtime_ns) == before
    assert set(os.listdir(bench.ledger.parent)) == names


def test_nothing_new_leaves_the_bytes_alone(bench: Bench) -> None:
    before = bench.ledger.read_bytes(), bench.ledger.stat().st_mtime_ns
    assert "unchanged" in ok("ingest", "--fixtures", bench.fixtures, "--ledger", bench.ledger)
    assert (bench.ledger.read_bytes(), bench.ledger.stat().st_mtime_ns) == before


def test_latest_is_the_last_one_ingested_though_the_clock_steps_back(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(times, "utc_now", lambda: datetime(2001, 1, 1, tzinfo=timezone.utc))
    third = bench.ingest("3", {"a": answer(), "b": answer()})
    fourth = bench.ingest("4", {"a": answer(), "b": answer()})
    assert bench.score("latest")["run"]["id"].startswith(fourth)
    recorded = [bench.score(identity)["run"]["recorded_at"] for identity in ("2", third, fourth)]
    assert recorded == sorted(set(recorded))
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", time) for time in recorded)


def test_the_size_of_a_run(bench: Bench) -> None:
    """Two samples with the same answers share them: a run then costs its tags and one short row a fixture."""
    given = {"a": answer(proposal("Alpha", "long " * 18_000)), "b": answer()}
    bench.ingest("3", given)
    size = bench.ledger.stat().st_size
    bench.ingest("3", given, "--repeat")
    assert bench.ledger.stat().st_size - size <= 3 * write.PAGE_SIZE


def test_a_link_to_a_ledger_stays_a_link(bench: Bench, tmp_path: Path) -> None:
    link = tmp_path / "link.db"
    link.symlink_to(bench.ledger)
    real, bench.ledger = bench.ledger, link
    bench.ingest("3", {"a": answer(), "b": answer()})
    assert link.is_symlink() and "v3" in ok("runs", "--ledger", real)


@pytest.mark.parametrize("name", ["no\nsuch.db", "circle.db", "."])
@pytest.mark.parametrize("command", ["score", "ledger verify", "ledger textconv"])
def test_whatever_a_path_leads_to_is_one_line(tmp_path: Path, command: str, name: str) -> None:
    (tmp_path / "circle.db").symlink_to(tmp_path / "circle.db")
    option = [] if command.endswith("textconv") else ["--ledger"]
    said = refused(*command.split(), *option, tmp_path / name)
    assert said.startswith("Error: ") and len(said.splitlines()) == 1


def test_a_link_that_leads_back_to_itself_is_not_written_over(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "circle.db").symlink_to(tmp_path / "circle.db")
    for arguments in (["ledger", "merge", bench.ledger], ["ingest", "--fixtures", bench.fixtures]):
        assert "leads back to itself" in refused(*arguments, "--ledger", tmp_path / "circle.db")
    assert (tmp_path / "circle.db").is_symlink()
