"""Shapes and meshes as files hold them, against figures by hand."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bake.core.level import GeometryLevel, TerrainRule
from bake.geometry import GRID, geometry_of
from bake.levels import load
from bake.levels.plane.curves import ellipse
from bake.levels.plane.svg_paths import PathError, parse_transform, path_rings
from levelbake.errors import BakeError
from tests.support.plane import around

pytestmark = pytest.mark.note(99, "figures by hand")


def read(path: Path, text: str, legend: dict[str, str] | None = None) -> GeometryLevel:
    path.write_text(text, "utf-8")
    level = load(path, legend or {})
    assert isinstance(level, GeometryLevel)
    return level


def refusal(path: Path, text: str) -> str:
    path.write_text(text, "utf-8")
    with pytest.raises(BakeError) as caught:
        load(path, {})
    line = str(caught.value)
    assert line.startswith(f"{path}: ")
    assert "\n" not in line
    return line.removeprefix(f"{path}: ")


def shapes(**keys: object) -> str:
    return json.dumps({"format": "bake-geometry", "version": 1, **keys})


def mesh(**keys: object) -> str:
    return json.dumps({"format": "bake-mesh", "version": 1, **keys})


def sizes(level: GeometryLevel) -> dict[str, float]:
    return {
        area.terrain: area.region.area / GRID**2
        for floor in geometry_of(level).floors
        for area in floor.areas
    }


# -- paths ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "corners"),
    [
        ("M1 2 L3 4 5 6Z", [[(1, 2), (3, 4), (5, 6)]]),
        ("m1 2 2 2 2 2z m1 1 l1 0", [[(1, 2), (3, 4), (5, 6)], [(2, 3), (3, 3)]]),
        ("M0 0H4V3h-1v-1.5.5", [[(0, 0), (4, 0), (4, 3), (3, 3), (3, 1.5), (3, 2.0)]]),
        ("M0,0 1e0-1", [[(0, 0), (1, -1)]]),
        ("M0 0 Z L1 1", [[(0, 0)], [(0, 0), (1, 1)]]),
        ("", []),
    ],
)
def test_lines_of_paths(data: str, corners: list[list[tuple[float, float]]]) -> None:
    assert [[tuple(point) for point in ring.tolist()] for ring in path_rings(data)] == corners


@pytest.mark.parametrize(
    "data", ["L1 1", "M1", "M1 1 X", "M0 0 A1 1 0 2 0 1 1", "1 2", "M0 0Z 1 1", "M1e999 0", "M é"]
)
def test_wrong_paths(data: str) -> None:
    with pytest.raises(PathError):
        path_rings(data)


def test_arcs_are_circles() -> None:
    # Two half circles about (3, 0); the flags stand without blanks, as optimisers write them.
    ring = path_rings("M1 0 A2 2 0 0 1 5 0 a2 2 0 01-4 0z")[0]
    far = np.hypot(ring[:, 0] - 3, ring[:, 1])
    assert np.abs(far - 2).max() < 2 * 0.0004
    middles = np.array([(np.add(a, b) / 2) for a, b in around([tuple(p) for p in ring.tolist()])])
    assert np.hypot(middles[:, 0] - 3, middles[:, 1]).min() > 2 - 4 / 512


@given(
    st.tuples(*[st.floats(-5, 5) for _ in range(4)]),
    st.floats(0.1, 5),
    st.floats(0.1, 5),
    st.floats(-180, 180),
    st.booleans(),
    st.booleans(),
)
def test_arcs_lie_on_an_ellipse_through_both_ends(
    ends: tuple[float, ...], rx: float, ry: float, turn: float, large: bool, sweep: bool
) -> None:
    x0, y0, x1, y1 = ends
    data = f"M{x0!r} {y0!r} A{rx!r} {ry!r} {turn!r} {large:d} {sweep:d} {x1!r} {y1!r}"
    (ring,) = path_rings(data)
    assert tuple(ring[0]) == (x0, y0)
    assert tuple(ring[-1]) == ((x1, y1) if len(ring) > 1 else (x0, y0))
    if math.hypot(x1 - x0, y1 - y0) < 0.01 or len(ring) < 6:
        return
    # Turned back and scaled, all corners lie on one circle, which three of them say.
    angle = math.radians(-turn)
    x, y = ring.T
    u = (x * math.cos(angle) - y * math.sin(angle)) / rx
    v = (x * math.sin(angle) + y * math.cos(angle)) / ry
    middle = len(ring) // 2
    picked = [0, middle, -1]
    system = np.array([[2 * u[i], 2 * v[i], 1] for i in picked])
    if abs(np.linalg.det(system)) < 1e-3:
        return
    cx, cy, rest = np.linalg.solve(system, [u[i] ** 2 + v[i] ** 2 for i in picked])
    radius = math.sqrt(rest + cx * cx + cy * cy)
    assert np.abs(np.hypot(u - cx, v - cy) - radius).max() < 0.01 * radius


@pytest.mark.parametrize("short", [1e-13, 1e-193, 5e-324])
@pytest.mark.parametrize("large", [0, 1])
def test_arcs_may_be_shorter_than_numbers_can_tell(short: float, large: int) -> None:
    (ring,) = path_rings(f"M0 0 A1 1 0 {large} 0 0 {short!r} L1 1")
    assert np.isfinite(ring).all()
    assert tuple(ring[-1]) == (1, 1)
    assert np.abs(ring[:-1]).max() <= short


@pytest.mark.parametrize(
    "radii", ["1e-320 1", "1 1e-300", "1e200 1", "1e308 1e308", "1e-200 1e-200"]
)
def test_radii_beyond_measure(radii: str) -> None:
    (ring,) = path_rings(f"M0 0 A{radii} 0 1 0 5 5")
    assert np.isfinite(ring).all()
    assert tuple(ring[-1]) == (5, 5)


def test_smooth_curves_mirror_their_control_points() -> None:
    (smooth,) = path_rings("M0 0C0 2 2 2 2 0S4-2 4 0")
    (stated,) = path_rings("M0 0C0 2 2 2 2 0C2-2 4-2 4 0")
    assert np.array_equal(smooth, stated)
    (smooth,) = path_rings("M0 0Q1 2 2 0T4 0")
    (stated,) = path_rings("M0 0Q1 2 2 0Q3-2 4 0")
    assert np.allclose(smooth, stated)
    # A curve is halfway where its control points say.
    assert np.abs(np.hypot(*(smooth - (1, 1)).T)).min() < 0.01


@pytest.mark.parametrize(
    ("text", "to"),
    [
        ("translate(3)", (4, 2)),
        ("translate(3 4), scale(2)", (5, 8)),
        ("rotate(90)", (-2, 1)),
        ("rotate(90, 1, 1)", (0, 1)),
        ("matrix(1 2 3 4 5 6)", (12, 16)),
        ("scale(2 3)", (2, 6)),
        ("skewX(45)", (3, 2)),
        ("skewY(45)", (1, 3)),
    ],
)
def test_transforms(text: str, to: tuple[float, float]) -> None:
    ring = path_rings("M1 2", parse_transform(text))[0]
    assert ring[0] == pytest.approx(to)


@pytest.mark.parametrize("text", ["turn(3)", "scale()", "rotate(1 2)", "scale(1", "scale(1) x"])
def test_wrong_transforms(text: str) -> None:
    with pytest.raises(PathError):
        parse_transform(text)


def test_ellipses_keep_within_their_tolerance() -> None:
    ring = ellipse((3, 4), (10, 5))
    on = np.hypot((ring[:, 0] - 3) / 10, (ring[:, 1] - 4) / 5)
    assert np.abs(on - 1).max() < 0.0004
    assert 16 <= len(ring) <= 128


# -- bake-geometry --------------------------------------------------------------------------------


HOLE = [[2, 2], [3, 2], [3, 3]]


def test_geometry_reads_every_kind_of_shape(tmp_path: Path) -> None:
    text = shapes(
        terrains={"floor": 1, "mud": 3, "wall": "blocked"},
        shapes=[
            {"terrain": "floor", "rect": [0, 0, 10, 10]},
            {
                "terrain": "mud",
                "rings": [[[1, 1], [3, 1], [3, 3], [1, 3]], [[2, 2], [3, 2], [3, 3]]],
            },
            {"terrain": "wall", "path": "M5 5h2v2h-2z"},
            {"terrain": "mud", "rect": [8, 8, 1, 2], "rotation": 90},
            {"terrain": "wall", "ellipse": [3, 7, 1, 1], "floor": 1},
        ],
        links=[{"start": [1, 5], "goal": [9, 5], "profiles": ["cat"], "cost": 2}],
    )
    level = read(tmp_path / "yard.json", text)
    assert level.terrains == ("floor", "mud", "wall")
    assert level.terrain_rules["mud"] == TerrainRule(3.0)
    assert [link.cost for link in level.links] == [2.0]
    first, second = geometry_of(level).floors
    found = {area.terrain: area.region.area / GRID**2 for area in first.areas}
    assert found == {"floor": 100 - 3.5 - 4 - 2, "mud": 3.5 + 2, "wall": 4}
    assert second.areas[0].region.area / GRID**2 == pytest.approx(math.pi, rel=0.01)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (shapes(shapes=[]), "shapes: the level is empty; expected at least one shape"),
        (
            shapes(shapes=[{"terrain": "floor"}]),
            "shapes[0]: the shape has no outline; expected one of",
        ),
        (
            shapes(shapes=[{"terrain": "floor", "rect": [0, 0, 1, 1], "path": "M0 0"}]),
            "shapes[0]: the shape has path and rect; expected one of",
        ),
        (
            shapes(shapes=[{"terrain": "floor", "rect": [0, 0, 0, 1]}]),
            "shapes[0].rect: the size is 0 x 1; expected a width and a height above 0",
        ),
        (
            shapes(shapes=[{"terrain": "floor", "path": "M0 0 Lx"}]),
            "shapes[0].path: found 'x' in place of a number; expected the data of an SVG path",
        ),
        (
            shapes(terrains={"mud": 1}, shapes=[{"terrain": "floor", "rect": [0, 0, 1, 1]}]),
            "shapes[0].terrain: 'floor' is not among the level's terrains; expected one of mud",
        ),
        (shapes(), "shapes: this key is missing"),
        (shapes(shapes=[{"terrain": "floor", "rings": [[[0]]]}]), "shapes[0].rings[0][0]"),
        (
            mesh(vertices=[[0, 0]], polygons=[[0, 1, 2]]),
            "polygons[0][1]: there is no vertex 1; expected 0 to 0",
        ),
        (mesh(vertices=[[0, 0]], polygons=[]), "the mesh is empty; expected at least one polygon"),
        (
            mesh(vertices=[[0, 0]], polygons=[[0, 0]]),
            "polygons[0]: the polygon has 2 corners; expected at least 3",
        ),
        (
            mesh(vertices=[[0, 0]], polygons=[[0, 0, 0]], areas=["a", "b"]),
            "areas: there are 2 of them and 1 polygons; expected one for each polygon",
        ),
    ],
)
def test_mistakes_in_json(tmp_path: Path, text: str, line: str) -> None:
    assert refusal(tmp_path / "yard.json", text).startswith(line)


# -- SVG ------------------------------------------------------------------------------------------


def test_points_that_are_joined_by_hand(tmp_path: Path) -> None:
    floor = {"terrain": "floor", "rect": [0, 0, 9, 9]}
    a = {"name": "a", "at": [1, 1], "joins": ["c"]}
    b, c = {"at": [5, 5]}, {"name": "c", "at": [8, 8], "apart": ["d"]}
    d = {"name": "d", "at": [1, 8]}
    path = tmp_path / "level.json"
    level = read(path, shapes(shapes=[floor], points=[a, b, c, d]))
    assert [(each.name, each.joins, each.apart) for each in level.points] == [
        ("a", (2,), ()),
        ("point 1", (), ()),
        ("c", (), (3,)),
        ("d", (), ()),
    ]
    for wrong, found in (
        ([{**a, "joins": ["e"]}], "'e' is the name of 0 points"),
        ([{**a, "joins": ["a"]}], "it names itself"),
        ([{**a, "joins": ["d"]}, d, {**d, "at": [2, 2]}], "'d' is the name of 2 points"),
    ):
        line = refusal(path, shapes(shapes=[floor], points=wrong))
        assert line == f"points[0].joins: {found}; expected the name of one other point"


def svg(body: str) -> str:
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">{body}</svg>'


def test_svg_by_fill_and_by_attribute(tmp_path: Path) -> None:
    body = """
      <rect width="8" height="6" fill="#fff"/>
      <g transform="translate(1 1)" data-terrain="mud"><rect width="2" height="1" fill="none"/>
        <polygon points="3,0 5,0 5,2 3,2"/></g>
      <path d="M1 3H3V5H1Z" style="fill: rgb(0, 0, 0)"/>
      <path d="M4 4h3v1h-3z M5 4h1v1h-1z" fill="#00F" fill-rule="evenodd"/>
      <defs><rect width="99" height="99" fill="red"/></defs>
      <rect width="99" height="99" fill="none"/>
      <text>Here</text>
    """
    level = read(tmp_path / "yard.svg", svg(body), {"#0000ff": "water"})
    assert sizes(level) == pytest.approx(
        {"floor": 48 - 4 - 4 - 2 - 8 / 512 + 8 / 512, "mud": 4, "wall": 4, "water": 2}, abs=0.05
    )
    assert [remark.message.partition(",")[0] for remark in level.remarks] == [
        "it has no outline",
        "it cannot be seen (no visible fill or stroke)",
    ]
    assert level.colours["water"] == (0, 0, 255)


GROUND = '<rect width="8" height="6" fill="#FFFFFF"/>'


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ('<rect width="2" height="2" display="none"/>', "display:none"),
        ('<rect width="2" height="2" style="DISPLAY: None !important"/>', "display:none"),
        ('<g style="display:none"><path d="M0 0h1v1z"/><g><use/></g></g>', "display:none"),
        ('<rect width="2" height="2" visibility="hidden"/>', "visibility:hidden"),
        ('<g visibility="collapse"><circle r="2"/></g>', "visibility:collapse"),
        ('<rect width="2" height="2" opacity="0"/>', "opacity:0"),
        ('<g opacity="0.0%"><rect width="2" height="2" opacity="1"/></g>', "opacity:0"),
        ('<rect width="2" height="2" fill-opacity="0"/>', "no visible"),
        ('<g style="fill-opacity:.0"><rect width="2" height="2"/></g>', "no visible"),
        ('<rect width="2" height="2" fill="transparent"/>', "no visible"),
        ('<rect width="2" height="2" fill="rgba(0, 0, 0, 0)"/>', "no visible"),
        ('<rect width="2" height="2" fill="rgb(0 0 0 / 0%)"/>', "no visible"),
        ('<rect width="2" height="2" fill="#0000"/>', "no visible"),
        ('<rect width="2" height="2" fill="#00000000"/>', "no visible"),
        ('<path d="M0 0h4" fill="none" stroke="black" stroke-width="0"/>', "no visible"),
        ('<path d="M0 0h4" fill="none" stroke="black" stroke-opacity="0"/>', "no visible"),
        ('<line x2="4" stroke="black" visibility="hidden"/>', "visibility:hidden"),
        ('<line x2="4" data-terrain="mud"/>', "no visible"),
        ('<rect width="2" height="2" data-terrain="mud" fill="none"/>', "no visible"),
    ],
)
def test_svg_shapes_that_cannot_be_seen(tmp_path: Path, body: str, why: str) -> None:
    level = read(tmp_path / "yard.svg", svg(GROUND + body))
    assert level.terrains == ("floor",)
    assert len(level.shapes) == 1
    (remark,) = level.remarks
    assert why in remark.message
    assert "cannot be seen" in remark.message
    assert why in refusal(tmp_path / "yard.svg", svg(body))


@pytest.mark.parametrize(
    ("body", "closed"),
    [
        ('<g visibility="hidden"><rect width="2" height="2" visibility="visible"/></g>', True),
        ('<rect width="2" height="2" opacity="0.01" visibility="inherit"/>', True),
        ('<rect width="2" height="2" fill="rgb(0,0,0)" fill-opacity="1%"/>', True),
        ('<rect width="2" height="2" fill="#000" stroke-opacity="0"/>', True),
        ('<rect width="2" height="2" display="inline"/>', True),
        ('<rect width="2" height="2" fill-opacity="0" stroke="#000"/>', False),
        ('<rect width="2" height="2" fill="transparent" stroke="black"/>', False),
        ('<g fill="none" stroke="black"><rect width="2" height="2" fill="inherit"/></g>', False),
        ('<g fill="none" fill-opacity="0"><path d="M0 0h4" stroke="#000000"/></g>', False),
    ],
)
def test_svg_shapes_that_can_be_seen(tmp_path: Path, body: str, closed: bool) -> None:
    level = read(tmp_path / "yard.svg", svg(GROUND + body))
    assert [(shape.terrain, shape.closed) for shape in level.shapes] == [
        ("floor", True),
        ("wall", closed),
    ]
    assert level.remarks == ()


def test_svg_remarks_on_many_shapes_are_one(tmp_path: Path) -> None:
    hidden = "\n" + '<rect width="1" height="1" opacity="0"/>' * 5
    frame = '<rect width="9" height="9" fill="none"/>'
    level = read(tmp_path / "yard.svg", svg(frame + GROUND + hidden))
    (remark,) = level.remarks
    assert remark.place == "line 2, <rect>"
    assert "4 more" in remark.message


def test_svg_what_cuts_shapes_is_told(tmp_path: Path) -> None:
    body = f'<g clip-path="url(#a)">{GROUND}</g><rect width="1" height="1" mask="url(#b)"/>'
    level = read(tmp_path / "yard.svg", svg(body))
    assert [remark.message.split(" ")[1] for remark in level.remarks] == ["clip-path", "mask"]
    assert len(level.shapes) == 2


def test_svg_style_sheets_count_wherever_they_are(tmp_path: Path) -> None:
    for sheet in ("rect{fill:none}", "/* a */ .b{}", "@font-face{}\n* {display:none}"):
        told = refusal(tmp_path / "a.svg", svg(f"<defs><style>{sheet}</style></defs>{GROUND}"))
        assert "style sheet" in told
    for sheet in ("", " \n", "/* nothing { } */", "@font-face { font-family: a }", "<![CDATA[]]>"):
        level = read(tmp_path / "a.svg", svg(f"<defs><style>{sheet}</style></defs>{GROUND}"))
        assert len(level.shapes) == 1


def test_svg_inside_svg(tmp_path: Path) -> None:
    level = read(tmp_path / "a.svg", svg(f"<svg>{GROUND}</svg>"))
    assert len(level.shapes) == 1
    assert "line 1, <svg>: " in refusal(tmp_path / "a.svg", svg(f'<svg x="4">{GROUND}</svg>'))


def test_svg_legend_in_any_spelling(tmp_path: Path) -> None:
    body = '<rect width="2" height="2" fill="#abcdef"/><circle r="2" fill="#112233"/>'
    level = read(tmp_path / "a.svg", svg(body), {"#ABCDEF": "grass", "#123": "mud"})
    assert level.terrains == ("grass", "mud")


def test_svg_circles_and_round_rectangles(tmp_path: Path) -> None:
    body = (
        '<rect width="4" height="4" rx="1" fill="white"/><circle cx="6" cy="2" r="1" fill="white"/>'
    )
    level = read(tmp_path / "yard.svg", svg(body))
    assert sizes(level)["floor"] == pytest.approx(16 - (4 - math.pi) + math.pi, rel=0.003)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("<html/>", "line 1: the file is XML, but begins with <html>; expected <svg>"),
        ("<svg", "line 1, column 1: the file is not XML"),
        (svg(""), "the drawing has no shapes"),
        (
            svg('<rect width="1" height="1" fill="#123456"/>'),
            "line 1, <rect>: the terrain of",
        ),
        (
            svg('<rect width="1em" height="1"/>'),
            "line 1, <rect>: the length '1em' is not in user units",
        ),
        (svg('<use href="#a"/>'), "line 1, <use>: the drawing uses a clone"),
        (svg("<style>rect{}</style>"), "line 1, <style>: the drawing has a style sheet"),
        (
            svg('<g transform="spin(1)"/>'),
            "line 1, <g>: the transform 'spin' with 1 numbers is unknown",
        ),
        ('<!DOCTYPE svg [<!ENTITY a "b">]><svg/>', "line 1: the file declares entities of its own"),
    ],
)
def test_mistakes_in_svg(tmp_path: Path, text: str, line: str) -> None:
    assert refusal(tmp_path / "yard.svg", text).startswith(line)


# -- OBJ ------------------------------------------------------------------------------------------

OBJ = """# a floor and a balcony
v 0 0 0
v 4 0.5 0
v 4 0 4
v 0 0 4
v 8 0 0
v 8 0 4
f 1 2 3 4
usemtl water
f 2/1/1 5//1 6 3
g floor 1
f -6 -5 -4
"""


def test_obj_as_recast_writes_it(tmp_path: Path) -> None:
    level = read(tmp_path / "mesh.obj", OBJ)
    assert level.polygons is not None
    assert level.terrains == ("floor", "water")
    assert level.polygons.vertex.tolist()[:3] == [[0, 0], [4, 0], [4, 4]]
    assert level.polygons.corner.tolist() == [0, 1, 2, 3, 1, 4, 5, 2, 0, 1, 2]
    assert level.polygons.terrain.tolist() == [0, 1, 1]
    assert level.polygons.floor.tolist() == [0, 0, 1]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("v 1 2\nf 1 1 1", 'line 1: the vertex is "v 1 2"; expected v and three numbers'),
        ("v 1 2 3\nf 1 2 3", 'line 2: the face has the corner "2"; expected 1 to 1'),
        ("v 1 2 3\nf 0 1 1", 'line 2: the face has the corner "0"; expected 1 to 1'),
        ("v 1 2 3\n", "the mesh is empty"),
        ("g floor x\nv 0 0 0", 'line 1: the floor is "x"; expected 0 to 255'),
    ],
)
def test_mistakes_in_obj(tmp_path: Path, text: str, line: str) -> None:
    assert refusal(tmp_path / "mesh.obj", text).startswith(line)


@pytest.mark.parametrize(
    "text",
    [
        "v 0 0 0\nv 4 0 0\nv 4 0 4\nv 0 0 4\nusemtl mud\nf 1 2 \\\n3 4\n",
        "v 0 0 0\nv 4 0 \\\n0\nv 4 \\\n\\\n0 4\nv 0 0 4\nusemtl \\\nmud\nf\\\n1 2 3\\\n4",
        "v 0 0 0\r\nv 4 0 0\r\nv 4 0 4\r\nv 0 0 4\r\nusemtl mud\r\nf 1 2 3\\ \r\n 4\\\r\n",
        "v 0 0 0\rv 4 0 0\rv 4 0 4\rv 0 0 4\rusemtl mud\rf 1 2\\\r3 4\\",
        "# C:\\meshes\\\nv 0 0 0 # a\n v 4 0 0 1 0 0\nv 4 0 4\t\nv 0 0 4\nusemtl  mud \n"
        "f 1 2 3 4 # b\\",
    ],
)
def test_obj_lines_that_go_on(tmp_path: Path, text: str) -> None:
    path = tmp_path / "mesh.obj"
    path.write_bytes(text.encode())
    level = load(path, {})
    assert isinstance(level, GeometryLevel)
    assert level.polygons is not None
    assert level.terrains == ("mud",)
    assert level.polygons.vertex.tolist() == [[0, 0], [4, 0], [4, 4], [0, 4]]
    assert level.polygons.corner.tolist() == [0, 1, 2, 3]


def test_obj_mistakes_in_lines_that_go_on(tmp_path: Path) -> None:
    told = refusal(tmp_path / "mesh.obj", "v 0 0 0\n\nf 1 \\\n1 \\\n9\nf 1 1 1\n")
    assert told.startswith('line 3: the face has the corner "9"')


@pytest.mark.parametrize(
    "line",
    [
        "v 1_0 0 0",
        "v \u0661 0 0",
        "f 1_0 1 1",
        "f \u0661 1 1",
        "f 1.0 1 1",
        "g floor 0000000001000",
    ],
)
def test_obj_numbers_that_only_python_reads(tmp_path: Path, line: str) -> None:
    assert refusal(tmp_path / "mesh.obj", "v 0 0 0\n" * 12 + line).startswith("line 13: ")


def test_obj_materials_with_blanks(tmp_path: Path) -> None:
    text = OBJ.replace("usemtl water", "usemtl deep  water")
    assert read(tmp_path / "mesh.obj", text).terrains == ("floor", "deep water")
    told = refusal(tmp_path / "mesh.obj", OBJ.replace("usemtl water", "usemtl wa\x07ter"))
    assert told.startswith("line 9: the material")
