"""The parts of a ledger file: its ids, tables, triggers and views, made from the `.sql` files."""

from __future__ import annotations

import re
import sqlite3
from functools import lru_cache
from pathlib import Path

APPLICATION_ID = 0x70657631  # "pev1" in ASCII
USER_VERSION = 1
OLDEST_SQLITE = (3, 37, 0)  # STRICT tables
DERIVED = ("derived_by", "validity", "proposal", "term")
COMMENT = re.compile(r"--[^\n]*")


@lru_cache(maxsize=1)
def table_statements() -> dict[str, str]:
    """Return the `create table` statements by table, each with the comment above it inside."""
    return _statements("schema.sql")


@lru_cache(maxsize=1)
def view_statements() -> dict[str, str]:
    """Return the `create view` statements by view, each with the comment above it inside."""
    return _statements("views.sql")


def _statements(file: str) -> dict[str, str]:
    text = (Path(__file__).parent / file).read_text(encoding="utf-8")
    statements = map(_inside, text.strip().split(";\n\n"))
    return {statement.split(" ", 3)[2]: statement for statement in statements}


def _inside(statement: str) -> str:
    """Move the comment above a statement behind its first line, since SQLite stores a statement from `create` on."""
    comment, create = statement.removesuffix(";").split("\n", 1)
    first, rest = create.split("\n", 1)
    return f"{first}\n  {comment}\n{rest}"


def trigger_statements() -> list[str]:
    """Return the triggers that keep each table of facts append-only."""
    tables = [name for name in sorted(table_statements()) if name not in DERIVED]
    return [
        f"create trigger {table}_no_{event} before {event} on {table} "
        f"begin select raise(abort, 'the ledger only grows: no {event} on {table}'); end"
        for table in tables
        for event in ("update", "delete")
    ]


def create(connection: sqlite3.Connection) -> None:
    """Make an empty ledger, without views, in an empty database. The caller holds the transaction."""
    for statement in (*table_statements().values(), *trigger_statements()):
        connection.execute(statement)
    connection.execute(f"pragma application_id = {APPLICATION_ID}")
    connection.execute(f"pragma user_version = {USER_VERSION}")


def bare(sql: str) -> str:
    """Return SQL as it is compared: in lower case, without comments and white space."""
    return "".join(COMMENT.sub("", sql).split()).casefold()


def tables_are_right(connection: sqlite3.Connection) -> bool:
    """Return whether a file has the tables of a ledger, apart from comments."""
    return _objects(connection, "table") == {name: bare(sql) for name, sql in table_statements().items()}


def trigger_problems(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    """Return missing, different and unknown triggers of a file, as (name, what is wrong)."""
    wanted = {statement.split(" ", 3)[2]: bare(statement) for statement in trigger_statements()}
    have = _objects(connection, "trigger")
    problems = [(name, "the trigger is missing") for name in wanted.keys() - have.keys()]
    problems += [(name, "a trigger that no ledger has") for name in have.keys() - wanted.keys()]
    both = wanted.keys() & have.keys()
    problems += [(name, "the trigger is not that of a ledger") for name in both if have[name] != wanted[name]]
    return sorted(problems)


def views_of(connection: sqlite3.Connection) -> dict[str, str]:
    """Return the SQL of the views in a file, by name."""
    rows = connection.execute("select name, sql from sqlite_schema where type = 'view'")
    return {str(name): bare(str(sql)) for name, sql in rows}


def views() -> dict[str, str]:
    """Return what `views_of` gives for a file with the installed views."""
    return {name: bare(statement) for name, statement in view_statements().items()}


def _objects(connection: sqlite3.Connection, kind: str) -> dict[str, str]:
    """Return the SQL of the tables or triggers in a file, by name; indexes that SQLite makes have none."""
    rows = connection.execute("select name, sql from sqlite_schema where type = ? and sql is not null", [kind])
    return {str(name): bare(str(sql)) for name, sql in rows}
