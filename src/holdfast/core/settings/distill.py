"""Settings of distilling."""

from __future__ import annotations

from holdfast.core.settings.field import setting
from holdfast.core.settings.reach import Reach
from holdfast.core.values import dataclass

__all__ = ["DistillSettings"]


@dataclass(frozen=True, slots=True)
class DistillSettings:
    """What is too large to be read as a page."""

    max_page_bytes: int = setting(
        reach=Reach.NOTHING,
        default=10_000_000,
        help="The largest body that is parsed as a page; a larger one is hashed by its bytes and flagged, "
        "so another limit is an identity setting of your own.",
        least=1,
        identity=True,
    )
