"""A page: what it says, what it said, two versions beside each other, who points to it, the raw response."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import quote, urlsplit

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from holdfast.core.base.errors import HoldfastError, NotKeptError, UsageError
from holdfast.core.lineage.lineage import CaptureRecord
from holdfast.core.lineage.versions import PageVersion, choose
from holdfast.core.links.citation import Backlink
from holdfast.core.page.page import PageKind
from holdfast.faces.web.guard import RAW_HEADERS
from holdfast.faces.web.request import (
    PageRequest,
    Redirect,
    Responder,
    ShownPage,
    asked_moment,
    feed_of,
    of_today,
    row_page,
)
from holdfast.faces.web.safe_markdown import Beneath, OutlineEntry, SafePage, plain_page, safe_page
from holdfast.faces.web.shown import address, ago
from holdfast.questions.log.compare import PageDiff
from holdfast.questions.log.diff import Diff
from holdfast.questions.log.log import TargetLog
from holdfast.questions.log.log_forms import event_entry
from holdfast.questions.log.mirror_log import with_diff
from holdfast.questions.log.page_as_of import PageAsOf, page_as_of, up_to
from holdfast.questions.log.page_diffs import versions_compared
from holdfast.questions.log.page_log import PageHistory, version_events
from holdfast.questions.log.page_log import history as history_of
from holdfast.questions.rows.question import StoreAnswers, StorePart
from holdfast.questions.show import ShownTarget

if TYPE_CHECKING:
    from holdfast.questions.status import PageLinksOut

_STAMP: Final = re.compile(r"[0-9]{4,14}")
_SHOWN_TYPES: Final = (
    "text/html",
    "application/xhtml+xml",
    "text/plain",
    "image/png",
    "image/jpeg",
    "image/gif",
)
_FEED: Final = 30
_MANY: Final = 100
"""Links and citations that a page lists."""


def page(ask: PageRequest) -> ShownPage:
    """A page as it was last seen, or as it was in a version or at a date."""
    url = ask.required("url")
    known = ask.reader.ask(history_of, url=url)
    version = _version(known, ask.text("version") or ask.text("at"))
    is_latest = version is None or version.number == len(known.versions)
    found = _as_of(ask, url, None if is_latest else version)
    out = ask.reader.links_out(url)
    number = version.number if version else None
    changes = section_notes(ask, known, number)
    more = {
        "value": found,
        "known": known,
        "version": version,
        "is_latest": is_latest,
        "asked": asked_moment(ask.text("at") or ask.text("asked")),
        "body": _body(ask, found, out, changes),
        "changed": {name: note for name, note in changes.items() if note.version == number},
        "where": lambda other: address("s", ask.name, "page", url=known.url, version=other),
        "feed": address("s", ask.name, "history.atom", url=known.url),
        "links": out.links[:_MANY],
        "cited": ask.reader.backlinks(url),
        "cited_elsewhere": _cited_elsewhere(ask, url),
        "url": known.url,
        "live": found.record.final_url,
        "many": _MANY,
    }
    several = len(known.versions) > 1
    name = f" (version {number} of {len(known.versions)})" if number and several else ""
    answer = StoreAnswers("show", (StorePart(ask.name, ShownTarget(found)),))
    return ShownPage("page.html", "show", answer, f"{found.page.title or known.url}{name}", more)


def _as_of(ask: PageRequest, url: str, version: PageVersion | None) -> PageAsOf:
    """A page as it was in a version; without one as it was last seen."""
    at = up_to(version.first_seen if version else None)
    return ask.reader.ask(page_as_of, url=url, at=at)


def _cited_elsewhere(ask: PageRequest, url: str) -> list[tuple[str, Backlink]]:
    """Who cites a page in the other stores that are served."""
    found: list[tuple[str, Backlink]] = []
    for other in ask.others:
        with other.open() as reader:
            found += [(other.name, link) for link in islice(reader.citing(url), _MANY)]
    return found


def _version(known: PageHistory, name: str) -> PageVersion | None:
    """The version that was asked for, else the last."""
    if not known.versions:
        return None
    return choose(known.versions, name) if name else known.versions[-1]


class SectionNote(NamedTuple):
    """What last happened to a section, in which version, and when that was first seen."""

    change: str
    version: int
    at: datetime


def section_notes(ask: PageRequest, known: PageHistory, number: int | None) -> dict[str, SectionNote]:
    """What last happened to the sections of a version, by what they are called by: as the ledger knows it,
    or, where an earlier Holdfast did not write sections, by the difference to the version before.
    """
    notes: dict[str, SectionNote] = {}
    for version in known.versions[1:number]:
        for move in known.sections.get(version.capture.capture_id, ()):
            note = SectionNote(str(move.change), version.number, version.first_seen)
            if name := move.section.anchor or (move.section.path[-1] if move.section.path else ""):
                notes[name] = note
    if number is None or number < 2 or any(note.version == number for note in notes.values()):
        return notes
    at = known.versions[number - 1].first_seen
    found = ask.reader.ask(versions_compared, url=known.url, old=str(number - 1), new=str(number))
    for section in found.touched if found else ():
        if name := section.anchor or (section.headings[-1] if section.headings else ""):
            notes[name] = SectionNote(str(section.change), number, at)
    return notes


def _beneath(ask: PageRequest, url: str, notes: Mapping[str, SectionNote]) -> Beneath:
    """What stands beneath a heading whose section changed."""

    def beneath(entry: OutlineEntry) -> str:
        note = notes.get(entry.anchor or entry.text) or notes.get(entry.text)
        if note is None:
            return ""
        where = address("s", ask.name, "diff", url=url, a=note.version - 1, b=note.version)
        word = "new" if note.change == "new" else "changed"
        made = Markup('<p class="changed-here">▍ {} {} · <a href="{}">compare</a></p>\n')
        return str(made.format(word, ago(note.at), where))

    return beneath


def _body(
    ask: PageRequest, found: PageAsOf, out: PageLinksOut, notes: Mapping[str, SectionNote]
) -> SafePage | None:
    """The page's text as safe HTML; None where it is not a text."""
    made = found.page
    if made.kind is PageKind.OTHER:
        return None
    if made.kind is PageKind.TEXT and not _is_markdown(found.record):
        return plain_page(made.text)
    text = made.markdown if made.kind is PageKind.PAGE else made.text
    mirrored = {link.link.href.partition("#")[0] for link in out.links if link.is_mirrored}
    mirrored |= {link.link.target.url for link in out.links if link.is_mirrored}

    def leads(target: str) -> str | None:
        return ask.address("s", ask.name, "page", url=target) if target in mirrored else None

    anchors = [(section.path[-1], section.anchor) for section in made.structure.outline if section.path]
    beneath = _beneath(ask, found.record.place.url, notes)
    return safe_page(text, found.record.final_url, anchors, leads, beneath)


def _is_markdown(record: CaptureRecord) -> bool:
    return "markdown" in record.content_type or urlsplit(record.final_url).path.endswith((".md", ".markdown"))


def history(ask: PageRequest) -> ShownPage:
    """What a URL said, capture by capture."""
    known = ask.reader.ask(history_of, url=ask.required("url"))
    rows, following = ask.part(known.observations[::-1])
    feed = address("s", ask.name, "history.atom", url=known.url)
    more = {"value": known, "url": known.url, "rows": rows, "next_part": following, "feed": feed}
    found = TargetLog(version_events(known), known)
    return row_page(ask, "history.html", "log", found, f"History of {known.url}", **more)


def history_feed(ask: PageRequest) -> Response:
    """The versions of a page as a feed, for who follows it: Atom, or JSON."""
    known = ask.reader.ask(history_of, url=ask.required("url"))
    events = [ask.reader.ask(with_diff, event=event) for event in version_events(known)[:_FEED]]
    return feed_of(ask, known.url, [event_entry(event) for event in events])


def page_links(ask: PageRequest) -> ShownPage:
    """Where a page points to, and who points to it."""
    found = ask.reader.links_out(ask.required("url"))
    rows, following = ask.part(found.links)
    more = {
        "cited": ask.reader.backlinks(found.url),
        "url": found.url,
        "rows": rows,
        "next_part": following,
        "many": _MANY,
    }
    return ShownPage("page_links.html", "page-links", found, f"Links of {found.url}", of_today(ask, more))


def markdown(ask: PageRequest) -> Response:
    """The page's Markdown, as a text."""
    known = ask.reader.ask(history_of, url=ask.required("url"))
    version = _version(known, ask.text("version"))
    found = _as_of(ask, known.url, version)
    return Response(found.markdown, media_type="text/plain; charset=utf-8")


def raw(ask: PageRequest) -> Response:
    """The response as it came, for a frame in which nothing runs; what a browser would not show is a file."""
    known = ask.reader.ask(history_of, url=ask.required("url"))
    version = _version(known, ask.text("version"))
    found = _as_of(ask, known.url, version)
    kind = found.capture.content_type.partition(";")[0].strip().lower()
    if kind in _SHOWN_TYPES:
        media_type = found.capture.content_type if found.capture.content_type.isprintable() else kind
        return Response(found.capture.body, headers={**RAW_HEADERS, "content-type": _latin(media_type)})
    headers = {**RAW_HEADERS, "content-disposition": "attachment"}
    return Response(found.capture.body, headers=headers, media_type="application/octet-stream")


def _latin(text: str) -> str:
    return text.encode("ascii", "ignore").decode()


def diff(ask: PageRequest) -> ShownPage:
    """Two versions beside each other; by default the last two."""
    url = ask.required("url")
    old, new = ask.text("a") or None, ask.text("b") or None
    found = ask.reader.ask(versions_compared, url=url, old=old, new=new)
    if found is None or found.old is None or found.new is None:
        raise UsageError(
            f"nothing is known of {url}", hint="`holdfast mirror` or `holdfast check` sees it first"
        )
    known = ask.reader.ask(history_of, url=url)
    title = f"{found.title or known.url}: version {found.old.number} to {found.new.number}"
    more = {
        "known": known,
        "compared": found,
        "url": known.url,
        "live": known.url,
        "run": None,
        "later": None,
        "following": None,
    }
    return diff_page(ask, found, title, more)


def diff_page(ask: PageRequest, found: PageDiff | None, title: str, more: dict[str, Any]) -> ShownPage:
    """Two versions beside each other, and the answer of the row beside."""
    value = StoreAnswers("diff", (StorePart(ask.name, Diff((found,))),)) if found else None
    return ShownPage("diff.html", "diff", value, title, more)


def web(responder: Responder) -> Callable[[Request], Response]:
    """`/web/20260504/https://…`: the capture nearest to a date, as web archives do it."""

    def answer(request: Request) -> Response:
        try:
            return responder.respond(request, _nearest(responder, request), as_json=False)
        except HoldfastError as error:
            return responder.say_error(request, error, as_json=False)

    return answer


def _nearest(responder: Responder, request: Request) -> Redirect:
    stamp, url = request.path_params["date"], request.path_params["url"]
    if request.url.query:
        url += f"?{request.url.query}"
    if not url.startswith(("http://", "https://")):
        url = re.sub(r"\A(https?):/+", r"\1://", url)
    moment = _moment(stamp)
    best: tuple[float, str, PageVersion] | None = None
    for source in responder.sources:
        with source.open() as reader:
            versions = reader.ask(history_of, url=url).versions
        for version in versions:
            far = _distance(version, moment)
            if best is None or far < best[0]:
                best = (far, source.name, version)
    if best is None:
        raise NotKeptError(f"no copy of {url} was kept", hint="`holdfast mirror URL` keeps one")
    _, name, version = best
    at = f"{moment:%Y-%m-%d}" if moment else None
    where = address("s", name, "page", url=version.item.place.url, version=version.number, asked=at)
    return Redirect(quote(where, safe="/?&=%:+.,-_~"))


def _distance(version: PageVersion, moment: datetime | None) -> float:
    """How far a version is from a moment; one that was current then is not far at all."""
    if moment is None:
        return -version.first_seen.timestamp()
    if version.first_seen <= moment <= version.last_seen:
        return 0.0
    ends = (version.first_seen, version.last_seen)
    return min(abs((end - moment).total_seconds()) for end in ends)


def _moment(stamp: str) -> datetime | None:
    """`20260504`, `20260504120000`, or a part of it: its middle; `latest` and `*` are none."""
    if stamp in ("latest", "*", "now"):
        return None
    digits = stamp.replace("-", "")
    if not _STAMP.fullmatch(digits):
        raise UsageError(f"{stamp[:40]!r} is not a date", hint="such as /web/20260504/https://example.com/")
    whole = digits + "00000701120000"[len(digits) :] if len(digits) < 14 else digits
    try:
        return datetime.strptime(whole, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        raise UsageError(f"{stamp[:40]!r} is not a date", hint="such as /web/20260504/https://…") from None
