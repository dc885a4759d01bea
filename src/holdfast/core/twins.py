"""Which address is a shorter name of another, should both say the same (MIR-14).

1. The index file of a folder has the folder's address as its shorter name: `/a/index.html` is `/a/`. A query
   makes it another page.
2. Only equal content makes two addresses one page; what differs stays two.
"""

from __future__ import annotations

from typing import Final

__all__ = ["shorter_name"]

_SITES: Final = ("html", "htm", "xhtml", "shtml", "php", "asp", "aspx", "jsp", "md")
_INDEX_FILES: Final = frozenset(
    (
        *(f"index.{ending}" for ending in _SITES),
        *(f"default.{ending}" for ending in ("html", "htm", "asp", "aspx")),
    )
)


def shorter_name(url: str) -> str | None:
    """The address of the folder whose index file a canonical URL names; None where it names none."""
    above, _, name = url.rpartition("/")
    return f"{above}/" if name.lower() in _INDEX_FILES else None
