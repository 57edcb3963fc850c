"""Find the answer in a pasted reply: the one JSON object in it, bare, in a code fence or after prose."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from prompteval.errors import DataError, Problem, PromptevalError
from prompteval.inputs import strict_json
from prompteval.inputs.contract import default_contract
from prompteval.inputs.results import read_answer

_BEFORE, _BEHIND = re.compile(r"\[\s*\Z"), re.compile(r"\s*\]")
_MOST, _SHOWN = 100, 10  # objects looked for, and lines named, before a reply is no answer for certain
# What JSON may have after the brace that opens an object; any other brace is prose, such as {a, b} or ${HOME}.
_OBJECT = re.compile(r'\{(?=\s*["}])')


class Reply(NamedTuple):
    """The object in a reply, as text, and the line on which it starts, from 1."""

    text: str
    line: int


def find_answer(reply: str) -> str:
    """Return the answer in a reply, as the text of its result file: one field per line.

    Raises PromptevalError, with line numbers, where there is no object, more than one, or one that does not end, and
    DataError with every problem where the object breaks its contract.
    """
    found = _one_object(reply)
    answer = read_answer(found.text.encode("utf-8", "surrogatepass"), default_contract())
    if not answer.valid:
        raise DataError(
            "the answer is not valid; save it unchanged with --as-is, or ask again in a fresh conversation",
            [Problem(f"the object on line {found.line}", "", problem) for problem in answer.problems],
        )
    return json.dumps(strict_json.parse(found.text), ensure_ascii=False, indent=2) + "\n"


def _one_object(reply: str) -> Reply:
    whole = reply.strip()
    if not whole:
        raise PromptevalError("the reply is empty; paste all of it")
    if _parses(whole):
        return Reply(whole, 1)
    found = _objects(reply)
    if not found:
        raise PromptevalError(f"no JSON object in the {reply.count(chr(10)) + 1} lines of the reply; paste all of it")
    if len(found) > 1:
        lines = ", ".join(str(each.line) for each in found[:_SHOWN]) + ", …" * (len(found) > _SHOWN)
        number = f"more than {_MOST}" if len(found) > _MOST else str(len(found))
        raise PromptevalError(f"{number} JSON objects in the reply, on lines {lines}; keep the one that is the answer")
    return found[0]


def _parses(text: str) -> bool:
    try:
        strict_json.parse(text)
    except strict_json.NotJSONError:
        return False
    return True


def _objects(reply: str) -> list[Reply]:
    """Return every object that stands by itself. Raises PromptevalError for one that does not end or is part of a list.

    An object that is broken is still an object: what it holds is never taken for the answer in its stead.
    """
    found: list[Reply] = []
    place, line = 0, 1
    while len(found) <= _MOST and (match := _OBJECT.search(reply, place)):
        start = match.start()
        line += reply.count("\n", place, start)
        try:
            end = strict_json.end_of_object(reply, start)
        except strict_json.NotJSONError as error:
            raise PromptevalError(f"the object on line {line} of the reply is {error}") from error
        if end is None:
            last = reply.count("\n") + 1
            raise PromptevalError(
                f"the object on line {line} of the reply does not end by line {last}; paste all of it"
            )
        if _BEFORE.search(reply, place, start) and _BEHIND.match(reply, end):
            raise PromptevalError(f"the object on line {line} of the reply stands in a list; the answer is one object")
        found.append(Reply(reply[start:end], line))
        line += reply.count("\n", start, end)
        place = end
    return found
