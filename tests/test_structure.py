"""The measures of the code's structure: weights of files and rooms."""

from pathlib import Path

from tests.support.structure import Weight, room_weights, weight


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
