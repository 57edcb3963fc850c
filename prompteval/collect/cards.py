"""A run as a whole: its sessions as cards that name no fixture, and the replies to them filed under their fixtures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from prompteval.collect.prompt import Frame, transcript
from prompteval.collect.save import Saved, save_reply
from prompteval.collect.status import read_status
from prompteval.digests import digest
from prompteval.errors import DataError, Problem, PromptevalError
from prompteval.inputs import strict_json
from prompteval.inputs.files import LARGEST, FileRefusedError, decode, read_bytes, replace_bytes, scan
from prompteval.inputs.fixtures import session_files
from prompteval.inputs.reply import find_answer
from prompteval.model import Contract, Suite

_SHORT = 16  # digits of each digest in a file name
_ENDING = ".txt"
_LARGEST_SHEET = 25 * LARGEST


class Card(NamedTuple):
    """What the model is asked about one session, and the fixtures that have this session."""

    transcript: str
    fixtures: tuple[str, ...]


class Reply(NamedTuple):
    """A reply as it was found: the file it is in, the digest of the session that it answers, and its bytes."""

    path: str
    card: str
    text: bytes


class Filed(NamedTuple):
    """What was saved of many replies, the results that had the same answer already, and what was not saved."""

    saved: list[Saved]
    unchanged: list[Path]
    problems: list[Problem]


def read_cards(fixtures: Path, suite: Suite) -> dict[str, Card]:
    """Return the sessions of a suite as cards, by the digests of their transcripts. Raises PromptevalError."""
    cards: dict[str, Card] = {}
    for name, path in session_files(fixtures, suite).items():
        text = transcript(path, suite.plain)
        known = cards.get(key := digest(text))
        cards[key] = Card(text, (*known.fixtures, name) if known else (name,))
    return cards


def open_cards(fixtures: Path, suite: Suite, results: Path) -> dict[str, Card]:
    """Return the cards of the fixtures without an answer in `results`. Raises PromptevalError if there is none."""
    missing = {*read_status(fixtures, results).missing}
    if not missing:
        raise PromptevalError(f"every fixture has an answer in {results}; next: prompteval status {results}")
    return {key: card for key, card in read_cards(fixtures, suite).items() if not missing.isdisjoint(card.fixtures)}


def write_texts(frame: Frame, cards: Mapping[str, Card], folder: Path) -> None:
    """Write what to paste for each card to a file that is named by the digests of this text and of the session.

    Raises PromptevalError, and then nothing was written, where a file of that name has another text.
    """
    texts = {folder / f"{name}{_ENDING}": text.encode("utf-8") for name, text in _texts(frame, cards)}
    try:
        for path, data in texts.items():
            if path.exists() and path.read_bytes() != data:
                raise PromptevalError(f"{path} already exists, with another text; nothing was written")
        for path, data in texts.items():
            replace_bytes(path, data)
    except OSError as error:
        raise PromptevalError(f"{folder} cannot be written: {error.strerror}") from error


def _texts(frame: Frame, cards: Mapping[str, Card]) -> Iterator[tuple[str, str]]:
    """Yield the name and the text that write_texts gives to each card."""
    for key, card in cards.items():
        text = frame.around(card.transcript)
        yield f"{digest(text)[:_SHORT]}-{key[:_SHORT]}", text


def folder_replies(folder: Path, cards: Mapping[str, Card], frame: Frame | None) -> tuple[list[Reply], list[Problem]]:
    """Return the replies in a folder, each under a name that write_texts gave, with any ending, and what is no reply.

    A text that write_texts wrote is passed over. Without a `frame`, any prompt will do. Raises PromptevalError if the
    folder cannot be listed.
    """
    listing = scan(folder, _ENDING)
    asked = {name for name, _ in _texts(frame, cards)} if frame else None
    sessions, replies, problems = {key[:_SHORT]: key for key in cards}, list[Reply](), list(listing.problems)
    for name in sorted([*(path.name for path in listing.files.values()), *listing.others]):
        stem = name.partition(".")[0]
        text, _, session = stem.partition("-")
        try:
            data = read_bytes(folder / name)
        except FileRefusedError as error:
            problems.append(Problem(name, "", str(error)))
            continue
        if digest(data)[:_SHORT] == text:
            continue
        if session not in sessions:
            problems.append(Problem(name, "", "is not a name that 'prompt --all' gives for one of these sessions"))
        elif asked is not None and stem not in asked:
            problems.append(Problem(name, "", "is a reply to another prompt; give --prompt and --with as it was given"))
        else:
            replies.append(Reply(name, sessions[session], data))
    number = Counter(reply.card for reply in replies)
    several = "is one of several replies to the same session; keep one"
    problems += [Problem(reply.path, "", several) for reply in replies if number[reply.card] > 1]
    return [reply for reply in replies if number[reply.card] == 1], problems


def sheet_replies(path: Path, frame: Frame) -> list[Reply]:
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
    if prompt != frame.digest:
        raise PromptevalError(
            f"{path} has replies to another prompt; give --prompt and --with as for the sheet. Nothing was written"
        )
    return found


def file_replies(
    replies: Iterable[Reply], cards: Mapping[str, Card], contract: Contract, results: Path, *, as_is: bool, force: bool
) -> Filed:
    """Save each reply under every fixture that has its session, and return what was saved and what was not.

    `as_is` saves a reply without a valid answer byte for byte; `force` replaces another answer.
    """
    filed = Filed([], [], [])
    for path, key, text in replies:
        place = f"card {key[:8]}"
        if key not in cards:
            filed.problems.append(Problem(path, place, "no fixture has its session: changed, or of another suite"))
            continue
        for name in cards[key].fixtures:
            target = results / f"{name}.json"
            if _stands(text, target, contract):
                filed.unchanged.append(target)
                continue
            try:
                filed.saved.append(_save(text, target, contract, as_is, force))
            except PromptevalError as error:
                found = error.problems if isinstance(error, DataError) else [error]
                filed.problems.extend(Problem(path, f"{place}, {name}", str(each)) for each in found)
    return filed


def _stands(reply: bytes, target: Path, contract: Contract) -> bool:
    """Return whether a result is what `save` makes of a reply."""
    try:
        written = target.read_bytes()
        return written == reply or written == find_answer(decode(reply), contract).encode("utf-8")
    except (OSError, PromptevalError):
        return False  # and whoever saves it says why


def _save(reply: bytes, target: Path, contract: Contract, as_is: bool, force: bool) -> Saved:
    try:
        return save_reply(reply, target, contract, as_is=False, force=force)
    except PromptevalError:
        if not as_is or (target.exists() and not force):
            raise
        return save_reply(reply, target, contract, as_is=True, force=force)
