"""Run `bake init` in the working directory on levels made in the test, and look at what it made."""

import tomllib
from pathlib import Path
from typing import Any

from PIL import Image

from bake.play import open_asset
from levelbake.errors import BlockedCellError
from tests.support.command import Done, bake
from tests.support.tiled_maps import tmx

#: A tileset that says nothing.
PLAIN = '<tileset firstgid="1" name="pieces" tilecount="6" columns="3"/>'
WIDE = {"width": 6, "height": 3}
ALL = [[1] * 6] * 3
RING = [[2] * 6, [2, 0, 0, 0, 0, 2], [2] * 6]
FEW = [[0] * 6, [0, 0, 3, 0, 0, 0], [0] * 6]


def init(*arguments: str | Path) -> Done:
    return bake("init", "--jobs", "1", *arguments)


def recipe() -> dict[str, Any]:
    return tomllib.loads(Path("bake.toml").read_text("utf-8"))


def save(name: str, text: str) -> Path:
    file = Path(name)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")
    return file


def tiled(name: str, *parts: str, tileset: str = PLAIN) -> Path:
    return save(name, tmx(*parts, tileset=tileset, **WIDE))


def picture(rows: list[list[tuple[int, int, int]]], name: str = "level.png") -> None:
    image = Image.new("RGB", (len(rows[0]), len(rows)))
    image.putdata([colour for row in rows for colour in row])
    image.save(name)


def blocked(name: str) -> list[str]:
    """The cells of a baked level: "#" where nobody can stand."""
    with open_asset(Path("baked") / f"{name}.h5") as asset:
        nav = asset.profile()

        def letter(x: int, y: int) -> str:
            try:
                return "." if nav.reachable((x, y), (x, y)) else "?"
            except BlockedCellError:
                return "#"

        return ["".join(letter(x, y) for x in range(asset.width)) for y in range(asset.height)]


def built() -> None:
    done = bake("build", "--jobs", "1")
    assert (done.code, done.errors) == (0, [])
