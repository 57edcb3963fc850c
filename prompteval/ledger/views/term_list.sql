-- one row per scored fixture, proposal and list of terms of a point
create view term_list as
select
  run_id, fixture_id, number, point_id, role, alternative,
  count(*) as terms,  -- how many terms the list has
  sum(occurs) as found  -- how many of them occur
from term_occurrence
where role <> 'guard'
group by run_id, fixture_id, number, point_id, role, alternative;
