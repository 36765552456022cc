"""Run the same benchmarks in two checkouts in turns, and compare every figure.

    python -m benchmarks.against ../before lookups updates --rounds 5

Both run the short form with this Python; each has a kernel cache of its own, filled by a round
that does not count. A figure is the median of its rounds, and a ratio is here by there.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median

HERE = Path(__file__).resolve().parents[1]

#: The position of a figure: benchmark, names of the row, name of the column.
Key = tuple[str, str, str]

_NUMBER = re.compile(r"\d[\d,]*\.?\d*")


def main() -> int:
    """Run both checkouts, and print a table of all figures that both report."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.against", description=__doc__)
    parser.add_argument("other", type=Path, help="a checkout to compare with")
    parser.add_argument("names", nargs="+", help="benchmarks, as for python -m benchmarks")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--maps", default="", help="these maps instead")
    chosen = parser.parse_args()
    sides = {"there": chosen.other.resolve(), "here": HERE}
    found: dict[str, dict[Key, list[float]]] = {side: {} for side in sides}
    for name in chosen.names:
        for turn in range(chosen.rounds + 1):
            for side, folder in sides.items():
                print(f"{name}, {side}, round {turn}", file=sys.stderr, flush=True)
                for key, value in figures(name, run(folder, side, name, chosen.maps)):
                    if turn:
                        found[side].setdefault(key, []).append(value)
    print("| benchmark | what | figure | there | here | ratio |")
    print("|---|---|---|---:|---:|---:|")
    ratios = []
    for key, values in found["here"].items():
        if key in found["there"]:
            here, there = median(values), median(found["there"][key])
            ratio = here / there if there else 1.0
            ratios.append(ratio)
            print(f"| {' | '.join(key)} | {there:g} | {here:g} | {ratio:.2f} |")
    print(f"\nMedian ratio of {len(ratios)} figures: {median(ratios):.3f}.")
    return 0


def run(folder: Path, side: str, name: str, maps: str) -> str:
    """Return the output of a benchmark in a checkout."""
    environment = {
        **os.environ,
        "PYTHONPATH": f"{folder}{os.pathsep}{folder / 'readers/python'}",
        "BAKE_CACHE_DIR": str(HERE / "build" / "against" / side),
        "BAKE_SHARED_LEVELS": os.environ.get(
            "BAKE_SHARED_LEVELS", str(HERE.parent / "shared" / "levels")
        ),
    }
    more = ["--maps", maps] if maps else []
    return subprocess.run(
        [sys.executable, "-m", "benchmarks", name, "--quick", *more],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout


def figures(name: str, text: str) -> Iterator[tuple[Key, float]]:
    """Return every number in the tables of a benchmark's section, by names of row and column."""
    header: list[str] = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|"):
            header = []
        elif not header:
            header = cells
        elif not set(line) <= set("|-: "):
            words = [cell for cell in cells if not _NUMBER.match(cell)]
            for column, cell in zip(header, cells, strict=False):
                # Some cells hold two figures, such as a median and a 95th percentile.
                for place, number in enumerate(_NUMBER.findall(cell) if cell[:1].isdigit() else ()):
                    which = f"{column} ({place + 1})" if place else column
                    yield (name, ", ".join(words[:2]), which), float(number.replace(",", ""))


if __name__ == "__main__":
    sys.exit(main())
