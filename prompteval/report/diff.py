"""The finished report of one comparison."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from prompteval.compare import Comparison, Mean, Pair, Side
from prompteval.errors import count
from prompteval.outcomes import PHANTOMS, RECALL, Run
from prompteval.report import reasons
from prompteval.report.chance import evidence_section
from prompteval.report.score import extracted
from prompteval.report.table import (
    UNKNOWN,
    Report,
    Section,
    Table,
    corpus_name,
    measure_headers,
    moved,
    not_counted,
    number,
    of,
    share,
    shares,
    table,
)
from prompteval.tags import SETTING, shown, shown_setting
from prompteval.versions import Compared


def diff_reports(compared: Compared) -> list[Report]:
    """Return one report for each common setting, the last one naming the settings that are on one side only."""
    *reports, last = [_report(comparison) for comparison in compared.comparisons]
    alone = [Section("Not compared", tuple(compared.not_compared))] if compared.not_compared else []
    return [*reports, last._replace(sections=(*last.sections, *alone))]


def _report(comparison: Comparison) -> Report:
    several = len(comparison.baseline.runs) > 1 or len(comparison.candidate.runs) > 1
    fixed, broken = ("Moved up", "Moved down") if several else ("Fixed", "Broken")
    sections = [
        Section("Totals", table=_totals(comparison)),
        *([Section("Runs", table=_runs_table(comparison))] if several else []),
        *([_evidence(comparison)] if comparison.pairs else []),
        Section("Categories", table=_categories(comparison)),
        Section(fixed, *_changed(comparison.changed("fixed"))),
        Section(broken, *_changed(comparison.changed("broken"))),
        _still_failing(comparison.changed("still-failing")),
    ]
    if comparison.left_out:
        rows = [(fixture.fixture_id, fixture.why) for fixture in comparison.left_out]
        sections.append(Section("Left out", table=table(("Fixture", "Why"), rows)))
    run = comparison.candidate.runs[-1]
    short = f"{comparison.baseline.name} and {comparison.candidate.name}, {shown_setting(run)}"
    return Report(_headline(comparison), tuple(_lines(comparison)), tuple(sections), short)


def _evidence(comparison: Comparison) -> Section:
    if comparison.same_labels:
        return evidence_section(comparison)
    text = "none is given: the runs were scored with different labels, and what differs may be the labels"
    return Section("Evidence", (text,))


def _headline(comparison: Comparison) -> str:
    before, after = comparison.baseline, comparison.candidate
    if not comparison.pairs:
        return f"{after.name} and {before.name} have no fixture in common that can be compared."
    (was, now), (was_phantoms, now_phantoms) = comparison.measures[RECALL], comparison.measures[PHANTOMS]
    return (
        f"{after.name} extracted {extracted(now)}{_runs(comparison, after)}"
        f" and produced {_phantoms(comparison, now_phantoms)}; {before.name} was {of(was)}{_runs(comparison, before)}"
        f" with {_phantoms(comparison, was_phantoms)}."
    )


def _runs(comparison: Comparison, side: Side) -> str:
    if len(side.runs) == 1:
        return ""
    return f" in {len(side.runs)} runs" if comparison.answers_each else f" (mean of {len(side.runs)} runs)"


def _phantoms(comparison: Comparison, phantoms: Mean) -> str:
    if not comparison.readable:
        return f"{UNKNOWN} phantoms"
    return f"{number(phantoms.part)} {'phantom' if phantoms.part == 1 else 'phantoms'}"


def _lines(comparison: Comparison) -> Iterable[str]:
    for role, side in (("baseline", comparison.baseline), ("candidate", comparison.candidate)):
        runs = ", ".join(f"{run.short_id} of {run.recorded_at[:10]}" for run in side.runs)
        versions = ", ".join(sorted({shown(run.version) for run in side.runs}))
        named = "" if versions == side.name else f" of version {versions}"
        yield f"{role} {side.name}{named}: {'runs' if len(side.runs) > 1 else 'run'} {runs}"
        for run in side.idle:
            yield f"run {run.short_id} of {side.name} is not counted: it has no answer to a compared fixture"
        for copy in side.samples.copies:
            yield not_counted(copy, side.name)
    before, after = comparison.baseline.runs[0], comparison.candidate.runs[-1]
    if before.setting == after.setting:
        yield f"both with {shown_setting(after)}"
    differs = list(differences(comparison))
    if differs:
        beside = "beside the prompt version these differ too" if _versions(comparison) > 1 else "these differ"
        yield f"confounded: {beside}: {'; '.join(differs)}"
    yield f"{count(len(comparison.pairs), 'fixture')} compared, {_judge(comparison.labels, after)}"
    if comparison.pairs and not comparison.answers_each:
        yield "fixtures have different numbers of answers: each counts once, with the mean over its answers"
    yield from _invalid(comparison)


def _invalid(comparison: Comparison) -> Iterable[str]:
    """Say where answers are invalid, since those have no phantoms and would look the better for it."""
    told = []
    for side in (comparison.baseline, comparison.candidate):
        if invalid := sum(outcome.state == "invalid" for outcome in side.all_outcomes):
            told.append(f"{invalid} of {count(len(side.all_outcomes), 'answer')} of {side.name}")
    if told:
        fixtures = f"{count(len(comparison.readable), 'fixture')} with a valid answer on both sides"
        yield f"invalid: {', '.join(told)}; they count as failed, and phantoms are those of the {fixtures}"


def _versions(comparison: Comparison) -> int:
    return len({run.version for side in (comparison.baseline, comparison.candidate) for run in side.runs})


def _judge(labels: str | None, candidate: Run) -> str:
    if labels is None:
        return "each run under the labels it was recorded with"
    version = candidate.corpus_version if candidate.corpus == labels else None
    return f"under the labels of corpus {corpus_name(labels, version)}"


def differences(comparison: Comparison) -> Iterable[str]:
    """Yield what differs between the two sides beside the version, each with both values."""
    sides = (comparison.baseline.runs, comparison.candidate.runs)
    for name, show in (*SETTING.items(), ("corpus", _short)):
        before, after = (sorted({show(getattr(run, name)) for run in runs}) for runs in sides)
        if before != after:
            yield f"{name} {' and '.join(before)} against {' and '.join(after)}"


def _short(revision: str) -> str:
    return revision[:8]


def _totals(comparison: Comparison) -> Table:
    rows = []
    for measure, (before, after) in comparison.measures.items():
        known = bool(comparison.readable) or not measure.readable
        cells = (share(before), share(after), moved(measure, before, after)) if known else (UNKNOWN,) * 3
        rows.append((measure.name, *cells))
    names = (comparison.baseline.name, comparison.candidate.name)
    return table(("Measure", *names, "Change"), rows, right=(*names, "Change"))


def _runs_table(comparison: Comparison) -> Table:
    """Each run's own figures, on the compared fixtures that it answered."""
    rows = [
        (side.name, run.short_id, run.recorded_at[:10], *shares(side.counts_of(run)))
        for side in (comparison.baseline, comparison.candidate)
        for run in side.runs
    ]
    return table(("Side", "Run", "Date", *measure_headers()), rows, right=measure_headers())


def _categories(comparison: Comparison) -> Table:
    rows = [(name, of(before), of(after)) for name, (before, after) in comparison.categories.items()]
    names = (comparison.baseline.name, comparison.candidate.name)
    return table(("Category", *names), rows, right=names)


def _changed(pairs: Sequence[Pair]) -> tuple[tuple[str, ...], Table | None]:
    if not pairs:
        return ("none",), None
    rows = tuple((pair.fixture_id, _arrow(pair)) for pair in pairs)
    return (), Table(("Fixture", "Passes"), rows, frozenset({1}), tuple(_why(pair) for pair in pairs))


def _arrow(pair: Pair) -> str:
    before, after = pair.passes
    return f"{of(before)} → {of(after)}"


def _why(pair: Pair) -> tuple[str, ...]:
    """Return the reasons of both sides, each once; with several runs, in how many it was the reason."""
    return tuple(
        f"{label}: {text}{f' ({times} of {len(outcomes)} runs)' if len(outcomes) > 1 else ''}"
        for label, outcomes in (("was", pair.baseline), ("now", pair.candidate))
        for text, times in _counted(reasons.text(reason) for outcome in outcomes for reason in outcome.reasons).items()
    )


def _counted(texts: Iterable[str]) -> dict[str, int]:
    counted: dict[str, int] = {}
    for text in texts:
        counted[text] = counted.get(text, 0) + 1
    return counted


def _still_failing(pairs: Sequence[Pair]) -> Section:
    other = [pair for pair in pairs if pair.other_reason]
    lines, listed = _changed(other)
    same = len(pairs) - len(other)
    if same:
        names = ", ".join(pair.fixture_id for pair in pairs if not pair.other_reason)
        lines = (f"{same}{' more' if other else ''} for the same reason: {names}",)
    return Section("Still failing for another reason", lines, listed, folded=True)
