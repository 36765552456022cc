"""Which flow fields are kept, and which are dropped."""

from collections import Counter
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from bake.play import open_asset
from bake.play.live import fields as flow_fields
from bake.play.live.fields import FlowFields
from bake.search.live.descent import Lanes
from tests.support.baked import bake, recipe_for, rows, write_grid

ROWS = 4


def block(lanes: int) -> Lanes:
    return Lanes(np.zeros((ROWS, lanes), dtype=np.int32), np.arange(ROWS, dtype=np.int32))


def kept(fields: FlowFields) -> list[int]:
    goals = np.arange(ROWS, dtype=np.int32)
    return goals[fields.has(goals)].tolist()


def test_what_was_used_longest_ago_is_dropped_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flow_fields, "ROOM", 2 * block(1).dist.nbytes)
    fields = FlowFields(cast("Any", None), cast("Any", None))
    for goal in (0, 1):
        fields.keep([goal], block(1))
    fields._get(0)
    fields.keep([2], block(1))
    assert kept(fields) == [0, 2]


def test_the_newest_block_is_kept_whatever_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flow_fields, "ROOM", 1)
    fields = FlowFields(cast("Any", None), cast("Any", None))
    fields.keep([0], block(1))
    fields.keep([1, 2], block(2))
    assert kept(fields) == [1, 2]


def test_a_goal_that_two_threads_made_a_field_of_is_dropped_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(flow_fields, "ROOM", 3 * block(1).dist.nbytes)
    fields = FlowFields(cast("Any", None), cast("Any", None))
    fields.keep([0, 1], block(2))
    fields.keep([1], block(1))
    fields._get(0)  # now the second block, which holds goal 1, is the older one
    fields.keep([2], block(1))
    assert kept(fields) == [0, 2]
    fields.keep([3], block(1))
    assert kept(fields) == [2, 3]


def test_more_goals_than_there_is_room_for_have_each_field_made_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fields that answer together are made together, not all before the first is used."""
    source = write_grid(tmp_path / "open.json", rows(*["......#."] * 8))
    with open_asset(bake(source, recipe_for(tables=["components"]))) as level:
        nav = level.profile()
        nav.update(blocked=[(0, 0)])  # so that no table answers
        cells = [(x, y) for y in range(8) for x in range(8) if x != 6 and (x, y) != (0, 0)]
        pairs = [(a, b) for a in cells for b in cells]
        starts, goals = (np.array(ends) for ends in zip(*pairs, strict=True))
        alone = np.array([nav.distance(a, b) for a, b in pairs])

        fields, made = nav._now.engine.fields, Counter[int]()
        keep = fields.keep
        monkeypatch.setattr(flow_fields, "ROOM", 1)
        monkeypatch.setattr(
            fields, "keep", lambda some, lanes: (made.update(some), keep(some, lanes))[1]
        )
        monkeypatch.setattr(
            "bake.play.live.exact.ExactHierarchy.shared",
            lambda _self, _state, some: np.ones(len(some), np.bool_),
        )
        assert nav.distances(starts, goals).tolist() == alone.tolist()
        assert set(made.values()) == {1}
        assert len(made) == len(cells)
        first, _ = nav.paths(starts, goals)
        assert (np.diff(first) > 0).tolist() == np.isfinite(alone).tolist()
