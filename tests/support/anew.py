"""Levels that change, beside the same baked anew."""

from pathlib import Path

from bake.apply import apply_patch
from bake.play import LevelAsset, Navigator, UnknownNodeError, open_asset
from tests.support.rebuilt import check_hierarchy


def compare_with_a_bake(level: LevelAsset, asset: Path, folder: Path, places: list[object]) -> None:
    """Clusters, distances between them and their prices, beside those of the level baked anew."""
    level.save_patch(folder / "now.patch")
    apply_patch(asset, folder / "now.patch", folder / "anew.h5", 1, lambda stage, done: None)
    with open_asset(folder / "anew.h5") as anew:
        for name in level.profiles:
            nav, other = level.profile(name), anew.profile(name)
            check_hierarchy(nav._now)
            standing = [place for place in places if stands(nav, place)]
            mine, theirs = by_cluster(nav, standing), by_cluster(other, standing)
            assert set(mine.values()) == set(theirs.values())
            number = {those: cluster for cluster, those in theirs.items()}
            for a, here in mine.items():
                for b, there in mine.items():
                    pair = number[here], number[there]
                    assert nav.search.cluster_distance(a, b) == other.search.cluster_distance(*pair)


def by_cluster(nav: Navigator, places: list[object]) -> dict[int, frozenset[object]]:
    found: dict[int, set[object]] = {}
    for place in places:
        found.setdefault(nav.search.cluster(place), set()).add(place)
    return {cluster: frozenset(those) for cluster, those in found.items()}


def stands(nav: Navigator, place: object) -> bool:
    tables = nav._now.version
    try:
        return bool(tables.row_at[tables.places.location(place)] >= 0)
    except UnknownNodeError:
        return False
