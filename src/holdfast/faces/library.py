"""What the commands do, as functions: the library reads neither the home folder nor the environment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from holdfast.core.capture import Outcome
from holdfast.core.refusal import Refused
from holdfast.core.settings import resolve
from holdfast.core.url import parse_url
from holdfast.ports import FetchRequest
from holdfast.wiring import fetch_once, run

__all__ = ["fetch"]


def fetch(
    url: str,
    *,
    etag: str | None = None,
    last_modified: str | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Outcome | Refused:
    """Ask for one URL, politely and safely, and say how it ended; `settings` by their names.

    Must not be called from a running event loop.
    """
    parsed = parse_url(url)
    if isinstance(parsed, Refused):
        return parsed
    request = FetchRequest(parsed, etag=etag, last_modified=last_modified, named_by_user=True)
    return run(fetch_once(resolve(flags=settings), request, environment={}, named=[url]))
