-- one row per labels: what they say of the whole answer
create view expectation as
select
  digest as labels,
  json_extract(text, '$.category') as category,
  json_extract(text, '$.expect_empty') as expect_empty,  -- 1: the right answer has no proposal
  json_extract(text, '$.max_unexpected_proposals') as max_unexpected_proposals,  -- phantoms that still pass
  coalesce(json_extract(text, '$.notes'), '') as notes
from labels;
