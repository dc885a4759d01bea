"""What a redirect would lose if a link were written anew (TRK-14): that it is permanent is what a server
says, not that the page is there.

1. By address: a front page, the start of a language or of the site, a login, an ancestor of the cited page, a
   page for what is not there (`/404`, `/search`), the same path without the query that named the page, and a
   place that other cited pages of other names are redirected to as well. A page that keeps its name
   (`/v1/install.html` → `/docs/install/`) is what it was, wherever it lies.
2. By section: the page that answers has no section of the cited name.
3. By what answers: a page that says that it is not there, a login, a question about cookies (TXT-6).
4. By safety: a link by https is not written as one by http.
5. By text: where a copy of the page from before it moved was kept, it is compared with what answers now.
   Texts with less than `ALIKE` in common are two pages; texts with more are one, whatever the addresses.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from holdfast.core.page import PageWarning
from holdfast.core.url import Url

__all__ = ["ALIKE", "Landing", "loss_of"]

ALIKE: Final = 0.5
_LOGIN = re.compile(
    r"/(?:log-?in|sign-?in|sso|auth|oauth2?|accounts?/login|session/new)(?:[/?.]|\Z)", re.IGNORECASE
)
_START = re.compile(
    r"/(?:[a-z]{2}(?:[-_][a-z]{2,4})?/?)?(?:(?:index|default|home|main|start|welcome|landing)"
    r"(?:\.(?:x?html?|php|aspx?|jsp|cfm))?/?)?",
    re.IGNORECASE,
)
_NOWHERE = re.compile(
    r"/(?:404|410|errors?|not[-_]?found|page[-_]not[-_]found|gone|removed|expired|search|sitemap)"
    r"(?:\.(?:x?html?|php|aspx?|jsp))?/?",
    re.IGNORECASE,
)
_EXTENSION = re.compile(r"\.(?:x?html?|php|aspx?|jsp|md|rst|txt|pdf)\Z", re.IGNORECASE)
_INDEX: Final = frozenset(("index", "default", "home"))
_ANSWERS: Final = {
    PageWarning.SOFT_404: "a page that says that it is not there",
    PageWarning.LOGIN_WALL: "a login",
    PageWarning.CONSENT_WALL: "a question about cookies",
}


class Landing(NamedTuple):
    """Where a redirect led: how many other cited pages lead there too, whether the cited section is missing,
    how much of the kept text is there (None where nothing was kept to compare), and what is odd about the
    page that answers.
    """

    shared_with: int = 0
    lacks_section: bool = False
    alike: float | None = None
    warnings: tuple[str, ...] = ()


def loss_of(cited: Url, final: Url, landing: Landing) -> str | None:
    """Why a redirect must not be written into a document; None where nothing is lost by it."""
    if landing.lacks_section:
        return "the page that it leads to has no such section"
    if _LOGIN.search(final.target) and not _LOGIN.search(cited.target):
        return "the redirect leads to a login"
    if (
        answers := next((words for odd, words in _ANSWERS.items() if odd in landing.warnings), None)
    ) is not None:
        return f"the redirect leads to {answers}"
    if cited.scheme == "https" and final.scheme == "http":
        return "the redirect leads from https to http"
    if landing.alike is not None:
        if landing.alike < ALIKE:
            return f"the page that it leads to is another one: {landing.alike:.0%} of the kept text is there"
        return None
    return _loss_by_address(cited, final, landing)


def _loss_by_address(cited: Url, final: Url, landing: Landing) -> str | None:
    if _START.fullmatch(final.path) and final.query is None and not _START.fullmatch(cited.path):
        return "the redirect leads to a front page: what was cited is not there"
    if _NOWHERE.search(final.path) and not _NOWHERE.search(cited.path):
        return "the redirect leads to a page for what is not there"
    if _name(cited) == _name(final):
        return None
    if cited.query and final.query is None and _segments(cited) == _segments(final):
        return "the redirect leads to the same address without its query: what was cited may not be there"
    if _is_ancestor(final, cited):
        return "the redirect leads to a page above the cited one: what was cited may not be there"
    if landing.shared_with:
        several = landing.shared_with > 1
        others = f"{landing.shared_with} other cited pages are" if several else "another cited page is"
        return f"{others} redirected to the same place: what was cited may not be there"
    return None


def _segments(url: Url) -> list[str]:
    parts = [_EXTENSION.sub("", part).lower() for part in url.path.split("/") if part]
    return parts[:-1] if parts and parts[-1] in _INDEX else parts


def _name(url: Url) -> tuple[str, str | None]:
    """What a page is called: the last part of its path, and its query."""
    parts = _segments(url)
    return (parts[-1] if parts else "", url.query)


def _is_ancestor(above: Url, below: Url) -> bool:
    upper, lower = _segments(above), _segments(below)
    return len(upper) < len(lower) and lower[: len(upper)] == upper
