-- one row per scored fixture: what came out, and whether it passes
create view fixture_outcome as
select
  run_id, fixture_id, category, expect_empty, state, points_matched, points_total, proposals, phantoms,
  max_unexpected_proposals,
  case when expect_empty then state = 'valid' and proposals = 0 end as gate,  -- 1, 0, or null: not an expect_empty fixture
  state = 'valid'
  and points_matched = points_total
  and phantoms <= max_unexpected_proposals
  and not (expect_empty and proposals > 0) as passed  -- 1 or 0
from (
  select
    scored.run_id, scored.fixture_id, labels.category, labels.expect_empty, labels.max_unexpected_proposals,
    coalesce(answer.state, 'missing') as state,  -- valid, invalid or missing
    coalesce(points.matched, 0) as points_matched,
    coalesce(points.total, 0) as points_total,
    coalesce(made.proposals, 0) as proposals,
    coalesce(made.phantoms, 0) as phantoms
  from scored
  join labels on labels.digest = scored.labels
  left join answer on answer.digest = scored.answer
  left join (
    select run_id, fixture_id, sum(matched) as matched, count(*) as total
    from point_outcome
    group by run_id, fixture_id
  ) as points
    on points.run_id = scored.run_id and points.fixture_id = scored.fixture_id
  left join (
    select run_id, fixture_id, count(*) as proposals, sum(expected = 0) as phantoms
    from proposal_outcome
    group by run_id, fixture_id
  ) as made
    on made.run_id = scored.run_id and made.fixture_id = scored.fixture_id
);
