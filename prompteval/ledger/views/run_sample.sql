-- one row per run: which sample it is of the runs with the same version, model, temperature and harness, oldest first
create view run_sample as
select
  id as run_id,
  row_number() over (partition by version, model, temperature, harness order by recorded_at, id) as sample
from run;
