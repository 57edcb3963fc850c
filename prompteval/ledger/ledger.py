"""One ledger, open for reading: which runs it has, and what scoring says of them."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from prompteval.errors import PromptevalError, SelectionError
from prompteval.ledger import derived, facts, integrity, schema
from prompteval.ledger.open import reading
from prompteval.ledger.scoring import Scoring
from prompteval.outcomes import NOTHING, CorpusRecording, Run, Scored
from prompteval.tags import normal_version, shown

_RUNS = """
select
  run.id, run.version, run.model, run.temperature, run.harness, run.note, run_sample.sample, run.recorded_at,
  run.corpus,
  (
    select version from corpus_recording
    where corpus = run.corpus and recorded_at <= run.recorded_at order by recorded_at desc limit 1
  )
from run
left join run_sample on run_sample.run_id = run.id
"""
_OLDEST_FIRST = " order by run.recorded_at, run.id"


class Selection(NamedTuple):
    """The runs a selector stands for, oldest first; `name` is how reports call them."""

    runs: tuple[Run, ...]
    name: str
    is_version: bool


class Ledger:
    """A ledger that is open for reading, in one state. `with Ledger.open(path) as ledger:` makes one."""

    def __init__(self, connection: sqlite3.Connection, name: str) -> None:
        self._connection = connection
        self._name = name
        integrity.check_lists(connection, name)
        connection.execute(schema.view_statements()["run_sample"].replace("create view", "create temp view", 1))

    @classmethod
    @contextmanager
    def open(cls, path: Path, name: str | None = None) -> Iterator[Ledger]:
        """Yield the ledger in `path`, called `name` in messages. Raises LedgerError where it cannot be read."""
        with reading(path, name) as connection:
            yield cls(connection, name or str(path))

    def runs(self) -> list[Run]:
        """Return every run, oldest first."""
        return [Run(*row) for row in self._connection.execute(_RUNS + _OLDEST_FIRST)]

    def all_runs(self) -> list[Run]:
        """Return every run, oldest first. Raises SelectionError where there is none."""
        runs = self.runs()
        if not runs:
            raise SelectionError("the ledger has no runs; 'prompteval ingest' records one")
        return runs

    def select(self, selector: str) -> Selection:
        """Return the runs of `latest`, a version or a run id prefix.

        Raises SelectionError where it names none, or where several ids start with it.
        """
        if selector == "latest":
            query = "select id from run order by recorded_at desc, id desc limit 1"
            newest = self._connection.execute(query).fetchone()
            return self._single(*(newest or [self.all_runs()[-1].id]))
        version = _version(selector)
        query = _RUNS + " where run.version = ?" + _OLDEST_FIRST
        runs = [Run(*row) for row in self._connection.execute(query, [version])]
        if version and runs:
            return Selection(tuple(runs), shown(version), True)
        prefix = selector.lower()
        query = "select id from run where substr(id, 1, ?) = ? order by id"
        ids = [identity for (identity,) in self._connection.execute(query, [len(prefix), prefix])]
        if not ids or not prefix:
            what = "no run has that version or starts" if version else "no run starts"
            raise SelectionError(f"{what} with '{selector}'; 'prompteval runs' lists them.")
        if len(ids) > 1:
            listed = ", ".join(identity[: max(8, len(prefix) + 1)] for identity in ids[:8])
            raise SelectionError(f"{len(ids)} runs start with '{selector}': {listed}; give more of the id")
        return self._single(ids[0])

    def _single(self, identity: str) -> Selection:
        run = Run(*self._connection.execute(_RUNS + " where run.id = ?", [identity]).fetchone())
        return Selection((run,), f"run {run.short_id}", False)

    def latest_corpus(self) -> str:
        """Return the corpus revision that was recorded last. Raises SelectionError where there is none."""
        query = "select corpus from corpus_recording order by recorded_at desc, corpus desc limit 1"
        row = self._connection.execute(query).fetchone()
        if row is None:
            raise SelectionError("the ledger has no corpus; 'prompteval ingest' records one")
        return str(row[0])

    def recordings(self) -> list[CorpusRecording]:
        """Return every recording of a corpus, oldest first."""
        fixtures: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
        for corpus, *fixture in self._connection.execute("select * from corpus_fixture order by corpus, fixture_id"):
            fixtures[corpus].append((fixture[0], fixture[1], fixture[2]))
        query = "select recorded_at, corpus, version from corpus_recording order by recorded_at, corpus"
        rows = self._connection.execute(query)
        return [CorpusRecording(time, corpus, version, tuple(fixtures[corpus])) for time, corpus, version in rows]

    def score(self, runs: Sequence[Run], corpus: str | None = None, sessions: bool = False) -> Scoring:
        """Return the scoring of some runs under the labels of `corpus`; None: under those each was recorded with.

        `sessions`: with the texts of their sessions. Raises LedgerError where something that it rests on is not what
        was recorded.
        """
        texts = ("labels", "contract", "answer", *(("session",) if sessions else ()))
        found = facts.of_runs(self._connection, [run.id for run in runs], [corpus] if corpus else [], texts)
        wanted = {"run": {run.id for run in runs}, "corpus": {corpus} if corpus else set(), **facts.texts_of(found)}
        integrity.check(found, {table: wanted[table] for table in ("run", "corpus", *texts)}, self._name)
        return Scoring(found, self._derived(found), corpus)

    def scored(self, runs: Sequence[Run], labels: str) -> list[Scored]:
        """Return each run with its outcomes and sums; `labels` is recorded or latest."""
        judge = self.latest_corpus() if labels == "latest" else None
        scoring = self.score(runs, judge)
        outcomes, totals, categories = scoring.outcomes(), scoring.totals(), scoring.categories()
        left_out = scoring.left_out()
        return [
            Scored(
                run,
                labels,
                judge or run.corpus,
                outcomes.get(run.id, []),
                totals.get(run.id, NOTHING),
                categories.get(run.id, {}),
                left_out,
            )
            for run in runs
        ]

    def _derived(self, found: facts.Facts) -> Iterable[derived.Derived]:
        """Return what is derived of answers: from the file where the installed rules made it, else made again."""
        pairs = derived.pairs_of(found)
        stored = derived.stored(self._connection, pairs)
        return [*stored.values(), *derived.of_answers(found, (pair for pair in pairs if pair not in stored))]


def _version(selector: str) -> str | None:
    try:
        return normal_version(selector)
    except PromptevalError:
        return None
