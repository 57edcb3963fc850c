-- one row per scored fixture and proposal: expected (1) or phantom (0)
create view proposal_outcome as
select
  scored.run_id, scored.fixture_id, proposal.number, proposal.type, proposal.title,
  coalesce(hits.points, 0) as satisfies,  -- how many points it satisfies; more than one: merged
  coalesce(hits.matched_points, 0) > 0 as expected  -- 1: it satisfies a matched point
from scored
join proposal on proposal.answer = scored.answer and proposal.contract = scored.contract
left join (
  select
    proposal_point.run_id, proposal_point.fixture_id, proposal_point.number,
    count(*) as points,
    sum(point_outcome.matched) as matched_points
  from proposal_point
  join point_outcome
    on point_outcome.run_id = proposal_point.run_id
    and point_outcome.fixture_id = proposal_point.fixture_id
    and point_outcome.point_id = proposal_point.point_id
  where proposal_point.satisfies
  group by proposal_point.run_id, proposal_point.fixture_id, proposal_point.number
) as hits
  on hits.run_id = scored.run_id
  and hits.fixture_id = scored.fixture_id
  and hits.number = proposal.number;
