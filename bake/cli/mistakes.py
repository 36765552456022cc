"""The error classes that commands use, loaded when one is first needed.

They are in the reader, which imports numpy and h5py; ``bake --help`` must import neither.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bake.core.errors import *  # noqa: F403
    from levelbake.errors import *  # noqa: F403


def __getattr__(name: str) -> Any:
    import bake.core.errors
    import levelbake.errors

    return getattr(bake.core.errors if hasattr(bake.core.errors, name) else levelbake.errors, name)
