"""The addon for Godot 4: linted, whole, and in words that Godot 3 has a counterpart for."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tests.support.godot3 import in_godot_3
from tests.support.readers import READERS, ROOT, tool

HOME = READERS / "godot"
SCRIPTS = sorted((HOME / "addons" / "levelbake").glob("*.gd"))
EXAMPLE = sorted((ROOT / "examples" / "godot").glob("*.gd"))


def lint(*arguments: str) -> str:
    """Run a program of gdtoolkit; the test is skipped where it is not installed."""
    beside = Path(sys.executable).parent / arguments[0]
    program = str(beside) if beside.exists() else tool(arguments[0])
    done = subprocess.run(
        [program, *arguments[1:]], cwd=HOME, capture_output=True, text=True, check=False
    )
    return "" if done.returncode == 0 else done.stdout + done.stderr


def test_the_linter_finds_nothing() -> None:
    """It parses the scripts as those of Godot 4."""
    assert lint("gdlint", *map(str, [*SCRIPTS, *EXAMPLE])) == ""


def test_scripts_are_formatted() -> None:
    assert lint("gdformat", "--check", "--line-length", "160", *map(str, SCRIPTS)) == ""


def test_what_is_preloaded_is_there() -> None:
    named = {
        path
        for script in SCRIPTS
        for path in re.findall(r'"res://(addons/[^"]+)"', script.read_text("utf-8"))
    }
    assert all((HOME / path).is_file() for path in named)
    assert len(named) == 7
    settings = (HOME / "addons" / "levelbake" / "plugin.cfg").read_text("utf-8")
    script = re.search(r'^script="(.+)"$', settings, re.MULTILINE)
    assert script is not None
    assert (HOME / "addons" / "levelbake" / script[1]).is_file()


def test_few_lines_are_other_ones_in_godot_3() -> None:
    """What is run is what is read: whoever adds such a line should think twice."""
    marked = [line for script in SCRIPTS for line in script.read_text("utf-8").split("\n")]
    assert sum("# 3: " in line for line in marked) <= 7


def test_in_godot_3() -> None:
    said = """@tool
class_name Thing
extends RefCounted
var bytes := PackedByteArray()
	return file.bytes.decode_s32(at)
	return bytes.slice(at, end)  # 3: return bytes.subarray(at, end - 1)
"""
    lines = in_godot_3(said).split("\n")
    assert lines[:6] == [
        "tool",
        "extends Reference",
        "var bytes := PoolByteArray()",
        "\treturn _decode_s32(file.bytes, at)",
        "\treturn bytes.subarray(at, end - 1)",
        "",
    ]
