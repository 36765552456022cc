"""Compare recorded answers, or write them: ``python -m tests.support.recorded --record``."""

from __future__ import annotations

import argparse
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from bake.core.processors import processors
from tests.support.recorded.compare import run_level
from tests.support.recorded.levels import LEVELS


def main() -> int:
    """Compare or record levels; return 1 where an answer or a file differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.support.recorded")
    parser.add_argument("--record", action="store_true", help="write the recordings again")
    parser.add_argument("levels", nargs="*", metavar="LEVEL", help="default: all of them")
    given = parser.parse_args()
    names = given.levels or list(LEVELS)
    if unknown := [name for name in names if name not in LEVELS]:
        parser.error(f"no level {unknown[0]!r}; there are {', '.join(LEVELS)}")
    failed, started = False, time.perf_counter()
    with ProcessPoolExecutor(processors(), get_context("spawn")) as pool:
        for name, (word, lines) in zip(
            names, pool.map(run_level, names, [given.record] * len(names)), strict=True
        ):
            print(f"{name}: {word}")
            print(*lines, sep="\n", end="\n" if lines else "")
            failed |= bool(lines)
    print(f"{len(names)} levels in {time.perf_counter() - started:.0f} s")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
