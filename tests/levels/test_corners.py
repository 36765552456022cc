"""Random levels of Tiled and LDtk in every corner of their formats, against plain Python."""

import os
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bake.core.level import GridLevel
from bake.levels import LdtkReading, TiledReading, load
from bake.levels.reading.marks import HEADINGS
from tests.support import ldtk_corners as ldtk
from tests.support import tiled_corners as tiled
from tests.support.levels import named

#: Seeds of a run by hand: BAKE_CORNERS=200 pytest -s tests/levels/test_corners.py
BY_HAND = int(os.environ.get("BAKE_CORNERS", "0"))


def differences(
    level: GridLevel, meant: tiled.Meaning, built_in_rules: dict[str, float | None]
) -> list[str]:
    """Compare a level with its meaning, cell by cell."""
    found = []
    grid = named(level)
    if [len(row) for row in grid] != [len(row) for row in meant.terrain]:
        return [f"{len(grid[0])} x {len(grid)}, not {len(meant.terrain[0])} x {len(meant.terrain)}"]
    for y, row in enumerate(meant.terrain):
        for x, name in enumerate(row):
            if grid[y][x] != name:
                found.append(f"cell ({x}, {y}) is {grid[y][x]!r}, not {name!r}")
            bits = 0 if level.barred is None else int(level.barred[y, x])
            sides = {side for side, bit in HEADINGS.items() if bits & bit}
            if sides != meant.barred[y][x]:
                found.append(f"cell ({x}, {y}) bars {sides}, not {set(meant.barred[y][x])}")
    for name in {name for row in meant.terrain for name in row}:
        rule = level.terrain_rules.get(name)
        cost = "none" if rule is None else rule.cost
        expected = meant.costs.get(name, built_in_rules.get(name, "none"))
        if cost != expected:
            found.append(f"{name!r} costs {cost}, not {expected}")
    spots = [(each.name, each.kind, each.cell, each.profiles) for each in level.things.spots]
    links = [
        (each.name, each.kind, each.start, each.goal, each.cost, each.both_ways, each.profiles)
        for each in level.things.links
    ]
    if sorted(spots, key=repr) != sorted(meant.spots, key=repr):
        found.append(f"spots {spots}, not {meant.spots}")
    if sorted(links, key=repr) != sorted(meant.links, key=repr):
        found.append(f"links {links}, not {meant.links}")
    return found


def check_tiled(seed: int) -> tuple[int, list[str]]:
    """Write maps of one seed, alone and as a world, and compare what is read of them."""
    draftsman = tiled.Draftsman(Random(seed))
    random = draftsman.random
    files, found = 0, []
    with TemporaryDirectory() as name:
        folder = Path(name)
        maps = folder / "maps"
        maps.mkdir()
        drawings = [draftsman.drawing("one"), draftsman.drawing("two", infinite=False)]
        drawings.append(draftsman.drawing("three", infinite=False))
        if draftsman.has_project:
            where = random.choice([folder, maps])
            (where / "game.tiled-project").write_text(draftsman.project_file(), "utf-8")
        reading = TiledReading(legend=tiled.LEGEND)
        for drawing in drawings:
            path = draftsman.write(maps, drawing)
            meant = draftsman.meaning(drawing)
            level = load(path, {}, tiled=reading, project=folder)
            assert isinstance(level, GridLevel)
            files += 1
            found += [
                f"{drawing.form}: {each}" for each in differences(level, meant, tiled.BUILT_IN)
            ]
        width = len(drawings[1].layers[0].gids[0])
        x, y = width + random.randint(0, 3), random.randint(-3, 3)
        placed = [(drawings[1], 0, 0), (drawings[2], x, y)]
        path = tiled.write_world(maps, placed, backslash=random.random() < 0.5)
        meant = tiled.joined(
            [
                (drawing.form.name.partition(".")[0], draftsman.meaning(drawing), *place)
                for drawing, *place in placed
            ]
        )
        level = load(path, {}, tiled=reading, project=folder)
        assert isinstance(level, GridLevel)
        files += 1
        found += [f"world: {each}" for each in differences(level, meant, tiled.BUILT_IN)]
    return files, found


def check_ldtk(seed: int) -> tuple[int, list[str]]:
    """Write a project of one seed, and compare what is read of its world and of each level."""
    drawing = ldtk.draw(Random(seed))
    files, found = 0, []
    with TemporaryDirectory() as name:
        path = ldtk.write(Path(name), drawing)
        for part, meant in ldtk.meanings(drawing).items():
            reading = LdtkReading(world="each" if part else "one")
            level = load(path, {}, part=part, ldtk=reading)
            assert isinstance(level, GridLevel)
            files += 1
            found += [f"{part}: {each}" for each in differences(level, meant, ldtk.BUILT_IN)]
    return files, found


@given(st.integers(0, 2**32))
def test_tiled(seed: int) -> None:
    assert check_tiled(seed)[1] == []


@given(st.integers(0, 2**32))
def test_ldtk(seed: int) -> None:
    assert check_ldtk(seed)[1] == []


@pytest.mark.skipif(not BY_HAND, reason="BAKE_CORNERS gives the number of seeds")
def test_by_hand() -> None:
    """Count the files of many seeds that are read otherwise than meant; run it with -s."""
    files, wrong = 0, []
    for seed in range(BY_HAND):
        for check in (check_tiled, check_ldtk):
            count, found = check(seed)
            files += count
            wrong += [f"seed {seed}: {each}" for each in found]
    print(f"{files} files, {len(wrong)} wrong")
    assert wrong == []
