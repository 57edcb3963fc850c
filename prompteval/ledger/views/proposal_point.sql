-- one row per scored fixture, proposal and expected point: does the proposal satisfy the point
create view proposal_point as
select
  words.run_id, words.fixture_id, words.list, words.position, words.point_id, words.found,
  words.has_words,  -- 1: all terms that must occur do
  proposal.type = point.type as has_type,  -- 1: its type is the point's type
  words.has_words and proposal.type = point.type as satisfies  -- 1: both
from (
  select
    run_id, fixture_id, list, position, point_id,
    sum(found) as found,  -- how many of the point's terms occur
    coalesce(min(case role when 'all' then found = terms end), 1)
    and coalesce(max(case role when 'any' then found = terms end), 1) as has_words
  from term_list
  group by run_id, fixture_id, list, position, point_id
) as words
join scored on scored.run_id = words.run_id and scored.fixture_id = words.fixture_id
join point on point.labels = scored.labels and point.point_id = words.point_id
join proposal
  on proposal.answer = scored.answer and proposal.list = words.list and proposal.position = words.position;
