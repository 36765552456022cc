"""Kinds of files that are no levels: the command line registers what reads, bakes and proves them.

Nothing that a game or a build of levels needs may import what only teaching needs, so whoever meets
such a file looks into this table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class FileKind:
    """What can be done with files of one kind, and with the assets that are baked of them.

    Types that lie above this module are written as Any; the functions that are registered name
    them.
    """

    #: reads a file, by its path and a memory budget, and raises its mistakes
    read: Callable[[Path, int], object]
    bake: Callable[[Any, Any], Any]  #: bakes a task, given where to report
    plan: Callable[[Any], Any]  #: predicts what baking a task would cost
    #: returns the nodes, arcs and profiles of an asset
    size: Callable[[Path], tuple[int, int, tuple[str, ...]]]
    #: proves an asset right, given where to report, and returns its proved entries
    prove: Callable[[Path, Callable[[float], None]], int]
    inspect: Callable[[Path], dict[str, Any]]  #: returns what is in an asset, as JSON has it
    show: Callable[[dict[str, Any]], None]  #: prints what ``inspect`` returned


#: What returns each kind, by its name; a process that bakes for another one is sent this table.
KINDS: dict[str, Callable[[], FileKind]] = {}

#: What returns each further method of :meth:`bake.play.Navigator.search`, by its name.
METHODS: dict[str, Callable[[], Any]] = {}


def kind_of(name: str, path: Path) -> FileKind:
    """Return a kind.

    Args:
        name: of the kind.
        path: the file that is of it, which an error names.

    Raises:
        BakeError: this process has not registered the kind.
    """
    if name not in KINDS:
        from levelbake.errors import BakeError  # Not for `bake --help`.

        raise BakeError(
            f"this is a {name}, and what reads those is not loaded in this process",
            file=path,
            expected="a level",
            remedy="use the command `bake`, or call `bake.school.register()` first",
        )
    return KINDS[name]()
