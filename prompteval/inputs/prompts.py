"""Read a prompt and the files it refers to, each under the name that the prompt uses for it."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from prompteval.errors import PromptevalError
from prompteval.inputs.files import FileRefusedError, read_text
from prompteval.model import PromptFile
from prompteval.tags import checked_name, normal_version

_VERSION = re.compile(r"^[ \t>*#-]*Version:[ \t]*(\S+)[ \t]*$", re.MULTILINE | re.IGNORECASE)
_PATH = re.compile(r"`([^`\s*?<>{}|]*[^`\s*?<>{}|/.]\.(?:md|txt))`")  # neither a pattern nor an ending alone


def read_prompts(prompt: Path, referenced: Sequence[str]) -> tuple[PromptFile, ...]:
    """Return the prompt and then the files it refers to, each given as FILE or NAME=FILE.

    FILE alone goes under the path in back-ticks that ends in its base name, else under its base name. No local path is
    kept. Raises PromptevalError for a file that cannot be read, a name that cannot be shown, and a name used twice.
    """
    first = _file("prompt", prompt.name, prompt)
    prompts = (first, *(_read_referenced(given, first.text) for given in referenced))
    names = [each.name for each in prompts]
    for name in names:
        if names.count(name) > 1:
            raise PromptevalError(f"two files have the name {name}; give one of them as --with NAME=FILE")
    return prompts


def read_given(path: Path) -> str:
    """Return the text of a file. Raises PromptevalError, which names it, if it cannot be read."""
    try:
        return read_text(path)
    except FileRefusedError as error:
        raise PromptevalError(f"{path} {error}") from error


def check_version(prompt: PromptFile, version: str) -> None:
    """Raise PromptevalError if a prompt names another version than `version`."""
    named = _VERSION.search(prompt.text)
    if named and normal_version(named[1]) != version:
        raise PromptevalError(f"{prompt.name} says Version: {named[1]}, but --version says {version}; one is wrong")


def not_given(prompts: Sequence[PromptFile]) -> list[str]:
    """Return the paths that a prompt names in back-ticks and that none of the files goes under, in its order.

    The base name of a path is the same file where the prompt names both.
    """
    named = _named(prompts[0].text)
    given = {prompt.name for prompt in prompts}
    given |= {PurePosixPath(name).name for name in given.intersection(named)}
    return [name for name in named if name not in given]


def _named(text: str) -> list[str]:
    return list(dict.fromkeys(path for path in _PATH.findall(text) if "://" not in path))


def _read_referenced(given: str, prompt: str) -> PromptFile:
    name, equals, file = given.partition("=")
    if not equals or os.path.lexists(given):
        return _file("with", _name_of(Path(given), prompt), Path(given))
    if not file:
        raise PromptevalError(f"--with {given} names no file; give it as NAME=FILE")
    return _file("with", name, Path(file))


def _name_of(file: Path, prompt: str) -> str:
    """Return the path under which a prompt names a file: of several, the longest that the file's own path ends in."""

    def fit(name: str) -> tuple[bool, int]:
        parts = PurePosixPath(name).parts
        return file.parts[-len(parts) :] == parts, len(parts)

    return max((name for name in _named(prompt) if PurePosixPath(name).name == file.name), key=fit, default=file.name)


def _file(option: str, name: str, path: Path) -> PromptFile:
    text = read_given(path)
    if "\0" in text:
        raise PromptevalError(f"{path} holds U+0000, where SQLite ends a text")
    return PromptFile(checked_name(option, name), text)
