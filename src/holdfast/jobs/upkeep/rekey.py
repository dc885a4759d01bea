"""Join keys made anew, for another version of `web` or for overrides that changed (ID-12, ID-13).

1. A key is the hash of a form; the text it was made of is the URL's own canonical form, or one of the
   addresses by which it was asked for or linked to: the one of which some version of `web` makes that key.
2. The new key is made of the same text. So going to a version and back gives the keys that were there.
3. A citation that has no canonical form keeps its key.
4. New keys are noted in groups beside the present ones, and taken all at once when every URL has one:
   whoever asks meanwhile, and whoever comes after a kill, finds one set of keys, whole. A second start goes
   on.
5. A key of which nothing known can have been the origin is made of the URL's own form, and counted; with
   `only_known` it stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from holdfast.core.base.errors import UsageError
from holdfast.core.base.hashing import UrlKey, url_key
from holdfast.core.links.citing import unsupported_key
from holdfast.core.settings.resolve import Settings
from holdfast.core.url.compiled import canonical_text
from holdfast.core.url.policy import PUBLISHED, WEB, Policy, policy_named
from holdfast.core.url.url import Place
from holdfast.jobs.load_settings import join_policy, web_identity
from holdfast.jobs.places import state_of
from holdfast.jobs.session import Session, open_store
from holdfast.jobs.upkeep.store_commands import LedgerRekeyed

if TYPE_CHECKING:
    from holdfast.storage.ledger.join_table import JoinTable


class KeyMaker(NamedTuple):
    """What may have made the keys that are there, the likeliest first, and what makes the new ones."""

    before: tuple[Policy, ...]
    goal: Policy

    def key(self, place: Place, addresses: Callable[[], Iterable[str]]) -> UrlKey | None:
        """A URL's new key; None where no version makes its present key of anything that is known of it."""
        if place.key == unsupported_key(place.url):
            return place.web_key
        for text in _texts(place, addresses):
            if any(_made(text, policy) == place.web_key for policy in self.before):
                return _made(text, self.goal) or place.web_key
        return None

    def own_key(self, place: Place) -> UrlKey:
        """The new key of a URL's own canonical form."""
        return _made(place.url, self.goal) or place.web_key


def makers_of(join: Policy) -> tuple[Policy, ...]:
    """Every version of `web`, with the user's own settings and as it is published; first a given one."""
    published = [policy for policy in PUBLISHED if policy.name == WEB.name]
    own = [policy.with_options(overrides=join.overrides) for policy in published]
    return tuple(dict.fromkeys((join, *own, *published)))


def key_maker(join: Policy, goal: Policy) -> KeyMaker:
    """What brings keys of one version to another."""
    return KeyMaker(makers_of(join), goal)


def _texts(place: Place, addresses: Callable[[], Iterable[str]]) -> Iterator[str]:
    yield place.url
    yield from addresses()


def _made(text: str, policy: Policy) -> UrlKey | None:
    form = canonical_text(policy)(text)
    return url_key(form) if isinstance(form, str) else None


Tell = Callable[[int, int], None]
"""Learns how many URLs of how many have a new key."""


def rekey(
    joins: JoinTable, make: KeyMaker, goal: str, *, only_known: bool = False, tell: Tell | None = None
) -> LedgerRekeyed:
    """Make a ledger's keys anew; `goal` names the settings that the new ones are made with, to go on with."""
    before, total = joins.version(), joins.count()
    joins.aim(goal)
    unexplained, done = 0, 0
    for group in joins.unkeyed():
        keys: dict[UrlKey, UrlKey] = {}
        for place in group:
            key = make.key(place, partial(joins.addresses, place.key))
            unexplained += key is None
            keys[place.key] = key or _otherwise(place, make, only_known=only_known)
        joins.note(keys)
        done += len(group)
        if tell is not None:
            tell(done, total)
    moved, merged = joins.switch(make.goal.full_name)
    return LedgerRekeyed(before, make.goal.full_name, total, moved, merged, unexplained)


def _otherwise(place: Place, make: KeyMaker, *, only_known: bool) -> UrlKey:
    return place.web_key if only_known else make.own_key(place)


def rekey_state(settings: Settings, version: str | None = None, tell: Tell | None = None) -> LedgerRekeyed:
    """Make the keys of a store's ledger anew: by a version of `web`, or by the one it has."""
    if version is not None:
        version = _web_version(version)
    with open_store(state_of(settings), "store rekey", settings) as session:
        return rekey_ledger(session, version, tell=tell)


def rekey_ledger(
    session: Session, version: str | None = None, *, only_known: bool = False, tell: Tell | None = None
) -> LedgerRekeyed:
    """Make a ledger's keys anew."""
    settings, joins = session.settings, session.ledger.joins
    goal = web_identity(settings, version or joins.version())
    make = key_maker(join_policy(settings, joins.version()), goal.policy)
    name = f"{goal.policy.full_name} {goal.digest}"
    return rekey(joins, make, name, only_known=only_known, tell=tell)


def _web_version(text: str) -> str:
    """The full name of a version of `web`; a name without a version means the default."""
    known = ", ".join(one.full_name for one in PUBLISHED if one.name == WEB.name)
    policy = policy_named(text)
    if policy.name != WEB.name:
        raise UsageError(
            f"URLs are joined by a version of `{WEB.name}`, not by `{policy.full_name}`", hint=known
        )
    return policy.full_name
