-- one row per session
create table session (
  digest text not null primary key,  -- digest of the text
  text text not null  -- the whole file: UTF-8 without a byte order mark, LF line ends
) strict;

-- one row per version of one fixture's labels
create table labels (
  digest text not null primary key,  -- digest of the text
  text text not null  -- what a human expects: canonical JSON with the keys of the label file
) strict;

-- one row per contract: what an answer looks like and where its proposals are
create table contract (
  digest text not null primary key,  -- digest of the text
  text text not null  -- canonical JSON: schema, and JSON Pointers to lists, type, title and searched strings
) strict;

-- one row per prompt text that was kept
create table prompt (
  digest text not null primary key,  -- digest of the text
  text text not null  -- the prompt, or a file that it refers to: UTF-8 without a byte order mark, LF line ends
) strict;

-- one row per answer; the same answer is kept once
create table answer (
  digest text not null primary key,  -- digest of the text
  text any not null check (typeof(text) in ('text', 'blob'))  -- canonical JSON where it is strict JSON, else what was saved, with LF line ends; a blob where that is not text
) strict;

-- one row per corpus revision: a set of fixtures
create table corpus (
  revision text not null primary key,  -- digest of the suite, the contract and the set of (fixture, session, labels)
  suite text not null,  -- the suite it is a revision of
  contract text not null references contract (digest)  -- what an answer looks like
) strict;

-- one row per fixture of a corpus revision
create table corpus_fixture (
  corpus text not null references corpus (revision),  -- the corpus revision
  fixture_id text not null,  -- the fixture
  session text not null references session (digest),  -- what the model reads
  labels text not null references labels (digest),  -- what a human expects
  primary key (corpus, fixture_id)
) strict;

-- one row per time that another corpus revision, or another version name for it, became the latest of its suite
create table corpus_recording (
  recorded_at text not null check (recorded_at like '____-__-__T__:__:__.______Z'),  -- UTC
  corpus text not null references corpus (revision),  -- the revision that is the latest from then on
  version text,  -- the version that corpus.yaml gave it; null: it gave none
  checksum text not null,  -- digest of the row
  primary key (recorded_at, corpus)
) strict;

-- one row per run: the answers that one prompt version gave to one corpus
create table run (
  id text not null primary key,  -- digest of the suite, version, model, temperature, harness, sessions, answers and repeat
  version text not null,  -- prompt version, without a leading v
  model text not null,  -- model name, verbatim
  temperature real,  -- sampling temperature; null: not recorded
  harness text,  -- the program that held the conversation; null: not recorded
  repeat integer not null check (repeat >= 0),  -- 0, or how many runs with the same evidence were recorded before
  corpus text not null references corpus (revision),  -- the corpus revision it was recorded with
  note text,  -- a remark; null: none
  recorded_at text not null check (recorded_at like '____-__-__T__:__:__.______Z'),  -- UTC, never before an earlier recording
  checksum text not null  -- digest of what the id does not cover: corpus, note, recorded_at and prompt files
) strict;

-- one row per prompt file of a run: the prompt, and each file it refers to
create table run_prompt (
  run_id text not null references run (id),  -- the run
  position integer not null check (position >= 0),  -- 0: the prompt; from 1: the files it refers to
  name text not null,  -- the prompt: its file name; a file it refers to: the name that the prompt uses for it
  prompt text not null,  -- digest of the text, which is in prompt where it was kept
  primary key (run_id, position)
) strict;

-- one row per fixture that a run has an answer for; a fixture of its corpus without a row is missing
create table result (
  run_id text not null references run (id),  -- the run
  fixture_id text not null,  -- the fixture
  answer text not null references answer (digest),  -- the answer
  primary key (run_id, fixture_id)
) strict, without rowid;

-- one row per ledger: the rules that made the tables below and the views; they are made again under other rules
create table derived_by (
  rules text not null primary key  -- digest of the code that reads answers and folds texts
) strict;

-- one row per answer and contract: does the answer keep the contract (derived)
create table validity (
  answer text not null references answer (digest),  -- the answer
  contract text not null references contract (digest),  -- the contract
  problems text not null,  -- a JSON list of texts: where and what; empty: the answer is valid
  checksum text not null,  -- digest of the row, its proposals and the rules that made them
  primary key (answer, contract)
) strict, without rowid;

-- one row per proposal of a valid answer: what is searched (derived)
create table proposal (
  answer text not null references answer (digest),  -- the answer
  contract text not null references contract (digest),  -- the contract
  number integer not null,  -- its place in the answer, from 1, all lists counted
  type text not null,  -- its type
  title text not null,  -- its title, as the model wrote it
  kept integer not null,  -- 1: guards are looked for in the searched texts too
  written text not null,  -- the searched texts, each folded, joined by a line break, which no term holds
  read text,  -- the same as their Markdown reads; null: as written, without backticks
  spelled text,  -- the same folded character by character; null: the same as written
  others text not null,  -- further texts that guards are looked for in, folded and joined
  others_read text,  -- the same as their Markdown reads; null: as others, without backticks
  others_spelled text,  -- the same folded character by character; null: the same as others
  primary key (answer, contract, number)
) strict;

-- one row per term of a point: a text that must, may or must not occur (derived)
create table term (
  labels text not null references labels (digest),  -- the labels of its point
  point_id text not null,  -- its point
  role text not null,  -- all, any, none or guard: must_match_all, must_match_any, must_match_none, must_not_match
  alternative integer not null,  -- which list of must_match_any, from 0
  position integer not null,  -- its place in the list, from 0
  term text not null,  -- as the label has it
  folded text not null,  -- as it is compared
  spelled text,  -- as it is compared character by character; null: the same
  primary key (labels, point_id, role, alternative, position)
) strict;
