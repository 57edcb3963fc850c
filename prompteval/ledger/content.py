"""All facts of a ledger as rows by key: what is merged, compared and carried to another schema.

Searched texts are left out: they are made anew on writing, since another version may fold or read otherwise.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable
from contextlib import closing
from functools import cache
from typing import Any

from prompteval.digest import seal
from prompteval.errors import LedgerError
from prompteval.ledger import schema, searched

Key = tuple[Any, ...]
Values = tuple[Any, ...]
Content = dict[str, dict[Key, Values]]

# Parents before children; the first column of a part's key is the key of what it is a part of.
KEYS = {
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
# What is made of facts on writing.
DERIVED = {
    "term": searched.TermTexts._fields,
    "proposal": searched.ProposalTexts._fields,
    **dict.fromkeys(schema.SEALED, ("seal",)),
}


@cache
def columns() -> dict[str, tuple[str, ...]]:
    """Return the columns of each table that hold facts, in their order."""
    listed: dict[str, tuple[str, ...]] = {}
    with closing(sqlite3.connect(":memory:")) as connection:
        schema.create(connection)
        for table in KEYS:
            names = connection.execute("select name from pragma_table_info(?) order by cid", [table])
            listed[table] = tuple(name for (name,) in names if name not in DERIVED.get(table, ()))
    return listed


def empty() -> Content:
    """Return the content of a ledger in which nothing was recorded."""
    return {table: {} for table in KEYS}


def read(connection: sqlite3.Connection) -> Content:
    """Return every fact of a ledger; the rows of a table in the order in which they were recorded."""
    content = empty()
    for table, names in columns().items():
        places = [names.index(name) for name in KEYS[table]]
        rows = connection.execute(f"select {', '.join(names)} from {table} order by rowid")
        content[table] = {tuple(row[place] for place in places): tuple(row) for row in rows}
    return content


def write(connection: sqlite3.Connection, content: Content) -> None:
    """Insert every fact into an empty ledger, in an order that depends on the facts alone."""
    for table, names in columns().items():
        derived = DERIVED.get(table, ())
        places = ", ".join("?" for _ in (*names, *derived))
        rows = ((*row, *_derived(table, row)) for row in ordered(content, table))
        connection.executemany(f"insert into {table} ({', '.join((*names, *derived))}) values ({places})", rows)


def _derived(table: str, row: Values) -> tuple[str | None, ...]:
    if table == "term":
        return searched.of_term(*_picked(table, row, "term"))
    if table == "proposal":
        return searched.of_proposal(*_picked(table, row, "title", "body"))
    return (seal_of(table, row),) if table in schema.SEALED else ()


def seal_of(table: str, row: Values) -> str:
    """Return the seal of a row of one of the tables `schema.SEALED`."""
    return seal(*_picked(table, row, *schema.SEALED[table]))


def _picked(table: str, row: Values, *names: str) -> Values:
    """Return the values of some columns of a row."""
    return tuple(row[columns()[table].index(name)] for name in names)


def ordered(content: Content, table: str) -> list[Values]:
    """Return the rows of a table: runs by time and id, the terms of one point as its label lists them, else by key."""
    rows = content[table]
    if table == "run":
        return sorted(rows.values(), key=lambda row: _picked("run", row, "recorded_at", "id"))
    if table == "term":
        return [row for _, row in sorted(rows.items(), key=lambda item: item[0][0])]  # stable
    return [row for _, row in sorted(rows.items())]


def add(union: Content, content: Content, name: str) -> None:
    """Add the facts of one ledger to a union. A run that was recorded twice counts once: the earlier recording stands.

    Raises LedgerError where `name`, the ledger that is added, says something else of a key than the union does.
    """
    _add_problems(union, content)
    for table, rows in content.items():
        for key, row in rows.items() if table != "answer_problem" else ():
            known = union[table].setdefault(key, row)
            if known == row:
                continue
            if table != "run" or not _recorded_anew(known, row):
                raise LedgerError(f"{name} has another {table} {key[0][:8]} than the ledgers before it")
            union[table][key] = min(known, row, key=lambda run: _picked("run", run, "recorded_at"))


def _add_problems(union: Content, content: Content) -> None:
    """Add the problems of invalid answers; where both know an answer, the list that sorts first stands.

    They explain, and are no evidence: another version may word them otherwise.
    """
    known, listed = _by_answer(union), _by_answer(content)
    for answer, rows in listed.items():
        chosen = min(known.get(answer, rows), rows, key=lambda rows: sorted(rows.values()))
        for key in known.get(answer, ()):
            del union["answer_problem"][key]
        union["answer_problem"] |= chosen


def _by_answer(content: Content) -> dict[str, dict[Key, Values]]:
    grouped: dict[str, dict[Key, Values]] = defaultdict(dict)
    for key, row in content["answer_problem"].items():
        grouped[key[0]][key] = row
    return grouped


def _evidence(run: Values) -> Values:
    """Return what the id of a run covers of its row."""
    return _picked("run", run, "version", "model", "temperature", "harness", "repeat")


def _recorded_anew(one: Values, other: Values) -> bool:
    """Return whether two rows of one run are recordings of the same evidence at different times."""
    times = {_picked("run", run, "recorded_at") for run in (one, other)}
    return _evidence(one) == _evidence(other) and len(times) == 2


def beyond(content: Content, base: Content) -> Content:
    """Return the runs and the recordings of corpora that `base` lacks or has otherwise, with all that they refer to.

    Of a corpus that comes with a run, every recording comes too: they say when its labels were the latest.
    """
    part = empty()
    for table in ("run", "corpus_recording"):
        part[table] = {key: row for key, row in content[table].items() if base[table].get(key) != row}
    corpora = {*_values(part, "run", "corpus"), *_values(part, "corpus_recording", "corpus")}
    part["corpus_recording"] = {key: row for key, row in content["corpus_recording"].items() if key[1] in corpora}
    _take(part, content, ("corpus", "corpus_fixture"), corpora)
    _take(part, content, ("session",), _values(part, "corpus_fixture", "session"))
    _take(part, content, ("labels", "point", "term"), _values(part, "corpus_fixture", "labels"))
    _take(part, content, ("result",), _values(part, "run", "id"))
    _take(part, content, ("answer", "answer_problem", "proposal"), _values(part, "result", "answer"))
    return part


def _values(content: Content, table: str, column: str) -> set[Any]:
    place = columns()[table].index(column)
    return {row[place] for row in content[table].values()}


def _take(part: Content, content: Content, tables: Iterable[str], wanted: Collection[str]) -> None:
    for table in tables:
        part[table] = {key: row for key, row in content[table].items() if key[0] in wanted}


def vanished(before: Content, after: Content) -> list[tuple[str, str]]:
    """Return each fact of `before` that `after` lacks or has otherwise, as (table and key, what is wrong).

    A run that is now known by an earlier recording of the same evidence has lost nothing, nor has an invalid answer
    whose problems are now in the words of another version.
    """
    found = []
    for table, rows in before.items():
        for key, row in rows.items() if table != "answer_problem" else ():
            now = after[table].get(key)
            if now == row or (table == "run" and now is not None and _recorded_before(now, row)):
                continue
            place = f"{table} {', '.join(str(part)[:24] for part in key)}"
            found.append((place, "is missing, and it is" if now is None else "is not what it is"))
    return found


def _recorded_before(now: Values, before: Values) -> bool:
    """Return whether a run is known by an earlier recording of the same evidence than it was."""
    earlier = _picked("run", now, "recorded_at") < _picked("run", before, "recorded_at")
    return earlier and _recorded_anew(now, before)
