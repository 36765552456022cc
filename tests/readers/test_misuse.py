"""No argument makes a reader crash, or call a file damaged that is not.

A program in each language calls every function with arguments that nobody should give it.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from bake.export.export import export_asset
from bake.store import Asset
from tests.support.baked import bake, recipe_for, rows, write_graph, write_grid
from tests.support.random_levels import NUMBERS
from tests.support.readers import FOLDER, READY

PROGRAMS = {
    "c": "misuse.c",
    "csharp": "Misuse.cs",
    "gdscript": "misuse.gd",
    "javascript": "misuse.mjs",
    "lua": "misuse.lua",
    "rust": "misuse.rs",
}


@pytest.fixture(scope="session")
def levels(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """A level with a door, one of numbered nodes, one of cells as nodes, one without next hops."""
    folder = tmp_path_factory.mktemp("misuse")
    gate = {"name": "gate", "cells": [[1, 0]], "states": {"open": None, "shut": "wall"}}
    grid = rows("......", ".#..m.", "......")
    door = write_grid(folder / "door.json", grid, doors=[{**gate, "state": "open"}])
    numbered = [(a, b, 1.0) for a, b in zip(NUMBERS, NUMBERS[1:] + NUMBERS[:1], strict=True)]
    sources = [
        (door, recipe_for()),
        (write_graph(folder / "numbered.json", NUMBERS, numbered), recipe_for()),
        (
            write_grid(folder / "hill.json", grid, elevation=[[0.0, 0.5, 1.0] * 2] * 3),
            recipe_for(slopes={"up": 1.0}),
        ),
        (write_grid(folder / "bare.json", grid), recipe_for(tables=("components",))),
    ]
    found = []
    for source, recipe in sources:
        found.append(source.with_suffix(".bake"))
        with Asset(bake(source, recipe)) as asset:
            export_asset(asset, found[-1])
    return found


@pytest.mark.parametrize("language", sorted(READY))
def test_every_function(language: str, levels: list[Path], tmp_path: Path) -> None:
    runner = READY[language](tmp_path, FOLDER / PROGRAMS[language])
    listed, report = tmp_path / "of.questions", tmp_path / "of.answers"
    listed.write_text("".join(f"{level}\n" for level in levels), "utf-8")
    done = subprocess.run(
        [*runner.command, str(listed), str(report)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert "SCRIPT ERROR" not in done.stdout + done.stderr, done.stderr[:4000]
    *wrong, calls = report.read_text("utf-8").splitlines()
    assert wrong == []
    assert int(calls) > 100
