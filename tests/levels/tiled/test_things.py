"""Objects to things."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bake.levels.tiled.canvas import Placing
from bake.levels.tiled.fields import Fields, Properties
from bake.levels.tiled.geometry import Geometry
from bake.levels.tiled.layers import Box
from bake.levels.tiled.objects import Object
from bake.levels.tiled.things import cell_of, cells_of
from tests.support.levels import named
from tests.support.tiled_maps import layer, objects, read, refused, thing, tmx, write

GROUND = layer([[1] * 6 for _ in range(5)])


def with_things(folder: Path, *items: str, **more: object) -> Path:
    return write(folder, tmx(GROUND, objects(*items), width=6, height=5, **more))


def test_spots(tmp_path: Path) -> None:
    path = with_things(
        tmp_path,
        thing(1, "spawn", (20, 36), "<point/>", name="hero"),
        thing(2, "exit", (64, 0), width=16, height=16),
        thing(3, "chest", (40, 40), spot=True, profiles="walker, boat"),
        thing(4, "lamp", (4, 4)),
        thing(5, "spawn", (80, 80), gid=1, width=16, height=16, name="foot"),
        thing(6, "start", (0, 0), "<point/>", name="mapped"),
    )
    spots = read(path, legend={"object:start": "spawn"}).things.spots
    assert [(each.name, each.kind, each.cell, each.profiles) for each in spots] == [
        ("hero", "spawn", (1, 2), None),
        ("exit 2", "exit", (4, 0), None),
        ("chest 3", "chest", (2, 2), ("walker", "boat")),
        ("foot", "spawn", (5, 4), None),
        ("mapped", "spawn", (0, 0), None),
    ]
    assert spots[0].place == 'layer "Things", object 1 "hero"'


def test_regions_hold_the_cells_whose_middle_is_inside(tmp_path: Path) -> None:
    path = with_things(
        tmp_path,
        thing(1, "region", (8, 8), name="box", width=24, height=9),
        thing(2, "region", (0, 0), '<polygon points="0,0 48,0 0,48"/>', name="corner"),
        thing(3, "region", (34, 34), "<ellipse/>", name="round", width=44, height=44),
        thing(4, "region", (48, 0), name="turned", width=32, height=16, rotation=90),
    )
    regions = {each.name: each.cells.tolist() for each in read(path).things.regions}
    # Middles lie at 8, 24, 40 ...: one on the left or upper edge is inside, on the others not.
    assert regions["box"] == [[0, 0], [1, 0]]
    assert regions["corner"] == [[0, 0], [1, 0], [0, 1]]
    assert regions["round"] == [[3, 2], [2, 3], [3, 3], [4, 3], [3, 4]]
    # Turned clockwise about its upper left corner, it hangs down to the left of it.
    assert regions["turned"] == [[2, 0], [2, 1]]


def test_doors(tmp_path: Path) -> None:
    path = with_things(
        tmp_path,
        thing(1, "door", (16, 16), name="gate", width=32, height=16, states="open;shut=wall"),
        thing(2, "door", (0, 0), "<point/>", states="a = mud; b = wall", state="b"),
    )
    level = read(path)
    assert level.terrains == ("floor", "wall", "mud")
    assert level.terrain_rules["wall"].cost is None
    gate, other = level.things.doors
    assert (gate.name, gate.states, gate.state) == (
        "gate",
        (("open", None), ("shut", "wall")),
        "open",
    )
    assert gate.cells.tolist() == [[1, 1], [2, 1]]
    assert gate.cells.dtype == np.int32
    assert (other.name, other.states, other.state) == ("door 2", (("a", "mud"), ("b", "wall")), "b")


def test_links(tmp_path: Path) -> None:
    path = with_things(
        tmp_path,
        thing(1, "teleporter", (0, 0), name="up", to=2, cost="2.5", profiles="mage"),
        thing(2, "spot", (80, 64), name="far"),
        thing(3, "stairs", (16, 16), name="low", to="high"),
        thing(4, "stairs", (48, 48), name="high", to=3),
        thing(5, "ladder", (0, 64), to=2, one_way=True),
        thing(6, "jump", (8, 40), '<polyline points="0,0 30,-5 64,0"/>', both_ways=True),
        thing(7, "stairs", (0, 16), name="other way", to=8, cost="1"),
        thing(8, "stairs", (64, 16), name="end", to=7, cost="2"),
        thing(9, "well", (32, 0), to=0),
    )
    links = [
        (each.name, each.kind, each.start, each.goal, each.cost, each.both_ways, each.profiles)
        for each in read(path).things.links
    ]
    assert links == [
        ("up", "teleporter", (0, 0), (5, 4), 2.5, False, ("mage",)),
        ("low", "stairs", (1, 1), (3, 3), None, True, None),
        ("ladder 5", "ladder", (0, 4), (5, 4), None, False, None),
        ("jump 6", "jump", (0, 2), (4, 2), None, True, None),
        ("other way", "stairs", (0, 1), (4, 1), 1.0, True, None),
        ("end", "stairs", (4, 1), (0, 1), 2.0, True, None),
    ]


def test_a_polyline_whose_corners_a_link_passes_through(tmp_path: Path) -> None:
    bent = '<polyline points="0,0 30,-5 48,-5 64,0"/>'
    path = with_things(
        tmp_path,
        thing(1, "jump", (8, 40), bent, via=True, over="floor", both_ways=True),
        thing(2, "jump", (8, 40), bent, to=3, via=True),
        thing(3, "spot", (80, 64)),
        thing(4, "jump", (8, 40), bent, to=3),
    )
    jump, far, plain = read(path).things.links
    assert (jump.start, jump.via, jump.goal) == ((0, 2), ((2, 2), (3, 2)), (4, 2))
    assert (jump.over, far.over, plain.over) == (("floor",), None, None)
    assert (far.via, far.goal) == (((2, 2), (3, 2), (4, 2)), (5, 4))
    assert (plain.via, plain.goal) == ((), (5, 4))


def test_floors_lie_below_one_another_the_lowest_first(tmp_path: Path) -> None:
    def floor(number: int, gid: int, *items: str) -> str:
        return (
            f'<group id="{20 + number}" name="Floor {number}"><properties><property name="floor" '
            f'type="int" value="{number}"/></properties>'
            f"{layer([[gid] * 3, [1] * 3])}{objects(*items)}</group>"
        )

    path = write(
        tmp_path,
        tmx(
            floor(1, 3, thing(1, "stairs", (0, 0), to=2, name="down")),
            floor(-1, 2, thing(2, "stairs", (32, 16), name="up")),
            objects(thing(3, "spawn", (16, 16), floor=1), name="All"),
            width=3,
            height=2,
        ),
    )
    level = read(path)
    assert level.floor_height == 2
    assert named(level) == [["wall"] * 3, ["floor"] * 3, ["mud"] * 3, ["floor"] * 3]
    (stairs,) = level.things.links
    assert (stairs.start, stairs.goal) == ((0, 2), (2, 1))
    assert level.things.spots[0].cell == (1, 3)

    lost = thing(3, "spawn", (16, 16))
    path = write(tmp_path, tmx(floor(1, 3), floor(2, 1), objects(lost), width=3, height=2))
    assert "it lies on no floor; expected one of 1, 2" in refused(path)
    path = write(tmp_path, tmx(floor(1, 3), layer([[1] * 3] * 2), width=3, height=2))
    assert "the layer has no floor" in refused(path)


def test_objects_of_infinite_maps_keep_to_their_tiles(tmp_path: Path) -> None:
    ground = (
        '<layer id="1" name="Ground" width="2" height="2"><data encoding="csv">'
        '<chunk x="-2" y="-1" width="2" height="2">1,1,1,1</chunk></data></layer>'
    )
    item = thing(1, "spawn", (-9, 3), "<point/>")
    path = write(tmp_path, tmx(ground, objects(item), width=2, height=2, infinite=1))
    assert read(path).things.spots[0].cell == (1, 1)


@pytest.mark.parametrize(
    ("about", "at", "cell"),
    [
        # On isometric maps both coordinates are in units of a tile's height.
        ('orientation="isometric"', (40, 20), (2, 1)),
        ('orientation="hexagonal" hexsidelength="8" staggeraxis="y"', (20, 20), (0, 1)),
        # Tile (0, 1) of the staggered map is (1, 5) once turned: 6 columns go before it.
        ('orientation="staggered" staggeraxis="y" staggerindex="odd"', (16, 16), (1, 5)),
    ],
)  # fmt: skip
def test_places_on_other_lattices(
    tmp_path: Path, about: str, at: tuple[float, float], cell: tuple[int, int]
) -> None:
    path = with_things(tmp_path, thing(1, "spawn", at, "<point/>"), about=about)
    assert read(path).things.spots[0].cell == cell


def test_tile_objects_on_isometric_maps_stand_on_the_lower_corner(tmp_path: Path) -> None:
    path = with_things(
        tmp_path,
        thing(1, "spawn", (48, 32), gid=1, width=32, height=64),
        about='orientation="isometric"',
    )
    assert read(path).things.spots[0].cell == (2, 1)


def test_tall_tile_objects_stand_on_their_foot(tmp_path: Path) -> None:
    path = with_things(tmp_path, thing(1, "spawn", (32, 64), gid=1, width=16, height=48))
    assert read(path).things.spots[0].cell == (2, 3)


def test_a_tile_object_is_what_its_tile_is(tmp_path: Path) -> None:
    tileset = (
        '<tileset firstgid="1" name="s" tilecount="2" columns="2"><tile id="1" class="spawn">'
        '<properties><property name="profiles" value="hero"/></properties></tile></tileset>'
    )
    path = with_things(
        tmp_path, thing(1, "", (0, 16), gid=2 | 0x80000000, width=16, height=16), tileset=tileset
    )
    (spot,) = read(path, legend={"layer:Ground": "floor"}).things.spots
    assert (spot.kind, spot.cell, spot.profiles) == ("spawn", (0, 0), ("hero",))


def test_templates(tmp_path: Path) -> None:
    write(
        tmp_path,
        '<template><object name="warp" type="teleporter" width="16" height="16"><properties>'
        '<property name="cost" value="4"/><property name="profiles" value="mage"/></properties>'
        "</object></template>",
        "objects/warp.tx",
    )
    path = with_things(
        tmp_path,
        '<object id="1" template="objects/warp.tx" x="16" y="0"><properties>'
        '<property name="to" type="object" value="2"/><property name="cost" value="5"/>'
        "</properties></object>",
        '<object id="2" template="objects/warp.tx" name="there" x="48" y="0"><point/></object>',
    )
    level = read(path)
    (link,) = level.things.links
    assert (link.name, link.start, link.goal) == ("warp", (1, 0), (3, 0))
    assert (link.cost, link.profiles) == (5.0, ("mage",))
    assert level.depends_on == (tmp_path / "objects" / "warp.tx",)


def test_templates_of_the_other_format(tmp_path: Path) -> None:
    write(
        tmp_path,
        '{"type": "template", "object": {"type": "exit", "width": 16, "height": 16, "x": 0, '
        '"properties": [{"name": "profiles", "type": "string", "value": "cart"}]}}',
        "exit.tj",
    )
    path = with_things(tmp_path, '<object id="1" template="exit.tj" x="32" y="16"/>')
    (spot,) = read(path).things.spots
    assert (spot.kind, spot.cell, spot.profiles) == ("exit", (2, 1), ("cart",))


@pytest.mark.parametrize(
    ("items", "told"),
    [
        ([thing(1, "spawn", (96, 0))], "it stands on tile (6, 0), outside the level"),
        ([thing(1, "spawn", (0, 0), name="a"), thing(2, "spawn", (0, 0), name="a")],
         'there is a second spot named "a"; expected each name once; layer "Things", object 1 "a"'),
        ([thing(1, "region", (0, 0), width=4, height=4)], "no cell"),
        ([thing(1, "region", (9999, 0), width=40, height=40)], "no cell"),
        ([thing(1, "region", (0, -9999), width=40, height=40)], "no cell"),
        ([thing(1, "region", (-9999, 9999), '<polygon points="0,0 9,0 9,9"/>', rotation=3)],
         "no cell"),
        ([thing(1, "region", (0, 0), '<polyline points="0,0 9,9"/>')], "it is a polyline"),
        ([thing(1, "door", (0, 0), width=16, height=16)], 'the door has no property "states"'),
        ([thing(1, "door", (0, 0), states="open")], 'the property "states" is "open"'),
        ([thing(1, "door", (0, 0), states="a;a=wall")], "at least two states"),
        ([thing(1, "door", (0, 0), states="a;b=wall", state="c")], "expected one of a, b"),
        ([thing(1, "teleporter", (0, 0))], "no goal"),
        ([thing(1, "teleporter", (0, 0), to=7)], "it leads to 7, which is not an object"),
        ([thing(1, "teleporter", (0, 0), to="x")], 'it leads to "x", which is not an object'),
        ([thing(1, "link", (0, 0), to="x"), thing(2, "a", (0, 0), name="x"),
          thing(3, "a", (0, 0), name="x")], "which 2 objects are called"),
        ([thing(1, "link", (0, 0), to=2), thing(2, "a", (1, 1))],
         'link "link 1" starts and ends at (0, 0); expected two cells'),
        ([thing(1, "link", (0, 0), to=2, cost="0"), thing(2, "a", (40, 1))], "a number above 0"),
        ([thing(1, "link", (0, 0), to=2, one_way=True, both_ways=True), thing(2, "a", (40, 1))],
         "the opposite of the property both_ways"),
        ([thing(1, "a", (0, 0)), thing(1, "b", (0, 0)), thing(2, "link", (40, 1), to=1)],
         "it leads to 1, which 2 objects are called"),
        ([thing(1, "spawn", (0, 0), gid=77)], "the gid 77 is in no tileset"),
        ([thing(1, "spawn", (0, 0)).replace('x="0"', 'x="inf"')], 'x is "inf"'),
        ([thing(1, "spawn", (0, 0)).replace('x="0"', 'x="1e99"')], 'x is "1e99"'),
        ([thing(1, "region", (0, 0), '<polygon points="0,0 a,b 3"/>')], "not a pair of numbers"),
        ([thing(1, "region", (0, 0), '<polygon points=""/>')], "the polygon has 0 corners"),
        ([thing(1, "spawn", (0, 0), floor="top")], "a whole number (type int)"),
    ],
)  # fmt: skip
def test_wrong_things(tmp_path: Path, items: list[str], told: str) -> None:
    line = refused(with_things(tmp_path, *items))
    assert told in line
    assert 'layer "Things", object ' in line


@given(
    st.lists(st.tuples(st.integers(-20, 90), st.integers(-20, 90)), min_size=3, max_size=6),
    st.sampled_from(["orthogonal", "isometric", "staggered", "hexagonal"]),
)
def test_polygons_against_winding_each_point(
    corners: list[tuple[int, int]], orientation: str
) -> None:
    geometry = Geometry(orientation, 16, 12, 4 if orientation == "hexagonal" else 0)
    fields = Fields(Path("a.tmx"), {}, "object", is_text=True)
    placing = Placing.build(fields, geometry, Box(0, 0, 5, 4), ())
    shape = tuple((x + 0.25, y + 0.25) for x, y in corners)
    item = Object(
        fields, 1, "a", "region", "polygon", 0, 0, 0, 0, 0, shape, "", Properties(fields, {}), None
    )
    expected = set()
    for y in range(4):
        for x in range(5):
            px, py = (
                float(each[0]) for each in geometry.cell_centers(np.array([x]), np.array([y]))
            )
            crossings = 0
            for (ax, ay), (bx, by) in zip(shape, shape[1:] + shape[:1], strict=True):
                if (ay > py) != (by > py):
                    crossing = ax + (py - ay) / (by - ay) * (bx - ax)
                    # Corners are rounded to 1/65,536 of a cell, so centers on an edge may differ.
                    assume(abs(px - crossing) > 1e-3)
                    crossings += px < crossing
            if crossings % 2:
                u, v = placing.cells(np.array([x]), np.array([y]), 0)
                expected.add((int(u[0]), int(v[0])))
    if expected:
        assert {tuple(cell) for cell in cells_of(item, placing).tolist()} == expected


def test_alignments() -> None:
    fields = Fields(Path("a.tmx"), {}, "object", is_text=True)
    placing = Placing.build(fields, Geometry("orthogonal", 10, 10), Box(0, 0, 9, 9), ())
    for alignment, cell in (
        ("unspecified", (4, 3)),
        ("bottomleft", (4, 3)),
        ("topleft", (4, 4)),
        ("bottomright", (3, 3)),
        ("topright", (3, 4)),
    ):
        item = Object(
            fields,
            1,
            "",
            "",
            "tile",
            40,
            40,
            10,
            10,
            0,
            (),
            alignment,
            Properties(fields, {}),
            None,
        )
        assert cell_of(item, placing) == cell
