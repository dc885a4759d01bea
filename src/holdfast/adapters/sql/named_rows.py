"""Recipes and labels by their names: each is written once, by whoever names it first."""

from __future__ import annotations

from typing import Final

from holdfast.adapters.sql.database import Database
from holdfast.core.errors import LedgerError
from holdfast.core.hashing import SettingsDigest
from holdfast.core.identity import require_same_digest
from holdfast.core.recipe import Recipe

__all__ = ["label_number", "recipe_number"]

_RECIPE: Final = "SELECT recipe_id, identity_digest FROM recipe WHERE version = $1"
_NEW_RECIPE: Final = """
INSERT INTO recipe (version, identity_digest) VALUES ($1, $2) ON CONFLICT (version) DO NOTHING
"""


def recipe_number(db: Database, recipe: Recipe, digest: SettingsDigest) -> int:
    """The number of a recipe, which stands for the same settings wherever it is named."""
    row = db.row(_RECIPE, (str(recipe),))
    if row is None:  # another writer may be first: then its row is there afterwards
        db.execute(_NEW_RECIPE, (str(recipe), digest))
        row = db.row(_RECIPE, (str(recipe),))
    if row is None:
        raise LedgerError(f"{db.name} does not keep the recipe {recipe}")
    require_same_digest(recipe, row[1], digest)
    return int(row[0])


def label_number(db: Database, label: str) -> int:
    """The number of a label."""
    db.execute("INSERT INTO label (name) VALUES ($1) ON CONFLICT (name) DO NOTHING", (label,))
    return db.number("SELECT label_id FROM label WHERE name = $1", (label,))
