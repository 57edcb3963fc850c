"""Reports as CSV: one row a fixture, numbers as numbers, and no cell that a spreadsheet would run."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from prompteval.evaluate import Compared
from prompteval.outcome import History, Run, Scored, Totals
from prompteval.report.history import by_version
from prompteval.text.visible import visible

Cell = str | int | float | None
_FORMULA = ("=", "+", "-", "@", "|", "%")
_RUN = ("run", "version", "model", "temperature", "harness", "sample")


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
    return run.id, run.version, run.model, run.temperature, run.harness, run.sample


def render_score(scored: Scored) -> str:
    """Return one row a fixture of one run. `passed` and `gate` are 1 or 0; a gate that does not apply is empty."""
    headers = (
        *_RUN,
        "fixture_id",
        "category",
        "passed",
        "points_matched",
        "points_total",
        "phantoms",
        "gate",
        "reasons",
    )
    return _render(
        headers,
        (
            (
                *_run_cells(scored.run),
                o.fixture_id,
                o.category,
                int(o.passed),
                o.points_matched,
                o.points_total,
                o.phantoms,
                None if o.gate is None else int(o.gate),
                "; ".join(reason.text for reason in o.reasons),
            )
            for o in scored.outcomes
        ),
    )


def render_diff(compared: Compared) -> str:
    """Return one row for each compared fixture. Counts are sums over the runs of a side that answered it."""
    counts = ("runs", "passed", "points_matched", "points_total", "phantoms", "invalid")
    headers = (
        *("model", "temperature", "harness", "fixture_id", "category", "change"),
        *(f"{side}_{name}" for side in ("baseline", "candidate") for name in counts),
    )
    rows: list[tuple[Cell, ...]] = []
    for comparison in compared.comparisons:
        run = comparison.candidate.runs[-1]
        for pair in comparison.pairs:
            cells: list[Cell] = []
            for outcomes in (pair.baseline, pair.candidate):
                cells += [len(outcomes), sum(o.passed for o in outcomes)]
                cells += [sum(o.points_matched for o in outcomes), sum(o.points_total for o in outcomes)]
                cells += [sum(o.phantoms for o in outcomes), sum(o.state == "invalid" for o in outcomes)]
            rows.append((*run.setting, pair.fixture_id, pair.category, pair.change, *cells))
    return _render(headers, rows)


def render_history(history: History, grain: str) -> str:
    """Return one row a run or, with `grain` version, one for each version and setting with the sums over its runs."""
    if grain == "run":
        return render_runs(history.runs)
    headers = ("version", "model", "temperature", "harness", "runs", *_SUMS)
    rows = ((r.version, *r.setting, number, *_sums(sums)) for r, number, sums in by_version(history.counted))
    return _render(headers, rows)


def render_runs(runs: Sequence[tuple[Run, Totals]]) -> str:
    """Return one row a run, with its totals."""
    rows = ((*_run_cells(run), run.recorded_at, run.corpus, *_sums(sums)) for run, sums in runs)
    return _render((*_RUN, "recorded_at", "corpus", *_SUMS), rows)


_SUMS = (
    *("fixtures_passed", "fixtures_total", "points_matched", "points_total"),
    *("phantoms", "gate_correct", "gate_total", "fixtures_answered", "fixtures_invalid"),
)


def _sums(sums: Totals) -> tuple[int, ...]:
    return (*sums.fixtures, *sums.points, sums.phantoms, *sums.gate, sums.answered.part, sums.invalid)
