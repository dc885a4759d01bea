"""Whether two addresses are one page: by rel=canonical (ID-10), and by a shorter name (MIR-14).

A page P names C as its canonical. The answer, by what is known of C when both are known:

    C                                        check                        trust          ignore
    P itself, or no link                     own file                     own file       own file
    not admitted by scope or robots          own file                     own file       own file
    not known yet                            wait                         wait           own file
    failed, gone, skipped, an alias of P     own file, disagreement       own file       own file
    fetched, names another than itself       own file, disagreement       duplicate      own file
    fetched, equal content hash              duplicate                    duplicate      own file
    fetched, texts nearly equal              duplicate                    duplicate      own file
    fetched, texts differ                    own file, disagreement       duplicate      own file

The link never changes a key: a duplicate becomes an alias, and gets no file.

Which address is a shorter name of another, should both say the same:

1. The index file of a folder has the folder's address as its shorter name: `/a/index.html` is `/a/`. A
   query makes it another page.
2. Only equal content makes two addresses one page; what differs stays two.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from holdfast.core.base.hashing import ContentHash
from holdfast.core.base.values import dataclass


class CanonicalMode(StrEnum):
    """What a canonical link is worth."""

    CHECK = "check"
    TRUST = "trust"
    IGNORE = "ignore"


class KnownContent(StrEnum):
    """What is known of C."""

    ABSENT = "absent"
    PENDING = "pending"
    FAILED = "failed"
    FETCHED = "fetched"


class Twin(StrEnum):
    """What to do with P."""

    OWN = "own"
    DISAGREES = "disagrees"
    WAIT = "wait"
    COMPARE = "compare"
    DUPLICATE = "duplicate"


@dataclass(frozen=True, slots=True)
class Claim:
    """P: its canonical form, its content, and the canonical form of what it names."""

    canonical: str
    content: ContentHash
    names: str | None


@dataclass(frozen=True, slots=True)
class KnownPageState:
    """C as it stands: `names` is what C itself calls its canonical, None where it says nothing."""

    known: KnownContent
    canonical: str = ""
    content: ContentHash | None = None
    names: str | None = None

    @property
    def is_its_own(self) -> bool:
        """C names itself, or nothing."""
        return self.names is None or self.names == self.canonical


def judge(mode: CanonicalMode, claim: Claim, target: KnownPageState) -> Twin:
    """What to do with P; `COMPARE` asks for both texts (`core.base.difference.nearly_equal` decides then)."""
    if mode is CanonicalMode.IGNORE or claim.names is None or claim.names == claim.canonical:
        return Twin.OWN
    match target.known:
        case KnownContent.ABSENT:
            return Twin.OWN
        case KnownContent.PENDING:
            return Twin.WAIT
        case KnownContent.FAILED:
            return Twin.OWN if mode is CanonicalMode.TRUST else Twin.DISAGREES
        case KnownContent.FETCHED:
            pass
    if mode is CanonicalMode.TRUST:
        return Twin.DUPLICATE
    if not target.is_its_own:
        return Twin.DISAGREES
    return Twin.DUPLICATE if target.content == claim.content else Twin.COMPARE


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
