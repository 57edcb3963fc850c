"""Print how time, memory and size grow with the ledger, as ratios of one run. `python -m tests.bench.scale`."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from tabulate import tabulate

from prompteval.inputs.fixtures import read_corpus
from tests.bench.ledgers import answers, fill
from tests.bench.timing import Usage, prompteval, usage
from tests.helpers import ROOT, write_results

SIZES = (10, 100, 1_000, 10_000)
FIXTURES = 5_000
COMMITS = 100
ROUNDS = 3
LONG = 10.0  # seconds: what takes this long is measured once
FIRST = 5  # the first version; v5 and v6 are compared


class Case(NamedTuple):
    """A ledger of some runs, and what a further run needs."""

    name: str
    runs: int
    fixtures: Path
    ledger: Path
    results: Path

    @property
    def written(self) -> int:
        """The bytes of the answers of one run, as a person saves them."""
        return sum(path.stat().st_size for path in self.results.iterdir())


def main() -> None:
    """Build the ledgers, measure, and print Markdown tables."""
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        cases = [*_long_ledgers(root), _wide_ledger(root)]
        _print_usage(cases, [_measure(case, root / "scratch.db") for case in cases])
        _print_sizes(cases)
        _print_git(root)


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _long_ledgers(root: Path) -> Iterable[Case]:
    """Yield a case for each of SIZES: each ledger begins with the runs of the one before."""
    corpus, growing, done = read_corpus(ROOT / "fixtures"), root / "growing.db", 0
    results = write_results(root / "results", answers(corpus, FIRST + max(SIZES)))
    for runs in SIZES:
        _tell(f"building {runs:,} runs")
        fill(growing, corpus, range(FIRST + done, FIRST + runs))
        ledger = root / f"{runs}.db"
        shutil.copy(growing, ledger)
        yield Case(f"{runs:,}", runs, ROOT / "fixtures", ledger, results)
        done = runs


def _wide_ledger(root: Path) -> Case:
    """Return 10 runs of FIXTURES fixtures, each a copy of one of the 24 under another name."""
    _tell(f"building 10 runs of {FIXTURES:,} fixtures")
    fixtures = _wide_corpus(root / "fixtures")
    corpus, ledger = read_corpus(fixtures), root / "wide.db"
    fill(ledger, corpus, range(FIRST, FIRST + 10))
    results = write_results(root / "wide", answers(corpus, FIRST + 10))
    return Case(f"10 of {FIXTURES:,}", 10, fixtures, ledger, results)


def _wide_corpus(root: Path) -> Path:
    sources = read_corpus(ROOT / "fixtures").fixtures
    for folder in ("sessions", "expected"):
        (root / folder).mkdir(parents=True)
    for number in range(FIXTURES):
        source = sources[number % len(sources)].id
        name = f"{source}-{number // len(sources):03}"
        session = (ROOT / "fixtures" / "sessions" / f"{source}.md").read_text("utf-8")
        before, _, rest = session.partition("session_id: ")
        identity = uuid.UUID(bytes=uuid.uuid5(uuid.NAMESPACE_OID, name).bytes, version=4)
        (root / "sessions" / f"{name}.md").write_text(f"{before}session_id: {identity}{rest[36:]}", "utf-8")
        labels = (ROOT / "fixtures" / "expected" / f"{source}.yaml").read_text("utf-8")
        (root / "expected" / f"{name}.yaml").write_text(labels.replace(source, name, 1), "utf-8")
    return root


def _measure(case: Case, scratch: Path) -> dict[str, Usage]:
    """Return what each command takes on one ledger."""
    tags = ("--version", FIRST + max(SIZES), "--model", "X", "--fixtures", case.fixtures)
    commands: dict[str, Sequence[object]] = {
        "ingest": ("ingest", *tags, case.results),
        "score": ("score", "--run", "v6"),
        "diff": ("diff", "v5", "v6"),
        "history": ("history", "--format", "csv"),
        "ledger verify": ("ledger", "verify"),
    }
    measured = {}
    for name, arguments in commands.items():
        _tell(f"{name}, {case.name}")
        command = prompteval(*arguments, "--ledger", scratch)
        measured[name] = _least(command, lambda: shutil.copy(case.ledger, scratch))
    return measured


def _least(command: Sequence[str], prepare: Callable[[], object]) -> Usage:
    """Return the least of some rounds, each from the same ledger."""
    rounds: list[Usage] = []
    while len(rounds) < ROUNDS and not (rounds and rounds[-1].seconds > LONG):
        prepare()
        rounds.append(usage(command))
    return Usage(min(one.seconds for one in rounds), min(one.peak for one in rounds))


def _print_usage(cases: Sequence[Case], measured: Sequence[dict[str, Usage]]) -> None:
    headers = ["Command", *(case.name for case in cases)]
    for title, field in (("Processor time", "seconds"), ("Peak memory", "peak")):
        rows = [
            [name, *(f"{getattr(one[name], field) / getattr(measured[0][name], field):.2f}" for one in measured)]
            for name in measured[0]
        ]
        _print(
            f"{title} by runs in the ledger, as a multiple of the same command on {cases[0].name} runs", headers, rows
        )


def _print_sizes(cases: Sequence[Case]) -> None:
    rows = []
    for case in cases:
        size = case.ledger.stat().st_size
        per_run = size / case.runs
        rows.append([case.name, _megabytes(size), f"{per_run:,.0f}", f"{per_run / case.written:.2f}"])
    _print("Size of the ledger", ["Runs", "MB", "Bytes per run", "Of the bytes of the answers"], rows)


def _print_git(root: Path) -> None:
    _tell(f"{COMMITS} commits")
    corpus = read_corpus(ROOT / "fixtures")
    ledger = root / "ledger" / "prompteval.db"
    folder = ledger.parent
    folder.mkdir()
    _git(folder, "init", "-q")
    _git(folder, "config", "gc.auto", "0")
    for run in range(FIRST, FIRST + COMMITS):
        fill(ledger, corpus, [run])
        _git(folder, "add", ledger.name)
        _git(folder, "-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-q", "-m", f"Run {run}")
    answered = sum(_written(root / "one", answers(corpus, run)) for run in range(FIRST, FIRST + COMMITS))
    rows = [["the answers as files", _megabytes(answered), "", ""]]
    before = _bytes(folder / ".git")
    _git(folder, "gc", "-q")
    tree = _bytes(folder) - _bytes(folder / ".git")
    rows.append(["ledger", _megabytes(tree), _megabytes(before), _megabytes(_bytes(folder / ".git"))])
    headers = ["What is committed", "MB in the working tree", "MB of .git before gc", "after"]
    _print(f"A repository after {COMMITS} committed ingests", headers, rows)


def _git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def _written(folder: Path, results: dict[str, object]) -> int:
    return _bytes(write_results(folder, results))


def _bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f}"


def _print(title: str, headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    print(f"\n{title}:\n")
    align = ("left", *("right" for _ in headers[1:]))
    print(tabulate(rows, headers, "github", disable_numparse=True, colalign=align))


if __name__ == "__main__":
    main()
