"""Text as a column of an asset."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt


def texts(names: Sequence[str]) -> npt.NDArray[np.bytes_]:
    """Fixed-length UTF-8 text."""
    encoded = [name.encode() for name in names]
    width = max((len(text) for text in encoded), default=1)
    return np.array(encoded, dtype=f"S{max(1, width)}")
