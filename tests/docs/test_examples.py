"""Run the examples in docstrings of the package and of the reader, one test per module."""

from __future__ import annotations

import doctest
import importlib
import re
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ROOT / "bake", ROOT / "readers" / "python" / "levelbake"

MODULES = sorted(
    ".".join((package.name, *file.relative_to(package).with_suffix("").parts))
    for package in PACKAGES
    for file in package.rglob("*.py")
    if re.search(r"^ +>>> ", file.read_text(encoding="utf-8"), re.MULTILINE)
)


@pytest.mark.usefixtures("example")
@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    module = importlib.import_module(name)
    names = {**vars(module), "np": np}
    result = doctest.testmod(module, extraglobs=names)
    assert result.attempted > 0
    assert result.failed == 0


def test_a_wrong_example_fails() -> None:
    example = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "wrong", None, 0)
    assert doctest.DocTestRunner(verbose=False).run(example, out=lambda text: None).failed == 1
