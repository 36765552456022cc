"""Refuse what asked for the reader in C: ``python -m bake.runtime.native`` and ``BAKE_NATIVE``."""

from __future__ import annotations

import os
import sys

from bake.errors import BakeError

_REMEDY = "install numba, which compiles the same lookups; without it bake's own Python answers"


def refuse_native() -> None:
    """Refuse an environment that names a library; ``BAKE_NATIVE=off`` asks for what is so anyway.

    Raises:
        BakeError: the environment names one.
    """
    chosen = os.environ.get("BAKE_NATIVE", "off")
    if chosen not in ("", "off"):
        raise BakeError(
            f"BAKE_NATIVE={chosen}: flat files are no longer read in Python by the reader in C",
            remedy=f"unset it and {_REMEDY}",
        )


if __name__ == "__main__":
    sys.exit(f"error: bake.runtime.native is gone; {_REMEDY}")
