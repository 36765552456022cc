"""`bake check`: every missing or stale asset by name, and why."""

import json
from pathlib import Path

import pytest

from bake.store import schema
from levelbake import file as reading
from tests.support.command import bake, mistake
from tests.support.projects import LEVELS
from tests.support.tampering import change_header


def test_all_is_well(project: Path) -> None:
    done = bake("check")
    assert (done.code, done.out, done.err) == (0, "4 of 4 assets are up to date\n", "")


def test_each_stale_asset_and_why(project: Path) -> None:
    baked = project / "baked"
    (baked / "fen.h5").unlink()
    (baked / "five.h5").write_text("something else")
    with (project / "levels_src" / "yard.map").open("a") as source:
        source.write("\n")
    with (project / "bake.toml").open("a") as recipe:
        recipe.write("\n[levels.ways]\nticks_per_unit = 10\n")
    done = bake("check")
    assert (done.code, done.err) == (1, "")
    assert done.out.splitlines() == [
        f"{Path('baked/fen.h5')}: missing",
        f"{Path('baked/five.h5')}: this is not an HDF5 file",
        f"{Path('baked/ways.h5')}: the recipe changed",
        f"{Path('baked/yard.h5')}: yard.map changed",
        "0 of 4 assets are up to date",
    ]


def test_two_reasons_share_a_line(project: Path) -> None:
    change_header(project / "baked" / "yard.h5", bake_revision=schema.BAKE_REVISION - 1)
    with (project / "levels_src" / "yard.map").open("a") as source:
        source.write("\n")
    line = bake("check").out.splitlines()[0]
    revision = f"baked by revision {schema.BAKE_REVISION - 1}, now {schema.BAKE_REVISION}"
    assert line.endswith(f"yard.h5: {revision}; yard.map changed")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (
            {"format_version": reading.FORMAT_VERSION + 1},
            f"too new: format version {reading.FORMAT_VERSION + 1}",
        ),
        (
            {"format_version": reading.OLDEST_READABLE - 1},
            f"too old: format version {reading.OLDEST_READABLE - 1}",
        ),
        ({"sources": [["five.map", "0" * 64]]}, "baked from five.map, now five.json"),
    ],
)
def test_reasons_in_the_header(project: Path, change: dict[str, object], reason: str) -> None:
    change_header(project / "baked" / "five.h5", **change)
    done = bake("check", "levels_src/five.json")
    assert done.code == 1
    assert f"five.h5: {reason}" in done.out.splitlines()[0]


def test_a_source_that_is_gone_is_no_level_any_more(project: Path) -> None:
    (project / "levels_src" / "five.json").unlink()
    assert bake("check").out == "3 of 3 assets are up to date\n"


def test_json(project: Path) -> None:
    (project / "baked" / "fen.h5").unlink()
    done = bake("check", "--json")
    assert (done.code, done.err) == (1, "")
    assert done.data["fresh"] is False
    assert [level["level"] for level in done.data["levels"]] == list(LEVELS)
    assert done.data["levels"][0] == {
        "level": "fen",
        "asset": str(Path("baked/fen.h5")),
        "fresh": False,
        "reasons": ["missing"],
    }
    assert done.data["levels"][1]["reasons"] == []
    assert bake("build", "--jobs", "1").code == 0
    assert bake("check", "--json").data["fresh"] is True


def test_options_are_those_of_build(project: Path) -> None:
    assert bake("build", "--profile", "boat", "-o", "boats", "--jobs", "1").code == 0
    assert bake("check", "--profile", "boat", "-o", "boats").code == 0
    done = bake("check", "-o", "boats", "levels_src/fen.png")
    assert done.out.splitlines()[0] == f"{Path('boats/fen.h5')}: the recipe changed"
    mistake(bake("check", "--recipe", "none.toml"), "none.toml", "no such file")


def test_an_asset_without_its_columns_is_damaged(project: Path) -> None:
    asset = project / "baked" / "five.h5"
    data = bytearray(asset.read_bytes())
    block = json.loads(data[: data.index(b"}") + 1])["block"]
    data[block:] = bytes(len(data) - block)
    asset.write_bytes(data)
    done = bake("check")
    assert done.code == 1
    assert "five.h5: damaged" in done.out + done.err
    mistake(bake("verify", asset), "five.h5", "damaged")
    assert bake("build").code == 0
    assert bake("check").code == 0
