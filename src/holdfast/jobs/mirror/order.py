"""What a mirror was asked for, as one value.

1. Two starts belong to one run when their plans are equal: sources, discovery, scope and rules. How fast,
   how many pages and what to do about errors may change from start to start.
2. A run's id is a function of the mirror, the plan and the number of runs before it, so that a start can
   tell whether the last run was of its own plan.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from holdfast.core.duplicates import CanonicalMode
from holdfast.core.hashing import SettingsDigest, id_of, settings_digest
from holdfast.core.policy import Policy
from holdfast.core.recipe import Recipe
from holdfast.core.scope import Root, Scope, check_pattern
from holdfast.core.settings.mirror import MirrorSettings
from holdfast.core.url import Url

__all__ = ["OnError", "Order", "Source", "Standard", "scope_of"]


class OnError(StrEnum):
    """What a failed page does to the run (MIR-6)."""

    SKIP = "skip"
    ABORT = "abort"
    RETRY = "retry"


@dataclass(frozen=True, slots=True)
class Source:
    """Where a mirror begins: a URL, or a file of URLs whose bytes were read already."""

    name: str
    url: Url | None = None
    listing: bytes | None = None


@dataclass(frozen=True, slots=True)
class Standard:
    """What decides the identity of everything in the mirror: its policy, `web` for the join (ID-12), and
    the recipe that names them.
    """

    recipe: Recipe
    policy: Policy
    web: Policy
    digest: SettingsDigest


@dataclass(frozen=True, slots=True)
class Order:
    """A mirror to be made. `label` names it in the ledger."""

    label: str
    sources: tuple[Source, ...]
    standard: Standard
    settings: MirrorSettings
    software: str = ""

    @property
    def canonical_mode(self) -> CanonicalMode:
        """What a canonical link is worth."""
        return CanonicalMode(self.settings.canonical)

    @property
    def on_error(self) -> OnError:
        """What a failed page does."""
        return OnError(self.settings.on_error)

    @property
    def plan(self) -> str:
        """The digest of what makes this run this run."""
        settings = self.settings
        plan: dict[str, Any] = {
            "sources": [source.url.href if source.url else source.name for source in self.sources],
            "recipe": str(self.standard.recipe),
            "discover": settings.discover,
            "include": settings.include,
            "exclude": settings.exclude,
            "allow_host": settings.allow_host,
            "max_depth": settings.max_depth,
            "canonical": settings.canonical,
            "meta_robots": settings.obey_meta_robots,
            "traps": [settings.trap_pages, settings.trap_similar],
        }
        return settings_digest(plan)

    def run_id(self, runs_before: int) -> str:
        """The id of this mirror's run after so many others."""
        return id_of("mirror run", self.label, self.plan, str(runs_before))


def scope_of(roots: tuple[Root, ...], settings: MirrorSettings) -> Scope:
    """The scope that settings give to roots; a pattern that can match nothing is an error."""
    return Scope(
        roots=roots,
        allow_host=settings.allow_host,
        include=tuple(map(check_pattern, settings.include)),
        exclude=tuple(map(check_pattern, settings.exclude)),
        max_depth=settings.max_depth,
    )
