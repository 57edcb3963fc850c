"""The union of ledgers. The same facts give the same bytes, whichever ledger they came from first."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from prompteval.errors import LedgerError, count
from prompteval.ledger import content
from prompteval.ledger.content import Content
from prompteval.ledger.open import reading
from prompteval.ledger.verify import verify_facts, verify_rows
from prompteval.ledger.write import rebuilding


class Merged(NamedTuple):
    """How many runs the ledger has now, and how many of them are new to it."""

    runs: int
    new: int


class Sides(NamedTuple):
    """The three sides of a merge in git, as files' bytes; None or empty: that side has no ledger."""

    base: bytes | None
    ours: bytes | None
    theirs: bytes | None


def merge(ledger: Path, others: Iterable[Path]) -> Merged:
    """Make `ledger` the union of itself, if it is there, and the others.

    Raises LedgerError, and then nothing was written, for a file that is no ledger or does not verify, and for two
    ledgers that say different things of the same key.
    """
    with unchanged_unless_whole():
        return add_to(ledger, [(str(path), checked(path)) for path in others])


def add_to(ledger: Path, others: Iterable[tuple[str, Content]]) -> Merged:
    """Make `ledger` the union of itself, if it is there, and of what others hold, given by name. Raises LedgerError."""
    with rebuilding(ledger) as connection:  # under the lock, so that no run recorded meanwhile is lost
        union = checked(ledger) if ledger.exists() else content.empty()
        before = len(union["run"])
        for name, other in others:
            content.add(union, other, name)
        content.write(connection, union)
        if problem := next(verify_rows(connection), None):
            raise LedgerError(f"what would be added does not verify ({problem[0]}: {problem[1]})")
    return Merged(len(union["run"]), len(union["run"]) - before)


@contextmanager
def unchanged_unless_whole() -> Iterator[None]:
    """Say, where something stops a merge, that nothing was written."""
    try:
        yield
    except LedgerError as error:
        raise LedgerError(f"{error}; nothing was merged") from error


def checked(path: Path, name: str | None = None) -> Content:
    """Return what a ledger holds. Raises LedgerError, which calls it `name`, where it is none or does not verify."""
    try:
        problems = verify_facts(path)
        if problems:
            raise LedgerError(f"{path} does not verify ({problems[0].field}: {problems[0].text})")
        with reading(path) as connection:
            return content.read(connection)
    except LedgerError as error:
        raise LedgerError(str(error).replace(str(path), name or str(path))) from error


def checked_bytes(data: bytes | None, name: str) -> Content:
    """Return what a ledger holds that is no file, such as a version of it in git; no bytes hold nothing."""
    if not data:
        return content.empty()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ledger.db"
        path.write_bytes(data)
        return checked(path, name)


def three_way(sides: Sides, replaying: bool) -> tuple[Content, int]:
    """Return ours, and what theirs has beyond the base; and how many runs that adds.

    Raises LedgerError where a side lost a run of the base. Only while a commit is replayed elsewhere (a rebase, a
    cherry-pick) may our side lack what its base has: it never had it.
    """
    base, ours, theirs = (checked_bytes(data, name) for data, name in zip(sides, Sides._fields, strict=True))
    for name, side in (("our side", ours), ("their side", theirs)):
        if (lost := base["run"].keys() - side["run"].keys()) and not (replaying and side is ours):
            first = min(key[0] for key in lost)
            raise LedgerError(f"{name} lost {count(len(lost), 'run')} of the base, such as {first[:8]}")
    union = content.empty()
    content.add(union, ours, "ours")
    content.add(union, content.beyond(theirs, base), "theirs")
    return union, len(union["run"]) - len(ours["run"])


def drive(base: Path, ours: Path, theirs: Path) -> Merged:
    """Merge as a merge driver of git: `ours` becomes the result. Raises LedgerError; then `ours` is as it was."""
    sides = Sides(*(path.read_bytes() for path in (base, ours, theirs)))
    # git-merge names the commits it merges in variables GITHEAD_<id>; a rebase or cherry-pick names none.
    replaying = not any(name.startswith("GITHEAD_") for name in os.environ)
    union, new = three_way(sides, replaying)
    with tempfile.TemporaryDirectory() as folder:  # beside `ours`, a lock would stay in the work tree
        made = Path(folder) / "ledger.db"
        with rebuilding(made) as connection:
            content.write(connection, union)
        ours.write_bytes(made.read_bytes())
    return Merged(len(union["run"]), new)
