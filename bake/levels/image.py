"""Read images as levels: each pixel is a cell, and its colour says its terrain."""

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
    BUILT_IN_COLOURS,
    FLOOR,
    UNKNOWN,
    VOID,
    built_in,
    colour_text,
    describe_unknown,
    keep_used,
    pack_colour,
    rgb,
    strips,
)

_MODES = frozenset({"1", "L", "LA", "P", "PA", "RGB", "RGBA"})
_FORMATS = ("PNG", "BMP", "DIB", "GIF", "TIFF", "WEBP")
#: Of TIFF, by the names of Pillow.
_LOSSY_COMPRESSIONS = frozenset({"jpeg", "tiff_jpeg", "webp"})
_JPEG_START = b"\xff\xd8\xff"
_HEADER_BYTES = 2**20
#: Places in the header of a TGA file, and the kind of image that is grey.
_TGA_KIND, _TGA_PALETTE_DEPTH, _TGA_DEPTH, _TGA_ATTRIBUTES = 2, 7, 16, 17
_TGA_GREY = 3
_ONE_AT_A_TIME = threading.Lock()

#: How many pixels are looked at to choose among the colours of one terrain.
SAMPLED_PIXELS = 2**16


def read_image(path: Path, legend: Mapping[str, str]) -> GridLevel:
    """Read an image whose colours stand for terrains.

    Colours are taken as stored: gamma and colour profiles are ignored.

    Args:
        path: a lossless image with one frame and 8 bits a channel.
        legend: terrain by colour. Terrains are numbered in the order of their first colour that
            the image has, so that entries of other colors change nothing.

    Raises:
        LevelError: the image is missing, damaged, lossy, animated, too large, or of unknown
            colours.
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
        _refuse_colours(path, image, terrain, names)

    order = names.used_numbers(clear=bool(used[names.clear]))
    terrains = keep_used(names.names, terrain, order=order)
    return GridLevel(
        name=path.stem,
        source=path,
        terrain=terrain,
        terrains=terrains,
        terrain_rules=built_in(terrains),
        colours=_display_colours(names, np.concatenate(sampled)),
        unmatched=names.unmatched(),
    )


def image_colours(path: Path, most: int) -> dict[int, int] | None:
    """Count the pixels of each colour of an image.

    Args:
        path: the image.
        most: how many colours are looked for.

    Returns:
        Pixels by colour as 0xrrggbbaa, clear pixels left out; None where there are more colours.

    Raises:
        LevelError: the image is missing, damaged, lossy, animated, or too large.
    """
    image = _decode(path)
    counts: dict[int, int] = {}
    for top, bottom in strips(*image.size):
        colours, count = np.unique(_packed(image, top, bottom), return_counts=True)
        for colour, pixels in zip(colours.tolist(), count.tolist(), strict=True):
            if colour & 0xFF:
                counts[colour] = counts.get(colour, 0) + pixels
            if len(counts) > most:
                return None
    return counts


def is_lossy(path: Path) -> bool:
    """Return whether an image was saved lossy, whatever its suffix is; False if unreadable."""
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
        return is_lossy(path) or image_colours(path, MOST_COLORS) is None
    except LevelError:
        return False


def read_painting(path: Path) -> UInt8Array:
    """Return (height, width, 4) uint8, red, green, blue and alpha of a picture, lossy or not.

    Raises:
        LevelError: the image is missing, damaged, animated, or too large.
    """
    return np.asarray(_decode(path, _check_size_of_any, lossy=True).convert("RGBA"))


def read_greys(path: Path) -> UInt16Array:
    """Read the grey values of an image, such as heights of the ground.

    Args:
        path: a lossless grey image with one frame, of 8 or 16 bits a pixel.

    Returns:
        (height, width) uint16, 0 for black.

    Raises:
        LevelError: the image is missing, damaged, lossy, animated, too large, or not grey.
    """
    return np.asarray(_decode(path, _check_grey)).astype(np.uint16)


class ImageLegend:
    """Knows the recipe's colours, then the built-in ones that the recipe does not name."""

    names: tuple[str, ...]  #: terrains by number, in legend order, then the built-in ones
    clear: int  #: the number of VOID, which clear pixels are that no entry names

    def __init__(self, legend: Mapping[str, str], path: Path) -> None:
        """Number the terrains and index the colours.

        Args:
            legend: terrain by colour, "#rgb", "#rrggbb" or "#rrggbbaa".
            path: the image, for errors.

        Raises:
            LevelError: a key is no colour, or one colour stands for two terrains.
        """
        terrain_of: dict[int, str] = {}
        for text, terrain in legend.items():
            packed = pack_colour(text)
            place = f'[legend] "{text}"'
            if packed is None:
                expected = '"#rgb", "#rrggbb" or "#rrggbbaa"'
                refuse(path, place, f"'{text}' is not a colour", expected)
            if terrain_of.setdefault(packed, terrain) != terrain:
                found = f"{colour_text(packed)} stands for '{terrain_of[packed]}' and '{terrain}'"
                refuse(path, place, found, "one terrain for each colour")
        for text, terrain in BUILT_IN_COLOURS.items():
            packed = pack_colour(text)
            assert packed is not None
            terrain_of.setdefault(packed, terrain)

        self.names = tuple(dict.fromkeys([*terrain_of.values(), VOID]))
        check_terrain_count(path, len(self.names), "[legend]")
        number = {name: code for code, name in enumerate(self.names)}
        self._terrain_of = terrain_of
        ascending = sorted(terrain_of)
        self._colours = np.array(ascending, dtype=np.uint32)
        self._codes = np.array([number[terrain_of[each]] for each in ascending], dtype=np.uint8)
        self._met = np.zeros(len(ascending), dtype=np.bool_)
        self.clear, self._legend = number[VOID], legend

    @property
    def colors(self) -> UInt32Array:
        """Return the colors that an entry names or that are built in, as 0xrrggbbaa."""
        return self._colours

    def look_up(self, packed: UInt32Array) -> UInt8Array:
        """Look up the terrain of each colour.

        Args:
            packed: colours as 0xrrggbbaa, any shape.

        Returns:
            Index into ``names``, or UNKNOWN; same shape.
        """
        place = np.searchsorted(self._colours[:-1], packed)
        known = self._colours[place] == packed
        self._met[place[known]] = True
        unnamed = np.where(packed & np.uint32(0xFF), np.uint8(UNKNOWN), np.uint8(self.clear))
        return np.where(known, self._codes[place], unnamed)

    def used_colours(self) -> dict[int, str]:
        """Return the terrain of every known color that was looked up, in legend order."""
        met = set(self._colours[self._met].tolist())
        return {packed: name for packed, name in self._terrain_of.items() if packed in met}

    def used_numbers(self, *, clear: bool) -> list[int]:
        """Return the numbers of the terrains looked up, by their first color; VOID comes last.

        Args:
            clear: whether some pixel was VOID.
        """
        used = [self.names.index(name) for name in self.used_colours().values()]
        return list(dict.fromkeys([*used, self.clear] if clear else used))

    def unmatched(self) -> tuple[str, ...]:
        """Return the entries of the recipe whose colours were never looked up."""
        met = set(self._colours[self._met].tolist())
        return tuple(text for text in self._legend if pack_colour(text) not in met)


def _display_colours(names: ImageLegend, sample: UInt32Array) -> dict[str, Colour]:
    """Choose each terrain's commonest colour among some pixels, or else its first in the legend."""
    chosen = {name: rgb(packed) for packed, name in reversed(names.used_colours().items())}
    packed, count = np.unique(sample, return_counts=True)
    for place in np.argsort(count, kind="stable"):
        colour = packed[place : place + 1]
        if int(colour[0]) & 0xFF:  # Nobody chose the hidden colour of a clear pixel.
            chosen[names.names[int(names.look_up(colour)[0])]] = rgb(int(colour[0]))
    return chosen


def _packed(image: Image.Image, top: int, bottom: int) -> UInt32Array:
    """Return the (bottom - top, width) colours of some rows as 0xrrggbbaa."""
    strip = image.crop((0, top, image.width, bottom)).convert("RGBA")
    return np.asarray(strip).view(">u4")[..., 0].astype(np.uint32)


def _decode(
    path: Path,
    check: Callable[[Path, Image.Image], None] | None = None,
    *,
    lossy: bool = False,
) -> Image.Image:
    """Decode the image, once everything that its header says has been checked.

    Args:
        path: the image.
        check: what checks its header; None = as for colours.
        lossy: whether it may have been saved lossy.
    """
    check = check or _check_header
    start = read_start(path, _HEADER_BYTES)
    if start.startswith(_JPEG_START) and not lossy:
        refuse(
            path,
            None,
            "this is a JPEG image, whatever its name says; JPEG blurs colours",
            "a lossless image",
            f"save the original as .png, or {reduce_remedy(path)}",
        )
    if _is_lossy_webp(start) and not lossy:
        refuse(
            path,
            None,
            "this WebP image was saved lossy, which blurs colours",
            "a lossless image",
            f"save the original as lossless WebP or .png, or {reduce_remedy(path)}",
        )
    # TGA has no signature, so nearly any bytes could pass for one: only its own suffix counts.
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
                    _packed(image, 0, 1)  # A palette that gives no colours fails only here.
                _check_palette(path, image)
                return _with_alpha(path, image, start) if image.format == "TGA" else image
    except LevelError:
        raise
    except Image.DecompressionBombError as error:
        pixels = re.search(r"\d+", str(error))
        found = f"the image has {int(pixels[0]):,} pixels" if pixels else "the image is too large"
        expected, remedy = f"at most {MAX_CELLS:,}", "split it into several levels"
    except UnidentifiedImageError:
        found, remedy = "this is not an image, or a damaged one", "save it again"
        expected = f"a {path.suffix.lower()} image"
    except Exception as error:  # Damaged files make decoders raise almost anything.
        # To seek before the beginning is EINVAL, and damage.
        if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):
            raise LevelError(f"cannot be read: {os.strerror(error.errno)}", file=path) from None
        found = f"the image is damaged or cut short ({type(error).__name__}: {error})"
        expected, remedy = None, "save it again"
    refuse(path, None, found, expected, remedy)


@contextlib.contextmanager
def _quiet_libraries() -> Iterator[None]:
    """Throw away what C libraries write to standard error themselves.

    What other threads write there meanwhile is lost, too, so keep the time short.
    """
    with _ONE_AT_A_TIME, contextlib.ExitStack() as restored:
        with contextlib.suppress(OSError):  # Standard error is closed, so nobody sees it anyway.
            kept = os.dup(2)
            restored.callback(os.close, kept)
            restored.callback(os.dup2, kept, 2)
            with Path(os.devnull).open("wb") as nowhere:
                os.dup2(nowhere.fileno(), 2)
        yield


def _check_header(path: Path, image: Image.Image) -> None:
    check_size(path, *image.size)
    if _has_sixteen_bits(image):
        remedy = "convert it, colours are matched exactly"
        refuse(path, None, "the image has 16 bits a channel", "8 bits", remedy)
    if image.mode not in _MODES:
        refuse(
            path,
            None,
            f"the image's pixels are of kind '{image.mode}'",
            "black and white, grey, indexed, RGB or RGBA with 8 bits a channel",
            "convert it to RGB",
        )
    _check_frames(path, image)


def _check_size_of_any(path: Path, image: Image.Image) -> None:
    check_size(path, *image.size)
    if getattr(image, "n_frames", 1) > 1:
        _check_frames(path, image)


def _check_grey(path: Path, image: Image.Image) -> None:
    """Check what the header of an image of grey values says."""
    check_size(path, *image.size)
    if image.mode not in {"1", "L", "I;16", "I;16B"} and not (
        image.mode == "I" and image.format == "PNG"
    ):
        refuse(
            path,
            None,
            f"the image's pixels are of kind '{image.mode}'",
            "grey with 8 or 16 bits a pixel, and no alpha channel",
            "convert it to greyscale",
        )
    _check_frames(path, image)


def _check_palette(path: Path, image: Image.Image) -> None:
    """Refuse pixels of colours that the palette does not have, and that would be shown black."""
    palette = image.getpalette()
    if palette is None:
        return
    colours, numbers = len(palette) // 3, np.asarray(image.getchannel(0))
    if numbers.max() >= colours:
        y, x = divmod(int((numbers >= colours).argmax()), image.width)
        refuse(
            path,
            f"pixel ({x}, {y})",
            f"colour {numbers[y, x]} of a palette of {counted(colours, 'colour')}",
            f"colours 0 to {colours - 1}",
            "save it again",
        )


def _with_alpha(path: Path, image: Image.Image, header: bytes) -> Image.Image:
    """Return a TGA image with the alpha that its attribute bits stand for.

    Pixels and palettes of 16 bits have one attribute bit, which means opaque in the specification
    (Truevision, "TGA File Format", 1991) and transparent in some programs, Pillow among them. So
    it is read only where all pixels agree, and then they are opaque. Alpha of 8 bits that is 0
    everywhere is padding, if the header counts no attribute bits.

    Args:
        path: the image, for errors.
        image: as Pillow decodes it.
        header: the first bytes of the file, from the header on.

    Raises:
        LevelError: some pixels have their attribute bit set, and others do not.
    """
    has_palette, bits = image.mode in ("P", "PA"), header[_TGA_ATTRIBUTES] & 0x0F
    depth = header[_TGA_PALETTE_DEPTH if has_palette else _TGA_DEPTH]
    is_grey = header[_TGA_KIND] & 7 == _TGA_GREY
    if depth not in (16, 32):
        return image
    image = image.convert("RGBA")
    alpha = np.asarray(image.getchannel("A"))
    low, high = int(alpha.min()), int(alpha.max())
    if depth == 16 and not is_grey:
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
    """Refuse images that blur, and those of several pictures."""
    if image.info.get("compression") in _LOSSY_COMPRESSIONS:
        refuse(
            path,
            None,
            "the TIFF image is compressed lossy, which blurs colours",
            "a lossless image",
            f"save the original as .png, or {reduce_remedy(path)}",
        )
    frames = getattr(image, "n_frames", 1)
    if frames > 1:
        remedy = "save the one that is the level by itself"
        refuse(path, None, f"the image has {frames:,} frames or pages", "one", remedy)


def _has_sixteen_bits(image: Image.Image) -> bool:
    """Tell whether a channel has 16 bits, even where Pillow would drop the lower eight unasked."""
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
    """Tell whether the data is in a "VP8 " chunk, by the RIFF layout of WebP (RFC 9649)."""
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


def _refuse_colours(
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
        terrain, lambda top, bottom: _packed(image, top, bottom), colour_text, "pixels"
    )
    comment = 'or "wall", or any other terrain'
    refuse(
        path,
        f"pixel ({x}, {y})",
        f"no terrain is known for {listed}",
        "colours of the legend",
        f"add a line such as {toml_line(labels[0], 'grass')} to [legend] in bake.toml",
        [("legend", toml_line(colour, FLOOR, comment)) for colour in labels],
    )


def _count_unknown(image: Image.Image, terrain: UInt8Array) -> tuple[UInt32Array, Int64Array]:
    """Return the colors of UNKNOWN pixels as 0xrrggbbaa, ascending, and the pixels of each."""
    colors, counts = np.zeros(0, dtype=np.uint32), np.zeros(0, dtype=np.int64)
    for top, bottom in strips(*image.size):
        unknown = _packed(image, top, bottom)[terrain[top:bottom] == UNKNOWN]
        colors, slot = np.unique(np.concatenate((colors, unknown)), return_inverse=True)
        weights = np.concatenate((counts, np.ones(len(unknown), dtype=np.int64)))
        counts = np.zeros(len(colors), dtype=np.int64)
        np.add.at(counts, slot.reshape(-1), weights)
        if len(colors) > MOST_COUNTED:
            break
    return colors, counts
