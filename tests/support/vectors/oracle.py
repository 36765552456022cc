"""Answer questions about small levels in plain Python: nothing here knows the package.

A model is a level as the game means it now. Places are locations, as in flat files.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from tests.support.agents_oracle import Agents, agent_arcs, link_ticks
from tests.support.oracles import (
    TICKS,
    Cell,
    Ground,
    Lattice,
    arcs_of,
    distances_from,
    hex_arcs,
)
from tests.support.rule import IN_COLUMNS, IN_ROWS, SQUARES

#: (from, to, ticks) of an arc; several may join the same locations.
Arc = tuple[int, int, int]

#: What stands on a cell with an obstacle.
OBSTACLE = "an obstacle"


@dataclass(frozen=True)
class Link:
    """A link of a drawn level; cells (x, y) of the whole grid."""

    name: str
    start: Cell
    goal: Cell
    cost: float | None = None
    both_ways: bool = False
    profiles: tuple[str, ...] | None = None


@dataclass
class Model:
    """What levels have in common.

    Attributes:
        obstacles: locations with an obstacle.
        prices: units by (from, to) location; infinity = closed.
        number: in the file, of each arc that is no step, by (from, to) location.
    """

    obstacles: set[int] = field(default_factory=set, kw_only=True)
    prices: dict[tuple[int, int], float] = field(default_factory=dict, kw_only=True)
    number: Mapping[tuple[int, int], int] = field(default_factory=dict, kw_only=True)

    def profiles(self) -> list[str]:
        raise NotImplementedError

    def standing(self, profile: str) -> list[int]:
        """Locations on which a profile can stand, ascending."""
        raise NotImplementedError

    def usual_arcs(self, profile: str) -> list[Arc]:
        """All arcs a profile may take, without prices of their own.

        Those that leave one location stand in the order in which the rule tries them: steps by
        direction, then others by their number in the file.
        """
        raise NotImplementedError

    def _by_number(self, arcs: list[Arc]) -> list[Arc]:
        return sorted(arcs, key=lambda arc: self.number.get(arc[:2], 0))

    def open(self, location: int) -> None:
        self.obstacles.discard(location)

    def set_terrain(self, location: int, terrain: str) -> None:
        raise NotImplementedError

    def arcs(self, profile: str) -> list[Arc]:
        found = []
        for a, b, ticks in self.usual_arcs(profile):
            own = self.prices.get((a, b))
            if own is None:
                found.append((a, b, ticks))
            elif own != math.inf:
                found.append((a, b, round(own * TICKS)))
        return found


@dataclass
class GridModel(Model):
    """A grid level.

    Attributes:
        grid: terrain names, floors below one another.
        ground: what each profile makes of each terrain.
        size: cells along one side of a profile's footprint, where it is not 1.
        ledges: letters of n, e, s, w by cell.
        usual: the terrain that rock becomes when it is opened.
    """

    grid: list[list[str]]
    ground: Mapping[str, Mapping[str, Ground]]
    connectivity: int = 8
    corner_cutting: str = "never"
    cost_rule: str = "mean"
    hex_layout: str | None = None
    floor_height: int | None = None
    size: Mapping[str, int] = field(default_factory=dict)
    ledges: Mapping[Cell, str] = field(default_factory=dict)
    links: Sequence[Link] = ()
    usual: str = "floor"

    def profiles(self) -> list[str]:
        return sorted(self.ground)

    def location(self, cell: Cell) -> int:
        return cell[1] * len(self.grid[0]) + cell[0]

    def _cell(self, location: int) -> Cell:
        y, x = divmod(location, len(self.grid[0]))
        return x, y

    def _agents(self, profile: str) -> Agents:
        grid = [
            [
                OBSTACLE if self.location((x, y)) in self.obstacles else name
                for x, name in enumerate(row)
            ]
            for y, row in enumerate(self.grid)
        ]
        ground = {**self.ground[profile], OBSTACLE: Ground(None)}
        lattice = Lattice(grid, ground, self.corner_cutting, self.cost_rule)
        return Agents(lattice, self.size.get(profile, 1), self.ledges, self.floor_height)

    def standing(self, profile: str) -> list[int]:
        return sorted(self.location(cell) for cell in self._agents(profile).anchors())

    def usual_arcs(self, profile: str) -> list[Arc]:
        agents = self._agents(profile)
        if self.hex_layout is None:
            steps = agent_arcs(agents, self.connectivity)
        else:
            steps = hex_arcs(agents.lattice, self.hex_layout)
        ordered = sorted(steps, key=lambda ends: self._direction(*ends))
        found = [(self.location(a), self.location(b), steps[a, b]) for a, b in ordered]
        mine = [
            (link.start, link.goal, link.cost, link.both_ways)
            for link in self.links
            if link.profiles is None or profile in link.profiles
        ]
        others = link_ticks(mine, agents)
        return found + self._by_number(
            [(self.location(a), self.location(b), ticks) for a, b, ticks in others]
        )

    def _direction(self, here: Cell, there: Cell) -> int:
        steps = SQUARES
        if self.hex_layout is not None:
            in_rows = self.hex_layout.endswith("r")
            line = here[1] if in_rows else here[0]
            shoved = line % 2 == self.hex_layout.startswith("odd")
            steps = (IN_ROWS if in_rows else IN_COLUMNS)[shoved]
        return steps.index((there[0] - here[0], there[1] - here[1]))

    def open(self, location: int) -> None:
        super().open(location)
        x, y = self._cell(location)
        if all(ground[self.grid[y][x]].cost is None for ground in self.ground.values()):
            self.grid[y][x] = self.usual

    def set_terrain(self, location: int, terrain: str) -> None:
        x, y = self._cell(location)
        self.grid[y][x] = terrain


@dataclass
class GraphModel(Model):
    """A graph level.

    Attributes:
        terrain: of each node.
        edges: (tail, head, length), of parallel ones the cheapest alone.
        ground: what each profile makes of each terrain.
    """

    terrain: list[str]
    edges: Sequence[tuple[int, int, float]]
    ground: Mapping[str, Mapping[str, Ground]]
    cost_rule: str = "mean"

    def profiles(self) -> list[str]:
        return sorted(self.ground)

    def standing(self, profile: str) -> list[int]:
        ground = self.ground[profile]
        return [
            node
            for node, name in enumerate(self.terrain)
            if node not in self.obstacles and ground[name].cost is not None
        ]

    def usual_arcs(self, profile: str) -> list[Arc]:
        stand, ground = set(self.standing(profile)), self.ground[profile]
        found = []
        for a, b, length in self.edges:
            if not {a, b} <= stand:
                continue
            after, before = ground[self.terrain[b]], ground[self.terrain[a]]
            if after.enter_from is not None and self.terrain[a] not in after.enter_from:
                continue
            assert after.cost is not None
            assert before.cost is not None
            unit = (after.cost + before.cost) / 2 if self.cost_rule == "mean" else after.cost
            found.append((a, b, round(unit * length * TICKS)))
        return self._by_number(found)

    def set_terrain(self, location: int, terrain: str) -> None:
        self.terrain[location] = terrain


@dataclass
class ArcsModel(Model):
    """A level as its arcs, each at a price that nothing else in the file explains: none changes.

    Attributes:
        terrain: of each node.
        stands: the nodes that each profile stands on.
        stated: the arcs of each profile.
    """

    terrain: list[str]
    stands: Mapping[str, frozenset[int]]
    stated: Mapping[str, Sequence[Arc]]

    def profiles(self) -> list[str]:
        return sorted(self.stands)

    def standing(self, profile: str) -> list[int]:
        return sorted(self.stands[profile])

    def usual_arcs(self, profile: str) -> list[Arc]:
        return self._by_number([*self.stated[profile]])

    def numbered(self, order: Sequence[int]) -> "ArcsModel":
        """The same level, node i of which is node order[i]."""
        terrain = [""] * len(order)
        for place, name in zip(order, self.terrain, strict=True):
            terrain[place] = name
        return replace(
            self,
            terrain=terrain,
            stands={
                name: frozenset(order[each] for each in some) for name, some in self.stands.items()
            },
            stated={
                name: [(order[a], order[b], ticks) for a, b, ticks in arcs]
                for name, arcs in self.stated.items()
            },
        )


class Answers:
    """The shortest paths of one profile at one moment."""

    def __init__(self, model: Model, profile: str) -> None:
        self.standing = model.standing(profile)
        self._arcs = arcs_of(self.standing, model.arcs(profile))
        self._from = {place: distances_from(self._arcs, place) for place in self.standing}

    def ticks(self, start: int, goal: int) -> int:
        """The length of a shortest path; -1 = there is none, or nobody stands at an end."""
        return self._from.get(start, {}).get(goal, -1)

    def hops(self, start: int, goal: int) -> list[int]:
        """All next locations on shortest paths, in the order in which the rule tries them."""
        best = self.ticks(start, goal)
        if start == goal or best < 0:
            return [start] if start == goal and best == 0 else []
        return list(
            dict.fromkeys(
                head
                for head, ticks in self._arcs[start]
                if self._from[head].get(goal, math.inf) + ticks == best
            )
        )


def copy_of(model: Model) -> Model:
    """A model that changes alone."""
    more = {"obstacles": set(model.obstacles), "prices": dict(model.prices)}
    if isinstance(model, GridModel):
        return replace(model, grid=[list(row) for row in model.grid], **more)
    assert isinstance(model, GraphModel)
    return replace(model, terrain=list(model.terrain), **more)
