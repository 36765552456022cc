"""Limits that kernels read, lowered. Run by ``test_limits.py``, uncompiled.

Compiled kernels have their constants built in.
"""

import pytest

from tests.support.limits.every_value import check_every_value


def test_limits_that_kernels_read(subtests: pytest.Subtests) -> None:
    check_every_value(subtests, compiled=False)
