"""Score chosen runs: a small ledger in memory with only these runs, and the views of the installed rules."""

from __future__ import annotations

import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterable
from functools import cached_property
from typing import Any

from prompteval.ledger import derived, facts, schema
from prompteval.ledger.facts import Facts
from prompteval.outcomes import (
    COUNTS,
    Counts,
    FixtureOutcome,
    Given,
    LeftOut,
    NearMiss,
    PointRecord,
    PromptUsed,
    Ratio,
    Reason,
    SoleTerm,
    Wanted,
)

# The tables that the views and the queries here read; what the others say has been checked.
_SCORED_FROM = {"labels", "contract", "corpus", "corpus_fixture", "run", "result", "validity", "proposal", "term"}
_NOT_COPIED = {"search_text"}  # long texts, which are read once
_SCORED = "create table scored (run_id, fixture_id, labels, contract, answer, primary key (run_id, fixture_id))"
_FILL_SCORED = """
insert into scored
select run.id, mine.fixture_id, labelled.labels, corpus.contract, result.answer
from run
join corpus on corpus.revision = run.corpus
join corpus_fixture as mine on mine.corpus = run.corpus
join corpus_fixture as labelled
  on labelled.corpus = coalesce(?, run.corpus)
  and labelled.fixture_id = mine.fixture_id
  and labelled.session = mine.session
left join result on result.run_id = run.id and result.fixture_id = mine.fixture_id
where not exists (select 1 from foreign_type where labels = labelled.labels and contract = corpus.contract)
"""
# Points of a type that a contract does not have: no answer under it could be right.
_FOREIGN_TYPE = """
create table foreign_type as
select distinct point.labels, contract.digest as contract, point.type
from point, contract
where point.type not in (select json_extract(value, '$[0]') from json_each(contract.text, '$.proposals'))
"""
_LEFT_OUT = """
select distinct
  mine.fixture_id,
  case
    when labelled.fixture_id is null then 'not in that corpus'
    when labelled.session <> mine.session then 'its session changed'
    else 'its labels expect the type ' || foreign_type.type || ', which the contract of some answers does not have'
  end
from run
join corpus on corpus.revision = run.corpus
join corpus_fixture as mine on mine.corpus = run.corpus
left join corpus_fixture as labelled on labelled.corpus = ? and labelled.fixture_id = mine.fixture_id
left join foreign_type on foreign_type.labels = labelled.labels and foreign_type.contract = corpus.contract
where labelled.session is not mine.session or foreign_type.type is not null
order by mine.fixture_id
"""
_REASONS = """
select
  reason.run_id, reason.fixture_id, reason.code, reason.point_id, reason.count, reason.budget, point.type,
  point.satisfied_by > 0, fixture_count.proposals
from fixture_reason as reason
join fixture_count using (run_id, fixture_id)
left join point_outcome as point using (run_id, fixture_id, point_id)
order by reason.run_id, reason.fixture_id, reason.position
"""
# What a reason names, each in a row.
_NAMED = """
select run_id, fixture_id, 'missed' as code, point_id, term as text, 0 as place from leaked
union all
select run_id, fixture_id, 'phantoms', null, title, number from proposal_outcome where not expected
union all
select run_id, fixture_id, 'invalid', null, value, key
from scored join validity using (answer, contract) join json_each(problems)
order by run_id, fixture_id, code, point_id, place, text
"""
_POINTS = """
select fixture_id, point_id, count(*), sum(matched), count(rank)
from point_outcome
join fixture_count using (run_id, fixture_id)
left join (select run_id, fixture_id, point_id, rank from near_miss where rank = 1) using (run_id, fixture_id, point_id)
where state = 'valid'
group by fixture_id, point_id
order by fixture_id, min(position)
"""
# Points of which some proposal holds at least half of the terms: of must_match_all and of one list of must_match_any.
_HALF = """
select distinct fixture_id, point_id
from proposal_point
left join (
  select run_id, fixture_id, point_id, number, terms as all_terms, found as all_found from term_list where role = 'all'
) using (run_id, fixture_id, point_id, number)
left join (
  select run_id, fixture_id, point_id, number, terms as any_terms, found as any_found from term_list where role = 'any'
) using (run_id, fixture_id, point_id, number)
where 2 * (coalesce(all_found, 0) + coalesce(any_found, 0)) >= coalesce(all_terms, 0) + coalesce(any_terms, 0)
"""
_SOLE_TERMS = """
select fixture_id, point_id, term, count(distinct run_id) as runs
from sole_term
group by fixture_id, point_id, term
order by fixture_id, point_id, runs desc, term
"""
# The proposals that lack such a term; one of must_match_none is not lacking, it occurs.
_TITLES = """
select fixture_id, point_id, term, title
from sole_term
join absent_term using (run_id, fixture_id, point_id, number, term)
join proposal_outcome using (run_id, fixture_id, number)
where role <> 'none'
group by fixture_id, point_id, term, title
order by count(distinct run_id) desc, title
"""
# A guard that is the only one to occur where a proposal satisfies the point.
_SOLE_GUARDS = """
select fixture_id, point_id, term, count(*) as runs
from leaked
join point_outcome using (run_id, fixture_id, point_id)
where satisfied_by > 0 and leaks = 1
group by fixture_id, point_id, term
order by fixture_id, point_id, runs desc, term
"""

Key = tuple[str, str]  # run id, fixture id
Place = tuple[str, str, str]  # and point; or fixture id, point and term


class Scoring:
    """The scores of some runs. It reads no file: what was checked is what is scored."""

    def __init__(self, found: Facts, rows: Iterable[derived.Derived], labels_corpus: str | None) -> None:
        """Take in facts, and what is derived of their answers, to score them under the labels of `labels_corpus`.

        None: each run under the labels it was recorded with.
        """
        self.facts = found
        self.labels_corpus = labels_corpus
        listed = list(rows)
        self._empty = {row.validity[0] for row in listed if row.validity[2] == "[]" and not row.proposals}
        self.connection = sqlite3.connect(":memory:", isolation_level=None)
        self.connection.execute("begin")
        for table, statement in schema.table_statements().items():
            if table in _SCORED_FROM:
                self.connection.execute(statement)
        self.connection.execute(_SCORED)
        facts.insert(self.connection, {table: found[table] for table in facts.TABLES if table in _SCORED_FROM})
        derived.insert_answers(self.connection, listed)
        derived.insert_terms(self.connection, {row.digest: row.text for row in found["labels"].values()})
        self._made = {"scored"}
        self._materialize("point")
        self.connection.execute(_FOREIGN_TYPE)
        self.connection.execute(_FILL_SCORED, [labels_corpus])

    def ask(self, query: str, values: Iterable[Any] = ()) -> sqlite3.Cursor:
        """Return the rows of a query over the tables and views, each view evaluated once, when it is first asked."""
        try:
            self._materialize(query)
            return self.connection.execute(query, list(values))
        except sqlite3.Error as error:  # a defect of the views, not damage to the file
            raise RuntimeError(f"the scoring views cannot be read: {error}") from error

    def _materialize(self, query: str) -> None:
        words = set(re.findall(r"\w+", schema.COMMENT.sub("", query)))
        for name, statement in schema.view_statements().items():
            if name in words and name not in self._made:
                self._made.add(name)
                self._materialize(statement)
                kind = "view" if name in _NOT_COPIED else "table"
                self.connection.execute(statement.replace("create view", f"create {kind}", 1))

    def outcomes(self) -> dict[str, list[FixtureOutcome]]:
        """Return the outcomes by run id, lists by fixture id."""
        rows = self.ask(
            f"select run_id, fixture_id, category, state, passed, gate, {', '.join(f'score.{name}' for name in COUNTS)}"
            " from fixture_outcome join fixture_score as score using (run_id, fixture_id, category)"
            " order by run_id, fixture_id"
        ).fetchall()
        reasons = self._reasons()
        outcomes: dict[str, list[FixtureOutcome]] = defaultdict(list)
        for run, fixture, category, state, passed, gate, *counts in rows:
            outcomes[run].append(
                FixtureOutcome(
                    fixture,
                    category,
                    state,
                    bool(passed),
                    None if gate is None else bool(gate),
                    dict(zip(COUNTS, counts, strict=True)),
                    tuple(reasons[run, fixture]),
                )
            )
        return dict(outcomes)

    def totals(self) -> dict[str, Counts]:
        """Return the sums over the fixtures of each run, by run id."""
        rows = self.ask(f"select run_id, {', '.join(COUNTS)} from run_score")
        return {run: dict(zip(COUNTS, counts, strict=True)) for run, *counts in rows}

    def categories(self) -> dict[str, dict[str, Ratio]]:
        """Return how many fixtures of each category pass, by run id and category."""
        found: dict[str, dict[str, Ratio]] = defaultdict(dict)
        query = "select run_id, category, fixtures_passed, fixtures_total from category_score order by run_id, category"
        for run, category, *passed in self.ask(query):
            found[run][category] = Ratio(*passed)
        return dict(found)

    def left_out(self) -> list[LeftOut]:
        """Return the fixtures that are not scored, since the corpus of the labels lacks them or has another session."""
        return [LeftOut(*row) for row in self.ask(_LEFT_OUT, [self.labels_corpus])] if self.labels_corpus else []

    def given(self) -> dict[str, Given]:
        """Return the answers of each run, by run id; a run without an answer has no entry."""
        sessions = {key: fixture.session for key, fixture in self.facts["corpus_fixture"].items()}
        runs = {run.id: run for run in self.facts["run"].values()}
        found: dict[str, Given] = {}
        for run, fixture, answer in self.facts["result"].values():
            given = found.setdefault(run, Given({}, set(), runs[run].repeat > 0))
            given.answers[fixture] = sessions[runs[run].corpus, fixture], answer
            if answer not in self._empty:
                given.telling.add(fixture)
        return found

    def prompts(self) -> dict[str, tuple[PromptUsed, ...]]:
        """Return the prompt of each run and the files it refers to, by run id; nothing for a run recorded without."""
        found: dict[str, list[PromptUsed]] = defaultdict(list)
        for row in sorted(self.facts["run_prompt"].values()):
            kept = self.facts["prompt"].get((row.prompt,))
            found[row.run_id].append(PromptUsed(row.name, row.prompt, kept.text if kept else None))
        return {run: tuple(files) for run, files in found.items()}

    def sessions(self, corpus: str) -> dict[str, str]:
        """Return the session digest of each fixture of a corpus revision that is scored or scored with, by id."""
        fixtures = self.facts["corpus_fixture"].values()
        return {fixture.fixture_id: fixture.session for fixture in fixtures if fixture.corpus == corpus}

    def number_of_points(self, corpus: str) -> int:
        """Return how many points such a corpus revision expects."""
        query = "select count(*) from corpus_fixture join point using (labels) where corpus = ?"
        return int(self.ask(query, [corpus]).fetchone()[0])

    def points(self) -> list[PointRecord]:
        """Return the record of each point over the valid answers, by fixture, in the label's order."""
        half, sole, guards = set(self.ask(_HALF)), self._counted(_SOLE_TERMS), self._counted(_SOLE_GUARDS)
        titles: dict[Place, list[str]] = defaultdict(list)
        for fixture, point, term, title in self.ask(_TITLES):
            titles[fixture, point, term].append(title)
        found = []
        for fixture, point, runs, matched, near in self.ask(_POINTS):
            key = (fixture, point)
            terms = tuple(SoleTerm(term, number, tuple(titles[fixture, point, term])) for term, number in sole[key])
            found.append(PointRecord(*key, runs, matched, near, key in half, terms, tuple(guards[key])))
        return found

    def _counted(self, query: str) -> dict[tuple[str, str], list[tuple[str, int]]]:
        found: dict[tuple[str, str], list[tuple[str, int]]] = defaultdict(list)
        for fixture, point, term, runs in self.ask(query):
            found[fixture, point].append((term, runs))
        return found

    def _reasons(self) -> dict[Key, list[Reason]]:
        named: dict[Any, list[str]] = defaultdict(list)
        for *place, text, _ in self.ask(_NAMED):
            named[tuple(place)].append(text)
        found: dict[Key, list[Reason]] = defaultdict(list)
        for run, fixture, code, point, count, budget, type_, satisfied, proposals in self.ask(_REASONS):
            texts = tuple(named[run, fixture, code, point])
            nearest = next(iter(self.near_misses.get((run, fixture, point), ())), None)
            found[run, fixture].append(
                Reason(code, count or 0, budget or 0, point, type_, bool(satisfied), proposals, texts, nearest)
            )
        return found

    @cached_property
    def near_misses(self) -> dict[Place, list[NearMiss]]:
        """The near misses of each missed point by run, fixture and point, the nearest first."""
        absent: dict[Any, list[Wanted]] = defaultdict(list)
        for *place, role, alternative, term in self.ask(
            "select run_id, fixture_id, point_id, number, role, alternative, term from absent_term"
            " order by run_id, fixture_id, point_id, number, role, alternative, term"
        ):
            absent[tuple(place)].append(Wanted(role, alternative, term))
        found: dict[Place, list[NearMiss]] = defaultdict(list)
        for run, fixture, point, number, type_, has_words, has_type in self.ask(
            "select run_id, fixture_id, point_id, number, type, has_words, has_type"
            " from near_miss join proposal_outcome using (run_id, fixture_id, number)"
            " order by run_id, fixture_id, point_id, rank"
        ):
            terms = tuple(absent[run, fixture, point, number])
            found[run, fixture, point].append(NearMiss(number, type_, bool(has_words), bool(has_type), terms))
        return found
