"""The same ledger and arguments give the same bytes, whatever the machine is set to."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prompteval.inputs.contract import default_contract
from prompteval.inputs.fixtures import read_corpus
from prompteval.inputs.results import read_results
from tests.helpers import ROOT, Bench, slow_but, write_corpus, write_results
from tests.small import FIXTURES, V5, small_bench

pytestmark = pytest.mark.wrapped

COMMANDS = {
    "score": ["score", "--run", "v5"],
    "score json": ["score", "--run", "v6", "--format", "json"],
    "diff": ["diff", "v5", "v6"],
    "diff markdown": ["diff", "v5", "v6", "--format", "markdown"],
    "runs csv": ["runs", "--format", "csv"],
}
SETTINGS = {
    "hash seed": {"PYTHONHASHSEED": "12345"},
    "locale C": {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "locale tr": {"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8"},
    "time zone": {"TZ": "Pacific/Kiritimati"},
    "narrow": {"COLUMNS": "1"},
    "wide": {"COLUMNS": "500", "FORCE_COLOR": "1", "NO_COLOR": ""},
}


def run(command: Sequence[object], env: dict[str, str] | None = None, cwd: Path = ROOT) -> bytes:
    """Return what a whole process writes to stdout."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **(env or {})}
    whole = [sys.executable, "-m", "prompteval", *map(str, command)]
    return subprocess.run(whole, env=environment, cwd=cwd, check=True, capture_output=True).stdout


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    with pytest.MonkeyPatch.context() as monkeypatch:
        return small_bench(tmp_path_factory.mktemp("small"), monkeypatch)


@pytest.mark.parametrize("name", slow_but(["diff"], COMMANDS))
def test_reports_do_not_depend_on_the_machine(name: str, bench: Bench, tmp_path: Path) -> None:
    command = [*COMMANDS[name], "--ledger", bench.ledger]
    expected = run(command, {"PYTHONHASHSEED": "0"})
    assert expected == bench.report(*COMMANDS[name]).encode("utf-8")
    for setting, env in SETTINGS.items():
        assert run(command, env) == expected, setting
    assert run(command, cwd=tmp_path) == expected, "current folder"


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_an_encoding_with_fewer_characters_loses_no_report(bench: Bench, encoding: str) -> None:
    text = run(["diff", "v5", "v6", "--ledger", bench.ledger], {"PYTHONIOENCODING": encoding})
    assert b"0/1 -> 1/1" in text


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_report_that_is_lost_is_an_error(bench: Bench) -> None:
    command = [sys.executable, "-m", "prompteval", "score", "--ledger", str(bench.ledger)]
    with Path("/dev/full").open("w") as full:
        lost = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False, cwd=ROOT)
    assert lost.returncode == 2
    assert lost.stderr.startswith(b"Error: the report cannot be written") and b"Traceback" not in lost.stderr


@pytest.mark.skipif(os.name == "nt", reason="no such pipes")
def test_a_closed_pipe_is_no_traceback(bench: Bench) -> None:
    command = [sys.executable, "-m", "prompteval", "score", "--ledger", str(bench.ledger)]
    reader, writer = os.pipe()
    os.close(reader)
    process = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, check=False, cwd=ROOT)
    os.close(writer)
    assert process.returncode != 0 and b"Traceback" not in process.stderr


@given(order=st.permutations(sorted(FIXTURES)))
def test_the_order_of_files_never_matters(order: list[str]) -> None:
    """Files written, and listed by the system, in any order make one corpus and one set of answers."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as monkeypatch:
        corpus = write_corpus(Path(folder) / "fixtures", {name: FIXTURES[name] for name in order})
        results = write_results(Path(folder) / "results", {name: V5[name] for name in order})
        usual = read_corpus(corpus).revision, _digests(results)
        listed, place = os.listdir, {name: index for index, name in enumerate(order)}
        monkeypatch.setattr(os, "listdir", lambda path: sorted(listed(path), key=lambda n: place[n.partition(".")[0]]))
        assert (read_corpus(corpus).revision, _digests(results)) == usual


def _digests(results: Path) -> list[tuple[str, str | bytes]]:
    answers = read_results(results, FIXTURES, default_contract()).answers
    return [(name, answer.text) for name, answer in answers.items()]
