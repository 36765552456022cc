"""Kinds of files that are not levels: the command line registers their functions here.

Nothing that a game or a build of levels needs may import what only teaching needs, so code that
meets such a file looks it up in this table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class FileKind:
    """The functions for files of one kind, and for the assets baked from them.

    Types of modules above this one are written as Any; the registered functions name them.
    """

    #: reads a file, given its path and a memory budget, and raises its mistakes
    read: Callable[[Path, int], object]
    bake: Callable[[Any, Any], Any]  #: bakes a task, given where to report
    plan: Callable[[Any], Any]  #: predicts the cost of baking a task
    #: returns the nodes, arcs and profiles of an asset
    size: Callable[[Path], tuple[int, int, tuple[str, ...]]]
    #: verifies an asset, given where to report, and returns the number of verified entries
    prove: Callable[[Path, Callable[[float], None]], int]
    inspect: Callable[[Path], dict[str, Any]]  #: returns the contents of an asset as JSON data
    show: Callable[[dict[str, Any]], None]  #: prints the result of ``inspect``


#: A function that returns each kind, by name; worker processes receive this table.
KINDS: dict[str, Callable[[], FileKind]] = {}

#: A function that returns each additional method of :meth:`bake.play.Navigator.search`, by name.
METHODS: dict[str, Callable[[], Any]] = {}


def kind_of(name: str, path: Path) -> FileKind:
    """Return a registered kind.

    Args:
        name: of the kind.
        path: a file of the kind, for the error.

    Raises:
        BakeError: this process has not registered the kind.
    """
    if name not in KINDS:
        from levelbake.errors import BakeError  # Not for `bake --help`.

        raise BakeError(
            f"this is a {name}, and its reader is not loaded in this process",
            file=path,
            expected="a level",
            remedy="use the command `bake`, or call `bake.extras.school.register()` first",
        )
    return KINDS[name]()
