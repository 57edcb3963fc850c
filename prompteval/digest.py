"""What the ledger knows its facts by: 32 hexadecimal digits of SHA-256 over kind and canonical JSON.

Functions of plain values, so that a report can hold what it reads against its digests without building anything of it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

LENGTH = 32  # hexadecimal digits: 128 bits of SHA-256, beyond chance and short enough to stand in every row
_CANONICAL = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def digest_of(kind: str, value: Any) -> str:
    """Return the digest of a value: SHA-256 over its kind and its canonical JSON, as 32 hexadecimal digits."""
    return hashlib.sha256(_CANONICAL.encode([kind, value]).encode("utf-8")).hexdigest()[:LENGTH]


def of_session(text: str) -> str:
    """Return the digest of a session's whole text."""
    return digest_of("session", text)


def of_labels(category: str, empty: bool, points: Sequence[Sequence[Any]], budget: int, notes: str) -> str:
    """Return the digest of labels; a point is its id, type, must_match_all, must_match_any and must_not_match."""
    return digest_of("labels", [category, empty, points, budget, notes])


def of_answer(lists: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    """Return the digest of a valid answer: its proposals, whatever the white space between them."""
    return digest_of("answer", lists)


def of_invalid_answer(raw: str | bytes) -> str:
    """Return the digest of an invalid answer: its raw text, or its bytes where it is no text."""
    return digest_of("invalid answer", raw if isinstance(raw, str) else ["bytes", raw.hex()])


def seal(*values: str | int | None) -> str:
    """Return the digest of what one row says that no other digest is of."""
    return digest_of("seal", values)


def of_corpus(fixtures: Iterable[Sequence[str]]) -> str:
    """Return the digest of a set of (fixture id, session digest, label digest)."""
    return digest_of("corpus", sorted(map(list, fixtures)))


def of_run(tags: Sequence[Any], evidence: Iterable[Sequence[str]], repeat: int) -> str:
    """Return the id of a run.

    `tags` are version, model, temperature and harness; the evidence is a set of (fixture id, session digest, answer
    digest).
    """
    return digest_of("run", [list(tags), sorted(map(list, evidence)), repeat])
