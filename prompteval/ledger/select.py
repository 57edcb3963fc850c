"""Find runs in a ledger, and choose which of them are scored under which labels."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from prompteval.errors import PromptevalError, SelectionError
from prompteval.ledger.claims import check_scored
from prompteval.outcome import CorpusRecording, LeftOut, Run
from prompteval.samples import Given
from prompteval.tags import normal_version, shown

_RUNS = """
select
  run.id, run.version, run.model, run.temperature, run.harness, run.note,
  {sample} as sample,
  run.recorded_at, run.corpus,
  (
    select version from corpus_recording
    where corpus = run.corpus and recorded_at <= run.recorded_at order by recorded_at desc limit 1
  ) as corpus_version
from run
"""
# Which sample a run is, of many runs and of one: for all of a version one pass over them, for one run a look-up.
_OF_MANY = """row_number() over (
    partition by run.version, run.model, run.temperature, run.harness order by run.recorded_at, run.id
  )"""
_OF_ONE = """(
    select count(*) from run as other
    where other.version = run.version and other.model = run.model
    and other.temperature is run.temperature and other.harness is run.harness
    and (other.recorded_at, other.id) <= (run.recorded_at, run.id)
  )"""
_ALL_RUNS = _RUNS.format(sample=_OF_MANY)
_ONE_RUN = _RUNS.format(sample=_OF_ONE) + " where run.id = ?"
_TEMP_SCORED = """
create temp table scored (
  run_id text not null, fixture_id text not null, labels text not null, answer text, primary key (run_id, fixture_id)
)"""
_FILL_SCORED = """
insert into temp.scored
select run.id, mine.fixture_id, judge.labels, result.answer
from temp.chosen
join run on run.id = chosen.run_id
join corpus_fixture as mine on mine.corpus = run.corpus
join corpus_fixture as judge
  on judge.corpus = coalesce(?, run.corpus)
  and judge.fixture_id = mine.fixture_id
  and judge.session = mine.session
left join result on result.run_id = run.id and result.fixture_id = mine.fixture_id
"""
# The corpora that say which sessions were answered and which labels judge.
_JUDGING = """
create temp table judging as
select run.corpus from temp.chosen join run on run.id = chosen.run_id union select ? where ?1 is not null
"""
# Copies that stand before the tables of the ledger: who answered what is so read once, and what is checked is what is
# scored, even where a damaged index leads each look-up to another row.
_COPIES = (
    "create temp table result (run_id text, fixture_id text, answer text, primary key (run_id, fixture_id))",
    "insert into temp.result select run_id, fixture_id, answer from main.result"
    " where run_id in (select run_id from temp.chosen)",
    "create temp table corpus_fixture"
    " (corpus text, fixture_id text, session text, labels text, primary key (corpus, fixture_id))",
    "insert into temp.corpus_fixture select corpus, fixture_id, session, labels from main.corpus_fixture"
    " where corpus in (select corpus from temp.judging)",
)
_LEFT_OUT = """
select distinct
  mine.fixture_id,
  case when judge.fixture_id is null then 'not in that corpus' else 'its session changed' end
from temp.chosen
join run on run.id = chosen.run_id
join corpus_fixture as mine on mine.corpus = run.corpus
left join corpus_fixture as judge
  on judge.corpus = coalesce(?, run.corpus) and judge.fixture_id = mine.fixture_id
where judge.session is not mine.session
order by mine.fixture_id
"""
_GIVEN = """
select
  result.run_id, result.fixture_id, corpus_fixture.session || result.answer, run.repeat,
  answer.state = 'invalid' or exists (select 1 from proposal where proposal.answer = result.answer)
from temp.chosen
join run on run.id = chosen.run_id
join result on result.run_id = run.id
join corpus_fixture on corpus_fixture.corpus = run.corpus and corpus_fixture.fixture_id = result.fixture_id
join answer on answer.digest = result.answer
order by result.run_id, result.fixture_id
"""
_OLDEST_FIRST = " order by run.recorded_at, run.id"


class Selection(NamedTuple):
    """The runs a selector stands for, oldest first; `name` is how reports call them."""

    runs: tuple[Run, ...]
    name: str
    is_version: bool


def runs_of(connection: sqlite3.Connection) -> list[Run]:
    """Return every run, oldest first."""
    return [Run(*row) for row in connection.execute(_ALL_RUNS + _OLDEST_FIRST)]


def all_runs(connection: sqlite3.Connection) -> list[Run]:
    """Return every run, oldest first. Raises SelectionError where there is none."""
    runs = runs_of(connection)
    if not runs:
        raise SelectionError("the ledger has no runs; 'prompteval ingest' records one")
    return runs


def select(connection: sqlite3.Connection, selector: str) -> Selection:
    """Return the runs of `latest`, a version or a run id prefix.

    Raises SelectionError where it names none, or where several ids start with it.
    """
    if selector == "latest":
        newest = connection.execute("select id from run order by recorded_at desc, id desc limit 1").fetchone()
        return _single(connection, newest or all_runs(connection))
    version = _version(selector)
    runs = [Run(*row) for row in connection.execute(_ALL_RUNS + " where run.version = ?" + _OLDEST_FIRST, [version])]
    if version and runs:
        return Selection(tuple(runs), shown(version), True)
    prefix = selector.lower()
    ids = connection.execute(
        "select id from run where substr(id, 1, ?) = ? order by id", [len(prefix), prefix]
    ).fetchall()
    if not ids or not prefix:
        what = "has that version or" if version else ""
        raise SelectionError(
            f"no run {what} starts with '{selector}'; 'prompteval runs' lists them.".replace("  ", " ")
        )
    if len(ids) > 1:
        listed = ", ".join(identity[: max(8, len(prefix) + 1)] for (identity,) in ids[:8])
        raise SelectionError(f"{len(ids)} runs start with '{selector}': {listed}; give more of the id")
    return _single(connection, ids[0])


def _single(connection: sqlite3.Connection, identity: Iterable[object]) -> Selection:
    run = Run(*connection.execute(_ONE_RUN, list(identity)).fetchone())
    return Selection((run,), f"run {run.short_id}", False)


def _version(selector: str) -> str | None:
    try:
        return normal_version(selector)
    except PromptevalError:
        return None


def latest_corpus(connection: sqlite3.Connection) -> str:
    """Return the corpus revision that was recorded last."""
    row = connection.execute(
        "select corpus from corpus_recording order by recorded_at desc, corpus desc limit 1"
    ).fetchone()
    if row is None:
        raise SelectionError("the ledger has no corpus; 'prompteval ingest' records one")
    return str(row[0])


def corpus_recordings(connection: sqlite3.Connection) -> list[CorpusRecording]:
    """Return every recording of a corpus, oldest first."""
    fixtures: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
    for corpus, *fixture in connection.execute(
        "select corpus, fixture_id, session, labels from corpus_fixture order by corpus, fixture_id"
    ):
        fixtures[corpus].append((fixture[0], fixture[1], fixture[2]))
    rows = connection.execute("select recorded_at, corpus, version from corpus_recording order by recorded_at, corpus")
    return [CorpusRecording(time, corpus, version, tuple(fixtures[corpus])) for time, corpus, version in rows]


@contextmanager
def scoring(connection: sqlite3.Connection, runs: Iterable[Run], corpus: str | None, name: object) -> Iterator[None]:
    """Within, the scoring ladder stands on `runs` alone: in temp.scored, which is gone after it.

    They are scored under the labels of `corpus`, or (None) under those each was recorded with. Raises LedgerError, with
    the ledger's `name`, where something that they rest on is not what was recorded.
    """
    connection.execute("begin")  # what is made within is rolled back
    try:
        _stand_on(connection, runs, corpus)
        check_scored(connection, name)
        yield
    finally:
        if connection.in_transaction:  # some errors end it by themselves
            connection.execute("rollback")


def left_out(connection: sqlite3.Connection, corpus: str | None) -> list[LeftOut]:
    """Return the fixtures that are not scored, since `corpus` lacks them or has them with another session.

    To be asked within `scoring`.
    """
    return [LeftOut(*row) for row in connection.execute(_LEFT_OUT, [corpus])]


def _stand_on(connection: sqlite3.Connection, runs: Iterable[Run], corpus: str | None) -> None:
    connection.execute(_TEMP_SCORED)
    connection.execute("create temp table chosen (run_id text primary key)")
    connection.executemany("insert into temp.chosen values (?)", [[run.id] for run in runs])
    connection.execute(_JUDGING, [corpus])
    for statement in _COPIES:
        connection.execute(statement)
    connection.execute(_FILL_SCORED, [corpus])


def given(connection: sqlite3.Connection) -> dict[str, Given]:
    """Return what each of the chosen runs answered, by run id. To be asked within `scoring`."""
    answers: dict[str, dict[str, str]] = defaultdict(dict)
    telling: dict[str, set[str]] = defaultdict(set)
    repeats: dict[str, int] = {}
    for run_id, fixture_id, answer, repeat, tells in connection.execute(_GIVEN):
        answers[run_id][fixture_id] = answer
        repeats[run_id] = repeat
        if tells:
            telling[run_id].add(fixture_id)
    return {run: Given(listed, frozenset(telling[run]), repeats[run] > 0) for run, listed in answers.items()}


def points_of(connection: sqlite3.Connection, corpus: str) -> int:
    """Return how many points a corpus revision expects."""
    query = "select count(*) from corpus_fixture join point using (labels) where corpus = ?"
    return int(connection.execute(query, [corpus]).fetchone()[0])


def sessions_of(connection: sqlite3.Connection, corpus: str) -> dict[str, str]:
    """Return the session digest of each fixture of a corpus revision, by fixture id."""
    rows = connection.execute(
        "select fixture_id, session from corpus_fixture where corpus = ? order by fixture_id", [corpus]
    )
    return dict(rows.fetchall())
