"""Check that reading a hostile file has a documented outcome."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path

import numpy as np

from bake.core.level import MAX_CELLS, MAX_TERRAINS, GraphLevel, GridLevel
from levelbake.errors import BakeError

#: The maximum length of an error line.
LONGEST_LINE = 4000
#: The most error lines at once; recipes have the most.
MOST_LINES = 101


class UndocumentedError(Exception):
    """An undocumented outcome, where `where` identifies its kind."""

    def __init__(self, where: str, told: str) -> None:
        self.where = where
        super().__init__(told)


def judge(read: Callable[[Path], object], folder: Path) -> str:
    """Read a folder, and check the outcome.

    Returns:
        "read" or "refused".

    Raises:
        UndocumentedError: any other outcome.
    """
    try:
        result = read(folder)
    except BakeError as error:
        _check_words(error)
        return "refused"
    except Exception as error:
        raise UndocumentedError(_where(error), traceback.format_exc()) from error
    for level in result if isinstance(result, list) else []:
        _check_level(level)
    return "read"


def _where(error: BaseException) -> str:
    frames = [
        f"{Path(frame.filename).name}:{frame.name}"
        for frame in traceback.extract_tb(error.__traceback__)
        if "/bake/" in frame.filename
    ]
    return f"{type(error).__name__} in {frames[-1] if frames else 'no place'}"


def _check_words(error: BakeError) -> None:
    text = str(error)
    lines = text.split("\n")
    if len(lines) > MOST_LINES:
        raise UndocumentedError(f"many lines, {_where(error)}", text[:2000])
    if max(map(len, lines)) > LONGEST_LINE:
        raise UndocumentedError(f"long line, {_where(error)}", text[:2000])
    if not all(line.isprintable() for line in lines):
        raise UndocumentedError(f"unprintable line, {_where(error)}", ascii(text)[:2000])


def _check_level(level: object) -> None:
    if isinstance(level, GraphLevel):
        count = len(level.node_names)
        good = (
            len(level.tail) == len(level.head) == len(level.length)
            and all(int(ends.min(initial=0)) >= 0 for ends in (level.tail, level.head))
            and all(int(ends.max(initial=0)) < count for ends in (level.tail, level.head))
            and bool(np.isfinite(level.length).all() and (level.length > 0).all())
            and int(level.node_terrain.max()) < len(level.terrains) <= MAX_TERRAINS
        )
    elif isinstance(level, GridLevel):
        height, width = level.terrain.shape
        cells = [
            *(each.cells for each in (*level.things.regions, *level.things.doors)),
            np.array(
                [each.cell for each in level.things.spots]
                + [end for link in level.things.links for end in (link.start, link.goal)]
            ).reshape(-1, 2),
        ]
        good = (
            0 < height * width <= MAX_CELLS
            and level.terrain.dtype == np.uint8
            and int(level.terrain.max()) < len(level.terrains) <= MAX_TERRAINS
            and len(set(level.terrains)) == len(level.terrains)
            and all(
                bool(((each >= 0) & (each < [width, height])).all()) for each in cells if len(each)
            )
        )
    else:
        good = False
    if not good:
        raise UndocumentedError("a level that is none", repr(level)[:2000])
