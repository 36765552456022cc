"""Meshes that fall apart: how many islands there are, and which edges meet only in part."""

import json
from itertools import combinations, pairwise, product
from pathlib import Path

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bake.baking.level import read_level
from bake.core.level import GraphLevel, Remark
from bake.levels import load
from bake.worlds import AgentProfile, divided
from tests.support.command import bake
from tests.support.projects import task_for

Box = tuple[int, int, int, int]


def write_mesh(path: Path, boxes: list[Box], **keys: object) -> Path:
    """A mesh of boxes (left, top, right, bottom), each with vertices of its own."""
    corners = [((a, b), (c, b), (c, d), (a, d)) for a, b, c, d in boxes]
    mesh = {
        "format": "bake-mesh",
        "version": 1,
        "vertices": [list(corner) for four in corners for corner in four],
        "polygons": [[4 * at + k for k in range(4)] for at in range(len(boxes))],
        **keys,
    }
    path.write_text(json.dumps(mesh))
    return path


def remarks_of(path: Path) -> tuple[Remark, ...]:
    level = read_level(task_for(path))
    assert isinstance(level, GraphLevel)
    return level.remarks


def test_a_mesh_in_one_piece_is_not_remarked_on(tmp_path: Path) -> None:
    assert remarks_of(write_mesh(tmp_path / "a.json", [(0, 0, 4, 4), (4, 0, 8, 4)])) == ()
    assert remarks_of(write_mesh(tmp_path / "a.json", [(0, 0, 4, 4)])) == ()


def test_a_corner_in_the_middle_of_an_edge(tmp_path: Path) -> None:
    boxes = [(0, 0, 4, 4), (4, 0, 8, 2), (4, 2, 8, 4)]
    (remark,) = remarks_of(write_mesh(tmp_path / "a.json", boxes))
    assert "2 islands" in remark.message
    assert "3 edges" in remark.message
    assert remark.place == "polygons[0]"


def test_a_wall_that_nobody_sees_in_a_mesh_of_one_island(tmp_path: Path) -> None:
    boxes = [(0, 0, 4, 4), (4, 0, 8, 2), (4, 2, 8, 4), (0, 4, 4, 8), (4, 4, 8, 8)]
    (remark,) = remarks_of(write_mesh(tmp_path / "a.json", boxes))
    assert "1 island," in remark.message
    assert "3 edges" in remark.message


def test_corners_that_differ_a_little(tmp_path: Path) -> None:
    mesh = json.loads(write_mesh(tmp_path / "a.json", [(0, 0, 4, 4), (4, 0, 8, 4)]).read_text())
    mesh["vertices"][4][0] += 1 / 1024
    (tmp_path / "a.json").write_text(json.dumps(mesh))
    (remark,) = remarks_of(tmp_path / "a.json")
    assert "2 islands" in remark.message
    assert "2 edges" in remark.message


def test_islands_apart_and_those_that_links_join(tmp_path: Path) -> None:
    boxes = [(0, 0, 4, 4), (6, 0, 8, 4), (20, 0, 24, 4)]
    links = [{"start": [3, 2], "goal": [7, 2]}]
    (remark,) = remarks_of(write_mesh(tmp_path / "a.json", boxes))
    assert "3 islands" in remark.message
    assert "only in part" not in remark.message
    assert remark.place is None
    (remark,) = remarks_of(write_mesh(tmp_path / "a.json", boxes, links=links))
    assert "2 islands" in remark.message
    links.append({"start": [7, 2], "goal": [21, 2]})
    assert remarks_of(write_mesh(tmp_path / "a.json", boxes, links=links)) == ()


def test_floors_are_islands_that_only_links_join(tmp_path: Path) -> None:
    boxes = [(0, 0, 4, 4), (4, 0, 8, 4), (0, 0, 4, 4), (4, 0, 8, 2), (4, 2, 8, 4)]
    floors = [1, 1, 0, 0, 0]
    (remark,) = remarks_of(write_mesh(tmp_path / "a.json", boxes, floors=floors))
    assert "3 islands" in remark.message
    assert remark.place == "polygons[2]"


def test_triangles_with_corners_of_their_own_are_joined(tmp_path: Path) -> None:
    path = tmp_path / "soup.obj"
    corners = [(0, 0), (4, 0), (4, 4), (0, 0), (4, 4), (0, 4), (4, 0), (8, 0), (4, 4)]
    text = "".join(f"v {x} 0 {y}\n" for x, y in corners)
    path.write_text(text + "f 1 2 3\nf 4 5 6\nf 7 8 9\n")
    assert remarks_of(path) == ()


def test_polygons_on_which_nobody_stands_do_not_count(tmp_path: Path) -> None:
    boxes = [(0, 0, 4, 4), (4, 0, 8, 2), (8, 0, 12, 2), (12, 0, 16, 2)]
    path = write_mesh(tmp_path / "a.json", boxes, areas=["floor", "wall", "wall", "wall"])
    assert remarks_of(path) == ()
    path = write_mesh(tmp_path / "a.json", boxes, areas=["floor", "floor", "wall", "floor"])
    (remark,) = remarks_of(path)
    assert "3 islands" in remark.message
    assert "2 edges" in remark.message


def test_a_build_and_lint_report_it(tmp_path: Path) -> None:
    path = write_mesh(tmp_path / "a.json", [(0, 0, 4, 4), (4, 0, 8, 2), (4, 2, 8, 4)])
    for words in (("build", path, "-o", tmp_path / "out"), ("lint", path)):
        done = bake(*words)
        told = [line for line in (done.out + done.err).splitlines() if "[ignored]" in line]
        assert len(told) == 1
        assert "2 islands" in told[0]
        assert "polygons[0]" in told[0]


def test_levels_of_cells_keep_their_remarks_when_they_are_divided(tmp_path: Path) -> None:
    path = tmp_path / "a.svg"
    shapes = '<rect width="4" height="4" fill="white"/><rect width="2" height="2" opacity="0"/>'
    path.write_text(f'<svg xmlns="http://www.w3.org/2000/svg">{shapes}<text>Hi</text></svg>')
    done = bake("build", path, "-o", tmp_path / "out")
    assert done.code == 0
    assert "opacity:0" in done.out + done.err
    assert "<text>" in done.out + done.err
    drawn = load(path, {})
    level = divided(drawn, [AgentProfile("default", drawn.terrain_rules)], "visibility")
    assert level.remarks == drawn.remarks


cuts = st.lists(st.integers(1, 7), unique=True, max_size=3).map(lambda at: [0, *sorted(at), 8])


@given(columns=cuts, rows=st.lists(cuts, min_size=4, max_size=4), gone=st.sets(st.integers(0, 15)))
def test_islands_and_edges_against_networkx(
    tmp_path_factory: pytest.TempPathFactory,
    columns: list[int],
    rows: list[list[int]],
    gone: set[int],
) -> None:
    """Columns of boxes, each cut into rows of its own, some of them left out."""
    boxes = [
        (left, top, right, bottom)
        for at, (left, right) in enumerate(pairwise(columns))
        for top, bottom in pairwise(rows[at])
    ]
    boxes = [box for at, box in enumerate(boxes) if at not in gone] or boxes[:1]
    graph = nx.Graph()
    graph.add_nodes_from(range(len(boxes)))
    half_met = set()
    for (one, a), (other, b) in combinations(enumerate(boxes), 2):
        for (i, j), (first, second) in product(((0, 1), (1, 0)), ((a, b), (b, a))):
            if first[i + 2] != second[i]:
                continue  # The first does not end where the second begins along this axis.
            low, high = max(a[j], b[j]), min(a[j + 2], b[j + 2])
            if (a[j], a[j + 2]) == (b[j], b[j + 2]):
                graph.add_edge(one, other)
            elif low < high:
                half_met |= {(one, i, first is a), (other, i, first is b)}
    islands = nx.number_connected_components(graph)
    remarks = remarks_of(write_mesh(tmp_path_factory.mktemp("mesh") / "a.json", boxes))
    if islands == 1 and not half_met:
        assert remarks == ()
        return
    (remark,) = remarks
    assert f"in {islands} island" in remark.message
    edges = f"{len(half_met)} edge{'' if len(half_met) == 1 else 's'} meet others only in part"
    assert (edges in remark.message) == bool(half_met)
    if half_met:
        assert remark.place == f"polygons[{min(at for at, *_ in half_met)}]"
