"""What names are taken to mean."""

import pytest

from bake.project.init.words import guess_role, guess_spot, guess_terrain


@pytest.mark.parametrize(
    ("name", "word", "cost"),
    [
        ("Walls", "wall", None),
        ("wall_tiles", "wall", None),
        ("brickWall", "wall", None),
        ("stonewalls", "wall", None),
        ("WATER", "water", None),
        ("Deep Water", "water", None),
        ("shallow water", "shallow", 3),
        ("bridge over water", "bridge", 1),
        ("Trees", "tree", None),
        ("bushes", "bush", None),
        ("lava", "lava", None),
        ("not walkable", "wall", None),
        ("non-walkable", "wall", None),
        ("Unwalkable", "unwalkable", None),
        ("walkable", "walkable", 1),
        ("Ground", "ground", 1),
        ("GrassLand2", "land", 1),
        ("grass", "grass", 1),
        ("Dark Dirt", "dirt", 1.5),
        ("mud-pit", "pit", None),
        ("muddy", None, 0),
        ("swamp", "swamp", 3),
        ("road_01", "road", 1),
        ("stairs", "stairs", 1),
        ("outdoor", None, 0),
        ("Tile Layer 1", None, 0),
        ("Décor", None, 0),
        ("水", None, 0),
        ("", None, 0),
        ("12", None, 0),
    ],
)
def test_meaning(name: str, word: str | None, cost: float | None) -> None:
    found = guess_terrain(name)
    if word is None:
        assert found is None
    else:
        assert found is not None
        assert (found.word, found.cost) == (word, cost)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("Collisions", "collision"),
        ("collision layer", "collision"),
        ("Above Player", "above"),
        ("Wall_tops", "above"),
        ("Roofs", "above"),
        ("Ground decoration", "adornment"),
        ("Flowers", "adornment"),
        ("Walls", None),
        ("Ground", None),
        ("", None),
    ],
)
def test_role(name: str, kind: str | None) -> None:
    found = guess_role(name)
    assert (None if found is None else found[0]) == kind


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("PlayerStart", "spawn"),
        ("player_spawn", "spawn"),
        ("Exit", "exit"),
        ("level-exit", "exit"),
        ("Chest", None),
        ("", None),
    ],
)
def test_thing(name: str, kind: str | None) -> None:
    found = guess_spot(name)
    assert (None if found is None else found[0]) == kind
