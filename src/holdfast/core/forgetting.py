"""Which addresses in an archive are meant by a wish to forget a URL or a host."""

from __future__ import annotations

from collections.abc import Callable, Collection

from holdfast.core.canonical_fast import canonical_text
from holdfast.core.hashing import UrlKey, url_key
from holdfast.core.place import Place
from holdfast.core.policy import Policy

__all__ = ["addresses_meant"]


def addresses_meant(
    policy: Policy, urls: Collection[str], web_key: UrlKey | None, host: str | None
) -> Callable[[str], bool]:
    """Whether an address shall be forgotten: it is one of these URLs, has this key, or is on this host."""
    canonical = canonical_text(policy)
    keys = {web_key, *(url_key(form) for url in urls if isinstance(form := canonical(url), str))}

    def is_meant(text: str) -> bool:
        form = canonical(text)
        if not isinstance(form, str):
            return False
        key = url_key(form)
        return key in keys or (host is not None and Place(form, key, key).host == host)

    return is_meant
