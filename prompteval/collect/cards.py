"""A run as a whole: its sessions as cards that name no fixture, and the replies to them filed under their fixtures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from prompteval.collect.prompt import Frame, prompt_frame, transcript
from prompteval.collect.save import Saved, answer_bytes, write_answer
from prompteval.collect.status import read_status
from prompteval.digests import digest
from prompteval.errors import DataError, Problem, PromptevalError
from prompteval.inputs import strict_json
from prompteval.inputs.files import LARGEST, FileRefusedError, decode, read_bytes, replace_bytes, scan
from prompteval.inputs.fixtures import session_files
from prompteval.inputs.prompts import read_prompts
from prompteval.inputs.suite import read_suite
from prompteval.model import Contract

_ENDING = ".txt"
_LARGEST_SHEET = 25 * LARGEST


class Card(NamedTuple):
    """What the model is asked about one session, and the fixtures that have this session."""

    transcript: str
    fixtures: tuple[str, ...]


class Run(NamedTuple):
    """The prompt, and each card by the digest of its transcript."""

    frame: Frame
    cards: Mapping[str, Card]
    contract: Contract


class Reply(NamedTuple):
    """A reply as it was found: the file it is in, the digest of the session that it answers, and its bytes."""

    path: str
    card: str
    text: bytes


def read_run(fixtures: Path, prompt: Path, referenced: Sequence[str], placeholder: str | None) -> Run:
    """Return the prompt and the sessions of a suite as cards. Raises PromptevalError for what cannot be used."""
    suite = read_suite(fixtures)
    frame = prompt_frame(read_prompts(prompt, referenced), suite.placeholder if placeholder is None else placeholder)
    cards: dict[str, Card] = {}
    for name, path in session_files(fixtures, suite).items():
        text = transcript(path, suite.plain)
        known = cards.get(key := digest(text))
        cards[key] = Card(text, (*known.fixtures, name) if known else (name,))
    return Run(frame, cards, suite.contract)


def open_cards(run: Run, fixtures: Path, results: Path | None) -> Mapping[str, Card]:
    """Return the cards of the fixtures without an answer in `results` (None: all). Raises PromptevalError if none."""
    if results is None:
        return run.cards
    missing = {*read_status(fixtures, results).missing}
    if not missing:
        raise PromptevalError(f"every fixture has an answer in {results}; next: prompteval status {results}")
    return {key: card for key, card in run.cards.items() if not missing.isdisjoint(card.fixtures)}


def write_texts(run: Run, cards: Mapping[str, Card], folder: Path) -> None:
    """Write what to paste for each card to a file named after its own digest.

    Raises PromptevalError, and then nothing was written, where a file of that name has another text.
    """
    texts = {folder / (name + _ENDING): text.encode("utf-8") for name, (_, text) in _texts(run, cards).items()}
    try:
        for path, data in texts.items():
            if path.exists() and path.read_bytes() != data:
                raise PromptevalError(f"{path} already exists, with another text; nothing was written")
        for path, data in texts.items():
            replace_bytes(path, data)
    except OSError as error:
        raise PromptevalError(f"{folder} cannot be written: {error.strerror}") from error


def _texts(run: Run, cards: Mapping[str, Card]) -> dict[str, tuple[str, str]]:
    """Return the digest of the session and the text to paste of each card, by the digest of that text."""
    texts = ((key, run.frame.around(card.transcript)) for key, card in cards.items())
    return {digest(text): (key, text) for key, text in texts}


def folder_replies(run: Run, folder: Path) -> tuple[list[Reply], list[Problem]]:
    """Return the replies in a folder, each under a name that write_texts gave, with any ending, and what is no reply.

    A text that is as write_texts wrote it is passed over. Raises PromptevalError if the folder cannot be listed.
    """
    listing = scan(folder, _ENDING)
    texts, replies, problems = _texts(run, run.cards), dict[str, Reply](), list(listing.problems)
    for name in sorted([*(path.name for path in listing.files.values()), *listing.others]):
        stem = name.partition(".")[0]
        key, text = texts.get(stem, ("", ""))
        if not key:
            problems.append(
                Problem(name, "", "is not a name that 'prompt --all' gives for this prompt and these sessions")
            )
            continue
        try:
            data = read_bytes(folder / name)
        except FileRefusedError as error:
            problems.append(Problem(name, "", str(error)))
            continue
        if data == text.encode("utf-8"):
            continue
        if key in replies:
            problems.append(Problem(name, "", f"{replies[key].path} is a reply to the same session; keep one"))
            continue
        replies[key] = Reply(name, key, data)
    return [*replies.values()], problems


def sheet_replies(run: Run, path: Path) -> list[Reply]:
    """Return the replies in the file that a sheet downloaded.

    Raises PromptevalError for another file, one that is cut off, and replies to another prompt.
    """
    try:
        value = strict_json.parse(decode(read_bytes(path, _LARGEST_SHEET)))
        prompt, replies = value["prompt"], value["replies"].items()
        found = [Reply(path.name, card, reply.encode("utf-8")) for card, reply in replies]
    except FileRefusedError as error:
        raise PromptevalError(f"{path} {error}") from error
    except strict_json.NotJSONError as error:
        raise PromptevalError(f"{path}: {error}; save the replies in the sheet again. Nothing was written") from error
    except (AttributeError, KeyError, TypeError) as error:
        raise PromptevalError(f"{path} is not what a sheet downloads; name its .replies.json file") from error
    if prompt != run.frame.digest:
        raise PromptevalError(
            f"{path} has replies to another prompt; give --prompt and --with as for the sheet. Nothing was written"
        )
    return found


def file_replies(
    run: Run, replies: Iterable[Reply], results: Path, *, as_is: bool, force: bool
) -> tuple[list[Saved], list[Problem]]:
    """Save each reply under every fixture that has its session, and return what was saved and what was not.

    `as_is` saves a reply without a valid answer byte for byte; `force` replaces another answer.
    """
    saved: list[Saved] = []
    problems: list[Problem] = []
    for path, key, text in replies:
        place = f"card {key[:8]}"
        if key not in run.cards:
            problems.append(Problem(path, place, "no fixture has its session: changed since, or of another suite"))
            continue
        for name in run.cards[key].fixtures:
            try:
                data = _bytes(text, run.contract, as_is)
                saved.append(write_answer(data, results / f"{name}.json", run.contract, force=force))
            except PromptevalError as error:
                found = error.problems if isinstance(error, DataError) else [error]
                problems += [Problem(path, f"{place}, {name}", str(each)) for each in found]
    return saved, problems


def _bytes(reply: bytes, contract: Contract, as_is: bool) -> bytes:
    try:
        return answer_bytes(reply, contract, as_is=False)
    except PromptevalError:
        if not as_is:
            raise
        return answer_bytes(reply, contract, as_is=True)
