-- one row per run: the totals; a ratio is null where there is nothing to divide by
create view run_score as
select
  *,
  1.0 * points_matched / nullif(points_total, 0) as recall,
  1.0 * gate_correct / nullif(gate_total, 0) as gate_accuracy,
  1.0 * (proposals - phantoms) / nullif(proposals, 0) as precision
from (
  select
    run_id,
    sum(points_matched) as points_matched, sum(points_total) as points_total,
    sum(phantoms) as phantoms, sum(proposals) as proposals,
    sum(gate_correct) as gate_correct, sum(gate_total) as gate_total,
    sum(fixtures_passed) as fixtures_passed, sum(fixtures_total) as fixtures_total,
    sum(fixtures_answered) as fixtures_answered, sum(fixtures_invalid) as fixtures_invalid
  from fixture_score
  group by run_id
);
