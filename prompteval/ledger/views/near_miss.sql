-- one row per missed point and phantom that holds some of the point's terms, or all of them under the wrong type (advisory)
create view near_miss as
select
  proposal_point.run_id, proposal_point.fixture_id, proposal_point.point_id,
  proposal_point.list, proposal_point.position,
  proposal_point.found, proposal_point.has_words, proposal_point.has_type
from proposal_point
join point_outcome
  on point_outcome.run_id = proposal_point.run_id
  and point_outcome.fixture_id = proposal_point.fixture_id
  and point_outcome.point_id = proposal_point.point_id
join proposal_outcome
  on proposal_outcome.run_id = proposal_point.run_id
  and proposal_outcome.fixture_id = proposal_point.fixture_id
  and proposal_outcome.list = proposal_point.list
  and proposal_outcome.position = proposal_point.position
where point_outcome.matched = 0 and proposal_outcome.expected = 0
  and proposal_point.found > 0 and proposal_point.satisfies = 0;
