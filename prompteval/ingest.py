"""Take in one run: the fixtures, the answers and what a human recorded about them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from prompteval.errors import PromptevalError, count
from prompteval.inputs.files import FileRefusedError, decode, read_bytes
from prompteval.inputs.fixtures import read_corpus
from prompteval.inputs.results import read_results
from prompteval.ledger.record import Recorded, record_corpus, record_run
from prompteval.model import Answer, Corpus, RunTags
from prompteval.tags import checked_name, normal_version, parse_temperature

_PROMPT_VERSION = re.compile(r"^[ \t>*#-]*Version:[ \t]*(\S+)[ \t]*$", re.MULTILINE | re.IGNORECASE)


@dataclass(frozen=True)
class Ingested:
    """What an ingest took in. `answers` is empty, and `recorded.run_id` None, when it was the corpus alone."""

    corpus: Corpus
    tags: RunTags | None
    answers: dict[str, Answer]
    recorded: Recorded
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class Sources:
    """Where an ingest reads and writes, and what it may let pass."""

    fixtures: Path
    ledger: Path
    results: Path | None
    partial: bool
    repeat: bool


def ingest(sources: Sources, tags: RunTags | None, stage: Callable[[str], None]) -> Ingested:
    """Read, check and append; `stage` is told what comes next. Raises PromptevalError, and then nothing was written."""
    stage(f"reading fixtures in {sources.fixtures}")
    corpus = read_corpus(sources.fixtures)
    if sources.results is None or tags is None:
        stage("writing the ledger")
        recorded = record_corpus(sources.ledger, corpus)
        return Ingested(corpus, tags, {}, recorded, _went_back(corpus, recorded))
    stage(f"reading results in {sources.results}")
    results = read_results(sources.results, [fixture.id for fixture in corpus.fixtures])
    _check_complete(sources, corpus, results.answers)
    stage("writing the ledger")
    recorded = record_run(sources.ledger, corpus, results.answers, tags, sources.repeat)
    warnings = [*_went_back(corpus, recorded)]
    warnings += [f"{sources.results / name} is no .json file and was passed over" for name in results.passed_over]
    warnings += [f"run {other[:8]} under other tags has exactly these answers" for other in recorded.same_answers]
    if others := recorded.other_prompts:
        named = f"run {others[0][:8]}" + (f" and {len(others) - 1} more" if len(others) > 1 else "")
        warnings.append(f"{named} of the same version had another prompt file; each prompt needs a version of its own")
    warnings += [
        f'{name}.json: {p.list}[{p.position}] has the type "{p.type}", which counts'
        for name, answer in sorted(results.answers.items())
        for p in answer.misplaced
    ]
    return Ingested(corpus, tags, results.answers, recorded, tuple(warnings))


def _went_back(corpus: Corpus, recorded: Recorded) -> tuple[str, ...]:
    """Say so where an old checkout made old labels the latest ones again."""
    if recorded.older_than is None:
        return ()
    here, newer = corpus.revision[:8], recorded.older_than[:8]
    return (f"corpus {here} was recorded before {newer}; its labels are the latest again, which --labels latest takes",)


def _check_complete(sources: Sources, corpus: Corpus, answers: dict[str, Answer]) -> None:
    missing = [fixture.id for fixture in corpus.fixtures if fixture.id not in answers]
    if not answers:
        raise PromptevalError(
            f"no result in {sources.results}; a result is named after its fixture, such as {missing[0]}.json"
        )
    if missing and not sources.partial:
        raise PromptevalError(
            f"{count(len(missing), 'result')} missing in {sources.results}: {', '.join(missing)}; "
            "save what is missing, or record the run without it with --partial"
        )


def read_tags(given: Mapping[str, Any]) -> RunTags:
    """Return the tags of a run from the command's options, by name. Raises PromptevalError."""
    for name in ("version", "model"):
        if given[name] is None:
            raise PromptevalError(f"--{name} is missing; a run is recorded under its version and model")
    version, temperature, harness = normal_version(given["version"]), given["temperature"], given["harness"]
    sha256, named = read_prompt(given["prompt"], version) if given["prompt"] else (None, None)
    return RunTags(
        version,
        checked_name("model", given["model"]),
        None if temperature is None else parse_temperature(temperature),
        None if harness is None else checked_name("harness", harness),
        given["note"],
        sha256,
        named,
    )


def read_prompt(path: Path, version: str) -> tuple[str, str | None]:
    """Return the SHA-256 of a prompt file's bytes and the version it names, if any.

    Raises PromptevalError when that is not `version`, or the file cannot be read.
    """
    try:
        data = read_bytes(path)
        named = _PROMPT_VERSION.search(decode(data))
    except FileRefusedError as error:
        raise PromptevalError(f"{path} {error}") from error
    if named and normal_version(named[1]) != version:
        raise PromptevalError(f"{path} says Version: {named[1]}, and --version says {version}; one of them is wrong")
    return hashlib.sha256(data).hexdigest(), normal_version(named[1]) if named else None
