-- one row per scored fixture and expected point: matched (1) or missed (0)
create view point_outcome as
select
  scored.run_id, scored.fixture_id, point.point_id, point.position, point.type,
  coalesce(satisfied.by_proposals, 0) as satisfied_by,  -- how many proposals satisfy it; more than one: redundant
  coalesce(leaks.guards, 0) as leaks,  -- how many of its guards occur
  coalesce(satisfied.by_proposals, 0) > 0 and leaks.guards is null as matched
from scored
join point on point.labels = scored.labels
left join (
  select run_id, fixture_id, point_id, sum(satisfies) as by_proposals
  from proposal_point
  group by run_id, fixture_id, point_id
) as satisfied
  on satisfied.run_id = scored.run_id
  and satisfied.fixture_id = scored.fixture_id
  and satisfied.point_id = point.point_id
left join (
  select run_id, fixture_id, point_id, count(*) as guards
  from leaked
  group by run_id, fixture_id, point_id
) as leaks
  on leaks.run_id = scored.run_id
  and leaks.fixture_id = scored.fixture_id
  and leaks.point_id = point.point_id;
