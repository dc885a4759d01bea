"""Settings of tracking citations."""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.core.settings.field import setting

__all__ = ["TrackSettings"]


@dataclass(frozen=True, slots=True)
class TrackSettings:
    """Settings of tracking citations."""

    fetch_external_urls: bool = setting(
        default=False,
        help="Consent to ask the URLs that your documents cite; without it no socket is opened.",
    )
