"""Make the text that a person pastes into a fresh conversation: the prompt with one session."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from shlex import quote
from typing import NamedTuple

from prompteval.digests import canonical, digest
from prompteval.errors import PromptevalError
from prompteval.inputs.fixtures import split_session
from prompteval.inputs.prompts import not_given, read_given
from prompteval.model import PromptFile

# The first one is kenkeep's, and the session takes the place of its whole line.
_PLACEHOLDERS = r"(?P<line>^.*\[TRANSCRIPT PLACEHOLDER.*$)|\{\{\s*(?:transcript|session)\s*\}\}"


class Frame(NamedTuple):
    """The prompt as it stands before and behind a session, and what may be wrong with it."""

    before: str
    after: str
    warnings: tuple[str, ...]

    @property
    def digest(self) -> str:
        """The digest of all that is pasted with each session."""
        return digest(canonical([self.before, self.after]))

    def around(self, transcript: str) -> str:
        """Return what a person pastes for one session."""
        return self.before + transcript.strip("\n") + self.after


def transcript(session: Path, plain: bool) -> str:
    """Return a session as the model reads it: without front matter, unless it is `plain`. Raises PromptevalError."""
    text = read_given(session)
    parts = ("", text) if plain else split_session(text)
    if parts is None:
        raise PromptevalError(f"{session} has no front matter; 'prompteval check' names what is wrong")
    return parts[1].strip("\n") + "\n"


def prompt_frame(prompts: Sequence[PromptFile], placeholder: str | None) -> Frame:
    """Return the prompt, the first of `prompts`, around the session, which takes its placeholder or stands at its end.

    The files it refers to come right before a session that takes a whole line or stands at the end. Else they come
    before the prompt, since what is around the placeholder may be a tag. `placeholder` is its text; None: the usual
    ones. Raises PromptevalError for a blank placeholder, and for a prompt with more than one.
    """
    prompt, *referenced = prompts
    place = _place(prompt, placeholder)
    start, end = place.span() if place else (len(prompt.text), len(prompt.text))
    before, after = prompt.text[:start], prompt.text[end:].rstrip("\n")
    files = [f"Referenced file `{each.name}`:\n\n{each.text.strip(chr(10))}" for each in referenced]
    if place and not place.groupdict().get("line"):
        before = "\n\n---\n\n".join([*files, before])
    else:
        parts = [before.rstrip("\n"), *(f"---\n\n{file}" for file in files)]
        if files or not place:
            parts.append("---\n\nTranscript:")
        before = "".join(f"{part}\n\n" for part in parts if part)
        after = after and "\n\n" + after.lstrip("\n")
    return Frame(before, after + "\n", tuple(_warnings(prompts, placeholder, place is not None)))


def _place(prompt: PromptFile, placeholder: str | None) -> re.Match[str] | None:
    """Return the place of the placeholder. Raises PromptevalError if it is blank or occurs more than once."""
    if placeholder is not None and not placeholder.strip():
        raise PromptevalError("the placeholder is blank; --placeholder takes the text that the session replaces")
    pattern = _PLACEHOLDERS if placeholder is None else re.escape(placeholder)
    places = list(re.finditer(pattern, prompt.text, re.MULTILINE))
    if len(places) > 1:
        numbers = ", ".join(str(prompt.text.count("\n", 0, place.start()) + 1) for place in places)
        raise PromptevalError(f"{prompt.name} has {len(places)} transcript placeholders, on lines {numbers}")
    return places[0] if places else None


def _warnings(prompts: Sequence[PromptFile], placeholder: str | None, placed: bool) -> Iterator[str]:
    for name in not_given(prompts):
        known = quote(name)
        yield f"the prompt names `{name}`, which was not given; add --with {known} or --with {known}=FILE"
    if not placed:
        what = f"placeholder {placeholder}" if placeholder else "placeholder"
        yield f"the prompt has no {what}, so the session is appended"
