"""Exact tests for paired runs over the same fixtures: integers and fractions, no simulation, no seed.

Sources: the permutation test is Fisher's, within strata (Edgington & Onghena, Randomization Tests, 4th ed., chapters 3
and 6); with one answer a side it is the exact test of McNemar (1947) on pass and fail, and the sign-flip test on
counts. The adjustment is Holm's (1979), the interval Student's (1908).
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import accumulate
from statistics import stdev

Z95 = 1.959963984540054  # the 97.5 % point of the normal distribution
LEVEL = Fraction(1, 20)
MOST_PAIRS = 3_000_000  # steps, a second or two

# One fixture: the values of the baseline's answers and those of the candidate's, one a run, whole numbers.
Stratum = tuple[Sequence[int], Sequence[int]]


class TooUnevenError(ValueError):
    """The fixtures have so many different numbers of answers that no exact p can be computed in reasonable time."""


def permutation_p(strata: Iterable[Stratum]) -> Fraction:
    """Return the two-sided p of the within-fixture permutation test.

    The statistic T is the sum over fixtures of mean candidate - mean baseline. Within each fixture every way to hand
    its values out to the two sides is equally likely; p is the share of them with |T| >= |T observed|. Raises
    TooUnevenError.
    """
    listed = [(before, after) for before, after in strata if before and after]
    scale = math.lcm(*(len(before) * len(after) for before, after in listed))
    groups: dict[tuple[int, int], list[Stratum]] = defaultdict(list)
    for before, after in listed:
        if len({*before, *after}) > 1:  # equal values have one sum, however they are handed out
            groups[len(before), len(after)].append((before, after))
    distributions: list[dict[int, int]] = []
    observed = 0
    for (m, n), members in groups.items():
        weight = scale * (m + n) // (m * n)  # T grows by weight / scale when the candidate's sum grows by one
        offset = sum(sum(before) + sum(after) for before, after in members) * (scale // m)
        observed += sum(sum(after) for _, after in members) * weight - offset
        distributions.append({total * weight - offset: count for total, count in _sums(members, n)})
    return _share_beyond(distributions, abs(observed))


def _share_beyond(distributions: list[dict[int, int]], bound: int) -> Fraction:
    """Return the probability that a sum of independent values is at least `bound` away from zero.

    The last distribution is never multiplied out with the others: its tails are looked up in running totals.
    """
    *others, last = sorted(distributions, key=len) or [{0: 1}]
    ways = {0: 1}
    for distribution in others:
        ways = _convolve(ways, distribution)
    values = sorted(last)
    below = [0, *accumulate(last[value] for value in values)]  # below[i]: ways of the first i values
    beyond = 0
    for statistic, count in ways.items():
        low = bisect_right(values, -bound - statistic)
        high = max(low, bisect_left(values, bound - statistic))
        beyond += count * (below[low] + below[-1] - below[high])
    return Fraction(beyond, sum(ways.values()) * below[-1])


def _convolve(left: dict[int, int], right: dict[int, int]) -> dict[int, int]:
    if len(left) * len(right) > MOST_PAIRS:
        raise TooUnevenError("the fixtures have too many different numbers of answers for an exact p")
    result: dict[int, int] = defaultdict(int)
    for a, ways_a in left.items():
        for b, ways_b in right.items():
            result[a + b] += ways_a * ways_b
    return result


def _sums(members: Sequence[Stratum], n: int) -> Iterator[tuple[int, int]]:
    """Yield each sum that the candidate's values can have over all members, with the number of ways it comes about.

    A distribution is one long integer, with a field of some octets for each sum: adding is `+`, shifting `<<`, and the
    distribution of two fixtures together is their product, which is far quicker than loops.
    """
    least, factors = 0, []
    octets = math.prod(math.comb(len(before) + len(after), n) for before, after in members).bit_length() // 8 + 1
    for before, after in members:
        values = [*before, *after]
        lowest = min(values)
        least += lowest * n
        ways = _subset_sums([value - lowest for value in values], n)
        factors.append(int.from_bytes(b"".join(count.to_bytes(octets, "little") for count in ways), "little"))
    product = _product(factors)
    yield from ((total, count) for total, count in enumerate(_fields(product, octets), least) if count)


def _product(factors: list[int]) -> int:
    """Return the product of numbers by halves: long times long, where one by one is long times short each time."""
    while len(factors) > 1:
        factors = [math.prod(factors[place : place + 2]) for place in range(0, len(factors), 2)]
    return factors[0]


def _fields(number: int, octets: int) -> list[int]:
    data = number.to_bytes(number.bit_length() // 8 + octets, "little")
    places = range(0, len(data) - octets + 1, octets)
    return [int.from_bytes(data[place : place + octets], "little") for place in places]


def _subset_sums(values: Sequence[int], size: int) -> list[int]:
    """Return how many subsets of `size` values have the sum 0, 1, 2 and so on."""
    octets = math.comb(len(values), size).bit_length() // 8 + 1
    by_size = [1] + [0] * size
    for number, value in enumerate(values, 1):
        for taken in range(min(number, size), 0, -1):
            by_size[taken] += by_size[taken - 1] << (value * 8 * octets)
    return _fields(by_size[size], octets)


def sum_of_means(lists: Iterable[Sequence[int]]) -> Fraction:
    """Return the sum of the means of lists of numbers; one fraction per length, since fractions add up slowly."""
    totals: dict[int, int] = defaultdict(int)
    for values in lists:
        totals[len(values)] += sum(values)
    return sum((Fraction(total, length) for length, total in totals.items()), Fraction(0))


def change_interval(differences: Sequence[Fraction]) -> tuple[float, float]:
    """Return the 95 % interval of a sum of differences, one per fixture: Student's t over fixtures (1908).

    A difference of +1 and one of -1 are added for the width alone, so that fixtures of which none or few moved do not
    look certain (in the manner of Agresti and Caffo, 2000). The interval is centred on the sum.
    """
    change, n = float(sum(differences)), len(differences)
    half = student_t975(n + 1) * stdev([*map(float, differences), 1.0, -1.0]) * n / math.sqrt(n + 2)
    return change - half, change + half


def student_t975(degrees: int) -> float:
    """Return the 97.5 % point of Student's t, by bisection of its distribution function."""
    low, high = 1.9, 13.0  # infinitely many degrees, and 1
    while high - low > 1e-12:
        middle = (low + high) / 2
        low, high = (middle, high) if _within(middle, degrees) < 0.95 else (low, middle)
    return (low + high) / 2


def _within(t: float, degrees: int) -> float:
    """Return the probability of Student's t between -t and t (Abramowitz and Stegun, 26.7.3 and 26.7.4)."""
    theta = math.atan(t / math.sqrt(degrees))
    cosine, odd = math.cos(theta), degrees % 2
    term, total = (cosine, 0.0) if odd else (1.0, 0.0)
    for power in range(1 + odd, degrees, 2):
        total += term
        term *= cosine * cosine * power / (power + 1)
    if odd:
        return 2 / math.pi * (theta + math.sin(theta) * total)
    return math.sin(theta) * total


def holm(ps: Sequence[Fraction]) -> list[Fraction]:
    """Return p values adjusted for there being several of them, in the order given."""
    adjusted, highest = [Fraction(0)] * len(ps), Fraction(0)
    for rank, index in enumerate(sorted(range(len(ps)), key=lambda i: ps[i])):
        highest = max(highest, min(Fraction(1), (len(ps) - rank) * ps[index]))
        adjusted[index] = highest
    return adjusted


def own_noise(passes: Iterable[tuple[int, int]]) -> Fraction:
    """Return on how many fixtures two runs of one version differ on average: the sum of 2 c (R - c) / (R (R - 1)).

    `passes` holds, for each fixture with R >= 2 runs, how many of them pass (c) and R.
    """
    return sum((Fraction(2 * c * (r - c), r * (r - 1)) for c, r in passes if r > 1), Fraction(0))
