"""docs/school.md: its examples run, and give what their comments say."""

import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bake.asset.document import section_of, with_section
from bake.runtime import open_asset
from bake.school import pattern_document, traced_search
from bake.school.link_costs import priced_pairs
from bake.school.spaces.methods import METHODS
from tests.support.baked import bake as baked
from tests.support.baked import write_graph
from tests.support.command import bake
from tests.support.compare import subgraph
from tests.support.pages import ROOT, blocks, checked, page
from tests.support.problems import EDGES, TO_B
from tests.support.stored import stored_asset

PAGE = page("school.md")


def test_the_examples(bare: Path) -> None:
    (bare / "baked").mkdir()
    shutil.copy(stored_asset("keep.png"), "baked")
    assert bake("build", ROOT / "levels_src" / "eight.json", "-o", "baked").code == 0
    names: dict[str, Any] = {}
    shown = [
        found for code in blocks(PAGE, "python") for found in checked(code, "school.md", names)
    ]
    for value, expected in shown:
        assert value == expected
    assert len(shown) == 18


def test_every_method_is_told() -> None:
    for name in METHODS:
        assert f'| `"{name}"' in PAGE


def test_the_tables_are_those_of_the_schema(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = "run `python -m bake.school.pattern_document`"
    assert section_of(PAGE, pattern_document.MAKER) == pattern_document.format_tables(), made
    copy = tmp_path / "school.md"
    copy.write_text(with_section(PAGE, "outdated\n", pattern_document.MAKER), "utf-8")
    monkeypatch.setattr(pattern_document, "PAGE", copy)
    pattern_document.main()
    assert copy.read_text("utf-8") == PAGE


def pictures() -> list[list[str]]:
    """The drawings of the page, line by line."""
    return [code.splitlines() for code in blocks(PAGE, "")]


def test_the_lists_of_the_textbook(tmp_path: Path) -> None:
    source = write_graph(tmp_path / "roads.json", sorted(TO_B), EDGES, directed=False)
    with open_asset(baked(source)) as level:
        found = traced_search(level.profile(), "A", "B", heuristic=TO_B)
    right = [
        f"{step.place} {step.f:g} {', '.join(f'{place} {f:g}' for place, f in step.open)}"
        for step in found.trace
    ]
    (drawn,) = (lines[1:] for lines in pictures() if "open afterwards" in lines[0])
    for line, wanted in zip(drawn, right, strict=True):
        assert " ".join(line.split()).startswith(wanted)


def test_the_prices_of_the_drawing() -> None:
    """The roads are drawn as "A1 --1-- C1", and the prices stand below them."""
    (drawn,) = ("\n".join(lines) for lines in pictures() if "maximin" in "".join(lines))
    roads = [(a, b, int(w)) for a, w, b in re.findall(r"(\w\d) --(\d)-- (?=(\w\d))", drawn)]
    roads += [("C1", "C7", 9), ("C6", "C5", 9)]
    assert len(roads) == 11
    names = sorted({name for road in roads for name in road[:2]})
    arcs = [
        (names.index(a), names.index(b), w)
        for one, other, w in roads
        for a, b in ((one, other), (other, one))
    ]
    sub = subgraph(len(names), arcs)
    label = np.array(["ABCD".index(name[0]) for name in names], dtype=np.int32)
    first = np.searchsorted(label, np.arange(5)).astype(np.int32)
    member = np.arange(len(names), dtype=np.int32)
    pair, cost = priced_pairs(sub.graph, sub.weight, label, first, member)
    told = [int(price) for _, price in re.findall(r"(minimum|maximin|average) +(\d)", drawn)]
    assert cost[pair.tolist().index([2, 3])].tolist() == told
