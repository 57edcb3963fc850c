-- one row per scored fixture: the counts whose sums are the totals of a run
create view fixture_score as
select
  run_id, fixture_id, category,
  points_matched, points_total,
  phantoms, proposals,
  coalesce(gate, 0) as gate_correct, gate is not null as gate_total,
  passed as fixtures_passed, 1 as fixtures_total,
  state <> 'missing' as fixtures_answered, state = 'invalid' as fixtures_invalid
from fixture_outcome;
