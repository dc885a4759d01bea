"""What the pages of a site add to their titles: `Quickstart — Flask Documentation (2.2.x)`.

1. A page says itself what of its title is its own: the part that is its first heading, before or after a
   separator (`own_title`). That needs no other page.
2. Where it does not, its neighbours may: a title is parted by a separator (with spaces around it, or a
   colon), and what at least half of the pages of a site, and three, end with (or begin with) after (before) a
   separator is the site's own title (`site_title`). It is looked for in the first 2,000 pages.
3. A page whose title is that alone keeps it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from itertools import islice
from typing import Final, NamedTuple

__all__ = ["MOST", "SiteTitle", "own_title", "site_title"]

_SEPARATOR = re.compile(r"\s+(?:[|—–·•»«:-]|::|>>)\s+|:{1,2}\s+")
_FEWEST: Final = 3
MOST: Final = 2_000


class SiteTitle(NamedTuple):
    """What a site is called by its own pages; empty where they do not say."""

    name: str = ""
    leads: bool = False

    def short(self, title: str) -> str:
        """A page's title without the site's."""
        if not self.name or title == self.name:
            return title
        if self.leads and title.startswith(self.name):
            parted = _SEPARATOR.match(title, len(self.name))
            return title[parted.end() :] if parted else title
        if not self.leads and title.endswith(self.name):
            before = title[: len(title) - len(self.name)]
            found = [match for match in _SEPARATOR.finditer(before) if match.end() == len(before)]
            return before[: found[0].start()] if found and found[0].start() else title
        return title


def own_title(title: str, heading: str) -> str:
    """A page's title without what its first heading does not say; the whole where it is not part of it."""
    said, own = " ".join(title.split()), " ".join(heading.split()).strip(" ¶#")
    for parted in _SEPARATOR.finditer(said) if own else ():
        before, after = said[: parted.start()], said[parted.end() :]
        for part in (before, after):
            if part.casefold() == own.casefold():
                return part
    return title


def site_title(titles: Iterable[str]) -> SiteTitle:
    """The title that the pages of one site share."""
    ends: Counter[str] = Counter()
    starts: Counter[str] = Counter()
    count = 0
    for title in islice(titles, MOST):
        count += 1
        parts = list(_SEPARATOR.finditer(title))
        if parts:
            ends.update({title[match.end() :] for match in parts})
            starts.update({title[: match.start()] for match in parts})
    least = max(_FEWEST, (count + 1) // 2)
    for found, leads in ((ends, False), (starts, True)):
        shared = [text for text, number in found.items() if text and number >= least]
        if shared:
            return SiteTitle(max(shared, key=lambda text: (len(text), text)), leads)
    return SiteTitle()
