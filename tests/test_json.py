"""docs/json.md describes every key of every JSON report."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.helpers import ROOT, Bench, ok, write_corpus
from tests.small import FIXTURES, V5, small_bench

# By the sections that describe them, beside the first, on whose words the others rest.
COMMANDS: dict[str, list[tuple[str, ...]]] = {
    "score": [("score", "--run", "v5"), ("score", "--run", "v6"), ("score", "--run", "v5", "--labels", "latest")],
    "diff": [("diff", "v5", "v6"), ("diff", "v5", "v6", "--labels", "recorded")],
    "runs and history": [("runs",), ("history", "--labels", "latest"), ("history", "--by", "version")],
    "labels": [("labels",)],
}


def described(section: str) -> set[str]:
    """Return all that stands in code style in a section of the document, without the examples."""
    text = re.sub(r"```.*?```", "", (ROOT / "docs" / "json.md").read_text("utf-8"), flags=re.DOTALL)
    (words,) = re.findall(rf"\n## {section}\n(.*?)(?=\n## |\Z)", text, re.DOTALL)
    return set(re.findall(r"`([^`]+)`", words))


def keys(value: Any) -> Iterator[str]:
    """Yield every key in a JSON value, wherever in it."""
    if isinstance(value, dict):
        yield from value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from keys(inner)


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """The small corpus, with a second run of version 5, a copy, and a corpus that has lost a fixture since."""
    bench = small_bench(tmp_path, monkeypatch)
    more = ("--temperature", "0", "--harness", "claude")
    bench.ingest("5", {**V5, "admit-map-01": "null"}, *more)
    bench.ingest("5", V5, *more, "--repeat")
    for path in ("sessions/admit-cache-01.md", "expected/admit-cache-01.yaml"):
        (bench.fixtures / path).unlink()
    write_corpus(bench.fixtures, {"admit-map-01": FIXTURES["admit-map-01"]})
    ok("ingest", "--fixtures", bench.fixtures, "--ledger", bench.ledger)
    return bench


@pytest.mark.parametrize("section", COMMANDS)
def test_every_key_is_described(section: str, bench: Bench) -> None:
    words, found = described("score") | described(section), set[str]()
    for command in COMMANDS[section]:
        for ledger in (bench.ledger, ROOT / "ledger" / "prompteval.db"):
            found |= set(keys(json.loads(ok(*command, "--format", "json", "--ledger", ledger))))
    assert len(found) > 15 and found - words == set()
