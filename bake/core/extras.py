"""Registry of optional parts: executors, file kinds, search methods and tracers.

An extra is a package in ``bake.extras``. ``ENTRIES`` in its module ``entries`` names objects by
group and name, as ``("method", "beam"): "module:attribute"``. The core imports no extra by a
statement: it looks a name up, which imports that module. A new group is a name in `Group`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, Literal

#: An "executor" is a function that returns a :class:`bake.baking.run.Executor`, a "kind" is a
#: :class:`FileKind`, a "method" is a :data:`bake.play.searching.methods.Method`, and a "tracer" is
#: a :class:`SearchTracer`.
Group = Literal["executor", "kind", "method", "tracer"]

#: What an extra registers: objects as "module:attribute".
Entries = Mapping[tuple[Group, str], str]

#: The package of all extras.
PACKAGE = "bake.extras"

#: How to install the extras, which the wheel includes.
INSTALL_EXTRAS = (
    "run `pip install --force-reinstall --no-deps levelbake`, which includes the extras"
)


@dataclass(frozen=True)
class FileKind:
    """The functions for files that are not levels, and for the assets baked from them.

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
    inspect: Callable[[Path], Any]  #: returns a report on an asset, whose fields are JSON data
    show: Callable[[Any], None]  #: prints the report
    schema: Callable[[], dict[str, Any]]  #: returns the JSON Schema of the files


@dataclass(frozen=True)
class SearchTracer:
    """The functions for ``bake path --trace``."""

    methods: tuple[str, ...]  #: the search methods whose steps can be traced
    check_file: Callable[[Path], None]  #: raises where a file cannot be a trace
    #: searches like :meth:`bake.play.Navigator.search`, writes every step to a file, and returns
    #: the result, given the file, the level, the navigator, both ends, method, heuristic, weight
    search: Callable[..., Any]


@cache
def registered() -> Entries:
    """Return the entries of all installed extras; empty where `bake.extras` is not installed."""
    try:
        package = import_module(PACKAGE)
    except ImportError:
        return {}
    entries: dict[tuple[Group, str], str] = {}
    for extra in iter_modules(package.__path__):
        module = f"{PACKAGE}.{extra.name}.entries"
        if extra.ispkg and find_spec(module) is not None:
            entries |= import_module(module).ENTRIES
    return entries


def registered_names(group: Group) -> list[str]:
    """Return the names that extras have registered in a group, in ascending order."""
    return sorted(name for entry_group, name in registered() if entry_group == group)


def find_registered(group: Group, name: str) -> Any | None:
    """Return the object of a name, or None where no extra has registered it."""
    target = registered().get((group, name))
    if target is None:
        return None
    module, _, attribute = target.partition(":")
    return getattr(import_module(module), attribute)


def missing_extras_remedy() -> str | None:
    """Return the remedy of an unknown name: None where extras are installed."""
    return None if registered() else f"to use extras, {INSTALL_EXTRAS}"


def load_registered(group: Group, name: str, user: str, file: Path | None = None) -> Any:
    """Return the object of a name.

    Args:
        group: of the name.
        name: what an extra registers.
        user: what needs it, for the error.
        file: the file that needs it, for the error.

    Raises:
        BakeError: no installed extra has registered it.
    """
    found = find_registered(group, name)
    if found is None:
        from levelbake.errors import BakeError  # Not for `bake --help`.

        raise BakeError(
            f"{user} needs an extra that is not installed", file=file, remedy=INSTALL_EXTRAS
        )
    return found


def load_kind(name: str, file: Path | None = None) -> FileKind:
    """Return the functions for files of a kind.

    Args:
        name: of the kind.
        file: a file of the kind, for the error.

    Raises:
        BakeError: no installed extra has registered the kind.
    """
    kind: FileKind = load_registered("kind", name, f"a {name}", file)
    return kind


def require_package(package: str, extra: str, user: str) -> None:
    """Raise unless a package that only an extra of the distribution requires can be imported.

    Args:
        package: the name to import.
        extra: the extra of ``pip install`` that includes the package.
        user: what needs the package, for the error.

    Raises:
        BakeError: the package is not installed.
    """
    try:
        import_module(package)
    except ImportError:
        from levelbake.errors import BakeError

        raise BakeError(
            f"{user} needs {package}, which is not installed",
            remedy=f'run `pip install "levelbake[{extra}]"`',
        ) from None
