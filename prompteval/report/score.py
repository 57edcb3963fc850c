"""The finished report of one run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from prompteval.errors import count
from prompteval.outcome import FixtureOutcome, Ratio, Scored, by_category, totals
from prompteval.report.table import Report, Section, Table, corpus_name, of, percent, run_name, table
from prompteval.tags import shown, shown_setting

if TYPE_CHECKING:
    from prompteval.measures import Mean


def score_reports(scored: Scored) -> list[Report]:
    """Return the one report of a run: totals, every fixture with its reasons, categories."""
    run, sums = scored.run, totals(scored.outcomes)
    note = [f"Note: {run.note}"] if run.note else []
    labels = "the labels it was recorded with" if scored.labels == "recorded" else "the latest labels"
    lines = [
        f"{run_name(run)}, sample {run.sample} of {run.recorded_at[:10]}: {shown_setting(run)}",
        f"corpus {corpus_name(run.corpus, run.corpus_version)}, scored under {labels}"
        + ("" if scored.judge == run.corpus else f" ({scored.judge[:8]})"),
        *_answers(scored.outcomes),
        *note,
    ]
    sections = [
        Section("Totals", table=totals_table(scored.outcomes)),
        Section("Fixtures", table=_fixtures(scored.outcomes)),
        Section("Categories", table=_categories(scored.outcomes)),
    ]
    if scored.left_out:
        rows = [(fixture.fixture_id, fixture.why) for fixture in scored.left_out]
        sections.append(Section("Left out", table=table(("Fixture", "Why"), rows)))
    headline = (
        f"{shown(run.version)} extracted {extracted(sums.points)} and produced {count(sums.phantoms, 'phantom')}."
    )
    return [Report(headline, tuple(lines), tuple(sections), run_name(run))]


def _answers(outcomes: Sequence[FixtureOutcome]) -> list[str]:
    """Say so where answers are missing or invalid: the numbers then speak of them as failed."""
    counted = {state: sum(o.state == state for o in outcomes) for state in ("valid", "invalid", "missing")}
    if counted["valid"] == len(outcomes):
        return []
    given = count(counted["valid"] + counted["invalid"], "answer")
    listed = f"{given}, {counted['invalid']} of them invalid, and {counted['missing']} missing"
    return [f"{count(len(outcomes), 'fixture')}: {listed}; what is invalid or missing counts as failed"]


def extracted(points: Ratio | Mean) -> str:
    """Return `9/10 expected knowledge points`."""
    return f"{of(points)} expected knowledge points"


def totals_table(outcomes: Sequence[FixtureOutcome]) -> Table:
    """Return recall, phantom count, gate accuracy and fixtures passed."""
    sums = totals(outcomes)
    rows = [
        ("recall", of(sums.points), percent(sums.points)),
        ("phantoms", str(sums.phantoms), ""),
        ("gate accuracy", of(sums.gate), percent(sums.gate)),
        ("fixtures passed", of(sums.fixtures), percent(sums.fixtures)),
    ]
    return table(("Measure", "Count", "Share"), rows, right=("Count", "Share"))


def _fixtures(outcomes: Sequence[FixtureOutcome]) -> Table:
    rows = tuple(
        (o.fixture_id, "PASS" if o.passed else "FAIL", f"{o.points_matched}/{o.points_total}", str(o.phantoms))
        for o in outcomes
    )
    notes = tuple(tuple(reason.text for reason in outcome.reasons) for outcome in outcomes)
    return Table(("Fixture", "Result", "Points", "Phantoms"), rows, frozenset({2, 3}), notes)


def _categories(outcomes: Sequence[FixtureOutcome]) -> Table:
    rows = [(name, of(passed)) for name, passed in by_category(outcomes).items()]
    return table(("Category", "Passed"), rows, right=("Passed",))
