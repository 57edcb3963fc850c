-- one row per run and category
create view category_score as
select run_id, category, sum(passed) as passed, count(*) as total
from fixture_outcome
group by run_id, category;
