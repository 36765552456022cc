"""What `bake plan` says of one table."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TablePlan:
    """What one table of one profile will cost.

    Attributes:
        profile, table: names; table is one of the recipe's.
        kind: how it is kept, such as "dense" or "compressed".
        bytes: in the file.
        seconds: wall time with the threads asked for, beside tables that come from the same search.
        memory: peak of the search for it, in bytes.
    """

    profile: str
    table: str
    kind: str
    bytes: int
    seconds: float
    memory: int
