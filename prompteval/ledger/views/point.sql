-- one row per expected point of some labels
create view point as
select
  labels.digest as labels,
  json_extract(item.value, '$.id') as point_id,
  item.key as position,  -- its place in the file, from 0
  json_extract(item.value, '$.type') as type  -- the type a proposal must have
from labels, json_each(labels.text, '$.expected_points') as item;
