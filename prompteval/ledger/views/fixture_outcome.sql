-- one row per scored fixture: what came out, and whether it passes
create view fixture_outcome as
select
  run_id, fixture_id, category, expect_empty,
  state,  -- valid, invalid or missing
  points_matched, points_total, proposals, phantoms, max_unexpected_proposals,
  case when expect_empty then state = 'valid' and proposals = 0 end as gate,  -- 1, 0, or null: not an expect_empty fixture
  (run_id, fixture_id) not in (select run_id, fixture_id from fixture_reason) as passed  -- 1: it has no reason to fail
from fixture_count;
