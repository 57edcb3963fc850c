"""A damaged ledger: what verify lets pass is what was recorded, and reports show nothing else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from prompteval.ledger import facts as stored
from prompteval.ledger.open import reading
from prompteval.ledger.write import PAGE_SIZE
from tests.helpers import Bench, answer, cli, labels, ok, proposal, refused
from tests.small import small_bench

REPORTS = (
    ("score", "--run", "v6", "--format", "json"),
    ("score", "--run", "v5"),
    ("diff", "v5", "v6", "--format", "csv"),
    ("show", "admit-cache-02", "--run", "v5"),
    ("history", "--format", "json"),
    ("runs",),
    ("labels",),
)


def facts(ledger: Path) -> stored.Facts:
    with reading(ledger) as connection:
        return stored.read(connection)


def said(*arguments: object) -> tuple[int, str]:
    """Run a command, which must not raise, and return its exit code and its stdout. An error is one line."""
    result = cli(*arguments)
    if result.exit_code == 2:
        assert len(result.stderr.splitlines()) == 1, result.stderr
    return result.exit_code, result.stdout


def flipped(data: bytes, random: Random) -> bytes:
    place = random.randrange(len(data))
    return data[:place] + bytes([data[place] ^ 1 << random.randrange(8)]) + data[place + 1 :]


def zeroed(data: bytes, random: Random) -> bytes:
    """As a disk gives back a block that it lost."""
    place = random.randrange(len(data) - PAGE_SIZE)
    return data[:place] + bytes(PAGE_SIZE) + data[place + PAGE_SIZE :]


def swapped(data: bytes, random: Random) -> bytes:
    pages = [data[start : start + PAGE_SIZE] for start in range(0, len(data), PAGE_SIZE)]
    one, other = random.sample(range(1, len(pages)), 2)
    pages[one], pages[other] = pages[other], pages[one]
    return b"".join(pages)


def scribbled(data: bytes, random: Random) -> bytes:
    place = random.randrange(len(data) - 16)
    return data[:place] + random.randbytes(16) + data[place + 16 :]


DAMAGES = [(flipped, 150), (zeroed, 60), (swapped, 60), (scribbled, 60)]


@pytest.mark.parametrize(
    ("damage", "times"), [(flipped, 50), *(pytest.param(*d, marks=pytest.mark.slow) for d in DAMAGES)]
)
def test_no_damage_moves_a_number_or_passes_unseen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: Callable[[bytes, Random], bytes], times: int
) -> None:
    ledger = small_bench(tmp_path, monkeypatch).ledger
    whole, before = ledger.read_bytes(), facts(ledger)
    reports = {command: said(*command, "--ledger", ledger) for command in REPORTS}
    text, random, found = ok("ledger", "textconv", ledger), Random(5), 0
    for number in range(times):
        ledger.write_bytes(damage(whole, random))
        code, _ = said("ledger", "verify", "--ledger", ledger)
        found += code != 0
        if code == 0:
            assert facts(ledger) == before, number
        for command, right in reports.items():
            assert said(*command, "--ledger", ledger) in (right, (2, "")), (number, command)
        shown = ok("ledger", "textconv", ledger)
        assert shown == text or shown.startswith("this state "), number
    assert times / 10 < found  # free pages and unused bytes of a page may change


# What stands in a page, and what a flip or a slip makes of it: no longer UTF-8, JSON, a text or a known word.
RUINED = {
    "a body that is not UTF-8": (b"The edge\\nproxy drops", b"The edge\\nproxy \xffrops"),
    "tags that are not JSON": (b'["tag"]', b'{"tag"]'),
    "a table's SQL that is not UTF-8": (b"CREATE TABLE session", b"CREATE TABLE sessio\xff"),
    "a list of another name": (b'"practice":[', b'"practicd":['),
    "a long message": (b"Nothing durable was said.", b"\xff\n\xff\n\xff\n\x1b[2Jrable was said."),
}


@pytest.mark.parametrize("name", RUINED)
def test_what_cannot_even_be_read_is_said_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    ledger = small_bench(tmp_path, monkeypatch).ledger
    reports = {command: said(*command, "--ledger", ledger) for command in REPORTS}
    old, new = RUINED[name]
    data = ledger.read_bytes()
    assert len(old) == len(new) and old in data
    ledger.write_bytes(data.replace(old, new))
    code, listed = said("ledger", "verify", "--ledger", ledger)
    assert code in (1, 2) and not listed.startswith("0 problems")
    for command, right in reports.items():
        assert said(*command, "--ledger", ledger) in (right, (2, "")), command
    assert said("ledger", "merge", ledger, "--ledger", tmp_path / "new.db")[0] == 2
    assert said("ledger", "textconv", ledger)[0] == 0


def test_a_flipped_bit_in_a_body_is_found(tmp_path: Path) -> None:
    bench = Bench(tmp_path, {"a": labels()})
    bench.ingest("3", {"a": answer(proposal("Alpha", "a body to be found"))})
    data = bytearray(bench.ledger.read_bytes())
    place = data.index(b"a body to be found")
    data[place] ^= 1
    bench.ledger.write_bytes(data)
    found = cli("ledger", "verify", "--ledger", bench.ledger)
    assert found.exit_code == 1 and "its text does not match its digest" in found.stdout
    message = refused("ledger", "merge", bench.ledger, "--ledger", bench.root / "new.db")
    assert "does not verify" in message and len(message.splitlines()) == 1
    assert bench.ledger.read_bytes() == bytes(data)
