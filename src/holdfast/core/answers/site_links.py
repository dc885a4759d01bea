"""The links of a mirrored site that lead nowhere, as its last run found them."""

from __future__ import annotations

from holdfast.core.values import dataclass

__all__ = ["LinkingPage", "SiteBroken", "SiteTarget"]


@dataclass(frozen=True, slots=True)
class LinkingPage:
    """A page of a mirror that has a link: its address, its file, and the words of the link."""

    url: str
    path: str
    text: str


@dataclass(frozen=True, slots=True)
class SiteTarget:
    """An address of the site that could not be had: why, whether it is gone, and who links to it."""

    url: str
    reason: str
    is_dead: bool
    pages: tuple[LinkingPage, ...]


@dataclass(frozen=True, slots=True)
class SiteBroken:
    """What is broken within a mirrored site; `suspects` counts what failed in other ways than being gone."""

    label: str
    urls: tuple[SiteTarget, ...]
    suspects: int

    @property
    def dead(self) -> tuple[SiteTarget, ...]:
        """Those that are not there."""
        return tuple(url for url in self.urls if url.is_dead)
