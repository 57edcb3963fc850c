"""Append to a ledger so that a kill, a full disk or a second writer at any moment leaves it whole.

The committed file is never changed in place: a copy beside it takes the new rows in one transaction, is checked,
flushed and moved over it.
"""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from prompteval.errors import LedgerError
from prompteval.ledger import content, schema
from prompteval.ledger.open import check_file, reading

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
        raise LedgerError(f"{path} cannot be written: {error.strerror or error}; it is as it was") from error
    except sqlite3.IntegrityError as error:
        raise LedgerError(f"{path} refuses the new rows: {error}; it is as it was") from error
    except sqlite3.OperationalError as error:
        raise LedgerError(f"{path} cannot be written: {error}; it is as it was") from error
    except sqlite3.DatabaseError as error:
        raise LedgerError(f"{path} is damaged: {error}; restore it from the repository") from error


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
    """Remove the copies that a killed writer left behind. The lock says that none is in use."""
    copies = re.compile(re.escape(f".{path.name}.") + r"\d+\.tmp(-journal)?")
    for beside in path.parent.iterdir():
        if copies.fullmatch(beside.name):
            beside.unlink(missing_ok=True)


def _fill(path: Path, copy: Path, fresh: bool) -> Iterator[sqlite3.Connection]:
    old = not fresh and path.exists()  # asked under the lock: another writer may have made it by now
    if path.exists() and not path.stat().st_mode & 0o222:  # a move would replace it all the same
        raise LedgerError(f"{path} is read-only; it is as it was")
    facts = _facts_of_older_version(path) if old else None
    from_copy = old and facts is None
    if from_copy:
        shutil.copyfile(path, copy)
    connection = sqlite3.connect(copy, isolation_level=None)
    try:
        if path.exists():
            shutil.copymode(path, copy)
        _prepare(connection, path, from_copy)
        connection.execute("begin immediate")
        if not from_copy:
            schema.create(connection)
        if facts is not None:
            content.write(connection, facts)
        before = connection.total_changes
        yield connection
        changed = connection.total_changes > before
        if changed:
            _check(connection, path)
        connection.execute("commit" if changed else "rollback")
    finally:
        connection.close()
    if changed:
        _move(copy, path)


def _facts_of_older_version(path: Path) -> content.Content | None:
    """Return what a ledger holds that an older version wrote: it is written anew as this version writes it."""
    if check_file(path) == schema.USER_VERSION:
        return None
    with reading(path) as connection:
        return content.read(connection)


def _prepare(connection: sqlite3.Connection, path: Path, from_copy: bool) -> None:
    for pragma in ("trusted_schema = off", "foreign_keys = on", "temp_store = memory", "synchronous = off"):
        connection.execute(f"pragma {pragma}")  # _flush does the one flush that counts
    if not from_copy:
        connection.execute(f"pragma page_size = {PAGE_SIZE}")
    elif schema.objects(connection) != schema.expected_objects():
        raise LedgerError(f"{path} has other tables, triggers or views than a ledger; restore it from the repository")


def _check(connection: sqlite3.Connection, path: Path) -> None:
    if connection.execute("pragma foreign_key_check").fetchone():
        raise LedgerError(f"{path} has rows that point nowhere; restore it from the repository")
    (verdict,) = connection.execute("pragma integrity_check(1)").fetchone()
    if verdict != "ok":
        raise LedgerError(f"{path} is damaged: {verdict}; restore it from the repository")


def _move(copy: Path, path: Path) -> None:
    _flush(copy)
    os.replace(copy, path)
    with suppress(OSError):  # some file systems flush no folders; the ledger itself is on the disk
        _flush(path.parent)


def _flush(path: Path) -> None:
    if os.name == "nt" and path.is_dir():  # Windows flushes no folders
        return
    descriptor = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
