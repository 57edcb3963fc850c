"""Take in one run: the fixtures, the answers and what a human recorded about them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from prompteval.digests import digest, run_id
from prompteval.errors import PromptevalError, count
from prompteval.inputs.fixtures import corpus_of, load_corpus
from prompteval.inputs.prompts import check_version, read_prompts
from prompteval.inputs.results import read_results
from prompteval.ledger import derived, facts
from prompteval.ledger.changes import Change, changes
from prompteval.ledger.facts import CorpusRow, FixtureRow, PromptRow, RecordingRow, ResultRow, Row, RunRow, text_row
from prompteval.ledger.integrity import check, checksum_of_recording, checksum_of_run
from prompteval.ledger.times import next_time
from prompteval.ledger.write import appending
from prompteval.model import Answer, Corpus, RunTags
from prompteval.tags import checked_name, normal_version, parse_temperature


class RecordedCorpus(NamedTuple):
    """What became of a corpus revision. `new`: it was not the latest before.

    `older_than` is the revision that was, where the ledger knew this one before it. `changes` are those since the
    latest revision of the suite, and `same_version`: they have the version name that it had.
    """

    new: bool
    older_than: str | None = None
    changes: tuple[Change, ...] = ()
    same_version: bool = False


class Recorded(NamedTuple):
    """What an ingest wrote: the id of the new run (None: no results were given) and which sample it is.

    `corpus` is what became of the corpus revision. `same_answers` are the ids of runs under other tags with exactly
    the same answers, `other_prompts` those of the same version that were recorded with another prompt file.
    """

    run_id: str | None
    corpus: RecordedCorpus
    sample: int = 0
    same_answers: tuple[str, ...] = ()
    other_prompts: tuple[str, ...] = ()


class Ingested(NamedTuple):
    """What an ingest took in. `answers` is empty, and `recorded.run_id` None, when it was the corpus alone."""

    corpus: Corpus
    tags: RunTags | None
    answers: Mapping[str, Answer]
    recorded: Recorded
    warnings: tuple[str, ...]


def ingest(
    fixtures: Path, ledger: Path, results: Path | None, tags: RunTags | None, *, partial: bool, repeat: bool
) -> Ingested:
    """Read fixtures and results, check them and append them to the ledger; without `results` the fixtures alone.

    `partial` lets results be missing, `repeat` records the same answers again. Raises PromptevalError, and then nothing
    was written.
    """
    loaded = load_corpus(fixtures)
    corpus = corpus_of(loaded, fixtures)
    if results is None or tags is None:
        from prompteval.inputs.checks import check_loaded

        problems = [str(each) for each in check_loaded(loaded).problems if each.path.startswith("expected/")]
        recorded = record(ledger, corpus)
        return Ingested(corpus, tags, {}, recorded, (*_of_corpus(corpus, recorded.corpus), *problems))
    answers, others = read_results(results, [fixture.id for fixture in corpus.fixtures], corpus.suite.contract)
    missing = [fixture.id for fixture in corpus.fixtures if fixture.id not in answers]
    if not answers:
        example = f"a result is named after its fixture, such as {missing[0]}.json"
        raise PromptevalError(f"no result in {results}; {example}")
    if missing and not partial:
        raise PromptevalError(
            f"{count(len(missing), 'result')} missing in {results}: {', '.join(missing)}; "
            "save what is missing, or record the run without it with --partial"
        )
    recorded = record(ledger, corpus, tags, answers, repeat)
    passed_over = [f"{results / name} is not a .json file and was passed over" for name in others]
    warnings = (*_of_corpus(corpus, recorded.corpus), *passed_over, *_warnings(answers, recorded))
    return Ingested(corpus, tags, answers, recorded, warnings)


def _of_corpus(corpus: Corpus, recorded: RecordedCorpus) -> Iterable[str]:
    """Say so where an old checkout made old labels the latest ones again, or one version now means two corpora."""
    if recorded.older_than is not None:
        here, newer = corpus.revision[:8], recorded.older_than[:8]
        yield f"corpus {here} was recorded before {newer}; its labels are the latest again, which --labels latest takes"
    elif recorded.changes and recorded.same_version and corpus.suite.version is not None:
        yield f"labels or sessions changed, and corpus.yaml kept version {corpus.suite.version}; give it a new one"


def _warnings(answers: Mapping[str, Answer], recorded: Recorded) -> Iterable[str]:
    yield from (f"run {other[:8]} under other tags has exactly these answers" for other in recorded.same_answers)
    if others := recorded.other_prompts:
        named = f"run {others[0][:8]}" + (f" and {len(others) - 1} more" if len(others) > 1 else "")
        yield f"{named} of the same version had another prompt file; each prompt needs a version of its own"
    for name, answer in sorted(answers.items()):
        yield from (f"{name}.json: {text}" for text in answer.misplaced)


def read_tags(
    *,
    version: str | None,
    model: str | None,
    temperature: str | None,
    harness: str | None,
    note: str | None,
    prompt: Path | None,
    referenced: Sequence[str],
) -> RunTags:
    """Return the tags of a run from what the command was given, its prompt files read. Raises PromptevalError."""
    if version is None or model is None:
        name = "--version" if version is None else "--model"
        raise PromptevalError(f"{name} is missing; a run is recorded under its version and model")
    version = normal_version(version)
    prompts = read_prompts(prompt, referenced) if prompt else ()
    if prompts:
        check_version(prompts[0], version)
    return RunTags(
        version,
        checked_name("model", model),
        None if temperature is None else parse_temperature(temperature),
        None if harness is None else checked_name("harness", harness),
        note,
        prompts,
    )


def record(
    ledger: Path,
    corpus: Corpus,
    tags: RunTags | None = None,
    answers: Mapping[str, Answer] | None = None,
    repeat: bool = False,
) -> Recorded:
    """Append a corpus revision where it is not the latest and, where `tags` are given, the run that answered it.

    Raises PromptevalError when the same evidence is in the ledger and `repeat` is not asked for; LedgerError.
    """
    with appending(ledger) as connection:
        if tags is None or answers is None:
            return Recorded(None, _append_corpus(connection, ledger, corpus, _now(connection)))
        sessions = {fixture.id: digest(fixture.session) for fixture in corpus.fixtures}
        evidence = [(name, sessions[name], digest(answer.text)) for name, answer in answers.items()]
        repeats = _repeats(connection, corpus.suite.name, tags, evidence)
        if repeats and not repeat:
            raise PromptevalError(_already(connection, repeats[-1]))
        now = _now(connection)
        new_corpus = _append_corpus(connection, ledger, corpus, now)
        same = [other for other in _same_answers(connection, corpus.suite.name, answers) if other not in repeats]
        other_prompts = _other_prompts(connection, corpus.suite.name, tags)
        identity = run_id(corpus.suite.name, tags.identity, evidence, len(repeats))
        prompts = [PromptRow(identity, place, each.name, each.digest) for place, each in enumerate(tags.prompts)]
        run = RunRow(identity, *tags.identity, len(repeats), corpus.revision, tags.note, now, "")
        run = run._replace(checksum=checksum_of_run(run, prompts))
        kept = [("prompt", text_row(each.text)) for each in tags.prompts if corpus.suite.keep_prompts]
        _append(connection, [*_run_rows(run, prompts, answers), *kept])
        _append_derived(connection, corpus, answers)
        sample = _sample(connection, tags, corpus.suite.name)
    return Recorded(identity, new_corpus, sample, tuple(same), tuple(other_prompts))


def _now(connection: sqlite3.Connection) -> str:
    (newest,) = connection.execute(
        "select max(recorded_at) from (select recorded_at from run union all select recorded_at from corpus_recording)"
    ).fetchone()
    return next_time(newest)


def _repeats(
    connection: sqlite3.Connection, suite: str, tags: RunTags, evidence: Sequence[tuple[str, str, str]]
) -> list[str]:
    """Return the ids of the runs with the same evidence, oldest first: their ids differ by the repeat number alone."""
    found: list[str] = []
    while connection.execute(
        "select 1 from run where id = ?", [(identity := run_id(suite, tags.identity, evidence, len(found)))]
    ).fetchone():
        found.append(identity)
    return found


def _already(connection: sqlite3.Connection, identity: str) -> str:
    (recorded_at,) = connection.execute("select recorded_at from run where id = ?", [identity]).fetchone()
    return (
        f"these answers are already recorded as run {identity[:8]} of {recorded_at[:10]}; "
        "--repeat records them as a further sample"
    )


def _same_answers(connection: sqlite3.Connection, suite: str, answers: Mapping[str, Answer]) -> list[str]:
    """Return the runs that gave exactly these answers, at least one of them with a proposal.

    Under other tags it is legal, and often a slip of the hand: one version's folder ingested as another's.
    """
    telling = [name for name, answer in answers.items() if answer.proposals or not answer.valid]
    if not telling:
        return []
    wanted = sorted((name, digest(answer.text)) for name, answer in answers.items())
    candidates = connection.execute(
        "select run_id from result join run on run.id = run_id join corpus on revision = run.corpus"
        " where suite = ? and fixture_id = ? and answer = ? order by run_id",
        [suite, telling[0], digest(answers[telling[0]].text)],
    ).fetchall()
    found = "select fixture_id, answer from result where run_id = ? order by fixture_id, answer"
    return [identity for (identity,) in candidates if connection.execute(found, [identity]).fetchall() == wanted]


def _other_prompts(connection: sqlite3.Connection, suite: str, tags: RunTags) -> list[str]:
    """Return the runs of the same version with another prompt file, oldest first: reports pool them with this one."""
    if not tags.prompts:
        return []
    rows = connection.execute(
        "select id from run join run_prompt on run_id = id and position = 0 join corpus on revision = run.corpus"
        " where suite = ? and version = ? and prompt <> ? order by recorded_at, id",
        [suite, tags.version, tags.prompts[0].digest],
    )
    return [identity for (identity,) in rows]


def _sample(connection: sqlite3.Connection, tags: RunTags, suite: str) -> int:
    """Return how many runs have these tags. The views of the file are for others, and so is run_sample."""
    query = (
        "select count(*) from run join corpus on corpus.revision = run.corpus"
        " where suite = ? and version = ? and model = ? and temperature is ? and harness is ?"
    )
    return int(connection.execute(query, [suite, *tags.identity]).fetchone()[0])


def _append_corpus(connection: sqlite3.Connection, ledger: Path, corpus: Corpus, now: str) -> RecordedCorpus:
    """Record the corpus as the latest of its suite where it is not, and return what that changes.

    Raises LedgerError where the labels of the latest one are not what was recorded.
    """
    latest = connection.execute(
        "select corpus, version from corpus_recording join corpus on revision = corpus where suite = ?"
        " order by recorded_at desc, corpus desc limit 1",
        [corpus.suite.name],
    ).fetchone()
    if latest == (corpus.revision, corpus.suite.version):
        return RecordedCorpus(False)
    known = connection.execute("select 1 from corpus where revision = ?", [corpus.revision]).fetchone()
    changed = _changes(connection, ledger, latest[0], corpus) if latest else []
    recording = RecordingRow(now, corpus.revision, corpus.suite.version, "")
    recording = recording._replace(checksum=checksum_of_recording(recording))
    _append(connection, [*_corpus_rows(corpus), ("corpus_recording", recording)])
    older_than = latest[0] if known and latest[0] != corpus.revision else None
    return RecordedCorpus(True, older_than, tuple(changed), latest is not None and latest[1] == corpus.suite.version)


def _changes(connection: sqlite3.Connection, ledger: Path, latest: str, corpus: Corpus) -> list[Change]:
    """Return what changed in the fixtures since the corpus revision `latest`."""
    found = facts.of_runs(connection, [], [latest], ["labels"])
    check(found, {"corpus": {latest}, "labels": facts.texts_of(found)["labels"]}, ledger)
    before = {
        row.fixture_id: (row.session, found["labels"][row.labels,].text) for row in found["corpus_fixture"].values()
    }
    return changes(before, {each.id: (digest(each.session), each.labels.text) for each in corpus.fixtures})


Rows = Iterable[tuple[str, Row]]  # each with its table


def _corpus_rows(corpus: Corpus) -> Rows:
    contract = text_row(corpus.suite.contract.text)
    yield "contract", contract
    yield "corpus", CorpusRow(corpus.revision, corpus.suite.name, contract.digest)
    for fixture in corpus.fixtures:
        session, labels = text_row(fixture.session), text_row(fixture.labels.text)
        yield "session", session
        yield "labels", labels
        yield "corpus_fixture", FixtureRow(corpus.revision, fixture.id, session.digest, labels.digest)


def _run_rows(run: RunRow, prompts: Iterable[PromptRow], answers: Mapping[str, Answer]) -> Rows:
    yield "run", run
    yield from (("run_prompt", prompt) for prompt in prompts)
    for name, answer in answers.items():
        text = text_row(answer.text)
        yield "answer", text
        yield "result", ResultRow(run.id, name, text.digest)


def _append(connection: sqlite3.Connection, rows: Rows) -> None:
    """Append the facts that the ledger does not have yet, and the terms of labels among them.

    Plain inserts: a row that breaks a constraint stops the ingest instead of vanishing.
    """
    from sqlite_utils import Database

    database = Database(connection, recursive_triggers=False, execute_plugins=False)
    listed = list(rows)
    for table, (kind, length) in facts.TABLES.items():
        keyed = {row[:length]: row for name, row in listed if name == table}
        if not keyed:
            continue
        known = set(connection.execute(f"select {', '.join(kind._fields[:length])} from {table}"))
        new = [row for key, row in sorted(keyed.items()) if key not in known]
        database.table(table).insert_all(row._asdict() for row in new)
        if table == "labels":
            derived.insert_terms(connection, {row.digest: row.text for row in new})


def _append_derived(connection: sqlite3.Connection, corpus: Corpus, answers: Mapping[str, Answer]) -> None:
    contract = digest(corpus.suite.contract.text)
    known = set(connection.execute("select answer from validity where contract = ?", [contract]))
    listed = {digest(answer.text): answer for answer in answers.values()}
    new = sorted(name for name in listed if (name,) not in known)
    derived.insert_answers(connection, (derived.of_answer(name, contract, listed[name]) for name in new))
