"""What happened to a cited URL, in words that a reader can act on (TRK-14). Made of the evidence that the
ledger keeps; the sentence of the state is the last resort, for evidence of a kind that nobody wrote yet.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from holdfast.core.kept_evidence import KeptEvidence
from holdfast.core.link_state import LinkState

__all__ = ["reason_of"]

_UNTIL: Final = re.compile(r"valid until (\d{4}-\d{2}-\d{2})")
_FROM: Final = re.compile(r"valid from (\d{4}-\d{2}-\d{2})")
_STATUS: Final = {
    401: "it wants a login (401)",
    402: "it wants a payment (402)",
    403: "403 to programs: the server refuses them, or wants a login; open it in a browser",
    407: "a proxy on the way wants a login (407)",
}


def reason_of(state: LinkState, evidence: KeptEvidence) -> str:
    """The reason for a state, without the URL and without a full stop."""
    if evidence.rule in _BY_RULE:
        return _BY_RULE[evidence.rule](evidence.detail)
    status, header = evidence.status, evidence.header
    match evidence.rule:
        case "wants-identity":
            return _STATUS.get(status or 0, state.sentence)
        case "client-status":
            return f"the server takes no such request ({status}), which says nothing about the page"
        case "rate-limit":
            return f"the server asked for fewer requests ({_words(status, header)})"
        case "challenge-header" | "challenge-page" | "status-999" | "accepted-only":
            return f"{state.sentence} ({_words(status, header)})"
    return f"{state.sentence} ({status})" if status and status >= 400 else state.sentence


def _words(*parts: object) -> str:
    return ", ".join(str(part) for part in parts if part)


def _said(before: str) -> Callable[[str], str]:
    """A sentence, and what the failing part said itself."""
    return lambda detail: f"{before}: {detail}" if detail else before


def _of_tls(detail: str) -> str:
    lower = detail.lower()
    if "expired" in lower:
        day = _UNTIL.search(detail)
        when = f"expired on {day[1]}" if day else "has expired"
        return f"the certificate {when}; the site has to renew it"
    if "not yet valid" in lower:
        day = _FROM.search(detail)
        return f"the certificate is not valid before {day[1] if day else 'a later day'}"
    if "self-signed" in lower or "self signed" in lower:
        return f"the certificate is signed by nobody known ({detail}); ca_file names your own"
    if "hostname mismatch" in lower or "not valid for" in lower or "ip address mismatch" in lower:
        return f"the certificate is for another name ({detail})"
    if "unable to get" in lower:
        return f"the certificate is signed by nobody known ({detail}); ca_file names your own"
    return _said("TLS failed")(detail)


def _of_dns(detail: str) -> str:
    lower = detail.lower()
    if "temporary" in lower or "try again" in lower or "servfail" in lower:
        return f"the name could not be looked up just now ({detail})"
    return _said("the host name has no address")(detail)


def _of_connection(detail: str) -> str:
    if "refused" in detail.lower():
        return "the connection was refused"
    return _said("no connection could be made")(detail)


_BY_RULE: Final[Mapping[str, Callable[[str], str]]] = {
    "failed-dns": _of_dns,
    "failed-connect": _of_connection,
    "failed-reset": _said("the connection broke"),
    "failed-tls": _of_tls,
    "failed-protocol": _said("the server sent what is not HTTP"),
    "failed-short_body": _said("the response broke off before its end"),
    "failed-encoding": _said("the response could not be decompressed"),
    "failed-redirect_loop": _said("redirect loop"),
    "failed-too_many_redirects": _said("too many redirects"),
    "failed-bad_redirect": _said("a redirect that leads nowhere"),
    "failed-headers_too_large": _said("more header fields than are taken"),
    "failed-robots_unavailable": _said("not asked: robots.txt could not be read"),
    "timed-out-connect": lambda _: "no connection in time",
    "timed-out-headers": lambda _: "the server took the request and said nothing in time",
    "timed-out-body": lambda _: "the server fell silent in the middle of the response",
    "timed-out-total": _said("no answer in time"),
    "denied-address": lambda detail: (
        f"not asked: {detail or 'the address is private'}; --allow-private asks it"
    ),
    "denied-robots": _said("not asked: robots.txt forbids it"),
    "denied-scope": _said("not asked: a rule of yours"),
    "denied-host": _said("not asked: a rule of yours"),
    "denied-forgotten": _said("not asked: it was forgotten on request"),
    "denied-scheme": _said("this is not an address that can be asked"),
    "denied-size": _said("it answered with more than is taken"),
    "redirected-away": _said("it redirects to where a rule of yours does not let it be asked"),
    "deferred": _said("left for a later run"),
}
