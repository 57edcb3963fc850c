"""Reports as CSV: one row per fixture, numbers as numbers, and no cell that a spreadsheet would run."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from prompteval.outcomes import COUNTS, Run, Scored
from prompteval.report import reasons
from prompteval.tags import SETTING
from prompteval.text.visible import visible
from prompteval.versions import Compared, History, LabelEvidence, all_runs

Cell = str | int | float | None
_FORMULA = ("=", "+", "-", "@", "|", "%")
_RUN = ("run", "suite", "version", *SETTING, "sample")


def _render(headers: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(headers)
    writer.writerows([_cell(cell) for cell in row] for row in rows)
    return text.getvalue()


def _cell(cell: Cell) -> Cell:
    """Keep numbers; put an apostrophe before a text that begins like a formula, as spreadsheets themselves do."""
    if not isinstance(cell, str):
        return cell
    text = visible(cell)
    return f"'{text}" if text.lstrip().startswith(_FORMULA) else text


def _run_cells(run: Run) -> tuple[Cell, ...]:
    return run.id, run.suite, run.version, *run.setting, run.sample


def render_score(scored: Scored) -> str:
    """Return one row per fixture of one run. `passed` and `gate` are 1 or 0; a gate that does not apply is empty."""
    counts = ("points_matched", "points_total", "phantoms")
    rows: list[tuple[Cell, ...]] = []
    for o in scored.outcomes:
        gate = None if o.gate is None else int(o.gate)
        numbers = (int(o.passed), *(o.counts[name] for name in counts), gate)
        why = "; ".join(map(reasons.text, o.reasons))
        rows.append((*_run_cells(scored.run), o.fixture_id, o.category, *numbers, why))
    return _render((*_RUN, "fixture_id", "category", "passed", *counts, "gate", "reasons"), rows)


def render_diff(compared: Compared) -> str:
    """Return one row for each compared fixture. Counts are sums over the runs of a side that answered it."""
    counts = ("fixtures_passed", "points_matched", "points_total", "phantoms", "fixtures_invalid")
    names = ("runs", *(name.removeprefix("fixtures_") for name in counts))
    sides = [f"{side}_{name}" for side in ("baseline", "candidate") for name in names]
    rows: list[tuple[Cell, ...]] = []
    for comparison in compared.comparisons:
        setting = comparison.candidate.runs[-1].setting
        for pair in comparison.pairs:
            cells: list[Cell] = []
            for answers in pair.sides:
                cells += [len(answers), *(sum(o.counts[name] for o in answers) for name in counts)]
            rows.append((comparison.suite, *setting, pair.fixture_id, pair.category, pair.change, *cells))
    return _render(("suite", *SETTING, "fixture_id", "category", "change", *sides), rows)


def render_history(histories: Sequence[History], grain: str) -> str:
    """Return one row per run or, with `grain` version, one for each version and setting with the sums over its runs."""
    if grain == "run":
        return render_runs(histories)
    rows = (
        (each.suite, run.version, *run.setting, number, *sums.values())
        for each in histories
        for run, number, sums in each.by_version
    )
    return _render(("suite", "version", *SETTING, "runs", *COUNTS), rows)


def render_runs(histories: Sequence[History]) -> str:
    """Return one row per run, with its totals."""
    rows = ((*_run_cells(run), run.recorded_at, run.corpus, *sums.values()) for run, sums in all_runs(histories))
    return _render((*_RUN, "recorded_at", "corpus", *COUNTS), rows)


def render_labels(suites: Sequence[LabelEvidence]) -> str:
    """Return one row per point that has a valid answer, and `half_found` as 1 or 0.

    A term or guard that alone causes misses stands with the number of answers, several with semicolons between them.
    """
    rows = (
        (
            *(each.suite, p.fixture_id, p.point_id, p.runs, p.matched, p.near, int(p.half)),
            "; ".join(f"{sole.term} ({sole.answers})" for sole in p.sole),
            "; ".join(f"{term} ({number})" for term, number in p.guards),
        )
        for each in suites
        for p in each.points
    )
    numbers = ("answers", "matched", "near_misses", "half_found")
    return _render(("suite", "fixture_id", "point", *numbers, "terms", "guards"), rows)
