-- one row per proposal: its title and body in the three ways they are searched, joined by a line break, which no term holds
create view proposal_text as
select
  answer, list, position, type, written,
  coalesce(read, replace(written, '`', '')) as read,  -- as its Markdown reads
  coalesce(spelled, written) as spelled  -- folded character by character
from (
  select
    answer, list, position, type, read, spelled,
    coalesce(
      written,
      lower(
        replace(replace(title, char(10, 10), ' '), char(10), ' ')
        || char(10)
        || replace(replace(body, char(10, 10), ' '), char(10), ' ')
      )
    ) as written  -- as the model wrote it, folded
  from proposal
);
