"""What changed, in words, feeds and JSON; a run's digest.

1. A digest is what a run found, as a person reads it in the morning: the news first, then the differences.
2. A feed is Atom (RFC 4287) or JSON Feed 1.1. Events and runs become entries. An entry's id is that of its
   event or run, so a reader shows each once.
3. Texts of the web are escaped; characters that XML cannot hold are dropped.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from html import escape
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from holdfast.core.base.figures import duration, rows, short, when
from holdfast.core.base.json_shape import (
    DATE_TIME,
    HASH,
    INTEGER,
    TEXT,
    array,
    at,
    described,
    one_of,
    optional,
    record,
)
from holdfast.core.base.shown_text import harmless, harmless_json, harmless_lines
from holdfast.core.base.values import dataclass
from holdfast.core.events.happenings import (
    Occurrence,
    diff_lines,
    facts_of,
    headline,
    subject_of_event,
)
from holdfast.core.lineage.event_kind import EventKind
from holdfast.core.lineage.ledger_values import Brought
from holdfast.core.lineage.lineage import RunRecord, RunStatus
from holdfast.core.page.section import SectionMove
from holdfast.core.url.redaction import shown
from holdfast.questions.log.compare import diff_table
from holdfast.questions.log.page_log import MOST, SECTIONS, move_lines, titles_of
from holdfast.questions.log.runs import counts_in_words, outcome_in_words, run_lines

if TYPE_CHECKING:
    from holdfast.questions.log.log import TargetLog
    from holdfast.questions.rows.question import Paint


def change_lines(events: Sequence[Occurrence], paint: Paint) -> Iterator[str]:
    """A table of what happened; below each page the sections that differ, below a link who cites it. Where it
    was in several mirrors, each row says in which.
    """
    mirrors = len({event.label for event in events}) > 1
    table = [("SEEN", "", "VERSION", "RUN", *(["MIRROR"] if mirrors else []), "URL", "TITLE")]
    for event in events:
        facts = (when(event.at), str(event.kind), f"v{event.version}" if event.version else "")
        mirror = [event.label or "-"] if mirrors else []
        title = event.title or facts_of(event)
        url = shown(event.url) or subject_of_event(event)
        table.append((*facts, short(event.run_id), *mirror, url, harmless(title)))
    head, *lines = rows(table)
    yield paint(head, "bold")
    for line, event in zip(lines, events, strict=True):
        yield line
        yield from move_lines(event.page.moved if event.page else (), paint)
        cited = [f"{one.document}:{one.line}" for one in event.citations]
        more = f" and {len(cited) - MOST} more" if len(cited) > MOST else ""
        yield from [paint(f"    cited in {harmless(', '.join(cited[:MOST]))}{more}", "dim")] if cited else []


def run_title(record: RunRecord) -> str:
    """One line: which run."""
    return f"{record.run.label}: {record.run.job} of {when(record.run.started_at)} UTC"


def run_words(found: TargetLog, paint: Paint) -> Iterator[str]:
    """A run: its facts, what it brought, what it found gone, what failed."""
    if found.run is not None:
        yield from run_lines((found.run,), paint)
    if found.changes:
        yield from change_lines(found.changes, paint)
    for page in found.gone:
        yield f"gone  {shown(page.place.url)}"
    for entry in found.failed:
        yield f"{entry.state}  {shown(entry.place.url)} ({entry.note.words})"


def log_html(found: TargetLog) -> Iterator[str]:
    """What happened as the body of an HTML page, with the differences."""
    if found.run is not None:
        counts = counts_in_words(found.run.tally.counts)
        yield f"<p>{escape(counts)} <span class=quiet>Run {short(found.run.run.run_id)}.</span></p>\n"
    for event in found.changes:
        url = escape(event.url)
        yield f"<h2>{escape(headline(event))}</h2>\n"
        facts = ", ".join(filter(None, (when(event.at), facts_of(event))))
        yield f'<p><a href="{url}" rel="noreferrer">{url}</a> {escape(facts)}</p>\n'
        if event.page is not None:
            yield from section_links(event.page.moved)
            if event.page.hunks:
                yield from diff_table(event.page.hunks)
    rest = [("Gone", page.place.url) for page in found.gone]
    rest += [(f"Failed ({entry.note.words})", entry.place.url) for entry in found.failed]
    if rest:
        yield "<ul>\n"
        yield from (f"<li>{escape(word)}: {escape(url)}</li>\n" for word, url in rest)
        yield "</ul>\n"


def section_links(moves: Sequence[SectionMove]) -> Iterator[str]:
    """The sections that differ, as HTML, each with its address."""
    if moves:
        links = (
            f'{m.change} <a href="{escape(m.url)}" rel="noreferrer">{escape(titles_of(m) or m.url)}</a>'
            for m in moves
        )
        yield f"<p class=quiet>Sections: {', '.join(links)}.</p>\n"


_LONGEST: Final = 20_000
"""Characters of a difference that an entry holds."""

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """Something that happened: a hash that names it, where it can be seen, when it was, a word for its kind,
    what it was in a sentence, and a longer text where there is one.
    """

    sha256: str
    url: str
    title: str
    at: datetime
    kind: str
    what: str
    text: str = ""


def event_entry(event: Occurrence) -> FeedEntry:
    """What happened to a page or a link."""
    kind, facts = event.kind.capitalize(), facts_of(event)
    what = f"{kind}: {facts}" if facts else kind
    text = "\n".join(diff_lines(event))[:_LONGEST]
    return FeedEntry(event.event_id, event.url, headline(event), event.at, kind, what, text)


def run_entries(
    runs: Iterable[tuple[RunRecord, Brought]], folder: str, page_of: Callable[[str], str]
) -> list[FeedEntry]:
    """The runs that are over, with what they brought; `page_of` says where one is shown."""
    return [_run_entry(*one, folder, page_of) for one in runs if one[0].status is not RunStatus.RUNNING]


def _run_entry(record: RunRecord, brought: Brought, folder: str, page_of: Callable[[str], str]) -> FeedEntry:
    run, kind = record.run, record.run.job.capitalize()
    outcome = ", ".join([str(record.status), *outcome_in_words(record, brought)])
    title = f"{kind} of {folder if run.label == '.' else run.label}: {outcome}"
    ended = record.ended_at or record.updated_at
    took = duration((ended - run.started_at).total_seconds())
    what = f"It began on {when(run.started_at)} UTC and took {took}."
    text = f"It ended with an error: {record.trouble}" if record.trouble else ""
    return FeedEntry(run.run_id, page_of(run.run_id), title, ended, kind, what, text)


def atom_feed(name: str, entries: Iterable[FeedEntry], updated: datetime) -> Iterator[str]:
    """An Atom document in pieces."""
    yield '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">\n'
    yield f"<title>{_xml(name)}</title>\n<id>urn:holdfast:mirror:{quote(name, safe='/:')}</id>\n"
    yield f"<updated>{_stamp(updated)}</updated>\n<generator>Holdfast</generator>\n"
    yield "<author><name>Holdfast</name></author>\n"
    for entry in entries:
        text = f"<pre>{_xml(entry.text)}</pre>" if entry.text else ""
        content = escape(f"<p>{_xml(entry.what)}</p>{text}")
        yield (
            f"<entry>\n<id>urn:sha256:{entry.sha256}</id>\n<title>{_xml(entry.title)}</title>\n"
            f'<link rel="alternate" href="{_xml(entry.url)}"/>\n<updated>{_stamp(entry.at)}</updated>\n'
            f'<content type="html">{content}</content>\n</entry>\n'
        )
    yield "</feed>\n"


def json_feed(name: str, entries: Iterable[FeedEntry]) -> str:
    """A JSON Feed document."""
    items = [
        {
            "id": f"urn:sha256:{entry.sha256}",
            "url": entry.url,
            "title": entry.title,
            "content_text": entry.text or entry.what,
            "date_published": _stamp(entry.at),
            "tags": [entry.kind],
        }
        for entry in entries
    ]
    feed = {"version": "https://jsonfeed.org/version/1.1", "title": name, "items": items}
    return harmless_json(json.dumps(feed, ensure_ascii=False, indent=2)) + "\n"


def _stamp(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")


def _xml(text: str) -> str:
    return escape(harmless_lines(_NOT_XML.sub("", text)))


CHANGE: Final = record(
    event_id=HASH,
    kind=one_of(EventKind),
    at=DATE_TIME,
    mirror=at("label", TEXT),
    url=TEXT,
    title=TEXT,
    run_id=HASH,
    version=optional(INTEGER),
    item_id=at(lambda event: event.page.item.item_id if event.page else None, optional(HASH)),
    last_seen=at(lambda event: event.page.now.last_seen if event.page else None, optional(DATE_TIME)),
    reason=TEXT,
    sections=at(lambda event: event.page.moved if event.page else (), SECTIONS),
    old=described(optional(TEXT), "What a cited URL was: its revision, state or address."),
    new=described(optional(TEXT), "What a cited URL is now."),
    cited_at=at("citations", array(record(document=TEXT, line=INTEGER))),
    diff=at(diff_lines, described(array(TEXT), "The lines that differ, where `differences` were asked for.")),
)
