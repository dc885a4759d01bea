"""What rows of a batch refer to. The server looks at the rows of one statement together (`0013_…sql`,
`0015_…sql`, `0017_…sql`). A caller that moves many rows, in an order in which one may name another that comes
later, has it look at all of them at the end.
"""

from __future__ import annotations

from typing import Final

__all__ = ["LATER", "REFERENCES", "lost_references"]

LATER: Final = "SET LOCAL holdfast.named_rows = 'at the end'"
"""Inside a transaction: whoever says this asks `lost_references` before it ends."""

REFERENCES: Final = {
    "url": (("host_id", "host", "host_id"),),
    "capture": (
        ("run_seq", "run", "run_seq"),
        ("url_id", "url", "url_id"),
        ("file_id", "archive_file", "file_id"),
    ),
    "item": (
        ("run_seq", "run", "run_seq"),
        ("recipe_id", "recipe", "recipe_id"),
        ("url_id", "url", "url_id"),
        ("capture_seq", "capture", "capture_seq"),
    ),
    "observation": (
        ("capture_seq", "capture", "capture_seq"),
        ("recipe_id", "recipe", "recipe_id"),
        ("run_seq", "run", "run_seq"),
        ("url_id", "url", "url_id"),
        ("item_seq", "item", "item_seq"),
        ("links_of", "observation", "observation_id"),
    ),
    "page": (
        ("label_id", "label", "label_id"),
        ("url_id", "url", "url_id"),
        ("item_seq", "item", "item_seq"),
        ("links_of", "observation", "observation_id"),
    ),
    "frontier": (("run_seq", "run", "run_seq"), ("url_id", "url", "url_id")),
}
"""By table: a column, and the table and column in which its value has to be."""


def lost_references() -> tuple[tuple[str, str], ...]:
    """A sentence for each reference, and the question that finds rows which break it."""
    return tuple(
        (f"rows of {table} name a row of {named} that is not there", _missing(table, column, named, key))
        for table, references in REFERENCES.items()
        for column, named, key in references
    )


def _missing(table: str, column: str, named: str, key: str) -> str:
    return (
        f"SELECT 1 FROM {table} w WHERE w.{column} IS NOT NULL"
        f" AND NOT EXISTS (SELECT 1 FROM {named} t WHERE t.{key} = w.{column})"
    )
