"""The geometry of the history's charts, finished: a template only draws it."""

from __future__ import annotations

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
    for version, column in columns.items():
        known = [(run, sums) for run, sums in history if run.version == version and measure.of(sums).whole != 0]
        step = min(_WIDEST, _WIDTH_OF_RUNS * _ROOM / len(columns) / max(1, len(known)))
        for place, (run, sums) in enumerate(known):
            aside = step * (place - (len(known) - 1) / 2)  # runs of one version stand beside each other
            ratio = measure.of(sums)
            reached = of(ratio) if ratio.whole is None else f"{of(ratio)}, {percent(ratio)}"
            text = f"{run_name(run)}, {shown_setting(run)}: {reached}; answers {answers(sums)}"
            dots.append((round(column + aside, 1), _height(_value(measure, sums), top), text))
    return Chart(
        title,
        f"{title} over versions. {'; '.join(text for _, _, text in dots)}.",
        dots,
        _lines(measure, history, columns, top),
        [(column, shown(version)) for version, column in columns.items()],
        [(_height(Fraction(at), top), text) for at, text in ticks],
    )


def _lines(measure: Measure, history: _History, columns: Mapping[str, float], top: float) -> list[str]:
    """Return a line through the means of the versions for each setting: models are not compared with each other."""
    values: dict[object, dict[str, list[Fraction]]] = {}
    for run, sums in history:
        versions = values.setdefault(run.setting, {})
        if measure.of(sums).whole != 0:
            versions.setdefault(run.version, []).append(_value(measure, sums))
    lines = []
    for versions in filter(None, values.values()):
        means = {name: sum(found, Fraction(0)) / len(found) for name, found in versions.items()}
        points = (f"{x},{_height(means[name], top)}" for name, x in columns.items() if name in means)
        lines.append(" ".join(points))
    return lines


def _value(measure: Measure, sums: Counts) -> Fraction:
    part, whole = measure.of(sums)
    return Fraction(part) / (1 if whole is None else whole)


def _height(value: Fraction, top: float) -> float:
    return round(HEIGHT - BOTTOM - float(value) / top * (HEIGHT - TOP - BOTTOM), 1)
