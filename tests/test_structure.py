"""The measures of the code's structure: weights of files and rooms, and the core's budget."""

import tomllib
from pathlib import Path

from tests.support.structure import Weight, core_weight, room_weights, weight

BUDGETS = Path(__file__).with_name("budgets.toml")


def test_a_file_is_weighed(tmp_path: Path) -> None:
    file = tmp_path / "module.py"
    prose = '"""Prose."""\n\n# why\nA = 1\n\n\n@kernel\ndef f():\n    """Prose,\n    more."""\n'
    file.write_text(prose + "    return (\n        A\n    )\n\n\nclass _C: ...\n")
    # A = 1, @ kernel, def f ( ) :, return ( A ), class _C : ...
    assert weight(file) == Weight(code_lines=7, tokens=18, kernels=1)


def test_an_f_string_is_one_token(tmp_path: Path) -> None:
    file = tmp_path / "module.py"
    file.write_text("A = f'{b:{c}} {f\"{d}\"}' + e\n")
    # A = f'' + e
    assert weight(file) == Weight(code_lines=1, tokens=5, kernels=0)


def test_rooms_are_weighed(tmp_path: Path) -> None:
    for name in ("one.py", "two.py", "room/__init__.py", "room/deep/three.py"):
        write_module(tmp_path / name)
    loose, room = (Weight(2, 6, 0),) * 2
    assert room_weights(tmp_path) == {"loose modules": loose, "room": room}


def test_the_core_is_the_package_without_extras_and_the_reader(tmp_path: Path) -> None:
    for name in (
        "bake/one.py",
        "bake/room/two.py",
        "bake/extras/school/three.py",
        "reader/four.py",
    ):
        write_module(tmp_path / name)
    assert core_weight(tmp_path / "bake", tmp_path / "reader") == Weight(3, 9, 0)


def test_the_core_fits_its_budget() -> None:
    budget = tomllib.loads(BUDGETS.read_text("utf-8"))
    assert budget.keys() == {"core_tokens"}
    assert 0 < core_weight().tokens <= budget["core_tokens"], (
        "the core grew: remove code, or raise the budget in tests/budgets.toml, and say in the"
        " commit what the user gains"
    )


def write_module(file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("A = 1\n")
