"""Rooms stay as small as they are, and a class has one home."""

from pathlib import Path

from tests.support.structure import (
    BUDGETED,
    Weight,
    budgets,
    homes_of_classes,
    modules,
    room_weights,
    weight,
)

#: A room that has become smaller than its budget by more than this share lowers the budget.
SLACK = 0.01

#: Names of classes that have more homes than one. The list may only become shorter.
SHARED_NAMES = {
    "Agent",
    "ArcPool",
    "Arcs",
    "Around",
    "Canvas",
    "Components",
    "Door",
    "Entry",
    "Field",
    "Fields",
    "Found",
    "Geometry",
    "Hierarchy",
    "Instance",
    "Labels",
    "Lattice",
    "Layer",
    "Layout",
    "Legend",
    "Line",
    "Link",
    "Mover",
    "Outcome",
    "Outline",
    "Plan",
    "Prices",
    "Recipe",
    "Region",
    "Request",
    "Route",
    "Rules",
    "Shape",
    "Spot",
    "Steps",
    "Task",
    "Tile",
    "TileFile",
    "Walker",
    "Ways",
    "_Arcs",
    "_Area",
    "_Reader",
    "_Room",
}


def test_every_room_has_its_budgets() -> None:
    rooms = room_weights()
    assert set(budgets()) == set(BUDGETED)
    assert {figure: set(rooms) ^ set(by_room) for figure, by_room in budgets().items()} == {
        figure: set() for figure in BUDGETED
    }


def test_no_room_is_over_its_budget() -> None:
    over = {
        (room, figure): (getattr(own, figure), budgets()[figure][room])
        for room, own in room_weights().items()
        for figure in BUDGETED
        if getattr(own, figure) > budgets()[figure][room]
    }
    assert over == {}, "(what is there, the budget): delete something first; see budgets.toml"


def test_budgets_fall_with_their_rooms() -> None:
    high = {
        (room, figure): (getattr(own, figure), budgets()[figure][room])
        for room, own in room_weights().items()
        for figure in BUDGETED
        if getattr(own, figure) < budgets()[figure][room] * (1 - SLACK) - 1
    }
    assert high == {}, "lower them: python -m tests.support.structure budgets"


def test_a_class_has_one_home() -> None:
    shared = {name: homes for name, homes in homes_of_classes(modules()).items() if len(homes) > 1}
    assert {name: shared[name] for name in shared.keys() - SHARED_NAMES} == {}
    assert SHARED_NAMES - shared.keys() == set(), "these have one home now: take them off the list"


# -- the scale itself: else the tests above would prove nothing ----------------------------------


def test_a_file_is_weighed(tmp_path: Path) -> None:
    file = tmp_path / "module.py"
    prose = '"""Prose."""\n\n# why\nA = 1\n\n\n@kernel\ndef f():\n    """Prose,\n    more."""\n'
    file.write_text(prose + "    return (\n        A\n    )\n\n\nclass _C: ...\n")
    # A = 1, @ kernel, def f ( ) :, return ( A ), class _C : ...
    assert weight(file) == Weight(code_lines=7, tokens=18, kernels=1, public_names=2)


def test_rooms_are_weighed(tmp_path: Path) -> None:
    for name in ("one.py", "two.py", "room/__init__.py", "room/deep/three.py"):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("A = 1\n")
    loose, room = (Weight(2, 6, 0, 2),) * 2
    assert room_weights(tmp_path) == {"loose modules": loose, "room": room}


def test_homes_are_found(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.py").write_text("class A: ...\n")
    (tmp_path / "two.py").write_text("class A: ...\n\n\nclass B: ...\n")
    known = {name: tmp_path / f"{name}.py" for name in ("one", "two")}
    assert homes_of_classes(known) == {"A": ["one", "two"], "B": ["two"]}
