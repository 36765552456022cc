"""Ask the modules of the viewer's page that look at a whole view, with Node and without a page."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bake.viewer.contents import ShownLevel, palette
from tests.support.readers import tool

RUNNER = Path(__file__).with_name("page_view.mjs")


def ask_view(shown: ShownLevel, questions: Sequence[Sequence[Any]]) -> list[Any]:
    """Return the answer to each question: see the commands in page_view.mjs."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        parts = {
            "level.bake": shown.flat,
            "contents.json": shown.contents,
            "palette.json": json.dumps(palette()).encode(),
            "questions.json": json.dumps(questions).encode(),
        }
        for file, content in parts.items():
            (folder / file).write_bytes(content)
        paths = [str(folder / file) for file in (*parts, "answers.json")]
        command = [tool("node"), str(RUNNER), *paths]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
        assert done.returncode == 0, done.stderr[-3000:]
        answers: list[Any] = json.loads((folder / "answers.json").read_text("utf-8"))
    return answers
