-- one row per scored fixture: what came out, and whether it passes
create view fixture_outcome as
select
  fixture_count.run_id, fixture_count.fixture_id, category, expect_empty,
  state,  -- valid, invalid or missing
  points_matched, points_total, proposals, phantoms, max_unexpected_proposals,
  case when expect_empty then state = 'valid' and proposals = 0 end as gate,  -- 1, 0, or null: not an expect_empty fixture
  failed.run_id is null as passed  -- 1: it has no reason to fail
from fixture_count
left join (select distinct run_id, fixture_id from fixture_reason) as failed
  on failed.run_id = fixture_count.run_id and failed.fixture_id = fixture_count.fixture_id;
