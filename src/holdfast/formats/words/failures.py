"""What to do about a page that could not be mirrored, by the words in which it is told why (`describe`)."""

from __future__ import annotations

import re
from typing import Final

from holdfast.core.capture import Denial, Failure

__all__ = ["what_to_do"]

_AGAIN: Final = "The next run tries it again."
_SITE: Final = (
    "Something is wrong with the site's answer; open the live page, and tell its owner if it lasts."
)
_TOLD: Final = re.compile(r"(?:failed|refused|timed out) \((\w+)\)(?:: status (\d{3}))?|(\d{3})\b")
_STATUSES: Final = {
    "401": "It asks for a login: holdfast can send headers and cookies, see the guide on private sites.",
    "403": "The site does not let us have it: a login, or a rule against programs; --contact says who asks.",
    "404": "It is not there any more: a page or the sitemap still names it.",
    "410": "It is gone for good: a page or the sitemap still names it.",
    "429": "The site wants fewer requests: a lower --content-rate-limit asks more slowly.",
}
_ADVICE: Final[dict[str, str]] = {
    Failure.STATUS: f"The server failed. {_AGAIN}",
    Failure.DNS: f"The host's name is not known now; is it spelled right, is the network there? {_AGAIN}",
    Failure.CONNECT: f"Nobody answers there now. {_AGAIN}",
    Failure.TLS: "The certificate cannot be trusted: open the live page in a browser to see why.",
    Failure.RESET: f"The connection broke. {_AGAIN}",
    Failure.PROTOCOL: _SITE,
    Failure.SHORT_BODY: f"Only a part of it came. {_AGAIN}",
    Failure.ENCODING: _SITE,
    Failure.REDIRECT_LOOP: _SITE,
    Failure.TOO_MANY_REDIRECTS: _SITE,
    Failure.BAD_REDIRECT: _SITE,
    Failure.HEADERS_TOO_LARGE: _SITE,
    Failure.ROBOTS_UNAVAILABLE: f"The site's robots.txt could not be read, so nothing is asked. {_AGAIN}",
    Failure.RATE_LIMITED: _STATUSES["429"],
    Denial.ROBOTS: "robots.txt does not want it to be fetched; --no-obey-robots is your decision.",
    Denial.ADDRESS: "It leads to a private address; --allow-private admits those.",
    Denial.SCHEME: "Only http and https are asked.",
    Denial.SIZE: "It is larger than allowed; --max-body-bytes allows more.",
    Denial.SCOPE: "It is outside of what is mirrored; --allow-host admits another host.",
    Denial.HOST: "Its host is outside of what is mirrored; --allow-host admits it.",
    Denial.FORGOTTEN: "It was forgotten on purpose (holdfast forget).",
}


def what_to_do(why: str) -> str:
    """A sentence or two on what can be done."""
    told = _TOLD.match(why)
    if told is None:
        return _AGAIN
    kind, status = told[1] or "", told[2] or told[3] or ""
    return _STATUSES.get(status) or _ADVICE.get(kind, _AGAIN)
