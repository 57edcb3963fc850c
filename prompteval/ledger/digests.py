"""Hold what labels and answers say against the digests they are known by."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterator

from prompteval.ledger.rows import proposal_of
from prompteval.model import Answer, ExpectedPoint, Labels, Proposal

Found = Iterator[tuple[str, str]]  # a place in the ledger, and what is wrong there


def labels(connection: sqlite3.Connection) -> Found:
    """Yield the labels that say something else than their digest."""
    terms: dict[tuple[str, str], list[tuple[str, int, str]]] = defaultdict(list)
    for labels, point, *term in connection.execute(
        "select labels, point_id, role, alternative, term from term order by rowid"
    ):
        terms[labels, point].append((term[0], term[1], term[2]))
    points: dict[str, list[ExpectedPoint]] = defaultdict(list)
    for labels, point, type_ in connection.execute(
        "select labels, point_id, type from point order by labels, position"
    ):
        points[labels].append(_point(point, type_, terms[labels, point]))
    rows = connection.execute(
        "select digest, category, expect_empty, max_unexpected_proposals, notes from labels order by digest"
    )
    for digest, category, empty, budget, notes in rows:
        if Labels(category, bool(empty), tuple(points[digest]), budget, notes).digest != digest:
            yield f"labels {digest[:8]}", "what they say has another digest"


def _point(name: str, type_: str, terms: list[tuple[str, int, str]]) -> ExpectedPoint:
    alternatives: dict[int, list[str]] = defaultdict(list)
    for role, alternative, term in terms:
        if role == "any":
            alternatives[alternative].append(term)
    return ExpectedPoint(
        name,
        type_,
        tuple(term for role, _, term in terms if role == "all"),
        tuple(tuple(alternatives[number]) for number in sorted(alternatives)),
        tuple(term for role, _, term in terms if role == "guard"),
    )


def proposals(connection: sqlite3.Connection) -> Iterator[tuple[str, Proposal, list[str | None]]]:
    """Yield each proposal with the digest of its answer and its searched texts."""
    fields = "answer, list, position, type, title, description, body, tags, kk_confidence, written, read, spelled"
    rows = connection.execute(f"select {fields} from proposal order by answer, list, position")
    for answer, *said in rows:
        yield answer, proposal_of(said[:8]), said[8:]


def answers(connection: sqlite3.Connection) -> Found:
    """Yield the answers that say something else than their digest."""
    said: dict[str, list[Proposal]] = defaultdict(list)
    for answer, proposal, _ in proposals(connection):
        said[answer].append(proposal)
    rows = connection.execute("select digest, state, raw from answer order by digest")
    for digest, state, raw in rows:
        if Answer(tuple(said[digest]), raw).digest != digest:
            yield f"answer {digest[:8]}", f"what it says has another digest ({state})"
