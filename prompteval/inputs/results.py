"""Read a results folder: one JSON file per fixture, as the model answered."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from prompteval.digests import canonical
from prompteval.errors import DataError, Problem, PromptevalError, nearest
from prompteval.inputs import strict_json
from prompteval.inputs.contract import answer_breaches, proposals_of
from prompteval.inputs.files import FileRefusedError, decode, read_bytes, scan
from prompteval.model import Answer, Contract

# Characters that are searched in one answer. Recorded ones have 5,000; of hostile Markdown so much takes seconds.
MOST_TEXT = 100_000


class Results(NamedTuple):
    """The answers by fixture id, and the names in the folder that are no answers."""

    answers: dict[str, Answer]
    passed_over: list[str]


def read_results(root: Path, fixture_ids: Iterable[str], contract: Contract) -> Results:
    """Return the answers in `root`. An invalid answer is evidence and is among them, with its problems.

    Raises DataError for files that belong to no fixture or cannot be read, PromptevalError where there is no folder.
    """
    results, problems = load_results(root, fixture_ids, contract)
    if problems:
        raise DataError(f"the results in {root} cannot be used", problems)
    return results


def load_results(root: Path, fixture_ids: Iterable[str], contract: Contract) -> tuple[Results, list[Problem]]:
    """Return the answers in `root` and what stops an ingest. Raises PromptevalError where there is no folder."""
    if not root.is_dir():
        raise PromptevalError(f"no results in {root}: it is not a folder")
    known = set(fixture_ids)
    listing = scan(root, ".json")
    problems = list(listing.problems)
    answers: dict[str, Answer] = {}
    for stem, path in listing.files.items():
        if stem not in known:
            problems.append(Problem(path.name, "", f"belongs to no fixture{nearest(stem, known)}"))
            continue
        try:
            answers[stem] = read_answer(read_bytes(path), contract)
        except FileRefusedError as error:
            problems.append(Problem(path.name, "", str(error)))
    return Results(answers, listing.others), problems


def read_answer(data: bytes, contract: Contract) -> Answer:
    """Return the answer in the bytes of one result file, or in those that the ledger keeps.

    Raises FileRefusedError for UTF-16, a slip of the editor, and for more text than any model gives.
    """
    try:
        saved = decode(data)
    except FileRefusedError as error:
        if "UTF-16" in str(error):
            raise
        return Answer(data, (str(error),))
    try:
        value = strict_json.parse(saved)
    except strict_json.NotJSONError as error:
        # SQLite's own tools end a text at its first NUL, so a text with one is kept as bytes.
        return Answer(saved.encode("utf-8") if "\0" in saved else saved, (str(error),))
    text = canonical(value)
    if problems := tuple(map(str, answer_breaches(value, contract))):
        return Answer(text, problems)
    answer = Answer(text, proposals=tuple(proposals_of(value, contract)))
    if sum(len(text) for proposal in answer.proposals for text in (*proposal.searched, *proposal.others)) > MOST_TEXT:
        raise FileRefusedError(f"has more than {MOST_TEXT:,} characters in its proposals")
    return answer
