"""Facts as rows by key: what is scored, checked, merged and written. A fact depends on no rule."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

from prompteval.digests import digest


class TextRow(NamedTuple):
    """A session, labels, a contract, a prompt or an answer."""

    digest: str
    text: str | bytes


def text_row(text: str | bytes) -> TextRow:
    """Return the row of a text and its digest."""
    return TextRow(digest(text), text)


class CorpusRow(NamedTuple):
    """A corpus revision."""

    revision: str
    suite: str
    contract: str


class FixtureRow(NamedTuple):
    """A fixture of a corpus revision."""

    corpus: str
    fixture_id: str
    session: str
    labels: str


class RecordingRow(NamedTuple):
    """When a corpus revision became the latest."""

    recorded_at: str
    corpus: str
    version: str | None
    checksum: str


class RunRow(NamedTuple):
    """A run, without its answers."""

    id: str
    version: str
    model: str
    temperature: float | None
    harness: str | None
    repeat: int
    corpus: str
    note: str | None
    recorded_at: str
    checksum: str


class PromptRow(NamedTuple):
    """A prompt file of a run."""

    run_id: str
    position: int
    name: str
    prompt: str


class ResultRow(NamedTuple):
    """An answer of a run."""

    run_id: str
    fixture_id: str
    answer: str


Row = Any  # one of these
Facts = dict[str, dict[tuple[Any, ...], Row]]  # by table, then by key

# The row of each table of facts, and how many of its first columns are its key; parents before children.
TABLES: dict[str, tuple[Any, int]] = {
    **dict.fromkeys(("session", "labels", "contract", "prompt", "answer"), (TextRow, 1)),
    "corpus": (CorpusRow, 1),
    "corpus_fixture": (FixtureRow, 2),
    "corpus_recording": (RecordingRow, 2),
    "run": (RunRow, 1),
    "run_prompt": (PromptRow, 2),
    "result": (ResultRow, 2),
}
TEXTS = ("session", "labels", "contract", "prompt", "answer")
RECORDED = (
    "session",
    "labels",
    "contract",
    "answer",
)  # texts that must be there; a prompt only if it was kept


def empty() -> Facts:
    """Return the facts of an empty ledger."""
    return {table: {} for table in TABLES}


def read(connection: sqlite3.Connection) -> Facts:
    """Return all facts of a ledger."""
    return {table: _keyed(table, connection.execute(f"select * from {table}")) for table in TABLES}


def of_runs(
    connection: sqlite3.Connection, runs: Collection[str], corpora: Collection[str], texts: Collection[str]
) -> Facts:
    """Return some runs and corpora, given by id, with everything they refer to; texts only of the named tables."""

    def take(table: str, column: str, wanted: Collection[str]) -> dict[tuple[Any, ...], Row]:
        query = f"select * from {table} where {column} in (select value from json_each(?))"
        return _keyed(table, connection.execute(query, [json.dumps(sorted(wanted))]))

    return _closed(take, runs, corpora, texts)


def resting(found: Facts, runs: Collection[str], corpora: Collection[str]) -> Facts:
    """Return runs and corpora among facts, given by id, with everything they refer to."""

    def take(table: str, column: str, wanted: Collection[str]) -> dict[tuple[Any, ...], Row]:
        return {key: row for key, row in found[table].items() if getattr(row, column) in wanted}

    return _closed(take, runs, corpora, TEXTS)


def _closed(take: Any, runs: Collection[str], corpora: Collection[str], texts: Collection[str]) -> Facts:
    """Return what `take` gives for runs and corpora, and for everything they refer to."""
    facts = empty()
    for table, column in (("run", "id"), ("run_prompt", "run_id"), ("result", "run_id")):
        facts[table] = take(table, column, set(runs))
    wanted = {*corpora, *(run.corpus for run in facts["run"].values())}
    for table, column in (("corpus", "revision"), ("corpus_fixture", "corpus"), ("corpus_recording", "corpus")):
        facts[table] = take(table, column, wanted)
    for table, digests in texts_of(facts).items():
        if table in texts:
            facts[table] = take(table, "digest", digests)
    return facts


def texts_of(facts: Facts) -> dict[str, set[str]]:
    """Return the digests of the texts that some facts refer to, by table."""
    fixtures = facts["corpus_fixture"].values()
    return {
        "session": {fixture.session for fixture in fixtures},
        "labels": {fixture.labels for fixture in fixtures},
        "contract": {corpus.contract for corpus in facts["corpus"].values()},
        "prompt": {prompt.prompt for prompt in facts["run_prompt"].values()},
        "answer": {result.answer for result in facts["result"].values()},
    }


def insert(connection: sqlite3.Connection, facts: Facts) -> None:
    """Insert facts, in an order that depends on them alone: runs by time and id, else by key."""
    for table, rows in facts.items():
        listed = [row for _, row in sorted(rows.items())]
        if table == "run":
            listed.sort(key=lambda run: run.recorded_at)
        row, _ = TABLES[table]
        connection.executemany(f"insert into {table} values ({', '.join('?' * len(row._fields))})", listed)


def _keyed(table: str, rows: Iterable[tuple[Any, ...]]) -> dict[tuple[Any, ...], Row]:
    kind, length = TABLES[table]
    return {row[:length]: kind._make(row) for row in rows}
