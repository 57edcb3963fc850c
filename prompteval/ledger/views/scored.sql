-- one row per run and fixture that is scored: under which labels and contract, and which answer (null: missing)
create view scored as
select run.id as run_id, corpus_fixture.fixture_id, corpus_fixture.labels, corpus.contract, result.answer
from run
join corpus on corpus.revision = run.corpus
join corpus_fixture on corpus_fixture.corpus = run.corpus
left join result on result.run_id = run.id and result.fixture_id = corpus_fixture.fixture_id;
