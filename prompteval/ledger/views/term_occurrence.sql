-- one row per scored fixture, proposal and term: does the term occur in the proposal
create view term_occurrence as
select
  scored.run_id, scored.fixture_id, proposal.number,
  term.point_id, term.role, term.alternative, term.position, term.term,
  (
    (term.role <> 'guard' or proposal.kept)
    and (
      instr(written, folded) > 0
      or coalesce(instr(read, folded) > 0, 0)
      or instr(coalesce(proposal.spelled, written), coalesce(term.spelled, folded)) > 0
    )
  ) or (
    term.role = 'guard'
    and (
      instr(others, folded) > 0
      or coalesce(instr(others_read, folded) > 0, 0)
      or instr(coalesce(others_spelled, others), coalesce(term.spelled, folded)) > 0
    )
  ) as occurs  -- 1 or 0
from scored
join proposal on proposal.answer = scored.answer and proposal.contract = scored.contract
join term on term.labels = scored.labels;
