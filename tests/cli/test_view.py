"""`bake view`: pages of one file, mistakes, and comparisons.

The server is tested with the viewer.
"""

from __future__ import annotations

import base64
import json
import re
import shutil
import zlib
from pathlib import Path
from typing import Any

import pytest

from bake.show.viewer.served import ServedLevels
from tests.support.command import bake, mistake


def contents(page: Path, number: int = 0) -> dict[str, Any]:
    """What a page of one file holds of a level."""
    text = page.read_text("utf-8")
    found = re.search(rf'id="contents-{number}">([^<]*)<', text)
    assert found is not None
    told: dict[str, Any] = json.loads(zlib.decompress(base64.b64decode(found[1])))
    return told


def test_a_page_of_one_file(project: Path) -> None:
    done = bake("view", "baked/yard.h5", "--html", "yard.html")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("yard.html: 1 level, ")
    assert contents(project / "yard.html")["asset"] == "yard.h5"
    first = (project / "yard.html").read_bytes()
    assert bake("view", "baked/yard.h5", "--html", "yard.html").code == 0
    assert (project / "yard.html").read_bytes() == first


def test_a_page_of_a_folder(project: Path) -> None:
    done = bake("view", "baked", "--html", "all.html", "--json")
    assert done.data["levels"] == ["fen", "five", "ways", "yard"]
    assert done.data["bytes"] == (project / "all.html").stat().st_size


def test_a_folder_among_assets_is_no_asset(project: Path) -> None:
    (project / "baked" / "old.h5").mkdir()
    done = bake("view", "baked", "--html", "all.html", "--json")
    assert done.data["levels"] == ["fen", "five", "ways", "yard"]
    assert sorted(ServedLevels(project / "baked").assets()) == ["fen", "five", "ways", "yard"]
    (project / "baked" / "gone.h5").symlink_to(project / "absent.h5")
    mistake(bake("view", "baked", "--html", "all.html"), "gone.h5")


def test_a_page_with_traces(project: Path) -> None:
    assert bake("path", "baked/yard.h5", "0,0", "3,0", "--trace", "way.json").code == 0
    assert bake("view", "baked/yard.h5", "--html", "yard.html", "--trace", "way.json").code == 0
    (trace,) = contents(project / "yard.html")["traces"]
    assert (trace["format"], trace["level"]) == ("bake-trace", "yard")
    mistake(bake("view", "baked", "--trace", "way.json"), "a trace is of one level")
    mistake(bake("view", "baked/yard.h5", "--html", "a.html", "--trace", "no.json"), "no.json: ")
    mistake(bake("view", "baked/five.h5", "--html", "a.html", "--trace", "way.json"), "way.json: ")
    assert not (project / "a.html").exists()


@pytest.mark.usefixtures("project")
def test_levels_are_no_assets() -> None:
    mistake(bake("view", "levels_src/fen.png"), "this is a level", "name baked/fen.h5")
    Path("levels_src/fen.png").rename("new.png")
    mistake(bake("view", "new.png"), "this is a level", "`bake build new.png`")
    mistake(bake("view", "baked/fen.png"), "baked/fen.png: there is no such file")
    mistake(bake("view", "levels_src"), "there is no asset in this folder")
    mistake(bake("view", "baked/yard.bake"), "baked/yard.bake: there is no such file")
    Path("baked/yard.bake").write_bytes(b"")
    mistake(bake("view", "baked/yard.bake"), "this is a flat file", "view the asset")
    mistake(bake("view", "bake.toml"), "bake.toml: ")
    mistake(bake("view", "baked/yard.h5", "--against", "new.png"), "this is a level")
    mistake(bake("view", "baked", "--against", "baked/yard.h5"), "a folder is compared with a fold")


@pytest.mark.usefixtures("project")
def test_a_damaged_asset() -> None:
    asset = Path("baked/yard.h5")
    data = bytearray(asset.read_bytes())
    data[len(data) // 2] ^= 255
    asset.write_bytes(data)
    mistake(bake("view", asset, "--no-browser"), "baked/yard.h5: damaged")
    mistake(bake("view", asset, "--html", "yard.html"), "baked/yard.h5: damaged")
    assert not Path("yard.html").exists()


@pytest.mark.usefixtures("project")
def test_other_files_are_not_replaced() -> None:
    before = Path("levels_src/fen.png").read_bytes()
    done = bake("view", "baked/fen.h5", "--html", "levels_src/fen.png")
    mistake(done, "not a page of `bake view`")
    assert Path("levels_src/fen.png").read_bytes() == before
    mistake(bake("view", "baked/fen.h5", "--html", "nowhere/fen.html"), "cannot be written")
    mistake(bake("view", "baked/fen.h5", "--html", "baked"), "a folder, a device or a pipe")


@pytest.mark.usefixtures("project")
def test_wrong_use() -> None:
    assert bake("view", "baked", "--html", "a.html", "--port", "9000").code == 2
    assert bake("view", "baked", "--port", "0").code == 2
    assert bake("view", "baked", "--port", "65536").code == 2


# -- comparisons ----------------------------------------------------------------------------------

BEFORE = ["......", "##.#.#", "......", "......"]
AFTER = ["......", "######", "..#...", "......"]


@pytest.fixture
def bakes(bare: Path) -> Path:
    for name, lines in (("old", BEFORE), ("new", AFTER)):
        (bare / name).mkdir()
        terrains = {"floor": 1, "wall": "blocked"}
        legend = {".": "floor", "#": "wall"}
        hall = {"format": "bake-tiles", "version": 1, "terrains": terrains, "legend": legend}
        (bare / name / "hall.json").write_text(json.dumps(hall | {"rows": lines}))
        assert bake("build", bare / name, "-o", bare / name).code == 0
    return bare


def test_a_difference_names_the_cells_that_diff_names(bakes: Path) -> None:
    done = bake("view", "new/hall.h5", "--against", "old/hall.h5", "--html", "hall.html")
    assert done.code == 0, done
    told = contents(bakes / "hall.html")["difference"]
    said = bake("diff", "old/hall.h5", "new/hall.h5", "--json").data
    assert (told["old"], told["new"]) == ("hall.h5", "hall.h5")
    shared, own = said["profiles"]["default"], told["profiles"]["default"]
    assert {key: own[key] for key in shared} == shared
    assert own["closed"] == [[2, 1], [4, 1], [2, 2]]
    # By hand: the six cells above are the smaller part, so they lost the larger one.
    assert own["cut_off"] == [[x, 0] for x in range(6)]
    assert own["joined"] == []
    grown = {tuple(place): units for place, units in own["longer"]}
    # From (1, 2) to (3, 2) one went straight, 2 units, and now goes below, 4, as no diagonal step
    # may pass a corner.
    assert grown[1, 2] == grown[3, 2] == 2.0
    assert (0, 0) not in grown


def test_the_old_bake_comes_with_it(bakes: Path) -> None:
    assert bake("export", "old/hall.h5", "-o", "old.bake").code == 0
    done = bake("view", "new", "--against", "old", "--html", "hall.html")
    assert done.code == 0, done
    packed = contents(bakes / "hall.html")["difference"]["flat"]
    assert packed["dtype"] == "uint8"
    assert base64.b64decode(packed["base64"]) == (bakes / "old.bake").read_bytes()


def test_a_new_level_is_compared_with_nothing(bakes: Path) -> None:
    shutil.copy(bakes / "new" / "hall.h5", bakes / "new" / "attic.h5")
    assert bake("view", "new", "--against", "old", "--html", "all.html").code == 0
    assert "difference" not in contents(bakes / "all.html", 0)
    assert "difference" in contents(bakes / "all.html", 1)


@pytest.mark.usefixtures("project")
def test_levels_of_two_kinds() -> None:
    done = bake("view", "baked/yard.h5", "--against", "baked/five.h5", "--html", "a.html")
    mistake(done, "cannot be compared with")
