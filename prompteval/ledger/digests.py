"""Hold what labels, answers and runs say against the digests they are known by."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from prompteval import digest
from prompteval.errors import LedgerError

Found = Iterator[tuple[str, str]]  # a place in the ledger, and what is wrong there
_ALL_LABELS, _SCORED_LABELS = "select digest from labels", "select labels from temp.scored"
_ALL_ANSWERS, _SCORED_ANSWERS = "select digest from answer", "select answer from temp.scored"
_ALL_RUNS, _SCORED_RUNS = "select id from run", "select run_id from temp.chosen"


def check_scored(connection: sqlite3.Connection, path: Path) -> None:
    """Raise LedgerError where what is about to be scored says something else than its digest.

    A flipped bit in a text breaks no rule of SQLite, and would be scored. `select.score_under` comes before.
    """
    for check, which in ((labels, _SCORED_LABELS), (answers, _SCORED_ANSWERS), (runs, _SCORED_RUNS)):
        for place, text in check(connection, which):
            raise LedgerError(f"{path} is damaged: {place}: {text}; 'prompteval ledger verify' lists all of it")


def labels(connection: sqlite3.Connection, which: str = _ALL_LABELS) -> Found:
    """Yield the labels, of those that the query `which` names, that say something else than their digest."""
    terms: dict[tuple[str, str], dict[str, dict[int, list[str]]]] = defaultdict(lambda: defaultdict(dict))
    for name, point, role, alternative, term in connection.execute(
        f"select labels, point_id, role, alternative, term from term where labels in ({which}) order by rowid"
    ):
        terms[name, point][role].setdefault(alternative, []).append(term)
    points: dict[str, list[list[Any]]] = defaultdict(list)
    for name, point, type_ in connection.execute(
        f"select labels, point_id, type from point where labels in ({which}) order by labels, position"
    ):
        roles = terms[name, point]
        alternatives = [roles["any"][number] for number in sorted(roles["any"])]
        points[name].append([point, type_, roles["all"].get(0, []), alternatives, roles["guard"].get(0, [])])
    rows = connection.execute(
        "select digest, category, expect_empty, max_unexpected_proposals, notes from labels"
        f" where digest in ({which}) order by digest"
    )
    for name, category, empty, budget, notes in rows:
        if digest.of_labels(category, bool(empty), points[name], budget, notes) != name:
            yield f"labels {name[:8]}", "what they say has another digest"


def answers(connection: sqlite3.Connection, which: str = _ALL_ANSWERS) -> Found:
    """Yield the answers, of those that the query `which` names, that say something else than their digest."""
    keys = ("type", "title", "description", "body", "kk_confidence")
    said: dict[str, dict[str, list[dict[str, Any]]]] = defaultdict(lambda: {"practice": [], "map": []})
    for name, list_, tags, *values in connection.execute(
        f"select answer, list, tags, {', '.join(keys)} from proposal where answer in ({which})"
        " order by answer, list, position"
    ):
        said[name][list_].append({"tags": _tags(tags), **dict(zip(keys, values, strict=True))})
    rows = connection.execute(f"select digest, state, raw from answer where digest in ({which}) order by digest")
    for name, state, raw in rows:
        found = digest.of_answer(said[name]) if raw is None else digest.of_invalid_answer(raw)
        if found != name:
            yield f"answer {name[:8]}", f"what it says has another digest ({state})"


def _tags(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None  # no answer's digest is of that


def runs(connection: sqlite3.Connection, which: str = _ALL_RUNS) -> Found:
    """Yield the runs, of those that the query `which` names, whose tags, sessions and answers have another id."""
    evidence: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
    for name, *row in connection.execute(
        "select result.run_id, result.fixture_id, corpus_fixture.session, result.answer from result"
        " join run on run.id = result.run_id join corpus_fixture"
        " on corpus_fixture.corpus = run.corpus and corpus_fixture.fixture_id = result.fixture_id"
        f" where result.run_id in ({which})"
    ):
        evidence[name].append((row[0], row[1], row[2]))
    for name, version, model, temperature, harness, repeat in connection.execute(
        f"select id, version, model, temperature, harness, repeat from run where id in ({which}) order by id"
    ):
        if digest.of_run([version, model, temperature, harness], evidence[name], repeat) != name:
            yield f"run {name[:8]}", "its tags, sessions and answers have another id"
