"""Levels that change, kept by hand in plain Python, and what a reader must answer on them."""

import math
import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bake.play import BlockedCellError, LevelAsset, Navigator
from bake.project.recipe import LevelRecipe
from tests.support.around import check_around
from tests.support.baked import GROUND, bake, profile_for, recipe_for, write_graph, write_grid
from tests.support.oracles import (
    TICKS,
    Cell,
    Ground,
    Lattice,
    hex_arcs,
    square_arcs,
)
from tests.support.rule import Rule, rule_now
from tests.support.strategies import random_grid

Steps = dict[tuple[object, object], int]

WALKER = GROUND
BOAT: dict[str, Ground] = {
    "floor": Ground(None),
    "mud": Ground(5),
    "road": Ground(None),
    "water": Ground(1),
    "ledge": Ground(1),
    "wall": Ground(None),
}
PROFILES = {"walker": WALKER, "boat": BOAT}


@dataclass(frozen=True)
class Way:
    """A link of a model."""

    start: object
    goal: object
    ticks: int
    both_ways: bool = False
    profiles: tuple[str, ...] | None = None
    via: tuple[Cell, ...] = ()
    over: frozenset[str] = frozenset()

    @property
    def pairs(self) -> list[tuple[object, object]]:
        there = self.start, self.goal
        return [there, there[::-1]] if self.both_ways else [there]


class Joined:
    """Links and arcs that a level gets while the game runs; what a model of a level inherits."""

    prices: dict[Any, float]
    links: dict[str, Way]
    added: set[Any]

    #: Profiles that a link may be for.
    for_some: tuple[tuple[str, ...] | None, ...] = (None,)

    def places_there_are(self) -> list[Any]:
        raise NotImplementedError

    def steps_joining(self) -> set[Any]:
        """Pairs that a step or a baked arc joins, whether or not it may be taken."""
        raise NotImplementedError

    def straight(self, start: Any, goal: Any) -> float | None:
        """What a link costs that says nothing; None = it has to say."""
        raise NotImplementedError

    def steps(self, profile: str) -> Steps:
        raise NotImplementedError

    def lets_through(self, way: Way, cell: Cell, profile: str) -> bool:
        """Whether nothing on a cell that a link passes through stands in its way."""
        raise NotImplementedError

    def joining(self) -> set[Any]:
        return self.steps_joining() | {pair for way in self.links.values() for pair in way.pairs}

    def with_new(self, steps: Steps, places: Iterable[object], profile: str) -> Steps:
        """Add arcs to the steps of a profile that are there by link or by themselves."""
        stand, steps = set(places), dict(steps)
        new = [(pair, 1) for pair in self.added]
        for way in self.links.values():
            mine = way.profiles is None or profile in way.profiles
            if mine and all(self.lets_through(way, cell, profile) for cell in way.via):
                new += [(pair, way.ticks) for pair in way.pairs]
        for pair, ticks in new:
            if stand.issuperset(pair):
                steps[pair] = min(ticks, steps.get(pair, ticks))
        return {
            arc: priced(ticks, self.prices.get(arc))
            for arc, ticks in steps.items()
            if self.prices.get(arc) != math.inf
        }

    def change_links(self, rng: random.Random, count: int) -> dict[str, object]:
        """Draw links that come, go and change, and take them in."""
        batch: dict[str, object] = {}
        places = self.places_there_are()
        for _ in range(count if len(places) > 1 else 0):
            name = rng.choice("abcd")
            if name in batch:
                continue
            way = None
            if name not in self.links or rng.random() < 0.6:
                start, goal = rng.sample(places, 2)
                cost = rng.choice([None, 0.25, 1, 2.5, 9])
                cost = self.straight(start, goal) if cost is None else cost
                if cost is None:
                    cost = 4.0
                way = Way(
                    start,
                    goal,
                    round(cost * TICKS),
                    rng.random() < 0.5,
                    rng.choice(self.for_some),
                )
                batch[name] = {
                    "from": start,
                    "to": goal,
                    "cost": cost,
                    "both_ways": way.both_ways,
                    "profiles": way.profiles,
                    "kind": rng.choice(["ladder", "bridge"]),
                }
            else:
                batch[name] = None
            self.take_link(name, way)
        return batch

    def take_link(self, name: str, way: Way | None) -> None:
        before = self.links.pop(name, None)
        if way is not None:
            self.links[name] = way
        for each in (before, way):
            for pair in each.pairs if each else []:
                self.added.discard(pair)
                if pair not in self.steps_joining():
                    self.prices.pop(pair, None)

    def change_new_arcs(self, rng: random.Random, count: int) -> dict[Any, float | None]:
        """Draw arcs that come, go and change where there are none, and take them in."""
        arcs: dict[Any, float | None] = {}
        places = self.places_there_are()
        for _ in range(count if len(places) > 1 else 0):
            if self.added and rng.random() < 0.5:
                pair = rng.choice(sorted(self.added))
                if pair in arcs:
                    continue
                arcs[pair] = rng.choice([None, 0.25, 6.0, math.inf])
            else:
                pair = tuple(rng.sample(places, 2))
                if pair in arcs or pair in self.joining():
                    continue
                arcs[pair] = rng.choice([0.5, 3.0])
            self.take_arcs({pair: arcs[pair]})
        return arcs

    def take_arcs(self, arcs: Mapping[Any, float | None]) -> None:
        for arc, cost in arcs.items():
            if arc not in self.joining():
                self.added.add(arc)
            self.prices.pop(arc, None)
            if cost is None:
                self.added.discard(arc)
            else:
                self.prices[arc] = cost


@dataclass
class GridModel(Joined):
    """A grid level as the game means it now."""

    grid: list[list[str]]
    connectivity: int
    corner_cutting: str
    cost_rule: str
    hex_layout: str | None = None
    obstacles: set[Cell] = field(default_factory=set)
    prices: dict[tuple[Cell, Cell], float] = field(default_factory=dict)
    links: dict[str, Way] = field(default_factory=dict)
    added: set[tuple[Cell, Cell]] = field(default_factory=set)

    for_some = (None, None, ("walker",), ("boat",), ("boat", "walker"))

    def places_there_are(self) -> list[Cell]:
        return self.cells

    def steps_joining(self) -> set[tuple[Cell, Cell]]:
        return self._neighbours

    def straight(self, start: Cell, goal: Cell) -> float:
        return max(1.0, math.dist(start, goal))

    @property
    def cells(self) -> list[Cell]:
        return [(x, y) for y, row in enumerate(self.grid) for x in range(len(row))]

    def recipe(self, **settings: object) -> LevelRecipe:
        if self.hex_layout is None:
            settings["connectivity"] = self.connectivity
        return recipe_for(
            WALKER,
            corner_cutting=self.corner_cutting,
            cost_rule=self.cost_rule,
            profiles=tuple(profile_for(name, ground) for name, ground in PROFILES.items()),
            **settings,
        )

    def baked(self, folder: Path, **settings: object) -> Path:
        return bake(
            write_grid(folder / "model.json", self.grid, self.hex_layout), self.recipe(**settings)
        )

    def lattice(self, profile: str) -> Lattice:
        grid = [
            ["wall" if (x, y) in self.obstacles else name for x, name in enumerate(row)]
            for y, row in enumerate(self.grid)
        ]
        return Lattice(grid, PROFILES[profile], self.corner_cutting, self.cost_rule)

    def places(self, profile: str) -> list[object]:
        return list(self.lattice(profile).cells())

    def steps(self, profile: str) -> Steps:
        lattice = self.lattice(profile)
        if self.hex_layout is None:
            steps = square_arcs(lattice, self.connectivity)
        else:
            steps = hex_arcs(lattice, self.hex_layout)
        return self.with_new(steps, lattice.cells(), profile)

    def lets_through(self, way: Way, cell: Cell, profile: str) -> bool:
        name = self.grid[cell[1]][cell[0]]
        fits = name in way.over or PROFILES[profile][name].cost is not None
        return fits and cell not in self.obstacles

    def usual(self) -> str:
        """What walls open to: the commonest terrain someone can stand on when it was baked."""
        return self._usual

    def __post_init__(self) -> None:
        order = ["floor", "mud", "road", "water", "ledge"]
        count = {name: sum(row.count(name) for row in self.grid) for name in order}
        self._usual = max(order, key=lambda name: (count[name], -order.index(name)))
        plain = Lattice(
            [["floor"] * len(row) for row in self.grid], WALKER, "always", self.cost_rule
        )
        self._neighbours = set(
            square_arcs(plain, self.connectivity)
            if self.hex_layout is None
            else hex_arcs(plain, self.hex_layout)
        )

    def change(self, rng: random.Random, size: int, *, new: bool = True) -> dict[str, object]:
        """Draw a batch and take it in; with links and new arcs, or without."""
        every = ["block", "open", "terrain", "arc", "link", "new arc"]
        kinds = rng.choices(every, [8, 8, 4, 2, 3 * new, 2 * new], k=size)
        links = self.change_links(rng, kinds.count("link"))
        blocked: set[Cell] = set()
        opened: set[Cell] = set()
        terrain: dict[Cell, str] = {}
        arcs: dict[tuple[Cell, Cell], float | None] = {}
        for kind in kinds:
            cell = rng.choice(self.cells)
            if kind == "block" and cell not in opened:
                blocked.add(cell)
            elif kind == "open" and cell not in blocked:
                shut = [each for each in self.cells if self.shut(each)]
                cell = rng.choice(shut) if shut and rng.random() < 0.7 else cell
                if cell not in blocked:
                    opened.add(cell)
            elif kind == "terrain":
                terrain[cell] = rng.choice(sorted(WALKER))
            elif kind == "arc":
                steps = sorted(set(self.steps("walker")) - self.added)
                if steps:
                    arcs[rng.choice(steps)] = rng.choice([None, 0.25, 7.5, math.inf])
        self.take(blocked, opened, terrain, arcs)
        arcs |= self.change_new_arcs(rng, kinds.count("new arc"))
        batch = {"blocked": sorted(blocked), "opened": opened, "terrain": terrain, "arcs": arcs}
        return {**batch, "links": links} if links else batch

    def shut(self, cell: Cell) -> bool:
        return cell in self.obstacles or self.grid[cell[1]][cell[0]] == "wall"

    def take(
        self,
        blocked: set[Cell],
        opened: set[Cell],
        terrain: dict[Cell, str],
        arcs: dict[tuple[Cell, Cell], float | None],
    ) -> None:
        self.obstacles |= blocked
        self.obstacles -= opened
        for x, y in opened:
            if self.grid[y][x] == "wall":
                self.grid[y][x] = self.usual()
        for (x, y), name in terrain.items():
            self.grid[y][x] = name
        self.take_arcs(arcs)


@dataclass
class GraphModel(Joined):
    """A graph level as the game means it now."""

    nodes: list[int]
    edges: list[tuple[int, int, float]]
    obstacles: set[int] = field(default_factory=set)
    prices: dict[tuple[int, int], float] = field(default_factory=dict)
    links: dict[str, Way] = field(default_factory=dict)
    added: set[tuple[int, int]] = field(default_factory=set)
    #: where each node lies; None = nowhere in particular
    positions: dict[int, tuple[float, float]] | None = None
    #: nodes that the level was not baked with
    came: set[int] = field(default_factory=set)

    def places_there_are(self) -> list[int]:
        return [*self.nodes, *sorted(self.came)]

    def steps_joining(self) -> set[tuple[int, int]]:
        return {(a, b) for a, b, _ in self.edges}

    def straight(self, start: int, goal: int) -> None:
        return None

    def baked(self, folder: Path, **settings: object) -> Path:
        source = folder / "model.json"
        write_graph(source, self.nodes, self.edges, positions=self.positions)
        return bake(source, recipe_for(**settings))

    def places(self, profile: str) -> list[object]:
        return [node for node in self.places_there_are() if node not in self.obstacles]

    def change_nodes(self, rng: random.Random, count: int) -> dict[int, dict[str, object] | None]:
        """Draw nodes that come, move and go, and take them in."""
        batch: dict[int, dict[str, object] | None] = {}
        for _ in range(count):
            name = rng.choice([-1, -5, 10**15, len(self.nodes)])
            if name in batch:
                continue
            if name in self.came and rng.random() < 0.7:
                batch[name] = None
            else:
                at = rng.choice([(0.5, 0.5), (rng.uniform(-3, 12), rng.uniform(-3, 12))])
                batch[name] = {} if self.positions is None else {"at": at}
        gone = {name for name, said in batch.items() if said is None}
        self.came = (self.came | batch.keys()) - gone
        self.obstacles -= gone
        self.links = {n: way for n, way in self.links.items() if not gone & {way.start, way.goal}}
        self.added = {pair for pair in self.added if not gone & set(pair)}
        self.prices = {p: cost for p, cost in self.prices.items() if not gone & set(p)}
        return batch

    def steps(self, profile: str) -> Steps:
        steps: Steps = {}
        for a, b, cost in self.edges:
            if a in self.obstacles or b in self.obstacles:
                continue
            ticks = round(cost * TICKS)
            steps[a, b] = min(ticks, steps.get((a, b), ticks))
        return self.with_new(steps, self.places(profile), profile)

    def change(self, rng: random.Random, size: int, *, new: bool = True) -> dict[str, object]:
        nodes = self.change_nodes(rng, new and sum(rng.random() < 0.2 for _ in range(size)))
        links = self.change_links(rng, new and sum(rng.random() < 0.1 for _ in range(size)))
        blocked: set[int] = set()
        opened: set[int] = set()
        arcs: dict[tuple[int, int], float | None] = {}
        for _ in range(size):
            kind = rng.random()
            node = rng.choice(self.places_there_are())
            if kind < 0.25 and node not in opened:
                blocked.add(node)
            elif kind < 0.5 and node not in blocked:
                opened.add(node)
            elif self.edges:
                a, b, _ = rng.choice(self.edges)
                arcs[a, b] = rng.choice([None, 0.5, 3, 11, math.inf])
        self.obstacles |= blocked
        self.obstacles -= opened
        self.take_arcs(arcs)
        arcs |= self.change_new_arcs(rng, new and sum(rng.random() < 0.1 for _ in range(size)))
        batch = {"blocked": blocked, "opened": opened, "arcs": arcs, "links": links}
        return {**batch, "nodes": nodes} if nodes else batch


def priced(ticks: int, own: float | None) -> int:
    return ticks if own is None else round(own * TICKS)


def check(nav: Navigator, places: list[object], steps: Steps, rng: random.Random) -> None:
    """Every pair: next hop, distance, path, reachability; one by one and many at once."""
    rule = checked_rule(nav, places, steps)
    at = {place: nav._current.places.location(place) for place in places}
    place_at = {location: place for place, location in at.items()}

    def ticks(start: object, goal: object) -> int | None:
        return rule.ticks_to(at[goal]).get(at[start])

    def path_of(start: object, goal: object) -> list[object]:
        return [place_at[location] for location in rule.path(at[start], at[goal])]

    def hop_of(start: object, goal: object) -> object:
        return place_at.get(rule.hop(at[start], at[goal]))

    pairs = [(a, b) for a in places for b in places]
    # Not in order, so that flow fields are made by whatever question comes first.
    rng.shuffle(pairs)
    wanted = [math.inf if ticks(*pair) is None else ticks(*pair) / TICKS for pair in pairs]
    for pair, units in zip(pairs, wanted, strict=True):
        how = rng.randrange(4)
        if how == 0:
            assert nav.next_hop(*pair) == hop_of(*pair), pair
        elif how == 1:
            assert nav.path(*pair) == (path_of(*pair) or None), pair
        elif how == 2:
            assert nav.distance(*pair) == units
        else:
            assert nav.reachable(*pair) is (units < math.inf)
    if not pairs:
        return
    starts, goals = [a for a, _ in pairs], [b for _, b in pairs]
    for pair, hop in zip(pairs, nav.next_hops(starts, goals).tolist(), strict=True):
        told = tuple(hop) if isinstance(hop, list) else hop
        assert (None if told == (-1, -1) else told) == hop_of(*pair), pair
    assert nav.distances(starts, goals).tolist() == wanted
    first, flat = nav.paths(starts, goals)
    for place, pair in enumerate(pairs):
        part = flat[first[place] : first[place + 1]].tolist()
        assert [tuple(each) if isinstance(each, list) else each for each in part] == path_of(*pair)
    check_around(nav, places, steps, rng)


def checked_rule(nav: Navigator, places: list[object], steps: Steps) -> Rule:
    """The rule on a level as it is now, the cheapest of whose arcs are these steps."""
    rule, at = rule_now(nav, nav.name), nav._current.places.location
    cheapest: dict[tuple[int, int], int] = {}
    for tail, out in rule.arcs.items():
        for head, ticks in out:
            if head in rule.arcs:
                cheapest[tail, head] = min(ticks, cheapest.get((tail, head), ticks))
    assert cheapest == {(at(a), at(b)): ticks for (a, b), ticks in steps.items()}
    assert set(rule.arcs) == set(map(at, places))
    return rule


def check_level(level: LevelAsset, model: GridModel | GraphModel, rng: random.Random) -> None:
    """Every profile's answers, asked of a navigator made before and of one made now."""
    for name in level.profiles:
        check(level.profile(name), model.places(name), model.steps(name), rng)


def shut_places(model: GridModel, profile: str) -> Iterator[Cell]:
    standing = set(model.places(profile))
    return (cell for cell in model.cells if cell not in standing)


def check_shut(nav: Navigator, model: GridModel) -> None:
    """Places that cannot be stood on are refused."""
    for cell in list(shut_places(model, nav.name))[:5]:
        for ask in (nav.next_hop, nav.path, nav.distance, nav.reachable):
            try:
                ask(cell, cell)
            except BlockedCellError:
                continue
            raise AssertionError((cell, ask))


def grid_model(seed: int, hex_layout: str | None = None) -> GridModel:
    """A random grid under random rules, the same on every machine."""
    rng = random.Random(f"model {seed}")
    width, height = rng.randint(1, 8), rng.randint(1, 7)
    grid = random_grid(seed, width, height, rng.choice([0.1, 0.3, 0.5]))
    if all(name == "wall" for row in grid for name in row):
        grid[0][0] = "floor"
    return GridModel(
        grid,
        rng.choice([4, 8]),
        rng.choice(["never", "one_free", "always"]),
        rng.choice(["mean", "entered"]),
        hex_layout,
    )
