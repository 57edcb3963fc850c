"""Read how each expected point has fared over all chosen runs. To be asked within `select.scoring`."""

from __future__ import annotations

import sqlite3
from collections import defaultdict

from prompteval.ledger import schema
from prompteval.outcome import PointRecord

_POINTS = """
select
  point_outcome.fixture_id, point_outcome.point_id,
  count(*) as runs,
  sum(point_outcome.matched) as matched,
  sum(exists (
    select 1 from near_miss
    where near_miss.run_id = point_outcome.run_id
    and near_miss.fixture_id = point_outcome.fixture_id
    and near_miss.point_id = point_outcome.point_id
  )) as near
from point_outcome
join scored on scored.run_id = point_outcome.run_id and scored.fixture_id = point_outcome.fixture_id
join answer on answer.digest = scored.answer and answer.state = 'valid'
group by point_outcome.fixture_id, point_outcome.point_id
order by point_outcome.fixture_id, min(point_outcome.position)
"""
# A proposal of the right type that lacks one term of must_match_all, and of must_match_any nothing; no guard occurs.
_SOLE = """
select fixture_id, point_id, term, count(distinct run_id) as runs
from (
  select absent.run_id, absent.fixture_id, absent.point_id, min(absent.term) as term
  from term_occurrence as absent
  join point_outcome
    on point_outcome.run_id = absent.run_id
    and point_outcome.fixture_id = absent.fixture_id
    and point_outcome.point_id = absent.point_id
  join proposal_point
    on proposal_point.run_id = absent.run_id
    and proposal_point.fixture_id = absent.fixture_id
    and proposal_point.point_id = absent.point_id
    and proposal_point.list = absent.list
    and proposal_point.position = absent.position
  where absent.role = 'all' and not absent.occurs
  and point_outcome.matched = 0 and point_outcome.leaks = 0 and proposal_point.has_type and proposal_point.found > 0
  and coalesce((
    select max(term_list.found = term_list.terms)
    from term_list
    where term_list.run_id = absent.run_id
    and term_list.fixture_id = absent.fixture_id
    and term_list.point_id = absent.point_id
    and term_list.list = absent.list
    and term_list.position = absent.position
    and term_list.role = 'any'
  ), 1)
  group by absent.run_id, absent.fixture_id, absent.point_id, absent.list, absent.position
  having count(*) = 1
)
group by fixture_id, point_id, term
order by fixture_id, point_id, runs desc, term
"""


# A guard that is the only one to occur where a proposal satisfies the point.
_GUARDS = """
select fixture_id, point_id, term, count(*) as runs
from (
  select leaked.run_id, leaked.fixture_id, leaked.point_id, min(leaked.term) as term
  from leaked
  join point_outcome
    on point_outcome.run_id = leaked.run_id
    and point_outcome.fixture_id = leaked.fixture_id
    and point_outcome.point_id = leaked.point_id
  where point_outcome.satisfied_by > 0
  group by leaked.run_id, leaked.fixture_id, leaked.point_id
  having count(*) = 1
)
group by fixture_id, point_id, term
order by fixture_id, point_id, runs desc, term
"""


def read_points(connection: sqlite3.Connection) -> list[PointRecord]:
    """Return the record of each point over the valid answers of the chosen runs, by fixture, in the label's order."""
    schema.climb(connection, "near_miss")
    sole, guards = _terms(connection, _SOLE), _terms(connection, _GUARDS)
    return [
        PointRecord(fixture, point, runs, matched, near, tuple(sole[fixture, point]), tuple(guards[fixture, point]))
        for fixture, point, runs, matched, near in connection.execute(_POINTS)
    ]


def _terms(connection: sqlite3.Connection, query: str) -> dict[tuple[str, str], list[tuple[str, int]]]:
    found: dict[tuple[str, str], list[tuple[str, int]]] = defaultdict(list)
    for fixture, point, term, runs in connection.execute(query):
        found[fixture, point].append((term, runs))
    return found
