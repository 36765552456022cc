"""References between files, as designers on Windows and macOS write them."""

import json
import os
from pathlib import Path
from unicodedata import normalize

import pytest

from bake.core.errors import LevelError
from bake.core.level import GridLevel
from bake.levels import TiledReading, load
from tests.support import ldtk_projects as ldtk
from tests.support.levels import named
from tests.support.tiled_maps import GIDS, TILESET, layer, objects, read, refused, tmx, write

TSX = TILESET.replace(' firstgid="1"', "").strip()
FLOORS = [["floor", "wall", "mud"], ["water", "void", "floor"]]


def with_reference(reference: str) -> str:
    return tmx(
        layer(GIDS), width=3, height=2, tileset=f'<tileset firstgid="1" source="{reference}"/>'
    )


def needs_case(folder: Path) -> None:
    """Skip where the file system takes names that differ in case for one."""
    (folder / "probe").touch()
    if (folder / "PROBE").exists():
        pytest.skip("names of one letter case are names of another here")


@pytest.mark.parametrize(
    "reference",
    ["art\\set.tsx", ".\\art\\set.tsx", "art\\..\\art/set.tsx", "maps\\..\\art\\set.tsx"],
)
def test_backslashes(tmp_path: Path, reference: str) -> None:
    write(tmp_path, TSX, "art/set.tsx")
    (tmp_path / "maps").mkdir()
    level = read(write(tmp_path, with_reference(reference)))
    assert named(level) == FLOORS
    (file,) = level.depends_on
    assert file.resolve() == (tmp_path / "art" / "set.tsx").resolve()


@pytest.mark.skipif(os.name == "nt", reason="a backslash is no letter there")
def test_a_file_whose_name_has_a_backslash(tmp_path: Path) -> None:
    """It is what the reference means on this system."""
    write(tmp_path, TSX.replace("mud", "bog"), "art/set.tsx")
    write(tmp_path, TSX, "art\\set.tsx")
    assert named(read(write(tmp_path, with_reference("art\\set.tsx")))) == FLOORS


@pytest.mark.parametrize("reference", ["..\\set.tsx", "art\\..\\..\\set.tsx", "C:\\set.tsx"])
def test_backslashes_out_of_the_project(tmp_path: Path, reference: str) -> None:
    write(tmp_path, TSX, "set.tsx")
    path = write(tmp_path, with_reference(reference), "game/map.tmx")
    (tmp_path / "game" / "art").mkdir()
    assert "leaves the project folder" in refused(path)


@pytest.mark.parametrize(
    ("reference", "file"),
    [
        ("set.TSX", "set.tsx"),
        ("Art/set.tsx", "art/set.tsx"),
        ("ART\\SET.tsx", "art/set.tsx"),
        ("art/../Art/set.tsx", "art/set.tsx"),
    ],
)
def test_letter_case(tmp_path: Path, reference: str, file: str) -> None:
    needs_case(tmp_path)
    write(tmp_path, TSX, file)
    (tmp_path / "art").mkdir(exist_ok=True)
    line = refused(write(tmp_path, with_reference(reference)))
    assert "tilesets[0]" in line
    assert file.rpartition("/")[2] in line
    assert "differs in letter case" in line


def test_two_files_that_differ_in_case(tmp_path: Path) -> None:
    needs_case(tmp_path)
    write(tmp_path, TSX, "set.tsx")
    write(tmp_path, TSX, "SET.tsx")
    line = refused(write(tmp_path, with_reference("Set.tsx")))
    assert "is missing" in line
    assert "differs" not in line
    assert "differs" not in refused(write(tmp_path, with_reference("other.tsx")))


def test_accents(tmp_path: Path) -> None:
    composed, apart = (normalize(form, "h\u00f6hle.tsx") for form in ("NFC", "NFD"))
    write(tmp_path, TSX, apart)
    path = write(tmp_path, with_reference(composed))
    if (tmp_path / composed).exists():
        assert named(read(path)) == FLOORS
        return
    assert "differs in how accents are encoded" in refused(path)
    path = write(tmp_path, with_reference(composed.upper().replace(".TSX", ".tsx")))
    assert "differs in letter case and how accents are encoded" in refused(path)


def test_templates_and_tilesets_of_tilesets(tmp_path: Path) -> None:
    start = '<template><object type="spawn" x="8" y="8"><point/></object></template>'
    write(tmp_path, start, "parts/start.tx")
    item = '<object id="1" template="parts\\start.tx" x="8" y="8"/>'
    text = tmx(layer(GIDS), objects(item), width=3, height=2)
    (spot,) = read(write(tmp_path, text)).things.spots
    assert spot.kind == "spawn"
    needs_case(tmp_path)
    line = refused(write(tmp_path, text.replace("start.tx", "Start.tx")))
    assert "object 1" in line
    assert "start.tx" in line


def write_world(folder: Path, name: str) -> Path:
    world = {"type": "world", "maps": [{"fileName": name, "x": 0, "y": 0}]}
    return write(folder, json.dumps(world), "all.world")


def test_worlds(tmp_path: Path) -> None:
    write(tmp_path, tmx(layer(GIDS), width=3, height=2), "maps/One.tmx")
    level = load(write_world(tmp_path, "maps\\One.tmx"), {}, tiled=TiledReading())
    assert isinstance(level, GridLevel)
    assert named(level) == FLOORS
    needs_case(tmp_path)
    with pytest.raises(LevelError, match=r"maps/One\.tmx.*letter case"):
        load(write_world(tmp_path, "maps\\one.tmx"), {}, tiled=TiledReading())


def test_patterns_of_worlds(tmp_path: Path) -> None:
    needs_case(tmp_path)
    write(tmp_path, tmx(layer(GIDS), width=3, height=2), "Map_0_0.tmx")
    world = {"type": "world", "patterns": [{"regexp": r"map_(\d+)_(\d+)\.tmx"}]}
    path = write(tmp_path, json.dumps(world), "all.world")
    with pytest.raises(LevelError, match=r'"Map_0_0\.tmx".*letter case'):
        load(path, {}, tiled=TiledReading())


def test_levels_of_ldtk(tmp_path: Path) -> None:
    own = ldtk.level("A", ldtk.int_grid("#."))
    document = ldtk.project({**own, "layerInstances": None, "externalRelPath": "W\\A.ldtkl"})
    ldtk.write(tmp_path / "W" / "A.ldtkl", own)
    level = ldtk.read(tmp_path / "w.ldtk", document)
    assert level.terrain.shape == (1, 2)
    needs_case(tmp_path)
    document["levels"][0]["externalRelPath"] = "w/A.ldtkl"
    with pytest.raises(LevelError, match=r"W/A\.ldtkl.*letter case"):
        ldtk.read(tmp_path / "w.ldtk", document)
