"""With which recipe and options a mirror is made, goes on, or is looked after.

1. A mirror goes on with its own versions. Settings that make another recipe are an error that names the way
   to move it; a newer version of its policy is told once, as advice.
2. What nobody set of which pages there are, and of how its files lie and are made, is as the mirror was made:
   its manifest says it (`core/settings/kept`). What somebody sets holds for all its files, also for those of
   pages that are not asked for; another layout is refused.
3. A mirror that is looked after (`verify`, `restore`) has the recipe of its last run and the options of its
   manifest; one that moves has the recipe that the settings make.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from holdfast.core.base.errors import UsageError, VersionError
from holdfast.core.crawl.mirror_spec import MirrorSource, Order, Standard
from holdfast.core.page.distill_options import distill_options
from holdfast.core.settings.field import group_with
from holdfast.core.settings.identity import Identity, recorded_policy
from holdfast.core.settings.job_settings import MirrorFiles
from holdfast.core.settings.kept import KEPT, Kept, is_hidden, kept_scope
from holdfast.core.settings.resolve import Origin, Settings, remembering
from holdfast.core.url.layout import Layout
from holdfast.core.url.name_plan import NamePlan
from holdfast.core.url.policy import PUBLISHED, Component, Policy, Recipe, Version, policy_named
from holdfast.core.url.url import Url, parse_url

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
    """Settings with all that a mirror remembers, where nobody set it."""
    known = {**_options(manifest), "layout": manifest.get("layout", {}).get("name"), **_scope(manifest)}
    made = remembering(settings, {name: known[name] for name in known if KEPT.get(name) in _OBEYED})
    for row in made.resolved:
        if row.origin is Origin.REMEMBERED and is_hidden(row.value):
            raise UsageError(
                f"the mirror was made with {row.setting.flag} that holds a secret, and secrets are not kept",
                hint=f"give {row.setting.flag} again, or set it in holdfast.toml",
            )
    return made


def other_scope(settings: Settings, sources: Sequence[str], manifest: Mapping[str, Any]) -> str | None:
    """What a run adds to what a mirror remembers, and what it leaves out, in words; None where it is the
    same, or where nothing is remembered.
    """
    crawl, now = manifest.get("crawl", {}), kept_scope(settings)
    if not (before := _scope(manifest)):
        return None
    said = [*_changes("source", crawl.get("sources"), list(sources))]
    for name, value in now.items():
        said += _changes(name, before.get(name), value)
    said += [f"{name} = {before[name]!r} no longer counts" for name in before if name not in now]
    return f"not as the mirror was made before: {'; '.join(said)}" if said else None


def _changes(name: str, before: Any, now: Any) -> Iterator[str]:
    key = name.rpartition(".")[2]
    if not (isinstance(before, list) and isinstance(now, list)):
        if before != now:
            yield f"{key} is {now!r}, was {before!r}"
        return
    if added := [str(each) for each in now if each not in before]:
        yield f"{key} adds {', '.join(added)}"
    if left := [str(each) for each in before if each not in now]:
        yield f"{key} leaves out {', '.join(left)}"


def require_same_mirror(sources: Sequence[MirrorSource], before: Sequence[str], folder: str) -> None:
    """Refuse a source of another site where a folder holds a mirror; of files of URLs nobody can tell."""
    hosts = {source.url.href.split("/")[2] for source in sources if source.url}
    parsed = [parse_url(text) for text in before]
    known = {url.href.split("/")[2] for url in parsed if isinstance(url, Url)}
    is_told = len(known) > 0 and all(isinstance(url, Url) for url in parsed)
    if is_told and all(source.url for source in sources) and not hosts & known:
        raise UsageError(
            f"{folder} holds another mirror, of {', '.join(before)}",
            hint="-o DIR names another folder; to make one mirror of several sites, name them all",
        )


def is_made_otherwise(files: MirrorFiles, manifest: Mapping[str, Any]) -> bool:
    """Whether a mirror's files were made with other options than these."""
    return any(getattr(files, name, value) != value for name, value in _options(manifest).items())


_OBEYED: Final = (Kept.OPTION, Kept.SCOPE)
_STORED: Final[Mapping[str, str]] = {"links": "convert_links"}


def _options(manifest: Mapping[str, Any]) -> Mapping[str, Any]:
    """The options by the names of their settings; in a manifest they are stored words, and stay as they
    are."""
    options = manifest.get("options")
    if not isinstance(options, dict):
        return {}
    return {_STORED.get(name, name): value for name, value in options.items()}


def _scope(manifest: Mapping[str, Any]) -> Mapping[str, Any]:
    """The settings that say which pages there are; nothing in a mirror of an older version."""
    scope = manifest.get("crawl", {}).get("settings")
    return scope if isinstance(scope, dict) else {}


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
