"""The three readers of what others wrote, as plain functions that a fuzzer feeds, and documents to start from.

Each returns or raises nothing: what a reader refuses is no failure. Anything else that comes out of one is.
"""

from __future__ import annotations

import json
import re

from prompteval.errors import PromptevalError
from prompteval.inputs.contract import default_contract
from prompteval.inputs.files import FileRefusedError, decode
from prompteval.inputs.fixtures import read_labels, session_problems
from prompteval.inputs.reply import find_answer
from prompteval.inputs.results import read_answer
from tests import oracle
from tests.helpers import EMPTY, ROOT, answer, proposal, session

LABELS = """\
fixture_id: admit-01
category: admit
expect_empty: false
expected_points:
  - id: rule
    type: practice
    must_match_all: ["alpha", 'be ta', gamma]
    must_match_any:
      - [delta, "\\u00e9"]
    must_not_match: ["lf-1"]
max_unexpected_proposals: 0
notes: >-
  A note.
"""


def read_result(data: bytes) -> bool:
    """Read one result file and the same bytes as a pasted reply; tell whether the result is valid.

    Raises AssertionError if the oracle says otherwise.
    """
    try:
        found = read_answer(data, default_contract())
        valid = found.valid
        assert valid or found.problems
        kept = found.text if isinstance(found.text, bytes) else found.text.encode("utf-8")
        assert read_answer(kept, default_contract()) == found, "what the ledger keeps reads otherwise"
    except FileRefusedError:
        valid = False
    assert valid == oracle.accepts(data), "the oracle says otherwise"
    read_reply(data)
    return valid


def read_reply(data: bytes) -> bool:
    """Look for the answer in a pasted reply; what is found has to be a valid result."""
    try:
        found = find_answer(decode(data), default_contract())
    except PromptevalError:
        return False
    assert oracle.accepts(found.encode("utf-8")), "save would file an invalid result"
    return True


def read_label_file(data: bytes) -> bool:
    """Read one label file; tell whether it is without a problem."""
    try:
        found, problems = read_labels("expected/a.yaml", decode(data), "admit-01", default_contract().types)
    except FileRefusedError:
        return False
    assert (found is None) == bool(problems)
    "".join(map(str, problems)).encode("utf-8")
    return found is not None and bool(found[0].text)


def read_session_file(data: bytes) -> bool:
    """Read one session file; tell whether it is without a problem."""
    try:
        problems = session_problems("sessions/a.md", decode(data))
    except FileRefusedError:
        return False
    "".join(map(str, problems)).encode("utf-8")
    return not problems


READERS = {"results": read_result, "labels": read_label_file, "sessions": read_session_file}


def seeds(name: str) -> list[bytes]:
    """Return documents for one reader to start from: the committed ones, and some of each kind of text."""
    if name == "labels":
        paths = sorted((ROOT / "fixtures" / "expected").glob("*.yaml"))
        named = (re.sub(rb"fixture_id: .*", b"fixture_id: admit-01", path.read_bytes()) for path in paths)
        return [LABELS.encode(), *named]
    if name == "sessions":
        return [session("a").encode(), session("b", "[AGENT, tool]: x\n").replace("claude", '"claude"').encode()]
    good = answer(proposal('A "title" \U0001f41f é', "```\n[x] {y}\n```\\"), proposal(tags=[], type="map"))
    texts = [json.dumps(EMPTY), json.dumps(good), json.dumps(good, indent=1, ensure_ascii=False)]
    return [*(text.encode() for text in texts), b"Here:\n```json\n" + texts[1].encode() + b"\n```\n"]


WORDS = {
    "results": [*b'{}[]",:\\', b'"practice"', b'"map"', b"\\ud800", b"\\udc00", b"NaN", b"1e999", b"-0", b"null"],
    "labels": [*b"&*!|>%@`?-:,[]{}#\"'\t", b"---\n", b"...\n", b"\\U", b"\\ud800", b"%YAML 1.1\n", b"<<: ", b"12:30"],
    "sessions": [*b"&*!|>%?-:[]", b"---\n", b"[USER]: ", b"[AGENT]: ", b"\r\n", b"\xef\xbb\xbf", b"\\x00", b"~"],
}


def words(name: str) -> list[bytes]:
    """Return the pieces that a mutation puts in."""
    return [bytes([word]) if isinstance(word, int) else word for word in WORDS[name]]
