"""Read maps and scenarios of the Moving AI benchmark; scenarios have optimal path lengths.

Source: N. Sturtevant, "Benchmarks for Grid-Based Pathfinding", IEEE Transactions on Computational
Intelligence and AI in Games 4(2), 2012, and https://movingai.com/benchmarks/formats.html.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import numpy as np

from bake.core.arrays import Float64Array, Int32Array, UInt8Array
from bake.core.errors import LevelError, counted
from bake.core.level import Colour, GridLevel, Rules, TerrainRule
from bake.levels.reading.files import check_encoding, check_merged, read_start, read_text
from bake.levels.reading.limits import check_size, most_cells
from bake.levels.reading.mistakes import quoted, refuse
from bake.levels.reading.terrains import UNKNOWN, describe_unknown, remove_unused, used_numbers

#: Terrain by letter. The format has two letters for ground and two for out of bounds.
LETTERS = {
    ".": "ground",
    "G": "ground",
    "S": "swamp",
    "W": "water",
    "T": "trees",
    "@": "out_of_bounds",
    "O": "out_of_bounds",
}

#: Land and water can be crossed, but no step leads from one to the other.
_LAND = ("ground", "swamp")
TERRAIN_RULES = {
    "ground": TerrainRule(cost=1.0, enter_from=_LAND),
    "swamp": TerrainRule(cost=1.0, enter_from=_LAND),
    "water": TerrainRule(cost=1.0, enter_from=("water",)),
    "trees": TerrainRule(cost=None),
    "out_of_bounds": TerrainRule(cost=None),
}

COLOURS: dict[str, Colour] = {
    "ground": (214, 203, 173),
    "swamp": (128, 138, 92),
    "water": (79, 129, 172),
    "trees": (62, 96, 64),
    "out_of_bounds": (38, 38, 46),
}

#: The rules of the benchmark: a diagonal step needs both cells beside it to be free.
RULES = Rules(connectivity=8, corner_cutting="never", cost_rule="mean")

_HEADER_BYTES = 4096
_MAP_START = re.compile(rb"\s*type[ \t]+\w+\s+(?:height|width)[ \t]+[0-9]")
_NUMBER = re.compile(r"[0-9]+")
#: The most digits of a number in these files; 9 digits fit into int32.
_MOST_DIGITS = 9
_NEWLINE = 0x0A

#: The largest scenario file of the benchmark has a few megabytes.
MAX_SCENARIO_BYTES = 2**26

_COLUMNS = (
    "bucket",
    "map",
    "map width",
    "map height",
    "start x",
    "start y",
    "goal x",
    "goal y",
    "optimal length",
)
_EXPECTED = f"{len(_COLUMNS)} columns: {', '.join(_COLUMNS)}"
#: The number of significant digits of lengths in most files.
SIGNIFICANT = 6


@dataclass(frozen=True)
class _Header:
    width: int
    height: int
    size: int  # bytes
    lines: int


def is_map(path: Path) -> bool:
    """Return whether a file begins with the header of a map; False if unreadable."""
    try:
        return _MAP_START.match(read_start(path, _HEADER_BYTES)) is not None
    except LevelError:
        return False


def read_map(path: Path) -> GridLevel:
    """Read a map of type octile (``.map``).

    Raises:
        LevelError: the file is unreadable, of another type, or has a wrong header or cells that do
            not match it.
    """
    header = _read_header(path)
    width, height = header.width, header.height
    check_size(path, width, height, place="header")
    # Lines may end in CRLF. Bytes beyond the largest size that fits the header are not read.
    longest = header.size + height * (width + 2) + _HEADER_BYTES
    data = _read_lines(path, longest)
    check_merged(path, data)
    letters = _read_letters(path, header, data[header.size :])

    names = tuple(TERRAIN_RULES)
    look_up = np.full(256, UNKNOWN, dtype=np.uint8)
    for letter, terrain_name in LETTERS.items():
        look_up[ord(letter)] = names.index(terrain_name)
    terrain = look_up[letters]
    used = used_numbers(terrain)
    if used[UNKNOWN]:
        _reject_letters(path, terrain, letters)
    terrains = remove_unused(names, terrain, used)
    return GridLevel(
        name=path.stem,
        source=path,
        terrain=terrain,
        terrains=terrains,
        terrain_rules={name: TERRAIN_RULES[name] for name in terrains},
        colours={name: COLOURS[name] for name in terrains},
        rules=RULES,
    )


def _read_lines(path: Path, limit: int) -> bytes:
    """Read at most ``limit`` bytes of a file, with line feeds as line ends."""
    return read_start(path, limit).replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def _read_header(path: Path) -> _Header:
    """Read the header: type, height and width, up to the line ``map``."""
    start = _read_lines(path, _HEADER_BYTES)
    check_encoding(path, start)
    check_merged(path, start)
    values: dict[str, int] = {}
    offset = 0
    line_number = 0
    while (end := start.find(b"\n", offset)) >= 0:
        line_number += 1
        words = start[offset:end].decode("latin-1").split()
        place = f"line {line_number}"
        offset = end + 1
        if not words:
            continue
        key = words[0]
        if words == ["map"]:
            missing = [key for key in ("type", "height", "width") if key not in values]
            if missing:
                refuse(
                    path,
                    place,
                    f"the header has no {' and no '.join(missing)}",
                    '"type", "height" and "width" before "map"',
                )
            return _Header(values["width"], values["height"], offset, line_number)
        if key not in ("type", "height", "width"):
            _reject_header(path, place, " ".join(words))
        if key in values:
            refuse(path, place, f"the header gives the {key} a second time", "each line once")
        value = " ".join(words[1:])
        if key == "type":
            if value != "octile":
                refuse(
                    path,
                    place,
                    f"the map is of type {quoted(value)}",
                    "type octile, one letter a cell",
                )
            values[key] = 0
        elif _NUMBER.fullmatch(value) is None:
            refuse(path, place, f"the {key} is {quoted(value)}", "a whole number")
        elif len(value.lstrip("0")) > _MOST_DIGITS:
            problem, expected = f"the {key} is {quoted(value)}", f"at most {most_cells():,} cells"
            refuse(path, place, problem, expected, "split it into several levels")
        else:
            values[key] = int(value)
    _reject_header(path, f"line {line_number + 1}", start[offset:].decode("latin-1").strip())


def _reject_header(path: Path, place: str, problem: str) -> NoReturn:
    refuse(
        path,
        place,
        f"found {quoted(problem)}" if problem else "the file ends in its header",
        'the header of a Moving AI map: "type octile", "height H", "width W", "map"',
    )


def _read_letters(path: Path, header: _Header, body: bytes) -> UInt8Array:
    """Return the (height, width) uint8 letters after checking all rows against the header."""
    width, height = header.width, header.height
    stride = width + 1
    if len(body) == height * stride - 1:
        body += b"\n"
    if len(body) >= height * stride:
        lines = np.frombuffer(body, dtype=np.uint8, count=height * stride).reshape(height, stride)
        letters = lines[:, :width]
        if (lines[:, width] == _NEWLINE).all() and not (letters == _NEWLINE).any():
            _check_end(path, header, body[height * stride :])
            return letters
    _reject_line(path, header, body)


def _reject_line(path: Path, header: _Header, body: bytes) -> NoReturn:
    """Raise on the first row that does not have the width in the header."""
    offset = 0
    for row in range(header.height):
        if offset >= len(body):
            break
        end = body.find(b"\n", offset)
        length = (len(body) if end < 0 else end) - offset
        if length == 0 and not body[offset:].strip():
            break
        beyond = body[offset : offset + length][header.width :]
        if length > header.width and not beyond.strip(b" \t"):
            refuse(
                path,
                f"line {header.lines + row + 1}",
                f"row {row} has {counted(length - header.width, 'blank')} after its cells",
                f"{header.width:,} cells, the width in the header, and nothing else",
                "remove the blanks at the ends of lines",
            )
        if length != header.width:
            refuse(
                path,
                f"line {header.lines + row + 1}",
                f"row {row} has {length:,} cells",
                f"{header.width:,}, the width in the header",
                "the file is cut short" if end < 0 and length < header.width else None,
            )
        offset += length + 1
    refuse(
        path,
        f"line {header.lines + row + 1}",
        f"the file ends after {row:,} of {header.height:,} rows",
        f"{header.height:,} rows, the height in the header",
    )


def _check_end(path: Path, header: _Header, rest: bytes) -> None:
    garbage = rest.lstrip()
    if garbage:
        line = header.lines + header.height + rest[: len(rest) - len(garbage)].count(b"\n") + 1
        text = garbage.split(b"\n", 1)[0].decode("latin-1").strip()
        refuse(
            path,
            f"line {line}",
            f"found {quoted(text)} after the last row",
            f"the end of the file after {header.height:,} rows",
        )


def _reject_letters(path: Path, terrain: UInt8Array, letters: UInt8Array) -> NoReturn:
    listed, (x, y), _ = describe_unknown(
        terrain, lambda top, bottom: letters[top:bottom], _format_letter, "cells"
    )
    refuse(
        path, f"cell ({x}, {y})", f"no terrain is known for {listed}", f"one of {' '.join(LETTERS)}"
    )


def _format_letter(byte: int) -> str:
    return f"'{chr(byte)}'" if 0x20 <= byte < 0x7F else f"byte 0x{byte:02x}"


@dataclass(frozen=True)
class Scenario:
    """The problems of a scenario file, in the order of its lines; k is their number."""

    source: Path  #: the file
    bucket: Int32Array  #: (k) int32, groups problems of similar length
    map: tuple[str, ...]  #: k names of maps as in the file, often with folders
    size: Int32Array  #: (k, 2) int32, width and height of the map in cells
    start: Int32Array  #: (k, 2) int32, cells (x, y)
    goal: Int32Array  #: (k, 2) int32, cells (x, y)
    optimal: Float64Array  #: (k) float64, length of a shortest path in cells, rounded
    rounding: Float64Array  #: (k) float64, largest rounding error of each optimal length
    line: Int32Array  #: (k) int32, line of the file, counted from 1

    def __len__(self) -> int:
        return len(self.map)


def read_scenario(path: Path) -> Scenario:
    """Read a ``.scen`` file of version 1.

    Columns are separated by tabs or blanks; names of maps may contain blanks. Blank lines are
    skipped.

    Raises:
        LevelError: the file is unreadable, of another version, or has a line that is not a problem.
    """
    path = Path(path)
    text = read_text(path, MAX_SCENARIO_BYTES, "split it")
    lines = text.split("\n")
    _check_scenario_version(path, lines[0])
    names: list[str] = []
    numbers: list[tuple[int, ...]] = []
    optimal: list[float] = []
    decimals: set[int] = set()
    for number, line in enumerate(lines[1:], start=2):
        if not line.strip():
            continue
        name, values, length = _read_problem(path, f"line {number}", line)
        names.append(name)
        numbers.append((number, *values))
        optimal.append(length)
        decimals.add(len(line.split()[-1].partition(".")[2]))
    if not names:
        refuse(path, None, "the scenario has no problems", "at least one line")
    table = np.array(numbers, dtype=np.int32)
    return Scenario(
        source=path,
        bucket=table[:, 1],
        map=tuple(names),
        size=table[:, 2:4],
        start=table[:, 4:6],
        goal=table[:, 6:8],
        optimal=np.array(optimal, dtype=np.float64),
        rounding=_compute_rounding(np.array(optimal, dtype=np.float64), decimals),
        line=table[:, 0],
    )


def _compute_rounding(optimal: Float64Array, decimals: set[int]) -> Float64Array:
    """Return half a unit in the last printed digit of each length.

    A file prints either the same number of decimals for all lengths, or six significant digits
    without trailing zeros.
    """
    if len(decimals) == 1 and 0 not in decimals:
        return np.full(len(optimal), 0.5 * 10.0 ** -decimals.pop())
    size = np.floor(np.log10(np.maximum(optimal, 1e-9)))
    rounding: Float64Array = 0.5 * 10.0 ** (size - (SIGNIFICANT - 1))
    return rounding


def _check_scenario_version(path: Path, line: str) -> None:
    words = line.split()
    if words[:1] != ["version"] or len(words) != 2:
        refuse(
            path,
            "line 1",
            f"found {quoted(line.strip())}",
            '"version 1", the start of a Moving AI scenario',
        )
    if words[1] not in ("1", "1.0"):
        refuse(
            path,
            "line 1",
            f"the file has version {quoted(words[1])} of the format",
            "version 1 or 1.0",
        )


def _read_problem(path: Path, place: str, line: str) -> tuple[str, tuple[int, ...], float]:
    """Parse a line into the map; bucket, width, height and both cells; and the optimal length."""
    bucket, _, rest = line.strip().partition("\t" if "\t" in line else " ")
    columns = [bucket, *rest.rsplit(None, len(_COLUMNS) - 2)]
    if len(columns) != len(_COLUMNS):
        count = len(line.split())
        refuse(path, place, f"the line has {count} column{'' if count == 1 else 's'}", _EXPECTED)
    values: list[int] = []
    for column, text in zip(_COLUMNS, columns, strict=True):
        if column in ("map", "optimal length"):
            continue
        if _NUMBER.fullmatch(text) is None:
            refuse(path, place, f"the {column} is {quoted(text)}", f"a whole number ({_EXPECTED})")
        if len(text.lstrip("0")) > _MOST_DIGITS:
            problem = f"the {column} is {quoted(text)}"
            refuse(path, place, problem, f"a number of at most {_MOST_DIGITS} digits")
        values.append(int(text))
    width, height = values[1], values[2]
    for end, (x, y) in (("start", values[3:5]), ("goal", values[5:7])):
        if x >= width or y >= height:
            refuse(
                path,
                place,
                f"the {end} ({x}, {y}) lies outside the map",
                f"a cell of {width} x {height}",
            )
    try:
        optimal = float(columns[-1])
    except ValueError:
        optimal = math.nan
    if not math.isfinite(optimal) or optimal < 0:
        refuse(path, place, f"the optimal length is {quoted(columns[-1])}", "a number, at least 0")
    return columns[1].strip(), tuple(values), optimal
