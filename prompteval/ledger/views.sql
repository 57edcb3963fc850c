-- one row per labels: what they say of the whole answer
create view expectation as
select
  digest as labels,
  json_extract(text, '$.category') as category,
  json_extract(text, '$.expect_empty') as expect_empty,  -- 1: the right answer has no proposal
  json_extract(text, '$.max_unexpected_proposals') as max_unexpected_proposals,  -- phantoms that still pass
  coalesce(json_extract(text, '$.notes'), '') as notes
from labels;

-- one row per expected point of some labels
create view point as
select
  labels.digest as labels,
  json_extract(item.value, '$.id') as point_id,
  item.key as position,  -- its place in the file, from 0
  json_extract(item.value, '$.type') as type  -- the type a proposal must have
from labels, json_each(labels.text, '$.expected_points') as item;

-- one row per run and fixture that is scored: under which labels and contract, and which answer (null: missing)
create view scored as
select run.id as run_id, corpus_fixture.fixture_id, corpus_fixture.labels, corpus.contract, result.answer
from run
join corpus on corpus.revision = run.corpus
join corpus_fixture using (corpus)
left join result on result.run_id = run.id and result.fixture_id = corpus_fixture.fixture_id;

-- one row per proposal: the texts that are searched, in the three ways in which they are
create view search_text as
select
  answer, contract, number, kept,
  written,  -- as the model wrote them
  coalesce(read, replace(written, '`', '')) as read,  -- as their Markdown reads
  coalesce(spelled, written) as spelled,  -- character by character
  others,  -- and the same of those that only guards are looked for in
  coalesce(others_read, replace(others, '`', '')) as others_read,
  coalesce(others_spelled, others) as others_spelled
from proposal;

-- one row per scored fixture, proposal and term: does the term occur in the proposal
create view term_occurrence as
select
  scored.run_id, scored.fixture_id, search_text.number,
  term.point_id, term.role, term.alternative, term.position, term.term,
  coalesce(
    case when term.role <> 'guard' or search_text.kept then
      case
        when instr(written, folded) then 1
        when instr(read, folded) then 1
        when instr(search_text.spelled, coalesce(term.spelled, folded)) then 1
      end
    end,
    case when term.role = 'guard' then
      case
        when instr(others, folded) then 1
        when instr(others_read, folded) then 1
        when instr(others_spelled, coalesce(term.spelled, folded)) then 1
      end
    end,
    0
  ) as occurs  -- 1 or 0
from scored
join search_text using (answer, contract)
join term using (labels);

-- one row per scored fixture, proposal and list of terms of a point
create view term_list as
select
  run_id, fixture_id, number, point_id, role, alternative,
  count(*) as terms,  -- how many terms the list has
  sum(occurs) as found  -- how many of them occur
from term_occurrence
where role <> 'guard'
group by run_id, fixture_id, number, point_id, role, alternative;

-- one row per scored fixture, proposal and expected point: does the proposal satisfy the point
create view proposal_point as
select
  words.run_id, words.fixture_id, words.number, words.point_id, words.found, words.has_all, words.has_any, words.has_none,
  has_all and has_any and has_none as has_words,  -- 1: all that must occur does, and nothing that must not
  proposal.type = point.type as has_type,  -- 1: its type is the point's type
  has_all and has_any and has_none and proposal.type = point.type as satisfies
from (
  select
    run_id, fixture_id, number, point_id,
    sum(case when role <> 'none' then found else 0 end) as found,  -- how many of the terms that must or may occur do
    coalesce(min(case role when 'all' then found = terms end), 1) as has_all,  -- 1: all of must_match_all
    coalesce(max(case role when 'any' then found = terms end), 1) as has_any,  -- 1: all of a list of must_match_any
    coalesce(max(case role when 'none' then found end), 0) = 0 as has_none  -- 1: nothing of must_match_none
  from term_list
  group by run_id, fixture_id, number, point_id
) as words
join scored using (run_id, fixture_id)
join point using (labels, point_id)
join proposal using (answer, contract, number);

-- one row per scored fixture, expected point and guard of it that occurs in some proposal (a leak misses its point)
create view leaked as
select distinct run_id, fixture_id, point_id, term
from term_occurrence
where role = 'guard' and occurs;

-- one row per scored fixture and expected point: matched (1) or missed (0)
create view point_outcome as
select
  scored.run_id, scored.fixture_id, point.point_id, point.position, point.type,
  coalesce(satisfied.by_proposals, 0) as satisfied_by,  -- how many proposals satisfy it; more than one: redundant
  coalesce(leaks.guards, 0) as leaks,  -- how many of its guards occur
  coalesce(satisfied.by_proposals, 0) > 0 and leaks.guards is null as matched
from scored
join point using (labels)
left join (
  select run_id, fixture_id, point_id, sum(satisfies) as by_proposals
  from proposal_point
  group by run_id, fixture_id, point_id
) as satisfied using (run_id, fixture_id, point_id)
left join (
  select run_id, fixture_id, point_id, count(*) as guards
  from leaked
  group by run_id, fixture_id, point_id
) as leaks using (run_id, fixture_id, point_id);

-- one row per scored fixture and proposal: expected (1) or phantom (0)
create view proposal_outcome as
select
  scored.run_id, scored.fixture_id, proposal.number, proposal.type, proposal.title,
  coalesce(hits.points, 0) as satisfies,  -- how many points it satisfies; more than one: merged
  coalesce(hits.matched_points, 0) > 0 as expected  -- 1: it satisfies a matched point
from scored
join proposal using (answer, contract)
left join (
  select
    proposal_point.run_id, proposal_point.fixture_id, proposal_point.number,
    count(*) as points,
    sum(point_outcome.matched) as matched_points
  from proposal_point
  join point_outcome
    on point_outcome.run_id = proposal_point.run_id
    and point_outcome.fixture_id = proposal_point.fixture_id
    and point_outcome.point_id = proposal_point.point_id
  where proposal_point.satisfies
  group by proposal_point.run_id, proposal_point.fixture_id, proposal_point.number
) as hits using (run_id, fixture_id, number);

-- one row per missed point and proposal that holds some of its terms, or all of them under the wrong type (advisory)
create view near_miss as
select
  proposal_point.run_id, proposal_point.fixture_id, proposal_point.point_id, proposal_point.number,
  proposal_point.has_all, proposal_point.has_any, proposal_point.has_none, proposal_point.has_words,
  proposal_point.has_type,
  row_number() over (
    partition by proposal_point.run_id, proposal_point.fixture_id, proposal_point.point_id
    order by has_words desc, found desc, has_type desc, number
  ) as rank  -- 1: the nearest
from proposal_point
join point_outcome using (run_id, fixture_id, point_id)
where not point_outcome.matched and proposal_point.found > 0 and not proposal_point.satisfies;

-- one row per near miss and term that keeps the words from being right; of a complete must_match_any nothing is absent
create view absent_term as
select
  term_occurrence.run_id, term_occurrence.fixture_id, term_occurrence.point_id, term_occurrence.number,
  term_occurrence.role, term_occurrence.alternative, term_occurrence.term
from near_miss
join term_occurrence using (run_id, fixture_id, point_id, number)
where (role = 'all' and not occurs) or (role = 'any' and not occurs and not has_any) or (role = 'none' and occurs);

-- one row per near miss of the right type and term that alone causes the miss (advisory)
create view sole_term as
select
  absent_term.run_id, absent_term.fixture_id, absent_term.point_id, absent_term.number, absent_term.term
from absent_term
join near_miss using (run_id, fixture_id, point_id, number)
join point_outcome using (run_id, fixture_id, point_id)
join term_list using (run_id, fixture_id, point_id, number, role, alternative)
where has_type and not leaks and case role
  when 'none' then has_all and has_any and found = 1
  when 'all' then has_none and has_any and terms - found = 1
  when 'any' then has_none and has_all and terms - found = 1
end;

-- one row per scored fixture: what is expected and what was found
create view fixture_count as
select
  scored.run_id, scored.fixture_id,
  expectation.category, expectation.expect_empty, expectation.max_unexpected_proposals,
  case
    when scored.answer is null then 'missing'
    when json_array_length(validity.problems) then 'invalid'
    when validity.problems is not null then 'valid'
  end as state,
  coalesce(json_array_length(validity.problems), 0) as problems,
  coalesce(points.matched, 0) as points_matched,
  coalesce(points.total, 0) as points_total,
  coalesce(made.proposals, 0) as proposals,
  coalesce(made.phantoms, 0) as phantoms
from scored
join expectation using (labels)
left join validity using (answer, contract)
left join (
  select run_id, fixture_id, sum(matched) as matched, count(*) as total
  from point_outcome
  group by run_id, fixture_id
) as points using (run_id, fixture_id)
left join (
  select run_id, fixture_id, count(*) as proposals, sum(not expected) as phantoms
  from proposal_outcome
  group by run_id, fixture_id
) as made using (run_id, fixture_id);

-- one row per scored fixture and reason why it fails, in the order of position
create view fixture_reason as
select
  run_id, fixture_id, 0 as position,
  case state when 'missing' then 'no-result' else 'invalid' end as code,
  null as point_id,  -- missed: the point
  case state when 'invalid' then problems end as count,  -- of problems, proposals or phantoms
  null as budget,  -- phantoms: how many still pass
  null as nearest  -- missed: the number of the nearest proposal; null: none has any of its terms
from fixture_count
where state <> 'valid'
union all
select
  point_outcome.run_id, point_outcome.fixture_id, point_outcome.position, 'missed', point_outcome.point_id, null, null,
  near_miss.number
from fixture_count
join point_outcome using (run_id, fixture_id)
left join (select * from near_miss where rank = 1) as near_miss using (run_id, fixture_id, point_id)
where fixture_count.state = 'valid' and not point_outcome.matched
union all
select run_id, fixture_id, points_total, 'not-empty', null, proposals, null, null
from fixture_count
where expect_empty and proposals > 0
union all
select run_id, fixture_id, points_total + 1, 'phantoms', null, phantoms, max_unexpected_proposals, null
from fixture_count
where phantoms > max_unexpected_proposals;

-- one row per scored fixture: what came out, and whether it passes
create view fixture_outcome as
select
  fixture_count.run_id, fixture_count.fixture_id, category, expect_empty,
  state,  -- valid, invalid or missing
  points_matched, points_total, proposals, phantoms, max_unexpected_proposals,
  case when expect_empty then state = 'valid' and proposals = 0 end as gate,  -- 1, 0, or null: not an expect_empty fixture
  failed.run_id is null as passed  -- 1: it has no reason to fail
from fixture_count
left join (select distinct run_id, fixture_id from fixture_reason) as failed using (run_id, fixture_id);

-- one row per scored fixture: the counts whose sums are the totals of a run
create view fixture_score as
select
  run_id, fixture_id, category,
  points_matched, points_total,
  phantoms, proposals,
  coalesce(gate, 0) as gate_correct, gate is not null as gate_total,
  passed as fixtures_passed, 1 as fixtures_total,
  state <> 'missing' as fixtures_answered, state = 'invalid' as fixtures_invalid
from fixture_outcome;

-- one row per run and category
create view category_score as
select run_id, category, sum(fixtures_passed) as fixtures_passed, sum(fixtures_total) as fixtures_total
from fixture_score
group by run_id, category;

-- one row per run: the totals; a ratio is null where there is nothing to divide by
create view run_score as
select
  *,
  1.0 * points_matched / nullif(points_total, 0) as recall,
  1.0 * gate_correct / nullif(gate_total, 0) as gate_accuracy,
  1.0 * (proposals - phantoms) / nullif(proposals, 0) as precision
from (
  select
    run_id,
    sum(points_matched) as points_matched, sum(points_total) as points_total,
    sum(phantoms) as phantoms, sum(proposals) as proposals,
    sum(gate_correct) as gate_correct, sum(gate_total) as gate_total,
    sum(fixtures_passed) as fixtures_passed, sum(fixtures_total) as fixtures_total,
    sum(fixtures_answered) as fixtures_answered, sum(fixtures_invalid) as fixtures_invalid
  from fixture_score
  group by run_id
);

-- one row per run: which sample it is of the runs with the same version, model, temperature and harness, oldest first
create view run_sample as
select
  run.id as run_id,
  row_number() over (
    partition by corpus.suite, version, model, temperature, harness order by recorded_at, run.id
  ) as sample
from run
join corpus on corpus.revision = run.corpus;
