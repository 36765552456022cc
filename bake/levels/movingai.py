"""Maps of the Moving AI benchmark.

Source: N. Sturtevant, "Benchmarks for Grid-Based Pathfinding", IEEE Transactions on Computational
Intelligence and AI in Games 4(2), 2012, and https://movingai.com/benchmarks/formats.html.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bake.arrays import UInt8Array
from bake.errors import LevelError
from bake.level import Colour, GridLevel, Rules, TerrainRule
from bake.levels.limits import check_size
from bake.levels.source import read_start
from bake.levels.unknown import UNKNOWN, describe_unknown

#: Terrains by letter. The format's two letters for plain ground, and for out of bounds, mean one.
LETTERS = {
    ".": "ground",
    "G": "ground",
    "S": "swamp",
    "W": "water",
    "T": "trees",
    "@": "out_of_bounds",
    "O": "out_of_bounds",
}

#: Land and water do not connect; each can be crossed.
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

#: The benchmark's rules: a diagonal step needs both cells at its side free.
RULES = Rules(connectivity=8, corner_cutting="never", cost_rule="mean")

_HEADER_BYTES = 4096
_NUMBER = re.compile(r"[0-9]{1,9}")
_NEWLINE = 0x0A


@dataclass(frozen=True)
class _Header:
    width: int
    height: int
    size: int  # bytes
    lines: int


def read_map(path: Path) -> GridLevel:
    """Read a ``.map`` of type octile.

    Raises:
        LevelError: unreadable, another type, a wrong header, or cells that do not match it.
    """
    header = _read_header(path)
    width, height = header.width, header.height
    check_size(path, width, height, place="header")
    # Lines may end in CRLF. What lies beyond the largest file that fits the header is not read.
    longest = header.size + height * (width + 2) + _HEADER_BYTES
    data = read_start(path, longest)
    body = data[header.size :].replace(b"\r\n", b"\n")
    letters = _letters(path, header, body)

    names = tuple(TERRAIN_RULES)
    look_up = np.full(256, UNKNOWN, dtype=np.uint8)
    for letter, terrain_name in LETTERS.items():
        look_up[ord(letter)] = names.index(terrain_name)
    terrain = look_up[letters]
    used = np.zeros(256, dtype=np.bool_)
    used[terrain] = True
    if used[UNKNOWN]:
        raise _unknown_letters(path, terrain, letters)

    present = np.flatnonzero(used)
    renumber = np.zeros(256, dtype=np.uint8)
    renumber[present] = np.arange(len(present))
    terrains = tuple(names[code] for code in present)
    return GridLevel(
        name=path.stem,
        source=path,
        terrain=renumber[terrain],
        terrains=terrains,
        terrain_rules={name: TERRAIN_RULES[name] for name in terrains},
        colours={name: COLOURS[name] for name in terrains},
        rules=RULES,
    )


def _read_header(path: Path) -> _Header:
    """The lines up to ``map``: type, height and width, each once."""
    start = read_start(path, _HEADER_BYTES)
    values: dict[str, int] = {}
    at = 0
    line_number = 0
    while (end := start.find(b"\n", at)) >= 0:
        line_number += 1
        words = start[at:end].decode("latin-1").split()
        place = f"line {line_number}"
        at = end + 1
        if not words:
            continue
        key = words[0]
        if words == ["map"]:
            missing = [key for key in ("type", "height", "width") if key not in values]
            if missing:
                raise LevelError(
                    f"the header has no {' and no '.join(missing)}",
                    file=path,
                    place=place,
                    expected='"type", "height" and "width" before "map"',
                )
            return _Header(values["width"], values["height"], at, line_number)
        if key not in ("type", "height", "width"):
            raise _no_header(path, place, " ".join(words))
        if key in values:
            raise LevelError(f"a second {key}", file=path, place=place, expected="one")
        value = " ".join(words[1:])
        if key == "type":
            if value != "octile":
                raise LevelError(
                    f"the map is of type {_quoted(value)}",
                    file=path,
                    place=place,
                    expected="type octile, one letter a cell",
                )
            values[key] = 0
        elif _NUMBER.fullmatch(value) is None:
            raise LevelError(
                f"the {key} is {_quoted(value)}", file=path, place=place, expected="a whole number"
            )
        else:
            values[key] = int(value)
    raise _no_header(path, f"line {line_number + 1}", start[at:].decode("latin-1").strip())


def _no_header(path: Path, place: str, found: str) -> LevelError:
    return LevelError(
        f"found {_quoted(found)}" if found else "the file ends in its header",
        file=path,
        place=place,
        expected='the header of a Moving AI map: "type octile", "height H", "width W", "map"',
    )


def _letters(path: Path, header: _Header, body: bytes) -> UInt8Array:
    """(height, width) letters, once every line has the width and nothing follows the last."""
    width, height = header.width, header.height
    stride = width + 1
    if len(body) == height * stride - 1:
        body += b"\n"
    if len(body) >= height * stride:
        lines = np.frombuffer(body, dtype=np.uint8, count=height * stride).reshape(height, stride)
        letters = lines[:, :width]
        if (lines[:, width] == _NEWLINE).all() and not (letters == _NEWLINE).any():
            _check_rest(path, header, body[height * stride :])
            return letters
    raise _wrong_line(path, header, body)


def _wrong_line(path: Path, header: _Header, body: bytes) -> LevelError:
    """Which line of the body is the first that does not have the header's width."""
    at = 0
    for row in range(header.height):
        if at >= len(body):
            break
        end = body.find(b"\n", at)
        length = (len(body) if end < 0 else end) - at
        if length == 0 and not body[at:].strip():
            break
        if length != header.width:
            return LevelError(
                f"row {row} has {length:,} cells",
                file=path,
                place=f"line {header.lines + row + 1}",
                expected=f"{header.width:,}, the width in the header",
                remedy="the file is cut short" if end < 0 and length < header.width else None,
            )
        at += length + 1
    return LevelError(
        f"the file ends after {row:,} of {header.height:,} rows",
        file=path,
        place=f"line {header.lines + row + 1}",
        expected=f"{header.height:,} rows, the height in the header",
    )


def _check_rest(path: Path, header: _Header, rest: bytes) -> None:
    garbage = rest.lstrip()
    if garbage:
        line = header.lines + header.height + rest[: len(rest) - len(garbage)].count(b"\n") + 1
        text = garbage.split(b"\n", 1)[0].decode("latin-1").strip()
        raise LevelError(
            f"found {_quoted(text)} after the last row",
            file=path,
            place=f"line {line}",
            expected=f"the end of the file after {header.height:,} rows",
        )


def _unknown_letters(path: Path, terrain: UInt8Array, letters: UInt8Array) -> LevelError:
    listed, (x, y), _ = describe_unknown(
        terrain, lambda top, bottom: letters[top:bottom], _letter_text, "cells"
    )
    return LevelError(
        f"unknown terrain {listed}",
        file=path,
        place=f"cell ({x}, {y})",
        expected=f"one of {' '.join(LETTERS)}",
    )


def _letter_text(byte: int) -> str:
    return f"'{chr(byte)}'" if 0x20 <= byte < 0x7F else f"byte 0x{byte:02x}"


def _quoted(text: str) -> str:
    text = ascii(text)
    return text if len(text) <= 40 else f"{text[:36]}...'"
