"""What a change may do before `bake diff --fail-on` makes a build fail."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from bake.diff.compare import Difference, ProfileDifference
from bake.errors import QueryError

What = Literal["cells", "reachability", "distances", "size"]

#: Those that may have a limit, in percent.
_WITH_LIMIT = ("distances", "size")


@dataclass(frozen=True)
class Limit:
    """Something that may not change, or by no more than so much.

    Attributes:
        what: "cells" (opened, closed, repriced), "reachability" (a way lost), "distances" (grown),
            "size" (of the file, grown).
        percent: how much is still fine, for the last two.
    """

    what: What
    percent: float = 0.0


def read_limit(text: str) -> Limit:
    """Read "reachability", "distances=10%" and the like.

    Raises:
        QueryError: anything else.
    """
    name, _, share = text.partition("=")
    for what in get_args(What):
        if name == what and (not share or what in _WITH_LIMIT):
            try:
                percent = float(share.removesuffix("%")) if share else 0.0
            except ValueError:
                break
            if 0 <= percent < float("inf"):
                return Limit(what, percent)
    raise QueryError(
        f"--fail-on {text!r} is nothing that can be watched",
        expected="cells, reachability, distances, distances=10%, size or size=10%",
    )


def broken(difference: Difference, limits: list[Limit]) -> list[str]:
    """One line for every limit that was passed."""
    lines = []
    for limit in limits:
        if limit.what == "size":
            old, new = difference.sizes[0].bytes, difference.sizes[1].bytes
            grown = 100 * (new / max(1, old) - 1)
            if grown > limit.percent:
                lines.append(
                    f"size: the file grew by {grown:,.1f} %, {limit.percent:g} % is allowed"
                )
            continue
        for profile in difference.profiles:
            said = _broken(profile, limit)
            if said is not None:
                lines.append(f"{limit.what}: profile {profile.name}: {said}")
    gone = difference.profiles_gone
    if gone and any(limit.what == "reachability" for limit in limits):
        lines.append(f"reachability: gone: profile {', '.join(gone)}")
    return lines


def _broken(profile: ProfileDifference, limit: Limit) -> str | None:
    if limit.what == "cells":
        changed = profile.cells_changed
        return f"{changed:,} places opened, closed or repriced" if changed else None
    if limit.what == "reachability":
        reach = profile.reachability
        if reach is None:
            return "cannot be told: the assets hold no closure of their one-way components"
        closed = len(profile.matched.closed)
        return (
            f"{reach.lost:,} pairs lost their way ({closed:,} places closed)"
            if reach.lost
            else None
        )
    distances = profile.distances
    if distances is None:
        return "cannot be told: the assets hold no next hops"
    if distances.most_longer > limit.percent:
        return f"a way grew by {distances.most_longer:,.1f} %, {limit.percent:g} % is allowed"
    return None
