"""The geometry of the history's charts, finished: a template only draws it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from prompteval.outcomes import GATE, PHANTOMS, RECALL, Counts, Measure, Run
from prompteval.report.numbers import answers, of, percent
from prompteval.report.table import run_name
from prompteval.tags import shown, shown_setting, sort_key

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 320, 200, 44, 26, 14, 14
_ROOM = WIDTH - LEFT - RIGHT
_WIDTH_OF_RUNS = 0.8  # of a version's column, at most
_WIDEST = 6.0  # between two runs of a version
_History = Sequence[tuple[Run, Counts]]
_Tick = tuple[float, str]  # where it stands on its axis, and what it says


class Chart(NamedTuple):
    """One measure over versions: a dot for each run, and for each setting a line through the means of the versions."""

    title: str
    description: str
    dots: list[tuple[float, float, str]]  # x, y and what it says
    lines: list[str]  # the points of an SVG polyline each
    columns: list[_Tick]
    rows: list[_Tick]


def charts(history: _History) -> list[Chart]:
    """Return recall, phantoms and gate accuracy over versions."""
    versions = sorted({run.version for run, _ in history}, key=sort_key)
    columns = {name: round(LEFT + _ROOM * (index + 0.5) / len(versions), 1) for index, name in enumerate(versions)}
    step = max(1, -(-max(sums[PHANTOMS.part] for _, sums in history) // 4))
    counts: list[_Tick] = [(value, str(value)) for value in range(0, step * 5, step)]
    shares: list[_Tick] = [(value / 4, f"{25 * value} %") for value in range(5)]
    return [_chart(each, history, columns, shares if each.whole else counts) for each in (RECALL, PHANTOMS, GATE)]


def _chart(measure: Measure, history: _History, columns: Mapping[str, float], ticks: Sequence[_Tick]) -> Chart:
    title, top = measure.name.capitalize(), ticks[-1][0]
    dots = []
    values: dict[object, dict[str, list[Fraction]]] = {run.setting: defaultdict(list) for run, _ in history}
    for version, column in columns.items():
        own = [(run, sums, measure.of(sums)) for run, sums in history if run.version == version]
        known = [(run, sums, ratio, ratio.value) for run, sums, ratio in own if ratio.value is not None]
        step = min(_WIDEST, _WIDTH_OF_RUNS * _ROOM / len(columns) / max(1, len(known)))
        for place, (run, sums, ratio, value) in enumerate(known):
            aside = step * (place - (len(known) - 1) / 2)  # runs of one version stand beside each other
            reached = of(ratio) if ratio.whole is None else f"{of(ratio)}, {percent(ratio)}"
            text = f"{run_name(run)}, {shown_setting(run)}: {reached}; answers {answers(sums)}"
            dots.append((round(column + aside, 1), _height(value, top), text))
            values[run.setting][version].append(value)
    lines = []  # for each setting, since models are not compared with each other
    for versions in filter(None, values.values()):
        means = {version: sum(found) / Fraction(len(found)) for version, found in versions.items()}
        lines.append(" ".join(f"{columns[version]},{_height(mean, top)}" for version, mean in means.items()))
    return Chart(
        title,
        f"{title} over versions. {'; '.join(text for _, _, text in dots)}.",
        dots,
        lines,
        [(column, shown(version)) for version, column in columns.items()],
        [(_height(at, top), text) for at, text in ticks],
    )


def _height(value: Fraction | float, top: float) -> float:
    return round(HEIGHT - BOTTOM - float(value) / top * (HEIGHT - TOP - BOTTOM), 1)
