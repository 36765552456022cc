"""What `bake init` guesses of maps of Tiled, end to end."""

from pathlib import Path

import pytest

from tests.support.first_recipes import ALL, FEW, PLAIN, RING, blocked, built, init, recipe, tiled
from tests.support.tiled_maps import layer, objects, thing


def test_layers_by_their_names(bare: Path) -> None:
    tiled("m.tmx", layer(ALL, name="Ground"), layer(RING, name="Walls"), layer(ALL, name="Roofs"))
    done = init()
    assert (done.code, done.errors) == (0, [])
    assert recipe() == {
        "sources": ["*.tmx"],
        "output": "baked",
        "tiled": {
            "ignore": ["Roofs"],
            "legend": {"layer:Ground": "ground", "layer:Walls": "wall"},
        },
        "terrain": {"ground": 1, "wall": "blocked"},
    }
    assert Path("baked/m.png").stat().st_size > 0
    built()
    assert blocked("m") == ["######", "#....#", "######"]


def test_layers_by_what_they_cover(bare: Path) -> None:
    tiled("m.tmx", layer(ALL, name="Tile Layer 1"), layer(FEW, name="Tile Layer 2"))
    done = init()
    assert done.code == 0
    assert "the lowest layer, on 100% of the map" in done.out
    assert '[tiled.legend] "layer:Tile Layer 2" = "wall": a layer on 6% of the map' in done.out
    built()
    assert blocked("m") == ["......", "..#...", "......"]


def test_a_layer_of_collisions_says_it_all(bare: Path) -> None:
    tiled(
        "m.tmx",
        layer(ALL, name="A"),
        layer(FEW, name="B"),
        layer(RING, name="Collision"),
    )
    assert init().code == 0
    assert recipe()["tiled"]["legend"]["layer:B"] == "below"
    built()
    assert blocked("m") == ["######", "#....#", "######"]


def test_walls_without_a_floor(bare: Path) -> None:
    tiled("m.tmx", layer(RING, name="Walls"))
    assert init().code == 0
    assert recipe()["tiled"]["empty"] == "floor"
    built()
    assert blocked("m") == ["######", "#....#", "######"]


@pytest.mark.parametrize(
    ("inside", "entry"),
    [
        ('<property name="collides" type="bool" value="true"/>', "property:collides"),
        ('<property name="solid" value="true"/>', "property:solid=true"),
        ('<property name="passable" type="bool" value="false"/>', "property:passable=false"),
        ('<property name="kind" value="wall"/>', "property:kind=wall"),
        ('<property name="collision" type="int" value="1"/>', "property:collision=1"),
    ],
)
def test_properties_of_tiles(bare: Path, inside: str, entry: str) -> None:
    tileset = PLAIN.replace(
        "/>", f'><tile id="1"><properties>{inside}</properties></tile></tileset>'
    )
    tiled("m.tmx", layer(ALL, name="L1"), layer(RING, name="L2"), tileset=tileset)
    assert init().code == 0
    assert recipe()["tiled"]["legend"][entry] == "wall"
    built()
    assert blocked("m") == ["######", "#....#", "######"]


def test_wang_colours_go_before_layers(bare: Path) -> None:
    tileset = PLAIN.replace(
        "/>",
        '><wangsets><wangset name="w" type="corner" tile="-1"><wangcolor name="Meadow"/>'
        '<wangcolor name="Deep Water"/><wangtile tileid="0" wangid="0,1,0,1,0,1,0,1"/>'
        '<wangtile tileid="1" wangid="0,2,0,2,0,2,0,2"/></wangset></wangsets></tileset>',
    )
    both = [[1, 1, 1, 2, 2, 2]] * 3
    tiled("m.tmx", layer(both, name="Tile Layer 1"), tileset=tileset)
    assert init().code == 0
    legend = recipe()["tiled"]["legend"]
    assert legend == {"wang:Meadow": "meadow", "wang:Deep Water": "water"}
    built()
    assert blocked("m") == ["...###"] * 3


def test_classes_keep_their_names(bare: Path) -> None:
    tileset = PLAIN.replace(
        "/>", '><tile id="1" class="pine tree"/><tile id="0" class="zzz"/></tileset>'
    )
    tiled("m.tmx", layer(ALL), layer(RING, name="Two"), tileset=tileset)
    done = init()
    assert done.code == 0
    assert recipe()["terrain"] == {"pine tree": "blocked", "zzz": 1}
    assert "[terrain] zzz = 1: its name does not suggest a cost" in done.out


def test_objects_of_games(bare: Path) -> None:
    """Doors of strangers have no states, and two spots may have one name."""
    drawn = (thing(1, "door", (20, 20)), thing(2, "PlayerStart", (20, 20), name="p"))
    twice = (thing(3, "spawn", (20, 20), name="x"), thing(4, "spawn", (40, 20), name="x"))
    tiled("a.tmx", layer(ALL), objects(drawn[1]))
    tiled("b.tmx", layer(ALL), objects(*drawn))
    tiled("c.tmx", layer(ALL), objects(*twice))
    done = init()
    assert (done.code, done.errors) == (0, [])
    assert recipe()["tiled"]["legend"]["object:PlayerStart"] == "spawn"
    assert recipe()["levels"]["c"]["tiled"]["legend"]["object:spawn"] == "below"
    built()


BOX = {"width": 32, "height": 16}


@pytest.mark.parametrize(
    ("drawn", "entry"),
    [
        (objects(thing(1, "", (16, 16), **BOX), name="Collisions"), "layer:Collisions"),
        (objects(thing(1, "zone", (16, 16), **BOX), name="Trees"), "layer:Trees"),
        (objects(thing(1, "wall", (16, 16), **BOX), name="Stuff"), "object:wall"),
        (objects(thing(1, "", (16, 16), name="water", **BOX), name="Stuff"), "object:water"),
    ],
)
def test_shapes_of_objects(bare: Path, drawn: str, entry: str) -> None:
    tiled("m.tmx", layer(ALL), drawn)
    assert init().code == 0
    assert entry in recipe()["tiled"]["legend"]
    built()
    assert blocked("m") == ["......", ".##...", "......"]


@pytest.mark.parametrize(
    "drawn",
    [
        objects(thing(1, "", (0, 0), width=96, height=48), name="Collisions"),
        objects(thing(1, "", (16, 16), name="guard the wall", **BOX), name="Wall events"),
        objects(thing(1, "water", (16, 16)), name="Points"),
    ],
)
def test_objects_that_are_no_obstacles(bare: Path, drawn: str) -> None:
    """Frames around whole maps, events, and points."""
    tiled("m.tmx", layer(ALL), drawn)
    assert init().code == 0
    built()
    assert blocked("m") == ["......"] * 3


def test_collision_shapes_of_tiles(bare: Path) -> None:
    shape = '<objectgroup><object id="1" x="0" y="0" width="16" height="16"/></objectgroup>'
    tileset = PLAIN.replace(
        "/>", f' tilewidth="16" tileheight="16"><tile id="1">{shape}</tile></tileset>'
    )
    mixed = [[1, 1, 2, 2, 1, 1]] * 3
    tiled("m.tmx", layer(mixed, name="A"), layer(FEW, name="B"), tileset=tileset)
    assert init().code == 0
    assert recipe()["tiled"]["legend"]["collision"] == "wall"
    built()
    assert blocked("m") == ["..##.."] * 3


def test_a_map_of_objects_alone(bare: Path) -> None:
    tiled("m.tmx", objects(thing(1, "", (16, 16), **BOX), name="Stuff"), tileset="")
    done = init()
    assert done.code == 0
    assert '"layer:Stuff" = "wall": the layer of most objects' in done.out
    built()
    assert blocked("m") == ["......", ".##...", "......"]


def test_objects_that_cannot_be_read(bare: Path) -> None:
    lost = thing(1, "", (16, 16), template="gone.tx")
    tiled("m.tmx", layer(ALL), objects(lost, name="Heroes"))
    done = init()
    assert done.code == 0
    assert 'objects of "Heroes" cannot be read: the file "gone.tx" is missing' in done.out
    assert recipe()["tiled"]["ignore"] == ["Heroes"]
    built()


def test_spawns_do_not_stand_on_walls(bare: Path) -> None:
    spawn = objects(thing(1, "spawn", (40, 20)))
    tiled("m.tmx", layer(ALL, name="A"), layer(FEW, name="B"), spawn)
    done = init()
    assert done.code == 0
    assert '"layer:B" = "below": a layer on 6% of the map, over "A"; spawns stand on it' in done.out
    built()
    assert blocked("m") == ["......"] * 3


def test_two_maps_that_do_not_agree(bare: Path) -> None:
    tiled("a.tmx", layer(ALL, name="Low"), layer(FEW, name="Tile Layer 2"))
    tiled("b.tmx", layer(ALL, name="Tile Layer 2"))
    assert init().code == 0
    assert recipe()["tiled"]["legend"]["layer:Tile Layer 2"] == "floor"
    assert recipe()["levels"] == {"a": {"tiled": {"legend": {"layer:Tile Layer 2": "wall"}}}}
    built()


def test_a_tileset_says_nothing_where_the_layer_does(bare: Path) -> None:
    """The same set of tiles draws walls in one map, and is the floor of another."""
    walls = PLAIN.replace('"pieces"', '"stone walls"')
    tiled("a.tmx", layer(RING, name="Two"), tileset=walls)
    tiled("b.tmx", layer(ALL, name="Floor"), tileset=walls)
    assert init().code == 0
    assert recipe()["levels"]["a"]["tiled"]["legend"] == {"tileset:stone walls": "wall"}
    built()
    assert blocked("b") == ["......"] * 3
