"""Make ledgers of many runs, with answers of the size that people record."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from prompteval.inputs.fixtures import read_corpus
from prompteval.ledger import times, write
from prompteval.ledger.record import record_run
from prompteval.model import Answer, Corpus, Fixture, Proposal, RunTags
from tests.helpers import ROOT, answer, proposal

_BYTES = 850  # of a body; title, description and the names of the fields make it a thousand
_PLAIN = re.compile(r"[A-Za-z_]*[A-Za-z]")  # no Markdown: half of a pair of marks is not what a model writes


def real_corpus() -> Corpus:
    """Return the 24 fixtures of the repository."""
    return read_corpus(ROOT / "fixtures")


def answers(corpus: Corpus, run: int) -> dict[str, Answer]:
    """Return a proposal of a good thousand bytes for each fixture with points, and nothing where nothing is expected.

    Each run has other words, taken from the session, so that they compress as a model's answer does. Two of three
    proposals hold the terms of the fixture's first point.
    """
    return {fixture.id: Answer(tuple(_proposals(fixture, run))) for fixture in corpus.fixtures}


def _proposals(fixture: Fixture, run: int) -> Iterable[Proposal]:
    if fixture.labels.expect_empty:
        return
    chosen = random.Random(f"{fixture.id} {run}")
    words = chosen.choices(_PLAIN.findall(fixture.session.text), k=_BYTES // 6)
    point = fixture.labels.points[0]
    if chosen.randrange(3):
        words += [*point.must_match_all, *(term for terms in point.must_match_any[:1] for term in terms)]
    title, description = " ".join(words[:6]), " ".join(words[6:20])
    yield Proposal(point.type, 0, point.type, f"{title} {run}", description, " ".join(words), ("bench",), "high")


def as_results(given: dict[str, Answer]) -> dict[str, Any]:
    """Return answers as the JSON that a person would save."""
    return {
        name: answer(*(proposal(**{**p.as_json(), "title": p.title, "body": p.body}) for p in one.proposals))
        for name, one in given.items()
    }


def fill(ledger: Path, corpus: Corpus, runs: Iterable[int]) -> None:
    """Append runs, run n as version n, in one transaction; through the command line it would take minutes.

    What an ingest looks up among all answers is kept from run to run: looking it up for each would make the time
    quadratic.
    """
    with write.appending(ledger) as connection, pytest.MonkeyPatch.context() as monkeypatch:
        known = {digest for (digest,) in connection.execute("select digest from answer")}
        look_up = record._known
        monkeypatch.setattr(record, "appending", contextmanager(lambda _: iter([connection])))
        monkeypatch.setattr(record, "_known", lambda c, t, column: known if t == "answer" else look_up(c, t, column))
        monkeypatch.setattr(record, "_same_answers", lambda *_: [])
        for run in runs:
            given = answers(corpus, run)
            record_run(ledger, corpus, given, RunTags(str(run), "X"), False)
            known |= {one.digest for one in given.values()}
