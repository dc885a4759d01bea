"""Many URLs to their canonical forms, one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from holdfast.core.canonical import CanonicalUrl
from holdfast.core.canonical_fast import canonical_text
from holdfast.core.policy import Policy
from holdfast.core.refusal import Refused

__all__ = ["canonicalize_all"]


def canonicalize_all(texts: Iterable[str], policy: Policy) -> Iterator[CanonicalUrl | Refused]:
    """The canonical form of each text under a policy, in order; as a stream, whatever their number.

    Example:
        urls = ["https://example.com/a?utm_source=x", "mailto:x"]
        for canonical in holdfast.canonicalize_all(urls, holdfast.WEB):
            print(canonical)
    """
    canonical = canonical_text(policy)
    for text in texts:
        found = canonical(text)
        yield found if isinstance(found, Refused) else CanonicalUrl(found, policy.component)
