"""The Python examples of the pages pass ``mypy --strict``, as code of a game would.

Each page is one module, in which the code keeps its line numbers.
"""

import os
import time
from pathlib import Path

import pytest
from mypy import api

from tests.support.pages import DOCS, ROOT
from tests.support.readers import READERS

PAGES = (ROOT / "README.md", *sorted(DOCS.glob("*.md")), *sorted(READERS.glob("*/README.md")))

#: What mypy knows of numpy and of the project takes most of the time to find out. Two processes
#: cannot share one cache.
CACHE = ROOT / "build" / "tests" / f"mypy-{os.environ.get('PYTEST_XDIST_WORKER', 'alone')}"


def module_of(text: str) -> str:
    """The Python code of a page, with a blank line in place of every other line."""
    language, lines = None, []
    for line in text.splitlines():
        if line.startswith("```"):
            language = None if language is not None else line.removeprefix("```")
            lines.append("")
        else:
            lines.append(line if language == "python" else "")
    return "\n".join(lines) + "\n"


def errors_of(modules: dict[str, str], folder: Path) -> list[str]:
    """What ``mypy --strict`` reports of some modules, which it finds in a folder."""
    for name, code in modules.items():
        # mypy does not repeat all errors of a module that has not changed since its last run.
        (folder / f"{name}.py").write_text(f"{code}# {time.time_ns()}\n", "utf-8")
    found, trouble, _ = api.run(
        [
            "--strict",
            "--config-file",
            str(ROOT / "pyproject.toml"),
            "--cache-dir",
            str(CACHE),
            "--no-error-summary",
            *sorted(str(folder / f"{name}.py") for name in modules),
        ]
    )
    assert not trouble
    return [line.removeprefix(f"{folder}/") for line in found.splitlines()]


@pytest.fixture(autouse=True)
def sources(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MYPYPATH", f"{ROOT}:{ROOT / 'readers' / 'python'}")
    monkeypatch.chdir(ROOT)


def test_examples_type_check(tmp_path: Path) -> None:
    modules = {}
    for page in PAGES:
        code = module_of(page.read_text("utf-8"))
        if code.strip():
            modules["_".join(page.relative_to(ROOT).with_suffix("").parts).replace("-", "_")] = code
    assert len(modules) > 10
    assert errors_of(modules, tmp_path) == []


#: Lines of a game, and a word of the error that each has to be; None = it has to pass.
GAME = (
    ("x, y = nav.next_hop((1, 2), (3, 4))", None),
    ("hop: tuple[int, int] | None = nav.next_hop((1, 2), (3, 4))", None),
    ("name: str = nav.next_hop('a', 'b')", None),
    ("name: str = nav.next_hop(1, 2)", "arg-type"),
    ("nav.next_hop(1, 'b')", "type-var"),
    ("nav.next_hop(0.5, 2)", "type-var"),
    ("x, y, floor = nav.path((1, 2, 0), (3, 4, 0))[0]", None),
    ("nav.path((1, 2), (3, 4)).cost", "union-attr"),
    ("one: bool = nav.can_stand((1, 2))", None),
    ("many: bool = nav.can_stand([(1, 2)])", "assignment"),
    ("nav.can_stand([(1, 2)]).all()", None),
    ("valid: bool = nav.still_valid(nav.path((1, 2), (3, 4)))", None),
    ("cell: tuple[int, int] = nav.nearest((1.5, 2.0))", None),
    ("px, py = level.to_point((1, 2))", None),
    ("px, py = level.to_point((1, 2, 0))", "misc"),
    ("level.to_point([(1, 2)]).shape", None),
    ("column, row = level.to_cell((1.5, 2.0))", None),
    ("level.to_cell([(1.5, 2.0)]).shape", None),
    ("inside: bool = level.inside((1, 2))", None),
    ("terrain: str | None = level.terrain_at((1, 2))", None),
    ("terrains: list[str | None] = level.terrain_at([(1, 2)])", None),
    ("level.update(blocked=[(1, 2)], terrain=dict.fromkeys(cells, 'mud'))", None),
    ("level.update(arcs={('a', 'b'): 3.0})", None),
    ("level.update(terrain={1.5: 'mud'})", "type-var"),
    ("level.update(block=[(1, 2)])", "call-arg"),
    ("level.set_state('gate', state='shut')", None),
    ("level.set_state('gate', to='shut')", "call-arg"),
    ("level.apply_patch(file='x')", "call-arg"),
    ("either: LevelLike = level; x, y = either.profile().next_hop((1, 2), (3, 4))", None),
    ("either: ProfileLike = nav; x, y, floor = either.next_hop((1, 2, 0), (3, 4, 0))", None),
    ("either: LevelLike = level; either.update(block=[(1, 2)])", "call-arg"),
    ("either: LevelLike = level; either.repair()", "attr-defined"),
)
PLAY = (
    ("nav.update(block=[(1, 2)])", "call-arg"),
    ("nav.update(nodes={'camp': {'at': (3, 2)}}, obstacles={'crate': None})", None),
    ("nav.path((1, 2), (3, 4), method='beam', width=9)", None),
    ("nav.path((1, 2), (3, 4), widht=9)", "call-overload"),
    ("nav.path((1.5, 2.5), (3, 4))[0]", None),
    ("nav.search((1, 2), (3, 4), price='minimum')", None),
    ("nav.search((1, 2), (3, 4), prize='minimum')", "call-arg"),
    ("[(place, units) for place, units in nav.neighbors((1, 2))]", None),
    ("first, places, units = nav.neighbors([(1, 2)])", None),
    ("valid: bool = nav.still_valid([(1, 2)], [0, 1])", "assignment"),
    ("cost: float = nav.cost_at((1, 2))", None),
    ("nav.nearest([(1.5, 2.0)]).shape", None),
    ("next(nav.search.walk((1, 2), (3, 4)))[0]", None),
    ("nav.plane.straight_path((1.5, 2), (3, 4))[0]", None),
    ("agent = Crowd(level, window=8).add((1, 2), (3, 4)); x, y = agent.place", None),
    ("Crowd(level, windows=8)", "call-arg"),
)


@pytest.mark.parametrize("package", ["levelbake", "bake.play"])
def test_code_of_a_game(tmp_path: Path, package: str) -> None:
    opens = "open_level" if package == "levelbake" else "open_asset"
    head = [
        f"from {package} import LevelLike, ProfileLike, {opens}",
        "from bake.extras.crowds.crowd import Crowd",
        f"level = {opens}('keep.h5')",
        "nav = level.profile()",
        "cells: list[tuple[int, int]] = []",
    ]
    lines = GAME if package == "levelbake" else GAME + PLAY
    body = [f"def game_{number}() -> None:\n    {line}" for number, (line, _) in enumerate(lines)]
    module = f"game_of_{package.replace('.', '_')}"
    found = errors_of({module: "\n".join(head + body) + "\n"}, tmp_path)
    told = {}
    for number, (line, _) in enumerate(lines):
        at = f"{module}.py:{len(head) + 2 * number + 2}: error"
        codes = [each.rpartition("[")[2][:-1] for each in found if each.startswith(at)]
        told[line] = codes[0] if codes else None
    assert told == dict(lines)
