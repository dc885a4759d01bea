"""What was merged with a URL, in words (MIR-8)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from holdfast.core.ledger import AliasReason, NamedAlias
from holdfast.core.redaction import shown

__all__ = ["name_lines"]

_WHY: Final = {
    AliasReason.REDIRECT: "it redirects there",
    AliasReason.CANONICAL_LINK: "its canonical link names that page",
    AliasReason.REFRESH: "it refreshes to that page",
    AliasReason.SAME_CONTENT: "it has the same content",
    AliasReason.MOVED: "the mirror moved to another policy",
}


def name_lines(names: Iterable[NamedAlias]) -> Iterator[str]:
    """One line for each alias: which name, of which page, in which mirror, and why."""
    for label, alias in names:
        why = f"{_WHY[alias.reason]} ({alias.detail})" if alias.detail else _WHY[alias.reason]
        mirror = "" if label == "." else f" in {label}"
        yield f"{shown(alias.place.url)} is another name of {shown(alias.target.url)}{mirror}: {why}"
