"""Contracts as JSON Schema 2020-12: what breaks one, and where the proposals of an answer are."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from prompteval.digests import canonical
from prompteval.model import Contract, Proposal

if TYPE_CHECKING:
    import jsonschema_rs

# The contract of a suite that names none, as its corpus.yaml would: kenkeep's.
DEFAULT: Mapping[str, Any] = {
    "schema": "proposal-output",
    "proposals": {"practice": "/practice", "map": "/map"},
    "type": "/type",
    "title": "/title",
    "searched": ["/title", "/body"],
}
_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_FOLDER = Path(__file__).parent.parent / "contracts"
_LONGEST_MESSAGE = 200
_MOST_PLACES = 5_000

FieldPath = tuple["str | int", ...]


class Breach(NamedTuple):
    """One place where a value breaks its contract."""

    path: FieldPath
    text: str

    @property
    def field(self) -> str:
        """The place as it is written in messages."""
        return json_path(self.path)

    def __str__(self) -> str:
        return f"{self.field}: {self.text}" if self.field else self.text


def json_path(path: Iterable[str | int]) -> str:
    """Return `practice[0].kk_confidence` for `("practice", 0, "kk_confidence")`; the empty path is ``."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else str(step)
    return text


def contract_text(name: str) -> str:
    """Return the JSON Schema called `name` (one of CONTRACTS) as text."""
    return (_FOLDER / f"{name}.schema.json").read_text(encoding="utf-8")


@lru_cache
def default_contract() -> Contract:
    """Return the contract of an answer where the suite names none."""
    return contract_from({**DEFAULT, "schema": _shipped(DEFAULT["schema"])})


def contract_from(block: Mapping[str, Any]) -> Contract:
    """Return the contract that the block `answer` of a corpus.yaml says, its schema read."""
    kept = block.get("kept")
    return Contract(
        block["schema"],
        tuple(block["proposals"].items()),
        block.get("type"),
        block.get("title"),
        tuple(block["searched"]),
        None if kept is None else tuple(kept),
    )


@lru_cache
def contract_of(text: str) -> Contract:
    """Return the contract that a canonical text of the ledger says."""
    value = json.loads(text)
    return contract_from({**value, "proposals": dict(value["proposals"])})


def schema_problem(schema: Any) -> str | None:
    """Return why a value is no JSON Schema that answers can be checked with, or None."""
    if not isinstance(schema, dict):
        return "is not a JSON object, as a schema is"
    if schema.get("$schema", _DRAFT) != _DRAFT:
        return f'is not a JSON Schema of draft 2020-12 ("$schema": "{_DRAFT}")'
    if remote := next(_remote(schema), None):
        return f'refers to {remote}, which is not in the file; put it under "$defs"'
    try:
        _validator(canonical(schema))
    except ValueError as error:
        return f"is not a JSON Schema: {_shortened(str(error).partition(chr(10))[0])}"
    return None


def _remote(value: Any) -> Iterator[str]:
    """Yield what a schema refers to outside itself: nothing is ever fetched."""
    for key, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        if key in ("$ref", "$dynamicRef") and isinstance(item, str) and not item.startswith("#"):
            yield item
        yield from _remote(item)


def proposals_of(value: Any, contract: Contract) -> Iterator[Proposal]:
    """Yield the proposals of a valid answer, in the order of the contract's lists."""
    number = 0
    for type_, pointer in contract.proposals:
        for position, item in enumerate(_find(value, pointer)):
            number += 1
            yield _proposal(item, contract, (number, type_, position))


def _proposal(item: Any, contract: Contract, place: tuple[int, str, int]) -> Proposal:
    number, list_, position = place
    type_ = _find(item, contract.type) if contract.type is not None else None
    searched = [(pointer, _find(item, pointer)) for pointer in contract.searched]
    texts = tuple(text for _, found in searched for text in _strings(found) or [""])
    title = _find(item, contract.title) if contract.title is not None else None
    if not isinstance(title, str):
        title = next((text for text in texts if text), f"proposal {number}")
    kept = contract.kept is None or set(contract.searched) <= set(contract.kept)
    if contract.kept is None:
        others = list(_strings(item))
        for text in texts:  # each of which stands there once
            if text in others:
                others.remove(text)
    else:
        pointers = [p for p in contract.kept if not (kept and p in contract.searched)]
        others = [text for pointer in pointers for text in _strings(_find(item, pointer))]
    return Proposal(
        number, list_, position, type_ if isinstance(type_, str) else list_, title, texts, tuple(others), kept
    )


def _find(value: Any, pointer: str) -> Any:
    """Return what a JSON Pointer of object keys leads to, or None."""
    for key in pointer.split("/")[1:]:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _strings(value: Any) -> list[str]:
    """Return every string in a value, in the order of its canonical JSON."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        items = [value[key] for key in sorted(value)]
    else:
        items = value if isinstance(value, list) else []
    return [text for item in items for text in _strings(item)]


def answer_breaches(value: Any, contract: Contract) -> list[Breach]:
    """Return all that is wrong with an answer under its contract."""
    found = breaches(contract.schema, value)
    if not found:
        found = [
            Breach((), f"{pointer or 'the answer'} is not a list")
            for _, pointer in contract.proposals
            if not isinstance(_find(value, pointer), list)
        ]
    if not found and any("\0" in text for text in _strings(value)):
        found = [Breach((), "a string holds U+0000, where SQLite ends a text")]
    return found


@lru_cache
def _shipped(name: str) -> dict[str, Any]:
    schema: dict[str, Any] = json.loads(contract_text(name))
    return schema


@lru_cache
def _validator(schema: str) -> jsonschema_rs.Draft202012Validator:
    import jsonschema_rs

    return jsonschema_rs.Draft202012Validator(json.loads(schema))


def breaches(contract: str | Mapping[str, Any], value: Any) -> list[Breach]:
    """Return all that is wrong with `value` under a contract (one of CONTRACTS, or a schema), by its own places.

    Of a value with more than 5,000 places only the first: a million errors would cost gigabytes, and nobody reads them.
    """
    schema = _shipped(contract) if isinstance(contract, str) else contract
    validator = _validator(canonical(schema))
    errors = validator.iter_errors(value) if _is_small(value) else _first_error(validator, value)
    found = [Breach(tuple(error.instance_path), _shortened(_message(schema, error))) for error in errors]
    return sorted(found, key=lambda breach: ([(isinstance(step, str), str(step)) for step in breach.path], breach.text))


def _is_small(value: Any) -> bool:
    left, waiting = _MOST_PLACES, [value]
    while waiting and left >= 0:
        item = waiting.pop()
        if isinstance(item, (dict, list)):
            left -= len(item)
            waiting += item.values() if isinstance(item, dict) else item
    return left >= 0


def _first_error(validator: jsonschema_rs.Draft202012Validator, value: Any) -> list[jsonschema_rs.ValidationError]:
    import jsonschema_rs

    try:
        validator.validate(value)
    except jsonschema_rs.ValidationError as error:
        return [error]
    return []


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_MESSAGE else text[:_LONGEST_MESSAGE] + "…"


def _message(schema: Mapping[str, Any], error: jsonschema_rs.ValidationError) -> str:
    kind: Any = error.kind  # one of a family of classes, each with its own attributes
    name = type(kind).__name__
    if name == "AdditionalProperties":
        return "unknown key " + ", ".join(f'"{key}"' for key in sorted(kind.unexpected))
    if name == "Required":
        return f'missing key "{kind.property}"'
    if name == "Pattern" and kind.pattern == "\\S":
        return "is blank"
    if name == "Pattern" and (wanted := _description(schema, error)):
        return f"{error.message.partition(' does not match ')[0]} is not {wanted}"
    if name == "UniqueItems":
        terms: Any = error.instance
        return ", ".join(f'"{term}" occurs twice' for term in dict.fromkeys(terms) if terms.count(term) > 1)
    if name == "AnyOf":
        lacks = [[getattr(inner.kind, "property", None) for inner in each] for each in kind.context]
        if all(keys and all(keys) for keys in lacks):
            return "needs " + " or ".join(" and ".join(f'"{key}"' for key in keys) for keys in lacks)
    return str(error.message)


def _description(schema: Mapping[str, Any], error: jsonschema_rs.ValidationError) -> str | None:
    """Return what the contract says a text with a pattern is, in words."""
    part: Any = schema
    for step in error.schema_path[:-1]:
        part = part[step]
    found = part.get("description") if isinstance(part, dict) else None
    return None if found is None else str(found)
