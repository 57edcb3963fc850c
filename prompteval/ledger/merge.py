"""The union of ledgers. The same facts give the same bytes, whichever ledger they came from first."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from prompteval.errors import LedgerError, count
from prompteval.inputs.files import FileRefusedError, read_bytes, replace_bytes
from prompteval.ledger import derived, facts
from prompteval.ledger.facts import Facts, RunRow
from prompteval.ledger.integrity import lost, whole
from prompteval.ledger.write import rebuilding


class Merged(NamedTuple):
    """The number of runs in the ledger, and how many of them are new."""

    runs: int
    new: int


def merge(ledger: Path, others: Mapping[str, Path]) -> Merged:
    """Make `ledger` the union of itself, if it is there, and the others, given by name.

    Raises LedgerError, and then nothing was written, for a file that is no ledger or does not verify, and for two
    ledgers that say different things of the same key.
    """
    try:
        held = [(name, whole(path, name)) for name, path in others.items()]
        with rebuilding(ledger) as connection:  # under the lock, so that no run recorded meanwhile is lost
            union = whole(ledger) if ledger.exists() else facts.empty()
            before = len(union["run"])
            for name, other in held:
                _add(union, other, name)
            _write(connection, union)
    except LedgerError as error:
        raise LedgerError(f"{error}; nothing was merged") from error
    return Merged(len(union["run"]), len(union["run"]) - before)


def drive(base: Path, ours: Path, theirs: Path) -> Merged:
    """Merge as a git merge driver: `ours` becomes the result. Raises LedgerError; then `ours` is unchanged."""
    sides = {"base": base, "ours": ours, "theirs": theirs}
    held = {name: _held(name, path) for name, path in sides.items()}
    # git-merge names the commits it merges in variables GITHEAD_<id>; a rebase or cherry-pick names none.
    union = _three_way(held, replaying=not any(name.startswith("GITHEAD_") for name in os.environ))
    if not ours.stat().st_mode & 0o222:  # a move would replace it all the same
        raise LedgerError(f"{ours} is read-only; nothing was written")
    try:
        with tempfile.TemporaryDirectory() as folder:  # beside `ours`, a lock would stay in the work tree
            made = Path(folder) / "ledger.db"
            with rebuilding(made) as connection:
                _write(connection, union)
            replace_bytes(ours, made.read_bytes())
    except OSError as error:
        raise LedgerError(f"{ours} cannot be written: {error.strerror}; nothing was written") from error
    return Merged(len(union["run"]), len(union["run"]) - len(held["ours"]["run"]))


def _held(name: str, path: Path) -> Facts:
    """Return the facts of a side or of the base; git passes an empty file if there is no base."""
    try:
        data = read_bytes(path, largest=None)
    except FileRefusedError as error:
        raise LedgerError(f"{name} {error}") from error
    return facts.empty() if name == "base" and not data else whole(path, name)


def _three_way(held: dict[str, Facts], replaying: bool) -> Facts:
    """Return the union of ours and theirs; while a commit is replayed, of ours and what theirs has and base has not.

    Raises LedgerError if a side lost or changed a fact of the base. Only while a commit is replayed elsewhere (a
    rebase, a cherry-pick) may our side lack what its base has: it never had it.
    """
    base, theirs = held["base"], held["theirs"]
    for name, side in (("their side", "theirs"), *([] if replaying else [("our side", "ours")])):
        if runs := sorted(base["run"].keys() - held[side]["run"].keys()):
            found = f"{name} lost {count(len(runs), 'run')} of the base, such as {runs[0][0][:8]}"
            raise LedgerError(f"{found}; 'prompteval ledger merge' with a ledger that has it restores it")
        for place, _ in lost(base, held[side]):
            raise LedgerError(f"{name} lost or changed a fact of the base: {place}")
    union = facts.empty()
    _add(union, held["ours"], "ours")
    _add(union, _new(theirs, base) if replaying else theirs, "theirs")
    return union


def _new(side: Facts, base: Facts) -> Facts:
    """Return runs and recordings that `base` lacks or has differently, with everything they refer to."""
    runs = [run.id for key, run in side["run"].items() if base["run"].get(key) != run]
    recorded = side["corpus_recording"].items()
    corpora = [recording.corpus for key, recording in recorded if base["corpus_recording"].get(key) != recording]
    return facts.resting(side, runs, corpora)


def _add(union: Facts, other: Facts, name: str) -> None:
    """Add facts to others. Of a run that both have, the earlier recording stands, with its prompt files.

    Raises LedgerError if `name`, the ledger that is added, says something else of a key than the union does.
    """
    earlier = set()
    run: RunRow
    for key, run in other["run"].items():
        known: RunRow = union["run"].setdefault(key, run)
        if run.recorded_at < known.recorded_at:
            earlier.add(run.id)
            union["run"][key] = run
        elif known != run and run.recorded_at == known.recorded_at:
            raise LedgerError(f"{name} has another run {run.id[:8]} than the other ledgers")
    kept = {run.id for key, run in other["run"].items() if union["run"][key] == run}
    union["run_prompt"] = {key: row for key, row in union["run_prompt"].items() if row.run_id not in earlier}
    for table in facts.TABLES:
        for key, row in other[table].items():
            if table == "run" or (table == "run_prompt" and row.run_id not in kept):
                continue
            if union[table].setdefault(key, row) != row:
                raise LedgerError(f"{name} has another {table} {str(key[0])[:8]} than the other ledgers")


def _write(connection: sqlite3.Connection, union: Facts) -> None:
    facts.insert(connection, union)
    derived.fill(connection, union)
