"""`normalization_version`, read, written and compared by one type (VER-1).

    <collector>(_<component>_v<version>)+[_local_v<version>]

    http_snapshot_url_v1_text_v1          the collector, one URL component, one content component
    http_snapshot_url_v2_text_v1.1        a patch: a fix that moved a vector (VER-3)
    http_snapshot_siteurl_v1_text_v1_local_v3    the user's own identity settings, version 3

1. Two items may be compared if and only if their recipes are equal (VER-4): equality is all there is,
   there is no order and no "compatible".
2. The string and the value are the same thing: `Recipe.parse(str(recipe)) == recipe` always.
3. A part is known by its name, never by its position: `url`, `siteurl`, `docsurl` say how URLs are keyed,
   `text` and `body` what of a page is hashed. A recipe has at most one of each kind.
4. `local` is the user's own identity settings (overrides file, allow-list, slash option). It stands
   last, and only when such settings are in force.
"""

from __future__ import annotations

import re
from typing import Self

from holdfast.core.errors import FormatError
from holdfast.core.values import dataclass

__all__ = ["Component", "Recipe", "Version"]

_VERSION = r"(?:0|[1-9][0-9]*)(?:\.(?:0|[1-9][0-9]*))?"
_COMPONENT = re.compile(rf"_([a-z][a-z0-9]*)_v({_VERSION})(?=_|\Z)")
_RECIPE = re.compile(rf"([a-z][a-z0-9]*(?:_[a-z][a-z0-9]*)*?)((?:_[a-z][a-z0-9]*_v{_VERSION})+)")
LOCAL = "local"
_URL_PARTS = frozenset(("url", "siteurl", "docsurl"))
_CONTENT_PARTS = frozenset(("text", "body"))


@dataclass(frozen=True, slots=True)
class Version:
    """`v1`, or `v2.1` with a patch."""

    major: int
    patch: int | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `1` or `2.1` (no leading `v`)."""
        if not re.fullmatch(_VERSION, text):
            raise FormatError(f"{text!r} is not a version: expected a number, or two joined by a dot")
        major, dot, patch = text.partition(".")
        return cls(int(major), int(patch) if dot else None)

    def __str__(self) -> str:
        return f"{self.major}" if self.patch is None else f"{self.major}.{self.patch}"


@dataclass(frozen=True, slots=True)
class Component:
    """One part of the recipe, such as `url_v1`."""

    name: str
    version: Version

    def __str__(self) -> str:
        return f"{self.name}_v{self.version}"


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that decides what an item looks like, as one comparable value."""

    collector: str
    components: tuple[Component, ...]
    local: Version | None = None

    def __post_init__(self) -> None:
        if not self.components or any(part.name == LOCAL for part in self.components):
            raise FormatError("a recipe has at least one component, and 'local' does not count")

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a `normalization_version`."""
        match = _RECIPE.fullmatch(text)
        if match is None:
            raise FormatError(
                f"{text!r} is not a normalization version",
                hint="expected <collector>_<component>_v<version>…, such as http_snapshot_url_v1_text_v1",
            )
        parts = [Component(name, Version.parse(number)) for name, number in _COMPONENT.findall(match[2])]
        local = parts.pop().version if parts[-1].name == LOCAL else None
        return cls(match[1], tuple(parts), local)

    @property
    def url(self) -> Component | None:
        """The part that says how URLs are keyed."""
        return next((part for part in self.components if part.name in _URL_PARTS), None)

    @property
    def content(self) -> Component | None:
        """The part that says what of a page is hashed."""
        return next((part for part in self.components if part.name in _CONTENT_PARTS), None)

    def component(self, name: str) -> Component | None:
        """The component of that name, if the recipe has one."""
        return next((part for part in self.components if part.name == name), None)

    def __str__(self) -> str:
        tail = f"_{LOCAL}_v{self.local}" if self.local is not None else ""
        return "_".join([self.collector, *map(str, self.components)]) + tail
