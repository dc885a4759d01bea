"""With which recipe and options a mirror is made, goes on, or is looked after.

1. A mirror goes on with its own versions. Settings that make another recipe are an error that names the way
   to move it; a newer version of its policy is told once, as advice.
2. What nobody set of how its files lie and are made is as the mirror was made: its manifest says it. What
   somebody sets holds for all its files, also for those of pages that are not asked for; another layout is
   refused.
3. A mirror that is looked after (`verify`, `restore`) has the recipe of its last run and the options of its
   manifest; one that moves has the recipe that the settings make.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from holdfast.core.base.errors import UsageError, VersionError
from holdfast.core.crawl.mirror_spec import Order, Standard
from holdfast.core.page.distill_options import distill_options
from holdfast.core.settings.field import group_with
from holdfast.core.settings.identity import Identity, recorded_policy
from holdfast.core.settings.job_settings import MirrorFiles
from holdfast.core.settings.resolve import Origin, Settings
from holdfast.core.url.layout import Layout
from holdfast.core.url.name_plan import NamePlan
from holdfast.core.url.policy import PUBLISHED, Component, Policy, Recipe, Version, policy_named

_TEXT: Final = Component("text", Version(1))


def standard_of(
    identity: Identity, web: Policy, recorded: Recipe | None, content: Component | None = None
) -> Standard:
    """The identity in force, and the policy that joins; the content component is the recorded one where no
    other is asked for.
    """
    kept = content or (recorded.content if recorded else _TEXT)
    if kept is None:
        raise VersionError(f"this version of Holdfast does not know what {recorded} hashes")
    return Standard(identity.recipe(kept), identity.policy, web, identity.digest)


def require_recipe(recorded: Recipe, recipe: Recipe, folder: str) -> None:
    """A mirror goes on with its own versions; who wants others is told how to move it."""
    if recipe != recorded:
        raise VersionError(
            f"this mirror was made with {recorded}, these settings make {recipe}",
            hint=f"`holdfast restore {folder} --move` with these settings moves it, from the archive; with "
            "the settings it was made with it goes on. `holdfast store reprocess` makes items of another "
            "version beside those there are",
        )


def require_made_with(recorded: Recipe, recipe: Recipe, folder: str) -> None:
    """A mirror that is looked after has the recipe it was made with."""
    if recipe != recorded:
        raise VersionError(
            f"the mirror was made with {recorded}, the settings in force make {recipe}",
            hint="give the settings it was made with (--policy, --overrides, --identity-version), or "
            f"`holdfast restore {folder} --move` to move it to these",
        )


def is_to_move(recorded: Recipe, recipe: Recipe, told: str | None) -> bool:
    """Whether a mirror has yet to move to a recipe, other than its own. Where its manifest `told` another, it
    was stopped when the ledger had moved: the folder alone has to follow.
    """
    if recipe == recorded and told == str(recipe):
        raise UsageError(
            f"the mirror has {recorded} already",
            hint="name the version to move to, such as --policy site@2, or change the overrides",
        )
    return recipe != recorded


def newer_policy(recorded: Recipe, asked: str | None, folder: str) -> str | None:
    """Advice, where the policy that the settings name has a newer version than the mirror."""
    newer = policy_named(asked or "site")
    if PUBLISHED.index(newer) <= PUBLISHED.index(recorded_policy(recorded)):
        return None
    how = f"`holdfast restore {folder} --move --policy {newer.full_name}` moves it"
    return f"this mirror goes on with {recorded}; {how} to {newer.full_name}"


def going_on_as_made(settings: Settings, manifest: Mapping[str, Any]) -> Settings:
    """Settings with the layout and the options of a mirror's manifest, where nobody set them. A value that a
    setting cannot have was altered, which `verify` tells.
    """
    recorded = {**_options(manifest), "layout": manifest.get("layout", {}).get("name")}
    unset = (row.setting for row in settings.resolved if row.origin is Origin.DEFAULT)
    kept = {
        setting.name: recorded[setting.name]
        for setting in unset
        if setting.name in recorded and setting.can_be(recorded[setting.name])
    }
    return replace(settings, mirror=group_with(settings.mirror, kept))


def is_made_otherwise(files: MirrorFiles, manifest: Mapping[str, Any]) -> bool:
    """Whether a mirror's files were made with other options than these."""
    return any(getattr(files, name, value) != value for name, value in _options(manifest).items())


_STORED: Final[Mapping[str, str]] = {"links": "convert_links"}


def _options(manifest: Mapping[str, Any]) -> Mapping[str, Any]:
    """The options by the names of their settings; in a manifest they are stored words, and stay as they
    are."""
    options = manifest.get("options")
    if not isinstance(options, dict):
        return {}
    return {_STORED.get(name, name): value for name, value in options.items()}


def order_as_made(
    order: Order, settings: Settings, manifest: Mapping[str, Any], given: Mapping[str, str], scheme: str
) -> tuple[Order, NamePlan]:
    """The order and the names a mirror was made with: its manifest's options, what is `given` before them;
    `scheme` is that of its URLs, where the manifest says nothing.
    """
    options = {**_options(manifest), **given}
    own = group_with(settings.mirror, options)
    known = manifest.get("layout", {})
    names = NamePlan(Layout(known.get("name", own.files.layout)), known.get("scheme", scheme))
    wished = distill_options(replace(settings, mirror=own), outline=True)
    return replace(order, settings=own, options=wished), names
