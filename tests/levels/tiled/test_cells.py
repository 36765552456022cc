"""Cells of maps, however they are stored, stacked and turned."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bake.levels.tiled.geometry import FLIP_ACROSS, FLIP_DOWN, TRANSPOSE, TURN_120, turn_headings
from levelbake.steps import EAST, NORTH, SOUTH, WEST
from tests.support.levels import named
from tests.support.tiled_maps import ENCODINGS, layer, read, tmj, tmx, write

GIDS = [[1, 2, 3, 0], [4, 1, 1, 1]]
NAMED = [["floor", "wall", "mud", "void"], ["water", "floor", "floor", "floor"]]


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_every_encoding_of_tmx(tmp_path: Path, encoding: str) -> None:
    level = read(write(tmp_path, tmx(layer(GIDS, encoding), width=4, height=2)))
    assert named(level) == NAMED
    assert level.terrain_rules["mud"].cost == 3
    assert level.terrain_rules["wall"].cost is None
    assert level.terrain_rules["void"].cost is None
    assert "water" not in level.terrain_rules
    assert level.name == "map"
    assert level.barred is None
    assert level.floor_height is None


@pytest.mark.parametrize("compression", [None, "", "zlib", "gzip", "zstd"])
def test_every_encoding_of_tmj(tmp_path: Path, compression: str | None) -> None:
    level = read(write(tmp_path, tmj(GIDS, compression=compression), "map.tmj"))
    assert named(level) == NAMED
    assert level.terrain_rules["mud"].cost == 3


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_flags_do_not_change_the_tile(tmp_path: Path, encoding: str) -> None:
    flags = [FLIP_ACROSS, FLIP_DOWN, TRANSPOSE, TURN_120, FLIP_ACROSS | FLIP_DOWN | TRANSPOSE]
    gids = [[2 | flag for flag in flags], [1 | flag for flag in flags]]
    level = read(write(tmp_path, tmx(layer(gids, encoding), width=5, height=2)))
    assert named(level) == [["wall"] * 5, ["floor"] * 5]


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_infinite_maps_begin_at_their_first_tile(tmp_path: Path, encoding: str) -> None:
    from tests.support.tiled_maps import attributes, cells

    # One tile in each chunk: (-1, -3), and (2, 1).
    chunks = "".join(
        f'<chunk x="{x}" y="{y}" width="2" height="2">{cells(gids, encoding)}</chunk>'
        for x, y, gids in ((-2, -4, [[0, 0], [0, 1]]), (2, 0, [[0, 0], [2, 0]]))
    )
    ground = (
        f'<layer id="1" name="Ground" width="2" height="2"><data{attributes(encoding)}>'
        f"{chunks}</data></layer>"
    )
    level = read(write(tmp_path, tmx(ground, width=2, height=2, infinite=1)))
    assert level.terrain.shape == (5, 4)
    assert named(level)[0] == ["floor", "void", "void", "void"]
    assert named(level)[4] == ["void", "void", "void", "wall"]


def test_upper_layers_cover_lower_ones_where_they_have_tiles(tmp_path: Path) -> None:
    below, above = layer([[1, 1, 1]]), layer([[0, 2, 0]], name="Walls", number=2)
    path = write(tmp_path, tmx(below, above, width=3, height=1))
    assert named(read(path)) == [["floor", "wall", "floor"]]
    assert named(read(path, ignore=("Walls",))) == [["floor", "floor", "floor"]]
    assert named(read(path, layers=("Walls",))) == [["void", "wall", "void"]]
    assert named(read(path, layers=("Walls",), empty="grass")) == [["grass", "wall", "grass"]]


def test_groups_are_opened_in_order_and_named_by_path(tmp_path: Path) -> None:
    inner = '<group name="Top">' + layer([[2, 0]], name="A") + "</group>"
    outer = f'<group id="7" name="Deep">{inner}</group>'
    path = write(tmp_path, tmx(layer([[1, 1]], name="A"), outer, width=2, height=1))
    assert named(read(path)) == [["wall", "floor"]]
    for ignored in ("Deep", "Deep/Top", "Deep/Top/A"):
        assert named(read(path, ignore=(ignored,))) == [["floor", "floor"]]


#: A heading, the flags, and where it points then. Ninety degrees clockwise is transposed, then
#: flipped across; anticlockwise is transposed, then flipped down.
ORTHOGONAL = [
    (NORTH, FLIP_ACROSS, NORTH),
    (EAST, FLIP_ACROSS, WEST),
    (NORTH, FLIP_DOWN, SOUTH),
    (NORTH, TRANSPOSE | FLIP_ACROSS, EAST),
    (EAST, TRANSPOSE | FLIP_ACROSS, SOUTH),
    (NORTH, TRANSPOSE | FLIP_DOWN, WEST),
    (NORTH | EAST, FLIP_ACROSS | FLIP_DOWN, SOUTH | WEST),
    (NORTH, TRANSPOSE, WEST),
    (SOUTH | WEST, 0, SOUTH | WEST),
]


@pytest.mark.parametrize(("bits", "flags", "expected"), ORTHOGONAL)
def test_headings_turn_with_tiles(bits: int, flags: int, expected: int) -> None:
    assert turn_headings(bits, flags | 5, "orthogonal") == expected


def test_headings_on_isometric_maps_turn_as_the_picture_does() -> None:
    # North is the upper right of the screen there, west the upper left.
    for orientation in ("isometric", "staggered"):
        assert turn_headings(NORTH, FLIP_ACROSS, orientation) == WEST
        assert turn_headings(NORTH, FLIP_DOWN, orientation) == EAST
        assert turn_headings(SOUTH, FLIP_ACROSS | FLIP_DOWN, orientation) == NORTH
        assert turn_headings(NORTH, TRANSPOSE, orientation) is None
        assert turn_headings(0, TRANSPOSE, orientation) == 0


def test_headings_on_hexagonal_maps() -> None:
    assert turn_headings(NORTH, TRANSPOSE | TURN_120, "hexagonal") == SOUTH
    assert turn_headings(EAST, TRANSPOSE | TURN_120 | FLIP_ACROSS, "hexagonal") == EAST
    assert turn_headings(EAST, FLIP_ACROSS, "hexagonal") == WEST
    assert turn_headings(NORTH, TRANSPOSE, "hexagonal") is None
    assert turn_headings(NORTH, TURN_120, "hexagonal") is None


@given(st.integers(0, 15), st.integers(0, 7))
def test_every_flip_done_twice_is_none(bits: int, flags: int) -> None:
    flips = flags << 29
    once = turn_headings(bits, flips, "orthogonal")
    assert once is not None
    back = flips
    if flips & TRANSPOSE:  # the transpose comes first, so undoing it swaps the two others
        across, down = bool(flips & FLIP_ACROSS), bool(flips & FLIP_DOWN)
        back = TRANSPOSE | (FLIP_ACROSS if down else 0) | (FLIP_DOWN if across else 0)
    assert turn_headings(once, back, "orthogonal") == bits
    assert once.bit_count() == bits.bit_count()


def test_ledges_lie_on_what_is_below_and_turn_with_their_tile(tmp_path: Path) -> None:
    ledges = layer([[5, 5 | FLIP_DOWN, 5 | TRANSPOSE, 0]], name="Ledges", number=2)
    top = layer([[0, 0, 0, 0]], name="Top", number=3)
    level = read(write(tmp_path, tmx(layer([[1, 3, 1, 1]]), ledges, top, width=4, height=1)))
    assert named(level) == [["floor", "mud", "floor", "floor"]]
    assert level.barred is not None
    # South alone means not north; flipped, not south; transposed, not west.
    assert level.barred.tolist() == [[NORTH, SOUTH, WEST, 0]]


def test_a_covered_ledge_is_gone(tmp_path: Path) -> None:
    ledges = layer([[5, 5]], name="Ledges", number=2)
    bridge = layer([[1, 0]], name="Bridge", number=3)
    level = read(write(tmp_path, tmx(layer([[1, 1]]), ledges, bridge, width=2, height=1)))
    assert level.barred is not None
    assert level.barred.tolist() == [[0, NORTH]]


def test_numbers_are_read_from_large_maps_strip_by_strip(tmp_path: Path) -> None:
    gids = np.ones((1100, 1000), dtype=int)
    gids[1099, 999] = 2
    level = read(write(tmp_path, tmx(layer(gids.tolist(), "base64-zlib"), width=1000, height=1100)))
    walls = np.argwhere(level.terrain == level.terrains.index("wall"))
    assert walls.tolist() == [[1099, 999]]
