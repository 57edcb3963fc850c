"""Append to a ledger so that it stays intact after a kill, a full disk or a second writer at any moment.

The committed file is never changed in place: a copy beside it takes the new rows in one transaction, is checked,
flushed and moved over it.
"""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from prompteval.errors import LedgerError
from prompteval.ledger import derived, facts, integrity, schema
from prompteval.ledger.open import connect, reading, refusal

LOCK_SECONDS = 30
PAGE_SIZE = 4096


@contextmanager
def appending(path: Path) -> Iterator[sqlite3.Connection]:
    """Yield a connection to a copy of the ledger; on leaving, the copy takes its place if rows were added.

    A missing ledger is made, with its folder. An exception inside leaves the ledger as it was. Raises LedgerError.
    """
    yield from _written(path, fresh=False)


@contextmanager
def rebuilding(path: Path) -> Iterator[sqlite3.Connection]:
    """Yield a connection to a new, empty ledger; on leaving, it takes the place of the one in `path`, if any.

    An exception inside leaves the ledger as it was. Raises LedgerError.
    """
    yield from _written(path, fresh=True)


def _written(path: Path, fresh: bool) -> Iterator[sqlite3.Connection]:
    path = Path(os.path.realpath(path))  # a link keeps pointing at the ledger, not at a private copy of it
    try:
        if path.is_symlink():
            raise LedgerError(f"{path} is a link that leads back to itself")
        path.parent.mkdir(parents=True, exist_ok=True)
        with _locked(path):
            _sweep(path)
            copy = path.with_name(f".{path.name}.{os.getpid()}.tmp")
            try:
                yield from _fill(path, copy, fresh)
            finally:
                for leftover in (copy, copy.with_name(copy.name + "-journal")):
                    leftover.unlink(missing_ok=True)
    except OSError as error:
        raise LedgerError(f"{path} cannot be written: {error.strerror or error}; nothing was written") from error
    except sqlite3.IntegrityError as error:
        raise LedgerError(f"{path} refuses the new rows: {error}; nothing was written") from error
    except sqlite3.OperationalError as error:
        text = refusal(error, path) if "locked" in str(error) else f"cannot be written: {error}; nothing was written"
        raise LedgerError(f"{path} {text}") from error
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        raise LedgerError(f"{path} {refusal(error, path)}") from error


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    from filelock import FileLock, Timeout

    lock = FileLock(path.with_name(f".{path.name}.lock"), timeout=LOCK_SECONDS)
    try:
        with lock:
            yield
    except Timeout as error:
        raise LedgerError(f"{path} is being written by another process; try again") from error


def _sweep(path: Path) -> None:
    """Remove copies that a killed writer left behind. The lock ensures that none is in use."""
    copies = re.compile(re.escape(f".{path.name}.") + r"\d+\.tmp(-journal)?")
    for beside in path.parent.iterdir():
        if copies.fullmatch(beside.name):
            beside.unlink(missing_ok=True)


def _fill(path: Path, copy: Path, fresh: bool) -> Iterator[sqlite3.Connection]:
    old = not fresh and path.exists()  # checked under the lock, since another writer may have made it by now
    if path.exists() and not path.stat().st_mode & 0o222:  # a move would replace it all the same
        raise LedgerError(f"{path} is read-only; nothing was written")
    if old:
        _copy(path, copy)
    connection = sqlite3.connect(copy, isolation_level=None)
    try:
        if path.exists():
            shutil.copymode(path, copy)
        for pragma in ("trusted_schema = off", "foreign_keys = on", "temp_store = memory", "synchronous = off"):
            connection.execute(f"pragma {pragma}")  # _flush does the one flush that counts
        if not old:
            connection.execute(f"pragma page_size = {PAGE_SIZE}")
        connection.execute("begin immediate")
        before = connection.total_changes
        _prepare(connection, path, old)
        yield connection
        changed = connection.total_changes > before
        if changed:
            _check(connection, path)
        connection.execute("commit" if changed else "rollback")
    finally:
        connection.close()
    if changed:
        _move(copy, path)


def _copy(path: Path, copy: Path) -> None:
    """Copy the ledger while no other program writes to it. Raises LedgerError if it is none."""
    with reading(path):  # which looks for a transaction that was left unfinished, before the lock would repair it
        pass
    with closing(connect(path, "rw")) as connection:
        connection.execute("begin immediate")
        shutil.copyfile(path, copy)


def _prepare(connection: sqlite3.Connection, path: Path, old: bool) -> None:
    """Make a new ledger, or refresh the derived data of an old one by the installed rules."""
    if not old:
        schema.create(connection)
        derived.fill(connection, facts.empty())
        return
    for name, text in schema.trigger_problems(connection):
        raise LedgerError(f"{path} is damaged: {name}: {text}; restore it from the repository")
    if not derived.is_current(connection):
        found = facts.read(connection)
        integrity.check(found, integrity.recorded_texts(found), path)
        derived.fill(connection, found)


def _check(connection: sqlite3.Connection, path: Path) -> None:
    if connection.execute("pragma foreign_key_check").fetchone():
        raise LedgerError(f"{path} has rows that refer to missing rows; restore it from the repository")
    (verdict,) = connection.execute("pragma integrity_check(1)").fetchone()
    if verdict != "ok":
        raise LedgerError(f"{path} is damaged: {verdict}; restore it from the repository")


def _move(copy: Path, path: Path) -> None:
    _flush(copy)
    os.replace(copy, path)
    with suppress(OSError):  # some file systems cannot flush folders; the ledger itself is on the disk
        _flush(path.parent)


def _flush(path: Path) -> None:
    if os.name == "nt" and path.is_dir():  # Windows cannot flush folders
        return
    descriptor = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
