"""The one place that gives URLs their names on disk, and reads names back (PATH-6, PATH-10).

1. A name depends on the canonical URL, the layout and the mirror's scheme; never on content or time.
2. One case depends on order: two URLs whose short hashes collide. The first in frontier order has the
   name; each later one takes the whole url key instead, and the manifest records it. So only names that
   hold a short hash need to be remembered.
3. The sidecar of `x.md` is `x.json`. What stands for something that is not a page (`_failed/`, `_skipped/`)
   has the page's name with `.txt`, under that folder.
"""

from __future__ import annotations

import re
from collections.abc import MutableMapping
from dataclasses import field

from holdfast.core.base.values import dataclass
from holdfast.core.url.canonical import CanonicalUrl
from holdfast.core.url.layout import Layout
from holdfast.core.url.paths import full_name_of, name_of, url_of_name

_DOT_TXT = re.compile(r"\.(?=txt\Z)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Placed:
    """A page's path, and whether it had to make way for an earlier one with the same short hash."""

    path: str
    collided: bool = False


@dataclass(slots=True)
class NamePlan:
    """The names of one mirror, given in frontier order.

    `taken` remembers which URL has a name with a short hash; hand in the ledger's view of it to go on
    with a mirror that exists.
    """

    layout: Layout
    scheme: str
    taken: MutableMapping[str, str] = field(default_factory=dict)

    def place(self, canonical: CanonicalUrl) -> Placed:
        """The path of a page. The same URL gets the same answer as long as `taken` is kept."""
        name = name_of(canonical, self.layout, self.scheme)
        if not name.hashed:
            return Placed(name.path)
        slot = name.path.casefold() if self.layout.is_folded else name.path
        owner = self.taken.setdefault(slot, canonical.text)
        if owner == canonical.text:
            return Placed(name.path)
        return Placed(full_name_of(canonical, self.layout, self.scheme).path, collided=True)

    def name(self, canonical: CanonicalUrl) -> str:
        """The path that a URL has when nothing collides; takes no name."""
        return name_of(canonical, self.layout, self.scheme).path

    def placeholder(self, canonical: CanonicalUrl, folder: str) -> str:
        """The path of what stands for something that is not a page; it takes no name away from a page."""
        *folders, file = self.name(canonical).split("/")
        apart = (_DOT_TXT.sub("%2E", name) for name in folders)  # no folder is called as a placeholder is
        return "/".join((folder, *apart, f"{file.removesuffix('.md')}.txt"))


def url_in_name(path: str, layout: Layout, scheme: str) -> str | None:
    """The URL that a path holds; None where only the sidecar or the manifest knows it (PATH-8)."""
    return url_of_name(path, layout, scheme)


def sidecar_of(path: str) -> str:
    """The sidecar beside a page."""
    return path.removesuffix(".md") + ".json"
