"""Kernels called as other kernels call them.

What kernels alone call has no code for Python (decision 87). A test that called it from Python
would have all of it compiled once more, and would not run the code that the package runs. The
kernel that calls it for a test is kept where compiled kernels of the same file are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from bake.core.kernels.jit import Kernel

P = ParamSpec("P")
R = TypeVar("R")


def as_kernels_call(kernel: Callable[P, R]) -> Callable[P, R]:
    """Return what calls a separate kernel where it lies; the kernel where nothing is compiled."""
    if not isinstance(kernel, Kernel):
        return kernel
    assert kernel.separate
    names: dict[str, Any] = {"__name__": __name__, "kernel": kernel}
    source = "def call(*given): return kernel(*given)"
    exec(compile(source, kernel.function.__code__.co_filename, "exec"), names)
    names["call"].__qualname__ = f"call_of_{kernel.function.__name__}"
    return Kernel(names["call"], _nrt=False)
