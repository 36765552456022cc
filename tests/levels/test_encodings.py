"""Random levels in corners of the formats that hold them, against what was drawn."""

import codecs
import io
import json
import math
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from bake.core.errors import LevelError
from bake.core.level import GeometryLevel, GraphLevel
from bake.geometry import GRID, geometry_of
from bake.levels import load
from tests.support.image_files import bmp_file, png_file, tga_file
from tests.support.levels import named, refusal

NAMES = ["wall", "floor", "grass", "mud", "lake"]
COLOURS = {
    "wall": (0, 0, 0, 255),
    "floor": (255, 255, 255, 255),
    "grass": (0, 255, 0, 255),
    "mud": (255, 0, 0, 255),
    "lake": (0, 0, 255, 255),
    "void": (9, 8, 7, 0),
}
GREYS = {"wall": 0, "floor": 255, "grass": 0x55, "mud": 0xAA}
LEGEND = {"#00ff00": "grass", "#f00": "mud", "#0000FF": "lake"}
GREY_LEGEND = {"#555": "grass", "#aaaaaa": "mud"}

Grid = list[list[str]]

SEEDS = st.integers(0, 2**32 - 1)
#: Some files of each kind in every run, and many more at night.
few = settings(max_examples=2 if settings().max_examples < 100 else settings().max_examples // 3)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("levels")


@st.composite
def drawn(draw: st.DrawFn, names: list[str]) -> Grid:
    width, height = draw(st.integers(1, 19)), draw(st.integers(1, 9))
    row = st.lists(st.sampled_from(names), min_size=width, max_size=width)
    return draw(st.lists(row, min_size=height, max_size=height))


def numbered(grid: Grid, names: list[str]) -> list[list[int]]:
    return [[names.index(name) for name in row] for row in grid]


# -- images ---------------------------------------------------------------------------------------

#: Colour type and bits of PNGs.
PNG_KINDS = [*product([0], [1, 2, 4, 8]), (2, 8), *product([3], [1, 2, 4, 8]), (4, 8), (6, 8)]


def write_png(grid: Grid, names: list[str], kind: int, bits: int, random: Random) -> bytes:
    colours = [COLOURS[name] for name in names]
    if kind in (0, 4):
        colours = [(GREYS.get(n, 0),) * 3 + (COLOURS[n][3],) for n in names]
    return png_file(numbered(grid, names), colours, kind, bits, random)


@few
@given(data=st.data(), seed=SEEDS)
def test_png(folder: Path, data: st.DataObject, seed: int) -> None:
    random = Random(seed)
    kind, bits = data.draw(st.sampled_from(PNG_KINDS))
    names = ["wall", "floor"]
    if bits > 1:
        names = list(GREYS) if kind in (0, 4) else list(NAMES)
    if kind == 3 and bits == 2:
        names = names[:3]
    if kind in (3, 4, 6) and bits > 1:
        names.append("void")
    grid = data.draw(drawn(names))
    path = folder / "level.png"
    path.write_bytes(write_png(grid, names, kind, bits, random))
    assert named(load(path, GREY_LEGEND if kind in (0, 4) else LEGEND)) == grid


@few
@given(grid=drawn(["wall", "floor"]), seed=SEEDS)
def test_png_of_sixteen_bits(folder: Path, grid: Grid, seed: int) -> None:
    random = Random(seed)
    path = folder / "deep.png"
    kind = random.choice([0, 2, 4, 6])
    path.write_bytes(write_png(grid, ["wall", "floor"], kind, 16, random))
    assert "16 bits" in refusal(path)


@few
@given(data=st.data(), seed=SEEDS)
def test_tga(folder: Path, data: st.DataObject, seed: int) -> None:
    random = Random(seed)
    palette = data.draw(st.booleans())
    depth = data.draw(st.sampled_from([16, 24, 32] if palette else [8, 16, 24, 32]))
    names = ["wall", "floor"] if depth == 8 else list(NAMES)
    if depth == 32:
        names.append("void")
    grid = data.draw(drawn(names))
    colours = [COLOURS[name] for name in names]
    path = folder / "level.TGA"
    file = tga_file(numbered(grid, names), colours, depth, random, palette=palette)
    path.write_bytes(file)
    assert named(load(path, LEGEND)) == grid


@few
@given(data=st.data(), seed=SEEDS)
def test_bmp(folder: Path, data: st.DataObject, seed: int) -> None:
    random = Random(seed)
    bits = data.draw(st.sampled_from([1, 4, 8, 16, 24, 32]))
    names = ["wall", "mud"] if bits == 1 else NAMES
    grid = data.draw(drawn(names))
    colours = [COLOURS[name] for name in names]
    path = folder / "level.bmp"
    path.write_bytes(bmp_file(numbered(grid, names), colours, bits, random))
    assert named(load(path, LEGEND)) == grid


LIBRARY = {
    ".gif": [{}, {"interlace": 1}, {"interlace": 0}, {"optimize": True}],
    ".tiff": [
        {"compression": None},
        {"compression": "tiff_lzw"},
        {"compression": "packbits"},
        {"compression": "tiff_adobe_deflate"},
        {"big_tiff": True},
    ],
    ".webp": [{"lossless": True}, {"lossless": True, "exact": True, "method": 6}],
    ".png": [{"bits": 4}, {"optimize": True}],
}


def as_image(grid: Grid, names: list[str], *, palette: bool) -> Image.Image:
    codes = np.array(numbered(grid, names), dtype=np.uint8)
    if not palette:
        return Image.fromarray(np.array([COLOURS[name] for name in names], dtype=np.uint8)[codes])
    image = Image.fromarray(codes, "L").convert("L")
    indexed = Image.frombytes("P", image.size, image.tobytes())
    indexed.putpalette([value for name in names for value in COLOURS[name][:3]])
    if "void" in names:
        indexed.info["transparency"] = names.index("void")
    return indexed


@few
@given(data=st.data())
def test_images_that_a_library_writes(folder: Path, data: st.DataObject) -> None:
    suffix = data.draw(st.sampled_from(sorted(LIBRARY)))
    options = data.draw(st.sampled_from(LIBRARY[suffix]))
    palette = (
        suffix == ".gif" or "bits" in options or (suffix == ".png" and data.draw(st.booleans()))
    )
    names = [*NAMES, "void"] if suffix != ".tiff" or not palette else NAMES
    grid = data.draw(drawn(names))
    path = folder / f"level{suffix}"
    as_image(grid, names, palette=palette).save(path, **options)
    assert named(load(path, LEGEND)) == grid


@few
@given(grids=st.lists(drawn(["wall", "floor"]), min_size=2, max_size=3), data=st.data())
def test_images_that_move(folder: Path, grids: list[Grid], data: st.DataObject) -> None:
    suffix = data.draw(st.sampled_from([".gif", ".png", ".webp", ".tiff"]))
    path = folder / f"film{suffix}"
    first, *rest = (as_image(grid, ["wall", "floor"], palette=False) for grid in grids)
    rest = [frame.resize(first.size) for frame in rest]
    # Writers join frames that are alike.
    rest.append(first.point(lambda value: 255 - value))
    first.putalpha(255)
    first.save(path, save_all=True, append_images=rest, lossless=True)
    with Image.open(path) as written:
        frames = getattr(written, "n_frames", 1)
    if frames > 1:
        assert "frames" in refusal(path)
    else:
        assert len(named(load(path, LEGEND))) == len(grids[0])


# -- text -----------------------------------------------------------------------------------------

ENDS = st.sampled_from(["\n", "\r\n", "\r"])
MARKS = st.sampled_from([b"", codecs.BOM_UTF8])


def json_string(text: str, random: Random) -> str:
    """Text as JSON, in which any character may be an escape."""
    letters = (
        f"\\u{ord(letter):04x}"
        if ord(letter) < 2**16 and random.random() < 0.2
        else json.dumps(letter, ensure_ascii=random.random() < 0.5)[1:-1]
        for letter in text
    )
    return '"' + "".join(letters) + '"'


def json_text(value: Any, random: Random, end: str) -> str:
    """JSON with keys in any order, blanks anywhere, and escapes in strings."""
    gap = random.choice(["", " ", end, "\t", f" {end} "])
    if isinstance(value, dict):
        pairs = list(value.items())
        random.shuffle(pairs)
        inside = f",{gap}".join(
            f"{gap}{json_text(key, random, end)}{gap}:{gap}{json_text(item, random, end)}"
            for key, item in pairs
        )
        return f"{{{inside}{gap}}}"
    if isinstance(value, list):
        inside = f"{gap},".join(f"{gap}{json_text(item, random, end)}" for item in value)
        return f"[{inside}{gap}]"
    if isinstance(value, str):
        return json_string(value, random)
    return json.dumps(value)


@few
@given(data=st.data(), end=ENDS, mark=MARKS, seed=SEEDS)
def test_json_tiles(folder: Path, data: st.DataObject, end: str, mark: bytes, seed: int) -> None:
    random = Random(seed)
    grid = data.draw(drawn(NAMES))
    about: dict[str, Any] = {"format": "bake-tiles", "version": 1}
    if data.draw(st.booleans()):
        letters = data.draw(st.permutations([".", " ", '"', "\\", "é", "𝄞", "\u2028", "\ufeff"]))
        symbol = dict(zip(NAMES, letters, strict=False))
        about["legend"] = {letter: name for name, letter in symbol.items()}
        about["rows"] = ["".join(symbol[name] for name in row) for row in grid]
    else:
        about["palette"] = NAMES
        about["cells"] = numbered(grid, NAMES)
    path = folder / "level.json"
    path.write_bytes(mark + json_text(about, random, end).encode())
    assert named(load(path, {})) == grid


@few
@given(
    grid=drawn([".", "G", "S", "W", "T", "@", "O"]),
    end=ENDS,
    mark=MARKS,
    seed=SEEDS,
)
def test_moving_ai_maps(folder: Path, grid: Grid, end: str, mark: bytes, seed: int) -> None:
    random = Random(seed)
    sizes = [f"height {len(grid)}", f"width  {len(grid[0])} "]
    header = ["type octile", *sizes]
    random.shuffle(header)
    header[random.randrange(3)] += random.choice(["", "\t", end, "  "])
    lines = [*header, "map", *map("".join, grid)]
    tail = random.choice(["", end, end * 3, f"{end} {end}"])
    path = folder / "level.map"
    path.write_bytes(mark + (end.join(lines) + tail).encode())
    letters = {".": "ground", "G": "ground", "S": "swamp", "W": "water", "T": "trees"}
    expected = [[letters.get(letter, "out_of_bounds") for letter in row] for row in grid]
    assert named(load(path, {})) == expected


@few
@given(data=st.data(), end=ENDS, mark=MARKS, seed=SEEDS)
def test_json_graphs(folder: Path, data: st.DataObject, end: str, mark: bytes, seed: int) -> None:
    random = Random(seed)
    names: list[Any] = data.draw(
        st.lists(st.integers(-9, 9), min_size=1, max_size=8, unique=True)
        | st.lists(st.text("aé \u2028𝄞", min_size=1), min_size=1, max_size=8, unique=True)
    )
    pairs = [(a, b) for a in range(len(names)) for b in range(len(names)) if a < b]
    edges = data.draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    weights = {edge: random.choice([1, 2.5, 1e9, 0]) for edge in edges}
    about = {
        "directed": data.draw(st.booleans()),
        "multigraph": False,
        "graph": {},
        "nodes": [{"id": name, "x": at, "y": -at, "colour": "é"} for at, name in enumerate(names)],
        data.draw(st.sampled_from(["edges", "links"])): [
            {"source": names[a], "target": names[b], "weight": weights[a, b]} for a, b in edges
        ],
    }
    path = folder / "roads.json"
    path.write_bytes(mark + json_text(about, random, end).encode())
    level = load(path, {})
    assert isinstance(level, GraphLevel)
    assert level.node_names == tuple(names)
    found = dict(
        zip(zip(level.tail.tolist(), level.head.tolist(), strict=True), level.length, strict=True)
    )
    both = {} if about["directed"] else {(b, a): weights[a, b] for a, b in edges}
    assert found == {**weights, **both}


# -- the plane ------------------------------------------------------------------------------------

Box = tuple[int, int, int, int]
boxes = st.lists(
    st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(1, 5), st.integers(1, 5)),
    min_size=1,
    max_size=6,
)
#: What hides a shape, as an attribute of it or of a group around it.
HIDES = ["", 'display="none"', 'style="visibility : hidden"', 'opacity="0"', 'fill-opacity="0.0"']
#: Ways to write a colour.
FILLS = {
    "wall": ["black", "#000", "rgb(0,0,0)", "#000000"],
    "floor": ["white", "#FFF", "rgb( 255 , 255, 255 )"],
    "mud": ["#ff0000", "#F00", "rgb(255,0,0)"],
}


def svg_box(box: Box, random: Random) -> str:
    """An element without its end that draws a box, and its transforms."""
    x, y, width, height = box
    gap = random.choice([" ", ",", " , ", "\n"])
    match random.randint(0, 6):
        case 0:
            return f'<rect x="{x}" y="{y}px" width="{width}" height="{height}.0"'
        case 1:
            corners = [(x, y), (x + width, y), (x + width, y + height), (x, y + height)]
            return f'<polygon points="{gap.join(f"{a},{b}" for a, b in corners)}"'
        case 2:
            return f'<path d="M{x} {y}h{width}v{height}H{x}z"'
        case 3:
            shift = f"translate({x}{gap}{y})scale({width} {height})"
            return f'<path d="m.0.0 1 0 0 1-1 0Z" transform="{shift}"'
        case 4:
            turn = f"rotate(90) scale(1,-1) translate({y} {x})"
            return f'<rect width="{height}" height="{width}" transform="{turn}"'
        case 5:
            return f'<rect width="1" height="1" transform="matrix({width} 0 0 {height} {x} {y})"'
        case _:
            right, low = x + width, y + height
            return f'<polyline points="{x} {y} {x} {low} {right} {low} {right} {y}"'


@few
@given(boxes=boxes, data=st.data(), end=ENDS, seed=SEEDS)
def test_svg(folder: Path, boxes: list[Box], data: st.DataObject, end: str, seed: int) -> None:
    random = Random(seed)
    expected = dict.fromkeys(product(range(15), range(15)), "void")
    parts, hidden = [], 0
    for box in boxes:
        terrain = data.draw(st.sampled_from(sorted(FILLS)))
        hides = data.draw(st.sampled_from(HIDES))
        shape = svg_box(box, random)
        fill = random.choice(FILLS[terrain])
        by_style = random.random() < 0.5 and "style" not in hides
        shape += f' style="fill:{fill};"' if by_style else f' fill="{fill}"'
        if random.random() < 0.5:
            parts.append(f"<g {hides}><g>{shape}/></g></g>")
        else:
            parts.append(f"{shape} {hides}/>")
        if hides:
            hidden += 1
            continue
        x, y, width, height = box
        cells = product(range(x, x + width), range(y, y + height))
        expected |= dict.fromkeys(cells, terrain)
    body = "\n".join(parts).replace("\n", end)
    encoding = data.draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "iso-8859-1"]))
    declared = "" if "utf" in encoding else f'<?xml version="1.0" encoding="{encoding}"?>{end}'
    text = f'{declared}<svg xmlns="http://www.w3.org/2000/svg">{end}{body}{end}</svg>{end}'
    path = folder / "yard.svg"
    path.write_bytes(text.encode(encoding))
    if hidden == len(boxes):
        assert "can be seen" in refusal(path)
        return
    level = load(path, {"#FF0000": "mud"})
    assert isinstance(level, GeometryLevel)
    assert bool(level.remarks) == bool(hidden)
    (floor,) = geometry_of(level).floors
    for (x, y), terrain in expected.items():
        middle = shapely.Point((x + 0.5) * GRID, (y + 0.5) * GRID)
        found = [area.terrain for area in floor.areas if area.region.contains(middle)]
        assert (found or ["void"]) == [terrain]
    covered = sum(area.region.area for area in floor.areas) / GRID**2
    assert math.isclose(covered, sum(each != "void" for each in expected.values()), rel_tol=1e-6)


@few
@given(boxes=boxes, data=st.data(), end=ENDS, mark=MARKS, seed=SEEDS)
def test_obj(
    folder: Path, boxes: list[Box], data: st.DataObject, end: str, mark: bytes, seed: int
) -> None:
    random = Random(seed)
    lines, expected, count = ["# made by hand \\" if random.random() < 0.5 else ""], [], 0
    for x, y, width, height in boxes:
        corners = [(x, y), (x + width, y), (x + width, y + height), (x, y + height)]
        if data.draw(st.booleans()):
            corners.pop()
        lines += [f"v {a} {random.choice([0, -2.5, '1e3'])} {b}.0" for a, b in corners]
        count += len(corners)
        terrain = random.choice(["grass", "deep water", "é"])
        lines.append(f"usemtl {terrain}")
        numbers = range(count - len(corners), count)
        words = [str(n - count if random.random() < 0.5 else n + 1) for n in numbers]
        words = [word + random.choice(["", "/7", "/7/8", "//9"]) for word in words]
        lines.append("f " + " ".join(words))
        lines += random.sample(["s off", "vn 0 1 0", "l 1 2", "vt 0 0", "o box", "  # note"], 2)
        expected.append((terrain, corners))
    written = []
    for line in lines:
        broken = line.replace(" ", random.choice([" ", "\t", f" \\{end}", "  "]))
        written.append(line if line.startswith(("#", "usemtl deep", "  #")) else broken)
    path = folder / "mesh.obj"
    path.write_bytes(mark + end.join(written).encode())
    level = load(path, {})
    assert isinstance(level, GeometryLevel)
    polygons = level.polygons
    assert polygons is not None
    rings = np.split(polygons.corner, polygons.first_corner[1:-1])
    found = [
        (level.terrains[code], [tuple(map(int, polygons.vertex[at])) for at in ring])
        for code, ring in zip(polygons.terrain.tolist(), rings, strict=True)
    ]
    assert found == expected


def test_what_was_written_is_what_other_readers_read() -> None:
    """The encoders are right where Pillow reads the same pixels from plain files."""
    random, grid = Random(4), [["wall", "floor", "wall"], ["floor", "wall", "wall"]]
    pixels = numbered(grid, ["wall", "floor"])
    colours = [COLOURS["wall"], COLOURS["floor"]]
    for data in (
        png_file(pixels, colours, 2, 8, random),
        tga_file(pixels, colours, 24, random),
        bmp_file(pixels, colours, 24, random),
    ):
        with Image.open(io.BytesIO(data)) as image:
            assert (np.asarray(image.convert("L")) // 255).tolist() == pixels
    with pytest.raises(LevelError):
        load(Path("no such file.png"), {})
