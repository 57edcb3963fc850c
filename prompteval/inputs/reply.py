"""Find the answer in a pasted reply: the one JSON object (or list) in it, bare, in a code fence or after prose."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from prompteval.errors import DataError, Problem, PromptevalError
from prompteval.inputs import strict_json
from prompteval.inputs.results import read_answer
from prompteval.model import Contract

_BEFORE, _BEHIND = re.compile(r"\[\s*\Z"), re.compile(r"\s*\]")
_MOST, _SHOWN = 100, 10  # objects looked for, and lines named, before a reply is no answer for certain
# What JSON may have after the brace that opens an object; any other brace is prose, such as {a, b} or ${HOME}.
_OBJECT = re.compile(r'\{(?=\s*["}])')
# Where the answer is a list: [1], [a](b) and String[] are prose, and an empty list stands on a line of its own.
_VALUE = re.compile(r'\{(?=\s*["}])|\[(?=\s*["{\[])|(?<![^\n])\[(?=\s*\][ \t]*(?:\n|\Z))')


class Reply(NamedTuple):
    """The object in a reply, as text, and the line on which it starts, from 1."""

    text: str
    line: int


def find_answer(reply: str, contract: Contract) -> str:
    """Return the answer in a reply, as the text of its result file: one field per line.

    Raises PromptevalError, with line numbers, where there is no object, more than one, or one that does not end, and
    DataError with every problem where the object breaks its contract.
    """
    what = "list" if contract.is_list else "object"
    found = _one(what, reply)
    answer = read_answer(found.text.encode("utf-8", "surrogatepass"), contract)
    if not answer.valid:
        raise DataError(
            "the answer is not valid; save it unchanged with --as-is, or ask again in a fresh conversation",
            [Problem(f"the {what} on line {found.line}", "", problem) for problem in answer.problems],
        )
    return json.dumps(strict_json.parse(found.text), ensure_ascii=False, indent=2) + "\n"


def _one(what: str, reply: str) -> Reply:
    whole = reply.strip()
    if not whole:
        raise PromptevalError("the reply is empty; paste all of it")
    if _parses(whole):
        return Reply(whole, 1)
    found = _values(what, reply)
    if not found:
        raise PromptevalError(f"no JSON {what} in the {reply.count(chr(10)) + 1} lines of the reply; paste all of it")
    if len(found) > 1:
        lines = ", ".join(str(each.line) for each in found[:_SHOWN]) + ", …" * (len(found) > _SHOWN)
        number = f"more than {_MOST}" if len(found) > _MOST else str(len(found))
        raise PromptevalError(f"{number} JSON {what}s in the reply, on lines {lines}; keep the one that is the answer")
    return found[0]


def _parses(text: str) -> bool:
    try:
        strict_json.parse(text)
    except strict_json.NotJSONError:
        return False
    return True


def _values(what: str, reply: str) -> list[Reply]:
    """Return every top-level object, or list. Raises PromptevalError for one that does not end.

    And for an object in a list, or beside a list that is the answer. One that is broken is still one: what it holds is
    never taken for the answer in its stead.
    """
    opening = _VALUE if what == "list" else _OBJECT
    found: list[Reply] = []
    place, line = 0, 1
    while len(found) <= _MOST and (match := opening.search(reply, place)):
        start = match.start()
        line += reply.count("\n", place, start)
        try:
            end = strict_json.end_of_object(reply, start)
        except strict_json.NotJSONError as error:
            raise PromptevalError(f"the {what} on line {line} of the reply is {error}") from error
        if end is None:
            last = reply.count("\n") + 1
            raise PromptevalError(
                f"the {what} on line {line} of the reply does not end by line {last}; paste all of it"
            )
        if what == "list" and match[0] == "{":
            raise PromptevalError(f"the JSON on line {line} of the reply is an object; the answer is one list")
        if what == "object" and _BEFORE.search(reply, place, start) and _BEHIND.match(reply, end):
            raise PromptevalError(f"the object on line {line} of the reply is inside a list; the answer is one object")
        found.append(Reply(reply[start:end], line))
        line += reply.count("\n", start, end)
        place = end
    return found
