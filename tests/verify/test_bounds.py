"""The proof of lower bounds, of clusters and pivots, finds every wrong value."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bake.project.recipe import ProfileRecipe
from bake.store import Asset
from bake.verify import Proof, verify_asset
from levelbake.errors import CorruptAssetError
from tests.support.baked import (
    GROUND,
    Ground,
    bake,
    profile_for,
    recipe_for,
    rows,
    write_graph,
    write_grid,
)
from tests.support.levels import shared_level
from tests.support.strategies import ArcList, arc_lists, grids
from tests.support.tampering import MORE, edited, proved_with, store, table
from tests.support.tower import baked_tower

BOUNDS = ("components", "clusters", "cluster_distances", "heuristic")
#: Where distances come from: hops, hops and distances, distances, or nowhere but a search.
WAYS = {
    "hops": (*BOUNDS, "next_hops"),
    "both": (*BOUNDS, "next_hops", "distances"),
    "distances": (*BOUNDS, "distances"),
    "search": BOUNDS,
}
YARD = rows(
    "......#...",
    ".m..#.#.m.",
    ".m..#.#...",
    "..m.#...m.",
    "#####.#...",
    ".....#.m..",
)
#: A ledge is stepped onto from floor alone, so there is no way back from the road behind it.
ONE_WAY = rows("...v==~.", ".#.v==~.", "...v==#.", "m..v==..")
QUICK = settings(
    deadline=None,
    max_examples=10,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def proved(path: Path, sample: int | None = None) -> Proof:
    return verify_asset(path, None, lambda done: None, sample=sample)


def baked(
    folder: Path, way: str, drawn: list[list[str]] = YARD, layout: str | None = None, **more: object
) -> Path:
    settings = {"cluster_size": 3, "heuristic_bytes": 24, **more}
    recipe = recipe_for(tables=WAYS[way], **settings)
    return bake(write_grid(folder / f"{way}.json", drawn, layout), recipe)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("drawn", [YARD, ONE_WAY], ids=["two ways", "one way"])
def test_what_was_baked_is_right(way: str, drawn: list[list[str]], tmp_path: Path) -> None:
    path = baked(tmp_path, way, drawn)
    clusters = len(table(path, "cluster_distance"))
    assert clusters > 2
    assert proved(path).bounds == clusters**2
    assert proved(path, sample=7).bounds == clusters**2


@given(
    grid=grids(largest=8),
    size=st.integers(1, 3),
    layout=st.sampled_from([None, "odd-r", "even-q"]),
    way=st.sampled_from(sorted(WAYS)),
    room=st.integers(8, 60),
)
@QUICK
def test_any_lattice(
    tmp_path: Path,
    grid: list[list[str]],
    size: int,
    layout: str | None,
    way: str,
    room: int,
) -> None:
    path = baked(tmp_path, way, grid, layout, cluster_size=size, heuristic_bytes=room)
    proved(path)
    proved(path, sample=3)


@given(graph=arc_lists(largest=16), way=st.sampled_from(sorted(WAYS)), placed=st.booleans())
@QUICK
def test_any_graph(tmp_path: Path, graph: ArcList, way: str, placed: bool) -> None:
    n, arcs = graph
    edges = [(tail, head, float(weight)) for tail, head, weight in arcs]
    positions = {node: (node % 5 * 1.5, node // 5 - 3.0) for node in range(n)} if placed else None
    source = write_graph(tmp_path / "any.json", list(range(n)), edges, positions=positions)
    proved(bake(source, recipe_for(tables=WAYS[way], cluster_size=2, ticks_per_unit=1)))


def test_floors(tmp_path: Path) -> None:
    path = baked_tower(tmp_path, tables=BOUNDS, cluster_size=3, heuristic_bytes=24)
    assert proved(path).bounds > 100


@pytest.mark.parametrize("way", WAYS)
def test_a_profile_that_can_stand_nowhere(way: str, tmp_path: Path) -> None:
    nobody = profile_for("nobody", dict.fromkeys(GROUND, Ground(None)))
    path = baked(tmp_path, way, profiles=(ProfileRecipe("default"), nobody))
    assert proved(path).bounds == len(table(path, "cluster_distance")) ** 2


#: Columns of which no value may change, and what is said of them.
COLUMNS = {
    "cluster_distance": "cluster_distance (from cluster|has a negative distance)",
    "pivot_distance": "pivot",
}


@pytest.mark.parametrize("way", ["hops", "distances", "search"])
@pytest.mark.parametrize("drawn", [YARD, ONE_WAY], ids=["two ways", "one way"])
@pytest.mark.parametrize("name", COLUMNS)
def test_every_value_that_is_one_more_or_less_is_found(
    name: str, way: str, drawn: list[list[str]], tmp_path: Path
) -> None:
    path = baked(tmp_path, way, drawn)
    right = table(path, name)
    rng = np.random.default_rng(3)
    proved(path)
    with Asset(path) as asset:
        for place in rng.choice(right.size, min(3 * MORE, right.size), replace=False):
            for by in (-1, 1):
                changed = right.copy()
                if changed.flat[place] == 2**31 - 1 and by > 0:
                    continue
                changed.flat[place] += by
                with pytest.raises(CorruptAssetError, match=COLUMNS[name]):
                    proved_with(asset, {name: changed})
        proved_with(asset, {name: right})


@pytest.mark.parametrize("way", ["hops", "search"])
def test_a_sample_finds_what_is_no_lower_bound_toward_its_targets(way: str, tmp_path: Path) -> None:
    path, name = baked(tmp_path, way), "cluster_distance"
    right = table(path, name)
    store(path, name, np.where(right < 2**31 - 1, right + 10**6, right))
    with pytest.raises(CorruptAssetError, match=f"{name} from .*lower bound"):
        proved(path, sample=4)
    store(path, name, right - (right > 0))
    proved(path, sample=4)
    with pytest.raises(CorruptAssetError, match=f"{name} from .*smallest"):
        proved(path)


@pytest.mark.parametrize("way", ["hops", "search"])
@pytest.mark.parametrize(
    "name",
    [*COLUMNS, "cluster"],
)
def test_any_values_at_all_are_an_error_in_one_line(name: str, way: str, tmp_path: Path) -> None:
    path = baked(tmp_path, way, ONE_WAY)
    right = table(path, name)
    rng = np.random.default_rng(7)
    limits = np.iinfo(right.dtype)
    with Asset(path) as asset:
        for _ in range(2 * MORE):
            changed = right.copy()
            places = rng.choice(right.size, max(1, right.size // 3), replace=False)
            changed.flat[places] = rng.integers(
                limits.min, limits.max, len(places), right.dtype, endpoint=True
            )
            with pytest.raises(CorruptAssetError) as caught:
                proved_with(asset, {name: changed})
            assert "\n" not in str(caught.value)


def replaced(path: Path, name: str, array: np.ndarray) -> None:
    with edited(path) as file:
        del file[f"/profiles/default/{name}"]
        file[f"/profiles/default/{name}"] = array


def stated(path: Path, name: str, value: int) -> None:
    with edited(path) as file:
        file["/profiles/default"].attrs[name] = np.int64(value)


@pytest.mark.parametrize(
    ("name", "make", "told"),
    [
        ("cluster_distance", lambda old: old[:-1, :-1], "cluster_distance has"),
        ("pivot_distance", lambda old: -old, "pivot_distance has -.*, not 0 or more"),
        ("pivot_distance", lambda old: old // 2 * 2 + 2, "has not one pivot|not consistent"),
        ("pivot_distance", lambda old: old // 2, "is not the distance"),
    ],
)
def test_columns_that_make_no_bounds(
    name: str, make: Callable[[np.ndarray], np.ndarray], told: str, tmp_path: Path
) -> None:
    path = baked(tmp_path, "search")
    (store if name == "cluster_distance" else replaced)(path, name, make(table(path, name)))
    with pytest.raises(CorruptAssetError, match=told):
        proved(path)


def test_two_ways_that_are_one(tmp_path: Path) -> None:
    path = baked(tmp_path, "search", ONE_WAY)
    stated(path, "pivot_two_way", 1)
    with pytest.raises(CorruptAssetError, match="pivot_two_way is wrong"):
        proved(path)


def test_a_pair_of_pivot_columns_is_of_one_pivot(tmp_path: Path) -> None:
    """Each column is right by itself, but they are exchanged."""
    path = baked(tmp_path, "search", ONE_WAY, heuristic_bytes=32)
    pivot = table(path, "pivot_distance")
    half = pivot.shape[1] // 2
    store(path, "pivot_distance", pivot[:, [*range(half), *np.roll(range(half, 2 * half), 1)]])
    with pytest.raises(CorruptAssetError, match="another pivot"):
        proved(path)


@pytest.mark.parametrize("name", ["den312d"])
def test_a_real_map(name: str, tmp_path: Path) -> None:
    source = tmp_path / f"{name}.map"
    source.write_bytes(shared_level(f"movingai/{name}.map").read_bytes())
    recipe = recipe_for(tables=BOUNDS)
    path = bake(source, recipe, threads=2)
    assert proved(path).bounds > 50
    changed = table(path, "cluster_distance").copy()
    changed[0, 1] += 1
    store(path, "cluster_distance", changed)
    with pytest.raises(CorruptAssetError, match="cluster_distance from cluster 0 to 1"):
        proved(path)
