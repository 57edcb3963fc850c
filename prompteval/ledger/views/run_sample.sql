-- one row per run: which sample it is of the runs with the same version, model, temperature and harness, oldest first
create view run_sample as
select
  run.id as run_id,
  row_number() over (
    partition by corpus.suite, version, model, temperature, harness order by recorded_at, run.id
  ) as sample
from run
join corpus on corpus.revision = run.corpus;
