"""The finished report of one run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from prompteval.errors import count
from prompteval.outcomes import MEASURES, PHANTOMS, RECALL, Counts, FixtureOutcome, Ratio, Scored
from prompteval.report import reasons
from prompteval.report.table import Report, Section, Table, corpus_name, of, percent, run_name, table
from prompteval.tags import shown, shown_setting

if TYPE_CHECKING:
    from prompteval.compare import Mean


def score_reports(scored: Scored) -> list[Report]:
    """Return the one report of a run: totals, every fixture with its reasons, categories."""
    run, sums = scored.run, scored.totals
    note = [f"Note: {run.note}"] if run.note else []
    labels = "the labels it was recorded with" if scored.labels == "recorded" else "the latest labels"
    lines = [
        f"{run_name(run)}, sample {run.sample} of {run.recorded_at[:10]}: {shown_setting(run)}",
        f"corpus {corpus_name(run.corpus, run.corpus_version)}, scored under {labels}"
        + ("" if scored.judge == run.corpus else f" ({scored.judge[:8]})"),
        *_answers(sums),
        *note,
    ]
    sections = [
        Section("Totals", table=_totals(sums)),
        Section("Fixtures", table=_fixtures(scored.outcomes)),
        Section("Categories", table=_categories(scored)),
    ]
    if scored.left_out:
        rows = [(fixture.fixture_id, fixture.why) for fixture in scored.left_out]
        sections.append(Section("Left out", table=table(("Fixture", "Why"), rows)))
    points, phantoms = RECALL.of(sums), count(sums[PHANTOMS.part], "phantom")
    headline = f"{shown(run.version)} extracted {extracted(points)} and produced {phantoms}."
    return [Report(headline, tuple(lines), tuple(sections), run_name(run))]


def _answers(sums: Counts) -> list[str]:
    """Say so where answers are missing or invalid: the numbers then speak of them as failed."""
    total, answered, invalid = (sums[f"fixtures_{name}"] for name in ("total", "answered", "invalid"))
    if answered == total and not invalid:
        return []
    listed = f"{count(answered, 'answer')}, {invalid} of them invalid, and {total - answered} missing"
    return [f"{count(total, 'fixture')}: {listed}; what is invalid or missing counts as failed"]


def extracted(points: int | Ratio | Mean) -> str:
    """Return `9/10 expected knowledge points`."""
    return f"{of(points)} expected knowledge points"


def _totals(sums: Counts) -> Table:
    found = [(measure.name, measure.of(sums)) for measure in MEASURES]
    rows = [(name, of(value), "" if isinstance(value, int) else percent(value)) for name, value in found]
    return table(("Measure", "Count", "Share"), rows, right=("Count", "Share"))


def _fixtures(outcomes: Sequence[FixtureOutcome]) -> Table:
    rows = tuple(
        (o.fixture_id, "PASS" if o.passed else "FAIL", of(Ratio(*_points(o))), str(o.counts["phantoms"]))
        for o in outcomes
    )
    notes = tuple(tuple(map(reasons.text, outcome.reasons)) for outcome in outcomes)
    return Table(("Fixture", "Result", "Points", "Phantoms"), rows, frozenset({2, 3}), notes)


def _points(outcome: FixtureOutcome) -> tuple[int, int]:
    return outcome.counts["points_matched"], outcome.counts["points_total"]


def _categories(scored: Scored) -> Table:
    rows = [(name, of(passed)) for name, passed in scored.categories.items()]
    return table(("Category", "Passed"), rows, right=("Passed",))
