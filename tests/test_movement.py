"""What a step costs: the ends of the integer scale, and the same prices for many cells and few."""

import math
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bake.core.errors import CostError
from bake.core.graph import BLOCKED, MAX_WEIGHT, Metric
from bake.core.level import GraphLevel, TerrainRule
from bake.core.movement import (
    HEX_LAYOUTS,
    SECTORS,
    FootprintMap,
    ahead,
    greedy_slots,
    greedy_steps,
)
from bake.worlds import AgentProfile, build_world
from levelbake.steps import (
    CornerCutting,
    Footprints,
    Lattice,
    MovementRules,
    Mover,
    chart,
    price_steps,
)


def priced(
    length: float,
    cost: float | None = 1.0,
    *,
    ticks_per_unit: int = 1,
    enter_from: tuple[str, ...] | None = None,
) -> Metric:
    """One arc between two nodes of one terrain, and a third node that anyone can stand on."""
    level = GraphLevel(
        "drawn",
        Path("drawn.json"),
        ("a", "b", "c"),
        None,
        np.array([0], dtype=np.int32),
        np.array([1], dtype=np.int32),
        np.array([length]),
        np.array([0, 0, 1], dtype=np.uint8),
        ("floor", "other"),
        directed=True,
    )
    rules = {"floor": TerrainRule(cost, enter_from), "other": TerrainRule(1)}
    movement = MovementRules("never", "mean", ticks_per_unit)
    return build_world(level, [AgentProfile("p", rules)], movement, 8).metrics["p"]


@pytest.mark.parametrize("length", [1, 2, MAX_WEIGHT - 1, MAX_WEIGHT])
def test_every_weight_of_the_scale(length: int) -> None:
    assert priced(length).weight.tolist() == [length]
    assert priced(length).weight.dtype == np.int32


@pytest.mark.parametrize("length", [MAX_WEIGHT + 1, 2**31, 2**32 + 5, 2**63, 1e300, math.inf])
def test_above_the_scale(length: float) -> None:
    with pytest.raises(CostError, match="lower ticks_per_unit"):
        priced(length)


@pytest.mark.parametrize("length", [0.49, 1e-300])
def test_below_one_tick(length: float) -> None:
    with pytest.raises(CostError, match="raise ticks_per_unit"):
        priced(length)


def test_a_weight_of_nothing_counts_as_one_tick() -> None:
    assert priced(0.0).weight.tolist() == [1]
    assert priced(0.0, ticks_per_unit=27720).weight.tolist() == [1]


def test_a_step_is_rounded_to_the_nearest_tick() -> None:
    assert priced(0.51).weight.tolist() == [1]
    assert priced(1.49).weight.tolist() == [1]
    assert priced(math.sqrt(2), ticks_per_unit=27720).weight.tolist() == [39202]


def test_a_blocked_arc_is_not_priced() -> None:
    """Costs off the scale on arcs nobody takes are no mistake."""
    metric = priced(1e300, None)
    assert metric.weight.tolist() == [BLOCKED]
    assert metric.passable.sum() == 1
    metric = priced(1e300, 1.0, enter_from=())
    assert metric.weight.tolist() == [BLOCKED]
    assert metric.passable.all()


def test_costs_that_divide_by_small_numbers_are_exact() -> None:
    for divisor in range(1, 13):
        ticks = priced(1 / divisor, ticks_per_unit=27720).weight[0]
        assert ticks * divisor == 27720


@given(
    seed=st.integers(0, 2**32 - 1),
    rows=st.integers(1, 6),
    floors=st.integers(1, 3),
    width=st.integers(1, 9),
    size=st.integers(2, 4),
    corner_cutting=st.sampled_from(get_args(CornerCutting)),
    has_ledges=st.booleans(),
)
def test_a_bake_and_an_update_price_large_agents_alike(
    seed: int,
    rows: int,
    floors: int,
    width: int,
    size: int,
    corner_cutting: str,
    has_ledges: bool,
) -> None:
    """Looked up in maps of the whole level, or worked out for the cells that are asked for."""
    rng = np.random.default_rng(seed)
    cells = rows * floors * width
    ledges = np.where(rng.random(cells) < 0.1, rng.integers(0, 16, cells), 0).astype(np.uint8)
    lattice = Lattice(width, rows * floors, 8, None, rows, ledges if has_ledges else None)
    cost = np.array([1.0, 1.5, np.nan])
    mover = Mover(cost, rng.random((3, 3)) < 0.9, size)
    terrain = rng.choice(3, cells, p=[0.6, 0.35, 0.05]).astype(np.uint8)
    rules = MovementRules(corner_cutting, "mean", 100)
    steps = lattice.steps_from(np.arange(cells))
    many = price_steps(FootprintMap(mover, terrain, lattice), rules, steps)
    few = price_steps(Footprints(mover, terrain, lattice), rules, steps)
    assert (many.usable == few.usable).all()
    assert np.array_equal(many.units, few.units, equal_nan=True)


@pytest.mark.parametrize("layout", [None, *HEX_LAYOUTS])
@pytest.mark.parametrize(("width", "height", "floor_height"), [(5, 6, None), (5, 6, 2), (1, 3, 1)])
def test_what_lies_ahead(layout, width: int, height: int, floor_height: int | None) -> None:
    """Each step leads to the cell that steps_from says, and beyond the floor lies nothing."""
    lattice = Lattice(width, height, 8 if layout is None else 6, layout, floor_height)
    cells = np.random.default_rng(3).permutation(width * height)
    written = (cells * 7 + 1).astype(np.int32)
    steps = lattice.steps_from(cells)
    expected = np.where(steps.inside, written[steps.head], -1)
    assert np.array_equal(ahead(lattice, cells, written), expected)


@pytest.mark.parametrize("layout", [None, *HEX_LAYOUTS])
def test_greedy_moves_of_sets_of_steps(layout) -> None:
    """They are those of the arcs themselves, whichever steps a cell has."""
    lattice = Lattice(9, 8, 8 if layout is None else 6, layout)
    cells = np.arange(9 * 8)
    steps = lattice.steps_from(cells)
    opened = steps.inside & (np.random.default_rng(4).random(steps.head.shape) < 0.6)
    y, x = np.divmod(cells, 9)
    at = chart(np.stack([x, y], axis=1).astype(np.int32), layout)
    first = np.concatenate([[0], np.cumsum(opened.sum(axis=1))]).astype(np.int32)
    local = greedy_slots(first, steps.head[opened].astype(np.int32), at)
    slot = np.nonzero(opened)[1]
    step = chart(np.array([(0, 0), *lattice.moves(0)], dtype=np.int32), layout)
    found = greedy_steps(opened, step[1:] - step[0])
    assert found.shape == (9 * 8, SECTORS)
    for cell in range(9 * 8):
        own = slot[first[cell] : first[cell + 1]]
        assert found[cell].tolist() == [-1 if k < 0 else own[k] for k in local[cell].tolist()]
