-- one row per scored fixture, proposal and expected point: does the proposal satisfy the point
create view proposal_point as
select
  words.run_id, words.fixture_id, words.number, words.point_id, words.found, words.has_all, words.has_any, words.has_none,
  has_all and has_any and has_none as has_words,  -- 1: all that must occur does, and nothing that must not
  proposal.type = point.type as has_type,  -- 1: its type is the point's type
  has_all and has_any and has_none and proposal.type = point.type as satisfies
from (
  select
    run_id, fixture_id, number, point_id,
    sum(case when role <> 'none' then found else 0 end) as found,  -- how many of the terms that must or may occur do
    coalesce(min(case role when 'all' then found = terms end), 1) as has_all,  -- 1: all of must_match_all
    coalesce(max(case role when 'any' then found = terms end), 1) as has_any,  -- 1: all of a list of must_match_any
    coalesce(max(case role when 'none' then found end), 0) = 0 as has_none  -- 1: nothing of must_match_none
  from term_list
  group by run_id, fixture_id, number, point_id
) as words
join scored on scored.run_id = words.run_id and scored.fixture_id = words.fixture_id
join point on point.labels = scored.labels and point.point_id = words.point_id
join proposal
  on proposal.answer = scored.answer and proposal.contract = scored.contract and proposal.number = words.number;
