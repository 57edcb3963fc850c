-- one row per near miss and term that keeps the words from being right; of a complete must_match_any nothing is absent
create view absent_term as
select
  term_occurrence.run_id, term_occurrence.fixture_id, term_occurrence.point_id, term_occurrence.number,
  term_occurrence.role, term_occurrence.alternative, term_occurrence.term
from near_miss
join term_occurrence
  on term_occurrence.run_id = near_miss.run_id
  and term_occurrence.fixture_id = near_miss.fixture_id
  and term_occurrence.point_id = near_miss.point_id
  and term_occurrence.number = near_miss.number
where (role = 'all' and not occurs) or (role = 'any' and not occurs and not has_any) or (role = 'none' and occurs);
