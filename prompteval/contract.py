"""Hold a value against one of the shipped contracts (JSON Schema 2020-12)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import jsonschema_rs

CONTRACTS = ("proposal-output", "expected-labels", "session-front-matter", "corpus")
REPORTS = ("score-report", "diff-report", "history-report")  # what --format json keeps
_FOLDER = Path(__file__).parent / "contracts"
_LONGEST_MESSAGE = 200

FieldPath = tuple["str | int", ...]


class Breach(NamedTuple):
    """One place where a value breaks its contract."""

    path: FieldPath
    text: str

    @property
    def field(self) -> str:
        return json_path(self.path)


def json_path(path: Iterable[str | int]) -> str:
    """Return `practice[0].kk_confidence` for `("practice", 0, "kk_confidence")`; the empty path is ``."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else str(step)
    return text


def contract_text(name: str) -> str:
    """Return the JSON Schema called `name` (one of CONTRACTS or REPORTS) as text."""
    return (_FOLDER / f"{name}.schema.json").read_text(encoding="utf-8")


@lru_cache
def _schema(name: str) -> dict[str, Any]:
    import json

    schema: dict[str, Any] = json.loads(contract_text(name))
    return schema


@lru_cache
def _validator(name: str) -> jsonschema_rs.Draft202012Validator:
    import jsonschema_rs

    return jsonschema_rs.Draft202012Validator(_schema(name))


def breaches(name: str, value: Any) -> list[Breach]:
    """Return all that is wrong with `value` under the contract `name`, in the order of the value's own places."""
    found = [Breach(tuple(error.instance_path), _message(name, error)) for error in _validator(name).iter_errors(value)]
    return sorted(found, key=lambda breach: ([(isinstance(step, str), str(step)) for step in breach.path], breach.text))


def _message(contract: str, error: jsonschema_rs.ValidationError) -> str:
    kind: Any = error.kind  # one of a family of classes, each with its own attributes
    name = type(kind).__name__
    if name == "AdditionalProperties":
        return "unknown key " + ", ".join(f'"{key}"' for key in sorted(kind.unexpected))
    if name == "Required":
        return f'missing key "{kind.property}"'
    if name == "Pattern" and kind.pattern == "\\S":
        return "is blank"
    if name == "Pattern":
        return f"{error.message.partition(' does not match ')[0]} is not {_description(contract, error)}"
    if name == "AnyOf":
        return 'needs "must_match_all" or "must_match_any"'
    message = str(error.message)
    return message if len(message) <= _LONGEST_MESSAGE else message[:_LONGEST_MESSAGE] + "…"


def _description(contract: str, error: jsonschema_rs.ValidationError) -> str:
    """Return what the contract says a text with a pattern is, in words."""
    part: Any = _schema(contract)
    for step in error.schema_path[:-1]:
        part = part[step]
    return str(part["description"])
