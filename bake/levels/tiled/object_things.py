"""Objects to things: links, regions, spots and doors, told apart by class and property."""

from __future__ import annotations

from bake.level import Door, Link, Region, Spot, Things
from bake.levels.json_text import shown
from bake.levels.tiled.fields import Properties
from bake.levels.tiled.legend import Legend
from bake.levels.tiled.objects import Object
from bake.levels.tiled.placing import Placing
from bake.levels.tiled.shapes import cell_at, cell_of, cells_of
from bake.levels.tiled.tile_terrain import stated_cost

SPOT_CLASSES = ("spawn", "exit")
LINK_CLASSES = ("link", "teleporter", "ladder", "stairs", "jump")
#: Links that lead back where nothing says otherwise.
TWO_WAY = ("ladder", "stairs")


class ThingReader:
    """Collects the things of one map."""

    def __init__(self, objects: list[Object], placing: Placing, legend: Legend) -> None:
        self.objects = objects
        self.placing = placing
        self.legend = legend
        self.links: list[Link] = []
        self.regions: list[Region] = []
        self.spots: list[Spot] = []
        self.doors: list[Door] = []
        self._numbered: dict[int, list[Object]] = {}
        self._called: dict[str, list[Object]] = {}
        for each in objects:
            self._numbered.setdefault(each.number, []).append(each)
            self._called.setdefault(each.name, []).append(each)
        self._taken: dict[tuple[str, str], str] = {}
        self._ways: set[tuple[object, ...]] = set()

    def things(self) -> Things:
        """All things.

        Raises:
            LevelError: a name given twice, a link that leads nowhere, a door without states, or
                a thing outside the level.
        """
        goals = [self._goal(each) for each in self.objects]
        aimed_at = {id(goal) for goal in goals if goal is not None}
        for each, goal in zip(self.objects, goals, strict=True):
            kind = self.kind(each)
            if kind in SPOT_CLASSES or each.properties.flag("spot"):
                self._spot(each, kind)
            elif kind == "region":
                name = self._name(each, kind)
                cells = cells_of(each, self.placing)
                self.regions.append(Region(name, cells, each.fields.place))
            elif kind == "door":
                self._door(each)
            if goal is not None or (kind in LINK_CLASSES and each.shape == "polyline"):
                self._link(each, kind, goal)
            elif kind in LINK_CLASSES and id(each) not in aimed_at:
                each.fields.refuse(
                    "it leads nowhere",
                    "a property to",
                    "set to to the object it leads to (type object), or to its name",
                )
        return Things(tuple(self.links), tuple(self.regions), tuple(self.spots), tuple(self.doors))

    def kind(self, each: Object) -> str:
        """The class by the legend, else its own."""
        return self.legend.get("object", each.class_name) or each.class_name

    def _name(self, each: Object, kind: str, group: str = "") -> str:
        name = each.name or f"{kind} {each.number}"
        first = self._taken.setdefault((group or kind, name), each.fields.place)
        if first != each.fields.place:
            each.fields.refuse(
                f"{shown(name)} is the name of {first} already",
                "a name of its own for each",
                "rename one of them",
            )
        return name

    def _spot(self, each: Object, kind: str) -> None:
        kind = kind or "spot"
        cell = cell_of(each, self.placing)
        profiles = each.properties.names("profiles")
        name = self._name(each, kind, "spot")
        self.spots.append(Spot(name, kind, cell, profiles, each.fields.place))

    def _door(self, each: Object) -> None:
        states = _states(each.properties)
        names = [name for name, _ in states]
        state = each.properties.text("state") or names[0]
        if state not in names:
            each.properties.refuse("state", f"one of {', '.join(names)}")
        cells = cells_of(each, self.placing)
        name = self._name(each, "door")
        self.doors.append(Door(name, cells, states, state, each.fields.place))

    def _goal(self, each: Object) -> Object | None:
        """The object that the property `to` means."""
        if not each.properties.has("to"):
            return None
        wanted = each.properties.values["to"]
        if type(wanted) is int:
            if wanted == 0:  # what Tiled writes where no object was chosen
                return None
            found = self._numbered.get(wanted, [])
        elif isinstance(wanted, str):
            found = self._called.get(wanted, [])
        else:
            each.properties.refuse("to", "an object, or the name of one")
        if len(found) != 1:
            each.fields.refuse(
                f"it leads to {shown(wanted)}, "
                + ("which is no object" if not found else f"which {len(found)} objects are called"),
                "one object of an object layer that counts",
                "set the property to to an object (type object)",
            )
        return found[0]

    def _link(self, each: Object, kind: str, goal: Object | None) -> None:
        kind = kind or "link"
        if goal is None or each.shape == "polyline":
            start = cell_at(each, each.corners[0], self.placing)
        else:
            start = cell_of(each, self.placing)
        end = (
            cell_at(each, each.corners[-1], self.placing)
            if goal is None
            else cell_of(goal, self.placing)
        )
        if start == end:
            each.fields.refuse(f"it leads from cell {start} to the same cell", "two cells")
        cost, profiles = stated_cost(each.properties), each.properties.names("profiles")
        both_ways = _both_ways(each.properties, kind)
        # Stairs are often drawn from either end; that is one way each, not two.
        way = (frozenset((start, end)), kind, cost, profiles)
        if both_ways and way in self._ways:
            return
        if both_ways:
            self._ways.add(way)
        name = self._name(each, kind, "link")
        self.links.append(
            Link(name, kind, start, end, cost, both_ways, profiles, each.fields.place)
        )


def _both_ways(properties: Properties, kind: str) -> bool:
    both, one = properties.flag("both_ways"), properties.flag("one_way")
    if both is not None and both == one:
        properties.refuse("one_way", "the opposite of the property both_ways")
    if both is None and one is None:
        return kind in TWO_WAY
    return bool(both) or one is False


def _states(properties: Properties) -> tuple[tuple[str, str | None], ...]:
    """States between semicolons; a state without a terrain leaves what the map has there."""
    expected = 'at least two states, such as "open;shut=wall"'
    text = properties.text("states")
    if text is None:
        properties.owner.refuse("the door has no property states", expected)
    found: dict[str, str | None] = {}
    for part in text.split(";"):
        name, _, terrain = (each.strip() for each in part.partition("="))
        if not name or name in found:
            properties.refuse("states", expected)
        found[name] = terrain or None
    if len(found) < 2:
        properties.refuse("states", expected)
    return tuple(found.items())
