"""The geometry of the history's charts, finished: a template only draws it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from prompteval.outcomes import GATE, PHANTOMS, RECALL, Counts, Measure, Run
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


History = Sequence[tuple[Run, Counts]]


def charts(history: History) -> list[Chart]:
    """Return recall, phantoms and gate accuracy over versions."""
    most = max((sums[PHANTOMS.part] for _, sums in history), default=0)
    step = max(1, -(-most // 4))
    counts = [Tick(value, str(value)) for value in range(0, step * 5, step)]
    shares = [Tick(value / 4, f"{25 * value} %") for value in range(5)]
    return [_chart(measure, history, shares if measure.whole else counts) for measure in (RECALL, PHANTOMS, GATE)]


def _value(sums: Counts, measure: Measure) -> Fraction | None:
    """Return what is drawn, or None for 0/0."""
    part, whole = measure.of(sums)
    return None if whole == 0 else Fraction(part) / (1 if whole is None else whole)


def _said(sums: Counts, measure: Measure) -> str:
    found = measure.of(sums)
    return of(found) if found.whole is None else f"{of(found)}, {percent(found)}"


def _chart(measure: Measure, history: History, ticks: list[Tick]) -> Chart:
    title = measure.name.capitalize()
    versions = sorted({run.version for run, _ in history}, key=sort_key)
    columns = {version: _column(index, len(versions)) for index, version in enumerate(versions)}
    top = ticks[-1].at
    dots = []
    for version in versions:
        own = [(run, sums, _value(sums, measure)) for run, sums in history if run.version == version]
        known = [(run, sums, amount) for run, sums, amount in own if amount is not None]
        step = min(6.0, WIDTH_OF_RUNS * (WIDTH - LEFT - RIGHT) / len(versions) / max(1, len(known)))
        for place, (run, sums, amount) in enumerate(known):
            aside = step * (place - (len(known) - 1) / 2)  # runs of one version stand beside each other
            name = f"{shown(version)}, run {run.short_id}, {shown_setting(run)}"
            text = f"{name}: {_said(sums, measure)}; answers {answers(sums)}"
            dots.append(Dot(round(columns[version] + aside, 1), _height(amount, top), text))
    return Chart(
        title,
        f"{title} over versions. " + "; ".join(dot.text for dot in dots) + ".",
        tuple(dots),
        _lines(history, measure, columns, top),
        tuple(Tick(columns[version], shown(version)) for version in versions),
        tuple(Tick(_height(Fraction(tick.at), top), tick.text) for tick in ticks),
    )


def _lines(history: History, measure: Measure, columns: Mapping[str, float], top: float) -> tuple[str, ...]:
    """Return a line through the means of the versions for each setting: models are not compared with each other."""
    lines = []
    for setting in dict.fromkeys(run.setting for run, _ in history):
        points = []
        for version, column in columns.items():
            values = [
                v
                for run, sums in history
                if run.setting == setting and run.version == version and (v := _value(sums, measure)) is not None
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
