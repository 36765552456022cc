"""Compile what most tests need before they begin: ``python -m tests.support.kernels``.

The code lies where the package keeps all compiled kernels, in folders that are named after digests;
where all of it is there already, nothing is done.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from bake.core.kernels import cache, jit
from bake.core.kernels.ahead import compile_ahead
from bake.core.kernels.heap import push
from bake.play import LevelAsset, open_asset
from bake.play.searching.methods import METHODS
from bake.play.warm import ask_everything, two_neighbours
from levelbake.errors import BakeError
from tests.support import command
from tests.support.baked import bake, recipe_for, write_graph, write_grid
from tests.support.stored import ROOT, digest, sources

TABLES = ("components", "next_hops", "distances", "clusters", "hierarchy", "heuristic")


def baked_levels(folder: Path) -> Iterator[Path]:
    """Bake a level of each kind; none has more places than are baked in plain Python."""
    drawn = random.Random(1)

    def grid(side: int) -> list[list[str]]:
        kinds = ["floor"] * 8 + ["mud", "wall"]
        return [[drawn.choice(kinds) for _ in range(side)] for _ in range(side)]

    square = write_grid(folder / "square.json", grid(11))
    even = write_grid(folder / "even.json", [["floor"] * 13 for _ in range(9)])
    hexagons = write_grid(folder / "hex.json", grid(9), "odd-r")
    arcs = [(i, (i * k + k) % 24, 1.0 + i % 3) for i in range(24) for k in (1, 5, 7)]
    graph = write_graph(folder / "graph.json", range(24), arcs)
    plane = folder / "plane.json"
    plane.write_bytes((ROOT / "levels_src" / "plaza.json").read_bytes())
    clustered = {"tables": TABLES, "cluster_size": 4, "spacing": 1}
    yield bake(square, recipe_for(**clustered))
    yield bake(even, recipe_for(**clustered, heuristic_kind="landmark", keep_paths=False))
    yield bake(hexagons, recipe_for(**clustered))
    yield bake(graph, recipe_for(tables=TABLES[:3]))
    yield bake(plane, recipe_for(division="visibility"))


def search(level: LevelAsset) -> None:
    """Search by every method but the one that follows paths over clusters."""
    for nav in map(level.profile, level.profiles):
        if (ends := two_neighbours(nav)) is not None:
            for method in METHODS.keys() - {"hpa"}:
                with suppress(BakeError):
                    nav.path(*ends, method)


def rehearse(folder: Path) -> None:
    """Bake and prove levels, in a folder that may be filled, and ask them everything."""
    for asset in baked_levels(folder):
        command.bake("verify", asset)
        with open_asset(asset) as level:
            search(level)
            ask_everything(level)


class Progress:
    """Prints a line for each new tenth of a stage."""

    def __init__(self) -> None:
        self._printed: tuple[str, int] | None = None

    def __call__(self, stage: str, share: float) -> None:
        tenths = int(10 * share)
        if (stage, tenths) != self._printed:
            self._printed = stage, tenths
            print(f"{stage}: {10 * tenths} %", file=sys.stderr, flush=True)


def main() -> int:
    parts = [*sources(), Path(__file__), ROOT / "requirements.lock"]
    done = cache.cache_folder() / f"tests-{digest(parts)}"
    if isinstance(push, jit.Kernel) and not done.exists():
        with tempfile.TemporaryDirectory() as folder:
            print(compile_ahead(lambda: rehearse(Path(folder)), Progress()))
        done.touch()
    return 0


if __name__ == "__main__":
    sys.exit(main())
