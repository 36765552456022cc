"""Images: every mode, the legends, and what must be refused."""

import io
import os
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from bake.core.errors import LevelError
from bake.core.level import GridLevel, TerrainRule
from bake.levels import load
from bake.levels.image import read_image
from tests.support.levels import named, present, refusal
from tests.support.strategies import any_grids

COLOURS = {
    "grass": (58, 125, 68),
    "mud": (111, 78, 55),
    "wall": (0, 0, 0),
    "floor": (255, 255, 255),
    "lake": (58, 125, 69),
}
LEGEND = {"#3a7d44": "grass", "#6f4e37": "mud", "#3a7d45": "lake"}
GREYS = {"wall": 0, "floor": 255, "rubble": 85, "bush": 170}
GREY_LEGEND = {"#555555": "rubble", "#aaaaaa": "bush"}
LOSSLESS = [".png", ".bmp", ".gif", ".tga", ".tif", ".tiff", ".webp"]


def rgb_image(grid: list[list[str]]) -> Image.Image:
    return Image.fromarray(
        np.array([[COLOURS[name] for name in row] for row in grid], dtype=np.uint8)
    )


def grey_image(grid: list[list[str]]) -> Image.Image:
    return Image.fromarray(
        np.array([[GREYS[name] for name in row] for row in grid], dtype=np.uint8)
    )


def save(image: Image.Image, path: Path, **options: object) -> Path:
    if path.suffix == ".webp":
        options["lossless"] = True
    image.save(path, **options)
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("images")


@pytest.mark.parametrize(
    ("mode", "suffix"),
    [
        (mode, suffix)
        for mode in ("RGB", "RGBA", "P")
        for suffix in LOSSLESS
        if mode == "P" or suffix != ".gif"  # Pillow blends colours where it writes others as GIF
    ],
)
@settings(max_examples=20)
@given(grid=any_grids(list(COLOURS)))
def test_colour_round_trip(folder: Path, mode: str, suffix: str, grid: list[list[str]]) -> None:
    image = rgb_image(grid)
    image = image.quantize(dither=Image.Dither.NONE) if mode == "P" else image.convert(mode)
    path = save(image, folder / f"{mode}{suffix}")
    level = load(path, LEGEND)
    assert named(level) == grid
    assert set(level.terrains) == present(grid)
    assert level.terrain.dtype == np.uint8
    assert level.colours == {name: COLOURS[name] for name in level.terrains}
    # Legend order, then the built-in terrains.
    order = ["grass", "mud", "lake", "wall", "floor"]
    assert list(level.terrains) == [name for name in order if name in present(grid)]


@pytest.mark.parametrize("mode", ["L", "LA"])
@given(grid=any_grids(list(GREYS)))
def test_grey_round_trip(folder: Path, mode: str, grid: list[list[str]]) -> None:
    path = save(grey_image(grid).convert(mode), folder / f"{mode}.png")
    assert named(load(path, GREY_LEGEND)) == grid


@given(grid=any_grids(["wall", "floor"]))
def test_black_and_white_round_trip(folder: Path, grid: list[list[str]]) -> None:
    for suffix in (".png", ".bmp", ".gif", ".tif"):
        path = save(grey_image(grid).convert("1"), folder / f"one{suffix}")
        assert named(load(path, {})) == grid


@pytest.mark.parametrize("bits", [1, 2, 4, 8])
@given(grid=any_grids(["wall", "grass"]))
def test_palettes_of_few_bits(folder: Path, bits: int, grid: list[list[str]]) -> None:
    image = rgb_image(grid).quantize(dither=Image.Dither.NONE)
    path = save(image, folder / f"bits{bits}.png", bits=bits)
    assert named(load(path, LEGEND)) == grid


@given(pixels=st.lists(st.lists(st.sampled_from([0, 7, 254, 255]), min_size=3, max_size=3)))
def test_alpha_is_matched_exactly(folder: Path, pixels: list[list[int]]) -> None:
    """One colour under four alphas is four terrains; only alpha 0 has a default."""
    pixels = pixels or [[0, 7, 254]]
    rgba = np.array([[(1, 2, 3, alpha) for alpha in row] for row in pixels], dtype=np.uint8)
    path = folder / "alpha.png"
    Image.fromarray(rgba, "RGBA").save(path)
    legend = {"#010203": "full", "#010203fe": "nearly", "#01020307": "hardly"}
    expected = {0: "void", 7: "hardly", 254: "nearly", 255: "full"}
    level = load(path, legend)
    assert named(level) == [[expected[alpha] for alpha in row] for row in pixels]
    level = load(path, {**legend, "#01020300": "ghost"})
    expected[0] = "ghost"
    assert named(level) == [[expected[alpha] for alpha in row] for row in pixels]


def test_a_named_transparent_colour_leaves_others_void(tmp_path: Path) -> None:
    path = tmp_path / "clear.png"
    pixels = np.array([[(1, 2, 3, 0), (9, 9, 9, 0), (0, 0, 0, 255)]], dtype=np.uint8)
    Image.fromarray(pixels, "RGBA").save(path)
    level = load(path, {"#01020300": "ghost"})
    assert named(level) == [["ghost", "void", "wall"]]
    assert level.terrain_rules == {"wall": TerrainRule(None), "void": TerrainRule(None)}
    assert "void" not in level.colours


@pytest.mark.parametrize("mode", ["P", "L", "RGB", "1"])
def test_a_transparent_colour_of_any_mode_is_void(tmp_path: Path, mode: str) -> None:
    path = tmp_path / "key.png"
    image = Image.fromarray(np.array([[0, 255]], dtype=np.uint8)).convert(mode)
    key = {"P": 0, "L": 0, "RGB": (0, 0, 0), "1": 0}[mode]
    image.save(path, transparency=key)
    assert named(load(path, {})) == [["void", "floor"]]


def test_palette_with_alpha(tmp_path: Path) -> None:
    path = tmp_path / "palette.png"
    image = Image.new("P", (3, 1))
    image.putpalette([10, 20, 30, 40, 50, 60, 70, 80, 90])
    image.putdata([0, 1, 2])
    image.save(path, transparency=bytes([255, 128, 0]))
    level = load(path, {"#0a141e": "a", "#28323c80": "b"})
    assert named(level) == [["a", "b", "void"]]


def indexed_png(path: Path, pixels: bytes, palette: bytes) -> Path:
    """A PNG of a single row of 8-bit numbers of colours."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    header = struct.pack(">IIBBBBB", len(pixels), 1, 8, 3, 0, 0, 0)
    parts = (b"IHDR", header), (b"PLTE", palette), (b"IDAT", zlib.compress(b"\0" + pixels))
    chunks = [chunk(kind, data) for kind, data in (*parts, (b"IEND", b""))]
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(chunks))
    return path


def test_a_number_beyond_the_palette_is_no_wall(tmp_path: Path) -> None:
    palette = bytes([255, 255, 255, 1, 2, 3])
    path = indexed_png(tmp_path / "p.png", b"\0\1\1", palette)
    assert named(load(path, {"#010203": "mud"})) == [["floor", "mud", "mud"]]
    path = indexed_png(tmp_path / "p.png", b"\0\1\2", palette)
    assert refusal(path, {"#010203": "mud"}) == (
        "pixel (2, 0): color 2 of a palette of 2 colors; expected colors 0 to 1; save it again"
    )


@pytest.mark.parametrize("suffix", [".bmp", ".tga"])
def test_other_formats_have_palettes_too_small_as_well(tmp_path: Path, suffix: str) -> None:
    image = Image.new("P", (3, 1))
    image.putpalette([255, 255, 255, 10, 20, 30])
    image.putdata([0, 1, 5])
    path = tmp_path / f"small{suffix}"
    image.save(path)
    assert "pixel (2, 0): color 5 of a palette" in refusal(path)


def test_transparent_gif(tmp_path: Path) -> None:
    path = tmp_path / "clear.gif"
    image = Image.new("P", (2, 1))
    image.putpalette([10, 20, 30, 40, 50, 60])
    image.putdata([0, 1])
    image.save(path, transparency=1)
    assert named(load(path, {"#0a141e": "a"})) == [["a", "void"]]


def test_built_in_legend_and_rules(tmp_path: Path) -> None:
    path = tmp_path / "plain.png"
    Image.fromarray(np.array([[0, 255]], dtype=np.uint8)).save(path)
    level = load(path, {})
    assert isinstance(level, GridLevel)
    assert level.terrains == ("wall", "floor")
    assert level.terrain_rules == {"wall": TerrainRule(None), "floor": TerrainRule(1.0)}
    assert level.hex_layout is None
    assert level.rules.connectivity is None


def test_the_recipe_overrides_the_built_in_legend(tmp_path: Path) -> None:
    path = tmp_path / "plain.png"
    Image.fromarray(np.array([[0, 255]], dtype=np.uint8)).save(path)
    level = load(path, {"#000000": "night", "#FFF": "wall"})
    assert named(level) == [["night", "wall"]]
    assert level.terrain_rules == {"wall": TerrainRule(None)}


def test_two_colours_of_one_terrain(tmp_path: Path) -> None:
    path = tmp_path / "shades.png"
    Image.fromarray(np.array([[16, 32, 16]], dtype=np.uint8)).save(path)
    level = load(path, {"#101010": "rock", "#202020": "rock"})
    assert level.terrains == ("rock",)
    assert level.colours == {"rock": (16, 16, 16)}


def test_unused_legend_entries_are_no_terrains(tmp_path: Path) -> None:
    path = tmp_path / "one.png"
    Image.new("L", (1, 1), 255).save(path)
    level = load(path, LEGEND)
    assert named(level) == [["floor"]]
    assert level.terrains == ("floor",)


def test_an_image_of_several_strips(tmp_path: Path) -> None:
    grid = np.random.default_rng(1).choice([0, 85, 170, 255], (1500, 1100)).astype(np.uint8)
    path = tmp_path / "large.png"
    Image.fromarray(grid).save(path)
    level = load(path, GREY_LEGEND)
    code = {grey: level.terrains.index(name) for name, grey in GREYS.items()}
    assert np.array_equal(level.terrain, np.vectorize(code.__getitem__)(grid))


# --- refused


def test_unknown_colours_with_counts_and_first_coordinates(tmp_path: Path) -> None:
    path = tmp_path / "odd.png"
    pixels = np.zeros((4, 5, 3), dtype=np.uint8)
    pixels[1, 3] = (255, 0, 255)
    pixels[2, 0:3] = (1, 2, 3)
    pixels[0, 4] = (255, 0, 255)
    Image.fromarray(pixels).save(path)
    line = refusal(path)
    assert line.startswith("pixel (0, 2): ")
    assert "#010203 (3 pixels, first at (0, 2)), #ff00ff (2 pixels, first at (4, 0))" in line
    assert "[legend]" in line
    assert '"#010203" =' in line


def test_many_unknown_colours_are_cut_short(tmp_path: Path) -> None:
    path = tmp_path / "odd.png"
    pixels = np.zeros((1, 12, 3), dtype=np.uint8)
    pixels[0, :, 0] = np.arange(1, 13)
    Image.fromarray(pixels).save(path)
    line = refusal(path)
    assert "#080000 (1 pixel, first at (7, 0)), and 4 more" in line
    assert "#090000" not in line


def test_unknown_colours_are_counted_over_strips(tmp_path: Path) -> None:
    path = tmp_path / "odd.png"
    pixels = np.zeros((2300, 1000), dtype=np.uint8)
    pixels[[3, 2200, 2299], [5, 1, 2]] = 9
    pixels[2250, 7] = 8
    Image.fromarray(pixels).save(path)
    line = refusal(path)
    assert "#090909 (3 pixels, first at (5, 3)), #080808 (1 pixel, first at (7, 2250));" in line


def test_counting_stops_in_a_photograph(tmp_path: Path) -> None:
    path = tmp_path / "photo.png"
    noise = np.random.default_rng(0).integers(1, 255, (1100, 1000, 3)).astype(np.uint8)
    Image.fromarray(noise).save(path, compress_level=0)
    assert "more than 65,536 colors" in refusal(path)


def smoothed(colors: int) -> Image.Image:
    """A level of white floor and grass whose border has so many colors between both."""
    pixels = np.full((40, 80, 3), 255, dtype=np.uint8)
    pixels[:, 40:] = (0x3A, 0x7D, 0x44)
    pixels[0, :colors, 0] = np.arange(colors) + 100
    return Image.fromarray(pixels)


def test_a_smoothed_image_is_reported_in_one_line_with_the_remedy(tmp_path: Path) -> None:
    path = tmp_path / "hall.png"
    smoothed(65).save(path)
    with pytest.raises(LevelError) as caught:
        load(path, {"#3a7d44": "grass"})
    assert caught.value.lines == ()
    assert caught.value.place == "pixel (0, 0)"
    assert caught.value.found.startswith("65 colors")
    assert "65 pixels" in caught.value.found
    assert "hall-reduced.png" in (caught.value.remedy or "")
    assert "--reduce" in (caught.value.remedy or "")
    smoothed(64).save(path)
    with pytest.raises(LevelError) as caught:
        load(path, {"#3a7d44": "grass"})
    assert len(caught.value.lines) == 64


def test_how_near_unnamed_colors_are_to_named_ones(tmp_path: Path) -> None:
    """Three quarters of the pixels are at most 75 from white, the others 127 from both."""
    path = tmp_path / "hall.png"
    pixels = np.full((1, 100, 3), 255, dtype=np.uint8)
    pixels[0, :75, 2] = np.arange(75) + 180
    pixels[0, 75:] = 128
    pixels[0, 75:, 1] += np.arange(25, dtype=np.uint8)
    Image.fromarray(pixels).save(path)
    assert "100 colors that no legend entry names (100 pixels), mostly within 75" in refusal(path)


def test_a_reduced_picture_beside_a_smoothed_image_is_named(tmp_path: Path) -> None:
    smoothed(65).save(tmp_path / "hall.png")
    smoothed(0).save(tmp_path / "hall-reduced.png")
    line = refusal(tmp_path / "hall.png")
    assert "hall-reduced.png" in line
    assert "--reduce" not in line


def test_unknown_translucent_colour_is_named_with_its_alpha(tmp_path: Path) -> None:
    path = tmp_path / "odd.png"
    Image.new("RGBA", (1, 1), (0, 0, 0, 128)).save(path)
    assert "#00000080 (1 pixel, first at (0, 0))" in refusal(path, {"#000000": "wall"})


@pytest.mark.parametrize("key", ["red", "#12", "#12345", "#gggggg", "", "#1234567890"])
def test_legend_keys_that_are_no_colours(tmp_path: Path, key: str) -> None:
    path = tmp_path / "one.png"
    Image.new("L", (1, 1)).save(path)
    assert f"'{key}' is not a color" in refusal(path, {key: "grass"})


def test_one_colour_for_two_terrains(tmp_path: Path) -> None:
    path = tmp_path / "one.png"
    Image.new("L", (1, 1)).save(path)
    line = refusal(path, {"#abcdef": "a", "#ABCDEFff": "b"})
    assert "#abcdef stands for 'a' and 'b'" in line
    assert named(load(path, {"#abcdef": "a", "#ABCDEFff": "a"})) == [["wall"]]


def test_a_legend_of_too_many_terrains(tmp_path: Path) -> None:
    path = tmp_path / "one.png"
    Image.new("L", (1, 1)).save(path)
    legend = {f"#{at:06x}": f"t{at}" for at in range(300)}
    assert "301 terrains" not in refusal(path, legend)  # white, clear and 300 of the legend's
    assert "302 terrains; expected at most 255" in refusal(path, legend)


def test_one_pixel(tmp_path: Path) -> None:
    path = tmp_path / "one.png"
    Image.new("L", (1, 1), 255).save(path)
    assert named(load(path, {})) == [["floor"]]


def png_of(width: int, height: int, bits: int = 1, colour_type: int = 0) -> bytes:
    """The start of a PNG: a header that promises a size, and no pixels worth it."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    header = struct.pack(">IIBBBBB", width, height, bits, colour_type, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(bytes(64)))
        + chunk(b"IEND", b"")
    )


@pytest.mark.parametrize(
    ("size", "count"),
    [
        ((20_000, 20_000), "400,000,000"),
        ((8_193, 8_192), "67,117,056"),
        ((10_000, 10_000), "100,000,000"),
        ((2**31 - 1, 2**31 - 1), "4,611,686,014,132,420,609"),
    ],
)
def test_too_large_is_refused_by_its_header(
    tmp_path: Path, size: tuple[int, int], count: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "huge.png"
    path.write_bytes(png_of(*size))

    def no_pixels(*args: object) -> None:
        raise AssertionError("pixels were read")

    monkeypatch.setattr("PIL.ImageFile.ImageFile.load", no_pixels)
    line = refusal(path)
    assert count in line
    assert "at most 67,108,864" in line


def test_largest_size_is_not_refused_by_its_header(tmp_path: Path) -> None:
    path = tmp_path / "large.png"
    path.write_bytes(png_of(8_192, 8_192))
    assert "damaged or cut short" in refusal(path)


def test_sizeless_png(tmp_path: Path) -> None:
    path = tmp_path / "none.png"
    path.write_bytes(png_of(0, 4))
    assert "damaged" in refusal(path) or "empty" in refusal(path)


def test_png_cut_anywhere(tmp_path: Path) -> None:
    grid = np.random.default_rng(0).choice([0, 255], (40, 40)).astype(np.uint8)
    memory = io.BytesIO()
    Image.fromarray(grid).save(memory, "PNG")
    data = memory.getvalue()
    path = tmp_path / "cut.png"
    # Without its last 12 bytes, the end mark, all pixels are there; that is for Pillow to judge.
    for length in range(1, len(data) - 12, 7):
        path.write_bytes(data[:length])
        refusal(path)


@pytest.mark.parametrize("suffix", LOSSLESS)
def test_images_cut_in_half(tmp_path: Path, suffix: str) -> None:
    grid = np.random.default_rng(0).choice([0, 255], (64, 64)).astype(np.uint8)
    path = save(Image.fromarray(grid).convert("RGB"), tmp_path / f"cut{suffix}")
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    refusal(path)


def test_png_with_a_flipped_bit(tmp_path: Path) -> None:
    grid = np.random.default_rng(0).choice([0, 255], (40, 40)).astype(np.uint8)
    memory = io.BytesIO()
    Image.fromarray(grid).save(memory, "PNG")
    data = bytearray(memory.getvalue())
    path = tmp_path / "flipped.png"
    for at in range(8, len(data) - 12, 11):
        data[at] ^= 4
        path.write_bytes(data)
        refusal(path)
        data[at] ^= 4
    path.write_bytes(data)
    load(path, {})


@given(data=st.binary(min_size=1, max_size=200))
@pytest.mark.parametrize("suffix", LOSSLESS)
def test_arbitrary_bytes_are_refused(folder: Path, suffix: str, data: bytes) -> None:
    path = folder / f"noise{suffix}"
    path.write_bytes(data)
    with pytest.raises(LevelError):
        read_image(path, {})


def test_a_jpeg_by_another_name(tmp_path: Path) -> None:
    path = tmp_path / "photo.png"
    Image.new("RGB", (8, 8)).save(path, "JPEG")
    line = refusal(path)
    assert "this is a JPEG image" in line
    assert "--reduce" in line


def test_lossy_webp(tmp_path: Path) -> None:
    path = tmp_path / "soft.webp"
    for mode in ("RGB", "RGBA"):
        Image.new(mode, (8, 8)).save(path, lossless=False)
        assert "saved lossy" in refusal(path)


def test_tiff_compressed_as_jpeg(tmp_path: Path) -> None:
    path = tmp_path / "soft.tif"
    Image.new("RGB", (8, 8)).save(path, compression="jpeg")
    assert "compressed lossy" in refusal(path)


def test_libtiff_adds_no_lines_of_its_own(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "torn.tif"
    Image.new("RGB", (40, 40)).save(path, compression="tiff_lzw")
    data = bytearray(path.read_bytes())
    data[10:30] = bytes(byte ^ 0x5A for byte in data[10:30])
    path.write_bytes(data)
    assert "damaged" in refusal(path)
    assert capfd.readouterr().err == ""
    os.write(2, b"seen again")
    assert capfd.readouterr().err == "seen again"


@pytest.mark.parametrize("suffix", [".gif", ".png", ".webp", ".tif"])
def test_several_frames(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"film{suffix}"
    frames = [Image.new("RGB", (4, 4), colour) for colour in ("black", "white", "red")]
    save(frames[0], path, save_all=True, append_images=frames[1:])
    assert "the image has 3 frames or pages; expected one" in refusal(path)


def test_sixteen_bit_grey(tmp_path: Path) -> None:
    for suffix in (".png", ".tif"):
        path = tmp_path / f"deep{suffix}"
        Image.fromarray(np.zeros((2, 2), dtype=np.uint16)).save(path)
        assert "16 bits a channel; expected 8" in refusal(path)


@pytest.mark.parametrize("colour_type", [2, 4, 6])
def test_sixteen_bit_colour(tmp_path: Path, colour_type: int) -> None:
    path = tmp_path / "deep.png"
    path.write_bytes(png_of(1, 1, bits=16, colour_type=colour_type))
    assert "16 bits a channel; expected 8" in refusal(path)


@pytest.mark.parametrize("mode", ["F", "I", "CMYK", "YCbCr", "LAB"])
def test_other_kinds_of_pixels(tmp_path: Path, mode: str) -> None:
    path = tmp_path / "odd.tif"
    Image.new(mode, (2, 2)).save(path)
    assert f"'{mode}'" in refusal(path)


# -- attribute bits of TGA -------------------------------------------------------------------------

FIVE_BITS = {"wall": 0, "floor": 0x7FFF, "grass": 0x1F << 5}
FIVE_BIT_LEGEND = {"#00ff00": "grass"}


def tga_of(
    grid: list[list[str]], attribute: list[list[int]], bits: int, *, packed: bool, palette: bool
) -> bytes:
    """A TGA image of 16 bits a pixel or palette entry, from the top left."""
    pixels = [
        FIVE_BITS[name] | bit << 15
        for row, own in zip(grid, attribute, strict=True)
        for name, bit in zip(row, own, strict=True)
    ]
    colours = sorted(set(pixels)) if palette else []
    kind = (1 if palette else 2) + 8 * packed
    about = (0, int(palette), kind, 0, len(colours), 16 * palette, 0, 0, len(grid[0]), len(grid))
    head = struct.pack("<BBBHHBHHHHBB", *about, 8 if palette else 16, bits | 0x20)
    table = b"".join(struct.pack("<H", colour) for colour in colours)
    values = [
        bytes([colours.index(pixel)]) if palette else struct.pack("<H", pixel) for pixel in pixels
    ]
    # Each pixel is a run of one where runs are packed.
    return head + table + b"".join((b"\x80" if packed else b"") + value for value in values)


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("palette", [False, True])
@given(grid=any_grids(list(FIVE_BITS)), bit=st.integers(0, 1), bits=st.integers(0, 1))
def test_an_attribute_bit_that_all_pixels_share_says_nothing(
    folder: Path, packed: bool, palette: bool, grid: list[list[str]], bit: int, bits: int
) -> None:
    # Pillow cannot open files of so few bytes.
    grid = [row * 6 for row in grid]
    path = folder / f"share{packed}{palette}.tga"
    attribute = [[bit] * len(grid[0])] * len(grid)
    path.write_bytes(tga_of(grid, attribute, bits, packed=packed, palette=palette))
    assert named(load(path, FIVE_BIT_LEGEND)) == grid


@pytest.mark.parametrize("palette", [False, True])
def test_attribute_bits_that_differ(folder: Path, palette: bool) -> None:
    grid, attribute = [["floor"] * 8, ["grass"] * 8], [[0] * 8, [0] * 5 + [1] * 3]
    path = folder / "differ.tga"
    path.write_bytes(tga_of(grid, attribute, 1, packed=False, palette=palette))
    assert refusal(path).startswith("pixel (5, 1): its attribute bit differs")
    # Where the header counts no attribute bits, the bit is padding.
    path.write_bytes(tga_of(grid, attribute, 0, packed=False, palette=palette))
    assert named(load(path, FIVE_BIT_LEGEND)) == grid


@pytest.mark.parametrize("bits", [0, 8])
@pytest.mark.parametrize("alpha", [0, 255])
def test_alpha_of_eight_bits_in_tga(folder: Path, bits: int, alpha: int) -> None:
    path = folder / "alpha.tga"
    head = struct.pack("<BBBHHBHHHHBB", 0, 0, 2, 0, 0, 0, 0, 0, 4, 1, 32, bits | 0x20)
    path.write_bytes(head + bytes([255, 255, 255, alpha]) * 4)
    clear = bits == 8 and alpha == 0
    assert named(load(path, {})) == [["void" if clear else "floor"] * 4]
    path.write_bytes(head + bytes([255, 255, 255, 0, 255, 255, 255, 255]) * 2)
    assert named(load(path, {})) == [["void", "floor"] * 2]
