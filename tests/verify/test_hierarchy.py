"""The proof of hierarchies: it holds for what is baked, and for nothing that was changed."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bake.verify import verify_asset
from levelbake.errors import CorruptAssetError
from tests.support.baked import bake, recipe_for, rows, write_graph, write_grid
from tests.support.strategies import ArcList, arc_lists, grids
from tests.support.tampering import edited

HIERARCHY = ("components", "hierarchy")
QUICK = settings(
    deadline=None,
    max_examples=12,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def prove(path: Path) -> None:
    verify_asset(path, None, lambda done: None)


@given(
    grid=grids(largest=9),
    size=st.integers(1, 4),
    layout=st.sampled_from([None, "odd-r", "even-q"]),
    rule=st.sampled_from(["mean", "entered"]),
)
@QUICK
def test_any_lattice(
    tmp_path: Path, grid: list[list[str]], size: int, layout: str | None, rule: str
) -> None:
    recipe = recipe_for(tables=HIERARCHY, cluster_size=size, cost_rule=rule, levels=4)
    prove(bake(write_grid(tmp_path / "any.json", grid, layout), recipe))


@given(graph=arc_lists(largest=14), size=st.integers(1, 3), levels=st.integers(1, 3))
@QUICK
def test_any_graph(tmp_path: Path, graph: ArcList, size: int, levels: int) -> None:
    n, arcs = graph
    edges = [(tail, head, float(weight)) for tail, head, weight in arcs]
    source = write_graph(tmp_path / "any.json", list(range(n)), edges)
    recipe = recipe_for(tables=HIERARCHY, cluster_size=size, levels=levels, ticks_per_unit=1)
    prove(bake(source, recipe))


def plus_one(old: np.ndarray) -> np.ndarray:
    new = old.copy()
    new.flat[len(new.flat) // 2] += 1
    return new


def moved(old: np.ndarray) -> np.ndarray:
    return np.roll(old, 1)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("cluster", moved),
        ("layer_nodes", plus_one),
        ("layer_parent", plus_one),
        ("layer_node", plus_one),
        ("layer_degree", plus_one),
        ("layer_head", moved),
        ("layer_weight", plus_one),
        ("layer_field", lambda old: old ^ 1),
        ("layer_field", lambda old: np.full_like(old, 255)),
        ("layer_landmark", plus_one),
        ("layer_bits", lambda old: old[::-1]),
    ],
)
def test_what_was_changed_is_found(
    tmp_path: Path, name: str, change: Callable[[np.ndarray], np.ndarray]
) -> None:
    drawn = rows("........", "..mm....", ".m..#...", "....#...", "........", "mm......")
    recipe = recipe_for(tables=HIERARCHY, cluster_size=2, levels=2)
    path = bake(write_grid(tmp_path / "yard.json", drawn), recipe)
    prove(path)
    with edited(path) as file:
        dataset = file[f"profiles/default/{name}"]
        new = change(dataset[()])
        assert not np.array_equal(new, dataset[()])
        dataset[...] = new
    with pytest.raises(
        CorruptAssetError,
        match=r"(wrong: profile 'default':|damaged: column /profiles/default/layer_|"
        r"damaged: (layers|a layer) of profile 'default')",
    ):
        prove(path)
