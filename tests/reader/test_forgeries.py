"""Originals, and forgeries of them under digests that fit: refused, or answered as by bake.play."""

import random
from pathlib import Path
from typing import Any

import pytest

from bake.play import open_asset
from fuzz.forged import forged, original
from fuzz.originals import ORIGINALS
from levelbake.errors import BakeError
from levelbake.level import open_level

#: Beside as many as there are originals: listed weights that are not what the rules say.
NUMBERS = [*range(len(ORIGINALS)), 455, 497, 561]


def asked(question: Any, *arguments: Any) -> Any:
    """The answer, or the error that refuses it, which is one line."""
    try:
        return question(*arguments)
    except BakeError as error:
        if "\n" in str(error):
            raise AssertionError("an error of several lines") from error
        return error


def compare(path: Path, *, sound: bool) -> None:
    """Ask both readers of one file, as it was baked and after a change.

    Args:
        sound: whether it is an original, so that neither may refuse what the other answers.
    """
    ours, theirs = asked(open_level, path), asked(open_asset, path)
    if isinstance(ours, BakeError) or isinstance(theirs, BakeError):
        # Lattices of many cells, which the reader leaves to bake.play, are the only exception.
        assert not sound or isinstance(theirs, BakeError) or "bake.play" in str(ours)
        for each in (ours, theirs):
            if not isinstance(each, BakeError):
                each.close()
        return
    with ours, theirs:
        rng = random.Random(7)
        for changed in (False, True):
            places = asked(places_of, theirs)
            if isinstance(places, BakeError):
                return
            some = [rng.choice(places) for _ in range(4)]
            if changed:
                batch = some[:1], [one for one in some[1:3] if one != some[0]]
                done = asked(ours.update, *batch), asked(theirs.update, *batch)
                if any(isinstance(each, BakeError) for each in done):
                    assert not sound or all(isinstance(each, BakeError) for each in done)
                    return
            for name in ours.profiles:
                mine, other = asked(ours.profile, name), theirs.profile(name)
                if isinstance(mine, BakeError):
                    assert not sound
                    continue
                for start in some:
                    for goal in some:
                        for question in ("next_hop", "distance", "path", "reachable"):
                            ask = (getattr(nav, question) for nav in (mine, other))
                            said = [asked(each, start, goal) for each in ask]
                            refused = [isinstance(each, BakeError) for each in said]
                            if any(refused):
                                assert not sound or all(refused), (question, start, goal, said)
                            else:
                                assert said[0] == said[1], (question, start, goal)


def places_of(level: Any) -> list[Any]:
    """All places of a level; some may be walls."""
    if not level.is_grid:
        return list(level._places.names)
    return [
        (x, y) if level.floors == 1 else (x, y, floor)
        for floor in range(level.floors)
        for y in range(level.height)
        for x in range(level.width)
    ]


@pytest.mark.parametrize("name", ORIGINALS)
def test_an_original_is_answered_alike(tmp_path: Path, name: str) -> None:
    path = tmp_path / "original.h5"
    path.write_bytes(original(name))
    compare(path, sound=True)


@pytest.mark.parametrize("number", NUMBERS)
def test_a_forgery_is_refused_or_answered_alike(tmp_path: Path, number: int) -> None:
    path = tmp_path / "forged.h5"
    forged(number, path, single=number % 2 == 0)
    compare(path, sound=False)
