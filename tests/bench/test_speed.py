"""The bounds on time and size, as ratios of one run. `pytest -m slow -n 0 -s tests/bench` prints them.

The bounds on short commands leave a fifth of room, since a bare import beside them does not take the same everywhere.
"""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
import subprocess
from pathlib import Path

import pytest

from prompteval.model import Corpus
from tests.bench.ledgers import answers, fill, real_corpus
from tests.bench.timing import BARE, fastest, prompteval
from tests.helpers import ROOT, answer, ok, proposal, write_results

pytestmark = pytest.mark.slow
BODY = "The edge proxy keeps a page until its cache tag is purged, so purge by tag and never by path.\n" * 3


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return real_corpus()


@pytest.fixture(scope="module")
def ledgers(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """Ledgers of 5, 10 and 1,000 runs of 24 fixtures; in each, v5 and v6 have one run."""
    root, built = tmp_path_factory.mktemp("ledgers"), 0
    growing, ledgers = root / "growing.db", {runs: root / f"{runs}.db" for runs in (5, 10, 1000)}
    for runs, ledger in ledgers.items():
        fill(growing, corpus, range(5 + built, 5 + runs))
        shutil.copy(growing, ledger)
        built = runs
    return ledgers


def _report(name: str, ratio: float, bound: float) -> None:
    print(f"{name}: {ratio:.2f} (at most {bound})")
    assert ratio <= bound


def test_reports_against_a_bare_import(ledgers: dict[int, Path]) -> None:
    bounds = {"score": 1.7, "diff": 1.8, "score json": 1.5, "diff csv": 1.6}
    where = ("--ledger", ledgers[5])
    commands = {
        "bare": BARE,
        "score": prompteval("score", "--run", "v6", *where),
        "score json": prompteval("score", "--run", "v6", "--format", "json", *where),
        "diff": prompteval("diff", "v5", "v6", *where),
        "diff csv": prompteval("diff", "v5", "v6", "--format", "csv", *where),
    }
    taken = fastest(commands, lambda least: all(least[name] / least["bare"] <= bounds[name] for name in bounds))
    print()
    for name, bound in bounds.items():
        _report(f"{name} / bare import", taken[name] / taken["bare"], bound)


def _long(ledgers: dict[int, Path], few: int, reports: dict[str, tuple[str, ...]], bound: float, rounds: int) -> None:
    """Hold each report over 1,000 runs to `bound` times the same over a few."""
    commands = {
        f"{name} {runs}": prompteval(*report, "--ledger", ledgers[runs])
        for name, report in reports.items()
        for runs in (few, 1000)
    }

    def ratios(least: dict[str, float]) -> dict[str, float]:
        return {name: least[f"{name} 1000"] / least[f"{name} {few}"] for name in reports}

    taken = fastest(commands, lambda least: all(ratio <= bound for ratio in ratios(least).values()), rounds)
    print()
    for name, ratio in ratios(taken).items():
        _report(f"{name}: 1,000 runs / {few} runs", ratio, bound)


def test_reports_on_one_or_two_runs_of_a_long_ledger(ledgers: dict[int, Path]) -> None:
    reports = {"score": ("score", "--run", "v6"), "diff": ("diff", "v5", "v6"), "latest": ("score",)}
    _long(ledgers, 5, reports, bound=1.4, rounds=12)


def test_reports_on_every_run_of_a_long_ledger(ledgers: dict[int, Path]) -> None:
    _long(ledgers, 10, {"history": ("history",), "report": ("report",)}, bound=24, rounds=2)


def test_ingest_against_a_bare_import(corpus: Corpus, tmp_path: Path) -> None:
    given = {f.id: answer(proposal("A title", BODY), proposal("Another", BODY)) for f in corpus.fixtures}
    results = write_results(tmp_path / "results", given)
    tags = ("--version", "6", "--model", "X", "--repeat", "--fixtures", ROOT / "fixtures")
    command = prompteval("ingest", *tags, "--ledger", tmp_path / "ledger.db", results)
    taken = fastest({"bare": BARE, "ingest": command}, lambda least: least["ingest"] / least["bare"] <= 2.8)
    print()
    _report("ingest / bare import", taken["ingest"] / taken["bare"], 3.3)


def test_growth_of_the_ledger(tmp_path: Path) -> None:
    """The recorded answers of v5 and v6 in turn, as `save` files them, with another word in every title and body."""
    recorded = {version: _recorded(version) for version in ("5", "6")}
    ledger, sizes, written = tmp_path / "ledger.db", [], 0
    for run in range(11):
        given = recorded[("5", "6")[run % 2]].items()
        changed = {name: re.sub(r'"(title|body)":"', rf'"\1":"run {run}: ', text) for name, text in given}
        saved = {name: json.dumps(json.loads(text), indent=2, ensure_ascii=False) for name, text in changed.items()}
        results = write_results(tmp_path / f"results-{run}", saved)
        tags = ("--version", str(run), "--model", "X", "--fixtures", ROOT / "fixtures", "--ledger", ledger)
        ok("ingest", *tags, results)
        sizes.append(ledger.stat().st_size)
        written += sum(path.stat().st_size for path in results.iterdir()) if run else 0
    print()
    _report("ledger growth / bytes of results", (sizes[-1] - sizes[0]) / written, 2.7)


def _recorded(version: str) -> dict[str, str]:
    """Return the answers of a version in the committed ledger, by fixture id."""
    connection = sqlite3.connect(ROOT / "ledger" / "prompteval.db")
    query = (
        "select fixture_id, text from run join result on run_id = id join answer on digest = answer"
        " join corpus on revision = run.corpus where suite = 'core' and version = ?"
    )
    found = dict(connection.execute(query, [version]).fetchall())
    connection.close()
    return found


@pytest.mark.skipif(shutil.which("git") is None, reason="no git")
def test_growth_of_a_repository(corpus: Corpus, tmp_path: Path) -> None:
    """100 ingests, each committed: what git keeps of them after `git gc`."""
    folder, written = tmp_path / "repository", 0
    folder.mkdir()

    def git(*arguments: str) -> None:
        who = ("-c", "user.name=x", "-c", "user.email=x@example.com", "-c", "gc.auto=0")
        subprocess.run(["git", *who, *arguments], cwd=folder, check=True, stdout=subprocess.DEVNULL)

    git("init", "-q")
    for run in range(100):
        results = write_results(tmp_path / "results", answers(corpus, run))
        tags = ("--version", run, "--model", "X", "--fixtures", ROOT / "fixtures", "--ledger", folder / "prompteval.db")
        ok("ingest", *tags, results)
        git("add", "prompteval.db")
        git("commit", "-qm", f"Record {run}")
        written += sum(path.stat().st_size for path in results.iterdir())
    git("gc", "-q")
    size = sum(path.stat().st_size for path in (folder / ".git").rglob("*") if path.is_file())
    print()
    _report("git after 100 ingests / bytes of results", size / written, 2.68)  # twice what the fuller ledger took
