"""What is known of the prompts that runs answered: how two differ, and where a version has no prompt of its own."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from prompteval.errors import count
from prompteval.outcomes import PromptUsed, Run
from prompteval.report.table import Section
from prompteval.tags import shown

if TYPE_CHECKING:
    from prompteval.compare import Comparison

Files = tuple[PromptUsed, ...]  # a prompt, then the files it refers to


def prompt_text(files: Files) -> str:
    """Return the texts of a prompt and the files it refers to; where there are several, each under its name."""
    lost = "the text of {} was not kept, only its digest: {}\n"
    texts = [lost.format(file.name, file.digest) if file.text is None else file.text for file in files]
    if len(files) == 1:
        return texts[0]
    return "\n".join(f"==> {file.name} <==\n{text}" for file, text in zip(files, texts, strict=True))


def odd_prompts(runs: Iterable[Run], prompts: Mapping[str, Files]) -> Iterator[str]:
    """Yield a line for each prompt that several versions share, and each version that has several prompts."""
    of_version: dict[str, dict[tuple[str, ...], Files]] = defaultdict(dict)
    with_prompt: dict[tuple[str, ...], dict[str, Files]] = defaultdict(dict)
    for run in runs:
        if files := prompts.get(run.id):
            digests = tuple(file.digest for file in files)
            of_version[run.version].setdefault(digests, files)
            with_prompt[digests].setdefault(run.version, files)
    for versions in with_prompt.values():
        if len(versions) > 1:
            named = " and ".join(map(shown, versions))
            yield f"{named} have the same prompt, {_named(next(iter(versions.values())))}: no difference comes from it"
    for version, found in of_version.items():
        if len(found) > 1:
            listed = "; ".join(map(_named, found.values()))
            yield f"{shown(version)} has runs of {count(len(found), 'prompt')}: {listed}"


def _named(files: Files) -> str:
    return ", ".join(f"{file.name} {file.digest[:8]}" for file in files)


def change_of_prompt(comparison: Comparison) -> Iterator[str]:
    """Yield how the candidate's prompt differs from the baseline's: in lines, or by digests where a text is missing."""
    changed = _changed(comparison)
    if any(file and file.text is None for pair in changed for file in pair):
        yield "prompt: " + "; ".join(
            " → ".join(_named((file,)) if file else "none" for file in pair) for pair in changed
        )
    elif changed:
        lines = [line for pair in changed for line in _diff(*pair)[2:]]
        added, removed = (sum(line.startswith(sign) for line in lines) for sign in "+-")
        yield f"prompt: {count(added, 'line')} added, {removed} removed"


def prompt_section(comparison: Comparison) -> Section:
    """Return the unified diff of both prompts, and of the files they refer to, or why there is none."""
    changed = _changed(comparison)
    if not changed:
        return Section(
            "Prompt", ("no change is known of: the prompts are the same, or were not recorded one per side",)
        )
    if any(file and file.text is None for pair in changed for file in pair):
        return Section("Prompt", ("not every text was kept; keep_prompts: true in corpus.yaml keeps those to come",))
    return Section("Prompt", [line for pair in changed for line in _diff(*pair)])


def _changed(comparison: Comparison) -> list[tuple[PromptUsed | None, PromptUsed | None]]:
    """Return the files that differ, before and after; nothing unless each side has one prompt, which is known."""
    sides = [{comparison.prompts.get(run.id, ()) for run in side.runs} for side in comparison.sides]
    if any(len(found) != 1 or not all(found) for found in sides):
        return []
    (before, *old), (after, *new) = (next(iter(found)) for found in sides)
    left, right = ({file.name: file for file in files} for files in (old, new))
    pairs = [(before, after), *((left.get(name), right.get(name)) for name in sorted(left.keys() | right.keys()))]
    return [(one, other) for one, other in pairs if not (one and other and one.digest == other.digest)]


def _diff(before: PromptUsed | None, after: PromptUsed | None) -> list[str]:
    from difflib import unified_diff

    old, new = ((file.text or "").rstrip("\n").split("\n") if file else [] for file in (before, after))
    here, there = (file.name if file else "nothing" for file in (before, after))
    return list(unified_diff(old, new, here, there, lineterm=""))
