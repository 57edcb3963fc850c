"""Create a starter suite, with an answer block that is suggested from a JSON Schema."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from string import Template

from prompteval.errors import PromptevalError
from prompteval.inputs.files import FileRefusedError, read_text
from prompteval.inputs.pointers import answer_block
from prompteval.inputs.suite import schema_from

_TEMPLATES = Path(__file__).parent / "suite"
_SCHEMA = "answer.schema.json"
_FILLED = ("corpus.yaml", "README.md", "sessions/example-01.txt", "expected/example-01.yaml")


def write_suite(root: Path, contract: Path | None = None) -> list[str]:
    """Write a suite to `root` whose answers keep the JSON Schema in `contract`, and return what to say of it.

    Raises PromptevalError, and then nothing was written: where a file or folder of it is there already or cannot be
    written, and for a contract that answers cannot be checked with or that has no list of objects.
    """
    path = contract or _TEMPLATES / _SCHEMA
    try:
        text = read_text(path)
    except FileRefusedError as error:
        raise PromptevalError(f"{path} {error}") from error
    values = answer_block(schema_from(str(path), text))
    if not values:
        raise PromptevalError(f"{path} has no list of objects that could hold the proposals; nothing was written")
    full = Path(os.path.abspath(root))
    named = full.relative_to(Path.cwd()) if full.is_relative_to(Path.cwd()) else Path(full.name)  # is committed
    name = "-".join(re.findall(r"[A-Za-z0-9._-]+", full.name)).lstrip("._-")[:64] or "suite"
    values |= {"name": name, "folder": shlex.quote(named.as_posix()), "here": shlex.quote(str(root))}
    files = {file: _filled(file, values) for file in _FILLED} | {_SCHEMA: text}
    for part in sorted({file.split("/")[0] for file in files}):
        if os.path.lexists(root / part):
            raise PromptevalError(f"{root / part} already exists; choose another folder. Nothing was written")
    _write_all(root, files)
    return [f"wrote {root / file}" for file in files] + _filled("next.txt", values).splitlines()


def _filled(file: str, values: Mapping[str, str]) -> str:
    return Template((_TEMPLATES / file).read_text(encoding="utf-8")).substitute(values)


def _write_all(root: Path, files: Mapping[str, str]) -> None:
    """Write files and the folders they need, or nothing. Raises PromptevalError."""
    made: list[Path] = []
    try:
        for file, text in files.items():
            path = root / file
            for folder in reversed([each for each in path.parents if not each.exists()]):
                folder.mkdir()
                made.append(folder)
            with path.open("xb") as opened:
                made.append(path)
                opened.write(text.encode())
    except BaseException as error:
        for path in reversed(made):
            path.rmdir() if path.is_dir() else path.unlink()
        if isinstance(error, OSError):
            raise PromptevalError(f"{root} cannot be written: {error.strerror}; nothing was written") from error
        raise
