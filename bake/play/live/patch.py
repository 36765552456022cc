"""Write and read patches: small files for savegames that say how a level differs from the bake.

A patch is two lines of text. The first says what the file is and which asset it belongs to, the
second holds the changes as JSON. It says what the level is, not what was done to it, so it does not
grow with the number of batches.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from bake.asset.partial import written_whole
from bake.play.live.cells import edited, unlike
from bake.play.live.edits import Edit, LevelState
from bake.play.live.links import CLOSED, MOST, LinkState, link_of, links_from, told
from bake.play.live.rules import LevelRules
from levelbake.errors import PatchError
from levelbake.things import Link

KIND = "levelbake-patch"

#: The versions of patches and journals. Only one that holds links or new arcs is of the second, as
#: readers of the first would leave those out without a word.
PLAIN, WITH_LINKS = 1, 2

NOT_A_FILE = "this is a folder, a device or a pipe"

#: The errors that reading a record raises when it does not fit this level.
WRONG = (TypeError, ValueError, KeyError, IndexError, OverflowError, RecursionError)
_VERSION = re.compile(r"[0-9]{1,9}")
#: The most characters of the first line, of a location with its steps, of any other arc, and of a
#: link.
_FIRST_LINE, _LOCATION, _ARC, _LINK = 1024, 1024, 128, 2**14


def write_patch(path: Path, rules: LevelRules, level: LevelState) -> None:
    """Write a patch, whole or not at all.

    Raises:
        OutputError: the patch cannot be written.
    """
    text = json.dumps(changes_of(rules, level), separators=(",", ":"), allow_nan=False) + "\n"
    first = head_line(KIND, version_of(level.links), rules) + f" {digest(text)}\n"
    with written_whole(path) as partial, partial.open("w", encoding="utf-8", newline="\n") as file:
        file.write(first + text)


def read_patch(path: Path, rules: LevelRules) -> LevelState:
    """Return the level that a patch describes.

    Raises:
        PatchError: the file is no patch, belongs to another asset, is of another version, or is
            damaged.
    """
    first, _, text = _text_of(path, rules).partition("\n")
    words = first.split(" ")
    check_head(path, KIND, words[:3], rules)
    if len(words) != 4 or words[3] != digest(text):
        raise PatchError("damaged: its digest does not fit", file=path, remedy="save it again")
    try:
        return level_from(rules, json.loads(text))
    except WRONG:
        raise PatchError("damaged: it says nothing of this level", file=path) from None


def _text_of(path: Path, rules: LevelRules) -> str:
    """Read the text of a patch; refuse one longer than a patch of this level can be."""
    most = _FIRST_LINE + _LOCATION * rules.location_count + _ARC * rules.arc_count
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise PatchError(NOT_A_FILE, file=path, expected="a regular file")
        with path.open(encoding="utf-8") as file:
            text = file.read(most + 1)
            if text.startswith(f"{KIND} {WITH_LINKS} "):
                more = _LINK * (MOST + len(rules.links))
                text, most = text + file.read(more), most + more
    except OSError as error:
        raise PatchError(f"cannot be read: {error.strerror or error}", file=path) from None
    except UnicodeDecodeError:
        raise PatchError("this is no patch", file=path) from None
    if len(text) > most:
        raise PatchError("longer than any patch of this level", file=path)
    return text


def head_line(kind: str, version: int, rules: LevelRules) -> str:
    """Write the words that say what a file is, and which asset it belongs to."""
    return f"{kind} {version} {rules.asset.header.fingerprint()}"


def version_of(links: LinkState) -> int:
    """Return the version of a file that holds these links."""
    return PLAIN if links.as_baked else WITH_LINKS


def check_head(path: Path, kind: str, words: list[str], rules: LevelRules) -> None:
    """Refuse a file of another kind or version, and one that belongs to another asset.

    Raises:
        PatchError: the file is refused.
    """
    what = kind.removeprefix("levelbake-")
    if len(words) != 3 or words[0] != kind or not _VERSION.fullmatch(words[1]):
        raise PatchError(f"this is no {what}", file=path, expected=f"one saved by level.{what}()")
    if int(words[1]) not in (PLAIN, WITH_LINKS):
        expected = f"version {PLAIN} or {WITH_LINKS}"
        raise PatchError(f"version {words[1]}", file=path, expected=expected, remedy="save it anew")
    if words[2] != rules.asset.header.fingerprint():
        raise PatchError(
            f"this {what} belongs to another asset",
            file=path,
            expected=f"one saved with {rules.asset.path.name} as it is now",
        )


def digest(text: str) -> str:
    """Return the SHA-256 of a text."""
    return hashlib.sha256(text.encode()).hexdigest()


def changes_of(rules: LevelRules, level: LevelState) -> dict[str, Any]:
    """Return how a level differs from the baked one, ready for JSON."""
    changed = unlike(level.terrain, rules.terrain)
    codes = level.terrain[changed].tolist()
    return {
        "terrain": [list(pair) for pair in zip(changed.tolist(), codes, strict=True)],
        "obstacles": unlike(level.obstacle, np.zeros(1, dtype=np.bool_)).tolist(),
        "arcs": [[a, b, _stored_price(units)] for (a, b), units in sorted(level.prices.items())],
        **_stored_links(rules, level.links.changed),
    }


def level_from(rules: LevelRules, changes: dict[str, Any]) -> LevelState:
    """Return the level that such changes make.

    Raises:
        One of WRONG: the changes do not fit this level.
    """
    _check_keys(changes, "terrain", "obstacles", "arcs")
    baked = LevelState.baked(rules)
    count, kinds = rules.location_count, len(rules.terrains)
    codes = {_within(at, count): _within(code, kinds) for at, code in changes["terrain"]}
    blocked = [_within(location, count) for location in changes["obstacles"]]
    terrain = edited(
        baked.terrain,
        np.array(list(codes), dtype=np.int64),
        np.array(list(codes.values()), dtype=np.uint8),
    )
    everywhere = np.ones(len(blocked), dtype=np.bool_)
    obstacle = edited(baked.obstacle, np.array(blocked, dtype=np.int64), everywhere)
    prices = {
        (_within(a, count), _within(b, count)): _price_of(units) for a, b, units in changes["arcs"]
    }
    links = links_from(rules, _links_of(rules, changes), prices)
    return LevelState(terrain, obstacle, prices, links)


def edit_record(rules: LevelRules, edit: Edit) -> dict[str, Any]:
    """Return a batch as a record that is ready for JSON."""
    return {
        "blocked": list(edit.blocked),
        "opened": list(edit.opened),
        "terrain": sorted(edit.terrain.items()),
        "arcs": [
            [a, b, None if units is None else _stored_price(units)]
            for (a, b), units in sorted(edit.arcs.items(), key=lambda item: item[0])
        ],
        **_stored_links(rules, edit.links),
    }


def edit_from(rules: LevelRules, record: dict[str, Any]) -> Edit:
    """Return the batch of a record.

    Raises:
        One of WRONG: the record does not fit this level.
    """
    _check_keys(record, "blocked", "opened", "terrain", "arcs")
    count = rules.location_count
    return Edit(
        tuple(_within(location, count) for location in record["blocked"]),
        tuple(_within(location, count) for location in record["opened"]),
        {_within(a, count): _within(b, len(rules.terrains)) for a, b in record["terrain"]},
        {
            (_within(a, count), _within(b, count)): None if units is None else _price_of(units)
            for a, b, units in record["arcs"]
        },
        _links_of(rules, record),
    )


def _check_keys(record: dict[str, Any], *keys: str) -> None:
    """Refuse a record that says more than these keys and "links"."""
    for key in record:
        if key not in (*keys, "links"):
            raise ValueError(key)


def _stored_links(rules: LevelRules, links: Mapping[str, Link | None]) -> dict[str, Any]:
    """Return links for JSON, in the order of the level; nothing where there are none."""
    location = rules.places.location
    stored: dict[str, Any] = {name: link and told(link) for name, link in links.items()}
    for said in filter(None, stored.values()):
        said |= {"from": location(said["from"]), "to": location(said["to"])}
        if "via" in said:
            said["via"] = list(map(location, said["via"]))
    return {"links": stored} if stored else {}


def _links_of(rules: LevelRules, record: dict[str, Any]) -> dict[str, Link | None]:
    """Return the links that a record holds."""
    found: dict[str, Link | None] = {}
    place_at, count = rules.places.place_at, rules.location_count
    for name, stored in dict(record.get("links", {})).items():
        if stored is not None:
            ends = {key: place_at(_within(stored[key], count)) for key in ("from", "to")}
            via = [place_at(_within(each, count)) for each in stored.get("via", ())]
            found[name] = link_of(rules, name, {**stored, **ends, "via": via})
        else:
            found[name] = link_of(rules, name, None)
    return found


def _stored_price(units: float) -> float | str:
    """Return a price for JSON, which cannot express infinity."""
    return "closed" if units == CLOSED else units


def _price_of(units: object) -> float:
    """Return the price that JSON holds."""
    if units == "closed":
        return CLOSED
    if isinstance(units, bool) or not isinstance(units, int | float) or not 0 < units < math.inf:
        raise ValueError(units)
    return float(units)


def _within(number: object, limit: int) -> int:
    if type(number) is not int or not 0 <= number < limit:
        raise ValueError(number)
    return number
