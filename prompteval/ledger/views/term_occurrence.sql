-- one row per scored fixture, proposal and term: does the term occur in the proposal
create view term_occurrence as
select
  scored.run_id, scored.fixture_id, proposal.number,
  term.point_id, term.role, term.alternative, term.position, term.term,
  coalesce(
    case when term.role <> 'guard' or proposal.kept then
      case
        when instr(written, folded) then 1
        when instr(coalesce(read, replace(written, '`', '')), folded) then 1
        when coalesce(proposal.spelled, term.spelled) is not null
          and instr(coalesce(proposal.spelled, written), coalesce(term.spelled, folded)) then 1
      end
    end,
    case when term.role = 'guard' then
      case
        when instr(others, folded) then 1
        when instr(coalesce(others_read, replace(others, '`', '')), folded) then 1
        when coalesce(others_spelled, term.spelled) is not null
          and instr(coalesce(others_spelled, others), coalesce(term.spelled, folded)) then 1
      end
    end,
    0
  ) as occurs  -- 1 or 0
from scored
join proposal on proposal.answer = scored.answer and proposal.contract = scored.contract
join term on term.labels = scored.labels;
