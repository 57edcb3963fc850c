"""Open a ledger for reading, and refuse any other file in one line, without touching it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from prompteval.errors import LedgerError
from prompteval.ledger import schema

BUSY_SECONDS = 5
_MAGIC = b"SQLite format 3\x00"
_HEADER = 100  # bytes; the fields are those of sqlite.org/fileformat.html, section 1.3


@contextmanager
def reading(path: Path, name: str | None = None) -> Iterator[sqlite3.Connection]:
    """Yield a read-only connection to the ledger in `path`, in one transaction: a state that does not change.

    Raises LedgerError with the reason it cannot be read; it calls the ledger `name` where that is given.
    """
    name = name or str(path)
    check_file(path, name)
    connection = connect(path, "ro")
    try:
        connection.execute("pragma trusted_schema = off")
        connection.execute("pragma temp_store = memory")
        connection.execute("begin")
        if not schema.tables_are_right(connection):
            raise LedgerError(f"{name} has other tables than a ledger; restore it from the repository")
        yield connection
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        raise LedgerError(f"{name} {refusal(error, path)}") from error
    finally:
        connection.close()


def connect(path: Path, mode: str) -> sqlite3.Connection:
    """Return a connection to an existing file; it waits some seconds while another program writes to it."""
    where = f"file:{quote(str(path.absolute()))}?mode={mode}"
    return sqlite3.connect(where, uri=True, isolation_level=None, timeout=BUSY_SECONDS)


def refusal(error: Exception, path: Path) -> str:
    """Return why a ledger cannot be used, from SQLite's error about the file in `path`."""
    text = reason(error)
    if "locked" in text:
        return "is in use by another program; try again"
    return _unfinished(path) or f"is damaged: {text}; restore it from the repository"


def _unfinished(path: Path) -> str | None:
    """Say whether another program is in the middle of a change, or was when it ended: SQLite can undo that."""
    if path.with_name(path.name + "-journal").exists():
        return "has an unfinished change beside it (-journal); opening the file with sqlite3 undoes it"
    return None


def reason(error: Exception) -> str:
    """Return what SQLite says is wrong, on one line and without the texts of the ledger that it would quote."""
    text = str(error).partition("\n")[0]
    return "a text is not UTF-8" if "decode" in text else text


def check_file(path: Path, name: str | None = None) -> None:
    """Raise LedgerError unless the first bytes of `path` are those of a whole ledger that this version reads."""
    name = name or str(path)
    if sqlite3.sqlite_version_info < schema.OLDEST_SQLITE:
        raise LedgerError(f"this Python has SQLite {sqlite3.sqlite_version}; a ledger needs 3.37 or newer")
    try:
        if path.is_symlink() and not path.exists():
            raise LedgerError(f"{name} is a link to nothing")
        if not path.exists():
            raise LedgerError(f"no ledger at {name}; 'prompteval ingest' makes one, --ledger names another")
        if not path.is_file():
            raise LedgerError(f"{name} is not a file")
        size = path.stat().st_size
        with path.open("rb") as file:
            header = file.read(_HEADER)
    except OSError as error:
        raise LedgerError(f"{name} cannot be read: {error.strerror}") from error
    if refused := _not_a_ledger(header) or _left_open(path, header) or _cut_short(path, header, size):
        raise LedgerError(f"{name} {refused}")


def _not_a_ledger(header: bytes) -> str | None:
    if not header:
        return "is empty, not a ledger; restore it from the repository"
    if header.startswith(b"<<<<<<<"):
        return "holds conflict marks, not a ledger; take one side of the merge"
    if header.startswith(b"version https://git-lfs"):
        return "is a Git LFS pointer, not a ledger; run 'git lfs pull'"
    if not header.startswith(_MAGIC):
        return "is not a ledger (no SQLite file)"
    if len(header) < _HEADER:
        return "is cut short; restore it from the repository"
    if (application := _number(header, 68)) != schema.APPLICATION_ID:
        return f"is not a ledger (a SQLite file of another application, id {application})"
    if (version := _number(header, 60)) > schema.USER_VERSION:
        return f"was written by a newer prompteval (version {version} of the ledger); update prompteval"
    return None


def _cut_short(path: Path, header: bytes, size: int) -> str | None:
    page = int.from_bytes(header[16:18], "big")
    if _number(header, 28) * (65536 if page == 1 else page) == size or _unfinished(path):  # which SQLite waits for
        return None
    return "is cut short or has extra bytes at its end; restore it from the repository"


def _left_open(path: Path, header: bytes) -> str | None:
    """Say whether another program left the file in WAL mode."""
    if 2 in header[18:20]:
        return "was left in WAL mode by another program; close it and run 'pragma journal_mode = delete' on a copy"
    if path.with_name(path.name + "-wal").exists():  # SQLite would read it, whatever the header says
        return "has a -wal file of another database beside it; move that file away"
    return None


def _number(header: bytes, offset: int) -> int:
    return int.from_bytes(header[offset : offset + 4], "big")
