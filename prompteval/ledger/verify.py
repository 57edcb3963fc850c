"""Recompute everything a ledger claims about itself: digests, run ids, searched texts, tables, references."""

from __future__ import annotations

import sqlite3
import tempfile
from collections import defaultdict
from pathlib import Path

from prompteval import digest, gitrepo
from prompteval.errors import LedgerError, Problem
from prompteval.ledger import content, digests, schema
from prompteval.ledger.digests import Found
from prompteval.ledger.open import reading
from prompteval.ledger.rows import proposal_of, proposal_row, term_row


def verify(path: Path) -> tuple[list[Problem], str]:
    """Return what is wrong with the ledger in `path`, and one line that counts what was checked. Raises LedgerError."""
    with reading(path) as connection:
        checks = (
            _schema,
            _integrity,
            _sessions,
            digests.labels,
            _terms,
            digests.answers,
            _searched,
            _corpora,
            digests.runs,
        )
        problems = [Problem(str(path), place, text) for check in checks for place, text in check(connection)]
        tables = ("session", "labels", "answer", "corpus", "run")
        counted = (connection.execute(f"select count(*) from {table}").fetchone()[0] for table in tables)
        return problems, ", ".join(f"{number} in {table}" for number, table in zip(counted, tables, strict=True))


def verify_facts(path: Path) -> list[Problem]:
    """Return what is wrong with the ledger in `path`, but for searched texts, which another version may have made.

    Raises LedgerError.
    """
    with reading(path) as connection:
        return [
            Problem(str(path), place, text) for check in (_schema, verify_rows) for place, text in check(connection)
        ]


def verify_rows(connection: sqlite3.Connection) -> Found:
    """Yield the place and the kind of each fault in the facts of an open ledger."""
    for check in (_integrity, _sessions, digests.labels, digests.answers, _corpora, digests.runs):
        yield from check(connection)


def lost(path: Path, before: str) -> list[Problem]:
    """Return each fact of an earlier state that the ledger in `path` lacks or has otherwise.

    `before` is a file or, where there is none of that name, a commit. Raises PromptevalError.
    """
    if before and Path(before).exists():
        earlier = _facts(Path(before))
    else:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "ledger.db"
            file.write_bytes(gitrepo.file_at(before, path))
            try:
                earlier = _facts(file)
            except LedgerError as error:
                raise LedgerError(str(error).replace(str(file), f"{path} in {before}")) from error
    with reading(path) as connection:
        found = content.vanished(earlier, content.read(connection))
    return [Problem(str(path), place, f"{text} in {before}") for place, text in found]


def _facts(path: Path) -> content.Content:
    with reading(path) as connection:
        return content.read(connection)


def _schema(connection: sqlite3.Connection) -> Found:
    """Tables are compared when a ledger is opened; triggers and views here."""
    have, want = schema.objects(connection), schema.expected_objects()
    for kind, name in sorted(have.keys() | want.keys()):
        if (kind, name) not in have:
            yield name, f"the {kind} is missing"
        elif (kind, name) not in want:
            yield name, f"a {kind} that no ledger has"
        elif have[kind, name] != want[kind, name]:
            yield name, f"the {kind} is not that of this version"


def _integrity(connection: sqlite3.Connection) -> Found:
    for (text,) in connection.execute("pragma integrity_check"):
        if text != "ok":
            yield "file", str(text)
    for table, row, parent, _ in connection.execute("pragma foreign_key_check"):
        yield f"{table}, row {row}", f"points to nothing in {parent}"
    orphans = connection.execute(
        "select run_id, fixture_id from result join run on run.id = run_id where not exists (select 1 from"
        " corpus_fixture where corpus_fixture.corpus = run.corpus and corpus_fixture.fixture_id = result.fixture_id)"
        " order by run_id, fixture_id"
    )
    for run, fixture in orphans:
        yield f"result of run {run[:8]}", f"{fixture} is no fixture of its corpus"


def _sessions(connection: sqlite3.Connection) -> Found:
    for identity, text in connection.execute("select digest, text from session order by digest"):
        if digest.of_session(text) != identity:
            yield f"session {identity[:8]}", "its text has another digest"


def _terms(connection: sqlite3.Connection) -> Found:
    for labels, role, alternative, term, *texts in connection.execute(
        "select labels, role, alternative, term, folded, spelled from term order by rowid"
    ):
        expected = term_row(role, alternative, term)
        if [expected["folded"], expected["spelled"]] != texts:
            yield f"term of labels {labels[:8]}", f'"{term}" is not folded as this version folds it'


def _searched(connection: sqlite3.Connection) -> Found:
    fields = "answer, list, position, type, title, description, body, tags, kk_confidence, written, read, spelled"
    for answer, *said in connection.execute(f"select {fields} from proposal order by answer, list, position"):
        proposal, texts = proposal_of(said[:8]), said[8:]
        expected = proposal_row(answer, proposal)
        if [expected[name] for name in ("written", "read", "spelled")] != texts:
            yield f"proposal of answer {answer[:8]}", "its searched texts are not those that this version makes"


def _corpora(connection: sqlite3.Connection) -> Found:
    fixtures: dict[str, list[list[str]]] = defaultdict(list)
    for corpus, *fixture in connection.execute("select corpus, fixture_id, session, labels from corpus_fixture"):
        fixtures[corpus].append(fixture)
    for (revision,) in connection.execute("select revision from corpus order by revision"):
        if digest.of_corpus(fixtures[revision]) != revision:
            yield f"corpus {revision[:8]}", "its fixtures have another digest"
