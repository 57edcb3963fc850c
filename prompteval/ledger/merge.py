"""The union of ledgers. The same facts give the same bytes, whichever ledger they came from first."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from prompteval.errors import LedgerError, count
from prompteval.inputs.files import FileRefusedError, read_bytes, replace_bytes
from prompteval.ledger import content
from prompteval.ledger.content import Content
from prompteval.ledger.open import reading
from prompteval.ledger.verify import verify_facts
from prompteval.ledger.write import rebuilding


class Merged(NamedTuple):
    """How many runs the ledger has now, and how many of them are new to it."""

    runs: int
    new: int


def merge(ledger: Path, others: Mapping[str, Path]) -> Merged:
    """Make `ledger` the union of itself, if it is there, and the others, given by the names that messages call them.

    Raises LedgerError, and then nothing was written, for a file that is no ledger or does not verify, and for two
    ledgers that say different things of the same key.
    """
    try:
        contents = {name: checked(path, name) for name, path in others.items()}
        with rebuilding(ledger) as connection:  # under the lock, so that no run recorded meanwhile is lost
            union = checked(ledger) if ledger.exists() else content.empty()
            before = len(union["run"])
            for name, other in contents.items():
                content.add(union, other, name)
            content.write(connection, union)
    except LedgerError as error:
        raise LedgerError(f"{error}; nothing was merged") from error
    return Merged(len(union["run"]), len(union["run"]) - before)


def checked(path: Path, name: str | None = None) -> Content:
    """Return what a ledger holds. Raises LedgerError, which calls it `name`, where it is none or does not verify."""
    with reading(path, name) as connection:
        if problem := next(verify_facts(connection), None):
            raise LedgerError(f"{name or path} does not verify ({problem[0]}: {problem[1]})")
        return content.read(connection)


def three_way(base: Content, ours: Content, theirs: Content, replaying: bool) -> Content:
    """Return the union of ours and theirs; while a commit is replayed, of ours and what theirs has beyond the base.

    Raises LedgerError where a side lost or changed a fact of the base. Only while a commit is replayed elsewhere (a
    rebase, a cherry-pick) may our side lack what its base has: it never had it.
    """
    sides = {"their side": theirs} if replaying else {"our side": ours, "their side": theirs}
    for name, side in sides.items():
        if lost := sorted(base["run"].keys() - side["run"].keys()):
            found = f"{name} lost {count(len(lost), 'run')} of the base, such as {lost[0][0][:8]}"
            raise LedgerError(f"{found}; 'prompteval ledger merge' of a ledger that has it brings it back")
        if gone := content.vanished(base, side):
            raise LedgerError(f"{name} lost or changed what the base has: {gone[0][0]}")
    union = content.empty()
    content.add(union, ours, "ours")
    content.add(union, content.beyond(theirs, base) if replaying else theirs, "theirs")
    return union


def _held(name: str, side: bytes) -> Content:
    """Return what one side of a conflict holds, or the base, for which git gives an empty file where there is none."""
    if name == "base" and not side:
        return content.empty()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "ledger.db"
        file.write_bytes(side)
        return checked(file, name)


def drive(base: Path, ours: Path, theirs: Path) -> Merged:
    """Merge as a merge driver of git: `ours` becomes the result. Raises LedgerError; then `ours` is as it was."""
    sides = {"base": base, "ours": ours, "theirs": theirs}
    held = {name: _held(name, _bytes(name, path)) for name, path in sides.items()}
    # git-merge names the commits it merges in variables GITHEAD_<id>; a rebase or cherry-pick names none.
    union = three_way(**held, replaying=not any(name.startswith("GITHEAD_") for name in os.environ))
    if not ours.stat().st_mode & 0o222:  # a move would replace it all the same
        raise LedgerError(f"{ours} is read-only; it is as it was")
    try:
        with tempfile.TemporaryDirectory() as folder:  # beside `ours`, a lock would stay in the work tree
            made = Path(folder) / "ledger.db"
            with rebuilding(made) as connection:
                content.write(connection, union)
            replace_bytes(ours, made.read_bytes())
    except OSError as error:
        raise LedgerError(f"{ours} cannot be written: {error.strerror}; it is as it was") from error
    return Merged(len(union["run"]), len(union["run"]) - len(held["ours"]["run"]))


def _bytes(name: str, path: Path) -> bytes:
    try:
        return read_bytes(path, largest=None)
    except FileRefusedError as error:
        raise LedgerError(f"{name} {error}") from error
