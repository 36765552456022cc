"""Paths by HPA* between near places are shortest ones, beside Dijkstra's method as scipy has it."""

import json
import random
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from bake.play import LevelAsset, Navigator, open_asset
from tests.support.baked import bake, bake_grid, recipe_for, rows, write_grid
from tests.support.oracles import TICKS, Arcs
from tests.support.stored import stored_asset
from tests.support.strategies import random_grid
from tests.support.tower import baked_tower

#: Places are near that are at most this many steps apart, or as many columns and rows.
STEPS = 5

#: 60 units: a way so long about walls, between cells near by, may be a little longer.
FAR = 60 * TICKS


def arcs_of_rows(nav: Navigator) -> Arcs[int]:
    """The arcs a profile may take now, by row."""
    usable = nav._now.version.usable
    ends = zip(usable.graph.tail().tolist(), usable.graph.head.tolist(), strict=True)
    arcs: Arcs[int] = {row: [] for row in range(nav._now.version.row_count)}
    for (tail, head), ticks in zip(ends, usable.weight.tolist(), strict=True):
        arcs[tail].append((head, ticks))
    return arcs


def within(arcs: Arcs[int], start: int, best: list[float]) -> set[int]:
    """The rows that a shortest path of at most STEPS arcs leads to.

    Args:
        best: ticks from the start to each row.
    """
    reached, edge = {start}, {start}
    for _ in range(STEPS):
        on = ((head, best[row] + ticks) for row in edge for head, ticks in arcs[row])
        edge = {head for head, ticks in on if ticks == best[head]} - reached
        reached |= edge
    return reached


def around(nav: Navigator, start: int) -> set[int]:
    """The rows of the cells at most STEPS columns and rows away, in any part of the level."""
    at = nav._now.version.cell_of_row
    return set(np.flatnonzero(np.abs(at - at[start]).max(axis=1) <= STEPS).tolist())


def check_near(
    nav: Navigator, starts: Iterable[int] | None = None, *, every: int = 1, cells: bool = True
) -> int:
    """Whole paths, walks and many paths at once: each is a shortest one. Returns how many pairs.

    Args:
        starts: rows; None = all.
        every: which walks to look at.
        cells: whether to look at all goals in cells near by, too, less than FAR ticks away.
    """
    arcs = arcs_of_rows(nav)
    cheapest = {
        (tail, head): min(ticks for other, ticks in out if other == head)
        for tail, out in arcs.items()
        for head, _ in out
    }
    place = nav._now.rows.places(np.arange(len(arcs), dtype=np.int32))
    row = {where: number for number, where in enumerate(place)}
    hierarchy = nav._now.searches.hierarchy
    checked = 0

    def ticks_of(rows: list[int]) -> int:
        return sum(cheapest[step] for step in pairwise(rows))

    ends = tuple(np.array(list(cheapest)).reshape(-1, 2).T)
    graph = csr_array((list(cheapest.values()), ends), shape=(len(arcs), len(arcs)))
    starts = list(arcs if starts is None else starts)
    for start, best in zip(starts, dijkstra(graph, indices=starts).tolist(), strict=True):
        near = within(arcs, start, best)
        if cells:
            near |= {one for one in around(nav, start) if best[one] < FAR}
        goals = sorted(near)
        many = np.full(len(goals), start, np.int32), np.array(goals, np.int32)
        first, path = hierarchy.many(*many)
        for i, goal in enumerate(goals):
            told = path[first[i] : first[i + 1]].tolist()
            about = (nav.name, place[start], place[goal])
            assert (told[0], told[-1]) == (start, goal), about
            assert ticks_of(told) == best[goal], about
            checked += 1
            if checked % every == 0:
                walked = nav.search.walk(place[start], place[goal])
                assert walked is not None
                assert ticks_of([start, *(row[one] for one in walked)]) == best[goal], about
                found = nav.search(place[start], place[goal], "hpa")
                assert round(found.cost * nav._units) == best[goal], about
    return checked


# -- levels of our own ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "file",
    [
        *("keep.png", "marsh.png", "village.json", "colony.json", "bastion.json"),
        *("abbey.ldtk", "manor.tmx", "undercroft.map"),
    ],
)
def test_levels_of_our_own(file: str) -> None:
    """Terrain of many costs, hexagons, floors, stairs, doors, two sizes of agents."""
    with open_asset(stored_asset(file)) as level:
        for profile in level.profiles:
            nav = level.profile(profile)
            count = nav._now.version.row_count
            starts = random.Random(level.name).sample(range(count), min(24, count))
            assert check_near(nav, starts, every=9) > 200


def test_next_door_across_a_border() -> None:
    """By way of the nearest transition this took 6 steps, and cost 6.4 times as much."""
    with open_asset(stored_asset("keep.png")) as level:
        nav = level.profile()
        assert nav.search.cluster((32, 26)) != nav.search.cluster((31, 26))
        assert nav.path((32, 26), (31, 26), "hpa") == [(32, 26), (31, 26)]
        assert list(nav.search.walk((32, 26), (31, 26)) or ()) == [(31, 26)]


# -- drawn levels ---------------------------------------------------------------------------------


def every_other_row(level: LevelAsset) -> range:
    return range(0, level.profile()._now.version.row_count, 2)


@pytest.mark.parametrize("seed", range(6))
def test_square_levels(seed: int, tmp_path: Path) -> None:
    grid = random_grid(seed, 22, 17, (0.05, 0.3)[seed % 2])
    path = bake_grid(
        tmp_path,
        grid,
        connectivity=(4, 8)[seed // 2 % 2],
        corner_cutting=("never", "one_free", "always")[seed % 3],
        cost_rule=("mean", "entered")[seed // 3],
        cluster_size=(4, 7, 12)[seed % 3],
        spacing=(8, 3)[seed % 2],
    )
    with open_asset(path) as level:
        check_near(level.profile(), every_other_row(level), every=9)


@pytest.mark.parametrize("layout", ["odd-r", "even-r", "odd-q", "even-q"])
def test_hexagonal_levels(layout: str, tmp_path: Path) -> None:
    grid = random_grid(len(layout) + ord(layout[-1]), 18, 15, 0.1)
    with open_asset(bake_grid(tmp_path, grid, layout, cluster_size=5)) as level:
        check_near(level.profile(), every_other_row(level), every=9)


def test_floors_links_and_one_way_ground(tmp_path: Path) -> None:
    with open_asset(baked_tower(tmp_path, cluster_size=3)) as level:
        for profile in level.profiles:
            assert check_near(level.profile(profile)) > 100


@pytest.fixture
def changed(tmp_path: Path) -> Iterator[LevelAsset]:
    """A level on its way: walls raised and opened, other ground, arcs with prices of their own."""
    source = write_grid(tmp_path / "drawn.json", random_grid(3, 20, 16, 0.1))
    with open_asset(bake(source, recipe_for(cluster_size=5, connectivity=8))) as level:
        yield level


@pytest.mark.parametrize("seed", range(3))
def test_levels_that_change(changed: LevelAsset, seed: int) -> None:
    rng = random.Random(seed)
    nav = changed.profile()
    cells = [(x, y) for x in range(changed.width) for y in range(changed.height)]
    for batch in range(4):
        some = rng.sample(cells, 24)
        changed.update(blocked=some[:8], opened=some[8:16])
        changed.update(terrain={cell: rng.choice(["floor", "mud", "road"]) for cell in some[16:]})
        if batch == 2:
            at = nav._now.rows.places(np.arange(nav._now.version.row_count, dtype=np.int32))
            known = arcs_of_rows(nav)
            steps = [(at[tail], at[head]) for tail in known for head, _ in known[tail]]
            changed.update(arcs={step: rng.choice([0.25, 9]) for step in rng.sample(steps, 9)})
        rows_now = [row for row, out in arcs_of_rows(nav).items() if out]
        check_near(nav, rng.sample(rows_now, 40), every=5)


# -- limits ---------------------------------------------------------------------------------------


def test_near_cells_with_a_long_way_between(tmp_path: Path) -> None:
    """A search that has looked at thousands of rows gives up, and HPA* has its way."""
    grid = rows(*["." * 120] * 30, "#" * 119 + ".", *["." * 120] * 30)
    with open_asset(bake_grid(tmp_path, grid, cluster_size=16)) as level:
        nav = level.profile()
        best = nav.distance((1, 29), (1, 31))
        found = nav.search((1, 29), (1, 31), "hpa")
        assert found.path is not None
        assert best <= found.cost == pytest.approx(nav.length(found.path), rel=1e-6)
        assert found.cost <= 1.05 * best
        assert (found.path[0], found.path[-1]) == ((1, 29), (1, 31))
        assert list(nav.search.walk((1, 29), (1, 31)) or ())[-1] == (1, 31)


def test_a_near_place_that_cannot_be_reached(tmp_path: Path) -> None:
    grid = rows("...#...", "...#...", "...v...")
    with open_asset(bake_grid(tmp_path, grid, cluster_size=2)) as level:
        nav = level.profile()
        check_near(nav)
        assert nav.path((4, 0), (4, 0), "hpa") == [(4, 0)]
        for start, goal in (((2, 0), (4, 0)), ((4, 0), (2, 0))):
            reachable = nav.reachable(start, goal)
            assert (nav.path(start, goal, "hpa") is not None) is reachable
            assert (nav.search.walk(start, goal) is not None) is reachable


@pytest.mark.parametrize("cost", [0.25, 3, 40])
def test_links_beside_an_open_way(cost: float, tmp_path: Path) -> None:
    """Where arcs jump, cells say little of what a way costs, and near is what is near by plan."""
    source = write_grid(tmp_path / "drawn.json", random_grid(5, 40, 14, 0.1))
    document = json.loads(source.read_text())
    floor = [(x, y) for y, row in enumerate(document["rows"]) for x in range(40) if row[x] == "."]
    ends = random.Random(cost).sample(floor, 12)
    document["links"] = [
        {"name": f"rift {i}", "from": a, "to": b, "cost": cost, "both_ways": i % 2 == 0}
        for i, (a, b) in enumerate(zip(ends[::2], ends[1::2], strict=True))
    ]
    source.write_text(json.dumps(document))
    with open_asset(bake(source, recipe_for(cluster_size=8))) as level:
        nav = level.profile()
        beside = {nav._now.rows.row(end) for end in ends}
        arcs = arcs_of_rows(nav)
        check_near(
            nav, beside | {head for row in beside for head, _ in arcs[row]}, every=9, cells=False
        )
