"""The bounds on time and size, as ratios of one run. `pytest tests/bench -s` prints them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from prompteval.model import Corpus
from tests.bench.ledgers import fill, real_corpus
from tests.bench.timing import BARE, fastest, prompteval
from tests.helpers import EMPTY, ROOT, answer, ok, proposal, write_results

pytestmark = pytest.mark.slow
BODY = "The edge proxy keeps a page until its cache tag is purged, so purge by tag and never by path.\n" * 3


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return real_corpus()


@pytest.fixture(scope="module")
def ledgers(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """Ledgers of 5 and 1,000 runs of 24 fixtures; in both, v5 and v6 have one run each."""
    root = tmp_path_factory.mktemp("ledgers")
    few, many = root / "few.db", root / "many.db"
    fill(few, corpus, range(5, 10))
    shutil.copy(few, many)
    fill(many, corpus, range(10, 1005))
    return {5: few, 1000: many}


def _report(name: str, ratio: float, bound: float) -> None:
    print(f"{name}: {ratio:.2f} (at most {bound})")
    assert ratio <= bound


def test_reports_against_a_bare_import(ledgers: dict[int, Path]) -> None:
    where = ("--ledger", ledgers[5])
    commands = {
        "bare": BARE,
        "score": prompteval("score", "--run", "v6", *where),
        "score json": prompteval("score", "--run", "v6", "--format", "json", *where),
        "diff": prompteval("diff", "v5", "v6", *where),
        "diff csv": prompteval("diff", "v5", "v6", "--format", "csv", *where),
    }
    names = list(commands)[1:]
    taken = fastest(commands, lambda least: all(least[name] / least["bare"] <= 1.4 for name in names))
    print()
    for name in names:
        _report(f"{name} / bare import", taken[name] / taken["bare"], 1.5)
    assert taken["score json"] < taken["score"] and taken["diff csv"] < taken["diff"]


def test_reports_of_a_long_ledger(ledgers: dict[int, Path]) -> None:
    reports = {"score": ("score", "--run", "v6"), "diff": ("diff", "v5", "v6"), "latest": ("score",)}
    commands = {
        f"{name} {runs}": prompteval(*report, "--ledger", ledgers[runs])
        for name, report in reports.items()
        for runs in ledgers
    }
    taken = fastest(commands, lambda least: all(least[f"{n} 1000"] / least[f"{n} 5"] <= 1.2 for n in reports))
    print()
    for name in reports:
        _report(f"{name}: 1,000 runs / 5 runs", taken[f"{name} 1000"] / taken[f"{name} 5"], 1.3)


def test_ingest_against_a_bare_import(corpus: Corpus, tmp_path: Path) -> None:
    answers = {f.id: answer(proposal("A title", BODY), proposal("Another", BODY)) for f in corpus.fixtures}
    results = write_results(tmp_path / "results", answers)
    tags = ("--version", "6", "--model", "X", "--repeat", "--fixtures", ROOT / "fixtures")
    command = prompteval("ingest", *tags, "--ledger", tmp_path / "ledger.db", results)
    taken = fastest({"bare": BARE, "ingest": command}, lambda least: least["ingest"] / least["bare"] <= 4)
    print()
    _report("ingest / bare import", taken["ingest"] / taken["bare"], 5)


def test_growth_of_the_ledger(corpus: Corpus, tmp_path: Path) -> None:
    """Results of the recorded size: a good thousand bytes a fixture with points, nothing where nothing is expected."""
    ledger, sizes, written = tmp_path / "ledger.db", [], 0
    for run in range(11):
        new = {f.id: answer(proposal(f"{f.id} {run}", BODY * 2, description=BODY[:150])) for f in corpus.fixtures}
        answers = {f.id: EMPTY if f.labels.expect_empty else new[f.id] for f in corpus.fixtures}
        results = write_results(tmp_path / f"results-{run}", answers)
        tags = ("--version", str(run), "--model", "X", "--fixtures", ROOT / "fixtures", "--ledger", ledger)
        ok("ingest", *tags, results)
        sizes.append(ledger.stat().st_size)
        written += sum(path.stat().st_size for path in results.iterdir()) if run else 0
    print()
    _report("ledger growth / bytes of results", (sizes[-1] - sizes[0]) / written, 2)
