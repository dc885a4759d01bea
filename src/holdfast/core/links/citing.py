"""From a URL as written in a document to the place it names.

1. `//host/…` is read as https, `/path` as a page of the site that is the base, if there is one. The fragment
   belongs to the citation, not to the place.
2. The place is the canonical URL by the first version of `web`, for good (TRK-3), whatever version its key is
   made by; what is asked is the address as written, without user, password and fragment (ID-1).
3. A template (`https://host/{id}`) names no place that could be asked.
4. A URL that has no canonical form is cited all the same. Its place is the text as written; its key is not
   the key of a URL, and it is never asked.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from holdfast.core.base.errors import UsageError
from holdfast.core.base.hashing import UrlKey, id_of, url_key
from holdfast.core.base.shown_text import loggable
from holdfast.core.links.citation import Bid, Citation, CitedPlace, url_bid
from holdfast.core.links.link_state import LinkState
from holdfast.core.page.page import Mention
from holdfast.core.url.canonical import CanonicalUrl
from holdfast.core.url.compiled import canonical_text, canonicalize
from holdfast.core.url.hosts import is_template
from holdfast.core.url.policy import WEB, Policy
from holdfast.core.url.steps import Rule
from holdfast.core.url.url import Place, Refused, Url, parse_url


class _Named(NamedTuple):
    place: Place
    fetch_url: str
    fragment: str


def on_site(mention: Mention) -> bool:
    """Whether a link names a path of the site that the document is published on."""
    return mention.raw.startswith("/") and not mention.raw.startswith("//")


def cite(
    mention: Mention, policy: Policy, *, ignored: bool = False, base: str | None = None
) -> Citation | None:
    """A mention as a citation; None where the text names no host at all."""
    text = mention.raw
    if base is not None and on_site(mention):
        site = parse_url(base)
        text = f"{site.origin}{text}" if isinstance(site, Url) else text
    named = _named(text, policy)
    if named is None:
        return None
    return Citation(named.place, named.fetch_url, mention, named.fragment, ignored)


def place_of_text(text: str, policy: Policy) -> Place | None:
    """The place that a text names, for whoever asks about it."""
    named = _named(text, policy)
    return named.place if named else None


def web_key_of(text: str, policy: Policy) -> tuple[str, UrlKey]:
    """The canonical form by which every table finds a URL, and its key (ID-12); `policy` is the `web` one."""
    canonical = canonical_text(policy)(text)
    if isinstance(canonical, Refused):
        raise UsageError(f"{loggable(text)}: {canonical}")
    return canonical, url_key(canonical)


def new_place(citation: Citation) -> CitedPlace:
    """The node of a URL of which nothing is known yet."""
    is_web = citation.place.url.startswith(("http://", "https://")) and not _is_unsupported(citation.place)
    supported = is_web and not is_template(citation.mention.raw)
    state = LinkState.UNCHECKED if supported else LinkState.UNSUPPORTED
    return CitedPlace(citation.place, _bid(citation.place), state, citation.fetch_url)


def _named(text: str, policy: Policy) -> _Named | None:
    absolute = f"https:{text}" if text.startswith("//") else text
    canonical = canonicalize(absolute, form := _form(policy))
    if isinstance(canonical, CanonicalUrl):
        key = canonical.key
        place = Place(canonical.text, key, key if form is policy else _join_key(absolute, policy) or key)
        if canonical.text == absolute:  # what is canonical is parsed to itself
            return _Named(place, absolute, "")
        url = parse_url(absolute)
        if isinstance(url, Url):
            return _Named(place, url.href, url.fragment)
    scheme, mark, rest = absolute.partition("://")
    if not mark or not rest.strip("/"):
        return None
    address, _, fragment = f"{scheme.lower()}://{rest}".partition("#")
    key = unsupported_key(address)
    return _Named(Place(address, key, key), address, fragment)


def _join_key(text: str, policy: Policy) -> UrlKey | None:
    form = canonical_text(policy)(text)
    return url_key(form) if isinstance(form, str) else None


@lru_cache(maxsize=8)
def _form(join: Policy) -> Policy:
    """The policy that writes cited URLs: the first version of `web`, with the user's own settings."""
    if join.component == WEB.component:
        return join
    keeps_slash = Rule.TRIM_SLASH not in join.rules
    return WEB.with_options(overrides=join.overrides, keep_trailing_slash=keeps_slash)


def unsupported_key(address: str) -> UrlKey:
    """The key of a URL that has no canonical form: not a url key."""
    return UrlKey(id_of("unsupported", address))


def _is_unsupported(place: Place) -> bool:
    return place.key == unsupported_key(place.url)


def _bid(place: Place) -> Bid:
    return url_bid(CanonicalUrl(place.url, WEB.component))
