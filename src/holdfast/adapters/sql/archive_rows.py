"""What is written of an archive's files and stores, by whoever takes them in."""

from __future__ import annotations

from typing import Final

__all__ = ["COMMIT_END", "KNOW_STORE"]

KNOW_STORE: Final = "INSERT INTO store (store_id, is_own) VALUES ($1, 0) ON CONFLICT DO NOTHING"
COMMIT_END: Final = """
INSERT INTO archive_file (name, committed_end) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE
SET committed_end = excluded.committed_end WHERE archive_file.committed_end < excluded.committed_end
"""
