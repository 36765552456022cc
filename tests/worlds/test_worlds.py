"""From levels to worlds: explicit graphs, mistakes, determinism."""

from pathlib import Path

import numpy as np
import pytest

from bake.core.errors import BakeErrors, CostError, LevelError
from bake.core.graph import BLOCKED
from bake.core.level import GraphLevel, GridLevel, TerrainRule
from bake.worlds import AgentProfile, build_world
from levelbake.steps import MovementRules
from tests.support.strategies import FAMILIES, seeded
from tests.support.worlds import level_of

RULES = MovementRules("never", "mean", 100)
WALKER = AgentProfile("walker", {"ground": TerrainRule(1), "bog": TerrainRule(3)})


def graph_level(
    n: int, arcs: list[tuple[int, int, float]], bog: tuple[int, ...] = ()
) -> GraphLevel:
    terrain = np.zeros(n, dtype=np.uint8)
    terrain[list(bog)] = 1
    table = np.array(arcs, dtype=np.float64).reshape(-1, 3)
    return GraphLevel(
        "drawn",
        Path("drawn.json"),
        tuple(f"n{node}" for node in range(n)),
        np.stack([np.arange(n), np.zeros(n)], axis=1).astype(np.float64),
        table[:, 0].astype(np.int32),
        table[:, 1].astype(np.int32),
        table[:, 2],
        terrain,
        ("ground", "bog"),
        directed=True,
    )


@pytest.mark.parametrize("family", FAMILIES)
def test_a_graph_keeps_its_names_positions_and_arcs(family: object) -> None:
    n, arcs = seeded(family, 21, 80)
    level = graph_level(n, [(a, b, w / 4) for a, b, w in arcs if w < 10_000])
    world = build_world(level, [WALKER], RULES, 8)
    assert world.node_names is not None
    assert world.position is not None
    assert world.cell is None
    assert world.connectivity is None
    assert sorted(world.node_names) == sorted(level.node_names)
    assert world.position[:, 0].tolist() == [int(str(name)[1:]) for name in world.node_names]
    ends = zip(world.graph.tail().tolist(), world.graph.head.tolist(), strict=True)
    names = [(world.node_names[a], world.node_names[b]) for a, b in ends]
    found = zip(names, world.metrics["walker"].weight.tolist(), strict=True)
    expected = [((f"n{a}", f"n{b}"), w * 25) for a, b, w in arcs if w < 10_000]
    assert sorted(found) == sorted(expected)


def test_terrain_of_nodes_prices_roads() -> None:
    level = graph_level(3, [(0, 1, 2.0), (1, 2, 2.0), (2, 0, 2.0)], bog=(1,))
    for cost_rule, expected in (("mean", [400, 400, 200]), ("entered", [600, 200, 200])):
        rules = MovementRules("never", cost_rule, 100)
        world = build_world(level, [WALKER], rules, 8)
        assert world.node_names is not None
        by_tail = dict(
            zip(
                [world.node_names[tail] for tail in world.graph.tail()],
                world.metrics["walker"].weight.tolist(),
                strict=True,
            )
        )
        assert [by_tail["n0"], by_tail["n1"], by_tail["n2"]] == expected


def test_every_arc_of_a_graph_is_kept_and_blocked_for_those_who_cannot_use_it() -> None:
    level = graph_level(4, [(0, 1, 1), (1, 2, 1), (2, 3, 1), (3, 0, 1)], bog=(1, 2))
    dry = AgentProfile("dry", {"ground": TerrainRule(1), "bog": TerrainRule(None)})
    wet = AgentProfile("wet", {"ground": TerrainRule(1, ()), "bog": TerrainRule(1)})
    world = build_world(level, [dry], RULES, 8)
    assert world.graph.arc_count == 4  # an update may open what nobody can use now
    assert (world.metrics["dry"].weight == BLOCKED).sum() == 3
    assert world.graph.node_count == 4
    world = build_world(level, [dry, wet], RULES, 8)
    assert world.graph.arc_count == 4
    assert (world.metrics["dry"].weight == BLOCKED).sum() == 3
    assert (world.metrics["wet"].weight == BLOCKED).sum() == 2


def test_a_world_is_the_same_every_time() -> None:
    grid = [["floor", "mud", "wall", "floor"] * 10] * 30
    profile = AgentProfile("p", dict.fromkeys(level_of(grid).terrains, TerrainRule(1)))
    one, other = (build_world(level_of(grid), [profile], RULES, 8) for _ in range(2))
    assert one.graph.head.tobytes() == other.graph.head.tobytes()
    assert one.graph.first_out.tobytes() == other.graph.first_out.tobytes()
    assert one.cell is not None
    assert other.cell is not None
    assert one.cell.tobytes() == other.cell.tobytes()


@pytest.mark.parametrize("layout", [None, "odd-q"])
def test_nowhere_to_stand(layout: str | None) -> None:
    level = level_of([["floor", "wall"]], layout)
    profile = AgentProfile("p", dict.fromkeys(level.terrains, TerrainRule(None)))
    with pytest.raises(LevelError, match=r"drawn\.json: .*walkable.*floor.*blocked"):
        build_world(level, [profile], RULES, 8)


def test_nowhere_to_stand_in_a_graph() -> None:
    level = graph_level(2, [(0, 1, 1)])
    profile = AgentProfile("p", {"ground": TerrainRule(None), "bog": TerrainRule(1)})
    with pytest.raises(LevelError, match="no walkable node"):
        build_world(level, [profile], RULES, 8)


def test_a_terrain_without_a_cost_is_named_and_so_are_several() -> None:
    level = level_of([["floor", "mud"]])
    given = {name: TerrainRule(1) for name in level.terrains}
    for absent in (["mud"], ["mud", "water"]):
        rules = {name: rule for name, rule in given.items() if name not in absent}
        with pytest.raises(LevelError if len(absent) == 1 else BakeErrors) as caught:
            build_world(level, [AgentProfile("p", rules)], RULES, 8)
        for name in absent:
            assert f"terrain '{name}' has no cost" in str(caught.value)


def test_one_cell() -> None:
    level = GridLevel("one", Path("one.png"), np.zeros((1, 1), dtype=np.uint8), ("floor",))
    world = build_world(level, [AgentProfile("p", {"floor": TerrainRule(1)})], RULES, 8)
    assert world.graph.node_count == 1
    assert world.graph.arc_count == 0


def test_a_cost_off_the_scale_names_terrain_profile_and_remedy() -> None:
    level = level_of([["floor", "floor"]])
    for cost, remedy in ((0.001, "raise"), (1e7, "lower"), (1e300, "lower")):
        profile = AgentProfile("slow", dict.fromkeys(level.terrains, TerrainRule(cost)))
        with pytest.raises(CostError) as caught:
            build_world(level, [profile], RULES, 8)
        line = str(caught.value)
        assert "'floor'" in line
        assert "'slow'" in line
        assert f"{remedy} ticks_per_unit" in line
