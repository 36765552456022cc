"""The worked example of A*: the road map from A to B."""

from pathlib import Path

import pytest

from bake.runtime import Navigator, open_asset
from tests.support.baked import bake, write_graph

ROADS = (
    "A-S 140, A-T 118, A-Z 75, S-R 80, S-F 99, S-O 151, Z-O 71, T-L 111, L-M 70, M-D 75, D-C 120, "
    "C-R 146, C-P 138, R-P 97, P-B 101, F-B 211, B-G 90, B-U 85, U-H 98, H-E 86, U-V 142, V-I 92, "
    "I-N 87"
)
TO_B = {
    **{"A": 366, "B": 0, "C": 160, "D": 242, "E": 161, "F": 176, "G": 77, "H": 151, "I": 226},
    **{"L": 244, "M": 241, "N": 234, "O": 380, "P": 100, "R": 193, "S": 253, "T": 329, "U": 80},
    **{"V": 199, "Z": 374},
}
EDGES = [(road[0], road[2], int(road[4:])) for road in ROADS.split(", ")]


@pytest.fixture
def nav(tmp_path: Path) -> Navigator:
    source = write_graph(tmp_path / "roads.json", sorted(TO_B), EDGES, directed=False)
    return open_asset(bake(source)).profile()


def test_open_and_closed_list(nav: Navigator) -> None:
    found = nav.search("A", "B", "astar", TO_B, trace=True)
    assert (found.path, found.cost) == (["A", "S", "R", "P", "B"], 418)
    assert (found.heuristic, found.admissible, found.consistent) == ("given", True, True)
    assert found.trace is not None
    assert [(step.place, step.f) for step in found.trace] == [
        ("A", 366),
        ("S", 393),
        ("R", 413),
        ("F", 415),
        ("P", 417),
        ("B", 418),
    ]
    # The goal was seen first by way of F, at 450, and not taken then.
    after_f = found.trace[3]
    assert dict(after_f.open)["B"] == 450
    assert after_f.closed == ("A", "S", "R", "F")
    assert dict(found.trace[4].open)["B"] == 418
    assert [(step.g, step.h) for step in found.trace[:3]] == [(0, 366), (140, 253), (220, 193)]
    assert found.trace[0].open == (("S", 393), ("T", 447), ("Z", 449))


@pytest.mark.parametrize("queue", ["bucket", "heap"])
def test_compiled(nav: Navigator, queue: str) -> None:
    found = nav.search("A", "B", "astar", lambda name: TO_B[name], queue=queue)
    assert (found.path, found.cost, found.expanded) == (["A", "S", "R", "P", "B"], 418, 6)
    assert nav.path("A", "B", "astar", TO_B) == found.path
