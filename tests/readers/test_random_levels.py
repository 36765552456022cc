"""Readers answer what the Python reader answers, on random levels with all that files can hold.

As baked, after changes, undone one by one, after a reset, and after patches; with and without next
hops, components and labels. A reader is started once for all levels.
"""

from __future__ import annotations

import functools
import json
import os
from itertools import islice

from tests.support.reader_scripts import ERROR, PythonReader, Script, random_script, said_by
from tests.support.readers import Runner

#: How many levels: BAKE_READER_LEVELS=1000 in the environment for more of them.
LEVELS = int(
    os.environ.get("BAKE_READER_LEVELS")
    or (300 if os.environ.get("HYPOTHESIS_PROFILE") == "night" else 24)
)


@functools.cache
def scripts() -> list[Script]:
    return list(map(random_script, range(LEVELS)))


def test_what_the_python_reader_answers(runner: Runner) -> None:
    asked = [line for script in scripts() for line in (f"load {script.file}", *script.asked)]
    answers, wrong = iter(runner.ask(asked, timeout=60 + 15 * LEVELS)), {}
    for number, script in enumerate(scripts()):
        assert next(answers) == "ok", script.file
        if found := wrong_of(script, list(islice(answers, len(script.asked)))):
            wrong[number] = found
    assert wrong == {}


def test_flat_files_and_assets_are_read_alike() -> None:
    """The scripts hold what the Python reader answers about assets."""
    for number, script in enumerate(scripts()):
        flat = PythonReader(script.file)
        assert wrong_of(script, list(map(flat.answer, script.asked))) == [], number


def wrong_of(script: Script, answers: list[str]) -> list[tuple[int, str, str, str]]:
    """The place, the command, what is right and what was answered, where that is not right."""
    every = zip(script.asked, script.right, answers, strict=True)
    found = [
        (at, line[:99], right[:99], answer[:199])
        for at, (line, right, answer) in enumerate(every)
        if not is_right(line, right, answer)
    ]
    return found[:3]


def is_right(line: str, right: str, answer: str) -> bool:
    if right == ERROR:
        return answer.startswith(ERROR) and "file is damaged" not in answer
    if line == "about":
        return json.loads(right).items() <= json.loads(answer).items()
    if line == "patch":
        return said_by(answer) == said_by(right)
    return answer == right
