"""`prompteval save`: the one answer in a pasted reply, or nothing written."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from prompteval.cli import main
from prompteval.errors import PromptevalError
from prompteval.inputs.contract import default_contract
from prompteval.inputs.reply import find_answer
from tests.helpers import EMPTY, ROOT, answer, labels, proposal, write_corpus

GOOD = answer(proposal("Use {braces}", 'A ```json\n{"practice": [1]}\n``` and "quotes" \\ }'), proposal(type="map"))
TEXT = json.dumps(GOOD)
PRETTY = json.dumps(GOOD, indent=2)


class Desk:
    """A corpus of two fixtures and a results folder that is not there yet."""

    def __init__(self, root: Path) -> None:
        self.fixtures = write_corpus(root / "fixtures", {"a-01": labels(), "b-01": labels()})
        self.results = root / "results"
        self.file = self.results / "a-01.json"

    def save(self, reply: str | bytes, *more: str, fixture: str = "a-01") -> Result:
        where = ["--results", str(self.results), "--fixtures", str(self.fixtures)]
        data = reply.encode() if isinstance(reply, str) else reply
        return CliRunner().invoke(main, ["save", fixture, *where, *more], input=data)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


FOUND: dict[str, str] = {
    "bare": TEXT,
    "pretty": PRETTY,
    "white space around": f"\n\n  {TEXT}\n\n",
    "fence": f"```json\n{PRETTY}\n```",
    "fence without a language": f"```\n{TEXT}\n```\n",
    "after prose": f"I looked for lessons.\nHere is the result:\n\n{PRETTY}",
    "prose around": f"Sure!\n\n```json\n{PRETTY}\n```\nTell me if you want more.",
    "prose with braces": f"The set {{a, b}} and ${{HOME}} and {{{{ twig }}}} do not count.\n{TEXT}",
    "prose with quotes and apostrophes": f"It's the user's \"rule\", isn't it:\n{TEXT}",
    "indented": "\n".join("    " + line for line in PRETTY.split("\n")),
    "byte order mark": "\ufeff" + TEXT,
    "CRLF": PRETTY.replace("\n", "\r\n"),
}


@pytest.mark.parametrize("name", FOUND)
def test_the_answer_is_found_and_nothing_in_it_changes(desk: Desk, name: str) -> None:
    result = desk.save(FOUND[name])
    assert result.exit_code == 0, result.output
    assert json.loads(desk.file.read_text("utf-8")) == GOOD
    assert result.stdout == f"saved {desk.file}: 1 practice, 1 map\n"


def test_every_way_to_paste_it_gives_the_same_bytes(desk: Desk) -> None:
    written = set()
    for reply in FOUND.values():
        assert desk.save(reply, "--force").exit_code == 0
        written.add(desk.file.read_bytes())
    assert len(written) == 1


def test_an_empty_answer_is_an_answer(desk: Desk) -> None:
    assert desk.save(f"Nothing was taught.\n{json.dumps(EMPTY)}").exit_code == 0
    assert json.loads(desk.file.read_text("utf-8")) == EMPTY


REFUSED: dict[str, tuple[str | bytes, str]] = {
    "empty": ("", "the reply is empty"),
    "prose": ("Nothing to report.\nReally.", "no JSON object in the 2 lines"),
    "two": (f"Draft:\n{TEXT}\nFinal:\n{TEXT}", "2 JSON objects in the reply, on lines 2, 4"),
    "two fences": (
        f"```json\n{TEXT}\n```\n```json\n{json.dumps(EMPTY)}\n```",
        "2 JSON objects in the reply, on lines 2, 5",
    ),
    "an example before": (f'such as {{"type": "map"}}\n{TEXT}', "2 JSON objects"),
    "truncated": (f"Here:\n{PRETTY[:-40]}", "the object on line 2 of the reply does not end by line"),
    "truncated after an inner object": (
        PRETTY[: PRETTY.index("]") + 1],
        "the object on line 1 of the reply does not end",
    ),
    "in a list": (f"Here: [{TEXT}]", "is inside a list"),
    "not valid": (f"Here:\n{json.dumps({'practice': []})}", 'the object on line 2: missing key "map"'),
    "not strict": (TEXT.replace('"high"', "NaN", 1), "NaN is not JSON"),
    "broken inside": (TEXT.replace('"high"', "high", 1), "the object on line 1: no JSON"),
    "twice the same key": ('{"practice": [], "practice": [], "map": []}', "occurs twice"),
    "null": ("null", "null is not of type"),
    "a list": ("[]", "[] is not of type"),
    "deep": ('{"a": ' * 99 + "1" + "}" * 99, "nested deeper than 64"),
    "curly quotes": (TEXT.replace('"', "\u201d"), "no JSON object"),
    "UTF-16": (TEXT.encode("utf-16"), "the reply is UTF-16"),
    "no text": (b"\xff\xfe\xfd\x00 not text \xff", "UTF"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_reply_without_one_answer_is_refused_and_nothing_is_written(desk: Desk, name: str) -> None:
    reply, said = REFUSED[name]
    result = desk.save(reply)
    assert result.exit_code == 2
    assert said in result.stderr and "Traceback" not in result.stderr
    assert not desk.results.exists()


@pytest.mark.parametrize("name", [name for name in REFUSED if not name.startswith("UTF")])
def test_as_is_keeps_it_to_the_byte(desk: Desk, name: str) -> None:
    reply = REFUSED[name][0]
    if name == "no text":
        reply = b"not text \xff"
    result = desk.save(reply, "--as-is")
    assert result.exit_code == 0, result.output
    assert desk.file.read_bytes() == (reply.encode() if isinstance(reply, str) else reply)
    assert "as it is: invalid, " in result.stdout


def test_as_is_is_not_for_a_valid_answer(desk: Desk) -> None:
    result = desk.save(FOUND["prose around"], "--as-is")
    assert result.exit_code == 2 and "holds a valid answer" in result.stderr
    assert not desk.results.exists()


def test_nothing_is_overwritten_without_force(desk: Desk) -> None:
    desk.save(TEXT)
    before = desk.file.read_bytes()
    result = desk.save(json.dumps(EMPTY))
    assert result.exit_code == 2 and "--force replaces it" in result.stderr
    assert desk.file.read_bytes() == before
    assert desk.save(json.dumps(EMPTY), "--force").exit_code == 0
    assert json.loads(desk.file.read_text("utf-8")) == EMPTY


def test_a_refused_reply_does_not_replace_an_answer_even_with_force(desk: Desk) -> None:
    desk.save(TEXT)
    before = desk.file.read_bytes()
    assert desk.save("prose", "--force").exit_code == 2
    assert desk.file.read_bytes() == before


def test_an_unknown_fixture_is_refused_with_the_nearest(desk: Desk) -> None:
    result = desk.save(TEXT, fixture="a-1")
    assert result.exit_code == 2 and "no fixture is named 'a-1'; the nearest is a-01" in result.stderr
    assert desk.save(TEXT, fixture="../a-01").exit_code == 2


def test_a_reply_from_a_file(desk: Desk, tmp_path: Path) -> None:
    reply = tmp_path / "reply.txt"
    reply.write_text(FOUND["fence"])
    assert desk.save("", str(reply)).exit_code == 0
    assert desk.save("", str(tmp_path / "none.txt"), "--force").exit_code == 2


def test_results_that_cannot_be_a_folder(desk: Desk) -> None:
    desk.results.write_text("a file")
    result = desk.save(TEXT)
    assert result.exit_code == 2 and "cannot be written" in result.stderr


def test_through_a_pipe(desk: Desk) -> None:
    command = [
        sys.executable,
        "-m",
        "prompteval",
        "save",
        "a-01",
        "--results",
        desk.results,
        "--fixtures",
        desk.fixtures,
    ]
    subprocess.run([*map(str, command)], input=TEXT.encode(), check=True, capture_output=True, cwd=ROOT)
    assert json.loads(desk.file.read_text("utf-8")) == GOOD


@pytest.mark.skipif(sys.platform == "win32", reason="no such terminals")
def test_a_paste_into_a_terminal_may_have_lines_of_any_length(desk: Desk) -> None:
    """A terminal that collects lines would cut this one off after 4,095 bytes."""
    import os
    import pty

    long = answer(proposal("Long", "word " * 8000))
    controller, terminal = pty.openpty()
    where = ["--results", desk.results, "--fixtures", desk.fixtures]
    command = [sys.executable, "-m", "prompteval", "save", "a-01", *where]
    with subprocess.Popen([*map(str, command)], stdin=terminal, stderr=subprocess.PIPE, cwd=ROOT) as process:
        assert process.stderr and b"Paste the reply for a-01" in process.stderr.readline()
        time.sleep(0.5)  # the terminal is set once the line above is out
        os.write(controller, json.dumps(long).encode() + b"\n")
        os.write(controller, b"\x04")
        assert process.wait(timeout=20) == 0, process.stderr.read()
    os.close(terminal)
    os.close(controller)
    assert json.loads(desk.file.read_text("utf-8")) == long


texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=40)
words = st.text(st.characters(codec="utf-8", exclude_characters="{}[]"))


@given(before=words, after=words, title=texts, body=texts)
def test_any_answer_is_found_in_any_prose(before: str, after: str, title: str, body: str) -> None:
    given_answer = answer(proposal(title, body))
    assert json.loads(find_answer(f"{before}\n{json.dumps(given_answer)}\n{after}", default_contract())) == given_answer


@given(cut=st.integers(1, len(PRETTY) - 1))
def test_no_part_of_an_answer_is_taken_for_an_answer(cut: int) -> None:
    with pytest.raises(PromptevalError):
        find_answer(PRETTY[:cut], default_contract())
    with pytest.raises(PromptevalError):
        find_answer(f"Here:\n{PRETTY[cut:]}", default_contract())
