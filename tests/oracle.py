"""A second, independent check of results: a strict RFC 8259 parser and the contract proposal-output, in plain code.

It shares no line and no library with prompteval, so that a mistake in one of them shows as a difference.
"""

from __future__ import annotations

import re
from typing import Any

DEEPEST, LONGEST_NUMBER = 64, 20
_SPACE = re.compile("[ \t\n\r]*")
_PLAIN = re.compile('[^"\\\\\x00-\x1f]*')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_UNICODE = re.compile(r"u([0-9a-fA-F]{4})")
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_WORDS = {"true": True, "false": False, "null": None}
_FIELDS = {"type", "tags", "title", "description", "body", "kk_confidence"}


class RefusedError(Exception): ...


def accepts(data: bytes) -> bool:
    """Tell whether the bytes of one file are a valid result."""
    try:
        text = data.decode("utf-8")
        value, end = _value(text, _skip(text, int(text.startswith("\ufeff"))), 0)
        return _skip(text, end) == len(text) and _keeps_contract(value)
    except (UnicodeDecodeError, RefusedError):
        return False


def _skip(text: str, at: int) -> int:
    return at + len(_SPACE.match(text, at)[0])  # type: ignore[index]  # it always matches


def _value(text: str, at: int, depth: int) -> tuple[Any, int]:
    first = text[at : at + 1]
    if first == '"':
        return _string(text, at + 1)
    if first and first in "[{" and depth < DEEPEST:
        return (_list if first == "[" else _object)(text, _skip(text, at + 1), depth + 1)
    for word, value in _WORDS.items():
        if text.startswith(word, at):
            return value, at + len(word)
    number = _NUMBER.match(text, at)
    if not number or len(number[0]) > LONGEST_NUMBER or abs(float(number[0])) == float("inf"):
        raise RefusedError
    return float(number[0]), number.end()


def _string(text: str, at: int) -> tuple[str, int]:
    units = ""
    while True:
        plain = _PLAIN.match(text, at)[0]  # type: ignore[index]  # it always matches
        units, at = units + plain, at + len(plain)
        if text[at : at + 1] == '"':
            break
        if text[at : at + 1] != "\\":
            raise RefusedError  # a control character, or the end
        if code := _UNICODE.match(text, at + 1):
            units, at = units + chr(int(code[1], 16)), at + 6
        elif (escape := text[at + 1 : at + 2]) in _ESCAPES:
            units, at = units + _ESCAPES[escape], at + 2
        else:
            raise RefusedError
    try:  # joins escaped pairs of surrogates and refuses those that stand alone
        return units.encode("utf-16-le", "surrogatepass").decode("utf-16-le"), at + 1
    except UnicodeDecodeError as error:
        raise RefusedError from error


def _list(text: str, at: int, depth: int) -> tuple[list[Any], int]:
    items: list[Any] = []
    more = text[at : at + 1] != "]"
    while more:
        item, at = _value(text, at, depth)
        items.append(item)
        at, more = _next(text, at, "]")
    return items, at if items else at + 1


def _object(text: str, at: int, depth: int) -> tuple[dict[str, Any], int]:
    members: dict[str, Any] = {}
    more = text[at : at + 1] != "}"
    while more:
        if text[at : at + 1] != '"':
            raise RefusedError
        name, at = _string(text, at + 1)
        at = _skip(text, at)
        if name in members or text[at : at + 1] != ":":
            raise RefusedError
        members[name], at = _value(text, _skip(text, at + 1), depth)
        at, more = _next(text, at, "}")
    return members, at if members else at + 1


def _next(text: str, at: int, end: str) -> tuple[int, bool]:
    """Return where the next item starts and that there is one, or where the container ended."""
    at = _skip(text, at)
    if text[at : at + 1] == end:
        return at + 1, False
    if text[at : at + 1] != ",":
        raise RefusedError
    return _skip(text, at + 1), True


def _keeps_contract(value: Any) -> bool:
    if not isinstance(value, dict) or set(value) != {"practice", "map"}:
        return False
    return all(isinstance(items, list) and all(map(_is_proposal, items)) for items in value.values())


def _is_proposal(item: Any) -> bool:
    if not isinstance(item, dict) or set(item) != _FIELDS or not isinstance(item["tags"], list):
        return False
    texts = [*item["tags"], *(item[name] for name in ("title", "description", "body"))]
    known = item["type"] in ("practice", "map") and item["kk_confidence"] in ("low", "medium", "high")
    return known and all(isinstance(text, str) and "\0" not in text for text in texts)
