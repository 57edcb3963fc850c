"""The union of ledgers. The same facts give the same bytes, whichever ledger they came from first."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from prompteval.errors import LedgerError
from prompteval.ledger.open import reading
from prompteval.ledger.verify import verify
from prompteval.ledger.write import rebuilding

Key = tuple[Any, ...]
Row = tuple[Any, ...]

# Parents before children. A run that two people recorded is one run: the earlier recording stands.
_KEYS = {
    "session": ("digest",),
    "labels": ("digest",),
    "point": ("labels", "point_id"),
    "term": ("labels", "point_id", "role", "alternative", "term"),
    "corpus": ("revision",),
    "corpus_fixture": ("corpus", "fixture_id"),
    "corpus_recording": ("recorded_at", "corpus"),
    "answer": ("digest",),
    "answer_problem": ("answer", "position"),
    "proposal": ("answer", "list", "position"),
    "run": ("id",),
    "result": ("run_id", "fixture_id"),
}


class Merged(NamedTuple):
    """How many runs the ledger has now, and how many of them are new to it."""

    runs: int
    new: int


def merge(ledger: Path, others: Iterable[Path]) -> Merged:
    """Make `ledger` the union of itself, if it is there, and the others.

    Raises LedgerError, and then nothing was written, for a file that is no ledger or does not verify, and for two
    ledgers that say different things of the same key.
    """
    with rebuilding(ledger) as connection:  # under the lock, so that no run recorded meanwhile is lost
        paths = [*([ledger] if ledger.exists() else []), *others]
        contents = [_read(path) for path in paths]
        before = len(contents[0]["run"]) if ledger.exists() else 0
        union: dict[str, dict[Key, Row]] = {table: {} for table in _KEYS}
        for path, content in zip(paths, contents, strict=True):
            for table, rows in content.items():
                _add(union[table], rows, table, path)
        for table in _KEYS:
            _insert(connection, table, _ordered(table, union[table]))
    return Merged(len(union["run"]), len(union["run"]) - before)


def _read(path: Path) -> dict[str, dict[Key, Row]]:
    problems, _ = verify(path)
    if problems:
        raise LedgerError(f"{path} does not verify ({problems[0].field}: {problems[0].text}); nothing was merged")
    with reading(path) as connection:
        return {table: _rows(connection, table) for table in _KEYS}


def _rows(connection: sqlite3.Connection, table: str) -> dict[Key, Row]:
    """Return the rows of a table by key, in the order in which they were recorded: the terms of a point have one."""
    columns = _columns(connection, table)
    places = [columns.index(name) for name in _KEYS[table]]
    rows = connection.execute(f"select {', '.join(columns)} from {table} order by rowid")
    return {tuple(row[place] for place in places): tuple(row) for row in rows}


def _columns(connection: sqlite3.Connection, table: str) -> list[str]:
    return [name for (name,) in connection.execute(f"select name from pragma_table_info('{table}') order by cid")]


def _add(union: dict[Key, Row], rows: Mapping[Key, Row], table: str, path: Path) -> None:
    for key, row in rows.items():
        known = union.setdefault(key, row)
        if known == row:
            continue
        if table not in ("run", "corpus_recording"):
            raise LedgerError(f"{path} has another {table} {key[0][:8]} than the ledgers before it; nothing was merged")
        union[key] = min(known, row, key=_earliest)


def _earliest(row: Row) -> tuple[str, ...]:
    """Order recordings of one run: by time, which is the last column of `run`, and then by all they say."""
    return (str(row[-1]), *map(repr, row))


def _ordered(table: str, rows: dict[Key, Row]) -> list[Row]:
    if table == "run":
        return sorted(rows.values(), key=lambda row: (row[-1], row[0]))
    if table == "term":
        return [row for _, row in sorted(rows.items(), key=lambda item: item[0][0])]  # stable: labels keep their order
    return [row for _, row in sorted(rows.items())]


def _insert(connection: sqlite3.Connection, table: str, rows: list[Row]) -> None:
    columns = _columns(connection, table)
    places = ", ".join("?" for _ in columns)
    connection.executemany(f"insert into {table} ({', '.join(columns)}) values ({places})", rows)
