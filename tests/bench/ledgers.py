"""Make ledgers of many runs, with answers of the size that people record."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from prompteval.digests import canonical, digest, run_id
from prompteval.inputs.fixtures import read_corpus
from prompteval.inputs.results import read_answer
from prompteval.ledger import derived, facts
from prompteval.ledger.facts import ResultRow, RunRow, text_row
from prompteval.ledger.ingest import record
from prompteval.ledger.integrity import checksum_of_run
from prompteval.ledger.times import next_time
from prompteval.ledger.write import appending
from prompteval.model import Answer, Corpus, Fixture, RunTags
from tests.helpers import ROOT, answer, proposal

_BYTES = 850  # of a body; title, description and the names of the fields make it a thousand
_PLAIN = re.compile(r"[A-Za-z_]*[A-Za-z]")  # no Markdown: half of a pair of marks is not what a model writes


def real_corpus() -> Corpus:
    """Return the 24 fixtures of the repository."""
    return read_corpus(ROOT / "fixtures")


def answers(corpus: Corpus, run: int) -> dict[str, Any]:
    """Return a proposal of a good thousand bytes for each fixture with points, and nothing where nothing is expected.

    Each run has other words, taken from the session, so that they compress as a model's answer does. Two of three
    proposals hold the terms of the fixture's first point.
    """
    return {fixture.id: answer(*_proposals(fixture, run)) for fixture in corpus.fixtures}


def _proposals(fixture: Fixture, run: int) -> Iterable[dict[str, Any]]:
    if fixture.labels.expect_empty:
        return
    chosen = random.Random(f"{fixture.id} {run}")
    words = chosen.choices(_PLAIN.findall(fixture.session), k=_BYTES // 6)
    point = fixture.labels.points[0]
    if chosen.randrange(3):
        words += [*point.must_match_all, *(term for terms in point.must_match_any[:1] for term in terms)]
    title, description = " ".join(words[:6]), " ".join(words[6:20])
    yield proposal(f"{title} {run}", " ".join(words), point.type, description=description, tags=["bench"])


def fill(ledger: Path, corpus: Corpus, runs: Iterable[int]) -> None:
    """Append runs, run n as version n, in one transaction; through the command line it would take minutes."""
    record(ledger, corpus)
    with appending(ledger) as connection:
        known = {name for (name,) in connection.execute("select digest from answer")}
        (newest,) = connection.execute("select max(recorded_at) from corpus_recording").fetchone()
        (latest,) = connection.execute("select max(recorded_at) from run").fetchone()
        moment = max(newest, latest or newest)
        for number in runs:
            moment = next_time(moment)
            given = {
                name: read_answer(canonical(value).encode(), corpus.contract)
                for name, value in answers(corpus, number).items()
            }
            texts = {digest(one.text): one for one in given.values()}
            new = {name: one for name, one in sorted(texts.items()) if name not in known}
            known |= new.keys()
            facts.insert(connection, _facts(corpus, number, given, moment, new.values()))
            contract = digest(corpus.contract.text)
            derived.insert_answers(connection, (derived.of_answer(name, contract, one) for name, one in new.items()))


def _facts(corpus: Corpus, number: int, given: dict[str, Answer], moment: str, new: Iterable[Answer]) -> facts.Facts:
    """Return the rows of one run, and those of its answers that are new."""
    tags = RunTags(str(number), "X")
    sessions = {fixture.id: digest(fixture.session) for fixture in corpus.fixtures}
    evidence = [(name, sessions[name], digest(one.text)) for name, one in given.items()]
    identity = run_id(corpus.suite, tags.identity, evidence, 0)
    run = RunRow(identity, *tags.identity, 0, corpus.revision, None, moment, "")
    rows = facts.empty()
    rows["answer"] = {(row.digest,): row for row in (text_row(one.text) for one in new)}
    rows["run"] = {(identity,): run._replace(checksum=checksum_of_run(run, []))}
    rows["result"] = {(identity, name): ResultRow(identity, name, text) for name, _, text in evidence}
    return rows
