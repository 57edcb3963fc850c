"""What a ledger file is: its marks, its tables, its triggers and its views, made from the `.sql` files."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

APPLICATION_ID = 0x70657631  # "pev1" in ASCII
USER_VERSION = 2
SEALED_SINCE = 2  # the version that brought the column seal
# What the seal of a row is of: columns that no other digest is of. For terms and proposals see `searched`.
SEALED = {
    "corpus_recording": ("recorded_at", "corpus", "version"),
    "answer_problem": ("answer", "position", "problem"),
    "run": ("id", "note", "prompt_sha256", "prompt_version", "corpus", "recorded_at"),
}
_SQL = Path(__file__).parent

# The scoring ladder: each view reads the ones before it. `scored`, the first rung, says what is scored.
LADDER = (
    "proposal_text",
    "term_occurrence",
    "term_list",
    "proposal_point",
    "leaked",
    "point_outcome",
    "proposal_outcome",
    "near_miss",
    "fixture_outcome",
    "category_score",
    "run_score",
)


_SINCE = re.compile(r".*\(since version (\d+)\)\n")


def table_statements(version: int | None = None) -> list[str]:
    """Return the `create table` statements of a version (None: this one), each with the comment above it inside.

    In schema.sql a column that came later says since which version there is one.
    """
    version = version or USER_VERSION
    text = (_SQL / "schema.sql").read_text(encoding="utf-8")
    text = _SINCE.sub(lambda line: line[0] if int(line[1]) <= version else "", text)
    return [_inside(part) for part in re.split(r"(?<=strict;)\n+", text.strip())]


def view_statements() -> list[str]:
    """Return the `create view` statements of sql/views, by view name."""
    return [view_statement(path.stem) for path in sorted((_SQL / "views").glob("*.sql"))]


def view_statement(name: str) -> str:
    """Return the `create view` statement of one view, with its comment inside."""
    return _inside((_SQL / "views" / f"{name}.sql").read_text(encoding="utf-8").strip())


def _inside(statement: str) -> str:
    """Move the comment above a statement behind its first line, since SQLite stores a statement from `create` on."""
    comment, create = statement.removesuffix(";").split("\n", 1)
    first, rest = create.split("\n", 1)
    return f"{first}\n  {comment}\n{rest}"


def trigger_statements(tables: list[str]) -> list[str]:
    """Return the triggers that keep each table append-only."""
    return [
        f"create trigger {table}_no_{event} before {event} on {table} "
        f"begin select raise(abort, 'the ledger only grows: no {event} on {table}'); end"
        for table in tables
        for event in ("update", "delete")
    ]


def create(connection: sqlite3.Connection, version: int | None = None) -> None:
    """Make an empty ledger of a version (None: this one) in an empty database. The caller holds the transaction."""
    for statement in table_statements(version):
        connection.execute(statement)
    for statement in trigger_statements(table_names(connection)):
        connection.execute(statement)
    for statement in view_statements():
        connection.execute(statement)
    connection.execute(f"pragma application_id = {APPLICATION_ID}")
    connection.execute(f"pragma user_version = {version or USER_VERSION}")


def table_names(connection: sqlite3.Connection) -> list[str]:
    """Return the names of all tables, sorted."""
    rows = connection.execute("select name from sqlite_schema where type = 'table' order by name")
    return [name for (name,) in rows]


def climb(connection: sqlite3.Connection, upto: str) -> None:
    """Evaluate the ladder over the table temp.scored, each view once, into temporary tables of the same names.

    An old ledger is so scored by the rules of the installed version, and only the chosen runs are computed.
    """
    for name in LADDER[: LADDER.index(upto) + 1]:
        definition = view_statement(name)
        kind = "view" if name == "proposal_text" else "table"  # the texts are read once, and not worth a copy
        connection.execute(definition.replace("create view", f"create temp {kind}", 1))


def objects(connection: sqlite3.Connection) -> dict[tuple[str, str], str]:
    """Return the SQL of each table, trigger and view by (type, name)."""
    rows = connection.execute("select type, name, sql from sqlite_schema where sql is not null")
    return {(kind, name): sql for kind, name, sql in rows}


def expected_objects(version: int | None = None) -> dict[tuple[str, str], str]:
    """Return what `objects` gives for a new ledger of a version (None: this one)."""
    connection = sqlite3.connect(":memory:")
    try:
        create(connection, version)
        return objects(connection)
    finally:
        connection.close()
