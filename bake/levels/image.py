"""Images to levels, one cell a pixel, told apart by colour."""

from __future__ import annotations

import contextlib
import re
import warnings
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from PIL import Image, UnidentifiedImageError

from bake.arrays import UInt8Array, UInt32Array
from bake.errors import LevelError
from bake.level import MAX_CELLS, Colour, GridLevel
from bake.levels.colour import colour_text, rgb
from bake.levels.image_legend import BUILT_IN_RULES, ImageLegend
from bake.levels.limits import check_size
from bake.levels.quiet import quiet_libraries
from bake.levels.source import check_file, read_start
from bake.levels.unknown import UNKNOWN, describe_unknown, strips

_MODES = frozenset({"1", "L", "LA", "P", "PA", "RGB", "RGBA"})
_FORMATS = ("PNG", "BMP", "DIB", "GIF", "TIFF", "WEBP")
_JPEG_START = b"\xff\xd8\xff"
_HEADER_BYTES = 2**20

#: Pixels looked at to choose a display colour among several of one terrain.
SAMPLED_PIXELS = 2**16


def read_image(path: Path, legend: Mapping[str, str]) -> GridLevel:
    """Read an image whose colours stand for terrains.

    Colours are taken as stored: gamma and colour profiles are ignored.

    Args:
        path: a lossless image with one frame and 8 bits a channel.
        legend: terrain by colour, in the order terrains are to be numbered.

    Raises:
        LevelError: no such image, damaged, lossy, animated, too large, or of unknown colours.
    """
    check_file(path)
    image = _decode(path)
    names = ImageLegend(legend, path)
    width, height = image.size
    terrain = np.empty((height, width), dtype=np.uint8)
    used = np.zeros(256, dtype=np.bool_)
    sampled: list[UInt32Array] = []
    stride = 1 + width * height // SAMPLED_PIXELS
    for top, bottom in strips(width, height):
        packed = _packed(image, top, bottom)
        sampled.append(packed.ravel()[::stride])
        codes = names.look_up(packed)
        used[codes] = True
        terrain[top:bottom] = codes
    if used[UNKNOWN]:
        raise _unknown_colours(path, image, terrain)

    present = [code for code in range(len(names.names)) if used[code]]
    renumber = np.zeros(256, dtype=np.uint8)
    renumber[present] = np.arange(len(present))
    for top, bottom in strips(width, height):
        terrain[top:bottom] = renumber[terrain[top:bottom]]
    terrains = tuple(names.names[code] for code in present)
    return GridLevel(
        name=path.stem,
        source=path,
        terrain=terrain,
        terrains=terrains,
        terrain_rules={name: BUILT_IN_RULES[name] for name in terrains if name in BUILT_IN_RULES},
        colours=_display_colours(names, terrains, np.concatenate(sampled)),
    )


def _display_colours(
    names: ImageLegend, terrains: tuple[str, ...], sample: UInt32Array
) -> dict[str, Colour]:
    """The commonest colour of each terrain among some pixels, else the legend's first one."""
    chosen = {name: names.colours[name] for name in terrains if name in names.colours}
    packed, count = np.unique(sample, return_counts=True)
    for place in np.argsort(count, kind="stable"):
        colour = packed[place : place + 1]
        if int(colour[0]) & 0xFF:  # a clear pixel's hidden colour is no one's choice
            chosen[names.names[int(names.look_up(colour)[0])]] = rgb(int(colour[0]))
    return chosen


def _packed(image: Image.Image, top: int, bottom: int) -> UInt32Array:
    """(bottom - top, width) colours as 0xrrggbbaa."""
    strip = image.crop((0, top, image.width, bottom)).convert("RGBA")
    return np.asarray(strip).view(">u4")[..., 0].astype(np.uint32)


def _decode(path: Path) -> Image.Image:
    """The decoded image; everything its header can tell is checked before any pixel is read."""
    start = read_start(path, _HEADER_BYTES)
    if start.startswith(_JPEG_START):
        raise LevelError(
            "this is a JPEG image, whatever its name says; JPEG blurs colours",
            file=path,
            expected="a lossless image",
            remedy="save the original as .png",
        )
    if _is_lossy_webp(start):
        raise LevelError(
            "this WebP image was saved lossy, which blurs colours",
            file=path,
            expected="a lossless image",
            remedy="save the original as lossless WebP or .png",
        )
    # TGA has no signature, so nearly any bytes could pass for one: only its own suffix counts.
    formats = [*_FORMATS, "TGA"] if path.suffix.lower() == ".tga" else list(_FORMATS)
    try:
        with warnings.catch_warnings(), _quiet_tiff(start):
            warnings.simplefilter("ignore")
            if start.startswith(b"\x89PNG"):
                with Image.open(path, formats=["PNG"]) as unread:
                    _check_header(path, unread)
                    unread.verify()
            with Image.open(path, formats=formats) as image:
                _check_header(path, image)
                image.load()
                check_size(path, *image.size)
                _packed(image, 0, 1)  # a palette that gives no colours fails only here
                return image
    except LevelError:
        raise
    except Image.DecompressionBombError as error:
        pixels = re.search(r"\d+", str(error))
        raise LevelError(
            f"the image has {int(pixels[0]):,} pixels" if pixels else "the image is far too large",
            file=path,
            expected=f"at most {MAX_CELLS:,}",
            remedy="split it into several levels",
        ) from None
    except UnidentifiedImageError:
        raise LevelError(
            "this is no image, or a damaged one",
            file=path,
            expected=f"a {path.suffix.lower()} image",
            remedy="save it again",
        ) from None
    except Exception as error:  # damaged files make decoders raise almost anything
        raise LevelError(
            f"the image is damaged or cut short ({type(error).__name__}: {error})",
            file=path,
            remedy="save it again",
        ) from None


def _quiet_tiff(start: bytes) -> contextlib.AbstractContextManager[None]:
    """libtiff tells of damage itself, line by line; the error raised says it once."""
    tiff = start.startswith((b"II", b"MM"))
    return quiet_libraries() if tiff else contextlib.nullcontext()


def _check_header(path: Path, image: Image.Image) -> None:
    check_size(path, *image.size)
    if _has_sixteen_bits(image):
        raise LevelError(
            "the image has 16 bits a channel",
            file=path,
            expected="8 bits",
            remedy="convert it, colours are matched exactly",
        )
    if image.mode not in _MODES:
        raise LevelError(
            f"the image's pixels are of kind '{image.mode}'",
            file=path,
            expected="black and white, grey, indexed, RGB or RGBA with 8 bits a channel",
            remedy="convert it to RGB",
        )
    if image.info.get("compression") in {"jpeg", "tiff_jpeg", "webp"}:
        raise LevelError(
            "the TIFF image is compressed lossy, which blurs colours",
            file=path,
            expected="a lossless image",
            remedy="save the original as .png",
        )
    frames = getattr(image, "n_frames", 1)
    if frames > 1:
        raise LevelError(
            f"the image has {frames:,} frames or pages",
            file=path,
            expected="one",
            remedy="save the one that is the level by itself",
        )


def _has_sixteen_bits(image: Image.Image) -> bool:
    """Whether a channel has 16 bits, also where Pillow would drop the lower eight unasked."""
    if image.mode.startswith("I;16") or (image.mode == "I" and image.format == "PNG"):
        return True
    if image.format not in {"PNG", "TIFF"}:
        return False
    for tile in getattr(image, "tile", ()):
        args = tile[3]
        raw_mode = args if isinstance(args, str) else args[0] if args else ""
        if isinstance(raw_mode, str) and ";16" in raw_mode:
            return True
    return False


def _is_lossy_webp(start: bytes) -> bool:
    """Whether the image data is in a "VP8 " chunk, by the RIFF layout of WebP (RFC 9649)."""
    if start[:4] != b"RIFF" or start[8:12] != b"WEBP":
        return False
    at = 12
    while at + 8 <= len(start):
        chunk = start[at : at + 4]
        if chunk in (b"VP8 ", b"ALPH"):
            return True
        if chunk == b"VP8L":
            return False
        size = int.from_bytes(start[at + 4 : at + 8], "little")
        at += 8 + size + size % 2
    return False


def _unknown_colours(path: Path, image: Image.Image, terrain: UInt8Array) -> LevelError:
    listed, (x, y), first = describe_unknown(
        terrain, lambda top, bottom: _packed(image, top, bottom), colour_text, "pixels"
    )
    return LevelError(
        f"no terrain is known for {listed}",
        file=path,
        place=f"pixel ({x}, {y})",
        expected="colours of the legend",
        remedy=f'add a line such as "{first}" = "grass" to [legend] in bake.toml',
    )
