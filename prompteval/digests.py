"""The keys of facts in the ledger: SHA-256 of a text, and of canonical JSON for a corpus and a run."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import Any

LENGTH = 32  # hexadecimal digits: 128 bits of SHA-256
_CANONICAL = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def digest(text: str | bytes) -> str:
    """Return the digest of a text: SHA-256 of its bytes in UTF-8, as 32 hexadecimal digits."""
    data = text.encode("utf-8") if isinstance(text, str) else text
    return hashlib.sha256(data).hexdigest()[:LENGTH]


def canonical(value: Any) -> str:
    """Return a value as canonical JSON: sorted keys, no spaces, characters as they are."""
    return _CANONICAL.encode(value)


def corpus_revision(suite: str, contract: str, fixtures: Iterable[Sequence[str]]) -> str:
    """Return the digest of a suite, its contract and a set of (fixture id, session digest, labels digest)."""
    return digest(canonical(["corpus", suite, contract, sorted(map(list, fixtures))]))


def run_id(suite: str, tags: Sequence[Any], evidence: Iterable[Sequence[str]], repeat: int) -> str:
    """Return the id of a run: the digest of its suite, tags, evidence and repeat number.

    `tags` are version, model, temperature and harness; the evidence is a set of (fixture id, session digest, answer
    digest).
    """
    return digest(canonical(["run", suite, list(tags), sorted(map(list, evidence)), repeat]))
