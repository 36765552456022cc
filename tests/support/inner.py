"""Kernels called as other kernels call them.

What kernels alone call has no code for Python (decision 87). A test that called it from Python
would have all of it compiled once more, and would not run the code that the package runs.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from bake.kernels.jit import Kernel

P = ParamSpec("P")
R = TypeVar("R")


def as_kernels_call(kernel: Callable[P, R]) -> Callable[P, R]:
    """Return what calls a separate kernel where it lies; the kernel where nothing is compiled."""
    if not isinstance(kernel, Kernel):
        return kernel
    assert kernel.separate

    def call(*given: P.args, **none: P.kwargs) -> R:
        found: R = _caller(kernel)(*given)
        return found

    return call


@functools.cache
def _caller(kernel: Kernel) -> Any:
    import numba

    def call(*given: Any) -> Any:
        return kernel(*given)

    return numba.njit(nogil=True, no_cfunc_wrapper=True, _nrt=False)(call)
