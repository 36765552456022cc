"""Read images as levels: each pixel is a cell, and its color is the terrain."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NoReturn

import numpy as np
from PIL import Image, UnidentifiedImageError

from bake.core.arrays import Int64Array, UInt8Array, UInt16Array, UInt32Array
from bake.core.errors import LevelError, counted
from bake.core.level import MAX_CELLS, Colour, GridLevel
from bake.core.toml import toml_line
from bake.levels.painting import MOST_COLORS, MOST_COUNTED, describe_colors, reduce_remedy
from bake.levels.reading.files import check_file, read_start
from bake.levels.reading.limits import check_size, check_terrain_count
from bake.levels.reading.mistakes import refuse
from bake.levels.reading.terrains import (
    BUILT_IN_COLORS,
    FLOOR,
    UNKNOWN,
    VOID,
    built_in_rules,
    describe_unknown,
    format_color,
    parse_color,
    remove_unused,
    rgb,
    split_rows,
)

_MODES = frozenset({"1", "L", "LA", "P", "PA", "RGB", "RGBA"})
_FORMATS = ("PNG", "BMP", "DIB", "GIF", "TIFF", "WEBP")
#: Compressions of TIFF, by their names in Pillow.
_LOSSY_COMPRESSIONS = frozenset({"jpeg", "tiff_jpeg", "webp"})
_JPEG_START = b"\xff\xd8\xff"
_HEADER_BYTES = 2**20
#: Offsets in the header of a TGA file, and the image type of grayscale images.
_TGA_KIND, _TGA_PALETTE_DEPTH, _TGA_DEPTH, _TGA_ATTRIBUTES = 2, 7, 16, 17
_TGA_GRAY = 3
_STDERR_LOCK = threading.Lock()

#: The number of pixels that are sampled to choose the display color of a terrain.
SAMPLED_PIXELS = 2**16


def read_image(path: Path, legend: Mapping[str, str]) -> GridLevel:
    """Read an image as a level, with terrains by color.

    Gamma and color profiles are ignored.

    Args:
        path: a lossless image with one frame and 8 bits a channel.
        legend: terrain by color. Terrains are numbered in the order of their first color in the
            image, so entries of other colors change nothing.

    Raises:
        LevelError: the image is missing, damaged, lossy, animated, too large, or of unknown
            colors.
    """
    check_file(path)
    image = _decode(path)
    names = ImageLegend(legend, path)
    width, height = image.size
    terrain = np.empty((height, width), dtype=np.uint8)
    used = np.zeros(256, dtype=np.bool_)
    sampled: list[UInt32Array] = []
    stride = 1 + width * height // SAMPLED_PIXELS
    for top, bottom in split_rows(width, height):
        packed = _pack_rows(image, top, bottom)
        sampled.append(packed.ravel()[::stride])
        codes = names.look_up(packed)
        used[codes] = True
        terrain[top:bottom] = codes
    if used[UNKNOWN]:
        _reject_colors(path, image, terrain, names)

    order = names.used_numbers(clear=bool(used[names.clear]))
    terrains = remove_unused(names.names, terrain, order=order)
    return GridLevel(
        name=path.stem,
        source=path,
        terrain=terrain,
        terrains=terrains,
        terrain_rules=built_in_rules(terrains),
        colours=_display_colors(names, np.concatenate(sampled)),
        unmatched=names.unmatched(),
    )


def count_colors(path: Path, most: int) -> dict[int, int] | None:
    """Count the pixels of each color of an image.

    Args:
        path: the image.
        most: the most colors to count.

    Returns:
        Pixels by color as 0xrrggbbaa, without clear pixels; None if there are more colors.

    Raises:
        LevelError: the image is missing, damaged, lossy, animated, or too large.
    """
    image = _decode(path)
    counts: dict[int, int] = {}
    for top, bottom in split_rows(*image.size):
        colors, count = np.unique(_pack_rows(image, top, bottom), return_counts=True)
        for color, pixels in zip(colors.tolist(), count.tolist(), strict=True):
            if color & 0xFF:
                counts[color] = counts.get(color, 0) + pixels
            if len(counts) > most:
                return None
    return counts


def is_lossy(path: Path) -> bool:
    """Return whether the contents of an image are lossy; False if unreadable."""
    try:
        start = read_start(path, _HEADER_BYTES)
        if start.startswith((b"II", b"MM")):
            with _quiet_libraries(), Image.open(path, formats=["TIFF"]) as image:
                return image.info.get("compression") in _LOSSY_COMPRESSIONS
    except (LevelError, OSError, ValueError, SyntaxError):
        return False
    return start.startswith(_JPEG_START) or _is_lossy_webp(start)


def is_painting(path: Path) -> bool:
    """Return whether an image is lossy or has more colors than a level; False if unreadable."""
    try:
        return is_lossy(path) or count_colors(path, MOST_COLORS) is None
    except LevelError:
        return False


def read_painting(path: Path) -> UInt8Array:
    """Read the pixels of any picture as (height, width, 4) uint8: red, green, blue and alpha.

    Raises:
        LevelError: the image is missing, damaged, animated, or too large.
    """
    return np.asarray(_decode(path, _check_size_of_any, lossy=True).convert("RGBA"))


def read_gray_values(path: Path) -> UInt16Array:
    """Read the values of a grayscale image, such as elevations.

    Args:
        path: a lossless gray image with one frame, of 8 or 16 bits a pixel.

    Returns:
        (height, width) uint16, 0 for black.

    Raises:
        LevelError: the image is missing, damaged, lossy, animated, too large, or not gray.
    """
    return np.asarray(_decode(path, _check_gray)).astype(np.uint16)


class ImageLegend:
    """The terrain of each color: the legend of the recipe over the built-in colors."""

    names: tuple[str, ...]  #: terrains by number, in the order of the legend, then built-in ones
    clear: int  #: the number of VOID, for clear pixels that no entry names

    def __init__(self, legend: Mapping[str, str], path: Path) -> None:
        """Number the terrains and index the colors.

        Args:
            legend: terrain by color, "#rgb", "#rrggbb" or "#rrggbbaa".
            path: the image, for errors.

        Raises:
            LevelError: a key is no color, or one color stands for two terrains.
        """
        terrain_of: dict[int, str] = {}
        for text, terrain in legend.items():
            packed = parse_color(text)
            place = f'[legend] "{text}"'
            if packed is None:
                expected = '"#rgb", "#rrggbb" or "#rrggbbaa"'
                refuse(path, place, f"'{text}' is not a color", expected)
            if terrain_of.setdefault(packed, terrain) != terrain:
                problem = (
                    f"{format_color(packed)} stands for '{terrain_of[packed]}' and '{terrain}'"
                )
                refuse(path, place, problem, "one terrain for each color")
        for text, terrain in BUILT_IN_COLORS.items():
            packed = parse_color(text)
            assert packed is not None
            terrain_of.setdefault(packed, terrain)

        self.names = tuple(dict.fromkeys([*terrain_of.values(), VOID]))
        check_terrain_count(path, len(self.names), "[legend]")
        number = {name: code for code, name in enumerate(self.names)}
        self._terrain_of = terrain_of
        ascending = sorted(terrain_of)
        self._colors = np.array(ascending, dtype=np.uint32)
        self._codes = np.array([number[terrain_of[packed]] for packed in ascending], dtype=np.uint8)
        self._seen = np.zeros(len(ascending), dtype=np.bool_)
        self.clear, self._legend = number[VOID], legend

    @property
    def colors(self) -> UInt32Array:
        """Return the colors of the legend and the built-in ones as 0xrrggbbaa, ascending."""
        return self._colors

    def look_up(self, packed: UInt32Array) -> UInt8Array:
        """Return the terrain of each color as an index into ``names``, or UNKNOWN.

        Args:
            packed: colors as 0xrrggbbaa, of any shape.

        Returns:
            uint8 of the same shape.
        """
        place = np.searchsorted(self._colors[:-1], packed)
        known = self._colors[place] == packed
        self._seen[place[known]] = True
        unnamed = np.where(packed & np.uint32(0xFF), np.uint8(UNKNOWN), np.uint8(self.clear))
        return np.where(known, self._codes[place], unnamed)

    def used_colors(self) -> dict[int, str]:
        """Return the terrain of each known color that was looked up, in the order of the legend."""
        seen = set(self._colors[self._seen].tolist())
        return {packed: name for packed, name in self._terrain_of.items() if packed in seen}

    def used_numbers(self, *, clear: bool) -> list[int]:
        """Return the numbers of the terrains that were looked up, by first color, then VOID.

        Args:
            clear: whether some pixel was VOID.
        """
        used = [self.names.index(name) for name in self.used_colors().values()]
        return list(dict.fromkeys([*used, self.clear] if clear else used))

    def unmatched(self) -> tuple[str, ...]:
        """Return the entries of the recipe whose colors were never looked up."""
        seen = set(self._colors[self._seen].tolist())
        return tuple(text for text in self._legend if parse_color(text) not in seen)


def _display_colors(names: ImageLegend, sample: UInt32Array) -> dict[str, Colour]:
    """Return the most frequent sampled color of each terrain, or else the first in the legend."""
    chosen = {name: rgb(packed) for packed, name in reversed(names.used_colors().items())}
    packed, count = np.unique(sample, return_counts=True)
    for place in np.argsort(count, kind="stable"):
        color = packed[place : place + 1]
        if int(color[0]) & 0xFF:  # The hidden color of a clear pixel is arbitrary.
            chosen[names.names[int(names.look_up(color)[0])]] = rgb(int(color[0]))
    return chosen


def _pack_rows(image: Image.Image, top: int, bottom: int) -> UInt32Array:
    """Return the colors of rows [top, bottom) as (bottom - top, width) uint32 0xrrggbbaa."""
    strip = image.crop((0, top, image.width, bottom)).convert("RGBA")
    return np.asarray(strip).view(">u4")[..., 0].astype(np.uint32)


def _decode(
    path: Path,
    check: Callable[[Path, Image.Image], None] | None = None,
    *,
    lossy: bool = False,
) -> Image.Image:
    """Decode an image after checking its header.

    Args:
        path: the image.
        check: checks the header; None = as for colored levels.
        lossy: whether lossy images are allowed.
    """
    check = check or _check_header
    start = read_start(path, _HEADER_BYTES)
    if start.startswith(_JPEG_START) and not lossy:
        refuse(
            path,
            None,
            "this is a JPEG image, whatever its name says; JPEG blurs colors",
            "a lossless image",
            f"save the original as .png, or {reduce_remedy(path)}",
        )
    if _is_lossy_webp(start) and not lossy:
        refuse(
            path,
            None,
            "this WebP image was saved lossy, which blurs colors",
            "a lossless image",
            f"save the original as lossless WebP or .png, or {reduce_remedy(path)}",
        )
    # TGA has no signature, so nearly any file could be one; only the suffix decides.
    formats = [*_FORMATS, "TGA"] if path.suffix.lower() == ".tga" else list(_FORMATS)
    formats += ["JPEG"] if lossy else []
    try:
        quiet = _quiet_libraries() if start.startswith((b"II", b"MM")) else contextlib.nullcontext()
        with warnings.catch_warnings(), quiet:
            warnings.simplefilter("ignore")
            if start.startswith(b"\x89PNG"):
                with Image.open(path, formats=["PNG"]) as unread:
                    check(path, unread)
                    unread.verify()
            with Image.open(path, formats=formats) as image:
                check(path, image)
                image.load()
                check_size(path, *image.size)
                if image.mode in _MODES:
                    _pack_rows(image, 0, 1)  # A palette without colors fails here.
                _check_palette(path, image)
                return _apply_alpha(path, image, start) if image.format == "TGA" else image
    except LevelError:
        raise
    except Image.DecompressionBombError as error:
        pixels = re.search(r"\d+", str(error))
        problem = f"the image has {int(pixels[0]):,} pixels" if pixels else "the image is too large"
        expected, remedy = f"at most {MAX_CELLS:,}", "split it into several levels"
    except UnidentifiedImageError:
        problem, remedy = "this is not an image, or a damaged one", "save it again"
        expected = f"a {path.suffix.lower()} image"
    except Exception as error:  # Decoders raise almost anything on damaged files.
        # A seek before the start raises EINVAL, which means damage.
        if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):
            raise LevelError(f"cannot be read: {os.strerror(error.errno)}", file=path) from None
        problem = f"the image is damaged or cut short ({type(error).__name__}: {error})"
        expected, remedy = None, "save it again"
    refuse(path, None, problem, expected, remedy)


@contextlib.contextmanager
def _quiet_libraries() -> Iterator[None]:
    """Discard what C libraries write to standard error.

    Output of other threads is lost as well, so the block must be short.
    """
    with _STDERR_LOCK, contextlib.ExitStack() as cleanup:
        with contextlib.suppress(OSError):  # Standard error is closed.
            original = os.dup(2)
            cleanup.callback(os.close, original)
            cleanup.callback(os.dup2, original, 2)
            with Path(os.devnull).open("wb") as nowhere:
                os.dup2(nowhere.fileno(), 2)
        yield


def _check_header(path: Path, image: Image.Image) -> None:
    check_size(path, *image.size)
    if _has_sixteen_bits(image):
        remedy = "convert it, colors are matched exactly"
        refuse(path, None, "the image has 16 bits a channel", "8 bits", remedy)
    if image.mode not in _MODES:
        refuse(
            path,
            None,
            f"the image's pixels are of kind '{image.mode}'",
            "black and white, gray, indexed, RGB or RGBA with 8 bits a channel",
            "convert it to RGB",
        )
    _check_frames(path, image)


def _check_size_of_any(path: Path, image: Image.Image) -> None:
    check_size(path, *image.size)
    if getattr(image, "n_frames", 1) > 1:
        _check_frames(path, image)


def _check_gray(path: Path, image: Image.Image) -> None:
    """Check the header of a grayscale image."""
    check_size(path, *image.size)
    if image.mode not in {"1", "L", "I;16", "I;16B"} and not (
        image.mode == "I" and image.format == "PNG"
    ):
        refuse(
            path,
            None,
            f"the image's pixels are of kind '{image.mode}'",
            "gray with 8 or 16 bits a pixel, and no alpha channel",
            "convert it to grayscale",
        )
    _check_frames(path, image)


def _check_palette(path: Path, image: Image.Image) -> None:
    """Raise on pixels with colors outside the palette, which Pillow would decode as black."""
    palette = image.getpalette()
    if palette is None:
        return
    colors, numbers = len(palette) // 3, np.asarray(image.getchannel(0))
    if numbers.max() >= colors:
        y, x = divmod(int((numbers >= colors).argmax()), image.width)
        refuse(
            path,
            f"pixel ({x}, {y})",
            f"color {numbers[y, x]} of a palette of {counted(colors, 'color')}",
            f"colors 0 to {colors - 1}",
            "save it again",
        )


def _apply_alpha(path: Path, image: Image.Image, header: bytes) -> Image.Image:
    """Return a TGA image with the alpha of its attribute bits.

    Pixels and palettes of 16 bits have one attribute bit. It means opaque in the specification
    (Truevision, "TGA File Format", 1991), but transparent in some programs, such as Pillow. An
    image is therefore read only if all its pixels have the same bit, and then they are opaque.
    Alpha of 8 bits that is 0 everywhere is padding if the header counts no attribute bits.

    Args:
        path: the image, for errors.
        image: the image as decoded by Pillow.
        header: the first bytes of the file.

    Raises:
        LevelError: the pixels have different attribute bits.
    """
    has_palette, bits = image.mode in ("P", "PA"), header[_TGA_ATTRIBUTES] & 0x0F
    depth = header[_TGA_PALETTE_DEPTH if has_palette else _TGA_DEPTH]
    is_gray = header[_TGA_KIND] & 7 == _TGA_GRAY
    if depth not in (16, 32):
        return image
    image = image.convert("RGBA")
    alpha = np.asarray(image.getchannel("A"))
    low, high = int(alpha.min()), int(alpha.max())
    if depth == 16 and not is_gray:
        if bits and low != high:
            y, x = divmod(int((alpha != alpha[0, 0]).argmax()), image.width)
            refuse(
                path,
                f"pixel ({x}, {y})",
                "its attribute bit differs from that of the first pixel, and programs do not agree "
                "which of them is transparent",
                "16-bit pixels with one attribute bit",
                "save it with 24 or 32 bits, or as .png",
            )
        image.putalpha(255)
    elif not bits and high == 0:
        image.putalpha(255)
    return image


def _check_frames(path: Path, image: Image.Image) -> None:
    """Raise on lossy compression, and on images with several frames or pages."""
    if image.info.get("compression") in _LOSSY_COMPRESSIONS:
        refuse(
            path,
            None,
            "the TIFF image is compressed lossy, which blurs colors",
            "a lossless image",
            f"save the original as .png, or {reduce_remedy(path)}",
        )
    frames = getattr(image, "n_frames", 1)
    if frames > 1:
        remedy = "save the frame of the level as an image"
        refuse(path, None, f"the image has {frames:,} frames or pages", "one", remedy)


def _has_sixteen_bits(image: Image.Image) -> bool:
    """Return whether a channel has 16 bits, even if Pillow silently drops the lower eight."""
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
    """Return whether a WebP file has a lossy "VP8 " or "ALPH" chunk (RIFF layout, RFC 9649)."""
    if start[:4] != b"RIFF" or start[8:12] != b"WEBP":
        return False
    offset = 12
    while offset + 8 <= len(start):
        chunk = start[offset : offset + 4]
        if chunk in (b"VP8 ", b"ALPH"):
            return True
        if chunk == b"VP8L":
            return False
        size = int.from_bytes(start[offset + 4 : offset + 8], "little")
        offset += 8 + size + size % 2
    return False


def _reject_colors(
    path: Path, image: Image.Image, terrain: UInt8Array, names: ImageLegend
) -> NoReturn:
    colors, counts = _count_unknown(image, terrain)
    if len(colors) > MOST_COLORS:
        y, x = divmod(int((terrain == UNKNOWN).argmax()), image.width)
        refuse(
            path,
            f"pixel ({x}, {y})",
            describe_colors(colors, counts, names.colors),
            "one flat color, or a few, for each terrain",
            f"save it without smoothed edges, or {reduce_remedy(path)}",
        )
    listed, (x, y), labels = describe_unknown(
        terrain, lambda top, bottom: _pack_rows(image, top, bottom), format_color, "pixels"
    )
    comment = 'or "wall", or any other terrain'
    refuse(
        path,
        f"pixel ({x}, {y})",
        f"no terrain is known for {listed}",
        "colors of the legend",
        f"add a line such as {toml_line(labels[0], 'grass')} to [legend] in bake.toml",
        [("legend", toml_line(color, FLOOR, comment)) for color in labels],
    )


def _count_unknown(image: Image.Image, terrain: UInt8Array) -> tuple[UInt32Array, Int64Array]:
    """Return the colors of UNKNOWN pixels as 0xrrggbbaa, ascending, and their pixel counts."""
    colors, counts = np.zeros(0, dtype=np.uint32), np.zeros(0, dtype=np.int64)
    for top, bottom in split_rows(*image.size):
        unknown = _pack_rows(image, top, bottom)[terrain[top:bottom] == UNKNOWN]
        colors, slot = np.unique(np.concatenate((colors, unknown)), return_inverse=True)
        weights = np.concatenate((counts, np.ones(len(unknown), dtype=np.int64)))
        counts = np.zeros(len(colors), dtype=np.int64)
        np.add.at(counts, slot.reshape(-1), weights)
        if len(colors) > MOST_COUNTED:
            break
    return colors, counts
