-- one row per scored fixture, expected point and guard of it that occurs in some proposal (a leak misses its point)
create view leaked as
select distinct run_id, fixture_id, point_id, term
from term_occurrence
where role = 'guard' and occurs;
