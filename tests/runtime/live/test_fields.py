"""Which flow fields are kept, and which are dropped."""

from typing import Any, cast

import numpy as np

from bake.runtime.live.fields import FlowFields
from bake.search.live.descent import Lanes

ROWS = 4


def block(lanes: int) -> Lanes:
    return Lanes(np.zeros((ROWS, lanes), dtype=np.int32), np.arange(ROWS, dtype=np.int32))


def kept(fields: FlowFields) -> list[int]:
    goals = np.arange(ROWS, dtype=np.int32)
    return goals[fields.has(goals)].tolist()


def test_what_was_used_longest_ago_is_dropped_first() -> None:
    fields = FlowFields(cast("Any", None), room=2 * block(1).dist.nbytes)
    for goal in (0, 1):
        fields.keep([goal], block(1))
    fields._get(0)
    fields.keep([2], block(1))
    assert kept(fields) == [0, 2]


def test_the_newest_block_is_kept_whatever_it_takes() -> None:
    fields = FlowFields(cast("Any", None), room=1)
    fields.keep([0], block(1))
    fields.keep([1, 2], block(2))
    assert kept(fields) == [1, 2]


def test_a_goal_that_two_threads_made_a_field_of_is_dropped_once() -> None:
    fields = FlowFields(cast("Any", None), room=3 * block(1).dist.nbytes)
    fields.keep([0, 1], block(2))
    fields.keep([1], block(1))
    fields._get(0)  # now the second block, which holds goal 1, is the older one
    fields.keep([2], block(1))
    assert kept(fields) == [0, 2]
    fields.keep([3], block(1))
    assert kept(fields) == [2, 3]
