"""Documents, what they cite, and what is known of it; joined with mirrored pages by `web` key (ID-12)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final

from holdfast.core.base.hashing import ContentHash, UrlKey
from holdfast.core.lineage.chapters import CITATIONS
from holdfast.core.lineage.event_kind import EventKind
from holdfast.core.links.citation import (
    Backlink,
    Bid,
    Citation,
    CitedPlace,
    Document,
    LedgerEvent,
    PlacesWanted,
    read_cursor,
)
from holdfast.core.links.link_state import LinkState, Looks
from holdfast.core.page.page import LinkKind, Mention, Span
from holdfast.core.web.capture import Validators
from holdfast.storage.ledger.columns import (
    detail_of,
    detail_text,
    marks,
    micros,
    moment,
    moment_or_none,
    notes_of,
    notes_text,
    place_of,
    to_micros_or_none,
)
from holdfast.storage.ledger.database import Change, Row

if TYPE_CHECKING:
    from holdfast.storage.ledger.connection import LedgerSession

_CITATION: Final = """
SELECT d.path, u.url, u.url_key, u.web_key, c.fetch_url, c.fragment, c.ignored, c.finding, c.raw, c.text,
       c.kind, c.span_start, c.span_end, c.line, c.col, c.utf16_col,
       c.used_start, c.used_line, c.used_col, c.used_utf16_col
"""
_OF_DOCUMENT: Final = """
FROM document d JOIN citation c ON c.document_id = d.document_id JOIN url u ON u.url_id = c.url_id
"""
_OF_URL: Final = """
FROM url u JOIN citation c ON c.url_id = u.url_id JOIN document d ON d.document_id = c.document_id
"""
_IN_ORDER: Final = " ORDER BY d.path, c.ord"
_DOCUMENT: Final = """
INSERT INTO document (path, bid, digest, size, mtime_ns, read_at) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (path) DO UPDATE SET bid = excluded.bid, digest = excluded.digest, size = excluded.size,
    mtime_ns = excluded.mtime_ns, read_at = excluded.read_at
RETURNING document_id
"""
_CITATION_COLUMNS: Final = (
    "document_id, ord, url_id, host_id, fetch_url, fragment, raw, text, kind, span_start, span_end, line,"
    " col, utf16_col, ignored, finding, used_start, used_line, used_col, used_utf16_col"
)
_EVENT_COLUMNS: Final = "at, kind, url_id, old, new, detail"
_PLACE: Final = """
SELECT p.url, u.url_key, u.web_key, p.url_bid, p.state, p.fetch_url, p.checked_at, p.status, p.final_url,
       p.bid, p.content_sha256, p.fetched_at, p.etag, p.last_modified, p.failures, p.failing_since, p.evidence
FROM cited_place p CROSS JOIN url u WHERE u.url_id = p.url_id
"""
_TIMES: Final = {"age": "p.failing_since", "asked": "p.checked_at"}
_PLACE_COLUMNS: Final = (
    "web_key, url_id, url_bid, state, fetch_url, checked_at, status, final_url, bid, content_sha256,"
    " fetched_at, etag, last_modified, failures, failing_since, evidence"
)
_PUT: Final = """
ON CONFLICT (web_key) DO UPDATE SET url_id = excluded.url_id, url_bid = excluded.url_bid,
    state = excluded.state, fetch_url = excluded.fetch_url, checked_at = excluded.checked_at,
    status = excluded.status, final_url = excluded.final_url, bid = excluded.bid,
    content_sha256 = excluded.content_sha256, fetched_at = excluded.fetched_at, etag = excluded.etag,
    last_modified = excluded.last_modified, failures = excluded.failures,
    failing_since = excluded.failing_since, evidence = excluded.evidence
"""
# A file's trigger would write a row that comes without these two a second time, into every index.
_KEPT_BESIDE: Final = """
(SELECT u.url FROM url u WHERE u.url_id = $2),
EXISTS (SELECT 1 FROM url u JOIN citation c ON c.url_id = u.url_id WHERE u.web_key = $1)
"""
_PUT_PLACE: Final = Change(
    f"""INSERT INTO cited_place ({_PLACE_COLUMNS}, url, is_cited)
    VALUES ({marks(16)}, {_KEPT_BESIDE}) {_PUT}""",
    f"""INSERT INTO cited_place ({_PLACE_COLUMNS})
    SELECT web_key, url_id, url_bid, state, fetch_url, checked_at::bigint, status::bigint, final_url, bid,
    content_sha256::bytea, fetched_at::bigint, etag, last_modified, failures, failing_since::bigint, evidence
    FROM ({{}}) AS w ({_PLACE_COLUMNS}) ORDER BY web_key {_PUT}""",
)
_STATES: Final = {str(state): state for state in LinkState}
_KINDS: Final = {str(kind): kind for kind in LinkKind}
# Of the URLs that share a key, the first that is cited stands for all; the row is their first citation.
_UNCHARTED: Final = f"""
{_CITATION} FROM (SELECT DISTINCT url_id FROM citation) AS cited CROSS JOIN url m
CROSS JOIN document d CROSS JOIN citation c CROSS JOIN url u
WHERE m.url_id = cited.url_id AND NOT EXISTS (SELECT 1 FROM cited_place p WHERE p.web_key = m.web_key)
AND NOT EXISTS (SELECT 1 FROM url e JOIN citation x ON x.url_id = e.url_id
                WHERE e.web_key = m.web_key AND e.url_id < m.url_id)
AND d.document_id = (SELECT y.document_id FROM url e JOIN citation x ON x.url_id = e.url_id
                     JOIN document y ON y.document_id = x.document_id
                     WHERE e.web_key = m.web_key ORDER BY y.path LIMIT 1)
AND c.document_id = d.document_id
AND c.ord = (SELECT min(x.ord) FROM url e JOIN citation x ON x.url_id = e.url_id
             WHERE e.web_key = m.web_key AND x.document_id = d.document_id)
AND u.url_id = c.url_id
"""

# Few citations are put in order. Many are found in order, one document after another: nothing is gathered,
# and the first is found at once.
_FEW: Final = 5_000
_ARE_FEW: Final = """
SELECT count(*) FROM (
    SELECT 1 FROM citation WHERE host_id = (SELECT host_id FROM host WHERE name = $1) LIMIT $2) AS found
"""
_BY_DOCUMENT: Final = """
FROM document d CROSS JOIN citation c CROSS JOIN url u
WHERE c.document_id = d.document_id AND u.url_id = c.url_id
"""
_BY_HOST: Final = """
FROM citation c CROSS JOIN document d CROSS JOIN url u
WHERE d.document_id = c.document_id AND u.url_id = c.url_id
"""
_ON_HOST: Final = "AND c.host_id = (SELECT host_id FROM host WHERE name = $1)"
_WILD: Final = re.compile(r"[*?[]")


class CitationTable:
    """Documents, the URLs they cite, and what became of those (TRK-8)."""

    def __init__(self, session: LedgerSession) -> None:
        self._session = session
        self._db = session.db

    def put_documents(self, documents: Iterable[tuple[Document, Sequence[Citation]]]) -> None:
        """Replace documents whole. URLs and hosts get their numbers before the first citation is written: a
        key that moves has to find the citations of before.
        """
        documents = tuple(documents)
        places = [citation.place for _, citations in documents for citation in citations]
        with self._session.writing():
            self._session.touch(CITATIONS)
            urls = self._session.places.numbers(places)
            hosts = self._session.places.host_numbers({place.host for place in places})
            for document, citations in documents:
                facts = (document.digest, document.size, document.mtime_ns, micros(document.read_at))
                number = self._db.number(_DOCUMENT, (document.path, document.bid, *facts))
                self._db.execute("DELETE FROM citation WHERE document_id = $1", (number,))
                rows = [
                    (number, ord_, urls[c.place.key], hosts[c.place.host], *_citation_columns(c))
                    for ord_, c in enumerate(citations)
                ]
                self._db.append("citation", _CITATION_COLUMNS, rows)

    def drop_documents(self, paths: Collection[str]) -> None:
        """Write that documents were deleted; the places they cited stay known."""
        rows = [(path,) for path in paths]
        of_path = "(SELECT document_id FROM document WHERE path = $1)"
        with self._session.writing():
            self._session.touch(CITATIONS)
            self._db.execute_many(f"DELETE FROM citation WHERE document_id = {of_path}", rows)
            self._db.execute_many("DELETE FROM document WHERE path = $1", rows)

    def documents(self) -> Iterator[Document]:
        """Read all documents, by path."""
        sql = "SELECT path, bid, digest, size, mtime_ns, read_at FROM document ORDER BY path"
        for row in self._db.stream(sql):
            yield Document(row[0], Bid(row[1]), row[2], row[3], row[4], moment(row[5]))

    def of_document(self, path: str) -> tuple[Citation, ...]:
        """Read what a document cites, in the order it stands there."""
        rows = self._db.rows(_CITATION + _OF_DOCUMENT + "WHERE d.path = $1" + _IN_ORDER, (path,))
        return tuple(_citation(row) for row in rows)

    def put_places(self, places: Iterable[CitedPlace], events: Iterable[LedgerEvent] = ()) -> None:
        """Write what is known of cited URLs, and what happened, in one transaction."""
        places, events = tuple(places), tuple(events)
        with self._session.writing():
            self._session.touch(CITATIONS)
            urls = self._session.places.numbers(
                [*(place.place for place in places), *(event.place for event in events)]
            )
            last = {place.place.web_key: place for place in places}
            rows = [_place_columns(place, urls[place.place.key]) for place in last.values()]
            self._db.change(_PUT_PLACE, rows)
            happened = [_event_columns(event, urls[event.place.key]) for event in events]
            self._db.append("event", _EVENT_COLUMNS, happened)

    def place(self, web_key: UrlKey) -> CitedPlace | None:
        """Read what is known of a URL."""
        row = self._db.row(_PLACE + "AND p.web_key = $1", (bytes.fromhex(web_key),))
        return _place(row) if row else None

    def places(self, states: Collection[LinkState] = (), *, cited: bool = True) -> Iterator[CitedPlace]:
        """Read places by URL, of these states where some are named; only those still cited unless told."""
        parts = [_PLACE + (" AND p.is_cited = 1" if cited else "")]
        if wanted := tuple(dict.fromkeys(states)):
            parts = [f"{parts[0]} AND p.state = ${n}" for n, _ in enumerate(wanted, 1)]
        for row in self._db.stream(f"{' UNION ALL '.join(parts)} ORDER BY 1", wanted):
            yield _place(row)

    def places_part(self, wanted: PlacesWanted, limit: int) -> tuple[CitedPlace, ...]:
        """Read at most so many places, in the order and from the place in it that is wanted; those that
        nobody cites any more among them.
        """
        sql, values = _in_order(wanted)
        rows = self._db.rows(f"{sql} LIMIT ${len(values) + 1}", (*values, limit))
        return tuple(_place(row) for row in rows)

    def count_states(self) -> dict[LinkState, int]:
        """Read how many cited URLs are in each state."""
        sql = "SELECT state, count(*) FROM cited_place WHERE is_cited = 1 GROUP BY state"
        return {_STATES[row[0]]: row[1] for row in self._db.rows(sql)}

    def uncharted(self) -> Iterator[Citation]:
        """Read one citation of each cited URL of which nothing is known yet, in any order."""
        for row in self._db.stream(_UNCHARTED):
            yield _citation(row)

    def backlinks(self, web_key: UrlKey) -> tuple[Backlink, ...]:
        """Read which documents cite a URL, and where."""
        sql = _CITATION + _OF_URL + "WHERE u.web_key = $1" + _IN_ORDER
        return tuple(_backlink(row) for row in self._db.rows(sql, (bytes.fromhex(web_key),)))

    def backlinks_of_host(self, host: str) -> Iterator[Backlink]:
        """Read which documents cite anything on a host."""
        return self._on_host(host)

    def backlinks_like(self, pattern: str) -> Iterator[Backlink]:
        """Read which documents cite a URL that matches a glob (`*`, `?`, `[…]`)."""
        glob = self._db.glob
        if host := _host_of(pattern):
            return self._on_host(host, f"AND u.url {glob.operator} $2", glob.pattern(pattern))
        sql = f"{_CITATION} {_BY_DOCUMENT} AND u.url {glob.operator} $1 {_IN_ORDER}"
        return self._stream(sql, (glob.pattern(pattern),))

    def _on_host(self, host: str, condition: str = "", *values: str) -> Iterator[Backlink]:
        """Citations of a host, by document."""
        are_few = self._db.number(_ARE_FEW, (host, _FEW)) < _FEW
        source = _BY_HOST if are_few else _BY_DOCUMENT
        sql = f"{_CITATION} {source} {_ON_HOST} {condition} {_IN_ORDER}"
        return self._stream(sql, (host, *values))

    def _stream(self, sql: str, values: Sequence[object]) -> Iterator[Backlink]:
        for row in self._db.stream(sql, values):
            yield _backlink(row)

    def events(self, since: datetime, kinds: Collection[EventKind] = ()) -> Iterator[LedgerEvent]:
        """Read what happened at a time or later, in order."""
        wanted = tuple(kinds)
        kind = f"AND e.kind IN ({marks(len(wanted), 2)})" if wanted else ""
        sql = f"""
        SELECT e.at, e.kind, u.url, u.url_key, u.web_key, e.old, e.new, e.detail
        FROM event e JOIN url u ON u.url_id = e.url_id WHERE e.at >= $1 {kind} ORDER BY e.at, e.event_id
        """
        for row in self._db.stream(sql, (micros(since), *wanted)):
            kind, detail = EventKind(row[1]), detail_of(row[7])
            yield LedgerEvent(moment(row[0]), kind, place_of(*row[2:5]), row[5], row[6], detail)


def _in_order(wanted: PlacesWanted) -> tuple[str, list[object]]:
    """The question for the places that are wanted, in order, and its values. Indexes have them by time, by
    URL, and those of each state by URL, which are merged as they are read.
    """
    order, after = wanted.order, read_cursor(wanted)
    down = " DESC" if order.is_down else ""
    values: list[object] = []
    where = ""
    if wanted.failing_before is not None:
        values.append(micros(wanted.failing_before))
        where += " AND p.failing_since <= $1"
    time = _TIMES.get(order.lstrip("-"))
    columns = [time, "p.url"] if time else ["p.url"]
    where += f" AND {time} IS NOT NULL" if time else ""
    if after is not None:
        begins = [micros(after[0]), after[1]] if time and after[0] else [after[1]]
        slots = marks(len(begins), len(values) + 1)
        where += f" AND ({', '.join(columns)}) {'<' if order.is_down else '>'} ({slots})"
        values += begins
    first = len(values) + 1
    if wanted.states and not time:
        parts = [f"{_PLACE}{where} AND p.state = ${n}" for n, _ in enumerate(wanted.states, first)]
        return f"{' UNION ALL '.join(parts)} ORDER BY 1{down}", [*values, *wanted.states]
    if wanted.states:  # coalesce: not by the index of states, which has no times
        where += f" AND coalesce(p.state, '') IN ({marks(len(wanted.states), first)})"
    by = ", ".join(f"{column}{down}" for column in columns)
    return f"{_PLACE}{where} ORDER BY {by}", [*values, *wanted.states]


def _host_of(pattern: str) -> str:
    """The host of every URL that matches, where the pattern says it in full."""
    _, mark, rest = _WILD.split(pattern, 1)[0].partition("://")
    host, slash, _ = rest.partition("/")
    return host if mark and slash else ""


def _backlink(row: Row) -> Backlink:
    return Backlink(row[0], _citation(row))


def _citation_columns(citation: Citation) -> tuple[object, ...]:
    """All columns but the numbers."""
    mention, span = citation.mention, citation.mention.span
    words = (citation.fetch_url, citation.fragment, mention.raw, mention.text, mention.kind)
    where = (span.start, span.end, span.line, span.column, span.utf16_column)
    used = mention.used
    use = (used.start, used.line, used.column, used.utf16_column) if used else (None,) * 4
    return (*words, *where, citation.ignored, citation.finding, *use)


def _citation(row: Row) -> Citation:
    span = Span(row[11], row[12], row[13], row[14], row[15])
    used = None if row[16] is None else Span(row[16], row[16], row[17], row[18], row[19])
    return Citation(
        place=place_of(row[1], row[2], row[3]),
        fetch_url=row[4],
        mention=Mention(row[8], row[9], _KINDS[row[10]], span, used),
        fragment=row[5],
        ignored=bool(row[6]),
        finding=row[7],
    )


def _place(row: Row) -> CitedPlace:
    return CitedPlace(
        place=place_of(row[0], row[1], row[2]),
        url_bid=Bid(row[3]),
        state=_STATES[row[4]],
        fetch_url=row[5],
        looks=Looks(row[14], moment_or_none(row[15]), moment_or_none(row[6])),
        status=row[7],
        final_url=row[8],
        bid=Bid(row[9]) if row[9] is not None else None,
        content_sha256=ContentHash(row[10].hex()) if row[10] is not None else None,
        fetched_at=moment_or_none(row[11]),
        validators=Validators(row[12], row[13]),
        notes=notes_of(row[16]),
    )


def _event_columns(event: LedgerEvent, url_id: int) -> tuple[object, ...]:
    return (micros(event.at), event.kind, url_id, event.old, event.new, detail_text(event.detail))


def _place_columns(place: CitedPlace, url_id: int) -> tuple[object, ...]:
    content = bytes.fromhex(place.content_sha256) if place.content_sha256 else None
    return (
        *(bytes.fromhex(place.place.web_key), url_id, place.url_bid),
        *(place.state, place.fetch_url, to_micros_or_none(place.checked_at), place.status),
        *(place.final_url, place.bid, content, to_micros_or_none(place.fetched_at)),
        *(*place.validators, place.looks.failures),
        *(to_micros_or_none(place.looks.since), notes_text(place.notes)),
    )
