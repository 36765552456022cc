"""`bake render`: exit codes and what is told; what is drawn is tested elsewhere."""

from pathlib import Path

import pytest
from PIL import Image

from tests.support.command import bake, mistake, misuse

pytest.importorskip("bake.show.render")


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--show", "components"],
        ["--show", "distances", "--toward", "0,0"],
        ["--show", "hops", "--toward", "0,0"],
        ["--path", "0,0", "3,3"],
        ["--scale", "4"],
    ],
)
def test_a_picture(project: Path, options: list[str]) -> None:
    done = bake("render", "baked/yard.h5", "-o", "yard.png", *options)
    assert (done.code, done.err) == (0, "")
    with Image.open(project / "yard.png") as image:
        assert image.format == "PNG"
        assert f"{image.width} x {image.height} pixels" in done.out


def test_json(project: Path) -> None:
    done = bake("render", "baked/yard.h5", "-o", "yard.png", "--json")
    assert (done.code, done.err) == (0, "")
    with Image.open(project / "yard.png") as image:
        assert (done.data["width"], done.data["height"]) == image.size


def test_terrain_of_several_profiles_is_drawn_for_the_first(project: Path) -> None:
    done = bake("render", "baked/fen.h5", "-o", "first.png")
    assert (done.code, done.err) == (0, "")
    assert done.out.endswith(" pixels, for profile 'boat'\n")
    named = bake("render", "baked/fen.h5", "-o", "boat.png", "--profile", "boat")
    assert "profile" not in named.out
    assert (project / "first.png").read_bytes() == (project / "boat.png").read_bytes()
    mistake(bake("render", "baked/fen.h5", "-o", "c.png", "--show", "components"), "'walker'")


@pytest.mark.parametrize(("method", "option"), [("beam", "--width"), ("sma", "--memory")])
@pytest.mark.parametrize(
    "ask",
    [
        ("render", "yard", "-o", "a.png", "--show", "search", "--path", "0,0", "3,3"),
        ("eval", "yard", "--pairs", "5"),
        ("path", "yard", "0,0", "3,3"),
    ],
)
@pytest.mark.usefixtures("project")
def test_methods_that_need_a_size(ask: tuple[str, ...], method: str, option: str) -> None:
    done = bake(*ask, "--method", method, option, "40", "--json")
    assert (done.code, done.data["method"]) == (0, method)
    misuse(bake(*ask, "--method", method), option)
    misuse(bake(*ask, "--method", "astar", option, "40"), option, method)


def test_a_graph(project: Path) -> None:
    done = bake("render", "baked/ways.h5", "-o", "ways.png", "--path", "10", "40")
    assert done.code == 0
    assert (project / "ways.png").exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["baked/none.h5"], "no such asset"),
        (["levels_src/yard.map"], "this is a level"),
        (["bake.toml"], "HDF5 file"),
        (["baked/yard.h5", "--profile", "cart"], "no profile 'cart'"),
        (["baked/yard.h5", "--path", "4,0", "0,0"], "4,0 is out_of_bounds"),
        (["baked/yard.h5", "--show", "hops", "--toward", "90,0"], "(90, 0)"),
    ],
)
def test_mistakes(project: Path, arguments: list[str], told: str) -> None:
    done = bake("render", *arguments, "-o", "out.png")
    mistake(done, told)
    assert not (project / "out.png").exists()


def test_a_view_without_what_it_needs(project: Path) -> None:
    misuse(bake("render", "baked/yard.h5", "-o", "out.png", "--show", "distances"), "--toward")
    assert not (project / "out.png").exists()


def test_an_unwritable_picture(project: Path) -> None:
    mistake(bake("render", "baked/yard.h5", "-o", "none/out.png"), "out.png")
