"""Assets with wrong values under digests that fit: an answer can be walked, or damage is told."""

import os
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pytest

from bake.play import Navigator, open_asset
from fuzz.forged import GOOD, original, run_number
from fuzz.forging import attributes_of
from fuzz.originals import ORIGINALS
from fuzz.questions import answers
from levelbake.errors import CorruptAssetError
from tests.support.tampering import change_attribute, edited

#: How many forgeries are run_number; `python -m fuzz forgeries` tries thousands.
FORGERIES = int(os.environ.get("BAKE_FORGERIES", str(len(ORIGINALS))))


def copied(folder: Path, name: str) -> Path:
    """Return a copy of an original to be forged."""
    path = folder / "copy.h5"
    path.write_bytes(original(name))
    return path


@pytest.mark.parametrize("number", range(FORGERIES))
def test_a_forgery_is_answered_or_refused(tmp_path: Path, number: int) -> None:
    came, what = run_number("forgeries", number, tmp_path)
    assert came in GOOD, what


@pytest.mark.parametrize("number", range(FORGERIES))
def test_a_mutant_is_refused_or_harmless(tmp_path: Path, number: int) -> None:
    came, what = run_number("mutants", number, tmp_path)
    assert came in GOOD, what


@pytest.mark.parametrize("changed", [False, True])
@pytest.mark.parametrize(
    ("name", "question"),
    [
        ("two_way", lambda nav: nav.path((1, 0), (0, 0), "hpa")),
        ("two_way", lambda nav: nav.search((1, 0), (0, 0), "hpa")),
        ("pivot_two_way", lambda nav: nav.search((1, 0), (0, 0), "astar", heuristic="maximum")),
        ("pivot_two_way", lambda nav: nav.search.estimate((1, 0), (0, 0), "landmark")),
    ],
)
def test_a_level_that_says_its_arcs_lead_back_is_compared_with_its_arcs(
    tmp_path: Path, name: str, question: Callable[[Navigator], object], *, changed: bool
) -> None:
    """A patch closed the arc from (1, 0) to (0, 0), and a way by HPA* took it."""
    path = copied(tmp_path, "patched")
    change_attribute(path, "/profiles/default", name, 1)
    with open_asset(path) as level:

        def ask() -> None:
            if changed:
                level.update(blocked=[(9, 0)])
            question(level.profile())

        with pytest.raises(CorruptAssetError, match=f"{name} is 1"):
            ask()


def test_labels_for_both_directions_are_compared_with_the_arcs(tmp_path: Path) -> None:
    path = copied(tmp_path, "one-way labels")
    with edited(path) as file:
        del file["profiles/default/label_toward"]
    with open_asset(path) as level:
        told = "label_toward is missing, and some arc does not lead back"
        with pytest.raises(CorruptAssetError, match=told):
            level.profile().distance((4, 0), (6, 0))


@pytest.mark.parametrize("name", ORIGINALS)
def test_a_flag_that_says_something_else_makes_no_answer_that_is_none(
    tmp_path: Path, name: str
) -> None:
    path = copied(tmp_path, name)
    whole = path.read_bytes()
    with h5py.File(path) as file:
        flags = [
            (group, declared.name, int(file[group].attrs[declared.name]))
            for group, declared in attributes_of(file)
            if declared.kind == "flag" and declared.name in file[group].attrs
        ]
    assert flags
    for group, flag, value in flags:
        path.write_bytes(whole)
        change_attribute(path, group, flag, 1 - value)
        answers(path, profile=group.removeprefix("/profiles/"))


@pytest.mark.parametrize(
    ("column", "change", "told"),
    [
        ("cluster", lambda old: old + (old > 0), "cluster is not numbered"),
        ("cluster", lambda old: np.where(old == old.max(), 60000, old), "cluster is not numbered"),
        ("cost", lambda old: old * 2.0**40, "cost"),
        ("cost", lambda old: old * 2.0**20, "would weigh"),
        ("layer_clusters", lambda old: old * 0 + 2**29, "cluster"),
    ],
)
def test_values_that_would_reach_an_array_as_an_index(
    tmp_path: Path, column: str, change: Callable[[np.ndarray], np.ndarray], told: str
) -> None:
    path = copied(tmp_path, "house")
    with edited(path) as file:
        stored = file[f"profiles/cat/{column}"]
        stored[...] = change(stored[()]).astype(stored.dtype)
    with open_asset(path) as level:
        nav = level.profile("cat")
        for ask in (
            lambda: nav.search((0, 0, 0), (8, 3, 0), "hpa"),
            lambda: level.update(blocked=[(4, 2, 0)]) and nav.path((0, 0, 0), (8, 3, 0), "hpa"),
        ):
            with pytest.raises(CorruptAssetError, match=told):
                ask()


@pytest.mark.parametrize("value", [-1, 2**31 - 2, 5])
def test_components_that_cannot_be(tmp_path: Path, value: int) -> None:
    path = copied(tmp_path, "runs")
    with edited(path) as file:
        file["profiles/boat/component"][...] = value
    with open_asset(path) as level:
        nav = level.profile("boat")
        with pytest.raises(CorruptAssetError, match="component"):
            nav.next_hop(nav.nearest((0, 0)), nav.nearest((3, 3)))


def test_a_size_that_does_not_fit_the_places_to_stand(tmp_path: Path) -> None:
    path = copied(tmp_path, "river")
    with edited(path) as file:
        file["profiles/default"].attrs["size"] = np.int64(16)
    with open_asset(path) as level, pytest.raises(CorruptAssetError, match="rows, and there are"):
        level.update(blocked=[(0, 0)])
