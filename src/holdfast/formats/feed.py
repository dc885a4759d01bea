"""What changed in a mirror, as a feed: Atom (RFC 4287) or JSON Feed 1.1.

An entry's id is that of its event, so a reader shows each once. Texts of the web are escaped;
characters that XML cannot hold are dropped.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from html import escape
from typing import Final

from holdfast.core.answers.events import Occurrence
from holdfast.core.event_words import diff_lines, facts_of, headline
from holdfast.core.shown_text import harmless_json, harmless_lines

__all__ = ["atom_feed", "json_feed"]

_LONGEST: Final = 20_000
"""Characters of a difference that an entry holds."""

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def atom_feed(name: str, events: Iterable[Occurrence], updated: datetime) -> Iterator[str]:
    """An Atom document in pieces."""
    yield '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">\n'
    yield f"<title>{_xml(name)}</title>\n<id>urn:holdfast:mirror:{_xml(name)}</id>\n"
    yield f"<updated>{_stamp(updated)}</updated>\n<generator>Holdfast</generator>\n"
    yield "<author><name>Holdfast</name></author>\n"
    for event in events:
        content = escape(f"<p>{_xml(_what(event))}</p><pre>{_xml(_text(event))}</pre>")
        yield (
            f"<entry>\n<id>urn:sha256:{event.event_id}</id>\n<title>{_xml(headline(event))}</title>\n"
            f'<link rel="alternate" href="{_xml(event.url)}"/>\n<updated>{_stamp(event.at)}</updated>\n'
            f'<content type="html">{content}</content>\n</entry>\n'
        )
    yield "</feed>\n"


def json_feed(name: str, events: Iterable[Occurrence]) -> str:
    """A JSON Feed document."""
    items = [
        {
            "id": f"urn:sha256:{event.event_id}",
            "url": event.url,
            "title": headline(event),
            "content_text": _text(event) or _what(event),
            "date_published": _stamp(event.at),
            "tags": [event.kind.capitalize()],
        }
        for event in events
    ]
    feed = {"version": "https://jsonfeed.org/version/1.1", "title": name, "items": items}
    return harmless_json(json.dumps(feed, ensure_ascii=False, indent=2)) + "\n"


def _what(event: Occurrence) -> str:
    facts = facts_of(event)
    return f"{event.kind.capitalize()}: {facts}" if facts else event.kind.capitalize()


def _text(event: Occurrence) -> str:
    return "\n".join(diff_lines(event))[:_LONGEST]


def _stamp(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")


def _xml(text: str) -> str:
    return escape(harmless_lines(_NOT_XML.sub("", text)))
