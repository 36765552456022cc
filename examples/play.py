"""A night in the harbour: what a game does with baked levels, without the game around it.

    python play.py [FOLDER]

FOLDER holds the assets, `baked` beside this file if left out. Needs levelbake-reader alone.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from levelbake import BakeError, open_level

FRAMES = 120
CROWD = 400


def evening(baked: Path) -> None:
    """Townsfolk stroll from home to home: one call a frame moves them all."""
    with open_level(baked / "harbour.h5") as level:
        nav = level.profile("townsfolk")
        homes = np.array([spot.place for spot in level.spots("home")])
        dice = np.random.Generator(np.random.PCG64(7))
        here = homes[dice.integers(len(homes), size=CROWD)]
        goal = homes[dice.integers(len(homes), size=CROWD)]
        steps = 0
        for _ in range(FRAMES):
            before = here
            here = nav.next_hops(here, goal)
            steps += int((here != before).any(axis=1).sum())
            arrived = (here == goal).all(axis=1)
            goal[arrived] = homes[dice.integers(len(homes), size=int(arrived.sum()))]
        moved = f"{steps:,} steps in {FRAMES} frames"
        print(f"evening: {CROWD} townsfolk between {len(homes)} homes, {moved}")


def market(baked: Path) -> None:
    """A cart blocks the busiest cell now and then; the same one call a frame leads around it."""
    with open_level(baked / "harbour.h5") as level:
        nav = level.profile("townsfolk")
        homes = np.array([spot.place for spot in level.spots("home")])
        dice = np.random.Generator(np.random.PCG64(8))
        here = homes[dice.integers(len(homes), size=CROWD)]
        goal = homes[dice.integers(len(homes), size=CROWD)]
        _, places = nav.paths(here, goal)
        each, visits = np.unique(places, axis=0, return_counts=True)
        visits[(each[:, None] == homes).all(axis=2).any(axis=1)] = 0  # not on a doorstep
        busiest = tuple(each[visits.argmax()].tolist())
        wrong = 0
        for frame in range(FRAMES):
            if frame % 30 == 0:
                level.update(blocked=[busiest])
            elif frame % 30 == 15:
                level.update(opened=[busiest])
            # An agent under the cart, or without a path around it, has no next hop and waits.
            hops = nav.next_hops(here, goal, strict=False)
            moves = hops[:, 0] >= 0
            wrong += int((hops == busiest).all(axis=1).sum()) if frame % 30 < 15 else 0
            here[moves] = hops[moves]
            arrived = (here == goal).all(axis=1)
            goal[arrived] = homes[dice.integers(len(homes), size=int(arrived.sum()))]
        print(f"market: a cart stands at {busiest} {FRAMES // 30} times, and {wrong} walk into it")


def night(baked: Path) -> None:
    """A smuggler walks from the boat to the cellar door; a guard is sent where a player clicks."""
    with open_level(baked / "harbour.h5") as level:
        smuggler, guard = level.profile("smuggler"), level.profile("guard")
        (boat,) = (spot.place for spot in level.spots("spawn", profile="smuggler"))
        (door,) = (spot.place for spot in level.spots("exit"))
        walk = smuggler.path(boat, door)
        if walk is None:
            print("night: no path from the boat to the cellar door")
            return
        print(f"night: the smuggler leaves {boat} by {walk[1]}, {walk[2]}, ...")
        print(f"       and is at {door} {len(walk) - 3} steps later")
        click = (478, 244)  # pixels of the map that the harbour was drawn in; this is in the water
        post = guard.nearest(click)
        spawns = [spot.place for spot in level.spots("spawn", profile="guard")]
        spawn = min(spawns, key=lambda place: guard.distance(place, post))
        print(f"       a guard is sent to pixel {click}, which is water: one goes from {spawn}")
        print(f"       to {post}, so the sprite ends at {level.to_point(post)}")


def below(baked: Path) -> None:
    """In the cellar, two kinds of agents see two maps."""
    with open_level(baked / "cellar.h5") as level:
        start, vault = (1, 4), (36, 5)
        for name in level.profiles:
            nav = level.profile(name)
            told = (
                f"a path of {nav.distance(start, vault):.2f}"
                if nav.reachable(start, vault)
                else "no path"
            )
            print(f"below: {name}, from {start} to {vault}: {told}")


def dawn(baked: Path) -> None:
    """At sea on hexagons: who is nearer the cove, and by how much?"""
    with open_level(baked / "coast.h5") as level:
        (offing,) = (spot.place for spot in level.spots("spawn", profile="lugger"))
        (barracks,) = (spot.place for spot in level.spots("spawn", profile="officer"))
        (cove,) = (spot.place for spot in level.spots("exit"))
        lugger, officer = level.profile("lugger"), level.profile("officer")
        ashore = officer.nearest(level.to_point(cove))
        print(f"dawn: the lugger is {lugger.distance(offing, cove):g} leagues from the cove,")
        ride = officer.distance(barracks, ashore)
        print(f"      the riding officer {ride:g} from {ashore} above it")


def main() -> int:
    baked = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "baked"
    try:
        for scene in (evening, market, night, below, dawn):
            scene(baked)
    except BakeError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
