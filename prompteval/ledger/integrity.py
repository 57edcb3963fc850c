"""Check that a ledger is what was recorded: texts against their digests, other rows against their checksums."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from prompteval.digests import canonical, corpus_revision, digest, run_id
from prompteval.errors import LedgerError, Problem
from prompteval.ledger import derived, facts, schema
from prompteval.ledger.facts import Facts, PromptRow, RecordingRow, RunRow
from prompteval.ledger.open import reading, reason

Found = Iterator[tuple[str, str]]  # a place in the ledger, and what is wrong there


def checksum_of_recording(recording: RecordingRow) -> str:
    """Return the checksum of a row of corpus_recording."""
    return digest(canonical(["corpus_recording", *recording[:-1]]))


def checksum_of_run(run: RunRow, prompts: Iterable[PromptRow]) -> str:
    """Return the checksum of a run, over what its id does not cover."""
    return digest(canonical(["run", run.id, run.corpus, run.note, run.recorded_at, [p[1:] for p in sorted(prompts)]]))


def broken(found: Facts) -> Found:
    """Yield each fact that differs from what was recorded."""
    for table in facts.TEXTS:
        for row in found[table].values():
            if not _agrees(row.digest, digest, row.text):
                yield f"{table} {str(row.digest)[:8]}", "its text does not match its digest"
    yield from _corpora(found)
    yield from _runs(found)


def check(found: Facts, wanted: Mapping[str, Collection[str]], ledger: object) -> None:
    """Raise LedgerError, which names `ledger`, if something about to be shown is not what was recorded.

    `wanted` has the keys of the rows it uses, by table.
    """
    for place, text in (*broken(found), *missing(found, wanted)):
        raise LedgerError(f"{ledger} is damaged: {place}: {text}; 'prompteval ledger verify' lists every problem")


def check_lists(connection: sqlite3.Connection, ledger: object) -> None:
    """Raise LedgerError if an index and its table do not list the same runs, corpora or recordings.

    No digest covers their number, so a lost page could remove some of them without a trace.
    """
    for table, key in (("run", "id"), ("corpus", "revision"), ("corpus_recording", "recorded_at, corpus")):
        by_index, by_table = (  # whole rows, since an entry of an index can lead to another row
            connection.execute(f"select * from {table} {how} order by {key}").fetchall()
            for how in (f"indexed by sqlite_autoindex_{table}_1", "not indexed")
        )
        if by_index != by_table:
            raise LedgerError(f"{ledger} is damaged: {table}: its index and its rows differ")


def _agrees(said: object, make: Callable[..., object], *values: Any) -> bool:
    """Return whether `make(*values)` is what the row says. In a damaged row, values may have any type."""
    try:
        return make(*values) == said
    except (TypeError, ValueError, KeyError, AttributeError):
        return False


def _corpora(found: Facts) -> Found:
    fixtures = defaultdict(list)
    for fixture in found["corpus_fixture"].values():
        fixtures[fixture.corpus].append(fixture[1:])
    for corpus in found["corpus"].values():
        if not _agrees(corpus.revision, corpus_revision, corpus.suite, corpus.contract, fixtures[corpus.revision]):
            yield f"corpus {str(corpus.revision)[:8]}", "its suite, contract and fixtures do not match its digest"
    recorded = set()
    for recording in found["corpus_recording"].values():
        recorded.add(recording.corpus)
        if not _agrees(recording.checksum, checksum_of_recording, recording):
            yield f"corpus_recording {recording.recorded_at}", "it is not as it was recorded"
    for (revision,) in found["corpus"]:
        if revision not in recorded:
            yield f"corpus {str(revision)[:8]}", "no recording says when its labels were the latest"


def _runs(found: Facts) -> Found:
    sessions = {key: fixture.session for key, fixture in found["corpus_fixture"].items()}
    evidence, prompts = defaultdict(list), defaultdict(list)
    for result in found["result"].values():
        evidence[result.run_id].append(result)
    for prompt in found["run_prompt"].values():
        prompts[prompt.run_id].append(prompt)

    def identity(run: RunRow) -> str:
        answers = ((r.fixture_id, sessions[run.corpus, r.fixture_id], r.answer) for r in evidence[run.id])
        suite = found["corpus"][run.corpus,].suite
        return run_id(suite, (run.version, run.model, run.temperature, run.harness), answers, run.repeat)

    for run in found["run"].values():
        if not _agrees(run.id, identity, run):
            yield f"run {str(run.id)[:8]}", "its suite, tags, sessions and answers do not match its id"
        elif not _agrees(run.checksum, checksum_of_run, run, prompts[run.id]):
            yield f"run {run.id[:8]}", "its corpus, note, time or prompt files are not as they were recorded"


def missing(found: Facts, wanted: Mapping[str, Collection[str]]) -> Found:
    """Yield each wanted row, given by key and table, that is missing."""
    for table, keys in wanted.items():
        for name in sorted(str(key) for key in keys if (key,) not in found[table]):
            yield f"{table} {name[:8]}", "is missing, or not found through an index"


def recorded_texts(found: Facts) -> dict[str, set[str]]:
    """Return, by table, the digests of the texts that facts of a ledger refer to and that must be there."""
    return {table: digests for table, digests in facts.texts_of(found).items() if table in facts.RECORDED}


def _times(found: Facts) -> Found:
    from prompteval.ledger.times import time_of

    for table in ("corpus_recording", "run"):
        for key, row in found[table].items():
            try:
                time_of(row.recorded_at)
            except (ValueError, TypeError):
                yield f"{table} {str(key[0])[:8]}", f"{row.recorded_at} is not a time"


def verify(path: Path, earlier: Mapping[str, Path]) -> tuple[list[Problem], str, bool]:
    """Return what is wrong with a ledger, how much was checked, and whether what is derived is stale.

    `earlier` has earlier states of the ledger by name; what they have and it lacks is wrong. What is stale is not: the
    next write makes it again. Raises LedgerError if a file is not a ledger.
    """
    with reading(path) as connection:
        problems = [Problem(str(path), *each) for each in _problems(connection)]
        for name, file in earlier.items():
            with reading(file, name) as before:
                gone = lost(facts.read(before), facts.read(connection))
                problems += [Problem(str(path), place, f"{text} in {name}") for place, text in gone]
        tables = ("session", "labels", "answer", "corpus", "run")
        counted = (connection.execute(f"select count(*) from {table}").fetchone()[0] for table in tables)
        summary = ", ".join(f"{number} in {table}" for number, table in zip(counted, tables, strict=True))
        return problems, summary, not derived.is_current(connection)


def _problems(connection: sqlite3.Connection) -> Found:
    yield from schema.trigger_problems(connection)
    try:
        yield from _file(connection)
        found = facts.read(connection)
        problems = list(problems_of(found))
        if not problems and derived.is_current(connection):
            problems += derived.problems(connection, found)
        yield from problems
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # of a page that no query can read
        yield "file", f"cannot be read: {reason(error)}"


def problems_of(found: Facts) -> Found:
    """Yield what is wrong with all facts of a ledger."""
    yield from broken(found)
    yield from missing(found, recorded_texts(found))
    yield from _times(found)


def _file(connection: sqlite3.Connection) -> Found:
    for (text,) in connection.execute("pragma integrity_check"):
        for line in str(text).splitlines():
            if line != "ok" and not line.startswith("***"):  # which is a heading
                yield "file", line
    for table, row, parent, _ in connection.execute("pragma foreign_key_check"):
        if table not in schema.DERIVED:
            yield f"{table}, row {row}", f"refers to a missing row of {parent}"


def whole(path: Path, name: str | None = None) -> Facts:
    """Return all facts of a ledger. Raises LedgerError, which calls it `name`, if it does not verify."""
    name = name or str(path)
    with reading(path, name) as connection:
        found = facts.read(connection)
        for place, text in (*schema.trigger_problems(connection), *_file(connection), *problems_of(found)):
            raise LedgerError(f"{name} does not verify ({place}: {text})")
        return found


def lost(before: Facts, after: Facts) -> Found:
    """Yield each fact of an earlier state of a ledger that is missing or different in a later one.

    A run that now has the time of an earlier recording of the same evidence has lost nothing.
    """
    for table, rows in before.items():
        for key, row in rows.items():
            now = after[table].get(key)
            if now != row and not _recorded_before(table, key, before, after):
                place = f"{table} {', '.join(str(part)[:24] for part in key)}"
                yield place, "is missing but exists" if now is None else "differs from what it is"


def _recorded_before(table: str, key: tuple[Any, ...], before: Facts, after: Facts) -> bool:
    run = key[:1] if table in ("run", "run_prompt") else ()
    return run in after["run"] and after["run"][run].recorded_at < before["run"][run].recorded_at
