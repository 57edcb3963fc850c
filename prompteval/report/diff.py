"""The finished report of one comparison."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from prompteval.chance import weigh
from prompteval.compare import Comparison, Pair, Side
from prompteval.errors import count
from prompteval.outcomes import PASSED, PHANTOMS, RECALL, Ratio
from prompteval.report import reasons
from prompteval.report.numbers import MEASURE_HEADERS, UNKNOWN, number, of, shares
from prompteval.report.prompts import change_of_prompt, odd_prompts, prompt_section
from prompteval.report.score import extracted
from prompteval.report.table import Report, Section, Table, corpus_name, left_out, not_counted
from prompteval.report.verdict import limits, measures_table, notes_on_fairness, verdict
from prompteval.tags import SETTING, shown, shown_setting
from prompteval.versions import Compared

FEWEST_FOR_CEILING, MOST_FAILING = 10, 2  # fixtures; in a smaller suite, two that fail leave room to get better


def diff_reports(compared: Compared, with_prompt: bool = False) -> list[Report]:
    """Return one report for each common suite and setting, the last one naming those that are on one side only.

    `with_prompt`: each shows how the prompts differ.
    """
    *reports, last = [
        _report(each, f"{each.suite}: " if compared.several else "", with_prompt) for each in compared.comparisons
    ]
    alone = [Section("Not compared", compared.not_compared)] if compared.not_compared else []
    return [*reports, last._replace(sections=(*last.sections, *alone))]


def _report(comparison: Comparison, suite: str, with_prompt: bool) -> Report:
    names = " and ".join(side.name for side in comparison.sides)
    short = f"{suite}{names}, {shown_setting(comparison.candidate.runs[-1])}"
    top, made = (suite + headline(comparison), list(fairness(comparison))), list(settings(comparison))
    if not comparison.pairs:
        return Report(*top, surroundings(comparison), short, settings=made)
    evidence = weigh(comparison)
    sections = [
        Section("Measures", table=measures_table(comparison, evidence)),
        limits(comparison, evidence),
        *([prompt_section(comparison)] if with_prompt else []),
        *_changed("Broken", comparison.changed("broken")),
        *_changed("Fixed", comparison.changed("fixed"), folded=True),
        *_still_failing(comparison.changed("still-failing")),
        *surroundings(comparison),
    ]
    return Report(*top, sections, short, verdict(comparison, evidence), made)


def surroundings(comparison: Comparison) -> list[Section]:
    """Return what stands around the fixtures that changed: the runs, the categories, and what was left out."""
    if not comparison.pairs:
        return left_out(comparison.left_out)
    names = [side.name for side in comparison.sides]
    several = any(len(side.runs) > 1 for side in comparison.sides)
    categories = [(name, *map(of, passed)) for name, passed in comparison.categories.items()]
    return [
        *([Section("Runs", table=_runs_table(comparison), folded=True)] if several else []),
        Section("Categories", table=Table(("Category", *names), categories, right=names), folded=True),
        *left_out(comparison.left_out),
    ]


def headline(comparison: Comparison) -> str:
    """Return the sentence that counts what both sides found."""
    before, after = comparison.sides
    if not comparison.pairs:
        return f"{after.name} and {before.name} have no fixture in common that can be compared."
    was, now = comparison.measures[RECALL]
    fewer, more = (_phantoms(comparison, phantoms) for phantoms in comparison.measures[PHANTOMS])
    return (
        f"{after.name} extracted {extracted(now)}{_runs(comparison, after)} and produced {more};"
        f" {before.name} was {of(was)}{_runs(comparison, before)} with {fewer}."
    )


def _runs(comparison: Comparison, side: Side) -> str:
    if len(side.runs) == 1:
        return ""
    return f" in {len(side.runs)} runs" if comparison.answers_each else f" (mean of {len(side.runs)} runs)"


def _phantoms(comparison: Comparison, phantoms: Ratio) -> str:
    listed = number(phantoms.part) if comparison.readable else UNKNOWN
    return f"{listed} {'phantom' if listed == '1' else 'phantoms'}"


def settings(comparison: Comparison) -> Iterator[str]:
    """Yield what was compared: the runs of both sides, how they were made, on which fixtures, and the prompts."""
    for role, side in zip(("baseline", "candidate"), comparison.sides, strict=True):
        runs = ", ".join(f"{run.short_id} of {run.date}" for run in side.runs)
        versions = ", ".join(sorted({shown(run.version) for run in side.runs}))
        named = "" if versions == side.name else f" of version {versions}"
        yield f"{role} {side.name}{named}: {'runs' if len(side.runs) > 1 else 'run'} {runs}"
    before, after = comparison.baseline.runs[0], comparison.candidate.runs[-1]
    if before.setting == after.setting:
        yield f"both with {shown_setting(after)}"
    judge = "each run under the labels it was recorded with"
    if comparison.labels:
        version = after.corpus_version if after.corpus == comparison.labels else None
        judge = f"under the labels of suite {comparison.suite}, corpus {corpus_name(comparison.labels, version)}"
    yield f"{count(len(comparison.pairs), 'fixture')} compared, {judge}"
    yield from change_of_prompt(comparison)


def fairness(comparison: Comparison) -> Iterator[str]:
    """Yield a line for each thing that a reader has to know before the numbers can be believed."""
    for side in comparison.sides:
        for run in side.idle:
            yield f"run {run.short_id} of {side.name} is not counted: it was not asked about a compared fixture"
        for copy in side.samples.copies:
            yield not_counted(copy, side.name)
    if differs := list(differences(comparison)):
        yield f"note: the runs also differ in {'; '.join(differs)}"
    if comparison.pairs and not comparison.answers_each:
        yield "each fixture counts once, with the mean over its answers, of which there are not the same number each"
    yield from odd_prompts([run for side in comparison.sides for run in side.runs], comparison.prompts)
    yield from notes_on_fairness(comparison)
    yield from _ceiling(comparison)


def _ceiling(comparison: Comparison) -> Iterator[str]:
    """Say so where a suite is too easy for both sides to show that something got better."""
    total = len(comparison.pairs)
    least = [side.counts_of(run)[PASSED.part] for side in comparison.sides for run in side.runs]
    if total >= FEWEST_FOR_CEILING and total - min(least) <= MOST_FAILING:
        passed = f"both pass at least {min(least)} of {total} in every run"
        can = "this suite can show that something broke, hardly that something got better"
        yield f"{comparison.suite}: {passed}; {can}"


def differences(comparison: Comparison) -> Iterator[str]:
    """Yield what differs between the two sides beside the version, each with both values."""
    for name, show in SETTING.items():
        before, after = (sorted({show(getattr(run, name)) for run in side.runs}) for side in comparison.sides)
        if before != after:
            yield f"{name}: {' and '.join(before)} against {' and '.join(after)}"


def _runs_table(comparison: Comparison) -> Table:
    """Each run's own figures, on the compared fixtures that it answered."""
    runs = [(side, run) for side in comparison.sides for run in side.runs]
    rows = [(side.name, run.short_id, run.date, *shares(side.counts_of(run))) for side, run in runs]
    return Table(("Side", "Run", "Date", *MEASURE_HEADERS), rows, right=MEASURE_HEADERS, heads=("Date",))


def _changed(heading: str, pairs: Sequence[Pair], folded: bool = False) -> list[Section]:
    """Return the section of fixtures that changed, or none where none did."""
    if not pairs:
        return []
    rows = [(pair.fixture_id, " → ".join(map(of, pair.passes))) for pair in pairs]
    notes = [list(why(pair)) for pair in pairs]
    return [Section(heading, table=Table(("Fixture", "Passes"), rows, ("Passes",), notes), folded=folded)]


def why(pair: Pair) -> Iterator[str]:
    """Yield the reasons of both sides, each once; with several runs, in how many it was the reason."""
    for label, answers in zip(("was", "now"), pair.sides, strict=True):
        told = Counter(reasons.text(reason) for outcome in answers for reason in outcome.reasons)
        for text, times in told.items():
            yield f"{label}: {text}" + (f" ({times} of {len(answers)} runs)" if len(answers) > 1 else "")


def _still_failing(pairs: Sequence[Pair]) -> list[Section]:
    other = [pair for pair in pairs if pair.other_reason]
    same = [pair.fixture_id for pair in pairs if not pair.other_reason]
    sections = _changed("Still failing for another reason", other, folded=True)
    if same:
        sections.append(Section("Still failing for the same reason", (", ".join(same),)))
    return sections
