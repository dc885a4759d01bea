"""What a mirror would fetch, and what one start of it came to: value, exit status, words, JSON.

The words say how a mirror went, and what to do next. What to do about a page that could not be mirrored
follows from the words in which it is told why (`describe`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Final, NamedTuple

from holdfast.core.base.errors import ExitStatus
from holdfast.core.base.figures import counted, counted_by, duration, size
from holdfast.core.base.json_shape import (
    BOOLEAN,
    HASH,
    INTEGER,
    NUMBER,
    TEXT,
    WEB_URL,
    Schema,
    array,
    at,
    counts_of,
    one_of,
    optional,
    record,
    sometimes,
)
from holdfast.core.base.values import dataclass
from holdfast.core.crawl.decision import Ending
from holdfast.core.crawl.updates import Fate, Happening, UpdateReport, tally
from holdfast.core.lineage.lineage import NOT_ASKED, failed_pages, is_empty_handed
from holdfast.core.web.capture import Denial, Failure


class PlannedPage(NamedTuple):
    """What a mirror would fetch, and the path that it would have."""

    url: str
    path: str


@dataclass(frozen=True, slots=True)
class SummaryCounts:
    """How many pages ended how, were refused or warned about for which reason, and were new or changed."""

    outcomes: Mapping[str, int] = field(default_factory=dict)
    refused: Mapping[str, int] = field(default_factory=dict)
    warnings: Mapping[str, int] = field(default_factory=dict)
    changes: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SummaryRemarks:
    """What is worth a sentence: the failure that ended the run (`abort`), lists that could not be read
    (`partial_discovery`), that nothing was new (`is_quiet`), what failed, advice, and the first addresses of
    pages that are larger than `max_page_bytes`.
    """

    abort: str | None = None
    partial_discovery: bool = False
    is_quiet: bool = False
    troubles: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    too_large: tuple[str, ...] = ()
    max_page_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Summary:
    """What one start of a mirror came to; `update` is there with `--update`."""

    run_id: str
    status: Ending
    resumed: bool
    pages: int
    processed: int
    total: int
    seconds: float
    counts: SummaryCounts
    remarks: SummaryRemarks
    seal: str | None = None
    update: UpdateReport | None = None
    output: str = ""

    @property
    def outcomes(self) -> Mapping[str, int]:
        """How many pages ended how."""
        return self.counts.outcomes

    @property
    def refused(self) -> Mapping[str, int]:
        """How many were refused, by reason."""
        return self.counts.refused

    @property
    def warnings(self) -> Mapping[str, int]:
        """How many have which warning."""
        return self.counts.warnings

    @property
    def changes(self) -> Mapping[str, int]:
        """How many are new, changed, and so on."""
        return self.counts.changes

    @property
    def failed(self) -> int:
        """How many pages failed or could not be written."""
        return failed_pages(self.outcomes)


def exit_status(summary: Summary) -> ExitStatus:
    """The exit status of STA-2."""
    match summary.status:
        case Ending.INTERRUPTED:
            return ExitStatus.INTERRUPTED
        case Ending.NO_SPACE:
            return ExitStatus.NO_SPACE
        case Ending.ABORTED:
            return ExitStatus.FAILED
        case Ending.FINISHED | Ending.MAX_PAGES:
            return _status_of_pages(summary)


def _status_of_pages(summary: Summary) -> ExitStatus:
    # a start that goes on has what the ones before it made
    nothing = is_empty_handed(summary.pages, summary.outcomes) and not summary.resumed
    if summary.failed and nothing:
        return ExitStatus.FAILED
    return ExitStatus.FINDINGS if summary.failed or nothing else ExitStatus.SUCCESS


ON_TLS: Final = "a certificate was not trusted; if it is one of your own, --ca-file names its issuer's file"

_NEWS: Final = 50
_LARGE_PAGES: Final = 3
_TOO_LARGE: Final = "too large"
_NOISE: Final = "noise: "
_ENDINGS: Final = {
    Ending.FINISHED: "finished",
    Ending.MAX_PAGES: "stopped at --max-pages",
    Ending.INTERRUPTED: "interrupted",
    Ending.ABORTED: "ended at the first failure",
    Ending.NO_SPACE: "ended: the disk is too full",
}
_WARNINGS: Final = {
    "empty_shell": ("looks like an empty JavaScript shell", "look like empty JavaScript shells"),
    "soft_404": ("looks like an error page", "look like error pages"),
    "login_wall": ("looks like a login wall", "look like login walls"),
    "consent_wall": ("looks like a consent wall", "look like consent walls"),
    "decoding": ("had malformed characters", "had malformed characters"),
    "too_large": ("was too large to convert", "were too large to convert"),
    "too_complex": (
        "has more markup than is read: all of its text is there, not all of its form",
        "have more markup than is read: all of their text is there, not all of their form",
    ),
}
_TLS: Final = "failed (tls)"
_DONE_BEFORE: Final = "already done"
_LEAST: Final = "--min-free-mb says how many megabytes must stay free, 100 unless set"
_MANY: Final = 500
"""Pages of one run after which a site's owner may want to know who asks (MIR-13)."""


def report_lines(summary: Summary, output: str) -> Iterator[str]:
    """The summary for a person."""
    ending = _ENDINGS[summary.status]
    before = _made_before(summary)
    rate = summary.processed / summary.seconds if summary.seconds > 0 else 0.0
    time = duration(summary.seconds) + (f", {rate:.1f} URLs/s" if summary.processed and not before else "")
    earlier = f", {before} of them before this start" if before else ""
    yield f"{ending}: {_came_to(summary)} in {output}{earlier} ({time})"
    if summary.remarks.abort:
        yield f"  the failure: {summary.remarks.abort}"
    if summary.update:
        yield from _update_lines(summary.update)
    elif summary.changes:
        yield f"  content: {_list(summary.changes)}"
    yield from _budget_lines(summary)
    told = {"page", "failed", NOT_ASKED, _TOO_LARGE} if summary.update else {"page", _TOO_LARGE}
    shown = {word: count for word, count in summary.outcomes.items() if word not in told}
    if shown:
        yield f"  others: {_list(shown)}"
    noise = {word: count for word, count in summary.refused.items() if word.startswith(_NOISE)}
    refused = {word: count for word, count in summary.refused.items() if word not in noise}
    if refused:
        yield f"  refused: {_list(refused)}"
    if noise:
        words = {word.removeprefix(_NOISE): count for word, count in noise.items()}
        yield f"  left out as noise: {_list(words)} (--keep-noise '*' keeps it)"
    if not summary.remarks.abort:
        news = _news(summary.update)[:_NEWS] if summary.update else []
        named = tuple(f"{happening.fate}: {happening.url}: " for happening in news)
        yield from (f"  {trouble}" for trouble in summary.remarks.troubles if not trouble.startswith(named))
    for word, count in summary.warnings.items():
        one, many = _WARNINGS.get(word, (word, word))
        yield f"  warning: {counted(count, 'page')} {one if count == 1 else many}"
    if count := summary.outcomes.get(_TOO_LARGE, 0):
        yield f"  warning: {_too_large(count, summary)}"


def _budget_lines(summary: Summary) -> Iterator[str]:
    """What an update with a budget did not ask for."""
    if summary.update and summary.update.budget is not None:
        number = summary.outcomes.get(NOT_ASKED, 0)
        yield f"  {number:,} not asked: --max-pages {summary.update.budget}; the next run goes on with them"


def _too_large(count: int, summary: Summary) -> str:
    """That pages are over the limit, and which."""
    limit = size(summary.remarks.max_page_bytes).replace(".0 ", " ")
    named = summary.remarks.too_large[:_LARGE_PAGES]
    more = f" and {count - len(named):,} more" if count > len(named) else ""
    which = f"{counted(count, 'page')} {'is' if count == 1 else 'are'} larger than max_page_bytes ({limit})"
    return f"{which}: {', '.join(named)}{more}; --max-page-bytes raises it"


def _made_before(summary: Summary) -> int:
    """How many of the run's pages an earlier start of it made: everything else is counted from this start."""
    return summary.pages - summary.outcomes.get("page", 0) if summary.resumed else 0


def _came_to(summary: Summary) -> str:
    """Pages that are new; without any, whether that is because everything failed."""
    if summary.pages:
        return counted(summary.pages, "page")
    if not summary.failed:
        return "nothing new"
    nothing = is_empty_handed(summary.pages, summary.outcomes)
    return "everything failed, no page" if nothing else f"nothing new, {summary.failed} failed"


def _update_lines(report: UpdateReport) -> Iterator[str]:
    """A table of what happened, and every page of which there is news."""
    counts = tally(report.happenings)
    width = max(map(len, counts), default=0)
    for words, count in counts.items():
        yield f"  {words:<{width}}  {count:>7,}"
    news = _news(report)
    for happening in news[:_NEWS]:
        yield f"  {happening}  {happening.url}"
    if len(news) > _NEWS:
        yield f"  … and {len(news) - _NEWS:,} more; --json lists them all"
    if report.deleted:
        yield f"  deleted: {len(report.deleted)}"
    if report.held_back:
        yield f"  held back: {report.held_back}"


def _news(report: UpdateReport) -> list[Happening]:
    return [happening for happening in report.happenings if happening.fate is not Fate.UNCHANGED]


def hints(summary: Summary, command: str, contact: str = "") -> Iterator[str]:
    """What to do next; `contact` is what the site was told of who asks."""
    again = {
        Ending.INTERRUPTED: f"to go on: {command}",
        Ending.NO_SPACE: f"to go on, once there is room: {command}  ({_LEAST})",
        Ending.ABORTED: f"to try again: {command}  (or --on-error skip, to go on past failures)",
        Ending.MAX_PAGES: "start again with a higher --max-pages to go on",
    }
    if summary.status in again and not (summary.update and summary.update.budget is not None):
        yield again[summary.status]
        return
    if summary.update is None and not summary.pages and set(summary.outcomes) == {_DONE_BEFORE}:
        yield "nothing was asked, for this mirror is complete; --update asks the site what changed"
    if summary.failed:
        yield "why pages failed is in _failed.log; the same command tries them again"
    if any(_TLS in trouble for trouble in summary.remarks.troubles):
        yield ON_TLS
    if summary.outcomes.get("skipped"):
        yield "what was skipped, and why, is in _skipped/"
    yield from summary.remarks.hints
    if summary.warnings.get("empty_shell"):
        yield "pages that need JavaScript come out empty; see whether the site has another form of them"
    has_pages = not is_empty_handed(summary.pages, summary.outcomes)
    yield from _hints_on_refusals(summary.refused, has_pages=has_pages)
    if not contact and summary.pages >= _MANY:
        yield "say who asks for so many pages: --contact you@example.org is sent in the user agent"


def _hints_on_refusals(refused: Mapping[str, int], *, has_pages: bool) -> Iterator[str]:
    if not has_pages and refused.get("redirected out of scope"):
        yield "the start leads to another host or folder: begin there, or add it with --allow-host"
    if not has_pages and refused.get("robots"):
        yield "robots.txt does not want this to be fetched; --no-robots is your decision"
    if refused.get("address"):
        yield "private and loopback addresses are refused unless you name them; --allow-private admits them"
    if any(word.startswith("trap:") for word in refused):
        yield "links led into what looks like an endless space; --trap-pages 0 --trap-similar 0 goes on"


def _list(counts: Mapping[str, int]) -> str:
    return ", ".join(counted_by(count, word) for word, count in counts.items())


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
    Denial.ROBOTS: "robots.txt does not want it to be fetched; --no-robots is your decision.",
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


MIRROR_PLAN: Final = Schema(
    "mirror-plan",
    "One line of `holdfast mirror --dry-run --json`.",
    record(url=WEB_URL, path=TEXT),
    is_line=True,
)

_UPDATE: Final = record(
    counts=at(lambda report: tally(report.happenings), counts_of()),
    pages=at("happenings", array(record(url=WEB_URL, fate=one_of(Fate), why=TEXT))),
    deleted=array(TEXT),
    held_back=optional(TEXT),
)

MIRROR_SUMMARY: Final = Schema(
    "mirror-summary",
    "What `holdfast mirror --json` prints at the end; `update` is there with `--update`.",
    record(
        output=TEXT,
        run_id=HASH,
        status=one_of(("finished", "max_pages", "interrupted", "aborted", "no_space")),
        resumed=BOOLEAN,
        pages=INTEGER,
        processed=INTEGER,
        total=INTEGER,
        seconds=at(lambda summary: round(summary.seconds, 3), NUMBER),
        outcomes=counts_of(),
        refused=counts_of(),
        warnings=counts_of(),
        changes=counts_of(),
        partial_discovery=at("remarks.partial_discovery", BOOLEAN),
        troubles=at("remarks.troubles", array(TEXT)),
        too_large=at("remarks.too_large", array(TEXT)),
        max_page_bytes=at("remarks.max_page_bytes", INTEGER),
        seal=optional(HASH),
        update=sometimes("update", _UPDATE),
    ),
)
