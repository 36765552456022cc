"""The dissection that an asset holds: as good as one of the level that changes, and no answer's."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest

from bake.play import open_asset
from bake.play.live import versions
from bake.search.contraction.order import dissection_heights
from bake.search.contraction.tree import elimination_order, elimination_tree, joined_pairs
from levelbake.columns import profile_path
from tests.support.stored import stored_asset
from tests.support.tampering import store, table

#: Open ground, rooms with doors on two floors, roads, headings, hexagons.
LEVELS = ("keep.png", "bastion.json", "roads.json", "depot.json", "valley.tmj", "abbey.ldtk")


def arcs_up(structure, height) -> int:  # type: ignore[no-untyped-def]
    order = elimination_order(structure, height)
    assert sorted(order.tolist()) == list(range(structure.node_count))
    tree = elimination_tree(structure, order, most_arcs=10**9)
    assert tree is not None
    return tree.arc_count


def states(path: Path) -> Iterator[tuple[versions.ProfileWriter, versions.ProfileState]]:
    with closing(open_asset(path)) as level:
        for writer in level._current.writer._profiles.values():
            assert isinstance(writer, versions.ProfileWriter)
            yield writer, writer.initial()


@pytest.mark.parametrize("name", LEVELS)
def test_what_is_baked_fits_what_changes(name: str) -> None:
    """Every row has a height, those in doors as well, and contraction adds as few arcs by it."""
    for writer, state in states(stored_asset(name)):
        out, into = state.graph.out, state.graph.into
        structure = joined_pairs((out.begin, out.end, out.to), (into.begin, into.end, into.to))
        height = writer._heights(state)
        assert height is not None
        assert height.shape == (state.row_count,)
        anew = dissection_heights(structure, writer._lattice(state.location))
        assert arcs_up(structure, height) <= 1.1 * arcs_up(structure, anew) + 50


def test_heights_bear_on_no_answer(tmp_path: Path) -> None:
    """Nor does it matter how many rows have opened since."""
    path = tmp_path / "keep.h5"
    path.write_bytes(stored_asset("keep.png").read_bytes())
    right = table(path, "cut_height")
    wrong = np.random.default_rng(1).integers(0, 256, right.shape).astype(np.uint8)
    answers = []
    for height in (right, wrong, np.zeros_like(right)):
        store(path, "cut_height", height)
        for most in (0, versions.MOST_NEW_ROWS):
            with patch.object(versions, "MOST_NEW_ROWS", most), open_asset(path) as level:
                nav = level.profile()
                cells = [tuple(cell) for cell in nav._now.version.cell_of_row.tolist()]
                start, goals = cells[0], cells[5::397]
                broken = nav.path(start, goals[-1])
                assert broken is not None
                walls = sorted(set(np.ndindex(level.width, 20)) - set(cells))[:9]
                nav.update(blocked=[broken[len(broken) // 2]], opened=walls)
                answers.append([nav.path(start, goal) for goal in goals])
                answers.append([nav.distance(goal, start) for goal in goals])
    assert answers[0::2] == answers[:1] * 6
    assert answers[1::2] == answers[1:2] * 6


def test_an_asset_without_it_is_cut_when_it_changes() -> None:
    column, asset = profile_path("guard", "cut_height"), stored_asset("bastion.json")
    for _, state in states(asset):
        assert not state.arcs.differs
    with open_asset(asset) as level:
        writer = level._current.writer._profiles["guard"]
        assert isinstance(writer, versions.ProfileWriter)
        known = dict(level._current.places.asset._existing)
        level._current.places.asset._existing[column] = False
        assert writer._heights(writer.initial()) is None
        level._current.places.asset._existing.update(known)
