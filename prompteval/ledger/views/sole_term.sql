-- one row per near miss of the right type and term whose absence alone causes the miss (advisory)
create view sole_term as
select
  absent_term.run_id, absent_term.fixture_id, absent_term.point_id, absent_term.number, absent_term.term
from absent_term
join near_miss
  on near_miss.run_id = absent_term.run_id
  and near_miss.fixture_id = absent_term.fixture_id
  and near_miss.point_id = absent_term.point_id
  and near_miss.number = absent_term.number
join point_outcome
  on point_outcome.run_id = absent_term.run_id
  and point_outcome.fixture_id = absent_term.fixture_id
  and point_outcome.point_id = absent_term.point_id
join term_list
  on term_list.run_id = absent_term.run_id
  and term_list.fixture_id = absent_term.fixture_id
  and term_list.point_id = absent_term.point_id
  and term_list.number = absent_term.number
  and term_list.role = absent_term.role
  and term_list.alternative = absent_term.alternative
where near_miss.has_type and near_miss.has_none and not point_outcome.leaks
  and term_list.terms - term_list.found = 1
  and case absent_term.role when 'all' then near_miss.has_any else near_miss.has_all end;
