"""Settings of ledger and archive."""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.core.settings.field import setting

__all__ = ["StoreSettings"]


@dataclass(frozen=True, slots=True)
class StoreSettings:
    """Settings of ledger and archive."""

    state: str | None = setting(
        default=None, help="The state folder; by default found from the folder you work in.", kind="path"
    )
    archive_file_mb: int = setting(
        default=1000, help="Size at which an archive file is full and the next is begun, in MB.", least=1
    )
    commit_pages: int = setting(
        default=200, help="Pages that are made durable together, at most; 1 commits each by itself.", least=1
    )
    commit_seconds: float = setting(
        default=0.1, help="How long a finished page waits for others to be made durable with it.", least=0
    )
