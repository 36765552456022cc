"""The heuristic from a bake by way of the file: what was made in memory, and never too much."""

import random
from pathlib import Path

import networkx
import numpy as np
import pytest

from bake.graph import DEFAULT_TICKS_PER_UNIT, usable_subgraph
from bake.level import GridLevel
from bake.levels import load
from bake.movement.rules import MovementRules
from bake.pipeline.profile import coordinates
from bake.runtime import Navigator, open_asset
from bake.runtime.searching.heuristics import stored_guide
from bake.tables.heuristic import heuristic
from bake.worlds import AgentProfile, build_world
from tests.support.baked import GROUND, bake, recipe_for, rules_of, write_grid
from tests.support.oracles import Lattice, square_arcs

BYTES = 60


def grid(seed: int, terrains: str) -> list[list[str]]:
    rng = random.Random(seed)
    return [[rng.choice(terrains.split()) for _ in range(12)] for _ in range(9)]


@pytest.mark.parametrize("terrains", ["floor floor mud wall", "floor floor road ledge wall"])
def test_the_file_holds_what_was_made(terrains: str, tmp_path: Path) -> None:
    """Two-way and, over ledges, one-way: columns, and every estimate against networkx."""
    drawn = grid(1, terrains)
    source = write_grid(tmp_path / "drawn.json", drawn)
    recipe = recipe_for(
        tables=("components", "heuristic"),
        heuristic_bytes=BYTES,
        cost_rule="entered" if "ledge" in terrains else "mean",
    )
    level = load(source, {})
    assert isinstance(level, GridLevel)
    rules = MovementRules(
        "never", "entered" if "ledge" in terrains else "mean", DEFAULT_TICKS_PER_UNIT
    )
    world = build_world(level, (AgentProfile("default", rules_of(GROUND)),), rules, 8)
    sub = usable_subgraph(world.graph, world.metrics["default"])
    made = heuristic(
        sub,
        *coordinates(world, sub),
        kind="field",
        bytes_per_node=BYTES,
        budget=2**30,
        threads=1,
    )
    assert made.table is not None
    lattice = Lattice(drawn, GROUND, cost_rule=rules.cost_rule)
    graph = networkx.DiGraph()
    graph.add_weighted_edges_from((a, b, w) for (a, b), w in square_arcs(lattice, 8).items())
    best = dict(networkx.all_pairs_dijkstra_path_length(graph))
    with open_asset(bake(source, recipe)) as asset:
        nav = asset.profile()
        guide = stored_guide(nav._now.searches)
        assert guide is not None
        assert guide.table.symmetric == made.two_way == ("ledge" not in terrains)
        assert (guide.over.pivot == made.pivot).all()
        for bundle, names in (
            (guide, ("label", "anchor")),
            (guide.table, ("distance", "chosen")),
            (guide.over, ("fields", "shift")),
        ):
            for name in names:
                assert np.array_equal(getattr(bundle, name), getattr(made.table, name)), name
        check_estimates(nav, lattice, best)


def check_estimates(
    nav: Navigator, lattice: Lattice, best: dict[object, dict[object, int]]
) -> None:
    """Never more than the distance, nothing at the goal, and worth more than octile somewhere."""
    better = 0
    for start in lattice.cells():
        for goal in lattice.cells():
            told = nav.heuristic(start, goal)
            assert told >= 0
            if start == goal:
                assert told == 0
            elif goal in best.get(start, {}):
                assert round(told * 27720) <= best[start][goal]
                better += told > nav.heuristic(start, goal, "octile")
    assert better > 1000


def test_places_a_guided_search_looked_at_were_reached(tmp_path: Path) -> None:
    """Estimated neighbours that never got onto the open list are not among them."""
    source = write_grid(tmp_path / "drawn.json", [["floor"] * 20 for _ in range(20)])
    recipe = recipe_for(tables=("components", "heuristic"), heuristic_bytes=BYTES)
    with open_asset(bake(source, recipe)) as asset:
        nav = asset.profile()
        found = nav.search((1, 1), (17, 9), looked_at=True)
        assert found.heuristic == "maximum"
        assert found.looked_at is not None
        assert set(found.path or ()) <= {place for place, _ in found.looked_at}
        assert max(units for _, units in found.looked_at) < 100
