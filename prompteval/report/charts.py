"""The geometry of the history's charts, finished: a template only draws it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from prompteval.outcome import Ratio, Run, Totals
from prompteval.report.table import answers, of, percent
from prompteval.tags import shown, shown_setting, sort_key

WIDTH_OF_RUNS = 0.8  # of a version's column, at most
WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 320, 200, 44, 26, 14, 14


class Dot(NamedTuple):
    """One run: where it is drawn, and what it says."""

    x: float
    y: float
    text: str


class Tick(NamedTuple):
    """One mark of an axis."""

    at: float
    text: str


class Chart(NamedTuple):
    """One measure over versions: a dot for each run, and for each setting a line through the means of the versions."""

    title: str
    description: str
    dots: tuple[Dot, ...]
    lines: tuple[str, ...]  # the points of an SVG polyline each
    columns: tuple[Tick, ...]
    rows: tuple[Tick, ...]


History = Sequence[tuple[Run, Totals]]
_Value = Callable[[Totals], "Fraction | None"]


def charts(history: History) -> list[Chart]:
    """Return recall, phantoms and gate accuracy over versions."""
    most = max((sums.phantoms for _, sums in history), default=0)
    step = max(1, -(-most // 4))
    counts = [Tick(value, str(value)) for value in range(0, step * 5, step)]
    shares = [Tick(value / 4, f"{25 * value} %") for value in range(5)]
    return [
        _chart(
            "Recall", history, (lambda s: _share(s.points), lambda s: f"{of(s.points)}, {percent(s.points)}"), shares
        ),
        _chart("Phantoms", history, (lambda s: Fraction(s.phantoms), lambda s: str(s.phantoms)), counts),
        _chart(
            "Gate accuracy", history, (lambda s: _share(s.gate), lambda s: f"{of(s.gate)}, {percent(s.gate)}"), shares
        ),
    ]


def _share(ratio: Ratio) -> Fraction | None:
    return Fraction(*ratio) if ratio.whole else None


def _chart(title: str, history: History, measure: tuple[_Value, Callable[[Totals], str]], ticks: list[Tick]) -> Chart:
    value, say = measure
    versions = sorted({run.version for run, _ in history}, key=sort_key)
    columns = {version: _column(index, len(versions)) for index, version in enumerate(versions)}
    top = ticks[-1].at
    dots = []
    for version in versions:
        known = [(run, sums, v) for run, sums in history if run.version == version and (v := value(sums)) is not None]
        step = min(6.0, WIDTH_OF_RUNS * (WIDTH - LEFT - RIGHT) / len(versions) / max(1, len(known)))
        for place, (run, sums, amount) in enumerate(known):
            aside = step * (place - (len(known) - 1) / 2)  # runs of one version stand beside each other
            text = f"{shown(version)}, run {run.short_id}, {shown_setting(run)}: {say(sums)}; answers {answers(sums)}"
            dots.append(Dot(round(columns[version] + aside, 1), _height(amount, top), text))
    return Chart(
        title,
        f"{title} over versions. " + "; ".join(dot.text for dot in dots) + ".",
        tuple(dots),
        _lines(history, value, columns, top),
        tuple(Tick(columns[version], shown(version)) for version in versions),
        tuple(Tick(_height(Fraction(tick.at), top), tick.text) for tick in ticks),
    )


def _lines(history: History, value: _Value, columns: Mapping[str, float], top: float) -> tuple[str, ...]:
    """Return a line through the means of the versions for each setting: models are not compared with each other."""
    lines = []
    for setting in dict.fromkeys(run.setting for run, _ in history):
        points = []
        for version, column in columns.items():
            values = [
                v
                for run, sums in history
                if run.setting == setting and run.version == version and (v := value(sums)) is not None
            ]
            if values:
                points.append(f"{column},{_height(sum(values, Fraction(0)) / len(values), top)}")
        lines.append(" ".join(points))
    return tuple(line for line in lines if line)


def _column(index: int, number: int) -> float:
    room = WIDTH - LEFT - RIGHT
    return round(LEFT + room * (index + 0.5) / number, 1)


def _height(value: Fraction, top: float) -> float:
    room = HEIGHT - TOP - BOTTOM
    return round(HEIGHT - BOTTOM - float(value) / top * room, 1)
