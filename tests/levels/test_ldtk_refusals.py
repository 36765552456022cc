"""LDtk files that are refused, each with its place and what was expected; never a traceback."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bake.core.errors import BakeErrors, LevelError
from bake.levels import LdtkReading, load, parts
from levelbake.errors import BakeError
from tests.support.ldtk_projects import (
    SET,
    entities,
    entity,
    int_grid,
    level,
    project,
    read,
    tile_layer,
    write,
)
from tests.support.levels import refusal


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "isle.ldtk"


def small() -> dict[str, Any]:
    things = entities(entity("Stairs", 0, 0, iid="s", to=["g"]), entity("Spawn", 1, 1, iid="g"))
    tiles = tile_layer(3, 2, {(0, 0): 1})
    return project(level("A", things, tiles, int_grid("..#", "~.."), at=(0, 0)))


def first(document: dict[str, Any]) -> Any:
    return document["levels"][0]


def ground(document: dict[str, Any]) -> Any:
    return first(document)["layerInstances"][2]


MISTAKES: list[tuple[str, Callable[[dict[str, Any]], object], str, str]] = [
    ("newer", lambda d: d.update(jsonVersion="1.6.0"), "jsonVersion", '"1.6.0" of LDtk is too new'),
    ("newest", lambda d: d.update(jsonVersion="2.0"), "jsonVersion", "update bake"),
    ("older", lambda d: d.update(jsonVersion="0.8.1"), "jsonVersion", "too old"),
    ("no version", lambda d: d.pop("jsonVersion"), "jsonVersion", "this is not an LDtk project"),
    ("odd version", lambda d: d.update(jsonVersion="new"), "jsonVersion", 'found "new"'),
    ("number", lambda d: d.update(jsonVersion=1.5), "jsonVersion", "found 1.5"),
    ("no levels", lambda d: d.update(levels=[]), "levels", "there are no levels"),
    ("levels object", lambda d: d.update(levels={}), "levels", "expected a list"),
    ("a level missing", lambda d: d["levels"].append(None), "levels[1]", "found null"),
    ("both", lambda d: d.update(worlds=[{"identifier": "W"}]), "levels", "beside worlds"),
    ("no name", lambda d: first(d).pop("identifier"), "levels[0]", "an identifier"),
    ("layout", lambda d: d.update(worldLayout="Round"), "worldLayout", "LinearVertical"),
    ("no definitions", lambda d: d.pop("defs"), "defs", "an object"),
    (
        "definition twice",
        lambda d: d["defs"]["layers"].append(d["defs"]["layers"][0]),
        "defs.layers[3].uid",
        "is given twice",
    ),
    (
        "no layers",
        lambda d: first(d).update(layerInstances=None),
        "levels[0] (A)",
        "names no file",
    ),
    (
        "unknown layer",
        lambda d: ground(d).update(layerDefUid=99),
        "levels[0].layerInstances[2].layerDefUid",
        "no layer definition has the uid 99",
    ),
    (
        "unknown tileset",
        lambda d: first(d)["layerInstances"][1].update(__tilesetDefUid=SET + 1),
        "levels[0].layerInstances[1].__tilesetDefUid",
        "no tileset has the uid 21",
    ),
    (
        "unknown type",
        lambda d: ground(d).update(__type="Voxels"),
        "levels[0].layerInstances[2].__type",
        "the type of the layer is unknown",
    ),
    (
        "too few values",
        lambda d: ground(d)["intGridCsv"].pop(),
        "levels[0].layerInstances[2].intGridCsv (Ground of A)",
        "5 values; expected 6, 3 x 2",
    ),
    (
        "too many values",
        lambda d: ground(d)["intGridCsv"].append(0),
        "levels[0].layerInstances[2].intGridCsv",
        "7 values",
    ),
    (
        "wrong size",
        lambda d: ground(d).update(__cWid=2),
        "levels[0].layerInstances[2] (Ground of A)",
        "expected 3 x 2 in a level of 48 x 32 px",
    ),
    (
        "unknown value",
        lambda d: ground(d)["intGridCsv"].__setitem__(4, 9),
        "levels[0].layerInstances[2].intGridCsv",
        "the value 9 has no definition; expected 0 or one of 1, 2, 3",
    ),
    (
        "value without a name",
        lambda d: d["defs"]["layers"][0]["intGridValues"][0].update(identifier=None),
        "levels[0].layerInstances[2].intGridCsv",
        'add "value:Ground:1" = "wall" below [ldtk.legend]',
    ),
    (
        "text among values",
        lambda d: ground(d)["intGridCsv"].__setitem__(0, "1"),
        "levels[0].layerInstances[2].intGridCsv[0]",
        'found "1"; expected a whole number',
    ),
    (
        "a grid of nothing",
        lambda d: ground(d).update(__gridSize=0),
        "levels[0].layerInstances[2].__gridSize",
        "found 0",
    ),
    (
        "a grid that does not fit",
        lambda d: first(d)["layerInstances"][1].update(__gridSize=12, __cWid=4, __cHei=3),
        "levels[0].layerInstances[2] (Ground of A)",
        "expected a multiple of 12 px",
    ),
    (
        "an odd offset",
        lambda d: ground(d).update(__pxTotalOffsetX=3),
        "levels[0].layerInstances[2] (Ground of A)",
        "offset by 3 px in x",
    ),
    (
        "a tile without a place",
        lambda d: first(d)["layerInstances"][1]["gridTiles"][0].update(px=[1]),
        "levels[0].layerInstances[1].gridTiles[0].px",
        "found 1 items; expected at least 2",
    ),
    (
        "huge",
        lambda d: first(d).update(pxWid=2**39),
        "levels[0].layerInstances[1] (Tiles of A)",
        "expected 34,359,738,368 x 2",
    ),
    (
        "huger than any",
        lambda d: first(d).update(pxWid=10**30),
        "levels[0].pxWid",
        "found 1000000000000000000000000000000",
    ),
]


@pytest.mark.parametrize(
    ("change", "place", "told"), [each[1:] for each in MISTAKES], ids=[each[0] for each in MISTAKES]
)
def test_mistakes(
    path: Path, change: Callable[[dict[str, Any]], object], place: str, told: str
) -> None:
    document = small()
    read(path, document)
    change(document)
    line = refusal(write(path, document))
    assert line.startswith(place)
    assert told in line


def test_several_mistakes_at_once(path: Path) -> None:
    document = small()
    ground(document)["intGridCsv"][0] = "1"
    first(document)["pxWid"] = "wide"
    with pytest.raises(BakeErrors) as caught:
        read(path, document)
    assert len(caught.value.problems) == 2


def test_levels_that_do_not_fit_together(path: Path) -> None:
    a, b = level("A", int_grid("..")), level("B", int_grid(".."), at=(1, 0))
    assert "levels[1] (B): the level overlaps A" in refusal(write(path, project(a, b)))
    b["worldX"] = 37
    assert "the level lies at (37, 0) px" in refusal(write(path, project(a, b)))
    b["worldX"] = 16 * 2**30
    assert 'world = "each" in [ldtk]' in refusal(write(path, project(a, b)))


def test_no_terrain_at_all(path: Path) -> None:
    document = project(level("A", entities(entity("Spawn", 0, 0))))
    assert "terrain" in refusal(write(path, document))


def test_names_given_twice(path: Path) -> None:
    document = project(level("A", int_grid(".")), level("a", int_grid("."), at=(1, 0)))
    with pytest.raises(LevelError, match=r'levels\[1\]: .*"a" is given twice'):
        read(write(path, document), document, "A", world="each")
    with pytest.raises(LevelError, match="given twice"):
        parts(path, ldtk=LdtkReading(world="each"))


def test_a_part_that_is_not_there(path: Path) -> None:
    document = project(level("A", int_grid(".")))
    with pytest.raises(LevelError, match=r'no level "B".*"A"'):
        read(path, document, "B", world="each")


def test_a_level_file_alone(tmp_path: Path) -> None:
    file = write(tmp_path / "A.ldtkl", level("A", int_grid(".")))
    assert "expected the project's .ldtk file" in refusal(file)


def test_level_files(tmp_path: Path) -> None:
    """Missing, another level's, without layers, outside of the project."""
    home = tmp_path / "home"
    told = level("A", int_grid(".")) | {"layerInstances": None, "externalRelPath": "A.ldtkl"}
    path = write(home / "isle.ldtk", project(told))
    assert 'levels[0].externalRelPath: the file "A.ldtkl" is missing' in refusal(path)
    for wrong, line in (
        (level("B", int_grid(".")), 'identifier: this is the level "B"; expected "A"'),
        (told, "layerInstances: the level has no layers"),
        ([], "top level: found a list"),
    ):
        write(home / "A.ldtkl", wrong)
        with pytest.raises(LevelError) as caught:
            load(path, {})
        assert str(caught.value).startswith(f"{home / 'A.ldtkl'}: {line}")
    write(tmp_path / "A.ldtkl", level("A", int_grid(".")))
    for reference in ("../A.ldtkl", str(tmp_path / "A.ldtkl"), "C:/A.ldtkl"):
        told["externalRelPath"] = reference
        write(path, project(told))
        assert "leaves the project folder" in refusal(path)
        assert "allow_outside = true in [ldtk]" in refusal(path)
    told["externalRelPath"] = "../A.ldtkl"
    write(path, project(told))
    assert load(path, {}, ldtk=LdtkReading(allow_outside=True)).depends_on
    assert load(path, {}, project=tmp_path).depends_on
    for reference in ("", "a\0b", "x" * 5000):
        told["externalRelPath"] = reference
        assert "levels[0].externalRelPath: the " in refusal(write(path, project(told)))


@pytest.mark.skipif(not hasattr(Path, "symlink_to"), reason="no links here")
def test_a_link_out_of_the_project(tmp_path: Path) -> None:
    file = write(tmp_path / "A.ldtkl", level("A", int_grid(".")))
    told = level("A", int_grid(".")) | {"layerInstances": None, "externalRelPath": "A.ldtkl"}
    path = write(tmp_path / "home" / "isle.ldtk", project(told))
    (path.parent / "A.ldtkl").symlink_to(file)
    assert "leaves the project folder" in refusal(path)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "the file is empty"),
        ("{", "not JSON"),
        ("[]", "the file holds a list"),
        ("[" * 100_000, "nested too deeply"),
        ('{"jsonVersion": "1.5.3", "jsonVersion": "1.5.3"}', "given twice"),
        ('{"jsonVersion": ' + "9" * 9999 + "}", "the JSON cannot be used"),
    ],
)
def test_what_is_no_project(path: Path, text: str, told: str) -> None:
    path.write_text(text, encoding="utf-8")
    assert told in refusal(path)
    with pytest.raises(LevelError):
        parts(path)


JUNK = st.sampled_from(
    [None, True, -1, 0, 3, 2**70, 1.5, "", "x", "\x00", [], [0], {}, {"a": 1}, [[]], [None]]
)


def every_place(value: Any, steps: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inside = value.items() if isinstance(value, dict) else enumerate(value)
    found = []
    for key, each in inside:
        found.append((*steps, key))
        if isinstance(each, dict | list):
            found += every_place(each, (*steps, key))
    return found


PLACES = every_place(small())


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from(PLACES), JUNK), min_size=1, max_size=3), st.booleans())
def test_mutated_projects(tmp_path: Path, changes: list[tuple[Any, Any]], each: bool) -> None:
    """Whatever stands in a file, it is read, or refused as a mistake."""
    document = copy.deepcopy(small())
    for steps, junk in changes:
        owner: Any = document
        try:
            for step in steps[:-1]:
                owner = owner[step]
            owner[steps[-1]] = copy.deepcopy(junk)  # a later change may go inside
        except (KeyError, IndexError, TypeError):
            continue  # an earlier change took it away
    path = tmp_path / "isle.ldtk"
    path.write_text(json.dumps(document), encoding="utf-8")
    reading = LdtkReading(world="each" if each else "one")
    told = ""
    try:
        for part in parts(path, ldtk=reading):
            load(path, {}, part=part, ldtk=reading)
    except BakeError as error:
        told = str(error)
    assert not told or str(path) in told
