"""Runs of next hops that are damaged: each walk ends in an error, and in no circle."""

import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path

import numpy as np
import pytest

from bake.core.arrays import Int64Array
from bake.play import Navigator, open_asset
from bake.project.recipe import LevelRecipe
from levelbake.errors import CorruptAssetError
from tests.support import forked
from tests.support.baked import (
    GROUND,
    bake,
    recipe_for,
    rows,
    write_graph,
    write_grid,
)
from tests.support.oracles import Lattice
from tests.support.tampering import edited, first_moves, store_hops

HOPS = ("components", "next_hops")


COLUMN = "/profiles/default/{}"
DRAWN = rows("......", ".#..#.", "......", "..#...", "......")


@pytest.fixture
def damaged(tmp_path: Path) -> Callable[..., Path]:
    source = write_grid(tmp_path / "drawn.json", DRAWN)
    whole = bake(source, recipe_for(connectivity=4, tables=HOPS)).read_bytes()

    number = count()

    def change(**columns: Callable[[Int64Array], Int64Array]) -> Path:
        path = tmp_path / f"damaged{next(number)}.h5"
        path.write_bytes(whole)
        with edited(path) as file:
            for name, make in columns.items():
                stored = file[COLUMN.format(name)]
                array = stored[()]
                new = make(array.astype(np.int64))
                assert new.shape == array.shape
                assert not np.array_equal(new, array)
                stored[...] = new.astype(array.dtype)
        return path

    return change


def ask_all(nav: Navigator) -> None:
    """Each kind of question about every pair; damage must end it and nothing else may."""
    cells = Lattice(DRAWN, GROUND).cells()
    starts = [a for a in cells for _ in cells]
    goals = [b for _ in cells for b in cells]
    for ask in (
        lambda: [nav.path(a, b) for a, b in zip(starts, goals, strict=True)],
        lambda: [nav.distance(a, b) for a, b in zip(starts, goals, strict=True)],
        lambda: nav.paths(starts, goals),
        lambda: nav.distances(starts, goals),
        lambda: [nav.distances_to(goal) for goal in cells],
    ):
        with pytest.raises(CorruptAssetError) as caught:
            ask()
        assert "\n" not in str(caught.value)
        assert "rebake it" in str(caught.value)


def put(place: int, value: int) -> Callable[[Int64Array], Int64Array]:
    def make(array: Int64Array) -> Int64Array:
        array = array.copy()
        array[place] = value
        return array

    return make


def put_first(value: int) -> Callable[[Int64Array], Int64Array]:
    """Put a value into the first place that is not 0."""
    return lambda array: put(int(np.flatnonzero(array)[0]), value)(array)


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        ({"run_move": put(3, 9)}, "an arc the profile"),
        ({"run_move": put(-1, 200)}, "an arc the profile"),
        ({"run_move": lambda old: old * 0 + 3}, "an arc the profile"),
        ({"run_length": put_first(0)}, "run_length ends 28 of 27 rows"),
        ({"run_length": put(-1, 3)}, "run_length ends 26 of 27 rows"),
        ({"run_length": np.sort}, "run_length.*inside a length"),
        ({"run_length": put(0, 200)}, "run_length has [0-9]+ lengths for [0-9]+ runs"),
        ({"run_length": put(-1, 200)}, "run_length has [0-9]+ lengths for [0-9]+ runs"),
        ({"run_length": put_first(127)}, "run_length has a run of 127"),
        ({"run_length": lambda old: np.where(old, 24, 0)}, "target [0-9]+ of 27"),
    ],
)
def test_runs_that_make_no_table(
    columns: dict[str, Callable[[Int64Array], Int64Array]],
    told: str,
    damaged: Callable[..., Path],
) -> None:
    with open_asset(damaged(**columns)) as level:
        nav = level.profile()
        with pytest.raises(CorruptAssetError, match=told):
            nav.next_hop((0, 0), (5, 4))
        with pytest.raises(CorruptAssetError, match=told):
            nav.next_hops([(0, 0)], [(5, 4)])
        ask_all(nav)


@pytest.mark.parametrize("compiled", [True, False])
def test_runs_that_lead_in_circles(
    compiled: bool, damaged: Callable[..., Path], request: pytest.FixtureRequest
) -> None:
    """Every row makes a move that it may make, so nothing is wrong with any single run."""
    if not compiled:
        request.getfixturevalue("uncompiled")
    path = damaged()
    store_hops(path, first_moves(path))
    with open_asset(path) as level:
        nav = level.profile()
        assert nav.next_hop((0, 0), (5, 4)) is not None
        ask_all(nav)


WALK = """
import sys
from levelbake.errors import CorruptAssetError
from bake.play import open_asset
from bake.core.kernels import jit
from bake.search import all_pairs
from tests.support.oracles import Lattice
from tests.support.baked import GROUND
from tests.play.reader.test_damaged_runs import DRAWN

compiled, *assets = sys.argv[1:]
if compiled == "uncompiled":
    jit.COMPILED = False
    sys.modules["bake.search.all_pairs.follow"] = None
    vars(all_pairs).pop("follow", None)
cells = Lattice(DRAWN, GROUND).cells()
starts, goals = [a for a in cells for _ in cells], [b for _ in cells for b in cells]
for asset in assets:
    caught = 0
    print(asset, flush=True)
    level = open_asset(asset)
    nav = level.profile()
    for ask in (nav.paths, nav.distances):
        try:
            ask(starts, goals)
            sys.exit("not found")
        except CorruptAssetError:
            pass
    for start, goal in zip(starts, goals):
        found = []
        for ask in (
            lambda: [tuple(cell) for cell in nav.paths([start], [goal])[1].tolist()],
            lambda: nav.path(start, goal) or [],
        ):
            try:
                found.append(ask())
                nav.length(found[-1])
            except CorruptAssetError:
                caught += 1
        for ask in (nav.distance, lambda a, b: nav.distances([a], [b])[0]):
            try:
                ticks = ask(start, goal)
            except CorruptAssetError:
                caught += 1
                continue
            assert not found or (ticks == float("inf")) == (found[0] == []), (start, goal)
    assert caught > 0
"""


def check_walks(paths: list[Path], compiled: str) -> None:
    """Ways end in damage or are ways; in a process of its own, lest it crash."""
    done = forked.run([sys.executable, "-c", WALK, compiled, *paths])
    told = done.stdout.splitlines()
    assert done.returncode == 0, (done.returncode, told[-1:], done.stderr[-2000:])
    assert told == [str(path) for path in paths]


@pytest.mark.parametrize("compiled", ["compiled", "uncompiled"])
def test_ways_that_stop_short(compiled: str, damaged: Callable[..., Path]) -> None:
    """Some rows lead on to others that have no move, or none but the greedy one."""
    paths = [
        damaged(
            run_move=lambda old, value=value: np.where(np.arange(len(old)) % 3 == 1, value, old)
        )
        for value in (255, 254)
    ]
    check_walks(paths, compiled)


@pytest.mark.parametrize("compiled", [True, False])
def test_the_greedy_move_on_a_graph_is_damage(
    compiled: bool, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """A graph has no directions for it to follow."""
    if not compiled:
        request.getfixturevalue("uncompiled")
    edges = [(a, a + 1, 1.0) for a in range(9)]
    source = write_graph(tmp_path / "line.json", range(10), edges, directed=False)
    path = bake(source, LevelRecipe(tables=HOPS))
    with edited(path) as file:
        slots = file[COLUMN.format("run_move")]
        slots[...] = np.full(slots.shape, 254, dtype=np.uint8)
    with open_asset(path) as level:
        nav = level.profile()
        for ask in (
            lambda: nav.next_hop(0, 9),
            lambda: nav.next_hops([0], [9]),
            lambda: nav.path(0, 9),
            lambda: nav.paths([0], [9]),
            lambda: nav.distance(0, 9),
            lambda: nav.distances_to(0),
        ):
            with pytest.raises(CorruptAssetError):
                ask()
