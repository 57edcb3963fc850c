"""The tags of a run, read and shown: `6`, `v6` and `V6` are one version, 0 and -0.0 one temperature."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from prompteval.errors import PromptevalError

if TYPE_CHECKING:
    from prompteval.model import RunTags
    from prompteval.outcomes import Run

NOT_RECORDED = "not recorded"

_VERSION = re.compile(r"(?![vV]+[0-9]*\Z)[A-Za-z0-9][A-Za-z0-9._+-]{0,63}")  # v and vv6 are typing errors
_V = re.compile(r"[vV](?=[0-9])")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")  # float() takes 1_0 and other digits too
_RUNS_OF_DIGITS = re.compile(r"([0-9]+)")


def normal_version(text: str) -> str:
    """Return the version without its leading v. Raises PromptevalError for `latest`, blank and odd characters."""
    version = _V.sub("", text.strip(), count=1) if _V.match(text.strip()) else text.strip()
    if version.lower() == "latest":
        raise PromptevalError("'latest' is not a version; give the number that the prompt file names")
    if not _VERSION.fullmatch(version):
        raise PromptevalError(f"'{text}' is not a version; write it as 6, v6 or 6.1-draft")
    return version


def shown(version: str) -> str:
    """Return `v6` for `6`; a version that does not start with a digit is shown as it is."""
    return f"v{version}" if version[:1].isdigit() else version


def sort_key(version: str) -> list[tuple[bool, int, str]]:
    """Return a key by which numbers inside versions sort as numbers."""
    parts = _RUNS_OF_DIGITS.split(version)
    return [(part.isdigit(), int(part) if part.isdigit() else 0, part) for part in parts if part]


def parse_temperature(text: str) -> float:
    """Return the temperature as a number; 0, 0.0 and -0.0 are one. Raises PromptevalError for anything else."""
    value = float(text) if _NUMBER.fullmatch(text.strip()) else math.nan
    if not math.isfinite(value) or value < 0:
        raise PromptevalError(f"'{text}' is not a temperature; write a number such as 0 or 0.7")
    return abs(value)  # -0.0 is 0


def _shown_temperature(value: float | None) -> str:
    return NOT_RECORDED if value is None else repr(value).removesuffix(".0")


def checked_name(what: str, text: str) -> str:
    """Return a model or harness name as it is. Raises PromptevalError if it is blank or not one line of text."""
    if not text.strip() or not all(character.isprintable() for character in text):
        raise PromptevalError(f"--{what} is blank or holds characters that cannot be shown; give a name in one line")
    return text


# The tags that have to be the same for two runs to be compared like with like, and how each is shown.
SETTING: dict[str, Callable[[Any], str]] = {
    "model": str,
    "temperature": _shown_temperature,
    "harness": lambda value: NOT_RECORDED if value is None else value,
}
SETTING_HEADERS = tuple(name.capitalize() for name in SETTING)


def setting_cells(run: Run | RunTags) -> tuple[str, ...]:
    """Return the setting of a run, one text per tag."""
    return tuple(show(getattr(run, name)) for name, show in SETTING.items())


def shown_setting(run: Run | RunTags) -> str:
    """Return the setting of a run in one line."""
    return ", ".join(f"{name} {text}" for name, text in zip(SETTING, setting_cells(run), strict=True))
