-- one row per scored fixture and reason why it fails, in the order of position
create view fixture_reason as
select
  run_id, fixture_id, 0 as position,
  case state when 'missing' then 'no-result' else 'invalid' end as code,
  null as point_id,  -- missed: the point
  case state when 'invalid' then problems end as count,  -- of problems, proposals or phantoms
  null as budget,  -- phantoms: how many still pass
  null as nearest  -- missed: the number of the nearest proposal; null: none has any of its terms
from fixture_count
where state <> 'valid'
union all
select
  point_outcome.run_id, point_outcome.fixture_id, point_outcome.position, 'missed', point_outcome.point_id, null, null,
  near_miss.number
from fixture_count
join point_outcome
  on point_outcome.run_id = fixture_count.run_id and point_outcome.fixture_id = fixture_count.fixture_id
left join near_miss
  on near_miss.run_id = point_outcome.run_id
  and near_miss.fixture_id = point_outcome.fixture_id
  and near_miss.point_id = point_outcome.point_id
  and near_miss.rank = 1
where fixture_count.state = 'valid' and not point_outcome.matched
union all
select run_id, fixture_id, points_total, 'not-empty', null, proposals, null, null
from fixture_count
where expect_empty and proposals > 0
union all
select run_id, fixture_id, points_total + 1, 'phantoms', null, phantoms, max_unexpected_proposals, null
from fixture_count
where phantoms > max_unexpected_proposals;
