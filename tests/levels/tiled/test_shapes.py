"""Terrain that is drawn as shapes: objects."""

import json
from pathlib import Path

import pytest

from tests.support.levels import named
from tests.support.tiled_maps import layer, objects, read, refused, thing, tmx, write
from tests.support.tiled_shapes import FLOORS, drawn, over_floors, remarks

BOX = thing(1, "wall", (16, 16), width=32, height=16)
WALLS = {"object:wall": "wall"}


def test_rectangles_of_a_class(tmp_path: Path) -> None:
    level = over_floors(tmp_path, BOX, legend=WALLS)
    assert drawn(level) == {(1, 1), (2, 1)}
    assert level.remarks == ()
    assert level.unmatched == ()


def test_names_count_where_there_is_no_class(tmp_path: Path) -> None:
    unclassed = thing(1, "", (16, 16), width=32, height=16, name="wall")
    assert drawn(over_floors(tmp_path, unclassed, legend=WALLS)) == {(1, 1), (2, 1)}
    other = thing(1, "lake", (16, 16), width=32, height=16, name="wall")
    assert drawn(over_floors(tmp_path, other, legend=WALLS)) == set()


def test_kinds_by_name_too(tmp_path: Path) -> None:
    start = thing(1, "", (20, 20), name="Start")
    level = over_floors(tmp_path, start, legend={"object:Start": "spawn"})
    assert [(spot.name, spot.kind, spot.cell) for spot in level.things.spots] == [
        ("Start", "spawn", (1, 1))
    ]


@pytest.mark.parametrize(
    ("inside", "more", "expected"),
    [
        # A triangle, whose slope leads through middles: they belong to what is right of it.
        (
            '<polygon points="0,0 64,0 0,64"/>',
            {},
            {(x, y) for x in range(4) for y in range(4) if x + y < 3},
        ),
        ("<ellipse/>", {"width": 48, "height": 48}, {(x, y) for x in range(3) for y in range(3)}),
        ("<ellipse/>", {"width": 80, "height": 16}, {(x, 0) for x in range(5)}),
        ("<capsule/>", {"width": 80, "height": 16}, {(x, 0) for x in range(5)}),
        # Turned by a quarter about its own corner, it runs down from there, to the left of it.
        ("", {"width": 48, "height": 16, "rotation": 90}, set()),
        ('<polyline points="0,24 95,24"/>', {}, {(x, 1) for x in range(6)}),
        ('<polyline points="40,0 40,79"/>', {}, {(2, y) for y in range(5)}),
    ],
)
def test_every_kind_of_shape(
    tmp_path: Path, inside: str, more: dict[str, float], expected: set[tuple[int, int]]
) -> None:
    level = over_floors(tmp_path, thing(1, "wall", (0, 0), inside, **more), legend=WALLS)
    assert drawn(level) == expected


def test_rotation_is_about_the_objects_point(tmp_path: Path) -> None:
    turned = thing(1, "wall", (48, 16), width=48, height=16, rotation=90)
    assert drawn(over_floors(tmp_path, turned, legend=WALLS)) == {(2, 1), (2, 2), (2, 3)}
    slanted = thing(1, "wall", (8, 8), width=90, height=2, rotation=45)
    level = over_floors(tmp_path, slanted, legend=WALLS)
    assert drawn(level) >= {(1, 1), (2, 2), (3, 3)}


@pytest.mark.parametrize("x", [0, 3, 8, 13, 30, 31])
def test_thin_walls_do_not_leak(tmp_path: Path, x: float) -> None:
    """Wherever it lies between two middles, a wall of two pixels blocks one column."""
    wall = thing(1, "wall", (16 + x, 0), width=2, height=80)
    columns = {cell[0] for cell in drawn(over_floors(tmp_path, wall, legend=WALLS))}
    assert len(columns) == 1
    column = columns.pop()
    assert len(drawn(read(tmp_path / "map.tmx", legend=WALLS))) == 5
    assert column == (16 + x + 1) // 16


def test_overlaps_of_thick_walls_block_no_neighbour(tmp_path: Path) -> None:
    """Walls are drawn by hand, so a few pixels over the border are no wall beside it."""
    sloppy = thing(1, "wall", (13, 13), width=21, height=22)
    assert drawn(over_floors(tmp_path, sloppy, legend=WALLS)) == {(1, 1)}


def test_walls_around_the_map_take_no_cell(tmp_path: Path) -> None:
    around = '<polygon points="0,0 96,0 96,80 0,80"/>'
    fence = thing(1, "wall", (0, 0), around.replace("polygon", "polyline"))
    level = over_floors(tmp_path, fence, legend=WALLS)
    assert drawn(level) == set()
    assert level.remarks == ()


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        (thing(1, "wall", (30, 30), width=4, height=4), "between"),
        (thing(1, "wall", (960, 30), width=40, height=40), "lies outside the map"),
        (thing(1, "wall", (30, 30), "<point/>"), "it is a point, which covers no cell"),
        (thing(1, "wall", (8, 8), '<polygon points="1,1 1,1"/>'), "between"),
    ],
)
def test_what_covers_nothing_is_remarked(tmp_path: Path, shape: str, message: str) -> None:
    level = over_floors(tmp_path, shape, legend=WALLS)
    assert drawn(level) == set()
    assert len(level.remarks) == 1
    assert 'layer "Things", object 1' in remarks(level)[0]
    assert message in remarks(level)[0]


def test_later_shapes_lie_over_earlier_ones(tmp_path: Path) -> None:
    items = [
        thing(number, kind, (16, 16), width=size, height=16)
        for number, (kind, size) in enumerate([("wall", 64), ("lake", 32), ("wall", 16)], 1)
    ]
    level = over_floors(tmp_path, *items, legend={"object:wall": "wall", "object:lake": "water"})
    assert named(level)[1] == ["floor", "wall", "water", "wall", "wall", "floor"]


def test_shapes_lie_over_tiles_of_later_layers(tmp_path: Path) -> None:
    text = tmx(objects(BOX), layer(FLOORS), width=6, height=5)
    assert drawn(read(write(tmp_path, text), legend=WALLS)) == {(1, 1), (2, 1)}


@pytest.mark.parametrize(
    ("item", "legend", "terrain"),
    [
        (thing(1, "x", (0, 0), width=16, height=16, terrain="mud"), {}, "mud"),
        (thing(1, "x", (0, 0), width=16, height=16, blocked=True), {}, "wall"),
        (thing(1, "x", (0, 0), width=16, height=16, deep=3), {"property:deep=3": "sea"}, "sea"),
        (thing(1, "", (0, 0), width=16, height=16), {"layer:Things": "sea"}, "sea"),
        # The class goes before what the object says, and that before its layer.
        (
            thing(1, "x", (0, 0), width=16, height=16, terrain="mud"),
            {"object:x": "sea", "layer:Things": "ice"},
            "sea",
        ),
        (
            thing(1, "x", (0, 0), width=16, height=16, terrain="mud"),
            {"layer:Things": "ice"},
            "mud",
        ),
        (thing(1, "x", (0, 0), width=16, height=16), {"object:x": "below"}, "floor"),
        # Things are no terrain, nor is what has a price.
        (thing(1, "region", (0, 0), width=16, height=16), {"layer:Things": "sea"}, "floor"),
        (thing(1, "chest", (0, 0), width=16, height=16, cost="50"), {}, "floor"),
    ],
)
def test_what_decides(tmp_path: Path, item: str, legend: dict[str, str], terrain: str) -> None:
    assert named(over_floors(tmp_path, item, legend=legend))[0][0] == terrain


def test_costs_beside_a_terrain(tmp_path: Path) -> None:
    bog = thing(1, "", (0, 0), width=16, height=16, terrain="bog", cost="4")
    rule = over_floors(tmp_path, bog).terrain_rules["bog"]
    assert rule.cost == 4


# -- maps of other kinds -----------------------------------------------------------------------


def test_maps_of_objects_alone(tmp_path: Path) -> None:
    text = tmx(objects(BOX), width=6, height=5)
    level = read(write(tmp_path, text), legend=WALLS, empty="floor")
    assert level.terrain.shape == (5, 6)
    assert drawn(level) == {(1, 1), (2, 1)}
    assert drawn(level, "floor") == {(x, y) for x in range(6) for y in range(5)} - drawn(level)
    line = refused(tmp_path / "map.tmx")
    assert "no tile layer" in line
    assert "[tiled.legend]" in line


def test_infinite_maps_of_objects_alone(tmp_path: Path) -> None:
    items = [
        thing(1, "ground", (-39, -32), width=71, height=48),
        thing(2, "wall", (-32, -32), width=16, height=16),
    ]
    text = tmx(objects(*items), width=0, height=0, infinite=1)
    legend = {"object:ground": "floor", "object:wall": "wall"}
    level = read(write(tmp_path, text), legend=legend)
    # Columns -2 to 1 have their middles inside; the first cell is that of the western edge.
    assert named(level) == [
        ["wall", "floor", "floor", "floor"],
        ["floor", "floor", "floor", "floor"],
        ["floor", "floor", "floor", "floor"],
    ]


def test_infinite_maps_grow_by_what_is_drawn(tmp_path: Path) -> None:
    chunk = (
        '<layer id="1" name="G" width="2" height="1"><data encoding="csv">'
        '<chunk x="0" y="0" width="2" height="1">1,1</chunk></data></layer>'
    )
    quay = thing(1, "quay", (32, 0), width=32, height=16)
    text = tmx(chunk, objects(quay), width=2, height=1, infinite=1)
    level = read(write(tmp_path, text), legend={"object:quay": "floor"})
    assert named(level) == [["floor"] * 4]
    far = thing(1, "quay", (0, 0), width=900_000_000, height=900_000_000)
    text = tmx(chunk, objects(far), width=2, height=1, infinite=1)
    line = refused(write(tmp_path, text), legend={"object:quay": "floor"})
    assert 'layer "Things", object 1' in line
    assert "at most" in line


def test_floors_of_shapes(tmp_path: Path) -> None:
    def floor(number: int, at: int) -> str:
        wall = thing(number + 1, "wall", (at, 0), width=16, height=16)
        group = f'<group name="F{number}"><properties><property name="floor" type="int" '
        return f'{group}value="{number}"/></properties>{objects(wall)}</group>'

    text = tmx(floor(0, 0), floor(1, 16), width=2, height=1)
    level = read(write(tmp_path, text), legend=WALLS, empty="floor")
    assert named(level) == [["wall", "floor"], ["floor", "wall"]]


def test_offsets_of_layers_move_objects_over_the_cells(tmp_path: Path) -> None:
    about = ' offsetx="16" offsety="32" parallaxx="0.5"'
    text = tmx(layer(FLOORS), objects(BOX, about=about), width=6, height=5)
    assert drawn(read(write(tmp_path, text), legend=WALLS)) == {(2, 3), (3, 3)}
    # A group's offset moves tiles and objects alike.
    text = tmx(
        f'<group name="g" offsetx="160">{layer(FLOORS)}{objects(BOX)}</group>', width=6, height=5
    )
    assert drawn(read(write(tmp_path, text), legend=WALLS)) == {(1, 1), (2, 1)}


def test_templates_of_walls(tmp_path: Path) -> None:
    write(
        tmp_path,
        '<?xml version="1.0" encoding="UTF-8"?><template><object type="wall" width="32" '
        'height="16"/></template>',
        "wall.tx",
    )
    item = '<object id="1" template="wall.tx" x="16" y="16"/>'
    assert drawn(over_floors(tmp_path, item, legend=WALLS)) == {(1, 1), (2, 1)}


@pytest.mark.parametrize(
    ("about", "item", "expected"),
    [
        # On isometric maps both axes of objects count heights of tiles.
        (
            'orientation="isometric"',
            thing(1, "wall", (16, 16), width=32, height=16),
            {(1, 1), (2, 1)},
        ),
        (
            'orientation="hexagonal" hexsidelength="8" staggeraxis="y" staggerindex="odd"',
            thing(1, "wall", (18, 2), width=12, height=12),
            {(1, 0)},
        ),
        (
            'orientation="staggered" staggeraxis="y" staggerindex="odd"',
            # Column 1 of row 0, by the formula of the docs.
            thing(1, "wall", (20, 4), width=8, height=8),
            {(1, 4)},
        ),
    ],
)
def test_other_orientations(
    tmp_path: Path, about: str, item: str, expected: set[tuple[int, int]]
) -> None:
    text = tmx(layer(FLOORS), objects(item), width=6, height=5, about=about)
    assert drawn(read(write(tmp_path, text), legend=WALLS)) == expected


def test_isometric_objects_turn_on_the_screen(tmp_path: Path) -> None:
    """On tiles of 32 x 16, a half turn is the same on the screen and on the map."""
    text = tmx(
        layer(FLOORS),
        objects(thing(1, "wall", (48, 32), width=32, height=16, rotation=180)),
        width=6,
        height=5,
        about='orientation="isometric"',
    ).replace('tilewidth="16" tileheight="16" infinite', 'tilewidth="32" tileheight="16" infinite')
    assert drawn(read(write(tmp_path, text), legend=WALLS)) == {(1, 1), (2, 1)}
    # On the screen the line leads by (64, 32), and turned by a quarter by (-32, 64), which is
    # three cells east and five south on the map.
    line = '<polyline points="0,0 64,0"/>'
    turned = text.replace('width="32" height="16" rotation="180">', f'rotation="90">{line}')
    level = read(write(tmp_path, turned.replace('x="48" y="32"', 'x="56" y="0"')), legend=WALLS)
    assert drawn(level) >= {(3, 0), (4, 1), (5, 3)}
    assert (2, 1) not in drawn(level)


# -- what means nothing ---------------------------------------------------------------------------


def test_walls_that_mean_nothing_are_remarked(tmp_path: Path) -> None:
    start = thing(9, "spawn", (8, 8), "<point/>")
    level = over_floors(tmp_path, BOX, start)
    assert remarks(level) == [
        'layer "Things": some of its objects mean nothing, 1 of class or name "wall"; if they are '
        'walls, add "object:wall" = "wall" to [tiled.legend], and "below" for what is none, or add '
        "the layer to ignore in [tiled]"
    ]
    assert remarks(over_floors(tmp_path, BOX, start, legend={"object:wall": "below"})) == []
    assert remarks(over_floors(tmp_path, BOX, start, ignore=("Things",))) == []
    # Points and pictures may be anything; they are silent beside objects that count.
    enemy = thing(2, "enemy", (8, 8), "<point/>")
    assert remarks(over_floors(tmp_path, enemy, start)) == []


def test_layers_that_mean_nothing_are_remarked(tmp_path: Path) -> None:
    level = over_floors(
        tmp_path, *(thing(each, "", (8, 8), width=16, height=16) for each in (1, 2)), name="Walls"
    )
    assert remarks(level) == [
        'layer "Walls": all of its objects mean nothing, 2 without a class; if they are walls, '
        'add "layer:Walls" = "wall" to [tiled.legend], and "below" for what is none, or add the '
        "layer to ignore in [tiled]"
    ]


def test_entries_that_match_nothing(tmp_path: Path) -> None:
    legend = {"object:wal": "wall", "layer:Ground": "x", "collision": "wall", "tile:set:9": "y"}
    level = over_floors(tmp_path, BOX, legend=legend)
    assert level.unmatched == ("object:wal", "layer:Ground", "collision", "tile:set:9")


def test_shapes_outside_the_tiles_of_other_maps(tmp_path: Path) -> None:
    """A map of a world keeps what was remarked, and an entry that one map needs is matched."""
    wall = objects(thing(1, "wall", (0, 0), width=16, height=16))
    lamp = objects(thing(1, "lamp", (0, 0), width=16, height=16))
    write(tmp_path, tmx(layer([[1, 1]]), wall, width=2, height=1), "a.tmx")
    write(tmp_path, tmx(layer([[1, 1]]), lamp, width=2, height=1), "b.tmx")
    maps = [{"fileName": "a.tmx", "x": 0, "y": 0}, {"fileName": "b.tmx", "x": 32, "y": 0}]
    world = write(tmp_path, json.dumps({"type": "world", "maps": maps}), "w.world")
    level = read(world, legend={**WALLS, "object:gone": "wall"})
    assert named(level) == [["wall", "floor", "floor", "floor"]]
    assert level.unmatched == ("object:gone",)
    assert remarks(level)[0].startswith('b.tmx: layer "Things": all of its objects mean nothing')
