"""Collect guessed lines of recipes, and write those of all levels as one `bake.toml`."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from bake.core.toml import Value, toml, toml_key, toml_line
from bake.levels.reading.editors import BELOW, EditorReading, TiledReading
from bake.levels.reading.text import BLANK
from bake.project.init.words import Meaning
from bake.project.recipe import RECIPE_NAME
from levelbake.errors import cut, printable

TablePath = tuple[str, ...]

COLOURS: TablePath = ("legend",)
TILED: TablePath = ("tiled",)
TILED_LEGEND: TablePath = ("tiled", "legend")
LDTK: TablePath = ("ldtk",)
LDTK_LEGEND: TablePath = ("ldtk", "legend")
TEXT_LEGEND: TablePath = ("text", "legend")
TEXT_SPOTS: TablePath = ("text", "spots")
TERRAIN: TablePath = ("terrain",)
#: Tables in the order in which a recipe has them.
_ORDER = (COLOURS, TILED, TILED_LEGEND, LDTK, LDTK_LEGEND, TEXT_LEGEND, TEXT_SPOTS, TERRAIN)
_LONGEST_WHY = 160

E = TypeVar("E", bound=EditorReading)


@dataclass(frozen=True)
class Entry:
    """One line of a recipe, guessed for one level file."""

    table: TablePath  #: the table it belongs to, such as ("tiled", "legend")
    key: str
    #: its value; None = the default, which is written only beside another level's value
    value: Value | None
    why: str = ""  #: what it was guessed from
    sure: bool = True  #: whether a name says it; other guesses are for a person to look at
    stated: bool = False  #: whether the level's own file says it, so that it needs no line


class Guesses:
    """Collects the guesses for one file; of several about one key the first one counts."""

    def __init__(self, legend: TablePath) -> None:
        """Begin without any; ``legend`` is the table that says what is drawn in the file."""
        self.legend = legend
        self.found: dict[tuple[TablePath, str], Entry] = {}

    def put(self, entry: Entry) -> None:
        self.found.setdefault((entry.table, entry.key), entry)

    def terrain(self, name: str, price: Value, why: str, *, sure: bool = True) -> None:
        self.put(Entry(TERRAIN, name, price, why, sure=sure))

    def means(
        self, key: str, means: Meaning, why: str, usually: str | None = None, *, sure: bool = True
    ) -> None:
        """Guess which terrain an entry of the legend means, and what that costs.

        Args:
            key: the entry.
            means: the terrain.
            why: what it was guessed from.
            usually: why it has its cost, which is sure then; None = as ``why`` says.
            sure: as of Entry.
        """
        if not is_writable(key, self.legend):
            return
        self.put(Entry(self.legend, key, means.word, why, sure=sure))
        if means.word != BELOW:
            self.terrain(means.word, means.price, usually or why, sure=sure or usually is not None)

    @property
    def has_terrain(self) -> bool:
        """Tell whether any terrain was guessed."""
        return any(entry.table == TERRAIN for entry in self.found.values())

    def entries(self) -> list[Entry]:
        return list(self.found.values())


@dataclass(frozen=True)
class Line:
    """One line of the recipe, and the levels it was guessed from."""

    table: TablePath
    entry: Entry
    levels: tuple[str, ...]


def is_writable(key: str, table: TablePath) -> bool:
    """Return whether a table can hold a name, or a key of a legend such as "layer:NAME"."""
    if key == BLANK:
        return table == TEXT_LEGEND
    return key.isprintable() and all(part.strip() for part in (key, key.partition(":")[2] or key))


def reading_of(entries: Iterable[Entry], reading: E) -> E:
    """Return how files of an editor are read under some entries.

    Args:
        entries: the guesses for one file.
        reading: the defaults of the editor.
    """
    table = TILED if isinstance(reading, TiledReading) else LDTK
    legend: dict[str, str] = {}
    keys: dict[str, Any] = {}
    for entry in entries:
        if entry.table == (*table, "legend") and isinstance(entry.value, str):
            legend[entry.key] = entry.value
        elif entry.table == table and entry.value is not None:
            keys[entry.key] = entry.value
    return replace(reading, legend=legend, **keys)


def without(entries: Iterable[Entry], *kinds: str) -> list[Entry]:
    """Return entries without those of some kinds, such as "object:", whatever other levels say."""
    return [
        replace(entry, value=None) if entry.key.startswith(kinds) else entry for entry in entries
    ]


def merged(guesses: Mapping[str, Sequence[Entry]]) -> list[Line]:
    """Merge the guesses for all levels: what most of them say goes before the tables of levels.

    Args:
        guesses: entries by level; no level has one key of a table twice.
    """
    by_key: dict[tuple[TablePath, str], dict[str, Entry]] = defaultdict(dict)
    for level, entries in guesses.items():
        for entry in entries:
            by_key[entry.table, entry.key][level] = entry
    found = []
    for (table, _), by_level in by_key.items():
        common = _common_value(by_level.values())
        needed = {level: entry for level, entry in by_level.items() if not entry.stated}
        alike = {level: entry for level, entry in needed.items() if entry.value == common}
        if common is not None:
            # Of several levels, the one with the best reason speaks for all.
            best = max(alike.values(), key=lambda entry: entry.sure)
            found.append(Line(table, best, tuple(sorted(alike))))
        for level, entry in needed.items():
            if entry.value not in (None, common):
                found.append(Line(("levels", level, *table), entry, (level,)))
    return sorted(found, key=_place)


def _common_value(entries: Collection[Entry]) -> Value | None:
    """Return the value that most levels need, or None where some level may not be told it."""
    counts = Counter(entry.value for entry in entries if not entry.stated and entry.value)
    if not counts:
        return None
    common = min(counts, key=lambda value: (-counts[value], str(value)))
    # What a file states, and what has to stay at its default, cannot be told again for one level.
    fixed = (entry.value for entry in entries if entry.stated or entry.value is None)
    return common if all(value == common for value in fixed) else None


def _place(line: Line) -> tuple[str, int, int, str]:
    """Order the project's tables before those of levels; a legend in the order of its kinds."""
    own = line.table[2:] if line.table[:1] == ("levels",) else line.table
    level = line.table[1] if line.table[:1] == ("levels",) else ""
    kinds = ("tile:", "property:", "class:", "value:", "enum:", "wang:", "tileset:", "layer:")
    kind = next((at for at, each in enumerate(kinds) if line.entry.key.startswith(each)), 99)
    return level, _ORDER.index(own), kind, line.entry.key


def recipe_text(
    sources: Iterable[str], output: str, left_out: Iterable[str], lines: Sequence[Line]
) -> str:
    """Write a recipe.

    Args:
        sources: globs of the level files.
        output: folder of the assets.
        left_out: what was found that is no level, and why, in one line each.
        lines: the guesses, in the order of :func:`merged`.
    """
    return "\n".join(_lines(sources, output, left_out, lines)) + "\n"


def _lines(
    sources: Iterable[str], output: str, left_out: Iterable[str], lines: Sequence[Line]
) -> Iterator[str]:
    yield f"# `bake init` wrote this {RECIPE_NAME}: it guessed what the levels mean, and each line"
    yield "# says from what. A line with a question mark is for you to decide."
    yield "#"
    yield '# A cost is the units it takes to cross one cell, or "blocked".'
    yield ""
    yield "sources = ["
    yield from (f"    {toml(source)}," for source in sources)
    yield "]"
    yield from (f"# left out: {comment(each)}" for each in left_out)
    yield f"output = {toml(output)}"
    header: TablePath = ()
    for line in lines:
        if line.table != header:
            header = line.table
            yield ""
            yield f"[{'.'.join(map(toml_key, header))}]"
        entry = line.entry
        mark = "" if entry.sure else "? "
        assert entry.value is not None, "else there would be no line"
        yield toml_line(entry.key, entry.value, mark + comment(entry.why))


def comment(text: str) -> str:
    """Cut text short and escape what may not stand in a comment."""
    return cut(printable(text), _LONGEST_WHY)
