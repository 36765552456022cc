"""Moving AI maps: the real ones, every letter, and what must be refused."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bake.core.errors import LevelError
from bake.core.level import GridLevel, Rules, TerrainRule
from bake.levels import load
from bake.levels.movingai import LETTERS
from tests.support.levels import named, refusal, shared_level


def text_of(rows: list[str], newline: str = "\n") -> str:
    header = ["type octile", f"height {len(rows)}", f"width {len(rows[0])}", "map"]
    return newline.join([*header, *rows, ""])


def written(folder: Path, text: str | bytes) -> Path:
    path = folder / "cave.map"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize(
    ("name", "size", "walkable"),
    [
        ("lak110d", (30, 21), 168),
        ("arena", (49, 49), 2_054),
        ("den312d", (65, 81), 2_445),
        ("lak303d", (194, 194), 14_784),
        ("den520d", (256, 257), 28_178),
        ("brc202d", (530, 481), 43_151),
        ("orz900d", (1491, 656), 96_603),
        ("ost100d", (1024, 1025), 137_375),
        ("random512-25-0", (512, 512), 195_313),
        ("maze512-4-0", (512, 512), 209_263),
        ("AcrosstheCape", (768, 768), 392_287),
    ],
)
def test_real_maps(name: str, size: tuple[int, int], walkable: int) -> None:
    level = load(shared_level(f"movingai/{name}.map"), {})
    assert isinstance(level, GridLevel)
    assert level.name == name
    assert (level.width, level.height) == size
    free = [code for code, each in enumerate(level.terrains) if level.terrain_rules[each].cost == 1]
    assert np.isin(level.terrain, free).sum() == walkable
    assert level.rules == Rules(8, "never", "mean")


def test_another_type_is_refused() -> None:
    line = refusal(shared_level("bad/octile-corner.map"))
    assert (
        line
        == "line 1: the map is of type 'octile-corner'; expected type octile, one letter a cell"
    )


def test_every_letter(tmp_path: Path) -> None:
    level = load(written(tmp_path, text_of([".GSW", "T@O."])), {})
    assert named(level) == [
        ["ground", "ground", "swamp", "water"],
        ["trees", "out_of_bounds", "out_of_bounds", "ground"],
    ]
    assert level.terrain_rules == {
        "ground": TerrainRule(1.0, ("ground", "swamp")),
        "swamp": TerrainRule(1.0, ("ground", "swamp")),
        "water": TerrainRule(1.0, ("water",)),
        "trees": TerrainRule(None),
        "out_of_bounds": TerrainRule(None),
    }
    assert set(level.colours) == set(level.terrains)


def test_only_terrains_present_are_named(tmp_path: Path) -> None:
    level = load(written(tmp_path, text_of(["T.", ".T"])), {})
    assert level.terrains == ("ground", "trees")
    assert set(level.terrain_rules) == {"ground", "trees"}


@given(
    rows=st.integers(1, 12).flatmap(
        lambda width: st.lists(
            st.text(alphabet="".join(LETTERS), min_size=width, max_size=width),
            min_size=1,
            max_size=12,
        )
    ),
    newline=st.sampled_from(["\n", "\r\n"]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig"]),
    end=st.sampled_from([None, "", "\n", "\r\n\r\n", " \n\t\n"]),
)
def test_round_trip(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[str],
    newline: str,
    encoding: str,
    end: str | None,
) -> None:
    text = text_of(rows, newline)
    text = text.removesuffix(newline) if end is None else text + end
    path = tmp_path_factory.mktemp("maps") / "cave.map"
    path.write_text(text, encoding, newline="")
    level = load(path, {})
    assert named(level) == [[LETTERS[letter] for letter in row] for row in rows]
    assert level.terrain.dtype == np.uint8


def test_width_may_come_first_and_lines_may_be_blank(tmp_path: Path) -> None:
    level = load(written(tmp_path, "type octile\n\nwidth 2\n height  1 \nmap\n..\n"), {})
    assert level.terrain.shape == (1, 2)


HEADER = "type octile\nheight 2\nwidth 3\nmap\n"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("hello", "line 1: found 'hello'; expected the header of a Moving AI map"),
        ("type octile\n", "line 2: the file ends in its header"),
        ("type octile\nheight 2\nwidth 3\n", "line 4: the file ends in its header"),
        ("type octile\nheight 2\nwidth 3\nmap", "line 4: found 'map'"),
        ("type octile\nheight 2\nmap\n...\n...\n", "line 3: the header has no width"),
        ("height 2\nmap\n", "line 2: the header has no type and no width"),
        (
            "type octile\nheight 2\nheight 2\nwidth 3\nmap\n",
            "line 3: the header gives the height a second time",
        ),
        ("type octile\nheight two\nwidth 3\nmap\n", "line 2: the height is 'two'"),
        ("type octile\nheight -2\nwidth 3\nmap\n", "line 2: the height is '-2'"),
        ("type octile\nheight 2.0\nwidth 3\nmap\n", "line 2: the height is '2.0'"),
        ("type octile\nheight\nwidth 3\nmap\n", "line 2: the height is ''"),
        (
            "type octile\nheight 1000000000\nwidth 3\nmap\n",
            "line 2: the height is '1000000000'; expected at most 67,108,864 cells",
        ),
        ("type octile\nheight 2\nwidth ٣\nmap\n", "line 3: the width is "),
        (f"type octile\nheight {'9' * 5000}\nwidth 3\nmap\n", "line 2: found 'height 999"),
        ("type octile\nheight 2\nwidth 3\nwater\nmap\n", "line 4: found 'water'"),
        ("type tile\nheight 2\nwidth 3\nmap\n", "line 1: the map is of type 'tile'"),
        ("type octile\nheight 0\nwidth 3\nmap\n", "header: the level is empty, 3 x 0 cells"),
        ("type octile\nheight 2\nwidth 0\nmap\n\n\n", "header: the level is empty, 0 x 2 cells"),
        (
            "type octile\nheight 999999999\nwidth 999999999\nmap\n...",
            "header: the level is 999,999,999 x 999,999,999",
        ),
        (HEADER, "line 5: the file ends after 0 of 2 rows"),
        (HEADER + "...\n", "line 6: the file ends after 1 of 2 rows"),
        (HEADER + "...", "line 6: the file ends after 1 of 2 rows"),
        (HEADER + "...\n\n", "line 6: the file ends after 1 of 2 rows"),
        (
            HEADER + "...\n..",
            "line 6: row 1 has 2 cells; expected 3, the width in the header; the file is cut short",
        ),
        (HEADER + "...\n....\n", "line 6: row 1 has 4 cells; expected 3"),
        (HEADER + "...\n...  \n", "line 6: row 1 has 2 blanks after its cells"),
        (HEADER + "...\t\n...\n", "line 5: row 0 has 1 blank after its cells"),
        (HEADER + "..\n....\n", "line 5: row 0 has 2 cells; expected 3"),
        (HEADER + "....\n..\n", "line 5: row 0 has 4 cells; expected 3"),
        (HEADER + "...\n\n...\n", "line 6: row 1 has 0 cells; expected 3"),
        (HEADER + "...\n...\n...\n", "line 7: found '...' after the last row"),
        (HEADER + "...\n...\n\n\nend\n", "line 9: found 'end' after the last row"),
        (
            HEADER + "..x\n.xy\n",
            "cell (2, 0): no terrain is known for 'x' (2 cells, first at (2, 0)), "
            "'y' (1 cell, first at (2, 1)); expected one of . G S W T @ O",
        ),
        (HEADER + "..\0\n...\n", "cell (2, 0): no terrain is known for byte 0x00 (1 cell"),
        (HEADER + ".. \n...\n", "cell (2, 0): no terrain is known for ' '"),
    ],
)
def test_refused(tmp_path: Path, text: str, line: str) -> None:
    assert refusal(written(tmp_path, text)).startswith(line)


def test_other_encodings_are_refused(tmp_path: Path) -> None:
    refusal(written(tmp_path, text_of(["..."]).encode("utf-16")))
    assert "byte 0xff" in refusal(written(tmp_path, HEADER.encode() + b"...\n.\xff.\n"))


def test_a_map_cut_anywhere_is_refused(tmp_path: Path) -> None:
    text = text_of([".TS@", "@@..", "WWWW"])
    for length in range(1, len(text) - 1):
        refusal(written(tmp_path, text[:length]))


@given(data=st.binary(max_size=80))
def test_arbitrary_cells_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    path = tmp_path_factory.mktemp("maps") / "noise.map"
    path.write_bytes(HEADER.encode() + data)
    try:
        level = load(path, {})
    except LevelError:
        return
    rows = data.replace(b"\r\n", b"\n").decode().rstrip().split("\n")
    assert named(level) == [[LETTERS[letter] for letter in row] for row in rows]


def test_numbers_with_zeros_before_them(tmp_path: Path) -> None:
    text = text_of(["...", "..@"]).replace("height 2", "height 00000000000002")
    assert named(load(written(tmp_path, text), {}))[1][2] == "out_of_bounds"
