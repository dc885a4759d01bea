"""What changed in a mirror, as a feed: Atom (RFC 4287) or JSON Feed 1.1.

An entry's id is a function of its item, so a reader shows each change once. Texts of the web are escaped;
characters that XML cannot hold are dropped.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from html import escape

__all__ = ["FeedEntry", "atom_feed", "json_feed"]

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """One change: which item, of which URL, when, what happened, and the difference as text."""

    item_id: str
    url: str
    title: str
    at: datetime
    what: str
    text: str = ""


def atom_feed(name: str, entries: Iterable[FeedEntry], updated: datetime) -> Iterator[str]:
    """An Atom document in pieces."""
    yield '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">\n'
    yield f"<title>{_xml(name)}</title>\n<id>urn:holdfast:mirror:{_xml(name)}</id>\n"
    yield f"<updated>{_stamp(updated)}</updated>\n<generator>Holdfast</generator>\n"
    yield "<author><name>Holdfast</name></author>\n"
    for entry in entries:
        content = escape(f"<p>{_xml(entry.what)}</p><pre>{_xml(entry.text)}</pre>")
        yield (
            f"<entry>\n<id>urn:sha256:{entry.item_id}</id>\n<title>{_xml(_headline(entry))}</title>\n"
            f'<link rel="alternate" href="{_xml(entry.url)}"/>\n<updated>{_stamp(entry.at)}</updated>\n'
            f'<content type="html">{content}</content>\n</entry>\n'
        )
    yield "</feed>\n"


def json_feed(name: str, entries: Iterable[FeedEntry]) -> str:
    """A JSON Feed document."""
    items = [
        {
            "id": f"urn:sha256:{entry.item_id}",
            "url": entry.url,
            "title": _headline(entry),
            "content_text": entry.text or entry.what,
            "date_published": _stamp(entry.at),
            "tags": [entry.what],
        }
        for entry in entries
    ]
    feed = {"version": "https://jsonfeed.org/version/1.1", "title": name, "items": items}
    return json.dumps(feed, ensure_ascii=False, indent=2) + "\n"


def _headline(entry: FeedEntry) -> str:
    return f"{entry.what}: {entry.title or entry.url}"


def _stamp(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")


def _xml(text: str) -> str:
    return escape(_NOT_XML.sub("", text))
