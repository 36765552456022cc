"""The page lists what `bake lint` finds of the ways of a level, from the asset alone."""

from __future__ import annotations

import json

import pytest

from tests.support.command import bake
from tests.support.page_view import shown_once
from tests.support.readers import ROOT

#: Rules that the asset alone can be held to.
RULES = {"islands", "traps"}


@pytest.mark.parametrize("source", ["oneway.json", "marsh.png", "bastion.json", "roads.json"])
def test_findings_are_those_of_lint(source: str) -> None:
    contents = json.loads(shown_once(source).contents)
    found = [
        (profile, each["rule"], each["count"], each["message"])
        for profile, own in contents["profiles"].items()
        for each in own["findings"]
        if each["rule"] in RULES
    ]
    done = bake("lint", ROOT / "levels_src" / source, "--json")
    right = [
        (each["profile"], each["rule"], each["cells"], each["message"])
        for each in json.loads(done.out)["findings"]
        if each["rule"] in RULES
    ]
    assert sorted(found) == sorted(right)
    assert right or source in ("bastion.json", "roads.json")
