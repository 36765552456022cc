"""Collect guessed recipe entries, and merge the entries of all levels into one `bake.toml`."""

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
#: The order of the tables in a recipe.
_ORDER = (COLOURS, TILED, TILED_LEGEND, LDTK, LDTK_LEGEND, TEXT_LEGEND, TEXT_SPOTS, TERRAIN)
_LONGEST_WHY = 160

E = TypeVar("E", bound=EditorReading)


@dataclass(frozen=True)
class Entry:
    """A line of a recipe, guessed for one level file."""

    table: TablePath  #: path of its table, such as ("tiled", "legend")
    key: str
    #: value; None = the default, which fixes the value against guesses for other levels
    value: Value | None
    why: str = ""  #: reason of the guess
    sure: bool = True  #: whether a name supports the guess; a person should check others
    stated: bool = False  #: whether the level file sets it, so that no line is needed


class Guesses:
    """Collects the guesses for a file; the first guess for a key wins."""

    def __init__(self, legend: TablePath) -> None:
        """Create an empty collection; ``legend`` is the path of the legend for the file format."""
        self.legend = legend
        self.by_key: dict[tuple[TablePath, str], Entry] = {}

    def add(self, entry: Entry) -> None:
        self.by_key.setdefault((entry.table, entry.key), entry)

    def add_terrain(self, name: str, price: Value, why: str, *, sure: bool = True) -> None:
        self.add(Entry(TERRAIN, name, price, why, sure=sure))

    def add_meaning(
        self, key: str, means: Meaning, why: str, usually: str | None = None, *, sure: bool = True
    ) -> None:
        """Add a guess for an entry of the legend, and one for the cost of its terrain.

        Args:
            key: the key of the entry.
            means: the guessed terrain and its cost.
            why: the reason of the guess.
            usually: the reason of the cost, which makes it sure; None = ``why``.
            sure: whether a name supports the guess.
        """
        if not is_writable(key, self.legend):
            return
        self.add(Entry(self.legend, key, means.word, why, sure=sure))
        if means.word != BELOW:
            self.add_terrain(
                means.word, means.price, usually or why, sure=sure or usually is not None
            )

    @property
    def has_terrain(self) -> bool:
        """Whether any terrain was guessed."""
        return any(entry.table == TERRAIN for entry in self.by_key.values())

    def entries(self) -> list[Entry]:
        return list(self.by_key.values())


@dataclass(frozen=True)
class Line:
    """A line of the recipe, with the levels that it was guessed from."""

    table: TablePath
    entry: Entry
    levels: tuple[str, ...]


def is_writable(key: str, table: TablePath) -> bool:
    """Return whether a key, such as a name or "layer:NAME", can be written in a table."""
    if key == BLANK:
        return table == TEXT_LEGEND
    return key.isprintable() and all(part.strip() for part in (key, key.partition(":")[2] or key))


def build_reading(entries: Iterable[Entry], reading: E) -> E:
    """Return the options for reading files of an editor with some entries.

    Args:
        entries: the guesses for a file.
        reading: the default options of the editor.
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


def reset_entries(entries: Iterable[Entry], *kinds: str) -> list[Entry]:
    """Return entries with the default value for keys of some kinds, such as "object:"."""
    return [
        replace(entry, value=None) if entry.key.startswith(kinds) else entry for entry in entries
    ]


def merge_guesses(guesses: Mapping[str, Sequence[Entry]]) -> list[Line]:
    """Merge the guesses for all levels: the most common values first, then tables of levels.

    Args:
        guesses: entries by level; no level repeats a key of a table.
    """
    by_key: dict[tuple[TablePath, str], dict[str, Entry]] = defaultdict(dict)
    for level, entries in guesses.items():
        for entry in entries:
            by_key[entry.table, entry.key][level] = entry
    lines = []
    for (table, _), by_level in by_key.items():
        common = _common_value(by_level.values())
        needed = {level: entry for level, entry in by_level.items() if not entry.stated}
        equal = {level: entry for level, entry in needed.items() if entry.value == common}
        if common is not None:
            # Use the comment of the level with the best reason.
            best = max(equal.values(), key=lambda entry: entry.sure)
            lines.append(Line(table, best, tuple(sorted(equal))))
        for level, entry in needed.items():
            if entry.value not in (None, common):
                lines.append(Line(("levels", level, *table), entry, (level,)))
    return sorted(lines, key=_sort_key)


def _common_value(entries: Collection[Entry]) -> Value | None:
    """Return the most common value, or None if some level must not have it."""
    counts = Counter(entry.value for entry in entries if not entry.stated and entry.value)
    if not counts:
        return None
    common = min(counts, key=lambda value: (-counts[value], str(value)))
    # A table of a level cannot override what its file sets, nor restore a default.
    fixed = (entry.value for entry in entries if entry.stated or entry.value is None)
    return common if all(value == common for value in fixed) else None


def _sort_key(line: Line) -> tuple[str, int, int, str]:
    """Return the sort key of a line: project tables first, and legends by kind of key."""
    table = line.table[2:] if line.table[:1] == ("levels",) else line.table
    level = line.table[1] if line.table[:1] == ("levels",) else ""
    kinds = ("tile:", "property:", "class:", "value:", "enum:", "wang:", "tileset:", "layer:")
    kind = next(
        (rank for rank, prefix in enumerate(kinds) if line.entry.key.startswith(prefix)), 99
    )
    return level, _ORDER.index(table), kind, line.entry.key


def format_recipe(
    sources: Iterable[str], output: str, left_out: Iterable[str], lines: Sequence[Line]
) -> str:
    """Return the text of a recipe.

    Args:
        sources: globs of the level files.
        output: folder of the assets.
        left_out: files that are not levels, with the reason, one line each.
        lines: the guesses, in the order of :func:`merge_guesses`.
    """
    return "\n".join(_generate_lines(sources, output, left_out, lines)) + "\n"


def _generate_lines(
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
    yield from (f"# left out: {comment(reason)}" for reason in left_out)
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
    """Return text for a comment in TOML, shortened and escaped."""
    return cut(printable(text), _LONGEST_WHY)
