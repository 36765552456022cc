"""`bake render`: exit codes and what is told; what is drawn is tested elsewhere."""

from pathlib import Path

import pytest
from PIL import Image

from tests.support.command import bake, mistake

pytest.importorskip("bake.view.render")


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


def test_a_graph(project: Path) -> None:
    done = bake("render", "baked/ways.h5", "-o", "ways.png", "--path", "10", "40")
    assert done.code == 0
    assert (project / "ways.png").exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["baked/none.h5"], "no such asset"),
        (["levels_src/yard.map"], "no HDF5 file"),
        (["baked/yard.h5", "--profile", "cart"], "no profile 'cart'"),
        (["baked/yard.h5", "--path", "4,0", "0,0"], "4,0 is out_of_bounds"),
        (["baked/yard.h5", "--show", "hops", "--toward", "90,0"], "(90, 0)"),
        (["baked/yard.h5", "--show", "distances"], ""),
    ],
)
def test_mistakes(project: Path, arguments: list[str], told: str) -> None:
    done = bake("render", *arguments, "-o", "out.png")
    mistake(done, told)
    assert not (project / "out.png").exists()


def test_an_unwritable_picture(project: Path) -> None:
    mistake(bake("render", "baked/yard.h5", "-o", "none/out.png"), "out.png")
