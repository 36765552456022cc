"""Builds that write flat files: when they do, what they leave alone, and what is refused."""

from pathlib import Path

import pytest

from bake.play import open_asset
from levelbake.file import FlatFile
from tests.support.baked import rows, write_grid
from tests.support.command import bake

RECIPE = "[export]\nflat = true\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "levels_src").mkdir()
    for name in ("one", "two"):
        write_grid(tmp_path / "levels_src" / f"{name}.json", rows("..#.", "...."))
    return tmp_path


def built(*arguments: str) -> dict[str, tuple[str, bool]]:
    """What a build did: each level's status, and whether its flat file was written."""
    told = bake("build", "--jobs", "1", "--json", *arguments).data["levels"]
    return {level["level"]: (level["status"], "flat" in level) for level in told}


def test_a_build_writes_what_the_recipe_asks_for(folder: Path) -> None:
    (folder / "bake.toml").write_text(RECIPE)
    assert built("--jobs", "2") == {"one": ("baked", True), "two": ("baked", True)}
    with open_asset("baked/one.bake") as level:
        assert level.profile().next_hop((0, 0), (3, 0)) is not None
    first = Path("baked/one.bake").read_bytes()
    assert built() == {"one": ("fresh", False), "two": ("fresh", False)}
    Path("baked/one.bake").unlink()
    assert bake("check").out.splitlines()[0].startswith("baked/one.h5: its flat file")
    assert bake("check").code == 1
    assert "2 fresh, 1 flat file written in" in bake("build", "--jobs", "1").out
    assert Path("baked/one.bake").read_bytes() == first
    assert "1 flat file written" not in bake("build", "--jobs", "1").out
    assert bake("check").code == 0


def test_without_the_recipe_the_option_asks(folder: Path) -> None:
    built()
    assert not list(Path("baked").glob("*.bake"))
    assert bake("build", "--jobs", "1", "--export").out.endswith("s\n")
    assert len(list(Path("baked").glob("*.bake"))) == 2


def test_a_flat_file_of_an_older_asset_is_stale(folder: Path) -> None:
    (folder / "bake.toml").write_text(RECIPE)
    built()
    old = Path("baked/one.bake").read_bytes()
    write_grid(folder / "levels_src/one.json", rows("....", ".##."))
    assert built() == {"one": ("baked", True), "two": ("fresh", False)}
    assert Path("baked/one.bake").read_bytes() != old
    Path("baked/one.bake").write_bytes(old)
    told = bake("check").out.splitlines()[0]
    assert told == "baked/one.h5: its flat file was exported from another asset"
    assert built()["one"] == ("fresh", True)


def test_other_parts_are_written_anew(folder: Path) -> None:
    (folder / "bake.toml").write_text(RECIPE)
    built()
    (folder / "bake.toml").write_text(RECIPE + "hierarchy = true\n")
    told = bake("check").out.splitlines()[0]
    assert "other tables" in told
    assert built() == {"one": ("fresh", True), "two": ("fresh", True)}
    assert (0, "cluster") in FlatFile(Path("baked/one.bake")).entries


def test_a_damaged_flat_file_is_written_anew(folder: Path) -> None:
    (folder / "bake.toml").write_text(RECIPE)
    built()
    Path("baked/one.bake").write_bytes(Path("baked/one.bake").read_bytes()[:-64])
    assert built() == {"one": ("fresh", True), "two": ("fresh", False)}


def test_what_is_no_flat_file_is_left_alone(folder: Path) -> None:
    (folder / "bake.toml").write_text(RECIPE)
    built()
    Path("baked/one.bake").write_text("my notes")
    done = bake("build", "--jobs", "2")
    assert done.code == 1
    (error,) = done.errors
    assert "baked/one.bake: " in error
    assert "flat file" in error
    assert Path("baked/one.bake").read_text() == "my notes"
    assert bake("build", "--jobs", "1", "--force").code == 0


def test_what_was_not_baked_cannot_be_exported(folder: Path) -> None:
    (folder / "bake.toml").write_text(RECIPE + "distances = true\n")
    done = bake("build", "--jobs", "1")
    assert done.code == 1
    assert all("distances" in error for error in done.errors)
    assert Path("baked/one.h5").exists()
    assert not list(Path("baked").glob("*.bake"))
