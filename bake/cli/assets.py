"""Commands about baked levels: info, apply, verify, diff."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bake.cli.options import AssetFile, Json, Profile, print_json
from bake.cli.tasks import assets_in
from bake.errors import BakeError, BakeErrors

if TYPE_CHECKING:
    from bake.verify import Progress, Proof


def info(asset: AssetFile, profile: Profile = None, as_json: Json = False) -> None:
    """Say what is in an asset: level, rules, tables and their sizes."""
    from bake.view.inspect import inspect_asset, print_info

    found = inspect_asset(asset, profile)
    if as_json:
        print_json(found)
    else:
        print_info(found)


def apply(
    asset: Annotated[Path, typer.Argument(metavar="ASSET", help="The baked level.")],
    patch: Annotated[Path, typer.Argument(metavar="PATCH", help="A patch saved from it.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Where the new asset goes.")],
) -> None:
    """Fold a patch into an asset: bake the level as it has become."""
    from bake.apply import apply_patch
    from bake.view.progress import BuildProgress, style_for

    with BuildProgress(style_for(json=False)) as progress:
        size = apply_patch(asset, patch, output, 1, partial(progress, output.name))
        progress.finished(output.name)
    typer.echo(f"{output}: {size:,} bytes")


def verify(
    assets: Annotated[
        list[Path], typer.Argument(metavar="ASSET", help="Baked levels, or folders of them.")
    ],
    profile: Profile = None,
    sample: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Only N targets a profile, drawn at random."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Prove hops optimal, components, layers and bounds right, sharing no code with the bake."""
    from bake.view.progress import BuildProgress, style_for

    results: list[dict[str, Any]] = []
    errors: list[BakeError] = []
    with BuildProgress(style_for(json=as_json)) as progress:
        for asset in assets_in(assets):
            try:
                proof = _proof(asset, profile, sample, partial(progress, asset.name, "verify"))
                results.append({"asset": str(asset), "right": True, **asdict(proof)})
            except BakeError as error:
                errors.append(error)
                results.append({"asset": str(asset), "right": False, "error": str(error)})
            progress.finished(asset.name)
    if as_json:
        print_json({"right": not errors, "sample": sample, "assets": results})
    else:
        _print_proofs(results, sample)
    if errors:
        raise BakeErrors(errors)


def diff(
    old: Annotated[Path, typer.Argument(metavar="OLD", help="A baked level.")],
    new: Annotated[Path, typer.Argument(metavar="NEW", help="The same level, baked later.")],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="PNG file to draw the change into.")
    ] = None,
    fail_on: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WHAT[=PERCENT]",
            help="Exit 1 on: cells, reachability, distances, size. May be repeated.",
        ),
    ] = None,
    sample: Annotated[int, typer.Option(min=1, help="Goals whose distances are compared.")] = 64,
    scale: Annotated[int | None, typer.Option(min=1, help="Pixels a cell.")] = None,
    profile: Profile = None,
    as_json: Json = False,
) -> None:
    """Say what changed between two bakes: cells, reachability, distances, clusters, size."""
    from bake.asset import Asset
    from bake.diff import broken, compare, read_limit
    from bake.view.diff_picture import draw_difference
    from bake.view.diff_report import as_data, lines_of

    limits = [read_limit(text) for text in fail_on or []]
    with Asset(old) as before, Asset(new) as after:
        found = compare(before, after, profile, sample)
        lines = broken(found, limits)
        if output is not None:
            draw_difference(found, after, output, scale)
        if as_json:
            print_json(as_data(found, lines))
        else:
            for line in [*lines_of(found), *(f"failed on {line}" for line in lines)]:
                typer.echo(line)
    if lines:
        raise typer.Exit(1)


def _proof(asset: Path, profile: str | None, sample: int | None, progress: Progress) -> Proof:
    from bake.runtime import open_asset
    from bake.verify import verify_asset

    if profile is not None:
        with open_asset(asset) as level:
            level.profile(profile)  # no proof of nothing: it must be there
    return verify_asset(asset, profile, progress, sample=sample)


def _print_proofs(results: list[dict[str, Any]], sample: int | None) -> None:
    for result in results:
        if result["right"]:
            typer.echo(
                f"{result['asset']}: {result['pairs']:,} pairs proved optimal, "
                f"{result['bounds']:,} bounds right"
            )
    if sample is not None and all(result["right"] for result in results):
        typer.echo(
            f"{sample} targets of each profile, drawn at random: a table wrong for one target "
            f"in 100 would have passed with probability {0.99**sample:.2g}"
        )
