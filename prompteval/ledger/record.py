"""What an ingest appends: a corpus revision, and the run that answered it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import NamedTuple

from prompteval.errors import LedgerError, PromptevalError
from prompteval.ledger.rows import Row, proposal_row, sealed, term_row, time_of, time_text
from prompteval.ledger.write import appending
from prompteval.model import Answer, Corpus, Fixture, RunTags, run_id


class Recorded(NamedTuple):
    """What an ingest did: the id of the new run (None: no results were given), its sample number, and the corpus.

    `new_corpus` says whether the corpus revision was not the latest before.

    `older_than` is the corpus revision that was the latest, where the ledger knew this one before it.

    `same_answers` are the ids of runs under other tags with exactly the same answers, `other_prompts` those of the same
    version that were recorded with another prompt file.
    """

    run_id: str | None
    new_corpus: bool
    older_than: str | None
    sample: int
    same_answers: tuple[str, ...]
    other_prompts: tuple[str, ...]


def record_corpus(ledger: Path, corpus: Corpus) -> Recorded:
    """Append the corpus revision where it is not the latest. Raises LedgerError."""
    with appending(ledger) as connection:
        return Recorded(None, *_append_corpus(connection, corpus, _now(connection)), 0, (), ())


def record_run(ledger: Path, corpus: Corpus, answers: Mapping[str, Answer], tags: RunTags, repeat: bool) -> Recorded:
    """Append a run, and its corpus where it is not the latest.

    Raises PromptevalError when the same evidence is in the ledger and `repeat` is not asked for; LedgerError.
    """
    sessions = {fixture.id: fixture.session.digest for fixture in corpus.fixtures}
    evidence = [(name, sessions[name], answer.digest) for name, answer in answers.items()]
    with appending(ledger) as connection:
        repeats = _repeats(connection, tags, evidence)
        if repeats and not repeat:
            raise PromptevalError(_already(connection, repeats[-1]))
        now = _now(connection)
        new_corpus, older_than = _append_corpus(connection, corpus, now)
        same, prompts = _same_answers(connection, answers), _other_prompts(connection, tags)
        identity = run_id(tags, evidence, len(repeats))
        _append_answers(connection, answers.values())
        _insert(connection, "run", [_run_row(identity, tags, len(repeats), corpus.revision, now)])
        rows = [{"run_id": identity, "fixture_id": name, "answer": answers[name].digest} for name in sorted(answers)]
        _insert(connection, "result", rows)
        (sample,) = connection.execute("select sample from run_sample where run_id = ?", [identity]).fetchone()
    same_answers = tuple(other for other in same if other not in repeats)
    return Recorded(identity, new_corpus, older_than, sample, same_answers, prompts)


def _insert(connection: sqlite3.Connection, table: str, rows: Iterable[Row]) -> None:
    """Append rows. Plain inserts: a row that breaks a constraint stops the ingest instead of vanishing."""
    from sqlite_utils import Database

    Database(connection, recursive_triggers=False, execute_plugins=False).table(table).insert_all(rows)


def _now(connection: sqlite3.Connection) -> str:
    """Return the time in UTC, or just after the newest recording where the clock stands behind it.

    Raises LedgerError where there is no time after that.
    """
    (newest,) = connection.execute(
        "select max(recorded_at) from (select recorded_at from run union all select recorded_at from corpus_recording)"
    ).fetchone()
    now = utc_now()
    if newest is not None:
        try:
            now = max(now, time_of(newest) + timedelta(microseconds=1))
        except (ValueError, OverflowError) as error:
            raise LedgerError(f"the ledger has a recording of {newest}, after which nothing can be recorded") from error
    return time_text(now)


def utc_now() -> datetime:
    """Return the time now. Tests replace it."""
    return datetime.now(timezone.utc)


def _known(connection: sqlite3.Connection, table: str, column: str) -> set[str]:
    return {value for (value,) in connection.execute(f"select {column} from {table}")}


def _repeats(connection: sqlite3.Connection, tags: RunTags, evidence: list[tuple[str, str, str]]) -> list[str]:
    """Return the ids of the runs with the same evidence, oldest first: their ids differ by the repeat number alone."""
    found: list[str] = []
    while connection.execute(
        "select 1 from run where id = ?", [(identity := run_id(tags, evidence, len(found)))]
    ).fetchone():
        found.append(identity)
    return found


def _already(connection: sqlite3.Connection, identity: str) -> str:
    (recorded_at,) = connection.execute("select recorded_at from run where id = ?", [identity]).fetchone()
    return (
        f"these answers are already recorded as run {identity[:8]} of {recorded_at[:10]}; "
        "--repeat records them as a further sample"
    )


def _same_answers(connection: sqlite3.Connection, answers: Mapping[str, Answer]) -> list[str]:
    """Return the runs under other tags that gave exactly these answers, at least one of them with a proposal.

    It is legal, and often a slip of the hand: the folder of one version ingested under the name of another.
    """
    if not any(answer.proposals or not answer.valid for answer in answers.values()):
        return []
    wanted = sorted((name, answer.digest) for name, answer in answers.items())
    name, digest = max(wanted, key=lambda pair: bool(answers[pair[0]].proposals))
    candidates = connection.execute(
        "select run_id from result where fixture_id = ? and answer = ? order by run_id", [name, digest]
    ).fetchall()
    found = "select fixture_id, answer from result where run_id = ? order by fixture_id, answer"
    return [identity for (identity,) in candidates if connection.execute(found, [identity]).fetchall() == wanted]


def _other_prompts(connection: sqlite3.Connection, tags: RunTags) -> tuple[str, ...]:
    """Return the runs of the same version with another prompt file, oldest first: reports pool them with this one."""
    rows = connection.execute(
        "select id from run where version = ? and prompt_sha256 <> ? order by recorded_at, id",
        [tags.version, tags.prompt_sha256],
    )
    return tuple(identity for (identity,) in rows)


def _append_corpus(connection: sqlite3.Connection, corpus: Corpus, now: str) -> tuple[bool, str | None]:
    """Return whether the corpus became the latest, and which one it took the place of though it was known before."""
    latest = connection.execute(
        "select corpus, version from corpus_recording order by recorded_at desc, corpus desc limit 1"
    ).fetchone()
    if latest == (corpus.revision, corpus.version):
        return False, None
    known = corpus.revision in _known(connection, "corpus", "revision")
    if not known:
        _append_fixtures(connection, corpus)
    row = {"recorded_at": now, "corpus": corpus.revision, "version": corpus.version}
    _insert(connection, "corpus_recording", [sealed("corpus_recording", row)])
    return True, latest[0] if known and latest[0] != corpus.revision else None


def _append_fixtures(connection: sqlite3.Connection, corpus: Corpus) -> None:
    known = _known(connection, "session", "digest")
    sessions = {f.session.digest: f.session.text for f in corpus.fixtures if f.session.digest not in known}
    _insert(connection, "session", [{"digest": key, "text": sessions[key]} for key in sessions])
    _append_labels(connection, corpus.fixtures)
    _insert(connection, "corpus", [{"revision": corpus.revision}])
    rows = (
        {"corpus": corpus.revision, "fixture_id": f.id, "session": f.session.digest, "labels": f.labels.digest}
        for f in corpus.fixtures
    )
    _insert(connection, "corpus_fixture", rows)


def _append_labels(connection: sqlite3.Connection, fixtures: Iterable[Fixture]) -> None:
    known = _known(connection, "labels", "digest")
    new = {f.labels.digest: f.labels for f in fixtures if f.labels.digest not in known}
    columns = ("category", "expect_empty", "max_unexpected_proposals", "notes")
    _insert(
        connection,
        "labels",
        [{"digest": key, **{name: getattr(labels, name) for name in columns}} for key, labels in new.items()],
    )
    points: list[Row] = []
    terms: list[Row] = []
    for digest, labels in new.items():
        for position, point in enumerate(labels.points):
            key = {"labels": digest, "point_id": point.id}
            points.append({**key, "position": position, "type": point.type})
            terms += [{**key, **term_row("all", 0, term)} for term in point.must_match_all]
            terms += [{**key, **term_row("guard", 0, term)} for term in point.must_not_match]
            for alternative, listed in enumerate(point.must_match_any):
                terms += [{**key, **term_row("any", alternative, term)} for term in listed]
    _insert(connection, "point", points)
    _insert(connection, "term", terms)


def _append_answers(connection: sqlite3.Connection, answers: Iterable[Answer]) -> None:
    known = _known(connection, "answer", "digest")
    new = {answer.digest: answer for answer in answers if answer.digest not in known}
    _insert(
        connection,
        "answer",
        [{"digest": key, "state": "valid" if a.valid else "invalid", "raw": a.raw} for key, a in new.items()],
    )
    problems = (
        sealed("answer_problem", {"answer": key, "position": position, "problem": problem})
        for key, answer in new.items()
        for position, problem in enumerate(answer.problems)
    )
    _insert(connection, "answer_problem", problems)
    _insert(connection, "proposal", [proposal_row(key, p) for key, answer in new.items() for p in answer.proposals])


def _run_row(identity: str, tags: RunTags, repeat: int, corpus: str, now: str) -> Row:
    row = {
        "id": identity,
        "version": tags.version,
        "model": tags.model,
        "temperature": tags.temperature,
        "harness": tags.harness,
        "note": tags.note,
        "prompt_sha256": tags.prompt_sha256,
        "prompt_version": tags.prompt_version,
        "repeat": repeat,
        "corpus": corpus,
        "recorded_at": now,
    }
    return sealed("run", row)
