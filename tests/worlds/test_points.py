"""Points of visibility and Dirichlet domains, drawn by hand and held against plain Python."""

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bake.core.errors import LevelError
from bake.core.level import (
    CharacteristicPoint,
    Division,
    GeometryLevel,
    GraphLevel,
    OffMeshLink,
    Shape,
    TerrainRule,
)
from bake.play import open_asset
from bake.project.recipe import LevelRecipe
from bake.verify import verify_asset
from bake.worlds import AgentProfile, divided
from bake.worlds.dirichlet import bordering, nearest_cone, neighbours
from levelbake import open_level
from tests.support.baked import bake, recipe_for, rows, write_grid

pytestmark = [
    pytest.mark.note(66, "triangulating against sampling"),
    pytest.mark.note(67, "arcs without them, by hand"),
    pytest.mark.note(69, "two radii by hand"),
    pytest.mark.note(96, "cones by hand, and triangulating"),
]

RULES = {"floor": TerrainRule(1.0), "mud": TerrainRule(3.0), "wall": TerrainRule(None)}
Point = tuple[float, float]


def box(x: float, y: float, wide: float, high: float, terrain: str = "wall") -> Shape:
    ring = [(x, y), (x + wide, y), (x + wide, y + high), (x, y + high)]
    return Shape(terrain, (np.array(ring, dtype=np.float64),))


def room(*shapes: Shape, **more: object) -> GeometryLevel:
    """A room of 20 x 10 units with shapes in it."""
    drawn = (box(0, 0, 20, 10, "floor"), *shapes)
    return GeometryLevel("room", Path("room.json"), drawn, ("floor", "mud", "wall"), **more)


def agent(radius: float = 0.0, name: str = "default", **costs: float | None) -> AgentProfile:
    rules = {**RULES, **{name: TerrainRule(cost) for name, cost in costs.items()}}
    return AgentProfile(name, rules, radius=radius)


def by_points(level: GeometryLevel, *agents: AgentProfile, by: Division) -> GraphLevel:
    return divided(level, agents or (agent(),), by)


def joined(level: GraphLevel) -> set[tuple[Point, Point]]:
    """The arcs of a level, each said by where its ends lie."""
    assert level.position is not None
    where = [tuple(point) for point in level.position.tolist()]
    for tail, head, length in zip(level.tail, level.head, level.length, strict=True):
        assert length == pytest.approx(math.dist(where[tail], where[head]))
    return {(where[a], where[b]) for a, b in zip(level.tail, level.head, strict=True)}


def both(*pairs: tuple[Point, Point]) -> set[tuple[Point, Point]]:
    return {pair for a, b in pairs for pair in ((a, b), (b, a))}


# -- points of visibility -------------------------------------------------------------------------


def test_the_corners_of_a_box_are_joined_around_it() -> None:
    level = by_points(room(box(8, 4, 4, 2)), by="visibility")
    a, b, c, d = (8, 4), (12, 4), (12, 6), (8, 6)
    assert joined(level) == both((a, b), (b, c), (c, d), (d, a))


def test_only_lines_that_go_past_walls_are_taken() -> None:
    """Between two boxes: the lines along their sides and the four that touch both."""
    level = by_points(room(box(2, 4, 2, 2), box(10, 4, 2, 2)), by="visibility")
    one, other = [(2, 4), (4, 4), (4, 6), (2, 6)], [(10, 4), (12, 4), (12, 6), (10, 6)]
    around = [(ring[i - 1], ring[i]) for ring in (one, other) for i in range(4)]
    # Two above and below, where the first corner on a line stands for those behind it, two across.
    across = [((4, 4), (10, 4)), ((4, 6), (10, 6)), ((4, 4), (10, 6)), ((4, 6), (10, 4))]
    assert joined(level) == both(*around, *across)


def test_agents_with_a_radius_keep_away_from_corners() -> None:
    level = by_points(room(box(8, 4, 4, 2)), agent(1.5), by="visibility")
    assert level.position is not None
    for x, y in level.position.tolist():
        away = math.hypot(max(8 - x, 0, x - 12), max(4 - y, 0, y - 6))
        assert 1.5 <= away <= 1.5 * 1.03
        assert min(x, 20 - x, y, 10 - y) >= 1.5


def test_a_corridor_that_is_too_narrow_is_closed() -> None:
    shapes = box(8, 0, 4, 4.5), box(8, 5.5, 4, 4.5)
    ways = joined(by_points(room(*shapes), by="visibility"))
    assert any(min(a[0], b[0]) < 10 < max(a[0], b[0]) for a, b in ways)
    ways = joined(by_points(room(*shapes), agent(0.75), by="visibility"))
    assert not any(min(a[0], b[0]) < 10 < max(a[0], b[0]) for a, b in ways)
    with pytest.raises(LevelError, match=r"nothing is walkable.*'default'"):
        by_points(room(*shapes), agent(6), by="visibility")


def test_a_room_without_a_bend_has_one_node() -> None:
    level = by_points(room(), by="visibility")
    assert level.position is not None
    assert level.position.tolist() == [[0, 0]]
    assert not len(level.tail)


def test_links_join_what_they_see() -> None:
    ends = (2.0, 5.0), (18.0, 5.0)
    link = OffMeshLink("portal", *ends, cost=2.5)
    level = by_points(room(box(8, 2, 4, 6), links=(link,)), by="visibility")
    assert level.position is not None
    where = [tuple(point) for point in level.position.tolist()]
    start, goal = where.index(ends[0]), where.index(ends[1])
    length = {(a, b): far for a, b, far in zip(level.tail, level.head, level.length, strict=True)}
    assert length[start, goal] == 2.5
    assert (goal, start) not in length
    seen = {where[b] for a, b in length if a == start} - {ends[1]}
    assert seen == {(8, 2), (8, 8)}
    lost = replace(link, goal=(10.0, 5.0))
    with pytest.raises(LevelError, match=r"'portal'.*can stand"):
        by_points(room(box(8, 2, 4, 6), links=(lost,)), by="visibility")


def test_costs_must_be_equal() -> None:
    level = room(box(3, 3, 2, 2, "mud"))
    with pytest.raises(LevelError, match="1 for floor and 3"):
        by_points(level, by="visibility")
    assert by_points(level, agent(mud=1.0), by="visibility").position is not None
    # What an agent cannot enter is a wall to it, and none to another one.
    boat, both_ways = agent(name="boat", mud=None), agent(name="frog", mud=1.0)
    level = by_points(level, boat, both_ways, by="visibility")
    standing = [level.terrains[code] for code in level.node_terrain]
    assert standing.count("floor (boat)") == 4
    assert standing.count("floor (frog)") == 1


# -- Dirichlet domains ----------------------------------------------------------------------------


def points(*at: Point, weight: dict[int, float] | None = None) -> tuple[CharacteristicPoint, ...]:
    heavy = weight or {}
    return tuple(
        CharacteristicPoint(f"p{number}", each, heavy.get(number, 0.0))
        for number, each in enumerate(at)
    )


def test_domains_that_border_on_each_other_are_joined() -> None:
    """Four corners of a diamond: its sides, and the shorter one of its diagonals."""
    at = (4.0, 5.0), (10.0, 2.0), (16.0, 5.0), (10.0, 8.0)
    level = by_points(room(points=points(*at)), by="dirichlet")
    a, b, c, d = at
    assert joined(level) == both((a, b), (b, c), (c, d), (d, a), (b, d))


def test_walls_part_domains() -> None:
    at = (4.0, 5.0), (10.0, 1.0), (16.0, 5.0), (10.0, 9.0)
    level = by_points(room(box(9, 3, 2, 4), points=points(*at)), by="dirichlet")
    a, b, c, d = at
    assert joined(level) == both((a, b), (b, c), (c, d), (d, a))
    level = by_points(room(box(9, 0, 2, 10), points=points(a, c)), by="dirichlet")
    assert joined(level) == set()


def by_hand(
    level: GeometryLevel, joins: list[tuple[int, int]], apart: list[tuple[int, int]]
) -> GeometryLevel:
    """A level whose points are joined and parted by hand, each pair said by one of the two."""
    changed = list(level.points)
    for which, pairs in (("joins", joins), ("apart", apart)):
        for a, b in pairs:
            known = getattr(changed[a], which)
            changed[a] = replace(changed[a], **{which: (*known, b)})
    return replace(level, points=tuple(changed))


@pytest.mark.parametrize("weight", [None, {1: 2.0}])
def test_a_designer_joins_and_parts(weight: dict[int, float] | None) -> None:
    """Whatever the domains say, what was stated by hand holds, and nothing else changes."""
    at = (3.0, 2.0), (17.0, 2.0), (10.0, 5.0), (3.0, 8.0), (17.0, 8.0)
    drawn = room(box(9, 1, 2, 1), points=points(*at, weight=weight))
    plain = joined(by_points(drawn, by="dirichlet"))
    pairs = [(a, b) for a in range(5) for b in range(a)]
    bordering_pairs = [pair for pair in pairs if (at[pair[0]], at[pair[1]]) in plain]
    # The two diagonals lead over the point in the middle, and one of them past a box.
    joins = [(4, 0), (1, 3)]
    assert not set(joins) & set(bordering_pairs)
    for parted in ([], bordering_pairs[:1], bordering_pairs):
        level = by_hand(drawn, joins, [pair[::-1] for pair in parted])
        expected = plain | both(*((at[a], at[b]) for a, b in joins))
        expected -= both(*((at[a], at[b]) for a, b in parted))
        assert joined(by_points(level, by="dirichlet")) == expected
    level = by_points(by_hand(drawn, joins, []), by="visibility")
    assert joined(level) == joined(by_points(drawn, by="visibility"))


def test_joins_that_cannot_be() -> None:
    at = points((4, 5), (16, 5), (10, 1))
    walled = by_hand(room(box(9, 3, 2, 4), points=at), [(0, 1)], [])
    with pytest.raises(LevelError, match=r"'p0' and 'p1'.*wall"):
        by_points(walled, by="dirichlet")
    torn = by_hand(room(points=at), [(0, 1)], [(1, 0)])
    with pytest.raises(LevelError, match=r"'p0' and 'p1'.*separated"):
        by_points(torn, by="dirichlet")
    # Who is too wide goes without; it is enough that somebody gets through.
    narrow = room(box(8, 0, 4, 4.5), box(8, 5.5, 4, 4.5), points=at[:2])
    level = by_points(
        by_hand(narrow, [(0, 1)], []), agent(name="cat"), agent(1, "ox"), by="dirichlet"
    )
    assert len(level.tail) == 2


def test_points_on_one_line() -> None:
    at = (16.0, 4.0), (4.0, 4.0), (12.0, 4.0), (6.0, 4.0)
    level = by_points(room(points=points(*at)), by="dirichlet")
    assert joined(level) == both(((4, 4), (6, 4)), ((6, 4), (12, 4)), ((12, 4), (16, 4)))
    assert neighbours(np.array([[3, 3]])).shape == (0, 2)
    assert neighbours(np.array([[3, 3], [9, 1]])).tolist() == [[0, 1]]


def test_weights_move_borders() -> None:
    """Three points in a row: the cone of a heavy one in the middle, or far below, parts the others.

    Of two outer points and one beside them, the one beside them is nearest to nothing between them
    unless it has a weight.
    """
    at = (4.0, 8.0), (16.0, 8.0), (10.0, 1.0)
    light = joined(by_points(room(points=points(*at)), by="dirichlet"))
    assert light == both((at[0], at[1]), (at[1], at[2]), (at[0], at[2]))
    heavy = joined(by_points(room(points=points(*at, weight={2: 6.0})), by="dirichlet"))
    assert heavy == both((at[1], at[2]), (at[0], at[2]))


def test_cones_by_hand() -> None:
    at, weight = np.array([[0.0, 0.0], [10.0, 0.0]]), np.array([4.0, 0.0])
    places = np.array([[6.9, 0.0], [7.0, 0.0], [7.1, 0.0], [-50.0, 3.0]])
    # The border lies where 4 - x equals -(10 - x): at x = 7. There the first of both counts.
    assert nearest_cone(places, at, weight).tolist() == [0, 0, 1, 0]


@pytest.mark.parametrize("seed", range(4))
def test_sampling_finds_what_triangulating_finds(seed: int) -> None:
    """Without weights both say which domains border, but for borders shorter than a sample."""
    import shapely

    rng = np.random.default_rng(seed)
    at = rng.integers(1, 99, (9, 2)) * 1024
    sampled = set(map(tuple, bordering(shapely.box(0, 0, 102400, 102400), at / 1024, np.zeros(9))))
    assert sampled <= set(map(tuple, neighbours(at)))
    assert len(sampled) >= 9


@pytest.mark.parametrize(
    ("stated", "found"),
    [
        (points((4, 5), (4, 5)), "'p0' and 'p1'.*same point"),
        (points((4, 5), (10, 5)), r"'p1' at \(10, 5\)"),
        (points((4, 5), (5, 5), weight={0: 3.0}), "'p1' has no domain"),
        (points((4, 5), (5, 5), weight={1: 1.0}), "'p0' has no domain"),
    ],
)
def test_points_that_cannot_be(stated: tuple[CharacteristicPoint, ...], found: str) -> None:
    with pytest.raises(LevelError, match=found):
        by_points(room(box(9, 3, 2, 4), points=stated), by="dirichlet")


def test_without_points_the_bends_stand_for_the_places_around_them() -> None:
    level = by_points(room(box(8, 4, 4, 2)), by="dirichlet")
    a, b, c, d = (8, 4), (12, 4), (12, 6), (8, 6)
    assert joined(level) == both((a, b), (b, c), (c, d), (d, a))


def test_agents_of_two_sizes_have_the_points_they_can_reach() -> None:
    narrow = box(8, 0, 4, 4.5), box(8, 5.5, 4, 4.5)
    at = points((4, 5), (10, 5), (16, 5))
    level = by_points(room(*narrow, points=at), agent(name="cat"), agent(1, "ox"), by="dirichlet")
    standing = [level.terrains[code] for code in level.node_terrain]
    assert (standing.count("floor (cat)"), standing.count("floor (ox)")) == (3, 2)


def test_nodes_have_the_names_of_their_points() -> None:
    at = (4.0, 5.0), (10.0, 5.0), (16.0, 5.0)
    stated = points(*at)
    level = by_points(room(points=stated), by="dirichlet")
    assert level.position is not None
    named = dict(zip(level.node_names, map(tuple, level.position.tolist()), strict=True))
    assert named == {"p0": at[0], "p1": at[1], "p2": at[2]}
    # Ends of links that are no points are named after the link; those that are keep their names.
    link = OffMeshLink("rope", (4.0, 5.0), (18.0, 9.0), cost=1)
    level = by_points(room(points=stated, links=(link,)), by="dirichlet")
    assert set(level.node_names) == {"p0", "p1", "p2", "rope goal"}
    # Points of one name are counted; a name that is another point's is passed over.
    called = [
        replace(point, name=name) for point, name in zip(stated, ("a", "a", "a 2"), strict=True)
    ]
    level = by_points(room(points=tuple(called)), by="dirichlet")
    assert set(level.node_names) == {"a", "a 3", "a 2"}
    # Without any name of the level's own, and by other divisions, nodes have numbers.
    unnamed = tuple(replace(point, named=False) for point in stated)
    assert by_points(room(points=unnamed), by="dirichlet").node_names == (0, 1, 2)
    assert by_points(room(points=()), by="dirichlet").node_names == (0,)
    level = by_points(room(points=(stated[0], *unnamed[1:])), by="dirichlet")
    assert set(level.node_names) == {"p0", "p1", "p2"}
    assert by_points(room(box(8, 2, 4, 6), points=stated), by="visibility").node_names[0] == 0
    # Agents of several radii have points of their own.
    level = by_points(room(points=stated), agent(name="cat"), agent(1, "ox"), by="dirichlet")
    assert set(level.node_names) == {f"p{at} ({who})" for at in range(3) for who in ("cat", "ox")}


def test_places_are_named_in_questions(tmp_path: Path) -> None:
    """From a file to paths, through updates; spots of cells are points, too."""
    document = {
        "format": "bake-geometry",
        "version": 1,
        "terrains": {"floor": 1, "wall": "blocked"},
        "shapes": [
            {"terrain": "floor", "rings": [[[0, 0], [20, 0], [20, 10], [0, 10]]]},
            {"terrain": "wall", "rings": [[[9, 0], [11, 0], [11, 6], [9, 6]]]},
        ],
        "points": [
            {"name": "west", "at": [3, 2]},
            {"name": "gap", "at": [10, 8]},
            {"name": "east", "at": [17, 2]},
            {"at": [1, 9]},
        ],
    }
    source = tmp_path / "hall.json"
    source.write_text(json.dumps(document), "utf-8")
    asset = bake(source, LevelRecipe(division="dirichlet"))
    verify_asset(asset, None, lambda done: None)
    with open_asset(asset) as level:
        nav = level.profile()
        assert nav.path("west", "east") == ["west", "gap", "east"]
        assert nav.next_hop("west", "east") == "gap"
        assert nav.nearest((16, 3)) == "east"
        assert nav.nearest((2, 9)) == "point 3"
        level.update(blocked=["gap"])
        assert nav.path("west", "east") is None
    with open_level(asset) as level:
        assert level.profile().path("west", "east") == ["west", "gap", "east"]
    spots = [
        {"name": name, "kind": "spawn", "at": [x, 0]} for name, x in (("a", 0), ("b", 4), ("f", 8))
    ]
    source = write_grid(tmp_path / "row.json", rows("........."), spots=spots)
    with open_asset(bake(source, recipe_for(division="dirichlet"))) as level:
        assert level.profile().path("a", "f") == ["a", "b", "f"]


# -- domains drawn by hand ------------------------------------------------------------------------


def with_domain(stated: tuple[CharacteristicPoint, ...], number: int, *ring: Point) -> tuple:
    changed = list(stated)
    changed[number] = replace(changed[number], domain=ring)
    return tuple(changed)


def test_a_drawn_domain_borders_on_what_lies_around_it() -> None:
    """Three points in a row; the domain of the first reaches past the second to the third."""
    at = (2.0, 2.0), (8.0, 2.0), (16.0, 2.0)
    plain = points(*at)
    assert joined(by_points(room(points=plain), by="dirichlet")) == both(
        (at[0], at[1]), (at[1], at[2])
    )
    ring = (1.0, 1.0), (4.0, 1.0), (4.0, 5.0), (18.0, 5.0), (18.0, 9.0), (1.0, 9.0)
    level = by_points(room(points=with_domain(plain, 0, *ring)), by="dirichlet")
    assert joined(level) == both((at[0], at[1]), (at[1], at[2]), (at[0], at[2]))
    assert level.walls is not None
    corner, node = level.walls.domain_corner, level.walls.domain_node
    assert corner is not None
    assert node is not None
    assert (corner / 1024).tolist() == [[*each] for each in (*ring, ring[0])]
    assert level.position is not None
    assert {tuple(level.position[each]) for each in node.tolist()} == {at[0]}
    other = by_points(room(points=with_domain(plain, 0, *ring)), by="visibility")
    assert other.walls is not None
    assert other.walls.domain_corner is None


@pytest.mark.parametrize(
    ("number", "rings", "found"),
    [
        (0, [((1, 1), (3, 1))], "crosses itself"),
        (0, [((0, 0), (8, 8), (8, 0), (0, 8))], "crosses itself"),
        (0, [((8, 1), (9, 1), (9, 3), (8, 3))], "lies beside its point"),
        (0, [((1, 1), (11, 1), (11, 9), (1, 9))], "holds the point 'p1'"),
        (
            1,
            [((1, 1), (8, 1), (8, 9), (1, 9)), ((7, 1), (11, 1), (11, 9), (7, 9))],
            "overlaps that of 'p0'",
        ),
    ],
)
def test_domains_that_cannot_be(number: int, rings: list[tuple[Point, ...]], found: str) -> None:
    stated = points((4, 5), (10, 5))
    for at, ring in enumerate(rings):
        stated = with_domain(stated, at, *ring)
    with pytest.raises(LevelError, match=f"characteristic point 'p{number}' {found}"):
        by_points(room(points=stated), by="dirichlet")


def test_a_drawn_domain_saves_a_point_that_a_weight_would_take() -> None:
    stated = points((4, 5), (5, 5), weight={0: 3.0})
    level = by_points(
        room(points=with_domain(stated, 1, (4.5, 4), (6, 4), (6, 6), (4.5, 6))), by="dirichlet"
    )
    assert joined(level) == both(((4, 5), (5, 5)))
