"""Reports as JSON: the outcomes themselves, unrounded, for other programs. docs/json.md describes them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from prompteval.chance import Evidence, weigh
from prompteval.compare import Comparison, Pair, Side
from prompteval.evaluate import Compared
from prompteval.measures import Measures
from prompteval.outcome import Copy, FixtureOutcome, History, LeftOut, Run, Scored, Totals, by_category, totals
from prompteval.report.diff import differences
from prompteval.report.history import by_version


def _render(value: Any) -> str:
    """Return JSON in which every character can be shown: the rest is escaped, and reads as the same text."""
    text = json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False)
    lines = (line if line.isprintable() else "".join(map(_shown, line)) for line in text.split("\n"))
    return "\n".join(lines) + "\n"


def _shown(character: str) -> str:
    return character if character.isprintable() else json.dumps(character)[1:-1]


def render_score(scored: Scored) -> str:
    """Return one run's report as a JSON text that ends in a line break."""
    value = {
        "run": run_value(scored.run),
        "labels": scored.labels,
        "fixtures": [_fixture(outcome) for outcome in scored.outcomes],
        "categories": _categories(scored.outcomes),
        "totals": totals_value(totals(scored.outcomes)),
    }
    if scored.left_out:
        value["left_out"] = _left_out(scored.left_out)
    return _render(value)


def run_value(run: Run) -> dict[str, Any]:
    """Return a run as JSON values."""
    return {
        "id": run.id,
        "version": run.version,
        "model": run.model,
        "temperature": run.temperature,
        "harness": run.harness,
        "note": run.note,
        "sample": run.sample,
        "recorded_at": run.recorded_at,
        "corpus": run.corpus,
    }


def _categories(outcomes: Iterable[FixtureOutcome]) -> list[dict[str, Any]]:
    return [
        {"category": name, "passed": passed.part, "total": passed.whole}
        for name, passed in by_category(outcomes).items()
    ]


def _fixture(outcome: FixtureOutcome) -> dict[str, Any]:
    return {
        "fixture_id": outcome.fixture_id,
        "category": outcome.category,
        "passed": outcome.passed,
        "points_matched": outcome.points_matched,
        "points_total": outcome.points_total,
        "phantoms": outcome.phantoms,
        "gate": outcome.gate,
        "reasons": [{"code": reason.code, **reason.detail, "text": reason.text} for reason in outcome.reasons],
    }


def totals_value(sums: Totals) -> dict[str, int]:
    """Return totals as counts; a reader divides, and so decides what 0/0 is."""
    return {
        "fixtures_passed": sums.fixtures.part,
        "fixtures_total": sums.fixtures.whole,
        "points_matched": sums.points.part,
        "points_total": sums.points.whole,
        "phantoms": sums.phantoms,
        "gate_correct": sums.gate.part,
        "gate_total": sums.gate.whole,
        "fixtures_answered": sums.answered.part,
        "fixtures_invalid": sums.invalid,
    }


def _left_out(fixtures: Sequence[LeftOut]) -> list[dict[str, str]]:
    return [{"fixture_id": fixture.fixture_id, "why": fixture.why} for fixture in fixtures]


def render_diff(compared: Compared) -> str:
    """Return comparisons, one for each common setting, as a JSON text that ends in a line break."""
    comparisons = [_comparison(comparison) for comparison in compared.comparisons]
    return _render({"comparisons": comparisons, "not_compared": compared.not_compared})


def _comparison(comparison: Comparison) -> dict[str, Any]:
    before, after = comparison.measures
    return {
        "labels": comparison.labels,
        "differences": list(differences(comparison)),
        "baseline": {**_side(comparison.baseline), "means": _means(before, comparison.weight)},
        "candidate": {**_side(comparison.candidate), "means": _means(after, comparison.weight)},
        "evidence": _evidence(weigh(comparison)) if comparison.pairs and comparison.one_judge else None,
        "fixtures": [_pair(pair) for pair in comparison.pairs],
        "left_out": _left_out(comparison.left_out),
    }


def _evidence(evidence: Evidence) -> dict[str, Any]:
    """Probabilities as numbers, and `exact` as the fraction they come from."""
    measures = {"recall": evidence.recall, "phantoms": evidence.phantoms, "gate_accuracy": evidence.gate}
    return {
        "p": {
            name: {
                "value": None if measure.p is None else float(measure.p),
                "exact": None if measure.p is None else str(measure.p),
                "adjusted": measure.adjusted,
                "fixtures": measure.fixtures,
                "fewest_changes": measure.fewest,
            }
            for name, measure in measures.items()
        },
        "intervals": {
            "fixtures_passed": _sides(evidence.passed),
            "gate_accuracy": _sides(evidence.gate_accuracy),
        },
        "noise": _sides(tuple(None if noise is None else float(noise.differ) for noise in evidence.noise)),
        "noise_fixtures": _sides(tuple(0 if noise is None else noise.fixtures for noise in evidence.noise)),
    }


def _sides(values: Sequence[Any]) -> dict[str, Any]:
    return dict(zip(("baseline", "candidate"), values, strict=True))


def _side(side: Side) -> dict[str, Any]:
    """Return what a side is, with counts over all its answers."""
    sums = totals(side.all_outcomes)
    return {
        "name": side.name,
        "runs": [run_value(run) for run in side.runs],
        "idle": [run.id for run in side.idle],
        "copies": _copies(side.samples.copies),
        "shared_answers": side.samples.shared,
        "categories": _categories(side.all_outcomes),
        "totals": totals_value(sums),
    }


def _means(measures: Measures, weight: int) -> dict[str, float]:
    """Return the sums over fixtures of the mean over answers."""
    return {
        "fixtures_passed": float(measures.fixtures.part / weight),
        "fixtures_total": float(measures.fixtures.whole / weight),
        "points_matched": float(measures.points.part / weight),
        "points_total": float(measures.points.whole / weight),
        "phantoms": float(measures.phantoms / weight),
        "gate_correct": float(measures.gate.part / weight),
        "gate_total": float(measures.gate.whole / weight),
    }


def _pair(pair: Pair) -> dict[str, Any]:
    return {
        "fixture_id": pair.fixture_id,
        "category": pair.category,
        "change": pair.change,
        "baseline": [_fixture(outcome) for outcome in pair.baseline],
        "candidate": [_fixture(outcome) for outcome in pair.candidate],
    }


def render_runs(runs: Sequence[tuple[Run, Totals]]) -> str:
    """Return the list of runs as a JSON text that ends in a line break."""
    return _render({"runs": _runs(runs)})


def _runs(runs: Sequence[tuple[Run, Totals]]) -> list[dict[str, Any]]:
    return [{**run_value(run), "totals": totals_value(sums)} for run, sums in runs]


def render_history(history: History, grain: str) -> str:
    """Return the runs or, with `grain` version, each version and setting with the sums over its runs, as JSON text."""
    judged = {"labels": history.judge, "left_out": _left_out(history.left_out)}
    if grain == "run":
        return _render({"runs": _runs(history.runs), **judged})
    versions = [
        {
            "version": run.version,
            "model": run.model,
            "temperature": run.temperature,
            "harness": run.harness,
            "runs": number,
            "totals": totals_value(sums),
        }
        for run, number, sums in by_version(history.counted)
    ]
    return _render({"versions": versions, "copies": _copies(history.copies), **judged})


def _copies(copies: Sequence[Copy]) -> list[dict[str, Any]]:
    return [{"run": copy.run.id, "of": copy.of.id, "answers": copy.answers} for copy in copies]
