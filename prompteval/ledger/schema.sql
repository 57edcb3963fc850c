-- one row per session text, under the digest of its content
create table session (
  digest text not null primary key,  -- digest of the text
  text text not null  -- the whole file: UTF-8 without a byte order mark, LF line ends
) strict;

-- one row per version of one fixture's labels, under the digest of what they say
create table labels (
  digest text not null primary key,  -- digest of the labels: category, points, terms, budget and notes
  category text not null,  -- the fixture's category
  expect_empty integer not null check (expect_empty in (0, 1)),  -- 1: the right answer has no proposal
  max_unexpected_proposals integer not null check (max_unexpected_proposals >= 0),  -- phantoms that still pass
  notes text not null  -- what the fixture tests, for people
) strict;

-- one row per expected point of some labels
create table point (
  labels text not null references labels (digest),  -- the labels it belongs to
  point_id text not null,  -- its name, unique within the labels
  position integer not null,  -- its place in the file, from 0
  type text not null check (type in ('practice', 'map')),  -- the type a proposal must have
  primary key (labels, point_id)
) strict;

-- one row per term of a point: a text that must, may or must not occur
create table term (
  labels text not null,  -- the labels of its point
  point_id text not null,  -- its point
  role text not null check (role in ('all', 'any', 'guard')),  -- must_match_all, must_match_any or must_not_match
  alternative integer not null check (alternative >= 0 and (role = 'any' or alternative = 0)),  -- which list of must_match_any, from 0
  term text not null,  -- as the label has it
  folded text not null check (folded <> ''),  -- as it is compared
  spelled text check (spelled <> folded),  -- as it is compared character by character; null: the same
  seal text not null,  -- digest of term, folded and spelled (since version 2)
  primary key (labels, point_id, role, alternative, term),
  foreign key (labels, point_id) references point (labels, point_id)
) strict;

-- one row per corpus revision: a set of fixtures
create table corpus (
  revision text not null primary key  -- digest of the set of (fixture, session, labels)
) strict;

-- one row per fixture of a corpus revision
create table corpus_fixture (
  corpus text not null references corpus (revision),  -- the corpus revision
  fixture_id text not null,  -- the fixture
  session text not null references session (digest),  -- what the model reads
  labels text not null references labels (digest),  -- what a human expects
  primary key (corpus, fixture_id)
) strict;

-- one row per time that another corpus revision, or another version name for it, became the latest
create table corpus_recording (
  recorded_at text not null check (recorded_at like '____-__-__T__:__:__.______Z'),  -- UTC
  corpus text not null references corpus (revision),  -- the revision that is the latest from then on
  version text,  -- the version that corpus.yaml gave it; null: it gave none
  seal text not null,  -- digest of the row (since version 2)
  primary key (recorded_at, corpus)
) strict;

-- one row per answer, under the digest of its content; the same answer is kept once
create table answer (
  digest text not null primary key,  -- digest of the proposals, or of the raw text where it is invalid
  state text not null check (state in ('valid', 'invalid')),  -- does it keep the contract proposal-output
  raw any check ((state = 'invalid') = (raw is not null) and typeof(raw) in ('null', 'text', 'blob'))  -- an invalid answer as it was saved; a blob where it is no text
) strict;

-- one row per problem of an invalid answer
create table answer_problem (
  answer text not null references answer (digest),  -- the answer
  position integer not null,  -- its place in the list of problems, from 0
  problem text not null,  -- where and what, in one line
  seal text not null,  -- digest of the row (since version 2)
  primary key (answer, position)
) strict;

-- one row per proposal of a valid answer
create table proposal (
  answer text not null references answer (digest),  -- the answer
  list text not null check (list in ('practice', 'map')),  -- the list it stood in
  position integer not null check (position >= 0),  -- its place in the list, from 0
  type text not null check (type in ('practice', 'map')),  -- its type, which counts
  title text not null,  -- title, as the model wrote it
  description text not null,  -- description, as the model wrote it; never searched
  body text not null,  -- body, Markdown, as the model wrote it
  tags text not null,  -- the tags as a JSON list of texts; never searched
  kk_confidence text not null check (kk_confidence in ('low', 'medium', 'high')),  -- how sure the model said it was
  written text,  -- title and body folded; null where the view proposal_text can make it of title and body
  read text,  -- the same of what the Markdown reads as; null where it is the written text without backticks and outer white space
  spelled text,  -- the same folded character by character; null where it is the written text
  seal text not null,  -- digest of title, body, written, read and spelled (since version 2)
  primary key (answer, list, position)
) strict;

-- one row per run: the answers that one prompt version gave to one corpus
create table run (
  id text not null primary key,  -- digest of version, model, temperature, harness, sessions, answers and repeat
  version text not null,  -- prompt version, without a leading v
  model text not null,  -- model name, verbatim
  temperature real,  -- sampling temperature; null: not recorded
  harness text,  -- the program that held the conversation; null: not recorded
  note text,  -- a remark; null: none
  prompt_sha256 text check (length(prompt_sha256) = 64),  -- SHA-256 of the prompt file's bytes; null: not recorded
  prompt_version text,  -- the version that the prompt file names; null: none
  seal text not null,  -- digest of what the id does not cover: note, prompt, corpus and recorded_at (since version 2)
  repeat integer not null check (repeat >= 0),  -- 0, or how many runs with the same evidence were recorded before
  corpus text not null references corpus (revision),  -- the corpus revision it was recorded with
  recorded_at text not null check (recorded_at like '____-__-__T__:__:__.______Z')  -- UTC, never before an earlier recording
) strict;

-- one row per fixture that a run has an answer for; a fixture of its corpus without a row is missing
create table result (
  run_id text not null references run (id),  -- the run
  fixture_id text not null,  -- the fixture
  answer text not null references answer (digest),  -- the answer
  primary key (run_id, fixture_id)
) strict;
