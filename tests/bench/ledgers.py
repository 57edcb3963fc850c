"""Make ledgers of many runs, with answers of the size that people record."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from prompteval.digests import digest, run_id
from prompteval.inputs.fixtures import read_corpus
from prompteval.inputs.results import read_answer
from prompteval.ledger import derived, facts
from prompteval.ledger.facts import ResultRow, RunRow, text_row
from prompteval.ledger.ingest import record
from prompteval.ledger.integrity import checksum_of_run
from prompteval.ledger.write import appending
from prompteval.model import Corpus, Fixture
from tests.helpers import EMPTY, ROOT, answer, proposal

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
    return {
        fixture.id: EMPTY if fixture.labels.expect_empty else answer(_proposal(fixture, run))
        for fixture in corpus.fixtures
    }


def _proposal(fixture: Fixture, run: int) -> dict[str, Any]:
    chosen = random.Random(f"{fixture.id} {run}")
    words = chosen.choices(_PLAIN.findall(fixture.session), k=_BYTES // 6)
    point = fixture.labels.points[0]
    if chosen.randrange(3):
        words += [*point.must_match_all, *(term for terms in point.must_match_any[:1] for term in terms)]
    title, description = " ".join(words[:6]), " ".join(words[6:20])
    return proposal(f"{title} {run}", " ".join(words), point.type, description=description, tags=["bench"])


def fill(ledger: Path, corpus: Corpus, runs: Iterable[int]) -> None:
    """Append runs, run n as version n, in one transaction; through the command line it would take minutes."""
    record(ledger, corpus)
    with appending(ledger) as connection:
        (newest,) = connection.execute("select max(recorded_at) from corpus_recording").fetchone()
        known = set(connection.execute("select digest from answer"))
        for run in runs:
            recorded_at = f"{newest[:4]}-12-31T{run // 3600 % 24:02}:{run // 60 % 60:02}:{run % 60:02}.{run:06}Z"
            found = _run(corpus, answers(corpus, run), str(run), recorded_at)
            found["answer"] = {key: row for key, row in found["answer"].items() if key not in known}
            known |= found["answer"].keys()
            facts.insert(connection, found)
            read = (read_answer(row.text.encode(), corpus.suite.contract) for row in found["answer"].values())
            contract = digest(corpus.suite.contract.text)
            derived.insert_answers(connection, [derived.of_answer(digest(a.text), contract, a) for a in read])


def _run(corpus: Corpus, given: Mapping[str, Any], version: str, recorded_at: str) -> facts.Facts:
    """Return the facts of one run."""
    sessions = {fixture.id: digest(fixture.session) for fixture in corpus.fixtures}
    texts = {name: read_answer(json.dumps(value).encode(), corpus.suite.contract).text for name, value in given.items()}
    rows = {name: text_row(text) for name, text in texts.items()}
    evidence = [(name, sessions[name], row.digest) for name, row in rows.items()]
    identity = run_id(corpus.suite.name, (version, "X", None, None), evidence, 0)
    run = RunRow(identity, version, "X", None, None, 0, corpus.revision, None, recorded_at, "")
    found = facts.empty()
    found["answer"] = {(row.digest,): row for row in rows.values()}
    found["run"] = {(identity,): run._replace(checksum=checksum_of_run(run, ()))}
    found["result"] = {(identity, name): ResultRow(identity, name, row.digest) for name, row in rows.items()}
    return found
