-- one row per missed point and proposal that holds some of its terms, or all of them under the wrong type (advisory)
create view near_miss as
select
  proposal_point.run_id, proposal_point.fixture_id, proposal_point.point_id, proposal_point.number,
  proposal_point.has_all, proposal_point.has_any, proposal_point.has_none, proposal_point.has_words,
  proposal_point.has_type,
  row_number() over (
    partition by proposal_point.run_id, proposal_point.fixture_id, proposal_point.point_id
    order by has_words desc, found desc, has_type desc, number
  ) as rank  -- 1: the nearest
from proposal_point
join point_outcome
  on point_outcome.run_id = proposal_point.run_id
  and point_outcome.fixture_id = proposal_point.fixture_id
  and point_outcome.point_id = proposal_point.point_id
where not point_outcome.matched and proposal_point.found > 0 and not proposal_point.satisfies;
