"""What a comparison shows: a verdict in plain words first, then the table of the four measures and what limits it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from prompteval.chance import Evidence, Weighed
from prompteval.compare import Comparison
from prompteval.errors import count
from prompteval.outcomes import GATE, PASSED, PHANTOMS, RECALL, Measure, Ratio
from prompteval.report.numbers import UNKNOWN, decimals, number, of
from prompteval.report.table import Section, Table, newer_labels
from prompteval.stats import LEVEL
from prompteval.tags import shown

MOST_SHARED = 3  # answers that are word for word the same on both sides, before the verdict says so
ORDER = (PASSED, RECALL, PHANTOMS, GATE)
_DOES = {
    PASSED: "passes {} fixtures",
    RECALL: "finds {} expected points",
    PHANTOMS: "produces {} phantoms",
    GATE: "leaves {} gate fixtures empty",
}


def verdict(comparison: Comparison, evidence: Evidence) -> str:
    """Return what the comparison shows, in two or three sentences."""
    weighed, why = evidence.weighed, _withheld(comparison)
    sentences = [] if why else [*_shown(comparison, evidence), *_here_only(comparison, evidence)]
    moved = [f"{len(comparison.changed(change))} {change}" for change in ("fixed", "broken")]
    rest = [m.name for m in ORDER if weighed[m].fixtures and not weighed[m].is_small]
    if why:
        sentences.append(f"No verdict: {why}.")
    elif rest:
        sentences.append(f"No difference shown in {_listed(rest, 'or')}.")
    sentences.append(f"Fixtures: {', '.join(moved)}.")
    if comparison.shared > MOST_SHARED:
        sentences.append(f"{comparison.shared} answers are word for word the same on both sides.")
    return " ".join(sentences)


def _shown(comparison: Comparison, evidence: Evidence) -> Iterator[str]:
    after = comparison.candidate.name
    if shown := [_moved(comparison, evidence, m) for m in ORDER if evidence.weighed[m].is_shown]:
        yield f"On these {len(comparison.pairs)} fixtures {after} {_listed(shown, 'and')}."


def _here_only(comparison: Comparison, evidence: Evidence) -> Iterator[str]:
    """Say where a change is certain on these fixtures alone."""
    small = [m for m in ORDER if evidence.weighed[m].is_small and not evidence.weighed[m].is_shown]
    if small:
        moved = _listed([_moved(comparison, evidence, m) for m in small], "and")
        yield f"{comparison.candidate.name} {moved} on these fixtures; too few moved to expect it elsewhere."


def _moved(comparison: Comparison, evidence: Evidence, measure: Measure) -> str:
    was, now = (number(ratio.part) for ratio in comparison.measures[measure])
    found = evidence.weighed[measure]
    does = _DOES[measure].format("more" if found.change > 0 else "fewer")
    unread = [(side.name, side.number_of("invalid")) for side in comparison.sides]
    left = ""
    if measure.readable and any(invalid for _, invalid in unread):
        left = f", without {_listed([f'{invalid} unreadable of {name}' for name, invalid in unread], 'and')}"
    return f"{does} ({was} → {now}, {_p_of(found)}{left})"


def _withheld(comparison: Comparison) -> str:
    """Return why there is no verdict at all, or nothing."""
    if not comparison.same_labels:
        return "the runs were scored with different labels, and what differs may be the labels"
    if comparison.missing:
        missing = ", ".join(f"{number} of {name}" for name, number in comparison.missing.items())
        way = "complete the runs, save broken replies with 'save --as-is', or name complete runs by id"
        return f"answers are missing ({missing}), and what is missing may be what failed; {way}"
    return ""


def measures_table(comparison: Comparison, evidence: Evidence) -> Table:
    """Return the four measures: both sides, the change, its interval, and p."""
    rows = []
    for measure in ORDER:
        before, after = comparison.measures[measure]
        found = evidence.weighed[measure]
        known = comparison.readable or not measure.readable
        sides = [of(side) if known and side.whole != 0 else UNKNOWN for side in (before, after)]
        rows.append((measure.name, *sides, *_change(comparison, before, after, found), _p(found.adjusted)))
    numbers = [*(side.name for side in comparison.sides), "Change", "95 % interval", "p"]
    return Table(("Measure", *numbers), rows, right=numbers)


def _change(comparison: Comparison, before: Ratio, after: Ratio, found: Weighed) -> tuple[str, str]:
    """Return the change and its interval: of a share in percentage points, of a count as it stands in the table."""
    was, now = before.value, after.value
    if not found.fixtures or was is None or now is None:
        return UNKNOWN, ""
    unit = unit_of(comparison, before)
    change = signed((now - was) * (1 if before.whole is None else 100), whole=before.whole is None)
    if found.low is None or found.high is None:
        return change, ""
    return change, f"{signed(found.low * unit)} to {signed(found.high * unit)}"


def unit_of(comparison: Comparison, before: Ratio) -> Fraction:
    """Return what turns a change per run into what the table shows: percentage points, or a count over all runs."""
    return Fraction((1 if before.whole is None else 100) * comparison.weight) / (before.whole or 1)


def signed(value: Fraction | float, whole: bool = False) -> str:
    """Return a number with its sign and one decimal; with `whole`, without one where it is a whole number."""
    exact = Fraction(value)
    text = number(abs(exact)) if whole else decimals(abs(exact))
    return text if not exact or not text.strip("0.") else f"{'+' if exact > 0 else '-'}{text}"


def limits(comparison: Comparison, evidence: Evidence) -> Section:
    """Return what stands below the table: why a p is missing, and what chance does."""
    lines = ["Changes of shares are in percentage points; p is exact, adjusted for the measures that have one."]
    for why in dict.fromkeys(each.why for each in evidence.weighed.values() if each.why):
        names = [measure.name for measure in ORDER if evidence.weighed[measure].why == why]
        lines.append(f"No p for {_listed(names, 'and')}: {why}.")
    lines += _noise(comparison, evidence)
    if not _withheld(comparison) and any(not each.is_small for each in evidence.weighed.values()):
        lines.append("A difference that is not shown may exist all the same: few fixtures show large ones only.")
    return Section("", lines)


def _noise(comparison: Comparison, evidence: Evidence) -> Iterator[str]:
    for side, noise in zip(comparison.sides, evidence.noise, strict=True):
        if noise is None:
            known = comparison.context.elsewhere
            seen = (
                known
                and f"; two runs of {shown(known.version)} in this ledger differ on {known.flips} of {known.fixtures}"
            )
            has = "one run" if len(side.runs) == 1 else "no fixture with two answers"
            yield f"{side.name} has {has}, so what chance does to it was not measured{seen or ''}."
        elif not noise.differ:
            pairs = count(noise.pairs, "pair")
            yield f"No fixture of {side.name} flipped in {pairs} of runs, which does not mean none can."
    if moves := evidence.moves_by_chance:
        yield f"By chance alone the number of fixtures passed moves by about ± {moves:.1f}."


def notes_on_fairness(comparison: Comparison) -> Iterator[str]:
    """Yield a line for each thing that could make the comparison unfair, apart from settings and prompts."""
    for side in comparison.sides:
        for state, effect in (("missing", "count as failed"), ("invalid", "count as failed and have no phantoms")):
            if number_ := side.number_of(state):
                yield f"{number_} of {count(len(side.all_outcomes), 'answer')} of {side.name} {state}: they {effect}"
        if side.samples.shared:
            yield f"{side.name} has {count(side.samples.shared, 'answer')} word for word in several of its runs"
    if comparison.shared:
        yield f"word for word the same on both sides: {count(comparison.shared, 'non-empty answer')}"
    if comparison.context.not_named:
        listed = ", ".join(f"{run.short_id} of {shown(run.version)}" for run in comparison.context.not_named)
        yield f"not compared, though recorded with the same tags: {listed}"
    if recorded := comparison.context.recorded:
        moved = (f"{m.name} {' → '.join(map(of, recorded[m]))}" for m in (RECALL, PASSED))
        yield f"these labels are not those of all runs; under those each was recorded with: {', '.join(moved)}"
    yield from newer_labels(comparison.context.newer)
    before, after = ([run.recorded_at for run in side.runs] for side in comparison.sides)
    if min(len(before), len(after)) > 1 and (max(before) < min(after) or max(after) < min(before)):
        yield "all runs of one side were recorded before all of the other: a good or bad day looks like a version"


def _p_of(found: Weighed) -> str:
    text = _p(found.adjusted)
    return f"p {text}" if text.startswith(("<", ">")) else f"p = {text}"


def _p(p: Fraction | None) -> str:
    if p is None:
        return ""
    if 0 < p < Fraction(1, 10_000):
        return "< 0.0001"
    shown = decimals(p, places=4)
    return "> 0.0500" if shown == "0.0500" and p > LEVEL else shown


def _listed(parts: Iterable[str], last: str) -> str:
    *most, end = parts
    return f"{', '.join(most)} {last} {end}" if most else end
