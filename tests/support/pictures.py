"""Take every picture in docs anew: `python -m tests.support.pictures`.

Only growth.png is not among them, as it shows what `python -m benchmarks growth --write` measured.
Look at the pictures before they are kept.
"""

from __future__ import annotations

import contextlib
import io
import tempfile
from pathlib import Path

from PIL import Image
from PIL.PngImagePlugin import PngInfo

from bake.show.viewer.contents import shown_level
from tests.support.browser_page import CHROMIUMS, chromium
from tests.support.command import bake
from tests.support.pages import DOCS, ROOT, blocks, page
from tests.support.screenshot import SHOWN, digest, look

#: Pictures of `bake render`: the file of the level, and the options.
DRAWN: dict[str, tuple[str, str]] = {
    "contours": (
        "keep.png",
        "--show contours --path 3,4 79,12 --method astar --heuristic octile --scale 10",
    ),
    "fog": ("keep.png", "--show search --trace fog.json --step 100 --scale 8"),
    "grove": ("grove.json", ""),
    "harbour": ("harbour.svg", "--profile sailor --scale 3"),
    "keep": ("keep.png", "--path 22,45 43,25 --scale 10"),
    "plaza": ("plaza.json", ""),
    "ridge": ("ridge.json", "--path 2,20 34,17 --profile walker --scale 20"),
    "search": ("keep.png", "--show search --path 3,4 79,12 --method hpa --scale 10"),
    "town": ("town.json", "--path 4,5 24,34"),
}

#: Each has at most so many bytes, as readers of the documents load them.
_MOST = 200_000

#: What a picture of the page says it was taken of, as a text of PNG files.
DIGEST = "page"


def main() -> None:
    """Bake the levels into a folder of their own, and write the pictures."""
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        sources = sorted({source for source, _ in DRAWN.values()})
        recipe = ("--recipe", ROOT / "bake.toml", "--jobs", "1", "-o", "baked")
        done = bake("build", *(ROOT / "levels_src" / source for source in sources), *recipe)
        assert done.code == 0, done.err
        for picture in DRAWN:
            _write(picture, drawn(picture))
        level = shown_level(Path("baked", "keep.h5"))
        program = chromium()
        if program is None:
            raise SystemExit(f"error: {' and '.join(SHOWN)} need {' or '.join(CHROMIUMS)}")
        told = PngInfo()
        told.add_text(DIGEST, digest(level))
        for picture, image in zip(SHOWN, look(program, level, Path.cwd()), strict=True):
            _write(picture, compressed(image, told))


def drawn(name: str) -> bytes:
    """Return the picture that `bake render` makes of a level under ``baked``, here."""
    source, options = DRAWN[name]
    if name == "fog":
        exec(blocks(page("traces.md"), "python")[0], {})
    asset, output = Path("baked", source).with_suffix(".h5"), Path(f"{name}-drawn.png")
    done = bake("render", asset, "-o", output, *options.split())
    assert done.code == 0, done.err
    data = output.read_bytes()
    return data if len(data) <= _MOST else compressed(Image.open(output))


def compressed(picture: Image.Image, told: PngInfo | None = None) -> bytes:
    """Return a picture as a PNG, in as many colours as it takes to be small enough."""
    for colours in (256, 128, 64):
        data = io.BytesIO()
        few = picture.quantize(colours, dither=Image.Dither.NONE)
        few.save(data, "PNG", optimize=True, pnginfo=told)
        if len(data.getvalue()) <= _MOST:
            break
    return data.getvalue()


def _write(name: str, data: bytes) -> None:
    (DOCS / f"{name}.png").write_bytes(data)
    print(f"docs/{name}.png: {len(data):,} bytes")


if __name__ == "__main__":
    main()
