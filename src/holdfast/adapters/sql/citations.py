"""Documents, what they cite, and what is known of it; joined with mirrored pages by `web` key (ID-12)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Final

from holdfast.adapters.sql.database import Row
from holdfast.adapters.sql.rows import (
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
from holdfast.adapters.sql.session import Session
from holdfast.core.bid import Bid
from holdfast.core.capture import Validators
from holdfast.core.chapters import CITATIONS
from holdfast.core.citation import Backlink, Citation, CitedPlace, Document, LedgerEvent
from holdfast.core.cited_order import PlacesWanted, read_cursor
from holdfast.core.event_kind import EventKind
from holdfast.core.hashing import ContentHash, UrlKey
from holdfast.core.link_state import LinkState, Looks
from holdfast.core.page import LinkKind, Mention, Span

__all__ = ["CitationTable"]

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
SELECT u.url, u.url_key, u.web_key, p.url_bid, p.state, p.fetch_url, p.checked_at, p.status, p.final_url,
       p.bid, p.content_sha256, p.fetched_at, p.etag, p.last_modified, p.failures, p.failing_since, p.evidence
FROM cited_place p JOIN url u ON u.url_id = p.url_id
"""
_PLACE_NUMBERED: Final = _PLACE.replace("FROM cited_place", ", p.place_id FROM cited_place", 1) + (
    "WHERE p.place_id IN ({})"
)
_TIMES: Final = {"age": "p.failing_since", "asked": "p.checked_at"}
_PUT_PLACE: Final = f"""
INSERT INTO cited_place (web_key, url_id, url_bid, state, fetch_url, checked_at, status, final_url, bid,
    content_sha256, fetched_at, etag, last_modified, failures, failing_since, evidence)
VALUES ({marks(16)})
ON CONFLICT (web_key) DO UPDATE SET url_id = excluded.url_id, url_bid = excluded.url_bid,
    state = excluded.state, fetch_url = excluded.fetch_url, checked_at = excluded.checked_at,
    status = excluded.status, final_url = excluded.final_url, bid = excluded.bid,
    content_sha256 = excluded.content_sha256, fetched_at = excluded.fetched_at, etag = excluded.etag,
    last_modified = excluded.last_modified, failures = excluded.failures,
    failing_since = excluded.failing_since, evidence = excluded.evidence
"""
_STATES: Final = {str(state): state for state in LinkState}
_KINDS: Final = {str(kind): kind for kind in LinkKind}
_IS_CITED: Final = """
EXISTS (SELECT 1 FROM url cu JOIN citation cc ON cc.url_id = cu.url_id WHERE cu.web_key = p.web_key)
"""

# Each cited URL is looked up once; only the citations of those that are not known are read and put in order.
_UNCHARTED: Final = f"""
WITH cited AS MATERIALIZED (SELECT DISTINCT url_id FROM citation),
unknown AS MATERIALIZED (
    SELECT m.url_id FROM cited CROSS JOIN url m
    WHERE m.url_id = cited.url_id AND NOT EXISTS (SELECT 1 FROM cited_place p WHERE p.web_key = m.web_key))
SELECT * FROM (
    {_CITATION}, row_number() OVER (PARTITION BY u.web_key ORDER BY d.path, c.ord) AS nth
    FROM unknown CROSS JOIN url u CROSS JOIN citation c CROSS JOIN document d
    WHERE u.url_id = unknown.url_id AND c.url_id = u.url_id AND d.document_id = c.document_id) AS found
WHERE nth = 1 ORDER BY url
"""

# Each cited URL is compared once, however often it is cited, and none that is only mirrored.
_CITED_LIKE: Final = """
c.url_id IN (SELECT m.url_id FROM (SELECT DISTINCT url_id FROM citation) AS cited
             JOIN url m ON m.url_id = cited.url_id WHERE m.url {} $1)
"""


class CitationTable:
    """The `CitationLedger` port."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._db = session.db

    def put_documents(self, documents: Iterable[tuple[Document, Sequence[Citation]]]) -> None:
        """Replace documents whole."""
        with self._session.writing():
            self._session.touch(CITATIONS)
            for document, citations in documents:
                facts = (document.digest, document.size, document.mtime_ns, micros(document.read_at))
                number = self._db.number(_DOCUMENT, (document.path, document.bid, *facts))
                self._db.execute("DELETE FROM citation WHERE document_id = $1", (number,))
                urls = self._session.places.numbers([citation.place for citation in citations])
                hosts = self._session.places.host_numbers({c.place.host for c in citations})
                rows = [
                    (number, ord_, urls[c.place.key], hosts[c.place.host], *_citation_columns(c))
                    for ord_, c in enumerate(citations)
                ]
                self._db.append("citation", _CITATION_COLUMNS, rows)

    def drop_documents(self, paths: Collection[str]) -> None:
        """These documents were deleted."""
        rows = [(path,) for path in paths]
        of_path = "(SELECT document_id FROM document WHERE path = $1)"
        with self._session.writing():
            self._session.touch(CITATIONS)
            self._db.execute_many(f"DELETE FROM citation WHERE document_id = {of_path}", rows)
            self._db.execute_many("DELETE FROM document WHERE path = $1", rows)

    def documents(self) -> Iterator[Document]:
        """All documents, by path."""
        sql = "SELECT path, bid, digest, size, mtime_ns, read_at FROM document ORDER BY path"
        for row in self._db.stream(sql):
            yield Document(row[0], Bid(row[1]), row[2], row[3], row[4], moment(row[5]))

    def of_document(self, path: str) -> tuple[Citation, ...]:
        """What a document cites."""
        rows = self._db.rows(_CITATION + _OF_DOCUMENT + "WHERE d.path = $1" + _IN_ORDER, (path,))
        return tuple(_citation(row) for row in rows)

    def put_places(self, places: Iterable[CitedPlace], events: Iterable[LedgerEvent] = ()) -> None:
        """What is known of cited URLs, and what happened."""
        places, events = tuple(places), tuple(events)
        with self._session.writing():
            self._session.touch(CITATIONS)
            urls = self._session.places.numbers(
                [*(place.place for place in places), *(event.place for event in events)]
            )
            rows = [_place_columns(place, urls[place.place.key]) for place in places]
            self._db.execute_many(_PUT_PLACE, rows)
            happened = [_event_columns(event, urls[event.place.key]) for event in events]
            self._db.append("event", _EVENT_COLUMNS, happened)

    def place(self, web_key: UrlKey) -> CitedPlace | None:
        """What is known of a URL."""
        row = self._db.row(_PLACE + "WHERE p.web_key = $1", (bytes.fromhex(web_key),))
        return _place(row) if row else None

    def places(self, states: Collection[LinkState] = (), *, cited: bool = True) -> Iterator[CitedPlace]:
        """Places by URL."""
        wanted = tuple(states)
        conditions = [f"p.state IN ({marks(len(wanted))})"] if wanted else []
        conditions += [_IS_CITED] if cited else []
        where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
        for row in self._db.stream(f"{_PLACE} {where} ORDER BY u.url", wanted):
            yield _place(row)

    def places_part(self, wanted: PlacesWanted, limit: int) -> tuple[CitedPlace, ...]:
        """Some places, in order: their numbers first, so that only small rows are sorted."""
        sql, values = _numbers_in_order(wanted)
        numbers = list(self._db.rows(f"{sql} LIMIT ${len(values) + 1}", (*values, limit)))
        found = self._db.rows_for(_PLACE_NUMBERED, [row[:1] for row in numbers]) if numbers else ()
        by_number = {row[-1]: _place(row) for row in found}
        return tuple(by_number[row[0]] for row in numbers)

    def count_states(self) -> dict[LinkState, int]:
        """How many cited URLs are in each state."""
        sql = f"SELECT p.state, count(*) FROM cited_place p WHERE {_IS_CITED} GROUP BY p.state"
        return {_STATES[row[0]]: row[1] for row in self._db.rows(sql)}

    def uncharted(self) -> Iterator[Citation]:
        """One citation of each URL of which nothing is known."""
        for row in self._db.stream(_UNCHARTED):
            yield _citation(row)

    def backlinks(self, web_key: UrlKey) -> tuple[Backlink, ...]:
        """Which documents cite a URL."""
        return tuple(self._backlinks("u.web_key = $1", bytes.fromhex(web_key)))

    def backlinks_of_host(self, host: str) -> Iterator[Backlink]:
        """Which documents cite a host."""
        condition = "c.host_id = (SELECT host_id FROM host WHERE name = $1)"
        rows = self._db.stream(_CITATION + _OF_DOCUMENT + f"WHERE {condition}" + _IN_ORDER, (host,))
        return (Backlink(row[0], _citation(row)) for row in rows)

    def backlinks_like(self, pattern: str) -> Iterator[Backlink]:
        """Which documents cite a URL that matches."""
        glob = self._db.glob
        return self._backlinks(_CITED_LIKE.format(glob.operator), glob.pattern(pattern))

    def events(self, since: datetime, kinds: Collection[EventKind] = ()) -> Iterator[LedgerEvent]:
        """What happened since."""
        wanted = tuple(kinds)
        kind = f"AND e.kind IN ({marks(len(wanted), 2)})" if wanted else ""
        sql = f"""
        SELECT e.at, e.kind, u.url, u.url_key, u.web_key, e.old, e.new, e.detail
        FROM event e JOIN url u ON u.url_id = e.url_id WHERE e.at >= $1 {kind} ORDER BY e.at, e.event_id
        """
        for row in self._db.stream(sql, (micros(since), *wanted)):
            kind, detail = EventKind(row[1]), detail_of(row[7])
            yield LedgerEvent(moment(row[0]), kind, place_of(*row[2:5]), row[5], row[6], detail)

    def _backlinks(self, condition: str, value: object) -> Iterator[Backlink]:
        for row in self._db.stream(_CITATION + _OF_URL + f"WHERE {condition}" + _IN_ORDER, (value,)):
            yield Backlink(row[0], _citation(row))


def _numbers_in_order(wanted: PlacesWanted) -> tuple[str, list[object]]:
    """The numbers of places that are wanted, in order, and the values of that."""
    order, after = wanted.order, read_cursor(wanted)
    values: list[object] = list(wanted.states)
    where = [f"p.state IN ({marks(len(values))})"] if values else []
    if wanted.failing_before is not None:
        values.append(micros(wanted.failing_before))
        where.append(f"p.failing_since <= ${len(values)}")
    time = _TIMES.get(order.lstrip("-"))
    columns = [time, "u.url"] if time else ["u.url"]
    where += [f"{time} IS NOT NULL"] if time else []
    if after is not None:
        begins = [micros(after[0]), after[1]] if time and after[0] else [after[1]]
        slots = ", ".join(f"${len(values) + n}" for n in range(1, len(begins) + 1))
        where.append(f"({', '.join(columns)}) {'<' if order.is_down else '>'} ({slots})")
        values += begins
    sql = "SELECT p.place_id FROM cited_place p JOIN url u ON u.url_id = p.url_id"
    sql += f" WHERE {' AND '.join(where)}" if where else ""
    by = ", ".join(f"{column} DESC" if order.is_down else column for column in columns)
    return f"{sql} ORDER BY {by}", values


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
