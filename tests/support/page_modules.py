"""Ask the modules of the viewer's page that need no page, with Node."""

from __future__ import annotations

import functools
import json
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.command import bake
from tests.support.levels import shared_level
from tests.support.readers import ROOT, tool

RUNNER = Path(__file__).with_name("page_modules.mjs")


@dataclass(frozen=True)
class Pair:
    """One level as an asset and as a flat file."""

    asset: Path
    flat: Path


@functools.cache
def baked(folder: Path, source: str) -> Pair:
    """Bake a level of this project, or a shared one, once for each folder."""
    path = ROOT / "levels_src" / source if "/" not in source else shared_level(source)
    done = bake("build", path, "--jobs", "1", "-o", folder)
    assert done.code == 0, done
    asset = folder / f"{path.stem}.h5"
    flat = asset.with_suffix(".bake")
    assert bake("export", asset, "-o", flat).code == 0
    return Pair(asset, flat)


def ask(flat: Path, questions: Sequence[Sequence[Any]]) -> list[Any]:
    """Return the answer to each question; what is refused is ``error: `` and one line."""
    with tempfile.TemporaryDirectory() as folder:
        asked, told = Path(folder) / "questions.json", Path(folder) / "answers.json"
        asked.write_text(json.dumps(questions), "utf-8")
        command = [tool("node"), str(RUNNER), str(flat), str(asked), str(told)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
        assert done.returncode == 0, done.stderr[-3000:]
        answers = json.loads(told.read_text("utf-8"))
    return [each["answer"] if "answer" in each else f"error: {each['error']}" for each in answers]
