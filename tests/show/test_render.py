"""Options, errors and files of `render_asset`."""

import json
from pathlib import Path

import pytest

from bake.project.recipe import LevelRecipe
from bake.show.render import render_asset
from levelbake.errors import (
    AssetError,
    BlockedCellError,
    NotAnAssetError,
    OutputError,
    OutsideMapError,
    QueryError,
    UnknownProfileError,
)
from tests.support.drawings import ANY, CLEAN, grid, pixels_of
from tests.support.levels import shared_level


def test_the_same_asset_gives_the_same_bytes(tmp_path: Path) -> None:
    asset = grid(tmp_path, "..m#.", ".##..", ".....")
    for show in ("terrain", "components", "distances", "hops"):
        goal = None if show == "terrain" else (0, 0)
        one, two = tmp_path / "one.png", tmp_path / "two.PNG"
        for output in (one, two):
            render_asset(asset, output, show=show, toward=goal, path=((0, 0), (4, 2)))
        assert one.read_bytes() == two.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "level.h5",
        "level.json",
        "one.png",
        "two.PNG",
    ]


def test_what_is_said_is_json(tmp_path: Path) -> None:
    asset = grid(tmp_path, "....")
    said = render_asset(
        asset, tmp_path / "a.png", show="hops", toward=(0, 0), path=((1, 0), (3, 0))
    )
    assert json.loads(json.dumps(said)) == said
    assert said["output"] == str(tmp_path / "a.png")


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("picture.jpg", "'.jpg'.*ends in .png"),
        ("picture", "no suffix.*ends in .png"),
        ("nowhere/picture.png", "folder does not exist"),
        ("taken.png", "folder has this name"),
    ],
)
def test_outputs_that_cannot_be(tmp_path: Path, name: str, found: str) -> None:
    asset = grid(tmp_path, "..")
    (tmp_path / "taken.png").mkdir()
    with pytest.raises(OutputError, match=found):
        render_asset(asset, tmp_path / name)


def test_a_failed_write_leaves_the_old_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asset, output = grid(tmp_path, ".."), tmp_path / "a.png"
    render_asset(asset, output)
    before = output.read_bytes()

    def full(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OutputError, match=r"a\.png: .*No space left"):
        render_asset(asset, output, scale=3)
    assert output.read_bytes() == before
    assert not list(tmp_path.glob(".*"))


@pytest.mark.parametrize("show", ["distances", "hops"])
def test_distances_and_hops_need_a_goal(tmp_path: Path, show: str) -> None:
    with pytest.raises(QueryError, match=f"{show} need a goal; expected --toward"):
        render_asset(grid(tmp_path, ".."), tmp_path / "a.png", show=show)


def test_an_unknown_view_is_named(tmp_path: Path) -> None:
    with pytest.raises(QueryError, match=r"no view 'heat'.*terrain"):
        render_asset(grid(tmp_path, ".."), tmp_path / "a.png", show="heat")


def test_profiles_must_be_named_and_known(tmp_path: Path) -> None:
    asset = grid(tmp_path, ".m", recipe=LevelRecipe(profiles=(ANY, CLEAN)))
    for more in ({"show": "components"}, {"path": ((0, 0), (0, 0))}, {"lint": True}):
        with pytest.raises(UnknownProfileError, match="several profiles"):
            render_asset(asset, tmp_path / "a.png", **more)
    with pytest.raises(UnknownProfileError, match="no profile 'boat'"):
        render_asset(asset, tmp_path / "a.png", profile="boat")


@pytest.mark.parametrize(
    ("place", "error"),
    [((1, 0), BlockedCellError), ((9, 0), OutsideMapError), ((-1, 0), OutsideMapError)],
)
def test_places_must_be_places(
    tmp_path: Path, place: tuple[int, int], error: type[QueryError]
) -> None:
    asset, output = grid(tmp_path, ".#."), tmp_path / "a.png"
    with pytest.raises(error):
        render_asset(asset, output, show="hops", toward=place)
    with pytest.raises(error):
        render_asset(asset, output, path=(place, (0, 0)))
    with pytest.raises(error):
        render_asset(asset, output, path=((0, 0), place))
    assert not output.exists()


@pytest.mark.parametrize("hex_layout", [None, "even-q"])
def test_scales_have_limits(tmp_path: Path, hex_layout: str | None) -> None:
    asset, output = grid(tmp_path, *["." * 100] * 10, hex_layout=hex_layout), tmp_path / "a.png"
    with pytest.raises(QueryError, match="--scale 0 is too small"):
        render_asset(asset, output, scale=0)
    with pytest.raises(QueryError, match="--scale 1000 is too large"):
        render_asset(asset, output, scale=1000)
    said = render_asset(asset, output, scale=1)
    assert said["height"] == pixels_of(output).shape[0]


def test_the_page_counts_not_the_map_alone(tmp_path: Path) -> None:
    # 250,000 pixels of map would be nothing, but a page that wide is not.
    recipe = LevelRecipe(tables=("components",))
    asset = grid(tmp_path, "." * 250_000, recipe=recipe)
    with pytest.raises(QueryError, match="too large"):
        render_asset(asset, tmp_path / "a.png")


def test_files_that_are_no_assets(tmp_path: Path) -> None:
    with pytest.raises(AssetError, match="no such asset"):
        render_asset(tmp_path / "none.h5", tmp_path / "a.png")
    text = tmp_path / "text.h5"
    text.write_text("no asset")
    with pytest.raises(NotAnAssetError):
        render_asset(text, tmp_path / "a.png")


def test_a_real_map(tmp_path: Path) -> None:
    from bake.baking import Task
    from bake.baking.level import bake_level

    source, asset = shared_level("movingai/arena.map"), tmp_path / "arena.h5"
    bake_level(Task(source, asset, LevelRecipe()), 1, lambda stage, done: None)
    said = render_asset(asset, tmp_path / "a.png", show="distances", toward=(1, 10))
    assert said["unreachable"] == 0
    assert 1600 < int(str(said["width"])) < 1700
