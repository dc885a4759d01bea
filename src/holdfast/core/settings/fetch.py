"""Settings of the one door to the web."""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.core.settings.field import setting

__all__ = ["FetchSettings"]


@dataclass(frozen=True, slots=True)
class FetchSettings:
    """How Holdfast asks."""

    content_rate_limit: float = setting(
        default=1.0,
        help="Requests per second to one host: 0.5 waits 2 s between two, 0 turns the limit off.",
        least=0,
    )
    contact: str = setting(
        default="", help="An address or a page about you, sent in the user agent.", kind="str"
    )
    obey_robots: bool = setting(default=True, help="Whether robots.txt decides what is fetched.")
    allow_private: bool = setting(
        default=False, help="Let discovered URLs reach private and loopback addresses."
    )
