"""What a step costs: the ends of the integer scale."""

import math
from pathlib import Path

import numpy as np
import pytest

from bake.errors import CostError
from bake.graph import BLOCKED, MAX_WEIGHT, Metric
from bake.level import GraphLevel, TerrainRule
from bake.movement import MovementRules
from bake.worlds import AgentProfile, build_world


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


@pytest.mark.parametrize("length", [0.49, 1e-300, 0.0])
def test_below_one_tick(length: float) -> None:
    with pytest.raises(CostError, match="raise ticks_per_unit"):
        priced(length)


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
