"""Straight lines that a wall lies in the way of: the failures that the notes warn of."""

import json
import re
from pathlib import Path

import pytest

from bake.project.lint.findings import Finding
from bake.project.lint.levels import lint
from bake.project.recipe import ProfileRecipe, Recipe
from tests.support import sight_oracle
from tests.support.projects import task_for

pytestmark = pytest.mark.note(64, "the two failures that the notes draw")

#: Two rooms side by side, joined at the far end of the wall between them.
WALL = {"terrain": "wall", "rect": [9, 0, 2, 16]}
NUMBERS = re.compile(r"\(([-0-9.]+), ([-0-9.]+)\)")


def found(folder: Path, shapes: list[dict], **settings: object) -> list[Finding]:
    points = settings.pop("points", [])
    file = folder / "rooms.json"
    drawn = [{"terrain": "floor", "rect": [0, 0, 20, 20]}, *shapes]
    level = {"format": "bake-geometry", "version": 1, "shapes": drawn, "points": points}
    file.write_text(json.dumps(level))
    task = task_for(file, **settings)
    return [each for each in lint([task], Recipe()) if each.rule == "straight"]


def lines(finding: Finding) -> list[tuple[float, float]]:
    """The ends of the line that a finding names."""
    return [(float(x), float(y)) for x, y in NUMBERS.findall(finding.message)]


def crosses(one: tuple[float, float], other: tuple[float, float]) -> bool:
    """Whether a wall lies between two points, on a grid of thousandths."""
    rings = [
        [(0, 0), (20000, 0), (20000, 20000), (0, 20000)],
        [(9000, 0), (9000, 16000), (11000, 16000), (11000, 0)],
    ]
    ends = [(round(x * 1000), round(y * 1000)) for x, y in (one, other)]
    assert all(sight_oracle.inside(rings, end) for end in ends)
    return not sight_oracle.sees(rings, *ends)


def test_the_nearest_point_may_lie_behind_a_wall(tmp_path: Path) -> None:
    """A place in the western room is nearest to the point of the eastern one."""
    points = [{"at": [2, 18]}, {"at": [12, 4]}, {"at": [18, 18]}]
    (finding,) = found(tmp_path, [WALL], division="dirichlet", points=points)
    point, node = lines(finding)
    assert node == (12, 4)
    assert point[0] < 9
    assert crosses(point, node)
    assert (finding.severity, finding.profile, finding.cell) == ("notice", "default", 1)
    assert finding.cells > 10


def test_a_domain_drawn_by_hand_ends_at_the_wall(tmp_path: Path) -> None:
    """The western room is drawn as the domain of its point, so nobody there is sent beyond."""
    west = [[0, 0], [9, 0], [9, 16], [9, 20], [0, 20]]
    points = [{"at": [2, 18], "domain": west}, {"at": [12, 4]}, {"at": [18, 18]}]
    shapes = [WALL, {"terrain": "wall", "rect": [0, 0, 9, 15]}]
    assert found(tmp_path, shapes, division="dirichlet", points=points[1:])
    for finding in found(tmp_path, shapes, division="dirichlet", points=points):
        point, _ = lines(finding)
        assert point[0] > 9


def test_points_that_all_see_what_is_nearest(tmp_path: Path) -> None:
    points = [{"at": [x, y]} for x in (5, 15) for y in (8, 18)]
    assert found(tmp_path, [WALL], division="dirichlet", points=points) == []
    assert found(tmp_path, [], division="visibility") == []


def test_a_line_between_centres_may_leave_both_polygons(tmp_path: Path) -> None:
    """An L: from the middle of one arm to that of the other the corner is in the way."""
    shapes = [{"terrain": "void", "rect": [0, 0, 20, 20]}]
    shapes += [
        {"terrain": "floor", "rings": [[[0, 0], [2, 0], [2, 18], [20, 18], [20, 20], [0, 20]]]}
    ]
    (finding,) = found(tmp_path, shapes, division="mesh")
    ell = [[(0, 0), (2000, 0), (2000, 18000), (20000, 18000), (20000, 20000), (0, 20000)]]
    one, other = ([round(axis * 1000) for axis in end] for end in lines(finding))
    assert not sight_oracle.sees(ell, tuple(one), tuple(other))
    assert "straight line" in finding.message


def test_it_can_be_turned_off(tmp_path: Path) -> None:
    points = [{"at": [2, 18]}, {"at": [12, 4]}]
    given = {"division": "dirichlet", "points": points}
    assert found(tmp_path, [WALL], lint={"straight": "off"}, **given) == []
    (finding,) = found(tmp_path, [WALL], lint={"straight": "error"}, **given)
    assert finding.severity == "error"


@pytest.mark.parametrize("radius", [0.5, 3.0])
def test_agents_with_a_radius(tmp_path: Path, radius: float) -> None:
    """Their walls are nearer, so lines are tried between the places they can be."""
    profiles = (ProfileRecipe("ox", radius=radius),)
    points = [{"at": [4, 16]}, {"at": [15, 4]}]
    (finding,) = found(tmp_path, [WALL], division="dirichlet", points=points, profiles=profiles)
    point, node = lines(finding)
    assert node == (15, 4)
    assert radius <= point[0] <= 9 - radius
