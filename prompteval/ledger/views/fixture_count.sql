-- one row per scored fixture: what is expected and what was found
create view fixture_count as
select
  scored.run_id, scored.fixture_id,
  expectation.category, expectation.expect_empty, expectation.max_unexpected_proposals,
  case
    when scored.answer is null then 'missing'
    when json_array_length(validity.problems) then 'invalid'
    when validity.problems is not null then 'valid'
  end as state,
  coalesce(json_array_length(validity.problems), 0) as problems,
  coalesce(points.matched, 0) as points_matched,
  coalesce(points.total, 0) as points_total,
  coalesce(made.proposals, 0) as proposals,
  coalesce(made.phantoms, 0) as phantoms
from scored
join expectation on expectation.labels = scored.labels
left join validity on validity.answer = scored.answer and validity.contract = scored.contract
left join (
  select run_id, fixture_id, sum(matched) as matched, count(*) as total
  from point_outcome
  group by run_id, fixture_id
) as points
  on points.run_id = scored.run_id and points.fixture_id = scored.fixture_id
left join (
  select run_id, fixture_id, count(*) as proposals, sum(not expected) as phantoms
  from proposal_outcome
  group by run_id, fixture_id
) as made
  on made.run_id = scored.run_id and made.fixture_id = scored.fixture_id;
