"""Scenario files of the Moving AI benchmark: problems with the length of a shortest path.

Source: N. Sturtevant, "Benchmarks for Grid-Based Pathfinding", IEEE Transactions on Computational
Intelligence and AI in Games 4(2), 2012, and https://movingai.com/benchmarks/formats.html.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bake.arrays import Float64Array, Int32Array
from bake.errors import LevelError
from bake.levels.source import read_text

#: Far above the largest scenario file of the benchmark, which has some megabytes.
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
#: Digits most files print of a length.
SIGNIFICANT = 6
_NUMBER = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True)
class Scenario:
    """The k problems of a scenario file, in the order of its lines.

    Attributes:
        source: the file.
        bucket: (k) int32, problems of similar length share one.
        map: k names of maps as the file has them, often with folders.
        size: (k, 2) int32, width and height of the map in cells.
        start: (k, 2) int32, cells (x, y).
        goal: (k, 2) int32, cells (x, y).
        optimal: (k) float64, length of a shortest path in cells, as the file rounds it.
        rounding: (k) float64, how far off printing may have put each optimal length.
        line: (k) int32, line of the file, counted from 1.
    """

    source: Path
    bucket: Int32Array
    map: tuple[str, ...]
    size: Int32Array
    start: Int32Array
    goal: Int32Array
    optimal: Float64Array
    rounding: Float64Array
    line: Int32Array

    def __len__(self) -> int:
        return len(self.map)


def read_scenario(path: Path) -> Scenario:
    """Read a ``.scen`` file of version 1.

    Columns are separated by tabs or blanks; names of maps may contain blanks. Blank lines count for
    nothing.

    Raises:
        LevelError: unreadable, another version, or a line that is no problem.
    """
    path = Path(path)
    text = read_text(path, MAX_SCENARIO_BYTES, "split it")
    lines = text.split("\n")
    _check_version(path, lines[0])
    names: list[str] = []
    numbers: list[tuple[int, ...]] = []
    optimal: list[float] = []
    decimals: set[int] = set()
    for number, line in enumerate(lines[1:], start=2):
        if not line.strip():
            continue
        name, values, length = _problem(path, f"line {number}", line)
        names.append(name)
        numbers.append((number, *values))
        optimal.append(length)
        decimals.add(len(line.split()[-1].partition(".")[2]))
    if not names:
        raise LevelError("the scenario has no problems", file=path, expected="at least one line")
    table = np.array(numbers, dtype=np.int32)
    return Scenario(
        source=path,
        bucket=table[:, 1],
        map=tuple(names),
        size=table[:, 2:4],
        start=table[:, 4:6],
        goal=table[:, 6:8],
        optimal=np.array(optimal, dtype=np.float64),
        rounding=_rounding(np.array(optimal, dtype=np.float64), decimals),
        line=table[:, 0],
    )


def _rounding(optimal: Float64Array, decimals: set[int]) -> Float64Array:
    """Half a unit of the last digit printed.

    Files either print every length with the same number of decimals, or six significant digits and
    no trailing zeros.
    """
    if len(decimals) == 1 and 0 not in decimals:
        return np.full(len(optimal), 0.5 * 10.0 ** -decimals.pop())
    size = np.floor(np.log10(np.maximum(optimal, 1e-9)))
    rounding: Float64Array = 0.5 * 10.0 ** (size - (SIGNIFICANT - 1))
    return rounding


def _check_version(path: Path, line: str) -> None:
    words = line.split()
    if words[:1] != ["version"] or len(words) != 2:
        raise LevelError(
            f"found {_quoted(line.strip())}",
            file=path,
            place="line 1",
            expected='"version 1", the start of a Moving AI scenario',
        )
    if words[1] not in ("1", "1.0"):
        raise LevelError(
            f"version {_quoted(words[1])} of the format",
            file=path,
            place="line 1",
            expected="version 1 or 1.0",
        )


def _problem(path: Path, place: str, line: str) -> tuple[str, tuple[int, ...], float]:
    """Map, then bucket, width, height and both cells, then the optimal length."""
    bucket, _, rest = line.strip().partition("\t" if "\t" in line else " ")
    columns = [bucket, *rest.rsplit(None, len(_COLUMNS) - 2)]
    if len(columns) != len(_COLUMNS):
        raise LevelError(
            f"found {len(line.split())} columns", file=path, place=place, expected=_EXPECTED
        )
    values: list[int] = []
    for column, text in zip(_COLUMNS, columns, strict=True):
        if column in ("map", "optimal length"):
            continue
        if _NUMBER.fullmatch(text) is None:
            raise LevelError(
                f"the {column} is {_quoted(text)}",
                file=path,
                place=place,
                expected=f"a whole number ({_EXPECTED})",
            )
        values.append(int(text))
    width, height = values[1], values[2]
    for which, (x, y) in (("start", values[3:5]), ("goal", values[5:7])):
        if x >= width or y >= height:
            raise LevelError(
                f"the {which} ({x}, {y}) lies outside the map",
                file=path,
                place=place,
                expected=f"a cell of {width} x {height}",
            )
    try:
        optimal = float(columns[-1])
    except ValueError:
        optimal = math.nan
    if not math.isfinite(optimal) or optimal < 0:
        raise LevelError(
            f"the optimal length is {_quoted(columns[-1])}",
            file=path,
            place=place,
            expected="a number, at least 0",
        )
    return columns[1].strip(), tuple(values), optimal


def _quoted(text: str) -> str:
    text = ascii(text)
    return text if len(text) <= 40 else f"{text[:36]}...'"
