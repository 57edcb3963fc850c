"""Reports as JSON: the outcomes themselves, unrounded, for other programs. docs/json.md describes them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from prompteval.chance import Evidence, weigh
from prompteval.compare import Comparison, Mean, Pair, Side
from prompteval.outcomes import COUNTS, Counts, FixtureOutcome, LeftOut, Measure, Ratio, Run, Scored, add
from prompteval.report import reasons
from prompteval.report.diff import differences
from prompteval.samples import Copy
from prompteval.tags import SETTING
from prompteval.versions import Compared, History


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
        "categories": _categories(scored.categories),
        "totals": counts_value(scored.totals),
    }
    if scored.left_out:
        value["left_out"] = _left_out(scored.left_out)
    return _render(value)


def run_value(run: Run) -> dict[str, Any]:
    """Return a run as JSON values."""
    return {name: value for name, value in run._asdict().items() if name != "corpus_version"}


def _categories(categories: Mapping[str, Ratio]) -> list[dict[str, Any]]:
    return [{"category": name, "passed": passed.part, "total": passed.whole} for name, passed in categories.items()]


def _fixture(outcome: FixtureOutcome) -> dict[str, Any]:
    return {
        "fixture_id": outcome.fixture_id,
        "category": outcome.category,
        "passed": outcome.passed,
        **{name: outcome.counts[name] for name in ("points_matched", "points_total", "phantoms")},
        "gate": outcome.gate,
        "reasons": [reasons.facts(reason) for reason in outcome.reasons],
    }


def counts_value(counts: Counts) -> dict[str, int]:
    """Return totals as counts; a reader divides, and so decides what 0/0 is."""
    return {name: counts[name] for name in COUNTS}


def _left_out(fixtures: Sequence[LeftOut]) -> list[dict[str, str]]:
    return [{"fixture_id": fixture.fixture_id, "why": fixture.why} for fixture in fixtures]


def render_diff(compared: Compared) -> str:
    """Return comparisons, one for each common setting, as a JSON text that ends in a line break."""
    comparisons = [_comparison(comparison) for comparison in compared.comparisons]
    return _render({"comparisons": comparisons, "not_compared": compared.not_compared})


def _comparison(comparison: Comparison) -> dict[str, Any]:
    means = [{m: both[side] for m, both in comparison.measures.items()} for side in (0, 1)]
    return {
        "labels": comparison.labels,
        "differences": list(differences(comparison)),
        "baseline": {**_side(comparison.baseline), "means": _means(means[0], comparison.weight)},
        "candidate": {**_side(comparison.candidate), "means": _means(means[1], comparison.weight)},
        "evidence": _evidence(weigh(comparison)) if comparison.pairs and comparison.same_labels else None,
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
    return {
        "name": side.name,
        "runs": [run_value(run) for run in side.runs],
        "idle": [run.id for run in side.idle],
        "copies": _copies(side.samples.copies),
        "shared_answers": side.samples.shared,
        "categories": _categories(side.categories),
        "totals": counts_value(add(outcome.counts for outcome in side.all_outcomes)),
    }


def _means(means: Mapping[Measure, Mean], weight: int) -> dict[str, float]:
    """Return the sums over fixtures of the mean over answers."""
    found = {}
    for measure, mean in means.items():
        found[measure.part] = float(mean.part / weight)
        if measure.whole and mean.whole is not None:
            found[measure.whole] = float(mean.whole / weight)
    return found


def _pair(pair: Pair) -> dict[str, Any]:
    return {
        "fixture_id": pair.fixture_id,
        "category": pair.category,
        "change": pair.change,
        "baseline": [_fixture(outcome) for outcome in pair.baseline],
        "candidate": [_fixture(outcome) for outcome in pair.candidate],
    }


def render_runs(runs: Sequence[tuple[Run, Counts]]) -> str:
    """Return the list of runs as a JSON text that ends in a line break."""
    return _render({"runs": _runs(runs)})


def _runs(runs: Sequence[tuple[Run, Counts]]) -> list[dict[str, Any]]:
    return [{**run_value(run), "totals": counts_value(sums)} for run, sums in runs]


def render_history(history: History, grain: str) -> str:
    """Return the runs or, with `grain` version, each version and setting with the sums over its runs, as JSON text."""
    judged = {"labels": history.judge, "left_out": _left_out(history.left_out)}
    if grain == "run":
        return _render({"runs": _runs(history.runs), **judged})
    versions = [
        {
            "version": run.version,
            **dict(zip(SETTING, run.setting, strict=True)),
            "runs": number,
            "totals": counts_value(sums),
        }
        for run, number, sums in history.by_version
    ]
    return _render({"versions": versions, "copies": _copies(history.copies), **judged})


def _copies(copies: Sequence[Copy]) -> list[dict[str, Any]]:
    return [{"run": copy.run.id, "of": copy.of.id, "answers": copy.answers} for copy in copies]
