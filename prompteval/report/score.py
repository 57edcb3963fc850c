"""The finished report of one run."""

from __future__ import annotations

from prompteval.errors import count
from prompteval.outcomes import MEASURES, PHANTOMS, RECALL, Counts, Ratio, Scored
from prompteval.report import reasons
from prompteval.report.numbers import of, percent
from prompteval.report.table import Report, Section, Table, corpus_name, left_out, newer_labels, run_name
from prompteval.tags import shown, shown_setting


def score_reports(scored: Scored) -> list[Report]:
    """Return the one report of a run: totals, every fixture with its reasons, categories."""
    run, sums = scored.run, scored.totals
    labels = "the labels it was recorded with" if scored.labels == "recorded" else "the latest labels"
    other = "" if scored.labels_corpus == run.corpus else f" ({scored.labels_corpus[:8]})"
    lines = [
        f"{run_name(run)}, sample {run.sample} of {run.date}: {shown_setting(run)}",
        f"suite {run.suite}, corpus {corpus_name(run.corpus, run.corpus_version)}, scored under {labels}{other}",
        *newer_labels(scored.newer),
        *_answers(sums),
        *([f"Note: {run.note}"] if run.note else []),
    ]
    reached = [(measure.name, measure.of(sums)) for measure in MEASURES]
    totals = [(name, of(ratio), percent(ratio) if ratio.whole is not None else "") for name, ratio in reached]
    fixtures = [
        (o.fixture_id, "PASS" if o.passed else "FAIL", of(RECALL.of(o.counts)), of(PHANTOMS.of(o.counts)))
        for o in scored.outcomes
    ]
    why = [list(map(reasons.text, outcome.reasons)) for outcome in scored.outcomes]
    headers = ("Fixture", "Result", "Points", "Phantoms")
    categories = [(name, of(passed)) for name, passed in scored.categories.items()]
    sections = [
        Section("Totals", table=Table(("Measure", "Count", "Share"), totals, ("Count", "Share"))),
        Section("Fixtures", table=Table(headers, fixtures, headers[2:], why, names=headers[:1])),
        Section("Categories", table=Table(("Category", "Passed"), categories, ("Passed",), names=("Category",))),
        *left_out(scored.left_out),
    ]
    phantoms = count(sums[PHANTOMS.part], "phantom")
    headline = f"{shown(run.version)} extracted {extracted(RECALL.of(sums))} and produced {phantoms}."
    return [Report(headline, lines, sections, run_name(run))]


def _answers(sums: Counts) -> list[str]:
    """Return a line that counts missing and invalid answers, which the numbers treat as failed."""
    total, answered, invalid = (sums[f"fixtures_{name}"] for name in ("total", "answered", "invalid"))
    if answered == total and not invalid:
        return []
    listed = f"{count(answered, 'answer')}, {invalid} of them invalid, and {total - answered} missing"
    return [f"{count(total, 'fixture')}: {listed}; what is invalid or missing counts as failed"]


def extracted(points: Ratio) -> str:
    """Return `9/10 expected knowledge points`."""
    return f"{of(points)} expected knowledge points"
