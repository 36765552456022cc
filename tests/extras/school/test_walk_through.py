"""The walk-through of A* from A to L1: points of a plane, and steps that cost 1."""

import math

import pytest

from bake.extras.school import Status, search
from tests.support.problems import Network

pytestmark = [
    pytest.mark.note(2, "the scores of the slides"),
    pytest.mark.note(7, "the lists of the slides"),
]

#: Where the points lie, from the distances that the notes print; L1 is the goal.
AT = {
    **{"A": (0, 0), "B1": (0, -1), "B2": (-1, 0), "B3": (0, 1), "B4": (1, 0), "C": (2, 0)},
    **{"D": (3, 0), "E1": (3, -1), "E2": (3, 1), "F": (0, -2), "G": (0, 2), "H": (3, -2)},
    **{"I": (4, 1), "J": (5, 1), "K": (-2, 0), "L1": (5, 0), "L2": (5, 2)},
}
CHILDREN = {
    "A": ["B1", "B2", "B3", "B4"],
    **{"B4": ["C"], "C": ["D"], "D": ["E1", "E2"], "B1": ["F"], "B3": ["G"]},
    **{"E1": ["H"], "E2": ["I"], "I": ["J"], "B2": ["K"], "J": ["L1", "L2"]},
}


@pytest.fixture
def plane() -> Network:
    h = {point: math.dist(at, AT["L1"]) for point, at in AT.items()}
    arcs = {point: [(child, 1) for child in those] for point, those in CHILDREN.items()}
    return Network(arcs, "A", "L1", h)


def rounded(points: dict[str, float]) -> dict[str, float]:
    """As the notes print them, cut after two digits."""
    return {point: math.floor(f * 100) / 100 for point, f in points.items()}


def test_lists_and_path(plane: Network) -> None:
    walk = search(plane)
    assert plane.h("A") == 5
    walk.step()
    assert rounded(walk.open) == {"B4": 5, "B1": 6.09, "B3": 6.09, "B2": 7}
    for _ in range(3):
        walk.step()
    assert list(walk.closed) == ["A", "B4", "C", "D"]
    walk.step()
    opened = {"B3": 6.09, "E1": 6.23, "E2": 6.23, "B2": 7, "F": 7.38}
    assert rounded(walk.open) == opened
    assert list(walk.closed) == ["A", "B4", "C", "D", "B1"]
    assert walk.run() is Status.FOUND
    # The notes take B2 before J: both have 7, and here the one with less left to go comes first.
    assert list(walk.closed)[5:] == ["B3", "E1", "E2", "I", "J", "L1"]
    assert walk.open["B2"] == 7
    assert walk.path == ["A", "B4", "C", "D", "E2", "I", "J", "L1"]
    assert walk.cost == 7
