"""Ledges, floors, links and large agents against rules applied cell by cell."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bake.core.errors import BakeErrors, CostError, LevelError
from bake.core.graph import BLOCKED
from bake.core.level import GridLevel, Link, Things
from bake.core.movement import HEX_LAYOUTS, NO_LINK, under_footprint
from bake.worlds import AgentProfile, World, build_world
from levelbake.steps import EAST, NORTH, SOUTH, WEST, MovementRules, hex_steps
from levelbake.steps import Lattice as CellLattice
from tests.support.agents_oracle import Agents, Steps, agent_arcs, link_ticks, swept_cells
from tests.support.baked import GROUND, rows, rules_of
from tests.support.oracles import Cell, Lattice
from tests.support.strategies import TERRAINS, grids
from tests.support.worlds import CORNERS, COST_RULES, door, level_of, link

BITS = {"n": NORTH, "e": EAST, "s": SOUTH, "w": WEST}
EIGHT = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy]


def barred_grid(level: GridLevel, ledges: dict[Cell, str]) -> np.ndarray:
    grid = np.zeros(level.terrain.shape, dtype=np.uint8)
    for (x, y), letters in ledges.items():
        for letter in letters:
            grid[y, x] |= BITS[letter]
    return grid


def steps_of(world: World, profile: str, *, links: bool = False) -> list[tuple[Cell, Cell, int]]:
    assert world.cell is not None
    cells = [tuple(cell) for cell in world.cell.tolist()]
    number = world.link
    found = []
    for arc, (tail, head, ticks) in enumerate(
        zip(
            world.graph.tail().tolist(),
            world.graph.head.tolist(),
            world.metrics[profile].weight.tolist(),
            strict=True,
        )
    ):
        is_link = number is not None and number[arc] != NO_LINK
        if ticks != BLOCKED and is_link == links:
            found.append((cells[tail], cells[head], ticks))
    return sorted(found)


def listed(steps: Steps) -> list[tuple[Cell, Cell, int]]:
    return sorted((here, there, ticks) for (here, there), ticks in steps.items())


def built(
    agents: Agents, sizes: dict[str, int], connectivity: int, links: tuple[Link, ...] = ()
) -> World:
    lattice = agents.lattice
    level = level_of(lattice.grid)
    level = replace(
        level,
        barred=barred_grid(level, dict(agents.ledges)),
        floor_height=agents.floor_height,
        things=Things(links=links),
    )
    rules = MovementRules(lattice.corner_cutting, lattice.cost_rule, lattice.ticks_per_unit)
    profiles = [AgentProfile(name, rules_of(lattice.ground), size) for name, size in sizes.items()]
    return build_world(level, profiles, rules, connectivity, strict_links=False)


@given(
    grid=grids(largest=8),
    connectivity=st.sampled_from([4, 8]),
    corner_cutting=st.sampled_from(CORNERS),
    cost_rule=st.sampled_from(COST_RULES),
    size=st.integers(1, 4),
    draw=st.data(),
)
def test_every_step_of_every_size(
    grid: list[list[str]],
    connectivity: int,
    corner_cutting: str,
    cost_rule: str,
    size: int,
    draw: st.DataObject,
) -> None:
    height, width = len(grid), len(grid[0])
    cell = st.tuples(st.integers(0, width - 1), st.integers(0, height - 1))
    ledges = draw.draw(
        st.dictionaries(cell, st.sampled_from(["n", "e", "sw", "ne", "nesw", "w"]), max_size=4)
    )
    heights = [None, *(rows for rows in range(1, height + 1) if height % rows == 0)]
    floor_height = draw.draw(st.sampled_from(heights))
    ends = draw.draw(
        st.lists(
            st.tuples(cell, cell, st.sampled_from([None, 0.5, 3.0]), st.booleans()), max_size=4
        )
    )
    ends = [each for each in ends if each[0] != each[1]]
    lattice = Lattice(grid, GROUND, corner_cutting, cost_rule)
    small = Agents(lattice, 1, ledges, floor_height)
    large = replace(small, size=size)
    links = tuple(link(a, b, cost, both_ways=both) for a, b, cost, both in ends)
    world = built(small, {"small": 1, "large": size}, connectivity, links)
    for name, agents in (("small", small), ("large", large)):
        assert steps_of(world, name) == listed(agent_arcs(agents, connectivity))
        assert steps_of(world, name, links=True) == sorted(link_ticks(ends, agents))
        assert world.cell is not None
        standing = world.cell[world.metrics[name].passable].tolist()
        assert sorted(map(tuple, standing)) == sorted(agents.anchors())
    assert len(world.dead_links) == sum(
        not (small.fits(a) and small.fits(b)) for a, b, _, _ in ends
    )


@given(grid=grids(("floor", "wall"), largest=9), size=st.integers(1, 4))
def test_no_cell_a_footprint_sweeps_is_blocked(grid: list[list[str]], size: int) -> None:
    """Corner rule "never", said as geometry: a sliding square touches free cells only."""
    lattice = Lattice(grid, GROUND, "never")
    world = built(Agents(lattice, size), {"large": size, "small": 1}, 8)
    anchors = set(Agents(lattice, size).anchors())
    expected = sorted(
        (here, there)
        for here in anchors
        for there in ((here[0] + dx, here[1] + dy) for dx, dy in EIGHT)
        if there in anchors and all(map(lattice.open, swept_cells(here, there, size)))
    )
    assert [(a, b) for a, b, _ in steps_of(world, "large")] == expected


@given(grid=grids(("floor", "wall"), largest=12), size=st.integers(1, 16), draw=st.data())
def test_under_footprint(grid: list[list[str]], size: int, draw: st.DataObject) -> None:
    height = len(grid)
    rows_of_floor = draw.draw(st.sampled_from([r for r in range(1, height + 1) if height % r == 0]))
    agents = Agents(Lattice(grid, GROUND), size, floor_height=rows_of_floor)
    free = np.array([[name == "floor" for name in row] for row in grid])
    fits = under_footprint(free, size, np.logical_and, False, rows_of_floor)
    assert [(x, y) for y, x in np.argwhere(fits).tolist()] == agents.anchors()


def test_a_ledge_by_hand() -> None:
    """One may jump down, south, but not climb back, straight or diagonally."""
    ground = rows("...", "...", "...")
    agents = Agents(Lattice(ground, GROUND), ledges={(x, 1): "n" for x in range(3)})
    world = built(agents, {"p": 1}, 8)
    moves = {(a, b) for a, b, _ in steps_of(world, "p")}
    assert ((1, 0), (1, 1)) in moves
    assert ((1, 0), (2, 1)) in moves
    assert ((1, 1), (1, 2)) in moves
    for away in ((0, 0), (1, 0), (2, 0)):
        assert ((1, 1), away) not in moves
    for away in ((0, 1), (1, 1), (2, 1)):
        assert ((1, 2), away) not in moves
    assert ((0, 1), (1, 1)) in moves


@pytest.mark.parametrize("layout", HEX_LAYOUTS)
def test_headings_of_hexagons(layout: str) -> None:
    """A heading points where the neighbour's centre lies."""
    by_row = layout.endswith("r")
    for parity in (0, 1):
        shoved = parity == (1 if layout.startswith("odd") else 0)
        for (dx, dy), bits in zip(
            hex_steps(layout, parity),
            CellLattice(1, 1, 6, layout).heading.tolist(),
            strict=True,
        ):
            across, along = (dx, dy) if by_row else (dy, dx)
            # Neighbouring lines are shoved by half a cell the other way.
            half = 0.0 if along == 0 else (-0.5 if shoved else 0.5)
            x, y = (across + half, along) if by_row else (along, across + half)
            expected = (EAST if x > 0 else WEST if x < 0 else 0) | (
                SOUTH if y > 0 else NORTH if y < 0 else 0
            )
            assert bits == expected, (layout, parity, dx, dy)


@pytest.mark.parametrize("layout", HEX_LAYOUTS)
def test_floors_and_ledges_on_hexagons(layout: str) -> None:
    level = level_of(rows(*["...."] * 8), layout)
    plain = build_world(level, [AgentProfile("p", rules_of(GROUND))], RULES, 8)
    barred = np.zeros((8, 4), dtype=np.uint8)
    barred[1, 1] = NORTH
    both = replace(level, floor_height=4, barred=barred)
    world = build_world(both, [AgentProfile("p", rules_of(GROUND))], RULES, 8)
    kept = {(a, b) for a, b, _ in steps_of(world, "p")}
    all_steps = {(a, b) for a, b, _ in steps_of(plain, "p")}
    assert kept < all_steps
    for a, b in all_steps - kept:
        assert {a[1] // 4, b[1] // 4} == {0, 1} or (1, 1) in (a, b)
    assert not any(a[1] // 4 != b[1] // 4 for a, b in kept)
    assert ((1, 2), (1, 1)) not in kept  # heads north, at least in part, in every layout
    assert ((1, 1), (1, 2)) in kept


RULES = MovementRules("never", "mean", 100)
ANYONE = [AgentProfile("p", rules_of(GROUND)), AgentProfile("q", rules_of(GROUND))]


def test_links_of_one_profile_and_parallel_links() -> None:
    links = (
        link((0, 0), (4, 0), 1.0, profiles=("p",)),
        link((4, 0), (0, 0), 2.0),
        replace(link((4, 0), (0, 0), 1.5), name="quicker"),
    )
    level = replace(level_of(rows("..#..")), things=Things(links=links))
    world = build_world(level, ANYONE, RULES, 8)
    assert steps_of(world, "p", links=True) == [
        ((0, 0), (4, 0), 100),
        ((4, 0), (0, 0), 150),
        ((4, 0), (0, 0), 200),
    ]
    assert steps_of(world, "q", links=True) == [((4, 0), (0, 0), 150), ((4, 0), (0, 0), 200)]


def test_links_ignore_enter_from_and_terrain_costs() -> None:
    level = replace(
        level_of(rows("m#~")), things=Things(links=(link((0, 0), (2, 0), 4.0, both_ways=True),))
    )
    world = build_world(level, ANYONE, RULES, 8)
    assert steps_of(world, "p", links=True) == [((0, 0), (2, 0), 400), ((2, 0), (0, 0), 400)]


def test_links_into_walls_are_named_with_their_place() -> None:
    links = (link((0, 0), (2, 0)), replace(link((2, 0), (0, 0)), place="layer 3"))
    level = replace(level_of(rows("..#", "...")), things=Things(links=links))
    with pytest.raises(BakeErrors) as caught:
        build_world(level, ANYONE, RULES, 8)
    assert str(caught.value).splitlines() == [
        "drawn.json: links (0, 0) (2, 0): link '(0, 0)-(2, 0)' ends at (2, 0), on 'wall', where "
        "no profile can stand; expected a cell some profile can stand on; move the end of the "
        "link, or give the terrain a cost",
        "drawn.json: layer 3: link '(2, 0)-(0, 0)' starts at (2, 0), on 'wall', where no profile "
        "can stand; expected a cell some profile can stand on; move the end of the link, or give "
        "the terrain a cost",
    ]
    world = build_world(level, ANYONE, RULES, 8, strict_links=False)
    assert world.dead_links == links


def test_a_link_too_dear_for_the_scale_is_named() -> None:
    level = replace(level_of(rows("..")), things=Things(links=(link((0, 0), (1, 0), 1e9),)))
    with pytest.raises(CostError, match=r"the link '\(0, 0\)-\(1, 0\)' weighs"):
        build_world(level, ANYONE, RULES, 8)


def test_large_agents_need_squares() -> None:
    level = level_of(rows("...", "..."), "odd-r")
    with pytest.raises(LevelError, match=r"'ogre' has size 2.*size 1"):
        build_world(level, [AgentProfile("ogre", rules_of(GROUND), 2)], RULES, 8)


def test_a_shut_door_has_nodes_and_arcs_that_nobody_can_use() -> None:
    gate = door("gate", [(1, 1)], "shut", open=None, shut="wall")
    level = replace(level_of(rows("###", "...", "###")), things=Things(doors=(gate,)))
    world = build_world(level, ANYONE, RULES, 8)
    assert world.cell is not None
    assert sorted(map(tuple, world.cell.tolist())) == [(0, 1), (1, 1), (2, 1)]
    assert world.graph.arc_count == 4
    assert steps_of(world, "p") == []
    assert [tuple(world.cell[node]) for node in np.flatnonzero(world.metrics["p"].passable)] in (
        [(0, 1), (2, 1)],
        [(2, 1), (0, 1)],
    )
    assert isinstance(world.level, GridLevel)
    assert world.level.terrain[1, 1] == TERRAINS.index("wall")
    (states,) = world.doors
    assert states.states == ("open", "shut")
    assert states.state == 1
    assert states.terrain.tolist() == [[TERRAINS.index("floor")], [TERRAINS.index("wall")]]


@given(
    grid=grids(("floor", "mud", "wall"), largest=6),
    size=st.integers(1, 3),
    corner_cutting=st.sampled_from(CORNERS),
    draw=st.data(),
)
def test_opening_a_door_needs_no_new_node_or_arc(
    grid: list[list[str]], size: int, corner_cutting: str, draw: st.DataObject
) -> None:
    """Whatever the graph of the level with its door in the other state has, this one has, too."""
    height, width = len(grid), len(grid[0])
    cell = st.tuples(st.integers(0, width - 1), st.integers(0, height - 1))
    cells = draw.draw(st.lists(cell, min_size=1, max_size=4, unique=True))
    terrain = draw.draw(st.sampled_from(["floor", "mud", "wall", None]))
    rules = MovementRules(corner_cutting, "mean", 100)
    profiles = [AgentProfile("p", rules_of(GROUND), size), AgentProfile("q", rules_of(GROUND))]

    def world_in(state: str) -> World | None:
        gate = door("gate", cells, state, shut="wall", open=terrain)
        level = replace(level_of(grid), things=Things(doors=(gate,)))
        try:
            return build_world(level, profiles, rules, 8)
        except LevelError:
            return None  # nowhere to stand in any state

    shut, opened = world_in("shut"), world_in("open")
    if shut is None or opened is None:
        assert shut is opened
        return
    assert shut.cell is not None
    assert opened.cell is not None
    assert sorted(shut.cell.tolist()) == sorted(opened.cell.tolist())
    ends = [tuple(map(tuple, pair)) for pair in _ends(shut)]
    for name in ("p", "q"):
        assert {(a, b) for a, b, _ in steps_of(opened, name)} <= set(ends)
    assert sorted(ends) == sorted(tuple(map(tuple, pair)) for pair in _ends(opened))


def _ends(world: World) -> list[list[list[int]]]:
    assert world.cell is not None
    return np.stack([world.cell[world.graph.tail()], world.cell[world.graph.head]], axis=1).tolist()


def test_patches_do_not_follow_links() -> None:
    """A link from corner to corner changes no node's number."""
    grid = rows(*["." * 20] * 20)
    plain = level_of(grid)
    linked = replace(plain, things=Things(links=(link((0, 0), (19, 19)),)))
    one, other = (build_world(level, ANYONE, RULES, 8) for level in (plain, linked))
    assert one.cell is not None
    assert other.cell is not None
    assert one.cell.tolist() == other.cell.tolist()


def test_the_level_is_left_as_it_was() -> None:
    gate = door("gate", [(0, 0)], "shut", open=None, shut="wall")
    level = replace(level_of(rows("..")), things=Things(doors=(gate,)))
    before = level.terrain.copy()
    build_world(level, ANYONE, RULES, 8)
    assert (level.terrain == before).all()
