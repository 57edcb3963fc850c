"""Reports as JSON: the outcomes themselves, unrounded, for other programs. docs/json.md describes them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from prompteval.outcomes import PASSED, Counts, FixtureOutcome, LeftOut, Measure, PromptUsed, Ratio, Run, Scored, add
from prompteval.report import reasons
from prompteval.tags import SETTING
from prompteval.versions import Compared, History, LabelEvidence, all_runs

if TYPE_CHECKING:
    from prompteval.compare import Comparison, Side
    from prompteval.samples import Copy


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
        "run": _run(scored.run),
        "labels": scored.labels,
        "fixtures": _fixtures(scored.outcomes),
        "categories": _categories(scored.categories),
        "totals": scored.totals,
    }
    if scored.left_out:
        value["left_out"] = _left_out(scored.left_out)
    return _render(value)


def _run(run: Run) -> dict[str, Any]:
    return {name: value for name, value in run._asdict().items() if name != "corpus_version"}


def _categories(categories: Mapping[str, Ratio]) -> list[dict[str, Any]]:
    return [{"category": name, "passed": passed.part, "total": passed.whole} for name, passed in categories.items()]


def _fixtures(outcomes: Iterable[FixtureOutcome]) -> list[dict[str, Any]]:
    return [
        {
            "fixture_id": outcome.fixture_id,
            "category": outcome.category,
            "passed": outcome.passed,
            **{name: outcome.counts[name] for name in ("points_matched", "points_total", "phantoms")},
            "gate": outcome.gate,
            "reasons": [reasons.facts(reason) for reason in outcome.reasons],
        }
        for outcome in outcomes
    ]


def _left_out(fixtures: Sequence[LeftOut]) -> list[dict[str, str]]:
    return [fixture._asdict() for fixture in fixtures]


def render_diff(compared: Compared) -> str:
    """Return comparisons, one for each common setting, as a JSON text that ends in a line break."""
    comparisons = [_comparison(comparison) for comparison in compared.comparisons]
    return _render({"comparisons": comparisons, "not_compared": compared.not_compared})


def _comparison(comparison: Comparison) -> dict[str, Any]:
    from prompteval.report.diff import differences

    measures = comparison.measures
    means = [_means({m: both[side] for m, both in measures.items()}, comparison.weight) for side in (0, 1)]
    return {
        "suite": comparison.suite,
        "prompts": _both(_prompts(side, comparison.prompts) for side in comparison.sides),
        "labels": comparison.labels,
        "differences": list(differences(comparison)),
        "shared_answers": comparison.shared,
        "not_named": [run.id for run in comparison.context.not_named],
        **_both({**_side(side), "means": mean} for side, mean in zip(comparison.sides, means, strict=True)),
        "evidence": _evidence(comparison) if comparison.pairs else None,
        "fixtures": [
            {
                "fixture_id": pair.fixture_id,
                "category": pair.category,
                "change": pair.change,
                **_both(map(_fixtures, pair.sides)),
            }
            for pair in comparison.pairs
        ],
        "left_out": _left_out(comparison.left_out),
    }


def _prompts(side: Side, prompts: Mapping[str, Sequence[PromptUsed]]) -> list[list[dict[str, str]]]:
    """Return each prompt of a side once, with the files it refers to."""
    found = dict.fromkeys(tuple((f.name, f.digest) for f in prompts.get(run.id, ())) for run in side.runs)
    return [[{"name": name, "digest": digest} for name, digest in files] for files in found if files]


def _both(values: Iterable[Any]) -> dict[str, Any]:
    """Return the values of the baseline and of the candidate."""
    return dict(zip(("baseline", "candidate"), values, strict=True))


def _side(side: Side) -> dict[str, Any]:
    """Return what a side is, with counts over all its answers."""
    outcomes = side.all_outcomes
    categories = sorted({outcome.category for outcome in outcomes})
    passed = {name: PASSED.of(add(o.counts for o in outcomes if o.category == name)) for name in categories}
    return {
        "name": side.name,
        "runs": [_run(run) for run in side.runs],
        "idle": [run.id for run in side.idle],
        "copies": _copies(side.samples.copies),
        "shared_answers": side.samples.shared,
        "categories": _categories(passed),
        "totals": add(outcome.counts for outcome in outcomes),
    }


def _means(means: Mapping[Measure, Ratio], weight: int) -> dict[str, float]:
    """Return the sums over fixtures of the mean over answers."""
    found = {}
    for measure, mean in means.items():
        found[measure.part] = float(mean.part / weight)
        if measure.whole and mean.whole is not None:
            found[measure.whole] = float(mean.whole / weight)
    return found


def _evidence(comparison: Comparison) -> dict[str, Any]:
    """What chance says of each measure; probabilities as numbers, and `exact` as the fraction they come from."""
    from prompteval.chance import weigh
    from prompteval.report.verdict import verdict

    evidence = weigh(comparison)
    return {
        "measures": {
            measure.key: {
                "fixtures": found.fixtures,
                "change": float(found.change),
                "interval": None if found.low is None else [found.low, found.high],
                "p": None if found.p is None else float(found.p),
                "exact": None if found.p is None else str(found.p),
                "adjusted": None if found.adjusted is None else float(found.adjusted),
                "why": found.why or None,
            }
            for measure, found in evidence.weighed.items()
        },
        "noise": _both(noise and float(noise.differ) for noise in evidence.noise),
        "moves_by_chance": evidence.moves_by_chance,
        "verdict": verdict(comparison, evidence),
    }


def render_runs(histories: Sequence[History]) -> str:
    """Return the list of runs as a JSON text that ends in a line break."""
    return _render({"runs": _runs(all_runs(histories))})


def _runs(runs: Iterable[tuple[Run, Counts]]) -> list[dict[str, Any]]:
    return [{**_run(run), "totals": sums} for run, sums in runs]


def render_history(histories: Sequence[History], grain: str) -> str:
    """Return, per suite, the runs or, with `grain` version, each version and setting with the sums over its runs."""
    return _render({"suites": [_history(each, grain) for each in histories]})


def _history(history: History, grain: str) -> dict[str, Any]:
    labels = {"labels": history.judge, "left_out": _left_out(history.left_out)}
    if grain == "run":
        return {"suite": history.suite, "runs": _runs(history.runs), **labels}
    versions = [
        {"version": run.version, **dict(zip(SETTING, run.setting, strict=True)), "runs": number, "totals": sums}
        for run, number, sums in history.by_version
    ]
    return {"suite": history.suite, "versions": versions, "copies": _copies(history.copies), **labels}


def _copies(copies: Sequence[Copy]) -> list[dict[str, Any]]:
    return [{"run": copy.run.id, "of": copy.of.id, "answers": copy.answers} for copy in copies]


def render_labels(suites: Sequence[LabelEvidence]) -> str:
    """Return, per suite, how each point of the latest labels fared, as a JSON text that ends in a line break."""
    return _render({"suites": [_evidence_of_labels(each) for each in suites]})


def _evidence_of_labels(found: LabelEvidence) -> dict[str, Any]:
    return {
        "suite": found.suite,
        "labels": found.corpus,
        "runs": found.runs,
        "copies": _copies(found.copies),
        "points_total": found.total,
        "points": [
            {
                "fixture_id": point.fixture_id,
                "point": point.point_id,
                "answers": point.runs,
                "matched": point.matched,
                "near_misses": point.near,
                "half_found": point.half,
                "terms": [sole._asdict() for sole in point.sole],
                "guards": [{"term": term, "answers": number} for term, number in point.guards],
            }
            for point in found.points
        ],
    }
