"""The worked example of A*: the road map from A to B."""

from pathlib import Path

import pytest

from bake.extras.school import traced_search
from bake.play import Navigator, open_asset
from tests.support.baked import bake, write_graph
from tests.support.problems import EDGES, TO_B

pytestmark = [
    pytest.mark.note(40, "the lists of the road map"),
    pytest.mark.note(119, "the slides' lists"),
]


@pytest.fixture
def nav(tmp_path: Path) -> Navigator:
    source = write_graph(tmp_path / "roads.json", sorted(TO_B), EDGES, directed=False)
    return open_asset(bake(source)).profile()


def test_open_and_closed_list(nav: Navigator) -> None:
    found = traced_search(nav, "A", "B", "astar", TO_B)
    assert (found.path, found.cost) == (["A", "S", "R", "P", "B"], 418)
    # The search asks only of the places it meets, and claims nothing of the others.
    assert (found.heuristic, found.admissible, found.consistent) == ("given", None, None)
    assert all(TO_B[name] <= nav.distance(name, "B") for name in TO_B)
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
