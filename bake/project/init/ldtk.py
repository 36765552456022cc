"""Guess what the values, tiles and entities of an LDtk project mean."""

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
from bake.levels.reading.terrains import pack_colour, rgb
from bake.project.init.entries import LDTK, LDTK_LEGEND, Entry, Guesses, without
from bake.project.init.images import looks_like
from bake.project.init.words import (
    FLOOR,
    WALL,
    Meaning,
    layer_says,
    meaning,
    role,
    says_blocked,
    thing,
)

_LINEAR = ("LinearHorizontal", "LinearVertical")
_PORTALS = frozenset({"door", "portal", "teleport", "teleporter", "stairs", "ladder", "warp"})


def ldtk_tries(path: Path, project: Path) -> Iterator[list[Entry]]:
    """Guess what a project means, in turn with what it may have to be read without.

    Entities may stand where no thing may be, layers may fit no common grid, and the levels of a
    world need not be one level.

    Args:
        path: the .ldtk file.
        project: folder that level files must lie in.

    Raises:
        LevelError: the project cannot be read.
    """
    document = read_document(path)
    each = LdtkReading(world="each")
    listed = outline(path, document, each)
    assert isinstance(document, dict), "else there were no parts"
    whole = open_project(path, document, each, project)
    levels = [level for part in listed for level in whole.levels(part)]
    guesser = ProjectGuesser(whole, levels)
    entries = guesser.entries()
    worlds = [
        Entry(LDTK, "world", None),
        Entry(LDTK, "world", "each", "the levels do not fit together as one"),
    ]
    if {whole.layout(part) for part in listed} <= set(_LINEAR) and len(listed) > 1:
        worlds = [Entry(LDTK, "world", "each", "the levels stand in a row, so they are apart")]
    why = "its layers fit no common grid"
    layers = [Entry(LDTK, "layers", None)]
    layers += [Entry(LDTK, "layers", (name,), why, sure=False) for name in guesser.grids()]
    plain = without(entries, "entity:", "area:")
    return ([*kept, world, only] for only, world, kept in product(layers, worlds, (entries, plain)))


class ProjectGuesser:
    """Guesses what the values, tiles and entities of a project mean."""

    def __init__(self, project: Project, levels: list[LoadedLevel]) -> None:
        self.project = project
        self.levels = levels
        self.guesses = Guesses(LDTK_LEGEND)

    def entries(self) -> list[Entry]:
        """Return the guesses, each key once."""
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
        """Return the names of IntGrid layers that hold something, those about collisions first."""
        names = {layer.identifier for layer in self._layers("IntGrid") if any(layer.int_grid_csv)}
        return sorted(names, key=lambda name: (role(name) is None, name))

    def _values(self) -> None:
        """Guess what the values of IntGrid layers mean, by name, else by colour."""
        counts: dict[int, Counter[int]] = defaultdict(Counter)
        size: Counter[int] = Counter()
        for layer in self._layers("IntGrid"):
            counts[layer.layer_def_uid].update(layer.int_grid_csv)
            size[layer.layer_def_uid] += len(layer.int_grid_csv)
        for uid, of_layer in sorted(counts.items()):
            definition = self.project.layers.get(uid)
            if definition is None:
                continue
            there = [value for value in definition.int_grid_values if of_layer.get(value.value)]
            called = definition.identifier
            says_wall = says_blocked(called)
            # Where some value says so itself, the layer holds what is open as well.
            all_open = not any(_price(value.identifier or "") == "blocked" for value in there)
            for value in there:
                share = f"{of_layer[value.value] / size[uid]:.0%} of {shown(called)}"
                if value.identifier is not None:
                    doubt = called if says_wall and _price(value.identifier) != "blocked" else None
                    self._named(value.identifier, share, doubt, blocked=all_open)
                    continue
                packed = pack_colour(value.color)
                colour, means = looks_like(rgb(packed)) if packed is not None else ("", WALL)
                why = f"a value without a name, {colour}, {share}"
                if says_wall:
                    means, why = WALL, f"{why}, whose name says {shown(says_wall)}"
                self.guesses.means(f"value:{called}:{value.value}", means, why, sure=False)

    def _named(self, name: str, share: str, doubt: str | None, *, blocked: bool) -> None:
        """Guess what a value means by its name; the name of its layer may say otherwise."""
        if not name.isprintable() or not name.strip():
            return
        price = _price(name)
        means = meaning(name)
        word = name if name in STATED or means is None else means.word
        if price is None:
            why = f"a value that covers {share}, and whose name says nothing"
            self.guesses.terrain(name, "blocked", why, sure=False)
        elif doubt is not None:
            why = f"the value's name says {shown(word)}, and its layer is called {shown(doubt)}"
            self.guesses.terrain(name, "blocked" if blocked else price, why, sure=False)
        else:
            why = f"the value's name says {shown(word)}"
            self.guesses.terrain(name, price, why)

    def _tile_layers(self) -> None:
        """Guess by the names of layers of tiles, where no value says what terrain there is."""
        tagged = {uid for uid, each in self.project.tilesets.items() if each.enum_tags}
        drawn = [
            layer.identifier
            for layer in self._layers("Tiles", "AutoLayer")
            if layer.grid_tiles or layer.auto_layer_tiles
            if layer.tileset_def_uid not in tagged
        ]
        # Layers are listed from the topmost down.
        lowest = [*dict.fromkeys(drawn)][-1:]
        for name in sorted(set(drawn)):
            said, told = role(name), layer_says(name)
            if said is not None and said[0] == "above":
                told = Meaning(BELOW, 1.0), f"the layer's name says {shown(said[1])}"
            guess = (FLOOR, "the lowest layer of tiles")
            if name not in lowest:
                guess = (WALL, f"a layer of tiles over {shown(lowest[0])}")
            self.guesses.means(f"layer:{name}", *(told or guess), sure=told is not None)

    def _entities(self) -> None:
        """Guess which entities are spots, links or walls, by their names."""
        for layer in self._layers("Entities"):
            for entity in layer.entity_instances:
                name = entity.identifier
                tags = [tag.lower() for tag in self.project.tags_of(entity)]
                found = thing(name)
                if any(word in LINK_KINDS for word in (*tags, name.lower())):
                    continue
                if _is_portal(entity):
                    why = f"it is called {shown(name)}, and refers to another entity"
                    self.guesses.put(Entry(LDTK_LEGEND, f"entity:{name}", "link", why))
                elif any(word in KINDS for word in (*tags, name.lower())):
                    continue
                elif found is not None:
                    why = f"the entity's name says {shown(found[1])}"
                    self.guesses.put(Entry(LDTK_LEGEND, f"entity:{name}", found[0], why))
                elif (means := meaning(name)) is not None and means.word in ("wall", "fence"):
                    why = f"the entity's name says {shown(means.word)}"
                    self.guesses.means(f"area:{name}", means, why, why, sure=False)


def _price(name: str) -> str | float | None:
    """Return the cost that a value's name says, as a recipe has it; None where it says nothing."""
    stated = STATED.get(name)
    means = meaning(name) if stated is None else Meaning(name, stated.cost)
    return None if means is None else means.price


def _is_portal(entity: EntityInstance) -> bool:
    """Tell whether an entity leads to another one."""
    refers = any(
        field.type in ("EntityRef", "Array<EntityRef>") and field.value not in (None, [])
        for field in entity.field_instances
    )
    words = entity.identifier.lower()
    return refers and any(word in words for word in _PORTALS)
