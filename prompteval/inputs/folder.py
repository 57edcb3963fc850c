"""List the files of a folder that people and their tools have been in."""

from __future__ import annotations

import os
import re
import unicodedata
from pathlib import Path
from typing import NamedTuple

from prompteval.errors import Problem, PromptevalError

# Dot-files (AppleDouble `._x` among them), editor backups and swap files: never somebody's work.
_LITTER = re.compile(
    r"\..*|.*~|#.*#|.*\.(bak|orig|rej|swp|swo|tmp)|(Thumbs\.db|desktop\.ini)", re.IGNORECASE | re.DOTALL
)


class Listing(NamedTuple):
    """The files with the wanted suffix by stem, the problems with such names, and the other names."""

    files: dict[str, Path]
    problems: list[Problem]
    others: list[str]


def scan(root: Path, suffix: str) -> Listing:
    """List `root`. Names that only differ by case or Unicode normalisation are a problem; litter is passed over.

    Raises PromptevalError when `root` is no folder that can be read.
    """
    try:
        names = sorted(name for name in os.listdir(root) if not _LITTER.fullmatch(name))
    except OSError as error:
        raise PromptevalError(f"{root} cannot be listed: {error.strerror}") from error
    files: dict[str, Path] = {}
    problems, others = [], []
    first: dict[str, str] = {}
    for name in names:
        if not name.casefold().endswith(suffix):
            others.append(name)
        elif (twin := first.setdefault(_same(name), name)) != name:
            problems.append(Problem(name, "", f'has the same name as "{twin}" on other systems'))
        elif not name.endswith(suffix):
            problems.append(Problem(name, "", f"ends in {name[-len(suffix) :]}; rename it to end in {suffix}"))
        else:
            files[name[: -len(suffix)]] = root / name
    return Listing(files, problems, others)


def _same(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()
