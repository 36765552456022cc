"""Compile the reader in C: ``python -m bake.runtime.native [SOURCES]``."""

from __future__ import annotations

import sys
from pathlib import Path

from bake.errors import BakeError
from bake.runtime.native.library import SOURCES, compile_library


def main() -> int:
    """Compile the library and say where it is; 1 where that fails."""
    sources = Path(sys.argv[1]) if len(sys.argv) > 1 else SOURCES
    try:
        print(compile_library(sources))
    except BakeError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
