"""The codes of rules, and the rules that speak of the states of links; all others are in
`core.findings.report`.

1. A code is for ever: it may be retired, it is never given to something else. Suppressions, dashboards
   and baselines of other people's tools are keyed by it.
2. A new state is a row of `core.links.link_state`, the answer that gives it in `core.links.evidence`, and
   its code and rule here: schemas, reports, SARIF and the pages follow.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from holdfast.core.base.values import dataclass


class Level(StrEnum):
    """How loud a finding is; the words are SARIF's."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class RuleCode(StrEnum):
    """Every code there is."""

    NOT_FOUND = "HF001"
    GONE = "HF002"
    TIMEOUT = "HF003"
    DNS_ERROR = "HF004"
    CONNECT_ERROR = "HF005"
    TLS_ERROR = "HF006"
    SERVER_ERROR = "HF007"
    SOFT_404 = "HF008"
    FRAGMENT_MISSING = "HF010"
    SECTION_CHANGED = "HF011"
    PAGE_CHANGED = "HF012"
    MOVED_PERMANENT = "HF020"
    MOVED_TEMPORARY = "HF021"
    INSECURE = "HF022"
    TRACKER = "HF023"
    AUTH_REQUIRED = "HF030"
    BOT_BLOCKED = "HF031"
    RATE_LIMITED = "HF032"
    REFUSED = "HF033"
    UNSUPPORTED = "HF034"
    TOO_LARGE = "HF035"
    UNCHECKED = "HF036"
    LOGIN_WALL = "HF037"
    CONSENT_WALL = "HF038"
    EMPTY_SHELL = "HF039"
    IGNORE_EXPIRED = "HF040"
    IGNORE_UNUSED = "HF041"
    IGNORE_UNCLEAR = "HF042"
    DOCUMENT_UNREADABLE = "HF043"
    FILE_MISSING = "HF050"
    FILE_CASE = "HF051"
    ANCHOR_MISSING = "HF052"
    MAIL_MALFORMED = "HF053"


@dataclass(frozen=True, slots=True)
class ReportRule:
    """A rule: code, name for machines, a sentence, how loud at most, what it means, what to do."""

    code: RuleCode
    name: str
    sentence: str
    level: Level
    meaning: str
    remedy: str


_CONFIRMED: Final = (
    "It is a warning until it is confirmed, then an error. Confirmed means seen again at a second look."
)
_REPEATED: Final = (
    "It is a warning until it is confirmed, then an error. Confirmed means seen at three looks over "
    "at least 48 hours: servers are down for a night without being dead."
)
REPLACE: Final = (
    "Find where the content went, or cite a copy: `holdfast show URL` opens the copy that Holdfast "
    "kept, if there is one. If the link has to stay, ignore it with a reason: `holdfast: ignore "
    "REASON` in a comment."
)
BY_HAND: Final = (
    "Open it in a browser. If it is fine and stays so, list its host in `skip_hosts`, or ignore the "
    "link with a reason."
)
THEN: Final = REPLACE[0].lower() + REPLACE[1:]

LINK_RULES: Final = (
    ReportRule(
        RuleCode.NOT_FOUND,
        "not-found",
        "The server has no such page.",
        Level.ERROR,
        f"The server answered 404. {_CONFIRMED}",
        REPLACE,
    ),
    ReportRule(
        RuleCode.GONE,
        "gone",
        "The server says that the page is gone for good.",
        Level.ERROR,
        f"The server answered 410. {_CONFIRMED}",
        REPLACE,
    ),
    ReportRule(
        RuleCode.TIMEOUT,
        "timeout",
        "There was no answer in time.",
        Level.ERROR,
        f"No connection, no first byte or no whole response came within the time allowed. {_REPEATED}",
        f"Nothing at first. If it stays: {THEN}",
    ),
    ReportRule(
        RuleCode.DNS_ERROR,
        "dns-error",
        "The host name has no address.",
        Level.ERROR,
        f"The name could not be resolved. {_REPEATED}",
        f"Look for a typing error in the host. If there is none: {THEN}",
    ),
    ReportRule(
        RuleCode.CONNECT_ERROR,
        "connect-error",
        "There was no connection, or it broke.",
        Level.ERROR,
        f"The connection was refused, reset, or closed before the response was whole. {_REPEATED}",
        REPLACE,
    ),
    ReportRule(
        RuleCode.TLS_ERROR,
        "tls-error",
        "TLS failed: the certificate is not trusted, or the secure connection broke.",
        Level.ERROR,
        f"The certificate has expired, is for another name, or is signed by nobody known. {_REPEATED}",
        "Tell whoever runs the site. A certificate of your own can be named in `ca_file`; "
        "verification cannot be turned off.",
    ),
    ReportRule(
        RuleCode.SERVER_ERROR,
        "server-error",
        "The server failed.",
        Level.ERROR,
        f"It answered with a 5xx status, redirected in circles, or sent what is not HTTP. {_REPEATED}",
        REPLACE,
    ),
    ReportRule(
        RuleCode.FRAGMENT_MISSING,
        "fragment-missing",
        "The page is there, the cited section is not.",
        Level.WARNING,
        "The link has a fragment (`page#section`, or `page#:~:text=words`), and the page has no such "
        "id, no such name, no heading that such an id is generated from, and no such words. Routes "
        "(`#/x`, `#!x`) and line numbers (`#L12`) are not judged. Pages that are built by JavaScript, "
        "and walls, are not judged either.",
        "Cite the section's new id, or the page. `holdfast show URL` shows the page as it was when it "
        "had the section.",
    ),
    ReportRule(
        RuleCode.PAGE_CHANGED,
        "page-changed",
        "The page says something else than before.",
        Level.NOTE,
        "The text of the page changed, in two successive looks: it has a new revision. `drift` is 0 "
        "for the same words and 1 for none in common. For a link to a section it says besides that "
        "the section itself did not change.",
        "Read it (`holdfast diff URL`) and see whether your sentence still holds.",
    ),
    ReportRule(
        RuleCode.MOVED_PERMANENT,
        "moved-permanent",
        "The page moved for good.",
        Level.NOTE,
        "Every redirect on the way to the page is permanent (301 or 308).",
        "`holdfast fix` replaces the link once the redirect was seen at two looks. It leaves alone "
        "redirects that lose what was cited: to a front page, a page above, a login, an error page, a page "
        "without the cited section, a place where other pages end too, or a text that is another one.",
    ),
    ReportRule(
        RuleCode.MOVED_TEMPORARY,
        "moved-temporary",
        "The page answers from elsewhere for now.",
        Level.NOTE,
        "A redirect on the way is temporary (302, 303, 307). The cited URL is still the one to cite.",
        "Nothing.",
    ),
    ReportRule(
        RuleCode.AUTH_REQUIRED,
        "auth-required",
        "401 or 403: the server refuses programs, or wants a login.",
        Level.NOTE,
        "The server answered 401, 402, 403 or 407. Nobody can tell from outside whether the page is "
        "there: it is neither dead nor alive.",
        BY_HAND,
    ),
    ReportRule(
        RuleCode.BOT_BLOCKED,
        "bot-blocked",
        "The server turns programs away.",
        Level.NOTE,
        "The answer was a challenge for browsers, or the status 999, or a page that promises another "
        "one. The link is neither dead nor alive.",
        BY_HAND,
    ),
    ReportRule(
        RuleCode.RATE_LIMITED,
        "rate-limited",
        "The server asked for fewer requests.",
        Level.NOTE,
        "The server answered 429, or 403 with a spent allowance, or asked to wait longer than is "
        "waited. It will be asked again at a later run.",
        "Nothing; or wait longer (`max_wait`), or ask more slowly (`content_rate_limit`).",
    ),
    ReportRule(
        RuleCode.REFUSED,
        "refused",
        "A rule of yours, of robots.txt or of the server forbids it.",
        Level.NOTE,
        "A rule of yours, the address guard, robots.txt (if you obey it for links), or a 4xx status "
        "that says nothing about the page kept Holdfast from asking or the server from answering.",
        "Look at the evidence. For private addresses there is `allow_private`.",
    ),
    ReportRule(
        RuleCode.UNSUPPORTED,
        "unsupported",
        "The URL is not one that can be asked.",
        Level.NOTE,
        "It has a scheme other than http and https, is a template (`https://host/{id}`), or is not a URL.",
        "Look for a typing error.",
    ),
    ReportRule(
        RuleCode.TOO_LARGE,
        "too-large",
        "It answered with more than is taken.",
        Level.NOTE,
        "The response is larger than the ceilings allow. The link is alive; its content is not tracked.",
        "Raise `max_body_bytes` if its content matters.",
    ),
    ReportRule(
        RuleCode.UNCHECKED,
        "unchecked",
        "Nobody asked yet.",
        Level.NOTE,
        "The link was never asked, though others were: the run was interrupted, or limited to a change.",
        "Run `holdfast check --fetch-urls` again.",
    ),
)
"""The rules of the states of links, in the order of their codes."""
