"""Updates of every size on levels of many cells, where an edit bears upon very many arcs.

``BAKE_FIELD=1024x1024 pytest tests/play/live/test_large_fields.py`` tries a million of them,
which takes hours.
"""

import os
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bake.core.arrays import BoolArray
from bake.play import open_asset
from bake.search.contraction import hierarchy, update
from tests.support.changing_field import ChangingField

WIDTH, HEIGHT = map(int, os.environ.get("BAKE_FIELD", "110x90").split("x"))


@pytest.fixture(scope="module")
def asset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return ChangingField(WIDTH, HEIGHT).baked(tmp_path_factory.mktemp("field"))


@pytest.mark.parametrize("room", [1, 1000, update.MOST_TOUCHED])
def test_updates_of_every_size(asset: Path, monkeypatch: pytest.MonkeyPatch, room: int) -> None:
    told, reprice = [], hierarchy.reprice

    def repriced(*arguments: Any) -> int:
        told.append(reprice(*arguments))
        return told[-1]

    monkeypatch.setattr(hierarchy, "reprice", repriced)
    # On a field of this size larger edits are repriced than usual, so that some touch too much.
    monkeypatch.setattr(hierarchy, "SHARE", 10)
    monkeypatch.setattr(update, "MOST_TOUCHED", room)
    draw, field = random.Random(room), ChangingField(WIDTH, HEIGHT)
    wrong = {}
    with open_asset(asset) as level:
        nav = level.profile()
        sizes = [1, 2, 30, 500, WIDTH * HEIGHT // 10, WIDTH * HEIGHT, 1, 30]
        for turn, cells in enumerate([*sizes, 0]):
            standing = changed(field.standing, draw, cells) if cells else field.standing | True
            blocked, opened = field.turned_into(standing)
            nav.update(blocked, opened)
            wrong[turn, cells] = field.count_wrong(nav, draw, 2, 100)[0]
    assert not any(wrong.values()), wrong
    assert min(told) < 0, "no edit touched too much"


def changed(standing: BoolArray, draw: random.Random, cells: int) -> BoolArray:
    """About so many cells blocked, a building of the same size walled in, and another pulled down.

    A number as large as the level draws all of it anew.
    """
    wanted, generator = standing.copy(), np.random.default_rng(draw.getrandbits(32))
    height, width = standing.shape
    if cells >= standing.size:
        return np.asarray(generator.random(standing.shape) < 0.8)
    wanted[generator.integers(height, size=cells), generator.integers(width, size=cells)] = False
    if cells > 1:
        side = min(round(cells**0.5) + 2, height - 1, width - 1)
        x, y = draw.randrange(width - side), draw.randrange(height - side)
        wanted[y : y + side, x] = wanted[y : y + side, x + side - 1] = False
        wanted[y, x : x + side] = wanted[y + side - 1, x : x + side] = False
        wanted[y, x + side // 2] = True
        x, y = draw.randrange(width - side), draw.randrange(height - side)
        wanted[y : y + side, x : x + side] = True
    return wanted
