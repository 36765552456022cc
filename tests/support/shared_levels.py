"""Where the real benchmark levels lie, if this machine has them.

They are not part of the project. `BAKE_SHARED_LEVELS` names the folder; without it, a
`shared/levels` beside the checkout is used.
"""

import os
from pathlib import Path

import pytest

FOLDER = Path(
    os.environ.get("BAKE_SHARED_LEVELS", Path(__file__).resolve().parents[3] / "shared" / "levels")
)


def shared_level(relative: str) -> Path:
    """The path of a shared level; skips the test where it is absent."""
    path = FOLDER / relative
    if not path.exists():
        pytest.skip(f"{relative} is not here (set BAKE_SHARED_LEVELS to the folder of levels)")
    return path
