"""Whether a page has the section that a citation names.

the fragment                                          the answer
empty, `top`                                          always there
an id or a name of the page, as written or decoded    there
a text fragment, a route (`!…`, `/…`), a line (`L12`) not for an id to say: unknown
anything else                                         missing
"""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from urllib.parse import unquote

__all__ = ["has_section"]

_NO_ID = re.compile(r"!|/|.*:~:|L[0-9]+(?:[-C:]|\Z)|.*=")


def has_section(fragment: str, anchors: AbstractSet[str]) -> bool | None:
    """True, False, or None where nobody can tell from the page's markup."""
    decoded = unquote(fragment)
    if not fragment or decoded.lower() == "top" or fragment in anchors or decoded in anchors:
        return True
    return None if _NO_ID.match(decoded) else False
