"""What a ledger claims of itself: each digest and id, and what it is to be the digest of.

A flipped bit of a text breaks no rule of SQLite. `ledger verify` and every merge hold all claims against what the
rows say; a score those that it rests on.
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from prompteval import digest
from prompteval.errors import LedgerError
from prompteval.ledger import schema
from prompteval.ledger.open import reason

Found = Iterator[tuple[str, str]]  # a place in the ledger, and what is wrong there
Held = Iterator[tuple[str, str | None]]  # a digest or id that was held against its rows, and what is wrong, if anything


class Claim(NamedTuple):
    """One kind of claim: the check of those that a query names, and the queries for all and for what scores rest on.

    The latter reads what `select.scoring` fills.
    """

    noun: str
    check: Callable[[sqlite3.Connection, str], Held]
    every: str
    scored: str


def broken(connection: sqlite3.Connection) -> Found:
    """Yield each claim of the ledger that does not hold."""
    for claim in CLAIMS:
        yield from _broken(connection, claim, claim.every)


def check_scored(connection: sqlite3.Connection, ledger: object) -> None:
    """Raise LedgerError, which names `ledger`, where what is about to be scored is not what was recorded."""
    for claim in CLAIMS:
        for place, text in _broken(connection, claim, claim.scored):
            raise LedgerError(f"{ledger} is damaged: {place}: {text}; 'prompteval ledger verify' lists all of it")


def _broken(connection: sqlite3.Connection, claim: Claim, which: str) -> Found:
    try:
        wanted = {name for (name,) in connection.execute(which)}
        for name, text in claim.check(connection, which):
            wanted.discard(name)
            if text is not None:
                yield f"{claim.noun} {str(name)[:8]}", text
        for name in sorted(map(str, wanted)):
            yield f"{claim.noun} {name[:8]}", "is missing, or an index does not lead to it"
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        yield claim.noun, f"cannot be read: {reason(error)}"


def agrees(said: object, make: Callable[..., object], *values: Any) -> bool:
    """Return whether `make` of the values is what is said of them. In a damaged row they need not even be texts."""
    try:
        return make(*values) == said
    except (TypeError, ValueError, KeyError, AttributeError, RecursionError):
        return False


def _sessions(connection: sqlite3.Connection, which: str) -> Held:
    for name, text in connection.execute(f"select digest, text from session where digest in ({which}) order by digest"):
        yield name, None if agrees(name, digest.of_session, text) else "its text has another digest"


def _labels(connection: sqlite3.Connection, which: str) -> Held:
    points, terms = defaultdict(list), defaultdict(list)
    for name, *point in connection.execute(
        f"select labels, point_id, type, position from point where labels in ({which}) order by labels, position"
    ):
        points[name].append(point)
    for name, *term in connection.execute(
        f"select labels, {_seal(connection)}, term, folded, spelled, point_id, role, alternative"
        f" from term where labels in ({which}) order by rowid"
    ):
        terms[name].append(term)
    rows = connection.execute(
        "select digest, category, expect_empty, max_unexpected_proposals, notes from labels"
        f" where digest in ({which}) order by digest"
    )
    for name, *row in rows:
        if not agrees(name, _digest_of_labels, row, points[name], terms[name]):
            yield name, "what they say has another digest"
        elif not all(_sealed(*term[:4]) for term in terms[name]):
            yield name, "a term is not compared as it was recorded"
        else:
            yield name, None


def _digest_of_labels(row: list[Any], points: list[list[Any]], terms: list[list[Any]]) -> str:
    category, empty, budget, notes = row
    lists: dict[tuple[str, str], dict[int, list[str]]] = defaultdict(dict)
    for _, term, _, _, point, role, alternative in terms:
        lists[point, role].setdefault(alternative, []).append(term)
    said: list[list[Any]] = []
    for point, type_, position in points:
        every, any_, guard = (lists[point, role] for role in ("all", "any", "guard"))
        if position != len(said) or any_.keys() != set(range(len(any_))):
            raise ValueError("the same labels, written otherwise than an ingest writes them")
        said.append([point, type_, every.get(0, []), [any_[number] for number in sorted(any_)], guard.get(0, [])])
    return digest.of_labels(category, bool(empty), said, budget, notes)


def _answers(connection: sqlite3.Connection, which: str) -> Held:
    said = defaultdict(list)
    for name, *proposal in connection.execute(
        f"select answer, {_seal(connection)}, title, body, written, read, spelled, list, position, type, tags,"
        f" description, kk_confidence from proposal where answer in ({which}) order by answer, list, position"
    ):
        said[name].append(proposal)
    problems = defaultdict(list)
    for name, *problem in connection.execute(
        f"select answer, {_seal(connection)}, {_names('answer_problem')}"
        f" from answer_problem where answer in ({which}) order by answer, position"
    ):
        problems[name].append(problem)
    rows = connection.execute(f"select digest, state, raw from answer where digest in ({which}) order by digest")
    for name, state, raw in rows:
        make, value = (_digest_of_answer, said[name]) if raw is None else (digest.of_invalid_answer, raw)
        if not agrees(name, make, value):
            yield name, f"what it says has another digest ({state})"
        elif (state == "invalid", bool(problems[name])) != (raw is not None, raw is not None):
            yield name, "its state or the number of its problems is not that of what it says"
        elif not all(_sealed(*row) for row in (*(proposal[:6] for proposal in said[name]), *problems[name])):
            yield name, "a searched text or a problem is not as it was recorded"
        else:
            yield name, None


def _digest_of_answer(proposals: list[list[Any]]) -> str:
    lists: dict[str, list[dict[str, Any]]] = {"practice": [], "map": []}
    for _, title, body, _, _, _, list_, position, type_, written, description, confidence in proposals:
        tags = json.loads(written)
        if json.dumps(tags, ensure_ascii=False) != written or position != len(lists[list_]):
            raise ValueError("the same answer, written otherwise than an ingest writes it")
        lists[list_].append(
            {
                "type": type_,
                "tags": tags,
                "title": title,
                "description": description,
                "body": body,
                "kk_confidence": confidence,
            }
        )
    return digest.of_answer(lists)


def _corpora(connection: sqlite3.Connection, which: str) -> Held:
    fixtures = defaultdict(list)
    for name, *fixture in connection.execute(
        f"select corpus, fixture_id, session, labels from corpus_fixture where corpus in ({which})"
    ):
        fixtures[name].append(fixture)
    for (name,) in connection.execute(f"select revision from corpus where revision in ({which}) order by revision"):
        yield name, None if agrees(name, digest.of_corpus, fixtures[name]) else "its fixtures have another digest"


def _runs(connection: sqlite3.Connection, which: str) -> Held:
    evidence = defaultdict(list)
    for name, *row in connection.execute(
        "select result.run_id, result.fixture_id, corpus_fixture.session, result.answer from result"
        " join run on run.id = result.run_id join corpus_fixture"
        " on corpus_fixture.corpus = run.corpus and corpus_fixture.fixture_id = result.fixture_id"
        f" where result.run_id in ({which})"
    ):
        evidence[name].append(row)
    for name, repeat, version, model, temperature, harness, *row in connection.execute(
        f"select id, repeat, version, model, temperature, harness, {_seal(connection)}, {_names('run')}"
        f" from run where id in ({which}) order by id"
    ):
        if not agrees(name, digest.of_run, (version, model, temperature, harness), evidence[name], repeat):
            yield name, "its tags, sessions and answers have another id"
        else:
            yield name, None if _sealed(*row) else "its note, prompt, corpus or time is not as it was recorded"


def _recordings(connection: sqlite3.Connection, which: str) -> Held:
    for name, *row in connection.execute(
        f"select recorded_at, {_seal(connection)}, {_names('corpus_recording')}"
        f" from corpus_recording where recorded_at in ({which}) order by recorded_at, corpus"
    ):
        yield name, None if _sealed(*row) else "it is not as it was recorded"


def _seal(connection: sqlite3.Connection) -> str:
    """Return the expression for the seal of a row: null in a ledger of the first version, which has none."""
    (version,) = connection.execute("pragma user_version").fetchone()
    return "coalesce(seal, '')" if version >= schema.SEALED_SINCE else "null"


def _names(table: str) -> str:
    return ", ".join(schema.SEALED[table])


def _sealed(seal: str | None, *values: Any) -> bool:
    return seal is None or agrees(seal, digest.seal, *values)


_SCORED_SESSIONS = "select session from corpus_fixture where corpus in (select corpus from temp.judging)"
CLAIMS = (
    Claim("session", _sessions, "select digest from session", _SCORED_SESSIONS),
    Claim("labels", _labels, "select digest from labels", "select labels from temp.scored"),
    Claim("answer", _answers, "select digest from answer", "select answer from temp.scored where answer is not null"),
    Claim("corpus", _corpora, "select revision from corpus", "select corpus from temp.judging"),
    Claim("corpus_recording", _recordings, *["select recorded_at from corpus_recording"] * 2),
    Claim("run", _runs, "select id from run", "select run_id from temp.chosen"),
)
