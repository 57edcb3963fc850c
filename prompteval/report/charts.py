"""The geometry of the charts, finished: a template only draws it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from prompteval.chance import Evidence, Weighed
from prompteval.compare import Comparison
from prompteval.outcomes import PHANTOMS, Counts, Measure, Run
from prompteval.report.numbers import answers, of, percent
from prompteval.report.table import run_name
from prompteval.report.verdict import ORDER, unit_of
from prompteval.tags import shown, shown_setting, sort_key

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 320, 200, 44, 26, 14, 14
_ROOM = WIDTH - LEFT - RIGHT
_WIDTH_OF_RUNS = 0.8  # of a version's column, at most
_WIDEST = 6.0  # between two runs of a version
_MOST_NAMES = 8  # of versions below a chart
_REACH = 46.0  # per cent of the width of a plot, from no change to the largest
_History = Mapping[str, Sequence[tuple[Run, Counts]]]  # by version
_Tick = tuple[float, str]  # where it stands on its axis, and what it says


class Chart(NamedTuple):
    """One measure over versions: a dot for each run, and for each setting a line through the means of the versions."""

    title: str
    description: str
    dots: list[tuple[float, float, str]]  # x, y and what it says
    lines: list[tuple[str, str]]  # the points of an SVG polyline each, and its setting
    columns: list[_Tick]
    rows: list[_Tick]


class Plot(NamedTuple):
    """The change of one measure and its interval, in per cent of a width: 50 is no change, and more is better.

    Without an interval, `low` and `high` are the change. `shown`: it is better or worse, and not by chance.
    """

    change: float
    low: float
    high: float
    shown: bool
    finding: str


def plots(comparison: Comparison, evidence: Evidence) -> list[Plot | None]:
    """Return a plot for each row of the table of measures, None where a change is unknown.

    Shares have one scale. Phantoms have their own, turned round, since fewer are better.
    """
    rows = [_changes(comparison, evidence, measure) for measure in ORDER]
    found: list[Plot | None] = []
    for measure, row in zip(ORDER, rows, strict=True):
        alike = [
            v
            for other, values in zip(ORDER, rows, strict=True)
            if bool(other.whole) == bool(measure.whole)
            for v in values
        ]
        places = [round(50 + _REACH * value / (max(map(abs, alike)) or 1), 1) for value in row]
        weighed = evidence.weighed[measure]
        found.append(
            Plot(places[0], min(places), max(places), weighed.is_shown, _finding(weighed, row[0])) if row else None
        )
    return found


def _changes(comparison: Comparison, evidence: Evidence, measure: Measure) -> list[float]:
    """Return the change and the ends of its interval, as far as they are known; more is better."""
    weighed, before = evidence.weighed[measure], comparison.measures[measure][0]
    unit = float(unit_of(comparison, before)) * (1 if measure.more_is_better else -1)
    known = (weighed.change, weighed.low, weighed.high) if weighed.fixtures else ()
    return [float(value) * unit for value in known if value is not None]


def _finding(weighed: Weighed, change: float) -> str:
    if not weighed.is_small:
        return "no difference shown" if weighed.adjusted is not None else "not tested"
    return ("better" if change > 0 else "worse") + ("" if weighed.is_shown else " on these fixtures")


def charts(history: Sequence[tuple[Run, Counts]]) -> list[Chart]:
    """Return each measure over versions."""
    runs: dict[str, list[tuple[Run, Counts]]] = {
        name: [] for name in sorted({r.version for r, _ in history}, key=sort_key)
    }
    for run, sums in history:
        runs[run.version].append((run, sums))
    step = max(1, -(-max(sums[PHANTOMS.part] for _, sums in history) // 4))
    counts: list[_Tick] = [(value, str(value)) for value in range(0, step * 5, step)]
    shares: list[_Tick] = [(value / 4, f"{25 * value} %") for value in range(5)]
    return [_chart(each, runs, shares if each.whole else counts) for each in ORDER]


def _chart(measure: Measure, history: _History, ticks: Sequence[_Tick]) -> Chart:
    title, top = measure.name.capitalize(), ticks[-1][0]
    columns = {name: round(LEFT + _ROOM * (index + 0.5) / len(history), 1) for index, name in enumerate(history)}
    dots = []
    values: dict[str, dict[str, list[Fraction]]] = defaultdict(lambda: defaultdict(list))
    for version, runs in history.items():
        own = [(run, sums, measure.of(sums)) for run, sums in runs]
        known = [(run, sums, ratio, ratio.value) for run, sums, ratio in own if ratio.value is not None]
        step = min(_WIDEST, _WIDTH_OF_RUNS * _ROOM / len(columns) / max(1, len(known)))
        for place, (run, sums, ratio, value) in enumerate(known):
            aside = step * (place - (len(known) - 1) / 2)  # runs of one version stand beside each other
            reached = of(ratio) if ratio.whole is None else f"{of(ratio)}, {percent(ratio)}"
            text = f"{run_name(run)}, {shown_setting(run)}: {reached}; answers {answers(sums)}"
            dots.append((round(columns[version] + aside, 1), _height(value, top), text))
            values[shown_setting(run)][version].append(value)
    lines = []  # for each setting, since models are not compared with each other
    for setting, means in values.items():
        heights = {version: _height(sum(found) / Fraction(len(found)), top) for version, found in means.items()}
        points = " ".join(f"{columns[version]},{height}" for version, height in heights.items())
        lines.append((points, setting))
    names = [(column, shown(version)) for version, column in columns.items()]
    description = f"{title} from {names[0][1]} to {names[-1][1]}: a dot per run. The tables have the numbers."
    rows = [(_height(at, top), text) for at, text in ticks]
    return Chart(title, description, dots, lines, names[:: -(-len(names) // _MOST_NAMES)], rows)


def _height(value: Fraction | float, top: float) -> float:
    return round(HEIGHT - BOTTOM - float(value) / top * (HEIGHT - TOP - BOTTOM), 1)
