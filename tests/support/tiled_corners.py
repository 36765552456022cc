"""Random maps of Tiled in every form that its versions write, and their meaning.

The meaning is computed by plain Python from the drawing alone, without any reader of files. A map
is written as TMX, as JSON, or as JSON before Tiled 1.2, with tilesets inside it or in files of
their own, and with templates and custom types beside it.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any
from xml.sax.saxutils import quoteattr

from tests.support.tiled_maps import PACK, attributes, cells, packed

SIZE = 16
#: The bits of a gid that flip a tile: across, down, and over its diagonal.
ACROSS, DOWN, DIAGONAL = 1 << 31, 1 << 30, 1 << 29
SIDES = ("north", "east", "south", "west")
STEPS = {"north": (0, -1), "east": (1, 0), "south": (0, 1), "west": (-1, 0)}
SOILS = ("sand", "peat", "clay")
COSTS = (0.5, 2.0, 3.5, 7.0)
LEGEND = {"property:solid": "rock", "property:kind=reed": "reeds", "tile:set:1": "first"}
BUILT_IN: dict[str, float | None] = {"floor": 1.0, "wall": None, "void": None}


@dataclass
class Property:
    """A custom property: its plain name, as it is typed, and its value as it is meant."""

    name: str
    kind: str  #: "bool", "int", "float", "string", "object", "list", "class", "enum" or "flags"
    value: Any  #: names of a list or of flags, the name of an enum's value, members of a class
    type_name: str = ""
    typed: str = ""


@dataclass
class Tile:
    class_name: str = ""
    properties: list[Property] = field(default_factory=list)


@dataclass
class Layer:
    name: str
    gids: list[list[int]]
    class_name: str = ""
    properties: list[Property] = field(default_factory=list)


@dataclass
class Item:
    """An object: a point in a cell."""

    number: int
    name: str
    class_name: str
    cell: tuple[int, int]
    properties: list[Property]
    #: of its template: the class, properties and file; None = no template
    template: tuple[str, list[Property], str] | None = None


@dataclass
class Form:
    """How a map is written."""

    kind: str  #: "tmx", "json" or "old json"
    name: str
    encoding: str
    tileset: str  #: the file of the tileset; "" = inside the map
    newline: str
    mark: bytes
    backslash: bool
    infinite: bool


@dataclass
class Drawing:
    """A map before it is written."""

    form: Form
    tiles: list[Tile]
    layers: list[Layer]
    items: list[Item]
    left: int
    top: int


@dataclass
class Meaning:
    """What a map means: terrains and barred headings by cell, and what was drawn on them."""

    terrain: list[list[str]]
    barred: list[list[frozenset[str]]]
    costs: dict[str, float | None]
    spots: list[tuple[str, str, tuple[int, int], tuple[str, ...] | None]]
    links: list[tuple[Any, ...]]


class Draftsman:
    """Draws maps of one project."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.has_project = random.random() < 0.7
        self.types: list[dict[str, Any]] = []
        self.classes: dict[tuple[str, str], dict[str, Any]] = {}
        if self.has_project:
            values = {"type": "enum", "storageType": "int"}
            self.types += [
                {"id": 1, "name": "Soil", "values": list(SOILS), **values},
                {"id": 2, "name": "Sides", "values": list(SIDES), "valuesAsFlags": True, **values},
            ]

    # -- custom types -----------------------------------------------------------------------------

    def define(self, name: str, uses: list[str], members: list[Property]) -> None:
        """Define a class, if there is a project file to hold it."""
        if not self.has_project:
            return
        for use in uses:
            self.classes[use, name] = {each.name: each.value for each in members}
        written = [
            {
                "name": each.typed or each.name,
                "type": {"enum": "int", "flags": "int"}.get(each.kind, each.kind),
                "value": raw(each),
                **({"propertyType": each.type_name} if each.type_name else {}),
            }
            for each in members
        ]
        number = len(self.types) + 1
        self.types.append(
            {"id": number, "name": name, "type": "class", "members": written, "useAs": uses}
        )

    def project_file(self) -> str:
        types = self.types[:]
        self.random.shuffle(types)
        return json.dumps({"folders": ["."], "propertyTypes": types}, indent=1)

    # -- properties -------------------------------------------------------------------------------

    def spelled(self, name: str) -> str:
        """Spell a name in some case, with blanks around it or not."""
        form = self.random.choice([str, str, str.upper, str.title, str.swapcase])
        before, after = (self.random.choice(["", "", "", " ", "  "]) for _ in range(2))
        return f"{before}{form(name)}{after}"

    def property(self, name: str, kind: str, value: Any, type_name: str = "") -> Property:
        return Property(name, kind, value, type_name, self.spelled(name))

    def sides(self) -> list[str]:
        return [side for side in SIDES if self.random.random() < 0.4] or ["north"]

    def ledge(self, *, old: bool) -> Property:
        """Return a property that bars headings, in one of the forms of its value."""
        sides = self.sides()
        kinds = ["one_way", "string", "list"]
        if self.has_project and not old:
            kinds.append("flags")
        kind = self.random.choice(kinds)
        if kind == "one_way":
            return self.property("one_way", "string", self.random.choice(SIDES))
        if kind == "string":
            text = self.random.choice([",", ", "]).join(
                map(self.random.choice([str, str.upper]), sides)
            )
            return self.property("barred", "string", text)
        return self.property("barred", kind, sides, "Sides" if kind == "flags" else "")

    def names(self, *, old: bool) -> Property:
        """Return a property with the profiles of an object."""
        names = self.random.sample(["cat", "dog", "owl"], self.random.randint(1, 3))
        if self.random.random() < 0.5:
            return self.property("profiles", "list", names)
        return self.property("profiles", "string", ", ".join(names))

    # -- tiles ------------------------------------------------------------------------------------

    def tile(self, prefix: str, number: int, *, old: bool) -> Tile:
        random, own = self.random, f"{prefix}{number}"
        kinds = ["terrain", "blocked", "walkable", "cost", "class", "default", "nested", "silent"]
        kinds += ["solid", "reed", "ledge"] + ["enum"] * (self.has_project and not old)
        kind = random.choice(kinds) if number else "terrain"
        tile = Tile()
        if kind == "terrain":
            tile.properties.append(self.property("terrain", "string", f"mud {own}"))
            if random.random() < 0.5:
                tile.properties.append(self.property("cost", "float", random.choice(COSTS)))
            elif random.random() < 0.3:
                tile.properties.append(self.property("blocked", "bool", True))
        elif kind in ("blocked", "walkable"):
            tile.properties.append(self.property(kind, "bool", random.random() < 0.8))
        elif kind == "cost":
            tile.properties.append(self.property("cost", "float", random.choice(COSTS)))
        elif kind == "class":
            tile.class_name = f"bush {own}"
        elif kind == "default":
            tile.class_name = f"mire {own}"
            members = [Property("cost", "float", random.choice(COSTS))]
            if random.random() < 0.3:
                members.append(Property("barred", "string", random.choice(SIDES)))
            uses = random.choice([["tile"], ["tile", "object"], ["object"], ["property"]])
            self.define(tile.class_name, uses, members)
            if random.random() < 0.3:
                tile.properties.append(self.property("cost", "float", random.choice(COSTS)))
        elif kind == "nested":
            tile.properties.append(self.nested(own, old=old))
        elif kind == "solid":
            tile.properties.append(self.property("solid", "bool", random.random() < 0.8))
        elif kind == "reed":
            tile.properties.append(self.property("kind", "string", random.choice(["reed", "rush"])))
        elif kind == "enum":
            soil = random.choice(SOILS)
            tile.properties.append(self.property("terrain", "enum", soil, "Soil"))
        if kind == "ledge" or random.random() < 0.2:
            tile.properties.append(self.ledge(old=old))
        if random.random() < 0.3:
            tile.properties.append(self.property("hp", "int", random.randint(0, 9)))
        random.shuffle(tile.properties)
        return tile

    def nested(self, own: str, *, old: bool) -> Property:
        """Return a property of a class with members that are read."""
        random, type_name = self.random, f"Nav {own}"
        members = [Property("terrain", "string", f"moss {own}"), Property("hp", "int", 3)]
        members.append(Property("blocked", "bool", random.random() < 0.5))
        if random.random() < 0.4:
            kind = "flags" if self.has_project else "list"
            members.append(Property("barred", kind, self.sides(), "Sides" * (kind == "flags")))
        self.define(type_name, ["property"], members)
        chosen = [
            Property(each.name, each.kind, each.value, each.type_name)
            for each in members
            if random.random() < 0.5 and not (old and each.kind == "flags")
        ]
        for each in chosen:
            if each.kind == "bool":
                each.value = random.random() < 0.5
        return self.property("nav", "class", chosen, type_name)

    # -- maps -------------------------------------------------------------------------------------

    def form(self, name: str, *, infinite: bool | None = None) -> Form:
        random = self.random
        kind = random.choice(["tmx", "tmx", "json", "old json"])
        if infinite is None:
            infinite = random.random() < 0.3
        if kind == "tmx":
            encodings = ["xml", "csv", *(f"base64-{each}".rstrip("-") for each in PACK)]
            files = ["", "", "set.tsx", "parts/set.tsx", "set.tsj"]
        else:
            encodings = ["list", *(f"base64-{each}".rstrip("-") for each in PACK)]
            files = ["", "", "set.tsx", "parts/set.tsj", "set.json"]
        suffix = "tmx" if kind == "tmx" else random.choice(["tmj", "json"])
        tileset = random.choice(files)
        return Form(
            kind,
            f"{name}.{suffix}",
            random.choice(encodings),
            tileset.replace("set", f"{name}_set"),
            random.choice(["\n", "\r\n"]),
            random.choice([b"", b"", b"\xef\xbb\xbf"]),
            random.random() < 0.3,
            infinite,
        )

    def drawing(self, name: str, *, infinite: bool | None = None) -> Drawing:
        random, form = self.random, self.form(name, infinite=infinite)
        old_tiles = form.kind == "old json" and form.tileset.endswith(("", ".json", ".tsj"))
        tiles = [self.tile(name, number, old=old_tiles) for number in range(random.randint(2, 7))]
        width, height = random.randint(2, 9), random.randint(2, 7)
        left = random.randint(-20, 20) if form.infinite else 0
        top = random.randint(-20, 20) if form.infinite else 0
        layers = [
            self.layer(f"{name} layer {number}", len(tiles), width, height, full=not number)
            for number in range(random.randint(1, 3))
        ]
        drawing = Drawing(form, tiles, layers, [], left, top)
        self.add_items(drawing)
        return drawing

    def layer(self, name: str, tiles: int, width: int, height: int, *, full: bool) -> Layer:
        random = self.random
        share = 0.9 if full else 0.4
        flips = [0, 0, 0, ACROSS, DOWN, DIAGONAL, ACROSS | DOWN, ACROSS | DIAGONAL, DOWN | DIAGONAL]
        gids = [
            [
                (random.randint(1, tiles) | random.choice(flips)) if random.random() < share else 0
                for _ in range(width)
            ]
            for _ in range(height)
        ]
        if full:
            # A map of ledges alone has no cell with a terrain, and none to begin at.
            gids[random.randrange(height)][random.randrange(width)] = 1
        layer = Layer(name, gids)
        if random.random() < 0.3:
            layer.properties.append(self.property("terrain", "string", f"soil {name}"))
        elif random.random() < 0.3:
            layer.class_name = f"kind {name}"
            member = Property("terrain", "string", f"default {name}")
            self.define(layer.class_name, ["layer"], [member])
        return layer

    def add_items(self, drawing: Drawing) -> None:
        """Draw spots and links on cells that have a terrain."""
        random, old = self.random, drawing.form.kind == "old json"
        terrain, _ = self.painted(drawing)
        free = [
            (x, y)
            for y, row in enumerate(terrain)
            for x, each in enumerate(row)
            if each is not None
        ]
        random.shuffle(free)
        name = drawing.form.name.partition(".")[0]
        default = Property("profiles", *random.choice([("string", "cat, owl"), ("list", ["dog"])]))
        number = 0
        while len(free) > 1 and number < 5:
            number += 1
            kind = random.choice(["spawn", "exit", "ladder", "stairs", "link"])
            cell = free.pop()
            class_name = self.spelled(kind)
            properties: list[Property] = []
            template = None
            if kind in ("spawn", "exit"):
                if random.random() < 0.5:
                    properties.append(self.names(old=old))
                if random.random() < 0.3 and ("object", class_name) not in self.classes:
                    self.define(class_name, ["object"], [default])
                elif random.random() < 0.4:
                    suffix = random.choice(["tx", "tj"])
                    inner = [self.names(old=False)]
                    template = (class_name, inner, f"{name}_{number}.{suffix}")
            else:
                if random.random() < 0.5:
                    properties.append(self.property("cost", "float", random.choice(COSTS)))
                if random.random() < 0.5:
                    # The class of ladders may have a default for one of them.
                    flag = random.choice(["one_way", "both_ways"][: 1 + (kind != "ladder")])
                    properties.append(self.property(flag, "bool", random.random() < 0.5))
                elif kind == "ladder" and ("object", class_name) not in self.classes:
                    members = [Property("one_way", "bool", True), Property("cost", "float", 9.0)]
                    self.define(class_name, ["object", "property"], members)
                goal = Item(50 + number, f"goal {number}", "", free.pop(), [])
                drawing.items.append(goal)
                by_number = random.random() < 0.5
                value = goal.number if by_number else goal.name
                kind_of_value = "object" if by_number else "string"
                properties.append(self.property("to", kind_of_value, value))
            item = Item(number, f"{kind} {number}", class_name, cell, properties, template)
            drawing.items.append(item)

    # -- meaning ----------------------------------------------------------------------------------

    def values(
        self, class_name: str, use: str, properties: list[Property], *, old: bool
    ) -> dict[str, Any]:
        """Return the values that count for an owner, by plain name."""
        values: dict[str, Any] = {}
        for each in properties:
            if each.kind != "class":
                values[each.name] = each.value
        for name, value in self.classes.get((use, class_name), {}).items():
            values.setdefault(name, value)
        for each in properties:
            if each.kind == "class":
                # JSON before 1.2 does not name the class, so that its defaults are unknown.
                members = {} if old else dict(self.classes.get(("property", each.type_name), {}))
                members |= {member.name: member.value for member in each.value}
                for name, value in members.items():
                    values.setdefault(name, value)
        return values

    def terrain_of(self, drawing: Drawing, number: int) -> tuple[str | None, bool, set[str], Any]:
        """Return a tile's terrain, whether it leaves that below, its headings, and its cost."""
        tile, old = drawing.tiles[number], is_old(drawing.form)
        values = self.values(tile.class_name, "tile", tile.properties, old=old)
        barred = set()
        listed = values.get("barred", [])
        for side in listed.split(",") if isinstance(listed, str) else listed:
            barred.add(side.strip().lower())
        if isinstance(values.get("one_way"), str):
            opposite = {"north": "south", "south": "north", "east": "west", "west": "east"}
            barred.add(opposite[values["one_way"]])
        cost: Any = "unstated"
        if "cost" in values:
            cost = values["cost"]
        elif "walkable" in values or "blocked" in values:
            cost = 1.0
        if values.get("blocked") is True or values.get("walkable") is False:
            cost = None
        terrain: str | None
        if drawing.form.tileset == "" and number == 1 and tileset_name(drawing) == "set":
            return "first", False, barred, "unstated"
        if "terrain" in values:
            terrain = values["terrain"]
        elif values.get("solid", False) is not False:
            return "rock", False, barred, cost
        elif values.get("kind") == "reed":
            return "reeds", False, barred, cost
        elif tile.class_name:
            terrain = tile.class_name
        elif cost is None:
            return "wall", False, barred, "unstated"
        elif "cost" in values:
            terrain = f"cost {values['cost']:g}"
        elif cost != "unstated":
            return "floor", False, barred, "unstated"
        else:
            return None, bool(barred), barred, "unstated"
        return terrain, False, barred, cost

    def painted(
        self, drawing: Drawing
    ) -> tuple[list[list[str | None]], list[list[frozenset[str]]]]:
        """Paint the layers over one another, cell by cell."""
        height, width = len(drawing.layers[0].gids), len(drawing.layers[0].gids[0])
        terrain: list[list[str | None]] = [[None] * width for _ in range(height)]
        barred = [[frozenset[str]()] * width for _ in range(height)]
        for layer in drawing.layers:
            values = self.values(layer.class_name, "layer", layer.properties, old=False)
            for y in range(height):
                for x in range(width):
                    gid = layer.gids[y][x]
                    if gid == 0:
                        continue
                    number = (gid & (DIAGONAL - 1)) - 1
                    name, is_below, sides, _ = self.terrain_of(drawing, number)
                    if not is_below:
                        terrain[y][x] = name or values.get("terrain") or layer.name
                        barred[y][x] = frozenset()
                    barred[y][x] |= {turned(side, gid) for side in sides}
        return terrain, barred

    def meaning(self, drawing: Drawing) -> Meaning:
        """Return what a reader of the map should find."""
        terrain, barred = self.painted(drawing)
        filled = [
            (x, y)
            for y, row in enumerate(terrain)
            for x, name in enumerate(row)
            if name is not None
        ]
        left, top = 0, 0
        right, bottom = len(terrain[0]), len(terrain)
        if drawing.form.infinite and filled:
            left, right = min(x for x, _ in filled), max(x for x, _ in filled) + 1
            top, bottom = min(y for _, y in filled), max(y for _, y in filled) + 1
        grid = [[name or "void" for name in row[left:right]] for row in terrain[top:bottom]]
        costs: dict[str, float | None] = {}
        used = {
            (gid & (DIAGONAL - 1)) - 1
            for layer in drawing.layers
            for row in layer.gids
            for gid in row
            if gid
        }
        for number in used:
            name, _, _, cost = self.terrain_of(drawing, number)
            if name is not None and cost != "unstated":
                costs[name] = cost
        spots, links = [], []
        by_key = {key: each for each in drawing.items for key in (each.number, each.name)}
        for item in sorted(drawing.items, key=lambda each: each.number):
            class_name, properties = item.class_name, list(item.properties)
            if item.template is not None:
                own = {each.name for each in properties}
                properties += [each for each in item.template[1] if each.name not in own]
            values = self.values(class_name, "object", properties, old=False)
            kind = class_name.strip().lower()
            cell = (item.cell[0] - left, item.cell[1] - top)
            profiles = names_in(values.get("profiles"))
            if kind in ("spawn", "exit"):
                spots.append((item.name, kind, cell, profiles))
            elif kind:
                goal = by_key[values["to"]].cell
                both = kind in ("ladder", "stairs")
                if "both_ways" in values:
                    both = values["both_ways"]
                if "one_way" in values:
                    both = not values["one_way"]
                end = (goal[0] - left, goal[1] - top)
                links.append((item.name, kind, cell, end, values.get("cost"), both, profiles))
        bars = [row[left:right] for row in barred[top:bottom]]
        return Meaning(grid, bars, costs, spots, links)

    # -- files ------------------------------------------------------------------------------------

    def write(self, folder: Path, drawing: Drawing) -> Path:
        """Write a map and all files that it refers to."""
        form = drawing.form
        for item in drawing.items:
            if item.template is not None:
                write_text(folder / item.template[2], template(item), form)
        if form.tileset:
            (folder / form.tileset).parent.mkdir(exist_ok=True)
            is_xml = form.tileset.endswith("tsx")
            text = (
                tileset_xml(drawing, "") if is_xml else json.dumps(tileset_json(drawing), indent=1)
            )
            write_text(folder / form.tileset, text, form)
        text = map_xml(drawing) if form.kind == "tmx" else json.dumps(map_json(drawing), indent=1)
        write_text(folder / form.name, text, form)
        return folder / form.name


def is_old(form: Form) -> bool:
    """Return whether the tileset is written as before Tiled 1.2."""
    return form.kind == "old json" and not form.tileset.endswith("tsx")


def tileset_name(drawing: Drawing) -> str:
    return drawing.form.tileset.rpartition("/")[2].partition(".")[0] or "set"


def turned(side: str, gid: int) -> str:
    """Return the heading that a tile's side has once it is flipped."""
    dx, dy = STEPS[side]
    if gid & DIAGONAL:
        dx, dy = dy, dx
    if gid & ACROSS:
        dx = -dx
    if gid & DOWN:
        dy = -dy
    return next(name for name, step in STEPS.items() if step == (dx, dy))


def names_in(value: Any) -> tuple[str, ...] | None:
    if value is None:
        return None
    names = value.split(",") if isinstance(value, str) else value
    return tuple(dict.fromkeys(each.strip() for each in names if each.strip())) or None


def write_text(path: Path, text: str, form: Form) -> None:
    path.write_bytes(form.mark + text.replace("\n", form.newline).encode())


def raw(each: Property, *, typed: bool = True) -> Any:
    """Return a value as JSON has it."""
    if each.kind == "list":
        return [{"type": "string", "value": name} if typed else name for name in each.value]
    if each.kind == "class":
        return {member.typed or member.name: raw(member, typed=typed) for member in each.value}
    if each.kind == "enum":
        return SOILS.index(each.value)
    if each.kind == "flags":
        return sum(1 << SIDES.index(name) for name in each.value)
    return each.value


def kind_of(each: Property) -> str:
    return {"enum": "int", "flags": "int"}.get(each.kind, each.kind)


def properties_json(properties: list[Property], *, old: bool) -> dict[str, Any]:
    if not properties:
        return {}
    if old:
        return {
            "properties": {each.typed: raw(each, typed=False) for each in properties},
            "propertytypes": {each.typed: kind_of(each) for each in properties},
        }
    return {
        "properties": [
            {
                **{"name": each.typed, "type": kind_of(each), "value": raw(each)},
                **({"propertytype": each.type_name} if each.type_name else {}),
            }
            for each in properties
        ]
    }


def properties_xml(properties: list[Property]) -> str:
    if not properties:
        return ""
    return f"<properties>\n{''.join(map(property_xml, properties))}</properties>\n"


def property_xml(each: Property) -> str:
    about = f"<property name={quoteattr(each.typed or each.name)}"
    if each.kind != "string":
        about += f' type="{kind_of(each)}"'
    if each.type_name:
        about += f" propertytype={quoteattr(each.type_name)}"
    if each.kind == "list":
        items = "".join(f"<item value={quoteattr(name)}/>\n" for name in each.value)
        return f"{about}>\n{items}</property>\n"
    if each.kind == "class":
        inside = properties_xml(each.value)
        return f"{about}>\n{inside}</property>\n" if inside else f"{about}/>\n"
    value = raw(each)
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return f"{about} value={quoteattr(text)}/>\n"


def chunked(drawing: Drawing, layer: Layer, side: int) -> list[tuple[int, int, list[list[int]]]]:
    """Divide a layer into chunks; those without a tile are not written."""
    right = drawing.left + len(layer.gids[0])
    bottom = drawing.top + len(layer.gids)
    chunks = []
    for y in range(math.floor(drawing.top / side) * side, bottom, side):
        for x in range(math.floor(drawing.left / side) * side, right, side):
            gids = [
                [
                    layer.gids[v - drawing.top][u - drawing.left]
                    if drawing.left <= u < right and drawing.top <= v < bottom
                    else 0
                    for u in range(x, x + side)
                ]
                for v in range(y, y + side)
            ]
            if any(map(any, gids)):
                chunks.append((x, y, gids))
    return chunks


def place(drawing: Drawing, item: Item) -> tuple[float, float]:
    x, y = item.cell[0] + drawing.left, item.cell[1] + drawing.top
    return (x + 0.5) * SIZE, (y + 0.25) * SIZE


def reference(drawing: Drawing) -> str:
    file = drawing.form.tileset
    return file.replace("/", "\\") if drawing.form.backslash else file


def template(item: Item) -> str:
    assert item.template is not None
    class_name, properties, file = item.template
    if file.endswith("tx"):
        return (
            f"<template><object type={quoteattr(class_name)}>"
            f"{properties_xml(properties)}<point/></object></template>"
        )
    own = {"type": class_name, "point": True, **properties_json(properties, old=False)}
    return json.dumps({"type": "template", "object": own}, indent=1)


def tileset_xml(drawing: Drawing, about: str) -> str:
    tiles = "".join(
        f'<tile id="{number}" type={quoteattr(tile.class_name)}>\n'
        f"{properties_xml(tile.properties)}</tile>\n"
        for number, tile in enumerate(drawing.tiles)
        if tile.properties or tile.class_name
    )
    count = len(drawing.tiles)
    return (
        f'<tileset {about} name="{tileset_name(drawing)}" tilewidth="16" tileheight="16" '
        f'tilecount="{count}" columns="{count}">\n{tiles}</tileset>\n'
    )


def tileset_json(drawing: Drawing) -> dict[str, Any]:
    count = len(drawing.tiles)
    tileset = {
        **{"name": tileset_name(drawing), "tilewidth": SIZE, "tileheight": SIZE},
        **{"tilecount": count, "columns": count, "margin": 0, "spacing": 0, "image": "set.png"},
    }
    numbered = list(enumerate(drawing.tiles))
    if is_old(drawing.form):
        listed = {str(n): {"type": tile.class_name} for n, tile in numbered if tile.class_name}
        with_properties = [(n, tile) for n, tile in numbered if tile.properties]
        values = {str(n): properties_json(tile.properties, old=True) for n, tile in with_properties}
        return {
            **tileset,
            "tiles": listed,
            "tileproperties": {number: each["properties"] for number, each in values.items()},
            "tilepropertytypes": {number: each["propertytypes"] for number, each in values.items()},
        }
    tiles = [
        {"id": n, "type": tile.class_name, **properties_json(tile.properties, old=False)}
        for n, tile in numbered
        if tile.properties or tile.class_name
    ]
    return {**tileset, "type": "tileset", "tiles": tiles}


def map_xml(drawing: Drawing) -> str:
    form = drawing.form
    if form.tileset:
        tilesets = f'<tileset firstgid="1" source={quoteattr(reference(drawing))}/>\n'
    else:
        tilesets = tileset_xml(drawing, 'firstgid="1"')
    layers = []
    for number, layer in enumerate(drawing.layers, start=1):
        if form.infinite:
            inside = "".join(
                f'<chunk x="{x}" y="{y}" width="4" height="4">'
                f"{cells(gids, form.encoding)}</chunk>\n"
                for x, y, gids in chunked(drawing, layer, 4)
            )
        else:
            inside = cells(layer.gids, form.encoding)
        layers.append(
            f'<layer id="{number}" name={quoteattr(layer.name)} '
            f"class={quoteattr(layer.class_name)} "
            f'width="{len(layer.gids[0])}" height="{len(layer.gids)}">\n'
            f"{properties_xml(layer.properties)}"
            f"<data{attributes(form.encoding)}>{inside}</data></layer>\n"
        )
    items = []
    for item in sorted(drawing.items, key=lambda each: each.number):
        x, y = place(drawing, item)
        about = f'<object id="{item.number}" name={quoteattr(item.name)} x="{x}" y="{y}"'
        if item.template is None:
            about += f" type={quoteattr(item.class_name)}"
            inside = f"{properties_xml(item.properties)}<point/>"
        else:
            about += f" template={quoteattr(item.template[2])}"
            inside = properties_xml(item.properties)
        items.append(f"{about}>{inside}</object>\n")
    things = f'<objectgroup id="9" name="things">{"".join(items)}</objectgroup>\n'
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<map version="1.10" orientation="orthogonal" '
        f'width="{len(drawing.layers[0].gids[0])}" height="{len(drawing.layers[0].gids)}" '
        f'tilewidth="16" tileheight="16" infinite="{int(form.infinite)}">\n'
        f"{tilesets}{''.join(layers)}{things}</map>\n"
    )


def cells_json(gids: list[list[int]], encoding: str) -> Any:
    if encoding == "list":
        return [gid for row in gids for gid in row]
    return packed(gids, encoding.partition("-")[2])


def map_json(drawing: Drawing) -> dict[str, Any]:
    form = drawing.form
    old = form.kind == "old json"
    layers: list[dict[str, Any]] = []
    encoding, _, compression = form.encoding.partition("-")
    for number, layer in enumerate(drawing.layers, start=1):
        words: dict[str, Any] = {
            **{"type": "tilelayer", "name": layer.name, "x": 0, "y": 0},
            **{"width": len(layer.gids[0]), "height": len(layer.gids)},
            **properties_json(layer.properties, old=old),
        }
        if layer.class_name:
            words["class"] = layer.class_name
        if not old:
            words["id"] = number
        if encoding == "base64":
            words |= {"encoding": "base64", "compression": compression}
        if form.infinite:
            words["chunks"] = [
                {"x": x, "y": y, "width": 4, "height": 4, "data": cells_json(gids, form.encoding)}
                for x, y, gids in chunked(drawing, layer, 4)
            ]
        else:
            words["data"] = cells_json(layer.gids, form.encoding)
        layers.append(words)
    items: list[dict[str, Any]] = []
    for item in sorted(drawing.items, key=lambda each: each.number):
        x, y = place(drawing, item)
        words = {"id": item.number, "name": item.name, "x": x, "y": y}
        words |= properties_json(item.properties, old=old)
        if item.template is None:
            words |= {"type": item.class_name, "point": True, "width": 0, "height": 0}
        else:
            words["template"] = item.template[2]
        items.append(words)
    layers.append({"type": "objectgroup", "name": "things", "objects": items, "x": 0, "y": 0})
    tileset: dict[str, Any] = {"firstgid": 1}
    tileset |= {"source": reference(drawing)} if form.tileset else tileset_json(drawing)
    document = {
        **{"orientation": "orthogonal", "infinite": form.infinite, "renderorder": "right-down"},
        **{"width": len(drawing.layers[0].gids[0]), "height": len(drawing.layers[0].gids)},
        **{"tilewidth": SIZE, "tileheight": SIZE, "tilesets": [tileset], "layers": layers},
    }
    return document | ({"version": 1} if old else {"version": "1.10", "type": "map"})


def write_world(folder: Path, drawings: list[tuple[Drawing, int, int]], *, backslash: bool) -> Path:
    """Write a world of maps at places in cells."""
    maps = [
        {
            "fileName": (".\\" if backslash else "") + drawing.form.name,
            "x": x * SIZE,
            "y": y * SIZE,
        }
        for drawing, x, y in drawings
    ]
    path = folder / "all.world"
    path.write_text(json.dumps({"type": "world", "maps": maps}), "utf-8")
    return path


def joined(parts: list[tuple[str, Meaning, int, int]]) -> Meaning:
    """Return what maps mean that lie at places of one level; their names go before their things."""
    left, top = min(x for *_, x, _ in parts), min(y for *_, y in parts)
    right = max(x + len(each.terrain[0]) for _, each, x, _ in parts)
    bottom = max(y + len(each.terrain) for _, each, _, y in parts)
    terrain = [["void"] * (right - left) for _ in range(bottom - top)]
    barred = [[frozenset[str]()] * (right - left) for _ in range(bottom - top)]
    whole = Meaning(terrain, barred, {}, [], [])
    for name, each, x, y in parts:
        across, down = x - left, y - top
        for v, row in enumerate(each.terrain):
            for u, said in enumerate(row):
                terrain[v + down][u + across] = said
                barred[v + down][u + across] = each.barred[v][u]
        whole.costs |= each.costs
        for spot, kind, (u, v), profiles in each.spots:
            whole.spots.append((f"{name}/{spot}", kind, (u + across, v + down), profiles))
        for link, kind, start, end, *more in each.links:
            ends = [(u + across, v + down) for u, v in (start, end)]
            whole.links.append((f"{name}/{link}", kind, *ends, *more))
    return whole
