"""Opening a level, what it refuses and how, patches, and what has changed since."""

import math
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import levelbake
from bake import play
from levelbake import toward
from levelbake.errors import (
    AssetError,
    BlockedCellError,
    MissingTableError,
    OutsideMapError,
    PatchError,
    QueryError,
    UnknownProfileError,
)
from levelbake.level import Level, open_level
from tests.support.baked import bake, bake_grid, recipe_for, rows, write_grid
from tests.support.lattices import bake_on_cells, on_cells

PICTURE = ("....#....", "....#....", "....m....", "....#....")


@pytest.fixture
def level(tmp_path: Path) -> Any:
    with open_level(bake_grid(tmp_path, rows(*PICTURE))) as level:
        yield level


def test_the_package_hands_out_what_a_game_needs() -> None:
    for name in levelbake.__all__:
        assert getattr(levelbake, name).__name__ == name
    with pytest.raises(AttributeError, match="no attribute 'astar'"):
        levelbake.astar  # noqa: B018


def test_places_and_size(level: Level) -> None:
    assert (level.width, level.height, level.floors, level.is_grid) == (9, 4, 1, True)
    assert level.to_cell((3.5, 0.2)) == (3, 0)
    assert level.inside((9, 0)) is False
    assert level.terrain_at([(4, 0), (0, 0), (9, 9)]) == ["wall", "floor", None]
    assert level.elevation_at((0, 0)) is None
    nav = level.profile()
    assert (nav.name, nav.size) == ("default", 1)
    assert nav.can_stand((4, 0)) is False
    assert nav.can_stand([(4, 2), (99, 0)]).tolist() == [True, False]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("ask", "kind", "told"),
    [
        (lambda level: level.profile("cat"), UnknownProfileError, "no profile 'cat'; expected"),
        (lambda level: level.profile().next_hop((9, 0), (0, 0)), OutsideMapError, "x from 0 to 8"),
        (lambda level: level.profile().path((4, 0), (0, 0)), BlockedCellError, "cannot stand"),
        (lambda level: level.profile().distance((1.0, 0), (0, 0)), QueryError, "cell"),
        (lambda level: level.profile().next_hops([(0, 0)], [(4, 0)]), BlockedCellError, "goals[0]"),
        (lambda level: level.profile().next_hops([(0, 0)], []), QueryError, "1 starts for 0 goals"),
        (lambda level: level.profile().nearest((math.nan, 0)), QueryError, "point"),
        (lambda level: level.profile().length([(0, 0), (2, 0)]), QueryError, "no step leads"),
        (lambda level: level.update(blocked=[(0, 0)], opened=[(0, 0)]), QueryError, "both"),
        (lambda level: level.update(blocked="ab"), QueryError, "a list of places"),
        (lambda level: level.update(terrain={(0, 0): "lava"}), QueryError, "no terrain 'lava'"),
        (lambda level: level.update(terrain=[1]), QueryError, "expected a mapping"),
        (lambda level: level.update(arcs={((0, 0), (5, 3)): 1}), QueryError, "bake.play"),
        (lambda level: level.update(arcs={((0, 0), (1, 0)): -1}), QueryError, "a positive number"),
        (lambda level: level.update(arcs={((0, 0), (1, 0)): 1e9}), QueryError, "would weigh"),
        (lambda level: level.set_state("gate", "open"), QueryError, "no doors"),
        (lambda level: level.changes_since(3), QueryError, "the token is 3"),
    ],
)
def test_mistakes_are_told_in_one_line(
    level: Level, ask: Callable[[Level], object], kind: type[QueryError], told: str
) -> None:
    before = level._ground
    with pytest.raises(kind) as error:
        ask(level)
    assert told in str(error.value)
    assert "\n" not in str(error.value)
    assert level._ground is before


def test_a_closed_level_gives_no_profile(tmp_path: Path) -> None:
    level = open_level(bake_grid(tmp_path, rows(*PICTURE)))
    level.close()
    with pytest.raises(AssetError, match="closed"):
        level.profile()


def test_what_holds_an_array_is_equal_to_itself_alone() -> None:
    """Tuples would compare the arrays, which say neither yes nor no."""
    cells = np.zeros((2, 2), dtype=np.int32)
    pond, gate = levelbake.Region("pond", cells), levelbake.Door("gate", cells, None, {})
    for one in (pond, gate):
        other = one._replace(cells=cells.copy())
        assert one != other
        assert [other, one].index(one) == 1
        assert len({one, other}) == 2


def test_what_has_changed_since(level: Level) -> None:
    assert not level.changes_since()
    first = level.changes_since().token
    reports = level.update(blocked=[(4, 2)])
    assert reports["default"].closed == ((4, 2),)
    changes = level.changes_since(first)
    assert changes.places.tolist() == [[4, 2]]
    assert changes.rerouted == ("default",)
    assert not level.changes_since(changes.token)
    level.update(arcs={((0, 0), (1, 0)): 2.5})
    assert level.changes_since(changes.token).places.tolist() == [[0, 0], [1, 0]]
    assert level.changed
    level.reset()
    assert not level.changed
    assert len(level.changes_since(changes.token).places) == 3


def test_patches_are_those_of_bake_play(tmp_path: Path) -> None:
    asset = bake_grid(tmp_path, rows(*PICTURE))
    batch: dict[str, Any] = {
        "blocked": [(0, 1)],
        "opened": [(4, 0)],
        "terrain": {(1, 1): "mud"},
        "arcs": {((0, 0), (1, 0)): 2.5, ((1, 0), (0, 0)): math.inf},
    }
    with open_level(asset) as level, play.open_asset(asset) as other:
        level.update(**batch)
        other.update(**batch)
        level.save_patch(tmp_path / "ours")
        other.save_patch(tmp_path / "theirs")
        assert (tmp_path / "ours").read_bytes() == (tmp_path / "theirs").read_bytes()
        answers = level.profile().distances_to((8, 3)).tolist()
        assert answers == other.profile().distances_to((8, 3)).tolist()
        level.reset()
        level.apply_patch(tmp_path / "theirs")
        assert level.profile().distances_to((8, 3)).tolist() == answers
        other.update(links={"rope": {"from": (0, 0), "to": (8, 3)}})
        other.save_patch(tmp_path / "linked")
        with pytest.raises(PatchError, match=r"bake\.play"):
            level.apply_patch(tmp_path / "linked")
        assert level.profile().distances_to((8, 3)).tolist() == answers


def test_damaged_patches_are_refused(level: Level, tmp_path: Path) -> None:
    path = tmp_path / "patch"
    level.update(blocked=[(0, 0)])
    level.save_patch(path)
    whole = path.read_bytes()
    first, _, text = whole.partition(b"\n")
    kind, version, asset, digest = first.split(b" ")
    for damaged, told in (
        (b"", "not a patch"),
        (b"\xff", "not a patch"),
        (whole[:-5], "digest"),
        (whole.replace(b"[0]", b"[1]"), "digest"),
        (b" ".join([kind, b"7", asset, digest]) + b"\n" + text, "version 7"),
        (b" ".join([kind, version, digest, digest]) + b"\n" + text, "another asset"),
        (whole + b" " * 10**6, "longer than any patch"),
    ):
        path.write_bytes(damaged)
        with pytest.raises(PatchError, match=told):
            level.apply_patch(path)
    for says in (
        '{"terrain":[[0,99]],"obstacles":[],"arcs":[]}',
        "[]",
        '{"terrain":[]}',
        "[" * 9999,
    ):
        path.write_bytes(patch_of(level, says))
        with pytest.raises(PatchError, match="says nothing"):
            level.apply_patch(path)
    with pytest.raises(PatchError, match="folder"):
        level.apply_patch(tmp_path)


def patch_of(level: Level, text: str) -> bytes:
    fingerprint = level._file.header.fingerprint()
    return f"levelbake-patch 1 {fingerprint} {sha256(text.encode()).hexdigest()}\n{text}".encode()


def test_a_level_without_next_hops_is_searched_up_to_a_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = write_grid(tmp_path / "level.json", rows(*PICTURE))
    with open_level(bake(source, recipe_for(tables=("components",)))) as level:
        nav = level.profile()
        count = len(nav.places())
        monkeypatch.setattr(toward, "MOST_SEARCHED", count)
        assert nav.next_hop((0, 0), (8, 3)) is not None
        monkeypatch.setattr(toward, "MOST_SEARCHED", count - 1)
        with pytest.raises(MissingTableError, match=r"bake\.play"):
            nav.next_hop((0, 0), (8, 2))


def test_a_large_lattice_is_for_bake_play(tmp_path: Path) -> None:
    source = write_grid(tmp_path / "level.json", rows(*PICTURE))
    with on_cells():
        asset = bake_on_cells(source, recipe_for(tables=("components",)))
    with pytest.raises(MissingTableError, match=r"bake\.play"):
        open_level(asset)


def test_no_more_goals_are_kept_than_allowed(level: Level, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toward, "MOST_GOALS", 3)
    level.update(blocked=[(0, 1)])
    nav = level.profile()
    for goal in nav.places():
        nav.next_hop((0, 0), goal)
    assert len(level._versions["default"]._goals) == 3


def test_an_opened_wall_that_cannot_matter_needs_no_search(tmp_path: Path) -> None:
    """Baked distances bound all paths through what opened, so the baked path stands."""
    picture = ("." * 12, "." * 9 + "###", "." * 9 + "#.#", "." * 9 + "###")
    source = write_grid(tmp_path / "level.json", rows(*picture))
    with open_level(bake(source, recipe_for(tables=("next_hops", "distances")))) as level:
        before = level.profile().path((0, 0), (5, 3))
        level.update(opened=[(9, 2)])
        nav = level.profile()
        assert nav.path((0, 0), (5, 3)) == before
        version = level._versions["default"]
        assert len(version.cheaper) > 0
        assert not any(known.is_searched for known in version._goals.values())
        assert nav.next_hop((8, 2), (10, 2)) == (9, 2)
        assert any(known.is_searched for known in version._goals.values())
        assert np.isfinite(nav.distances_to((10, 2))[0, 0])


@pytest.mark.parametrize("keyword", ["block", "links", "nodes", "obstacles"])
def test_unknown_keywords_are_type_errors(tmp_path: Path, keyword: str) -> None:
    with open_level(bake_grid(tmp_path, rows(*PICTURE))) as level:
        with pytest.raises(TypeError, match=f"unexpected keyword argument '{keyword}'"):
            level.update(blocked=[(0, 0)], **{keyword: {}})
        assert not level.changed
