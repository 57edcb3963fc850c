"""The longer job: `python -m tests.fuzz {results,labels,sessions} --inputs N [--seed S]`.

Guided by coverage where atheris is installed (`pip install atheris`, Linux alone), else by a seeded loop of mutations.
No input may take more than 5 s, nor the whole more than 500 MB.
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

SECONDS, MEGABYTES, LONGEST = 5, 500, 4096
Reader = Callable[[bytes], bool]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("reader", choices=["results", "labels", "sessions"])
    parser.add_argument("--inputs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plain", action="store_true", help="the loop of mutations, even where atheris is installed")
    given = parser.parse_args()
    try:
        if given.plain:
            raise ImportError
        atheris = import_module("atheris")
    except ImportError:
        _mutate(given.reader, given.inputs, random.Random(given.seed))
        return
    with atheris.instrument_imports(include=["prompteval", "yaml", "json"]):
        from tests.readers import READERS, seeds, words
    with tempfile.TemporaryDirectory() as folder:
        _write(Path(folder), seeds(given.reader), words(given.reader))
        limits = [f"-timeout={SECONDS}", f"-rss_limit_mb={MEGABYTES}", f"-max_len={LONGEST}", "-print_final_stats=1"]
        limits += [f"-runs={given.inputs}", f"-seed={given.seed}", f"-dict={folder}/words"]
        atheris.Setup([sys.argv[0], *limits, f"{folder}/seeds"], READERS[given.reader])
        atheris.Fuzz()


def _write(folder: Path, seeds: list[bytes], words: list[bytes]) -> None:
    (folder / "seeds").mkdir()
    for index, seed in enumerate(seeds):
        (folder / "seeds" / str(index)).write_bytes(seed)
    lines = ['"' + "".join(f"\\x{byte:02x}" for byte in word) + '"\n' for word in words]
    (folder / "words").write_text("".join(lines))


def _mutate(name: str, inputs: int, chance: random.Random) -> None:
    from tests.readers import READERS, seeds, words

    start, slowest, taken = time.perf_counter(), 0.0, 0
    pool, pieces = seeds(name), [b"", *words(name)]
    for _ in range(inputs):
        data = _mutated(chance.choice(pool), pieces, chance)
        before = time.perf_counter()
        try:
            taken += READERS[name](data)
        except BaseException:
            print(f"{name} fails on {data!r}", file=sys.stderr)
            raise
        slowest = max(slowest, time.perf_counter() - before)
        assert slowest < SECONDS, f"{name} takes {slowest:.1f} s for {data!r}"
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    assert peak < MEGABYTES, f"{peak} MB"
    seconds = time.perf_counter() - start
    print(f"{inputs} inputs in {seconds:.0f} s, {taken} valid, slowest {slowest * 1000:.0f} ms, peak {peak} MB")


def _mutated(data: bytes, pieces: list[bytes], chance: random.Random) -> bytes:
    for _ in range(chance.randint(1, 6)):
        start = chance.randint(0, len(data))
        end = min(len(data), start + chance.choice([0, 0, 1, 1, 2, 8, 64]))
        piece = chance.choice([chance.choice(pieces), chance.randbytes(2), data[start:end] * chance.choice([2, 40])])
        data = data[:start] + piece + data[end:]
    return data[:LONGEST]


if __name__ == "__main__":
    main()
