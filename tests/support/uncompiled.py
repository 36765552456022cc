"""A test's own process as it is where numba is not installed."""

import importlib
import pkgutil

import pytest

import bake.search
from bake.core.kernels import jit


def without_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have kernels run as plain Python until the test ends."""
    # A module that is first imported without a compiler would have none for all later tests.
    for module in pkgutil.walk_packages(bake.search.__path__, "bake.search."):
        importlib.import_module(module.name)
    monkeypatch.setattr(jit, "COMPILED", False)
