"""Save a pasted reply as the result of its fixture, whole or not at all."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from prompteval.errors import PromptevalError, nearest
from prompteval.inputs.files import LARGEST, FileRefusedError, decode, replace_bytes
from prompteval.inputs.reply import find_answer
from prompteval.inputs.results import read_answer
from prompteval.model import Answer, Contract


class Saved(NamedTuple):
    """The path of a saved reply, and the answer that an ingest will read there."""

    path: Path
    answer: Answer


def known_fixture(name: str, fixture_ids: Collection[str]) -> str:
    """Return the name of a fixture. Raises PromptevalError, with the nearest name, if there is no such fixture."""
    if name not in fixture_ids:
        raise PromptevalError(f"no fixture is named '{name}'{nearest(name, fixture_ids)}")
    return name


def save_reply(reply: bytes, target: Path, contract: Contract, *, as_is: bool, force: bool) -> Saved:
    """Write the answer in `reply` to `target`; `as_is` writes an invalid reply, byte for byte.

    Raises PromptevalError, and then nothing was written: for a reply without one valid answer (with `as_is`: for one
    that has one), for a file that is there unless `force`, and for a folder that cannot be written.
    """
    if target.exists() and not force:
        raise PromptevalError(f"{target} already exists; --force replaces it")
    _check_size("the reply", reply)
    try:
        data = _as_it_is(reply, contract) if as_is else find_answer(decode(reply), contract).encode("utf-8")
    except FileRefusedError as error:
        raise PromptevalError(f"the reply {error}") from error
    _check_size("the answer, one field per line,", data)
    try:
        replace_bytes(target, data)
    except OSError as error:
        raise PromptevalError(f"{target} cannot be written: {error.strerror}") from error
    return Saved(target, read_answer(data, contract))


def _check_size(what: str, data: bytes) -> None:
    """Raise PromptevalError for what an ingest would refuse."""
    if len(data) > LARGEST:
        raise PromptevalError(f"{what} is larger than {LARGEST:,} bytes")


def _as_it_is(reply: bytes, contract: Contract) -> bytes:
    try:
        find_answer(decode(reply), contract)
    except FileRefusedError as error:
        if "is not UTF-8" not in str(error):  # UTF-16 comes from an editor, never from the model
            raise
    except PromptevalError:
        pass
    else:
        raise PromptevalError("the reply holds a valid answer; save it without --as-is")
    return reply
