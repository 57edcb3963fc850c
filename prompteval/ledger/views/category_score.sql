-- one row per run and category
create view category_score as
select run_id, category, sum(fixtures_passed) as fixtures_passed, sum(fixtures_total) as fixtures_total
from fixture_score
group by run_id, category;
