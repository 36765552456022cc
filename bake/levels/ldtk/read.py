"""Reads a project, whole or one level of it."""

from __future__ import annotations

from pathlib import Path

from bake.editors import LdtkReading
from bake.errors import LevelError
from bake.level import GridLevel
from bake.levels.json_text import read_document, shown
from bake.levels.ldtk.canvas import Canvas
from bake.levels.ldtk.contents import outline
from bake.levels.ldtk.layout import lay_out
from bake.levels.ldtk.legend import STATED, Legend
from bake.levels.ldtk.project import open_project
from bake.levels.ldtk.things import read_things
from bake.levels.things_checks import checked


def read_ldtk(path: Path, part: str, reading: LdtkReading, project: Path | None) -> GridLevel:
    """Read one level of a project, or all levels of a world as one.

    Args:
        path: the .ldtk file.
        part: a name of :func:`bake.levels.parts`.
        reading: the recipe's [ldtk].
        project: folder that level files must lie in; None = the project file's own.

    Raises:
        LevelError: one mistake in the file, or in a level file.
        BakeErrors: several.
    """
    document = read_document(path)
    parts = {each.name: each for each in outline(path, document, reading)}
    if part not in parts:
        listed = ", ".join(shown(name) for name in list(parts)[:8])
        raise LevelError(
            f"there is no level {shown(part)}" if part else "the project gives several levels",
            file=path,
            expected=f"one of {listed}",
            remedy="build again",
        )
    assert isinstance(document, dict), "else there were no parts"
    whole = open_project(path, document, reading, project)
    levels = whole.levels(parts[part])
    legend = Legend(reading.legend)
    layout = lay_out(whole, levels, whole.layout(parts[part]), legend)
    canvas = Canvas(whole, layout, legend)
    canvas.paint()
    things = read_things(whole, canvas)
    # A door may turn its cells into a terrain that none has yet.
    states = [terrain for door in things.doors for _, terrain in door.states if terrain]
    terrains, cells = canvas.used()
    named = {*terrains, *states}
    level = GridLevel(
        name=f"{path.stem}-{part}" if part else path.stem,
        source=path,
        terrain=cells,
        terrains=terrains,
        terrain_rules={name: STATED[name] for name in STATED if name in named},
        colours={name: legend.colours[name] for name in terrains if name in legend.colours},
        barred=canvas.barred if canvas.barred.any() else None,
        floor_height=layout.height if len(layout.floors) > 1 else None,
        things=things,
        depends_on=tuple(whole.depends_on),
    )
    return checked(level)
