"""The face of a navigator: lookups, searches, straight lines, and former names."""

from operator import attrgetter
from pathlib import Path

import pytest

from bake.play import open_asset
from bake.play.navigator import MOVED
from tests.support.baked import bake_grid, rows


def test_former_names_are_handed_on_with_a_warning(tmp_path: Path) -> None:
    with open_asset(bake_grid(tmp_path, rows("....", "...."))) as level:
        nav = level.profile()
        for name, place in MOVED.items():
            with pytest.warns(DeprecationWarning, match=rf"nav\.{name} is nav\.{place} now"):
                assert getattr(nav, name) == attrgetter(place)(nav)
        with pytest.warns(DeprecationWarning, match="nav.search.within"):
            assert len(nav.within((0, 0), 1)[0]) == 3


def test_other_names_are_errors(tmp_path: Path) -> None:
    with open_asset(bake_grid(tmp_path, rows("...."))) as level:
        nav = level.profile()
    with pytest.raises(AttributeError, match="a navigator has no 'any_angle_length'"):
        attrgetter("any_angle_length")(nav)


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
