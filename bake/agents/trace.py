"""Say where the traces of walks have gone."""

from __future__ import annotations

from typing import NoReturn

from bake.errors import QueryError


class Untraced:
    """Whoever walks; :func:`bake.school.trace_walk` writes its steps down."""

    def trace(self) -> NoReturn:
        """Refuse: traces have moved to the school.

        Raises:
            QueryError: always.
        """
        raise QueryError(
            "walks are traced by the school", remedy="call `bake.school.trace_walk` with the walker"
        )
