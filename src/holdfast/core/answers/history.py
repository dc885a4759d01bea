"""What a URL said, and when: captures, versions, items and the edges between them, a page as it was."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from holdfast.core.capture import Capture
from holdfast.core.hashing import UrlKey
from holdfast.core.ledger import NamedAlias, Observation, Relations, Tombstone
from holdfast.core.lineage import CaptureRecord, Item
from holdfast.core.page import Page
from holdfast.core.recipe import Recipe
from holdfast.core.section_moves import SectionMove
from holdfast.core.values import dataclass
from holdfast.core.versions import PageVersion, numbering_recipe, versions_of

__all__ = ["ItemLineage", "Lineage", "PageAsOf", "PageHistory"]


@dataclass(frozen=True, slots=True)
class PageHistory:
    """A URL's captures, the oldest first, and whether it was forgotten. Where it is only another name of a
    page, the captures are that page's; `names` tell what was merged with it, and why. `sections` tell, by the
    ids of captures that brought another version, which sections that moved. Where a mirror keeps several
    pages that `web` calls one place, the captures are those of all; `meant` has the key of the one that was
    asked for. `mirrors` are the recipes of the mirrors that have the page.
    """

    url: str
    web_key: UrlKey
    observations: tuple[Observation, ...]
    forgotten: tuple[Tombstone, ...] = ()
    names: tuple[NamedAlias, ...] = ()
    sections: Mapping[str, tuple[SectionMove, ...]] = field(default_factory=dict)
    meant: Mapping[Recipe, UrlKey] = field(default_factory=dict)
    mirrors: tuple[Recipe, ...] = ()

    @property
    def alias_of(self) -> tuple[NamedAlias, ...]:
        """What this URL is another name of, in each mirror that has it."""
        return tuple(named for named in self.names if named.alias.place.web_key == self.web_key)

    @property
    def other_names(self) -> tuple[NamedAlias, ...]:
        """The other names of this URL."""
        return tuple(named for named in self.names if named.alias.place.web_key != self.web_key)

    @property
    def recipe(self) -> Recipe | None:
        """The recipe (normalization version) by which its versions are numbered."""
        return numbering_recipe(self.observations, self.mirrors)

    @property
    def versions(self) -> tuple[PageVersion, ...]:
        """The versions under that recipe, numbered from 1."""
        return self.versions_under(self.recipe)

    def versions_under(self, recipe: Recipe | None) -> tuple[PageVersion, ...]:
        """The versions under a recipe."""
        return versions_of(self.observations, recipe, self.meant.get(recipe)) if recipe else ()


@dataclass(frozen=True, slots=True)
class ItemLineage:
    """An item, and the edges that leave and reach it."""

    item: Item
    relations: Relations


@dataclass(frozen=True, slots=True)
class Lineage:
    """The items that were asked for, in the order in which they were made; of a URL also `names`, what it
    was merged with.
    """

    items: tuple[ItemLineage, ...]
    names: tuple[NamedAlias, ...] = ()


@dataclass(frozen=True, slots=True)
class PageAsOf:
    """The copy of a URL that was current at a moment: the ledger's row, the response, the page made of it."""

    record: CaptureRecord
    capture: Capture
    page: Page

    @property
    def markdown(self) -> str:
        """The page as Markdown."""
        return self.page.markdown
