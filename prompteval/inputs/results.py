"""Read a results folder: one JSON file a fixture, as the model answered."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from prompteval.errors import DataError, Problem, PromptevalError, nearest
from prompteval.inputs import strict_json
from prompteval.inputs.contract import breaches
from prompteval.inputs.files import FileRefusedError, decode, read_bytes, scan
from prompteval.model import Answer, Proposal

CONTRACT = "proposal-output"
# Characters of titles and bodies in one answer. Recorded ones have 5,000; of hostile Markdown so much takes seconds.
MOST_TEXT = 100_000


class Results(NamedTuple):
    """The answers by fixture id, and the names in the folder that are no answers."""

    answers: dict[str, Answer]
    passed_over: list[str]


def read_results(root: Path, fixture_ids: Iterable[str]) -> Results:
    """Return the answers in `root`. An invalid answer is evidence and is among them, with its problems.

    Raises DataError for files that belong to no fixture or cannot be read, PromptevalError where there is no folder.
    """
    results, problems = load_results(root, fixture_ids)
    if problems:
        raise DataError(f"the results in {root} cannot be used", problems)
    return results


def load_results(root: Path, fixture_ids: Iterable[str]) -> tuple[Results, list[Problem]]:
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
            answers[stem] = parse_answer(read_bytes(path))
        except FileRefusedError as error:
            problems.append(Problem(path.name, "", str(error)))
    return Results(answers, listing.others), problems


def parse_answer(data: bytes) -> Answer:
    """Return the answer in the bytes of one result file.

    Raises FileRefusedError for UTF-16, a slip of the editor, and for more text than any model gives.
    """
    try:
        text = decode(data)
    except FileRefusedError as error:
        if "UTF-16" in str(error):
            raise
        return Answer(raw=data, problems=(str(error),))
    try:
        value = strict_json.parse(text)
    except strict_json.NotJSONError as error:
        # SQLite's own tools end a text at its first NUL, so a text with one is kept as bytes.
        return Answer(raw=text.encode() if "\0" in text else text, problems=(str(error),))
    broken = breaches(CONTRACT, value)
    if broken:
        return Answer(raw=text, problems=tuple(f"{b.field}: {b.text}" if b.field else b.text for b in broken))
    answer = Answer(proposals=tuple(_proposals(value)))
    if sum(len(proposal.title) + len(proposal.body) for proposal in answer.proposals) > MOST_TEXT:
        raise FileRefusedError(f"has more than {MOST_TEXT:,} characters in its titles and bodies")
    return answer


def _proposals(value: dict[str, Any]) -> Iterable[Proposal]:
    for name in ("practice", "map"):
        for position, item in enumerate(value[name]):
            yield Proposal(
                name,
                position,
                item["type"],
                item["title"],
                item["description"],
                item["body"],
                tuple(item["tags"]),
                item["kk_confidence"],
            )
