"""Settings of the mirror."""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.core.settings.field import setting

__all__ = ["MirrorSettings"]


@dataclass(frozen=True, slots=True)
class MirrorSettings:
    """Settings of the mirror."""

    layout: str = setting(
        default="tree",
        help="How pages are named on disk.",
        choices=("tree", "tree-fold", "hash"),
        identity=False,
    )
