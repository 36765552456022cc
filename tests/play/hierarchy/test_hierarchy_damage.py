"""Hierarchies and bounds of wrong values, though every digest fits: ways or damage, nothing else.

Levels come from strangers. In processes of their own, as compiled code that leaves its arrays ends
the process, or worse.
"""

import os
import random
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from bake.core.arrays import Int64Array
from bake.play import Navigator, open_asset
from levelbake.errors import CorruptAssetError
from tests.support import forked
from tests.support.baked import bake, recipe_for, write_grid
from tests.support.tampering import edited

Column = Int64Array

COLUMNS = (
    *("cluster", "layer_nodes", "layer_clusters", "layer_bits", "layer_node", "layer_degree"),
    *("layer_head", "layer_weight", "layer_parent", "layer_field", "layer_landmark"),
    *("cluster_distance", "pivot_distance"),
)
KINDS = ("two_way", "one_way")
#: Of so many changes of a column one is tried; BAKE_DAMAGE=1 tries all.
ONE_OF = int(os.environ.get("BAKE_DAMAGE", "4"))
PAIRS = 8


def some(change: Callable[[Column, random.Random], Column]) -> Callable[..., Column]:
    """Change some entries alone."""

    def changed(old: Column, rng: random.Random) -> Column:
        new, there = old.copy(), change(old, rng)
        for _ in range(rng.choice((1, 1, 2, 9))):
            place = rng.randrange(len(old))
            new[place] = there[place]
        return new

    return changed


CHANGES: tuple[Callable[[Column, random.Random], Column], ...] = (
    some(lambda old, rng: old + 1),
    some(lambda old, rng: old - 1),
    some(lambda old, rng: old ^ 1),
    some(lambda old, rng: old * 0),
    some(lambda old, rng: old * 0 + old.max()),
    some(lambda old, rng: np.array(rng.sample(old.tolist(), len(old)))),
    some(lambda old, rng: old * 0 + rng.choice((255, 65535, 2**30, 2**31 - 1, -1))),
    lambda old, rng: np.roll(old, rng.randrange(1, 9)),
    lambda old, rng: old[::-1],
    lambda old, rng: old * 0 + int(old.min()),
    lambda old, rng: np.array(rng.sample(old.tolist(), len(old))),
)


def write(folder: Path, kind: str) -> Path:
    rng = random.Random(kind)
    terrains = ["floor"] * 6 + ["mud", "wall"]
    grid = [[rng.choice(terrains) for _ in range(22)] for _ in range(18)]
    recipe = recipe_for(
        tables=("components", "next_hops", "hierarchy", "cluster_distances", "heuristic"),
        cluster_size=4,
        levels=3,
        spacing=2,
        cost_rule="entered" if kind == "one_way" else "mean",
    )
    return bake(write_grid(folder / f"{kind}.json", grid), recipe)


def damage(path: Path, name: str, seed: int) -> bool:
    """Change a column; whether that changes anything."""
    rng = random.Random(f"{name} {seed}")
    with edited(path, [f"/profiles/default/{name}"]) as file:
        stored = file[f"/profiles/default/{name}"]
        old = stored[()]
        if not old.size:
            return False
        flat = old.astype(np.int64).reshape(-1)
        new = CHANGES[seed](flat, rng).astype(old.dtype).reshape(old.shape)
        stored[...] = new
        return not np.array_equal(new, old)


def ask(nav: Navigator, rng: random.Random, shut: object = None) -> int:
    """Ask for ways between some cells; returns how many there were."""
    cells = [cell for cell in map(tuple, nav._now.version.cell_of_row.tolist()) if cell != shut]
    pairs = [(rng.choice(cells), rng.choice(cells)) for _ in range(PAIRS)]
    ways = 0
    for start, goal in pairs:
        walked = nav.search.walk(start, goal)
        found = nav.path(start, goal, "hpa")
        searched = nav.search(start, goal).path
        for way in (found, searched, None if walked is None else [start, *walked]):
            if way is not None:
                assert (way[0], way[-1]) == (start, goal)
                nav.length(way)
                ways += 1
    starts, goals = zip(*pairs, strict=True)
    nav.paths(list(starts), list(goals), "hpa")
    for start, goal in pairs:
        nav.search.estimate(start, goal)
        clusters = nav.search.cluster(start), nav.search.cluster(goal)
        nav.search.cluster_distance(*clusters)
    return ways


def attack(folder: str, kind: str) -> None:
    """Every column, changed in some ways, which are others for the next column."""
    path = write(Path(folder), kind)
    whole, damaged, told, ways = path.read_bytes(), path.with_name("damaged.h5"), 0, 0
    for number, name in enumerate(COLUMNS):
        for seed in range((number + KINDS.index(kind)) % ONE_OF, len(CHANGES), ONE_OF):
            damaged.write_bytes(whole)
            if not damage(damaged, name, seed):
                continue
            print(name, seed, flush=True)
            rng = random.Random(seed)
            try:
                with open_asset(damaged) as level:
                    nav = level.profile()
                    ways += ask(nav, rng)
                    cell = tuple(rng.choice(nav._now.version.cell_of_row.tolist()))
                    nav.update(blocked=[cell])
                    ways += ask(nav, rng, cell)
            except CorruptAssetError:
                told += 1
    print(f"{told} told, {ways} ways")
    assert min(told, ways) > 10


@pytest.mark.parametrize("kind", KINDS)
def test_ways_over_wrong_values(kind: str, tmp_path: Path) -> None:
    code = f"import sys; from {__name__} import attack; attack(*sys.argv[1:])"
    done = forked.run([sys.executable, "-c", code, tmp_path, kind])
    assert done.returncode == 0, (done.returncode, done.stdout[-300:], done.stderr[-3000:])
