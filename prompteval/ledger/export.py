"""A ledger as text, one file a run and one a corpus revision, and back. Every line is one JSON value."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from prompteval.errors import LedgerError, count
from prompteval.ledger import content, schema
from prompteval.ledger.content import Content, Key
from prompteval.ledger.merge import Merged, add_to, checked
from prompteval.ledger.verify import verify_rows

# Which tables stand in a file, parents first, beside the first table that gives it its name.
_PARTS = {
    "corpora": ("corpus", "session", "labels", "point", "term", "corpus_fixture", "corpus_recording"),
    "runs": ("run", "answer", "answer_problem", "proposal", "result"),
}


def export_ledger(ledger: Path, folder: Path) -> str:
    """Write the files that are not there yet; return how many files of each kind the ledger has.

    Raises LedgerError where a file says something else than the ledger, or cannot be written.
    """
    whole = checked(ledger)
    texts = dict(_files(whole))
    try:
        for name, text in texts.items():
            path = folder / name
            if not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(text)
            elif path.read_bytes() != text:
                raise LedgerError(f"{path} says something else than {ledger}; export into an empty folder")
    except OSError as error:
        raise LedgerError(f"{folder} cannot be written: {error.strerror}") from error
    return f"{count(len(whole['run']), 'run')} and {count(len(whole['corpus']), 'corpus revision')}"


def import_ledger(ledger: Path, folder: Path) -> Merged:
    """Add what the files hold to the ledger. Raises LedgerError, and then nothing was written.

    The digests, ids and references of what is imported are recomputed before the ledger is replaced.
    """
    try:
        return add_to(ledger, [(str(folder), _read(folder))])
    except OSError as error:
        raise LedgerError(f"{error.filename} cannot be read: {error.strerror}; nothing was imported") from error
    except LedgerError as error:
        raise LedgerError(f"{error}; nothing was imported") from error


def _read(folder: Path) -> Content:
    """Return what all files hold together. They have to verify without what a ledger has."""
    read = content.empty()
    for path in [path for kind in _PARTS for path in sorted((folder / kind).glob("*.ndjson"))]:
        content.add(read, _content(path), str(path))
    if not any(read.values()):
        raise LedgerError(f"{folder} has no runs/*.ndjson and no corpora/*.ndjson; 'prompteval ledger export' makes it")
    with closing(sqlite3.connect(":memory:")) as connection:
        schema.create(connection)
        try:
            content.write(connection, read)
        except sqlite3.IntegrityError as error:
            raise LedgerError(f"{folder} holds rows that no ledger takes: {error}") from error
        if problem := next(verify_rows(connection), None):
            raise LedgerError(f"{folder} does not verify ({problem[0]}: {problem[1]})")
    return read


def _files(whole: Content) -> Iterator[tuple[str, bytes]]:
    for kind, tables in _PARTS.items():
        for key in whole[tables[0]]:
            part = _part(whole, kind, key)
            yield f"{kind}/{key[0]}.ndjson", b"".join(_lines(part, tables))


def _part(whole: Content, kind: str, key: Key) -> Content:
    """Return one run with its answers, or one corpus revision with its recordings."""
    others = content.empty()
    for table in ("run", "corpus_recording"):
        wanted = key if kind == ("runs" if table == "run" else "corpora") else None
        others[table] = {k: row for k, row in whole[table].items() if wanted is None or k[-1] != wanted[0]}
    part = content.beyond(whole, others)
    return {table: rows if table in _PARTS[kind] else {} for table, rows in part.items()}


def _lines(part: Content, tables: tuple[str, ...]) -> Iterator[bytes]:
    for table in tables:
        for row in content.ordered(part, table):
            value = {"table": table, **dict(zip(content.columns()[table], row, strict=True))}
            if isinstance(value.get("raw"), bytes):
                value["raw"] = {"hex": value["raw"].hex()}
            yield json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8") + b"\n"


def _content(path: Path) -> Content:
    found = content.empty()
    *lines, rest = path.read_bytes().split(b"\n")
    if rest:
        raise LedgerError(f"{path} is cut short: its last line has no end")
    for number, line in enumerate(lines, 1):
        try:
            value = json.loads(line)
            table = value.pop("table")
            row = tuple(_field(value.pop(name)) for name in content.columns()[table])
            key = tuple(row[content.columns()[table].index(name)] for name in content.KEYS[table])
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise LedgerError(f"{path}: line {number} is no row of an exported ledger") from error
        if value or table not in _PARTS.get(path.parent.name, ()) or key in found[table]:
            raise LedgerError(f"{path}: line {number} is no row of an exported ledger")
        found[table][key] = row
    first = found[_PARTS[path.parent.name][0]]
    if list(first) != [(path.stem,)]:
        raise LedgerError(f"{path} does not hold what its name says")
    return found


def _field(value: Any) -> Any:
    return bytes.fromhex(value["hex"]) if isinstance(value, dict) else value
