"""The face of a navigator: lookups, searches and straight lines."""

from pathlib import Path

from bake.play import open_asset
from tests.support.baked import bake_grid, rows


def test_parts_are_made_once(tmp_path: Path) -> None:
    with open_asset(bake_grid(tmp_path, rows("...."))) as level:
        nav = level.profile()
        assert nav.search is nav.search
        assert nav.plane is nav.plane
        assert (
            nav.search.path((0, 0), (3, 0))
            == nav.search((0, 0), (3, 0)).path
            == nav.path((0, 0), (3, 0))
        )
