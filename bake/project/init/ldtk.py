"""Guess the terrain of values and tiles and the kinds of entities of an LDtk project."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from bake.levels.ldtk.layout import STATED
from bake.levels.ldtk.level import KINDS
from bake.levels.ldtk.outline import outline
from bake.levels.ldtk.project import (
    EntityInstance,
    LayerInstance,
    LoadedLevel,
    Project,
    open_project,
)
from bake.levels.reading.editors import BELOW, LdtkReading
from bake.levels.reading.files import read_document
from bake.levels.reading.marks import LINK_KINDS
from bake.levels.reading.mistakes import shown
from bake.levels.reading.terrains import parse_color, rgb
from bake.project.init.entries import LDTK, LDTK_LEGEND, Entry, Guesses, reset_entries
from bake.project.init.images import guess_color
from bake.project.init.words import (
    FLOOR,
    WALL,
    Meaning,
    find_blocking_word,
    guess_by_layer,
    guess_role,
    guess_spot,
    guess_terrain,
)

_LINEAR = ("LinearHorizontal", "LinearVertical")
_PORTALS = frozenset({"door", "portal", "teleport", "teleporter", "stairs", "ladder", "warp"})


def ldtk_candidates(path: Path, project: Path) -> Iterator[list[Entry]]:
    """Yield guesses for a project: first all of them, then combinations with fewer of them.

    A project may be unreadable with all guesses: entities may stand on invalid cells, layers may
    fit no common grid, and the levels of a world may not form one level.

    Args:
        path: the .ldtk file.
        project: the folder that level files must lie in.

    Raises:
        LevelError: the project cannot be read.
    """
    document = read_document(path)
    reading = LdtkReading(world="each")
    listed = outline(path, document, reading)
    assert isinstance(document, dict), "else there were no parts"
    whole = open_project(path, document, reading, project)
    levels = [level for part in listed for level in whole.levels(part)]
    guesser = ProjectGuesser(whole, levels)
    entries = guesser.entries()
    worlds = [
        Entry(LDTK, "world", None),
        Entry(LDTK, "world", "each", "the levels do not fit together as one"),
    ]
    if {whole.layout(part) for part in listed} <= set(_LINEAR) and len(listed) > 1:
        worlds = [Entry(LDTK, "world", "each", "the levels stand in a row, so they are separate")]
    why = "its layers fit no common grid"
    layers = [Entry(LDTK, "layers", None)]
    layers += [Entry(LDTK, "layers", (name,), why, sure=False) for name in guesser.grids()]
    without_entities = reset_entries(entries, "entity:", "area:")
    return (
        [*legend, world, layer]
        for layer, world, legend in product(layers, worlds, (entries, without_entities))
    )


class ProjectGuesser:
    """Guesses the terrain of values and tiles and the kinds of entities of a project."""

    def __init__(self, project: Project, levels: list[LoadedLevel]) -> None:
        self.project = project
        self.levels = levels
        self.guesses = Guesses(LDTK_LEGEND)

    def entries(self) -> list[Entry]:
        """Return the guesses, with distinct keys."""
        self._values()
        if not self.guesses.has_terrain:
            self._tile_layers()
        self._entities()
        return self.guesses.entries()

    def _layers(self, *types: str) -> Iterator[LayerInstance]:
        for level in self.levels:
            for layer, _ in level.layers():
                if layer.type in types:
                    yield layer

    def grids(self) -> list[str]:
        """Return the names of IntGrid layers that are not empty, those about collisions first."""
        names = {layer.identifier for layer in self._layers("IntGrid") if any(layer.int_grid_csv)}
        return sorted(names, key=lambda name: (guess_role(name) is None, name))

    def _values(self) -> None:
        """Guess the terrain of the values of IntGrid layers by name, or else by color."""
        counts: dict[int, Counter[int]] = defaultdict(Counter)
        size: Counter[int] = Counter()
        for layer in self._layers("IntGrid"):
            counts[layer.layer_def_uid].update(layer.int_grid_csv)
            size[layer.layer_def_uid] += len(layer.int_grid_csv)
        for uid, value_counts in sorted(counts.items()):
            definition = self.project.layers.get(uid)
            if definition is None:
                continue
            used_values = [
                value for value in definition.int_grid_values if value_counts.get(value.value)
            ]
            layer_name = definition.identifier
            says_wall = find_blocking_word(layer_name)
            # If a value is named after an obstacle, the layer also has open cells.
            all_open = not any(_price(value.identifier or "") == "blocked" for value in used_values)
            for value in used_values:
                share = f"{value_counts[value.value] / size[uid]:.0%} of {shown(layer_name)}"
                if value.identifier is not None:
                    doubt = (
                        layer_name if says_wall and _price(value.identifier) != "blocked" else None
                    )
                    self._add_named_value(value.identifier, share, doubt, blocked=all_open)
                    continue
                packed = parse_color(value.color)
                color, means = guess_color(rgb(packed)) if packed is not None else ("", WALL)
                why = f"a value without a name, {color}, {share}"
                if says_wall:
                    means, why = WALL, f"{why}, whose name says {shown(says_wall)}"
                self.guesses.add_meaning(
                    f"value:{layer_name}:{value.value}", means, why, sure=False
                )

    def _add_named_value(self, name: str, share: str, doubt: str | None, *, blocked: bool) -> None:
        """Add a guess for a value by its name; the name of its layer may contradict it."""
        if not name.isprintable() or not name.strip():
            return
        price = _price(name)
        means = guess_terrain(name)
        word = name if name in STATED or means is None else means.word
        if price is None:
            why = f"a value that covers {share}, and whose name is unknown"
            self.guesses.add_terrain(name, "blocked", why, sure=False)
        elif doubt is not None:
            why = f"the value's name says {shown(word)}, and its layer is called {shown(doubt)}"
            self.guesses.add_terrain(name, "blocked" if blocked else price, why, sure=False)
        else:
            why = f"the value's name says {shown(word)}"
            self.guesses.add_terrain(name, price, why)

    def _tile_layers(self) -> None:
        """Guess terrain by the names of tile layers, for projects whose values have no terrain."""
        tagged = {uid for uid, tileset in self.project.tilesets.items() if tileset.enum_tags}
        drawn = [
            layer.identifier
            for layer in self._layers("Tiles", "AutoLayer")
            if layer.grid_tiles or layer.auto_layer_tiles
            if layer.tileset_def_uid not in tagged
        ]
        # Layers are listed from top to bottom.
        lowest = [*dict.fromkeys(drawn)][-1:]
        for name in sorted(set(drawn)):
            layer_role, layer_guess = guess_role(name), guess_by_layer(name)
            if layer_role is not None and layer_role[0] == "above":
                layer_guess = Meaning(BELOW, 1.0), f"the layer's name says {shown(layer_role[1])}"
            default = (FLOOR, "the lowest layer of tiles")
            if name not in lowest:
                default = (WALL, f"a layer of tiles over {shown(lowest[0])}")
            self.guesses.add_meaning(
                f"layer:{name}", *(layer_guess or default), sure=layer_guess is not None
            )

    def _entities(self) -> None:
        """Guess which entities are spots, links or walls by their names."""
        for layer in self._layers("Entities"):
            for entity in layer.entity_instances:
                name = entity.identifier
                tags = [tag.lower() for tag in self.project.tags_of(entity)]
                kind = guess_spot(name)
                if any(word in LINK_KINDS for word in (*tags, name.lower())):
                    continue
                if _is_portal(entity):
                    why = f"it is called {shown(name)}, and refers to another entity"
                    self.guesses.add(Entry(LDTK_LEGEND, f"entity:{name}", "link", why))
                elif any(word in KINDS for word in (*tags, name.lower())):
                    continue
                elif kind is not None:
                    why = f"the entity's name says {shown(kind[1])}"
                    self.guesses.add(Entry(LDTK_LEGEND, f"entity:{name}", kind[0], why))
                elif (means := guess_terrain(name)) is not None and means.word in ("wall", "fence"):
                    why = f"the entity's name says {shown(means.word)}"
                    self.guesses.add_meaning(f"area:{name}", means, why, why, sure=False)


def _price(name: str) -> str | float | None:
    """Return the cost of a value by its name, in the form of a recipe, or None."""
    stated = STATED.get(name)
    means = guess_terrain(name) if stated is None else Meaning(name, stated.cost)
    return None if means is None else means.price


def _is_portal(entity: EntityInstance) -> bool:
    """Return whether an entity is a portal: by name, with a reference to another entity."""
    refers = any(
        field.type in ("EntityRef", "Array<EntityRef>") and field.value not in (None, [])
        for field in entity.field_instances
    )
    words = entity.identifier.lower()
    return refers and any(word in words for word in _PORTALS)
