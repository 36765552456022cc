"""Files a level file refers to: where they lie, and that they stay inside the project."""

from __future__ import annotations

from pathlib import Path, PureWindowsPath

from bake.errors import LevelError
from bake.levels.json_text import shown


def project_root(source: Path, project: Path | None) -> Path:
    """The folder references may not leave, resolved.

    Args:
        source: the level file.
        project: the recipe's folder; None = there is no recipe.

    Returns:
        The project where the level lies inside it, else the level's own folder: one named on
        the command line from elsewhere is a project of its own.
    """
    home = source.parent.resolve()
    root = home if project is None else project.resolve()
    return root if home.is_relative_to(root) else home


def referred_file(
    owner: Path, reference: str, *, root: Path, allow_outside: bool, place: str, table: str
) -> Path:
    """The file a reference means, relative to the folder of the file it stands in.

    Args:
        owner: the file the reference stands in.
        reference: as it is written there.
        root: from :func:`project_root`.
        allow_outside: whether it may lie outside of ``root``.
        place: where in ``owner`` it stands, for errors.
        table: of the recipe, that may allow it: "tiled", "ldtk".

    Raises:
        LevelError: it is no path, leaves the project folder, or leads to nothing.
    """

    def refuse(found: str, expected: str, remedy: str | None = None) -> LevelError:
        return LevelError(found, file=owner, place=place, expected=expected, remedy=remedy)

    if not reference or not reference.isprintable():
        raise refuse(f"the reference {shown(reference)} is no file name", "a relative path")
    path = owner.parent / reference
    try:
        inside = path.resolve().is_relative_to(root)
        there = path.is_file()
    except (OSError, RuntimeError, ValueError):
        raise refuse(f"the reference {shown(reference)} leads nowhere", "a relative path") from None
    # A drive is none on the systems that have no drives, so it is looked for everywhere.
    foreign = bool(PureWindowsPath(reference).drive)
    if foreign or not (inside or allow_outside):
        raise refuse(
            f"the reference {shown(reference)} leaves the project folder",
            f"a file inside {root}",
            f"move the file, or set allow_outside = true in [{table}]",
        )
    if not there:
        raise refuse(
            f"the file {shown(reference)} is missing",
            "the file it names",
            "bring it back, or save the project again",
        )
    return path
