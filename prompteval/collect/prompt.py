"""Make the text that a person pastes into a fresh conversation: the prompt with one session in its place."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from prompteval.errors import PromptevalError
from prompteval.inputs.files import FileRefusedError, read_text
from prompteval.inputs.fixtures import split_session

PLACEHOLDER = "[TRANSCRIPT PLACEHOLDER"


def transcript(session: Path, plain: bool) -> str:
    """Return a session as the model reads it: without front matter, unless it is `plain`. Raises PromptevalError."""
    text = _read(session)
    parts = ("", text) if plain else split_session(text)
    if parts is None:
        raise PromptevalError(f"{session} has no front matter; 'prompteval check' names what is wrong")
    return parts[1].strip("\n") + "\n"


def pasted_text(body: str, prompt: Path, referenced: Iterable[Path]) -> str:
    """Return the prompt with `body` in the place of its transcript placeholder, or else behind it.

    Referenced files come before the transcript, each under a heading with its name alone: a path could show a label.
    Raises PromptevalError for a file that cannot be read and a prompt with more than one placeholder.
    """
    lines = _read(prompt).split("\n")
    places = [index for index, line in enumerate(lines) if PLACEHOLDER in line]
    if len(places) > 1:
        numbers = ", ".join(str(place + 1) for place in places)
        raise PromptevalError(f"{prompt} has {len(places)} transcript placeholders, on lines {numbers}")
    before, after = (lines[: places[0]], lines[places[0] + 1 :]) if places else (lines, [])
    parts = ["\n".join(before).rstrip("\n")]
    parts += [f"---\n\nReferenced file `{path.name}`:\n\n{_read(path).strip(chr(10))}" for path in referenced]
    if len(parts) > 1 or not places:
        parts.append("---\n\nTranscript:")
    parts += [body.strip("\n"), "\n".join(after).strip("\n")]
    return "\n\n".join(part for part in parts if part) + "\n"


def _read(path: Path) -> str:
    try:
        return read_text(path)
    except FileRefusedError as error:
        raise PromptevalError(f"{path} {error}") from error
