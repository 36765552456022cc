"""Ask the modules of the viewer's page that look at a whole view, with Node and without a page."""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bake.show.viewer.contents import ShownLevel, palette, shown_level
from tests.support.node import ask_node
from tests.support.stored import stored_asset

RUNNER = Path(__file__).with_name("page_view.mjs")


@functools.cache
def shown_once(source: str) -> ShownLevel:
    """What the page shows of a stored level."""
    return shown_level(stored_asset(source))


def ask_view(shown: ShownLevel, questions: Sequence[Sequence[Any]]) -> list[Any]:
    """Return the answer to each question: see the commands in page_view.mjs."""
    answers: list[Any] = ask_node(
        RUNNER,
        flat=shown.flat,
        contents=shown.contents,
        palette=json.dumps(palette()).encode(),
        questions=json.dumps(questions).encode(),
    )
    return answers
