-- one row per scored fixture, proposal and term: does the term occur in the proposal
create view term_occurrence as
select
  scored.run_id, scored.fixture_id, proposal_text.list, proposal_text.position,
  term.point_id, term.role, term.alternative, term.term,
  instr(proposal_text.written, term.folded) > 0
  or instr(proposal_text.read, term.folded) > 0
  or instr(proposal_text.spelled, coalesce(term.spelled, term.folded)) > 0 as occurs  -- 1 or 0
from scored
join proposal_text on proposal_text.answer = scored.answer
join term on term.labels = scored.labels;
