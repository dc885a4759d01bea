"""What decides the identity of everything in a mirror; apart from `order`, because workers need only this."""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.core.hashing import SettingsDigest
from holdfast.core.policy import Policy
from holdfast.core.recipe import Recipe

__all__ = ["Standard"]


@dataclass(frozen=True, slots=True)
class Standard:
    """A mirror's policy, `web` for the join (ID-12), and the recipe that names them."""

    recipe: Recipe
    policy: Policy
    web: Policy
    digest: SettingsDigest
