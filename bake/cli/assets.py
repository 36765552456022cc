"""The commands about baked levels: info, export, apply, verify and diff."""

from __future__ import annotations

from contextlib import ExitStack, suppress
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bake.cli import completion, mistakes
from bake.cli.options import (
    AssetFile,
    Json,
    LoneAssetFile,
    Profile,
    Quiet,
    RecipeFile,
    among,
    asset_of,
    assets_in,
    option_values,
    place_of,
    print_json,
    progress_for,
    recipe_file,
    refuse_level,
    report_recipe,
    say,
    warn,
)
from bake.core.extras import load_kind, require_package

if TYPE_CHECKING:
    from bake.show.diff import LevelPairs, Limit
    from bake.tables.all_pairs import Algorithm
    from bake.verify import Progress, Proof


def info(asset: LoneAssetFile = None, profile: Profile = None, as_json: Json = False) -> None:
    """Describe an asset.

    Prints the level, the rules it was baked with, and the tables of each profile with their sizes.
    """
    from bake.show.report import inspect_asset, print_info
    from bake.store import is_pattern_database

    asset = asset_of(asset, silent=as_json)
    kind = load_kind("puzzle", asset) if profile is None and is_pattern_database(asset) else None
    if kind is None:
        report = inspect_asset(asset, profile, _stated_algorithm(asset))
    else:
        report = kind.inspect(asset)
    if as_json:
        print_json(report)
    elif kind is None:
        print_info(report)
    else:
        kind.show(report)


def _stated_algorithm(asset: Path) -> Algorithm | None:
    """Return the next-hop algorithm that the recipe in use sets for an asset's level.

    None for an asset outside the recipe's output folder, and if the recipe is invalid.
    """
    from bake.project.recipe import load_recipe
    from bake.store.header import read_header

    with suppress(mistakes.BakeError):
        recipe = load_recipe(recipe_file(None))
        if (recipe.folder / recipe.output).resolve() == asset.parent.resolve():
            sources = read_header(asset).sources
            file = Path(sources[0][0]).stem if sources else None
            return recipe.for_level(asset.stem, file).algorithm
    return None


def export(
    asset: AssetFile,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="The flat file; by default LEVEL.bake beside the asset.",
        ),
    ] = None,
    profile: Annotated[
        list[str] | None,
        typer.Option(
            "--profile",
            metavar="NAME",
            help="Write only this agent profile. May be repeated.",
            autocompletion=completion.complete_profile,
        ),
    ] = None,
    with_parts: Annotated[
        str | None,
        typer.Option(
            "--with",
            metavar="PARTS",
            help="Also write these tables: distances, hierarchy, or distances,hierarchy.",
            autocompletion=completion.complete_parts,
        ),
    ] = None,
    table: Annotated[
        Path | None,
        typer.Option(
            "--table",
            metavar="LEVEL.npy",
            help="Write one profile's next hops as a NumPy matrix instead, for small levels.",
        ),
    ] = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Write an asset as a flat file, for engines that cannot read HDF5.

    Small readers for C, C#, JavaScript, GDScript, Rust and Lua read it in place.
    """
    from bake.export.export import export_asset, export_table, read_parts
    from bake.store import Asset

    asset = asset_of(asset, silent=quiet or as_json)
    extra: dict[str, Any] = {}
    if table is not None:
        if output is not None or with_parts is not None or len(profile or ()) > 1:
            raise typer.BadParameter(
                "--table cannot be combined with --output, --with or several --profile options"
            )
        with Asset(asset) as opened:
            places, size = export_table(opened, table, profile[0] if profile else None)
        path, extra = table, {"places": str(places)}
    else:
        with option_values():
            parts = read_parts(with_parts)
        path = output or asset.with_suffix(".bake")
        with Asset(asset) as opened:
            size = export_asset(opened, path, profile, parts)
    if as_json:
        print_json({"file": str(path), **extra, "bytes": size})
    elif not quiet:
        say(f"{path}: {size:,} bytes")


def apply(
    asset: AssetFile,
    patch: Annotated[
        Path, typer.Argument(metavar="PATCH", help="A patch saved from the asset's level.")
    ],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FILE", help="The new asset.")],
    quiet: Quiet = False,
) -> None:
    """Bake a patch into a new asset.

    The changed level is baked from the contents of the asset and the patch.
    """
    from bake.apply import apply_patch

    asset = asset_of(asset, silent=quiet)
    with progress_for(silent=quiet) as progress:
        losses: list[str] = []
        size = apply_patch(asset, patch, output, 1, partial(progress, output.name), losses.append)
        progress.finished(output.name)
    for line in losses:
        warn(line)
    if not quiet:
        say(f"{output}: {size:,} bytes")


def verify(
    assets: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="ASSET",
            help="Baked levels, their names, or folders; by default the recipe's output folder.",
            autocompletion=completion.complete_asset,
        ),
    ] = None,
    profile: Profile = None,
    sample: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Verify N random targets of each profile."),
    ] = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Verify that assets and flat files are correct.

    Checks that next hops are optimal, and components, hierarchies and lower bounds correct, with
    code that shares nothing with the bake.
    """
    require_package("scipy", "verify", "`bake verify`")
    named: list[Path] | list[None] = assets or [None]
    places = [place_of(path, silent=True) for path in named]
    report_recipe(None, silent=quiet or as_json or places == assets)
    results: list[dict[str, Any]] = []
    errors: list[mistakes.BakeError] = []
    with progress_for(silent=as_json or quiet) as progress:
        for asset in assets_in(places):
            try:
                refuse_level(asset)
                beside = _compared(asset)
                proof = _proof(asset, profile, sample, partial(progress, asset.name, "verify"))
                results.append({"asset": str(asset), "right": True, **asdict(proof), **beside})
            except mistakes.BakeError as error:
                errors.append(error)
                results.append({"asset": str(asset), "right": False, "error": str(error)})
            progress.finished(asset.name)
    with among(errors):
        if as_json:
            print_json({"right": not errors, "sample": sample, "assets": results})
        elif not quiet:
            _print_proofs(results, sample)
    if errors:
        raise mistakes.BakeErrors(errors)


def diff(
    old: Annotated[
        Path | None, typer.Argument(metavar="OLD", help="A baked level, or a folder of them.")
    ] = None,
    new: Annotated[
        Path | None, typer.Argument(metavar="NEW", help="A newer bake of the same level or folder.")
    ] = None,
    base: Annotated[
        str | None,
        typer.Option(
            "--base",
            metavar="REV",
            help="Compare all levels of the recipe with those of this git revision.",
        ),
    ] = None,
    recipe: RecipeFile = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE.png", help="Draw the changes as a picture."),
    ] = None,
    fail_on: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WHAT[=PERCENT]",
            autocompletion=completion.complete_limit,
            help="Exit with 1 on a change of cells, reachability, distances or size. "
            "May be repeated.",
        ),
    ] = None,
    sample: Annotated[
        int, typer.Option(min=1, metavar="N", help="How many goals to compare distances for.")
    ] = 64,
    scale: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Pixels of a cell in the picture.")
    ] = None,
    profile: Profile = None,
    as_json: Json = False,
) -> None:
    """Report what changed between two bakes.

    Compares cells, reachability, distances, clusters and sizes: of two assets, of all assets in
    two folders, or of all levels with a git revision.
    """
    from bake.show.diff import pair_folders, read_limit
    from bake.show.diff.base import pair_with_revision

    with option_values():
        limits = [read_limit(text) for text in fail_on or []]
    if (old is None or new is None) if base is None else (old is not None):
        raise typer.BadParameter("name OLD and NEW, or --base REV")
    named = [path for path in (old, new) if path is not None and path.exists()]
    if len(named) == 2 and named[0].is_dir() != named[1].is_dir():
        raise typer.BadParameter("OLD and NEW are two assets, or two folders of assets")
    if recipe is not None and base is None:
        raise typer.BadParameter("--recipe goes with --base")
    if old is not None and new is not None and not old.is_dir() and not new.is_dir():
        failures = _compare_assets(old, new, output, limits, sample, scale, profile, as_json)
    elif output is not None or scale is not None:
        raise typer.BadParameter("--output and --scale draw one level; name two assets")
    elif old is not None and new is not None:
        failures = _compare_levels(pair_folders(old, new), limits, sample, profile, as_json)
    else:
        report_recipe(recipe, silent=as_json)
        with ExitStack() as stack:
            with progress_for(silent=as_json) as progress:
                pairs = stack.enter_context(
                    pair_with_revision(str(base), recipe_file(recipe), progress, progress.finished)
                )
            failures = _compare_levels(pairs, limits, sample, profile, as_json)
    if failures:
        raise typer.Exit(1)


def _compare_assets(
    old: Path,
    new: Path,
    output: Path | None,
    limits: list[Limit],
    sample: int,
    scale: int | None,
    profile: str | None,
    as_json: bool,
) -> list[str]:
    """Print the difference between two assets, and return the limits that it exceeds."""
    from bake.show.diff import broken, compare
    from bake.show.diff_report import as_data, draw_difference, lines_of
    from bake.store import Asset

    with Asset(old) as before, Asset(new) as after:
        difference = compare(before, after, profile, sample)
        one, other = difference.levels
        if one != other:
            warn(
                f"these are bakes of different levels, {one!r} and {other!r}; they are compared "
                "cell by cell nonetheless"
            )
        failures = broken(difference, limits)
        if output is not None:
            draw_difference(difference, after, output, scale)
        if as_json:
            print_json(as_data(difference, failures))
        else:
            for line in [*lines_of(difference), *(f"failed on {line}" for line in failures)]:
                say(line)
    return failures


def _compare_levels(
    pairs: LevelPairs, limits: list[Limit], sample: int, profile: str | None, as_json: bool
) -> list[str]:
    """Print the differences between pairs of assets, and return the limits that they exceed."""
    from bake.show.diff import IncomparableError, broken, compare
    from bake.show.diff_report import as_data, lines_of, lines_of_pairs, pairs_as_data
    from bake.store import Asset

    failures: list[str] = []
    levels = []
    incomparable = []
    for line in pairs.warnings:
        warn(line)
    if profile is not None:
        _check_profile(profile, [*pairs.assets, *(pair.old for pair in pairs.changed)])
    for pair in pairs.changed:
        with Asset(pair.old) as before, Asset(pair.new) as after:
            if profile is not None and profile not in (*before.profiles, *after.profiles):
                continue
            try:
                difference = compare(before, after, profile, sample, strict=False)
            except IncomparableError as error:
                warn(f"{pair.name}: not compared with {pair.origin}: {error.found}")
                incomparable.append(pair.name)
                continue
            difference = replace(difference, old=Path(pair.origin))
            exceeded = broken(difference, limits)
            failures += [f"level {pair.name}: {line}" for line in exceeded]
            if as_json:
                levels.append(as_data(difference, exceeded))
            else:
                for line in lines_of(difference):
                    say(line)
    changed = tuple(pair for pair in pairs.changed if pair.name not in incomparable)
    pairs = replace(pairs, changed=changed, skipped=(*pairs.skipped, *incomparable))
    if as_json:
        print_json(pairs_as_data(pairs, levels, failures))
    else:
        for line in [*lines_of_pairs(pairs), *(f"failed on {line}" for line in failures)]:
            say(line)
    return failures


def _check_profile(profile: str, assets: list[Path]) -> None:
    """Raise if no asset has the profile."""
    from bake.store import Asset

    known: set[str] = set()
    for asset in assets:
        with Asset(asset) as level:
            known.update(level.profiles)
    if profile not in known:
        raise mistakes.UnknownProfileError(
            f"no level has a profile {profile!r}", expected=" or ".join(map(repr, sorted(known)))
        )


def _proof(asset: Path, profile: str | None, sample: int | None, progress: Progress) -> Proof:
    from bake.play import open_asset
    from bake.verify import verify_asset

    if profile is not None:
        with open_asset(asset) as level:
            level.profile(profile)  # Raises on an unknown profile, which would verify nothing.
    return verify_asset(asset, profile, progress, sample=sample)


def _compared(path: Path) -> dict[str, bool]:
    """Compare a flat file with the asset beside it, and return whether that asset exists.

    Raises:
        CorruptAssetError: the flat file differs from the asset.
    """
    from bake.export.export import compare_with_asset
    from levelbake.file import is_flat

    return {"compared": compare_with_asset(path)} if is_flat(path) else {}


def _print_proofs(results: list[dict[str, Any]], sample: int | None) -> None:
    for result in results:
        if result["right"] and result["entries"]:
            say(f"{result['asset']}: {result['entries']:,} entries verified")
        elif result["right"]:
            say(
                f"{result['asset']}: {result['pairs']:,} pairs proved optimal, "
                f"{result['bounds']:,} bounds verified"
                + (", the same as in the asset beside it" if result.get("compared") else "")
            )
    if sample is not None and all(result["right"] for result in results):
        say(
            f"{sample} random targets of each profile were verified; a table that is wrong "
            f"for one target in 100 would have passed with probability {0.99**sample:.2g}"
        )
