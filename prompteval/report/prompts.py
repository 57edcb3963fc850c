"""What is known of the prompts of runs: how two differ, and which versions have no prompt of their own."""

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
Known = dict[str, dict[str, PromptUsed]]  # by name and digest; the name of the prompt itself is empty


def prompt_text(files: Files) -> str:
    """Return the texts of a prompt and the files it refers to; if there are several, each under its name."""
    lost = "the text of {} was not kept, only its digest: {}\n"
    texts = [lost.format(file.name, file.digest) if file.text is None else file.text for file in files]
    if len(files) == 1:
        return texts[0]
    return "\n".join(f"==> {file.name} <==\n{text}" for file, text in zip(files, texts, strict=True))


def odd_prompts(runs: Iterable[Run], prompts: Mapping[str, Files]) -> Iterator[str]:
    """Yield a line for versions that share a prompt, and for each version that has several."""
    of_version: dict[str, list[Run]] = defaultdict(list)
    for run in runs:
        of_version[run.version].append(run)
    known = {version: _known(own, prompts) for version, own in of_version.items()}
    alike: dict[frozenset[str], list[str]] = defaultdict(list)  # only these have to be compared, version by version
    for version, files in known.items():
        alike[frozenset(files.get("", ()))].append(version)
    named: set[str] = set()
    for version, files in known.items():
        others = alike[frozenset(files.get("", ()))] if files else []
        same = [other for other in others if other not in named and _agree(files, known[other])]
        if len(same) > 1:
            named.update(same)
            yield f"{' and '.join(map(shown, same))} have the same prompt, {_listed(files[''])}"
        for name, texts in files.items():
            if len(texts) > 1:
                what = "prompt file" if name else "prompt"
                yield f"{shown(version)} has runs of {count(len(texts), what)}: {_listed(texts)}"


def _known(runs: Iterable[Run], prompts: Mapping[str, Files]) -> Known:
    """Return the prompt files that some runs were recorded with."""
    found: Known = defaultdict(dict)
    for run in runs:
        for place, file in enumerate(prompts.get(run.id, ())):
            found[file.name if place else ""].setdefault(file.digest, file)
    return dict(found)


def _agree(files: Known, others: Known) -> bool:
    """Return whether two versions have the same prompt, and the same text of each file recorded with both."""
    common = files.keys() & others.keys()
    return "" in common and all(files[name].keys() == others[name].keys() for name in common)


def _listed(texts: Mapping[str, PromptUsed]) -> str:
    return ", ".join(map(_named, texts.values()))


def _named(file: PromptUsed) -> str:
    return f"{file.name} {file.digest[:8]}"


def change_of_prompt(comparison: Comparison) -> Iterator[str]:
    """Yield how the candidate's prompt differs from the baseline's: in lines, or in digests if a text is missing."""
    known = [_known(side.runs, comparison.prompts) for side in comparison.sides]
    for side, files, others in zip(comparison.sides, known, reversed(known), strict=True):
        if others and (alone := [file for file in files if file not in others]):
            yield f"{side.name} alone was recorded with {', '.join(alone)}"
    changed = _changed(comparison)
    if any(file and file.text is None for pair in changed for file in pair):
        yield "prompt: " + "; ".join(" → ".join(_named(file) if file else "none" for file in pair) for pair in changed)
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
    return Section("Prompt", [line for pair in changed for line in _diff(*pair)], verbatim=True)


def _changed(comparison: Comparison) -> list[tuple[PromptUsed | None, PromptUsed | None]]:
    """Return the files that differ, before and after; nothing unless each side has one prompt, which is known."""
    before, after = (_known(side.runs, comparison.prompts) for side in comparison.sides)
    if any("" not in files or any(len(texts) > 1 for texts in files.values()) for files in (before, after)):
        return []
    names = before.keys() | after.keys() if len(before) > 1 and len(after) > 1 else before.keys() & after.keys()
    old, new = ({name: next(iter(texts.values())) for name, texts in files.items()} for files in (before, after))
    pairs = [(old.get(name), new.get(name)) for name in sorted(names)]
    return [(one, other) for one, other in pairs if not (one and other and one.digest == other.digest)]


def _diff(before: PromptUsed | None, after: PromptUsed | None) -> list[str]:
    from difflib import unified_diff

    old, new = ((file.text or "").rstrip("\n").split("\n") if file else [] for file in (before, after))
    here, there = (file.name if file else "nothing" for file in (before, after))
    return list(unified_diff(old, new, here, there, lineterm=""))
