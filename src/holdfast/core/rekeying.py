"""Join keys made anew (ID-12, ID-13): from what a key was made, and what another version makes of that.

1. A key is the hash of a form; the text it was made of is the URL's own canonical form, or one of the
   addresses by which it was asked for or linked to: the one of which some version of `web` makes that key.
2. The new key is made of the same text. So going to a version and back gives the keys that were there.
3. A citation that has no canonical form keeps its key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from holdfast.core.canonical_fast import canonical_text
from holdfast.core.citing import unsupported_key
from holdfast.core.hashing import UrlKey, url_key
from holdfast.core.place import Place
from holdfast.core.policy import PUBLISHED, WEB, Policy

__all__ = ["KeyMaker", "key_maker", "makers_of"]


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
