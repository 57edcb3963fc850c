"""A ledger as text, one file a run and one a corpus revision, and back. Every line is one JSON value."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from prompteval.errors import LedgerError, count
from prompteval.inputs import strict_json
from prompteval.inputs.files import FileRefusedError, open_regular, read_bytes, replace_bytes
from prompteval.ledger import content, schema
from prompteval.ledger.content import Content, Values
from prompteval.ledger.merge import Merged, add_to, checked
from prompteval.ledger.verify import verify_facts

# Which tables stand in a file, in this order; the first one gives it its name. What may grow comes last, so that a file
# of an earlier time is the beginning of its later self.
_PARTS = {
    "corpora": ("corpus", "session", "labels", "point", "term", "corpus_fixture", "corpus_recording"),
    "runs": ("run", "answer", "answer_problem", "proposal", "result"),
}
# The table of a part that names the others' rows, the column in which it names the part, and where it names which.
_LINKS = {
    "corpora": ("corpus_fixture", {"session": "session", "labels": "labels", "point": "labels", "term": "labels"}),
    "runs": ("result", {"answer": "answer", "answer_problem": "answer", "proposal": "answer"}),
}
_LONGEST = 32_000_000  # bytes of a line: an invalid answer of 4 MB, each byte of it as two of an escape, and more
_TYPES = {"TEXT": (str,), "INTEGER": (int,), "REAL": (float, int), "ANY": (str, bytes)}


def export_ledger(ledger: Path, folder: Path) -> str:
    """Write the files that are not there yet; return how many files of each kind the ledger has.

    A file that is the beginning of what it has to be is completed: it was cut short, or its corpus became the latest
    again. Raises LedgerError where one says something else than the ledger, or cannot be written.
    """
    whole = checked(ledger)
    for name, text in _files(whole):
        path = folder / name
        try:
            before = read_bytes(path, largest=len(text)) if path.exists() else b""
            if not text.startswith(before):
                raise LedgerError(f"{path} says something else than {ledger}; export into an empty folder")
            if before != text:
                replace_bytes(path, text)
        except OSError as error:
            raise LedgerError(f"{path} cannot be written: {error.strerror}") from error
        except FileRefusedError as error:
            raise LedgerError(f"{path} {error}; export into an empty folder") from error
    return f"{count(len(whole['run']), 'run')} and {count(len(whole['corpus']), 'corpus revision')}"


def import_ledger(ledger: Path, folder: Path) -> Merged:
    """Add what the files hold to the ledger. Raises LedgerError, and then nothing was written.

    The digests, ids and references of what is imported are recomputed before the ledger is replaced.
    """
    try:
        return add_to(ledger, [(str(folder), _read(folder))])
    except LedgerError as error:
        raise LedgerError(f"{error}; nothing was imported") from error


def _read(folder: Path) -> Content:
    """Return what all files hold together. They have to verify without what a ledger has."""
    read = content.empty()
    for kind in _PARTS:
        if (folder / kind).exists() and not (folder / kind).is_dir():
            raise LedgerError(f"{folder / kind} is not a folder")
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
        if problem := next(verify_facts(connection), None):
            raise LedgerError(f"{folder} does not verify ({problem[0]}: {problem[1]})")
    return read


def _files(whole: Content) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the text of each file."""
    for kind, (first, *_) in _PARTS.items():
        owned = {table: _by_owner(whole, table) for table in _PARTS[kind]}
        for (name,) in whole[first]:
            yield f"{kind}/{name}.ndjson", b"".join(_lines(kind, name, owned))


def _by_owner(whole: Content, table: str) -> dict[str, list[Values]]:
    """Return the rows of a table by the one that they belong to, in the order in which they are written."""
    columns = content.columns()[table]
    place = columns.index("corpus") if table == "corpus_recording" else 0
    rows: dict[str, list[Values]] = defaultdict(list)
    for row in content.ordered(whole, table):
        rows[row[place]].append(row)
    return rows


def _lines(kind: str, name: str, owned: dict[str, dict[str, list[Values]]]) -> Iterator[bytes]:
    """Yield the lines of one run with its answers, or of one corpus revision with its recordings."""
    links, named = _LINKS[kind]
    columns = content.columns()
    for table in _PARTS[kind]:
        owners = [name]
        if table in named:
            owners = sorted({row[columns[links].index(named[table])] for row in owned[links][name]})
        for row in (row for owner in owners for row in owned[table].get(owner, ())):
            value = {"table": table, **dict(zip(columns[table], row, strict=True))}
            if isinstance(value.get("raw"), bytes):
                value["raw"] = {"hex": value["raw"].hex()}
            if table in schema.SEALED:
                value["seal"] = content.seal_of(table, row)
            yield json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8") + b"\n"


def _content(path: Path) -> Content:
    found = content.empty()
    for number, line in enumerate(_text_lines(path), 1):
        try:
            table, row = _row(strict_json.parse(line.decode("utf-8")))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise LedgerError(f"{path}: line {number} is no row of an exported ledger") from error
        key = tuple(row[content.columns()[table].index(name)] for name in content.KEYS[table])
        if table not in _PARTS[path.parent.name] or key in found[table]:
            raise LedgerError(f"{path}: line {number} is no row of an exported ledger")
        found[table][key] = row
    if list(found[_PARTS[path.parent.name][0]]) != [(path.stem,)]:
        raise LedgerError(f"{path} does not hold what its name says")
    return found


def _text_lines(path: Path) -> Iterator[bytes]:
    """Yield the lines of a file. Raises LedgerError for what is no file, and for a line that is giant or has no end."""
    try:
        with open_regular(path) as file:
            while line := file.readline(_LONGEST):
                if len(line) == _LONGEST:
                    raise LedgerError(f"{path} has a line of {_LONGEST:,} bytes or more")
                if not line.endswith(b"\n"):
                    raise LedgerError(f"{path} is cut short: its last line has no end")
                yield line
    except FileRefusedError as error:
        raise LedgerError(f"{path} {error}") from error


def _row(value: dict[str, Any]) -> tuple[str, Values]:
    """Return the table and the row that a line is. Raises ValueError, KeyError or TypeError where it is none."""
    table = value.pop("table")
    seal = value.pop("seal", None)  # version 1 of the ledger had none
    row = tuple(_field(value.pop(name), *kind) for name, kind in content.types()[table].items())
    if value:
        raise ValueError(f"a row of {table} has no {', '.join(value)}")
    if seal is not None and seal != content.seal_of(table, row):
        raise ValueError("the row is not what was exported")
    return table, row


def _field(value: Any, type_: str, needed: bool) -> Any:
    """Return a value as the ledger keeps it. Raises ValueError where a column of that type does not."""
    if needed and value is None:
        raise ValueError("a value is missing")
    if type_ == "ANY" and isinstance(value, dict):
        value = bytes.fromhex(value["hex"])
    # By type() and not isinstance(): true is an int to Python, and SQLite would make a text of a number.
    if value is not None and type(value) not in _TYPES[type_]:
        raise ValueError(f"{value!r} is no {type_}")
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise ValueError(f"{value} is beyond the integers of SQLite")
    return value
