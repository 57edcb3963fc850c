-- one row per run: the totals; a ratio is null where there is nothing to divide by
create view run_score as
select
  run_id, fixtures_answered, fixtures_passed, fixtures_total, points_matched, points_total, phantoms, proposals,
  gate_correct, gate_total,
  1.0 * points_matched / nullif(points_total, 0) as recall,
  1.0 * gate_correct / nullif(gate_total, 0) as gate_accuracy,
  1.0 * (proposals - phantoms) / nullif(proposals, 0) as precision
from (
  select
    run_id,
    sum(state <> 'missing') as fixtures_answered,
    sum(passed) as fixtures_passed,
    count(*) as fixtures_total,
    sum(points_matched) as points_matched,
    sum(points_total) as points_total,
    sum(phantoms) as phantoms,
    sum(proposals) as proposals,
    coalesce(sum(gate), 0) as gate_correct,
    count(gate) as gate_total
  from fixture_outcome
  group by run_id
);
