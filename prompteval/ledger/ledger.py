"""A ledger opened for reading: its runs, and their scores."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from prompteval.errors import PromptevalError, SelectionError
from prompteval.ledger import derived, facts, integrity, schema
from prompteval.ledger.open import reading
from prompteval.ledger.scoring import Scoring
from prompteval.outcomes import NOTHING, CorpusRecording, NewerLabels, Run, Scored
from prompteval.tags import normal_version, shown

_RUNS = """
select
  run.id, corpus.suite, run.version, run.model, run.temperature, run.harness, run.note, run_sample.sample,
  run.recorded_at, run.corpus,
  (
    select version from corpus_recording
    where corpus = run.corpus and recorded_at <= run.recorded_at order by recorded_at desc limit 1
  )
from run
join corpus on corpus.revision = run.corpus
left join run_sample on run_sample.run_id = run.id
"""
_NEWEST = """
where run.id = (
  select id from run join corpus on corpus.revision = run.corpus
  where suite = ? order by recorded_at desc, id desc limit 1
)
"""
_NEWEST_PAIR = """
select version from run join corpus on corpus.revision = run.corpus
where suite = ? and model = ? and temperature is ? and harness is ?
group by version having count(*) > 1 order by max(recorded_at) desc, version limit 1
"""
_NO_RUNS = "the ledger has no runs; 'prompteval ingest' records one"
_OLDEST_FIRST = " order by run.recorded_at, run.id"
_SUITES = """
select suite from corpus join corpus_recording on corpus_recording.corpus = corpus.revision
group by suite order by min(recorded_at), suite
"""


class Selection(NamedTuple):
    """The runs of one suite that a selector names, oldest first; `name` is what reports call them."""

    runs: Sequence[Run]
    name: str
    is_version: bool


class Ledger:
    """A ledger opened for reading, in one state: `with Ledger.open(path) as ledger:`."""

    def __init__(self, connection: sqlite3.Connection, name: str) -> None:
        self._connection = connection
        self._name = name
        integrity.check_lists(connection, name)
        # Made once: each look at some runs would count the samples of all.
        connection.execute(schema.view_statements()["run_sample"].replace("create view", "create temp table", 1))
        connection.execute("create index temp.run_sample_of_run on run_sample (run_id)")

    @classmethod
    @contextmanager
    def open(cls, path: Path, name: str | None = None) -> Iterator[Ledger]:
        """Yield the ledger in `path`, called `name` in messages. Raises LedgerError if it cannot be read."""
        with reading(path, name) as connection:
            yield cls(connection, name or str(path))

    def runs(self) -> list[Run]:
        """Return every run, oldest first."""
        return self._runs("")

    def _runs(self, where: str, *values: str) -> list[Run]:
        return [Run(*row) for row in self._connection.execute(_RUNS + where + _OLDEST_FIRST, values)]

    def suites(self, only: str | None = None) -> list[str]:
        """Return the suites in the order in which they were recorded: the main one is the first; or `only` that one.

        Raises SelectionError if it is not in the ledger, or nothing is.
        """
        known = [suite for (suite,) in self._connection.execute(_SUITES)]
        if not known:
            raise SelectionError(_NO_RUNS)
        if only is not None and only not in known:
            raise SelectionError(f"the ledger has no suite '{only}'; it has {', '.join(known)}")
        return known if only is None else [only]

    def runs_by_suite(self, only: str | None = None) -> dict[str, list[Run]]:
        """Return the runs of each suite that has any: the main suite first, oldest run first. Raises SelectionError."""
        suites, runs = self.suites(only), self.runs()
        found = {suite: [run for run in runs if run.suite == suite] for suite in suites}
        if not any(found.values()):
            raise SelectionError(_NO_RUNS)
        return {suite: own for suite, own in found.items() if own}

    def select(self, selector: str, suite: str | None = None) -> Selection:
        """Return the runs of `latest`, a version or a run id prefix; of the main suite, unless `suite` or an id says.

        Raises SelectionError if it names none there, or where several ids start with it.
        """
        found = self.select_by_suite(selector, suite)
        main = self.suites(suite)[0]
        if main in found:
            return found[main]
        (other, selection), *_ = found.items()
        if not selection.is_version and selector != "latest":
            return selection
        raise SelectionError(f"{selector} names no run of the suite {main}; --suite {other} names one of {other}")

    def select_by_suite(self, selector: str, suite: str | None = None) -> dict[str, Selection]:
        """Return the runs of `latest`, a version or a run id prefix, by suite, the main one first.

        Raises SelectionError if it names none, or where several ids start with it.
        """
        suites = self.suites(suite)
        if selector == "latest":
            newest = [run for name in suites for run in self._runs(_NEWEST, name)]
            if not newest:
                raise SelectionError(_NO_RUNS)
            return {run.suite: _single(run) for run in newest}
        version = _version(selector)
        runs = self._runs(" where run.version = ?", version) if version else []
        found = {name: tuple(run for run in runs if run.suite == name) for name in suites}
        if version and any(found.values()):
            return {name: Selection(own, shown(version), True) for name, own in found.items() if own}
        prefix = selector.lower()
        runs = self._runs(" where substr(run.id, 1, length(?1)) = ?1", prefix) if prefix else []
        runs = sorted(run for run in runs if run.suite in suites)
        if not runs:
            what = "no run has that version or starts" if version else "no run starts"
            where = f" in the suite {suite}" if suite else ""
            raise SelectionError(f"{what} with '{selector}'{where}; 'prompteval runs' lists them.")
        if len(runs) > 1:
            listed = ", ".join(run.id[: max(8, len(prefix) + 1)] for run in runs[:8])
            raise SelectionError(f"{len(runs)} runs start with '{selector}': {listed}; give more of the id")
        return {runs[0].suite: _single(runs[0])}

    def latest_corpus(self, suite: str) -> str:
        """Return the latest corpus revision of a suite."""
        query = (
            "select corpus from corpus_recording join corpus on corpus.revision = corpus_recording.corpus"
            " where suite = ? order by recorded_at desc, corpus desc limit 1"
        )
        return str(self._connection.execute(query, [suite]).fetchone()[0])

    def labels_differ(self, corpora: Collection[str], other: str) -> bool:
        """Return whether some fixture with one session has other labels in a corpus revision than in one of several."""
        query = (
            "select 1 from corpus_fixture as mine join corpus_fixture as theirs using (fixture_id, session)"
            " where theirs.corpus = ? and mine.corpus in (select value from json_each(?))"
            " and mine.labels <> theirs.labels"
        )
        return self._connection.execute(query, [other, json.dumps(sorted(corpora))]).fetchone() is not None

    def newer_labels(self, suite: str, corpora: Collection[str]) -> NewerLabels | None:
        """Return the latest labels of a suite, where some fixture has other ones in the corpora that are in use."""
        latest = self.latest_corpus(suite)
        if not self.labels_differ(corpora, latest):
            return None
        query = "select max(recorded_at) from corpus_recording where corpus = ?"
        return NewerLabels(latest, self._connection.execute(query, [latest]).fetchone()[0])

    def newest_pair(self, like: Run) -> list[Run] | None:
        """Return the two newest runs of the newest version that has two with the suite and setting of a run."""
        newest = self._connection.execute(_NEWEST_PAIR, [like.suite, *like.setting]).fetchone()
        if newest is None:
            return None
        alike = [run for run in self._runs(" where run.version = ?", newest[0]) if run.suite == like.suite]
        return [run for run in alike if run.setting == like.setting][-2:]

    def recordings(self) -> list[CorpusRecording]:
        """Return every recording of a corpus, oldest first."""
        fixtures: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
        for corpus, *fixture in self._connection.execute("select * from corpus_fixture order by corpus, fixture_id"):
            fixtures[corpus].append((fixture[0], fixture[1], fixture[2]))
        query = (
            "select recorded_at, suite, corpus, version from corpus_recording"
            " join corpus on corpus.revision = corpus_recording.corpus order by recorded_at, corpus"
        )
        rows = self._connection.execute(query)
        return [CorpusRecording(at, suite, name, version, tuple(fixtures[name])) for at, suite, name, version in rows]

    def score(self, runs: Sequence[Run], corpus: str | None = None, more: Sequence[str] = ()) -> Scoring:
        """Return the scoring of some runs under the labels of `corpus`; None: under those each was recorded with.

        `more` names further texts to read: session, prompt. Raises LedgerError if something that it rests on is not
        what was recorded.
        """
        texts = ("labels", "contract", "answer", *more)
        found = facts.of_runs(self._connection, [run.id for run in runs], [corpus] if corpus else [], texts)
        wanted = {"run": {run.id for run in runs}, "corpus": {corpus} if corpus else set(), **facts.texts_of(found)}
        sure = {"run", "corpus", *facts.RECORDED}.intersection(("run", "corpus", *texts))
        integrity.check(found, {table: wanted[table] for table in sorted(sure)}, self._name)
        return Scoring(found, self._derived(found), corpus)

    def scored(self, runs: Sequence[Run], labels: str) -> list[Scored]:
        """Return each run of one suite with its outcomes and sums; `labels` is recorded or latest."""
        latest = self.latest_corpus(runs[0].suite) if labels == "latest" else None
        scoring = self.score(runs, latest)
        outcomes, totals, categories = scoring.outcomes(), scoring.totals(), scoring.categories()
        left_out = scoring.left_out()
        return [
            Scored(
                run,
                labels,
                latest or run.corpus,
                outcomes.get(run.id, []),
                totals.get(run.id, NOTHING),
                categories.get(run.id, {}),
                left_out,
                None if latest else self.newer_labels(run.suite, {run.corpus}),
            )
            for run in runs
        ]

    def _derived(self, found: facts.Facts) -> Iterable[derived.Derived]:
        """Return derived rows of answers: from the file if the installed rules made them, else derived again."""
        pairs = derived.pairs_of(found)
        stored = derived.stored(self._connection, pairs)
        return [*stored.values(), *derived.of_answers(found, (pair for pair in pairs if pair not in stored))]


def _single(run: Run) -> Selection:
    return Selection((run,), f"run {run.short_id}", False)


def _version(selector: str) -> str | None:
    try:
        return normal_version(selector)
    except PromptevalError:
        return None
