"""docs/scale.md: the query over two teams' ledgers gives what the page shows, in SQLite and in Datasette."""

from __future__ import annotations

import re
import sqlite3
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlencode

import pytest

from tests.bench.ledgers import fill, real_corpus
from tests.helpers import ROOT

PAGE = (ROOT / "docs" / "scale.md").read_text("utf-8")
QUERY = re.search(r"```sql\n(.*?)```", PAGE, re.DOTALL)
SHOWN = re.search(r"```text\n(team.*?)```", PAGE, re.DOTALL)
TEAMS = {"search": range(5, 8), "loans": range(6, 9)}


@pytest.fixture(scope="module")
def teams(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("teams")
    ledgers = {team: root / f"{team}.db" for team in TEAMS}
    for team, ledger in ledgers.items():
        fill(ledger, real_corpus(), TEAMS[team])
    return ledgers


def _parts() -> tuple[str, list[list[str]]]:
    assert QUERY and SHOWN
    return QUERY[1], [line.split("|") for line in SHOWN[1].splitlines()]


def test_the_query_in_sqlite(teams: dict[str, Path]) -> None:
    query, shown = _parts()
    connection = sqlite3.connect(":memory:")
    for team, ledger in teams.items():
        connection.execute(f"attach ? as {team}", [str(ledger)])
    found = connection.execute(query)
    names = [column[0] for column in found.description]
    assert [names, *(list(map(str, row)) for row in found)] == shown
    connection.close()


def test_the_query_in_datasette(teams: dict[str, Path]) -> None:
    query, shown = _parts()
    before = [ledger.read_bytes() for ledger in teams.values()]
    files = [argument for ledger in teams.values() for argument in ("-i", str(ledger))]
    address = "/_memory.csv?" + urlencode({"sql": query})
    command = [sys.executable, "-m", "datasette", "serve", *files, "--crossdb", "--get", address]
    page = subprocess.run(command, capture_output=True, text=True, check=True, encoding="utf-8").stdout
    assert [line.split(",") for line in page.split()] == shown
    assert [ledger.read_bytes() for ledger in teams.values()] == before
