"""Recompute everything a ledger claims about itself: digests, run ids, searched texts, tables, references."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

from prompteval.errors import Problem
from prompteval.ledger import claims, content, schema, searched
from prompteval.ledger.claims import Found, agrees
from prompteval.ledger.open import reading, reason
from prompteval.ledger.rows import time_of

Check = Callable[[sqlite3.Connection], Found]


def verify(path: Path) -> tuple[list[Problem], str]:
    """Return what is wrong with the ledger in `path`, and one line that counts what was checked. Raises LedgerError."""
    with reading(path) as connection:
        problems = [Problem(str(path), *found) for found in _all_of(connection, (_schema, *_FACTS, *_TEXTS))]
        tables = ("session", "labels", "answer", "corpus", "run")
        counted = (connection.execute(f"select count(*) from {table}").fetchone()[0] for table in tables)
        return problems, ", ".join(f"{number} in {table}" for number, table in zip(counted, tables, strict=True))


def verify_facts(connection: sqlite3.Connection) -> Found:
    """Yield what is wrong with an open ledger, but for searched texts, which another version may have made."""
    return _all_of(connection, (_schema, *_FACTS))


def lost(path: Path, before: Path, name: str) -> list[Problem]:
    """Return each fact of the ledger `before`, called `name`, that the one in `path` lacks or has otherwise.

    Raises LedgerError.
    """
    found = content.vanished(_facts(before, name), _facts(path, str(path)))
    return [Problem(str(path), place, f"{text} in {name}") for place, text in found]


def _facts(path: Path, name: str) -> content.Content:
    with reading(path, name) as connection:
        return content.read(connection)


def _all_of(connection: sqlite3.Connection, checks: tuple[Check, ...]) -> Found:
    for check in checks:
        try:
            yield from check(connection)
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # of a page that no query can read
            yield "file", f"cannot be read: {reason(error)}"


def _schema(connection: sqlite3.Connection) -> Found:
    """Tables are compared when a ledger is opened; triggers and views here."""
    (version,) = connection.execute("pragma user_version").fetchone()
    have, want = schema.objects(connection), schema.expected_objects(version)
    for kind, name in sorted(have.keys() | want.keys(), key=str):  # of a damaged schema a name may be no text
        if (kind, name) not in have:
            yield name, f"the {kind} is missing"
        elif (kind, name) not in want:
            yield name, f"a {kind} that no ledger has"
        elif have[kind, name] != want[kind, name]:
            yield name, f"the {kind} is not that of this version"


def _integrity(connection: sqlite3.Connection) -> Found:
    for (text,) in connection.execute("pragma integrity_check"):
        for line in str(text).splitlines():
            if line != "ok" and not line.startswith("***"):  # which is a heading
                yield "file", line
    for table, row, parent, _ in connection.execute("pragma foreign_key_check"):
        yield f"{table}, row {row}", f"points to nothing in {parent}"
    orphans = connection.execute(
        "select run_id, fixture_id from result join run on run.id = run_id where not exists (select 1 from"
        " corpus_fixture where corpus_fixture.corpus = run.corpus and corpus_fixture.fixture_id = result.fixture_id)"
        " order by run_id, fixture_id"
    )
    for run, fixture in orphans:
        yield f"result of run {str(run)[:8]}", f"{fixture} is no fixture of its corpus"
    unrecorded = connection.execute(
        "select revision from corpus where revision not in (select corpus from corpus_recording) order by revision"
    )
    for (revision,) in unrecorded:
        yield f"corpus {str(revision)[:8]}", "no recording says when its labels were the latest"


def _times(connection: sqlite3.Connection) -> Found:
    for table, key in (("corpus_recording", "corpus"), ("run", "id")):
        for name, time in connection.execute(f"select {key}, recorded_at from {table} order by recorded_at, {key}"):
            if not _is_time(time):
                yield f"{table} {str(name)[:8]}", f"{time} is no time"


def _is_time(text: str) -> bool:
    try:
        time_of(text)
    except (ValueError, TypeError):
        return False
    return True


def _terms(connection: sqlite3.Connection) -> Found:
    for labels, term, *texts in connection.execute("select labels, term, folded, spelled from term order by rowid"):
        if not agrees(texts, lambda term: [*searched.of_term(term)[:-1]], term):
            yield f"term of labels {str(labels)[:8]}", f'"{term}" is not folded as this version folds it'


def _proposals(connection: sqlite3.Connection) -> Found:
    for answer, title, body, *texts in connection.execute(
        "select answer, title, body, written, read, spelled from proposal order by answer, list, position"
    ):
        if not agrees(texts, lambda title, body: [*searched.of_proposal(title, body)[:-1]], title, body):
            yield f"proposal of answer {str(answer)[:8]}", "its searched texts are not those that this version makes"


_FACTS: tuple[Check, ...] = (_integrity, _times, claims.broken)
_TEXTS: tuple[Check, ...] = (_terms, _proposals)
