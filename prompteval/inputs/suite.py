"""Read corpus.yaml: the name of a suite, what its answers look like, and its categories."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from prompteval.errors import DataError, Problem
from prompteval.inputs import CONTRACTS, strict_json, yaml_lines
from prompteval.inputs.contract import breaches, contract_from, contract_text, default_contract, schema_problem
from prompteval.inputs.files import FileRefusedError, read_text
from prompteval.inputs.pointers import dead_ends
from prompteval.model import CategoryRow, Contract, Suite

FILE = "corpus.yaml"
_COLUMNS = ("category", "count", "expected", "tests")


def read_suite(root: Path) -> Suite:
    """Return what the corpus.yaml in `root` says; without one, the defaults. Raises DataError with every problem."""
    suite, problems = load_suite(root)
    if problems:
        raise DataError(f"the suite in {root} cannot be used", problems)
    return suite


def load_suite(root: Path) -> tuple[Suite, list[Problem]]:
    """Return what the corpus.yaml in `root` says, or the defaults and everything that is wrong with it."""
    path = root / FILE
    if not os.path.lexists(path):  # a link to nothing is a mistake, not an absence
        return Suite(default_contract()), []
    try:
        return suite_of(FILE, read_text(path), root)
    except FileRefusedError as error:
        return Suite(default_contract()), [Problem(FILE, "", str(error))]


def suite_of(path: str, source: str, root: Path) -> tuple[Suite, list[Problem]]:
    """Return what a corpus.yaml in the folder `root` says, and all that is wrong with it, under the name `path`."""
    contract = default_contract()
    document, problems = checked(path, source, "corpus")
    if document is None or problems:
        return Suite(contract), problems
    value = document.value
    if block := value.get("answer"):
        try:
            contract = contract_from({**block, "schema": _schema(root, block["schema"])})
        except FileRefusedError as error:
            place = ("answer", "schema")
            return Suite(contract), [Problem(path, "answer.schema", str(error), document.line(place))]
    rows = tuple(CategoryRow(*(row[name] for name in _COLUMNS)) for row in value.get("categories", ()))
    suite = Suite(
        contract=contract,
        name=value.get("name", Suite._field_defaults["name"]),
        version=value["version"],
        categories=rows,
        plain=value.get("sessions") == "text",
        placeholder=value.get("placeholder"),
        keep_prompts=value.get("keep_prompts", False),
    )
    dead = ((key, f"{pointer} leads to nothing that the schema allows") for key, pointer in dead_ends(contract))
    return suite, [Problem(path, *each) for each in (*_ambiguous(contract), *_unknown(rows, contract), *dead)]


def checked(
    path: str, source: str, contract: str, first_line: int = 1
) -> tuple[yaml_lines.YAMLText | None, list[Problem]]:
    """Return the YAML in `source` and what it breaks of a contract; None if it cannot be read."""
    try:
        document = yaml_lines.load(source, first_line)
    except yaml_lines.YAMLTextError as error:
        return None, [Problem(path, "", str(error), error.line)]
    return document, [
        Problem(path, breach.field, document.said(breach.path, breach.text), document.line(breach.path))
        for breach in breaches(contract, document.value)
    ]


def _ambiguous(contract: Contract) -> Iterator[tuple[str, str]]:
    """Yield lists that no answer can have at once, or that would count a proposal twice."""
    pointers = [pointer for _, pointer in contract.proposals]
    for pointer in dict.fromkeys(pointers):
        if pointers.count(pointer) > 1:
            yield "answer.proposals", f'{pointers.count(pointer)} types have the list "{pointer}"'
    if "" in pointers and len(pointers) > 1:
        yield "answer.proposals", 'the answer itself ("") is one list, and there are others in it'


def _unknown(rows: tuple[CategoryRow, ...], contract: Contract) -> Iterator[tuple[str, str]]:
    """Yield the categories that expect a type that the contract lacks."""
    for row in rows:
        if row.expected not in (*contract.types, "empty", "subset"):
            listed = ", ".join((*contract.types, "empty", "subset"))
            yield "categories", f'{row.category} expects "{row.expected}", which is none of {listed}'


def _schema(root: Path, name: str) -> dict[str, Any]:
    """Return a shipped contract, or the JSON Schema in a file of the suite. Raises FileRefusedError."""
    if name in CONTRACTS:
        text = contract_text(name)
    else:
        if not Path(os.path.realpath(root / name)).is_relative_to(os.path.realpath(root)):
            raise FileRefusedError(f"{name} is outside the suite")
        try:
            text = read_text(root / name)
        except FileRefusedError as error:
            raise FileRefusedError(f"{name} {error}") from error
    return schema_from(name, text)


def schema_from(name: str, text: str) -> dict[str, Any]:
    """Return the JSON Schema in the text of a file. Raises FileRefusedError, which says `name`, where it is none."""
    try:
        schema = strict_json.parse(text)
    except strict_json.NotJSONError as error:
        raise FileRefusedError(f"{name}: {error}") from error
    if problem := schema_problem(schema):
        raise FileRefusedError(f"{name} {problem}")
    return dict(schema)
