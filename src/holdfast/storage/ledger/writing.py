"""A batch of findings as one transaction: look up, judge, write.

1. The verdict is decided inside the transaction, so no look-up can miss an item that another writer commits
   meanwhile (LIN-6). What is decided is decided in `core/lineage/conflict_rules`; here its rows become rows
   of tables, each table after those that it refers to.
2. What a batch needs to know is asked for all its findings at once, before the first is judged.
3. URLs get their numbers first; then the transaction waits for every other one that judges the same URLs or
   contents. That is a statement of its own: a look-up sees what was committed before it began, so it must
   not begin before the wait is over (LIN-6).
4. Numbers of new rows are taken after the wait, so that they grow in the order in which batches are judged.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final

from holdfast.core.base.errors import LedgerError
from holdfast.core.base.hashing import UrlKey
from holdfast.core.lineage.batch import (
    Batch,
    CaptureRow,
    EdgeRow,
    FirstQuestions,
    Judged,
    Known,
    Numbered,
    Numbers,
    ObservationRow,
    SeenAgain,
    Shown,
)
from holdfast.core.lineage.chapters import MIRROR
from holdfast.core.lineage.conflict_rules import first_questions, judge, next_questions
from holdfast.core.lineage.ledger_values import Draft, Finding
from holdfast.core.lineage.lineage import Edge, EdgeKind, Item, RecordRef, Verdict
from holdfast.core.url.url import Place
from holdfast.core.web.rank import Rank, brought_rank
from holdfast.storage.ledger import frontier_table
from holdfast.storage.ledger.columns import (
    ITEM,
    ITEM_COLUMNS,
    ITEM_JOINS,
    ITEM_WIDTH,
    edge_of,
    item_of,
    micros,
    moment,
    place_of,
)
from holdfast.storage.ledger.database import Change, Database, Row
from holdfast.storage.ledger.kept_sums import add_brought
from holdfast.storage.ledger.page_table import name_aliases, write_pages
from holdfast.storage.ledger.section_table import write_sections

if TYPE_CHECKING:
    from holdfast.storage.ledger.connection import KnownRun, LedgerSession

_CAPTURE_COLUMNS: Final = (
    "capture_seq, capture_id, run_seq, url_id, requested_url, final_url, status, fetched_at, content_type,"
    " etag, last_modified, payload_sha256, file_id, file_offset, file_length, rank, stamp"
)
_ARCHIVE_FILE: Final = """
INSERT INTO archive_file (name, committed_end) VALUES ($1, 0)
ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING file_id
"""
_ARCHIVE_END: Final = """
UPDATE archive_file SET committed_end = $1 WHERE file_id = $2 AND committed_end < $1
"""
_ITEM_COLUMNS: Final = (
    "item_seq, item_id, run_seq, recipe_id, url_id, capture_seq, content_sha256, created_at, title"
)
_EDGE: Final = Change(
    """INSERT INTO edge (source_seq, kind, target_seq, metadata)
    SELECT $1, $2, item_seq, $3 FROM item WHERE item_id = $4""",
    """INSERT INTO edge (source_seq, kind, target_seq, metadata)
    SELECT w.source_seq, w.kind, i.item_seq, w.metadata
    FROM ({}) AS w (source_seq, kind, metadata, item_id) JOIN item i ON i.item_id = w.item_id""",
)
_TARGET: Final = "SELECT 1 FROM item WHERE item_id = $1"
_OBSERVATION_COLUMNS: Final = (
    "observation_id, capture_seq, recipe_id, run_seq, url_id, item_seq, fetched_at, links_digest, links_of,"
    " rank, stamp"
)
_LINK_COLUMNS: Final = "observation_id, ord, url_id, href, text, kind, nofollow"


class Writing:
    """`Ledger.commit`."""

    def __init__(self, session: LedgerSession) -> None:
        self._session = session
        self._db = session.db

    def commit(self, run_id: str, findings: Sequence[Finding], at: datetime) -> tuple[Verdict | None, ...]:
        """Write a batch, whole or not at all."""
        session = self._session
        with session.writing():
            run = session.run_to_write(run_id)
            session.touch(MIRROR + run.label)
            known, numbers, urls = look_up(session, run, findings)
            judged = judge(Batch(run_id, run.recipe, findings, at), known, numbers)
            self._write(run, judged, urls)
            add_brought(self._db, run.run_seq, run.recipe_id, judged, known.last)
            write_pages(self._db, run.label_id, judged.pages, urls)
            name_aliases(session, run.label_id, [alias for f in findings for alias in f.aliases])
            self._move_frontier(run.run_seq, findings)
            return tuple(judged.verdicts)

    def _write(self, run: KnownRun, judged: Judged, urls: Mapping[UrlKey, int]) -> None:
        db = self._db
        self._write_captures(run, judged.captures, urls)
        items = [
            (
                *(row.number, bytes.fromhex(row.item.item_id), run.run_seq, run.recipe_id),
                *(urls[row.item.place.key], row.capture_number, bytes.fromhex(row.item.content_sha256)),
                *(micros(row.item.created_at), row.item.title),
            )
            for row in judged.items
        ]
        db.append("item", _ITEM_COLUMNS, items)
        write_sections(db, ((row.number, row.sections) for row in judged.items))
        self._write_edges(judged.edges)
        observations = [
            (
                *(row.number, row.capture_number, run.recipe_id, run.run_seq, urls[row.place.key]),
                *(row.item_number, micros(row.capture.fetched_at), row.links_digest, row.links_of),
                *row.rank,
            )
            for row in judged.observations
        ]
        db.append("observation", _OBSERVATION_COLUMNS, observations)
        self._write_links(judged.observations)

    def _write_captures(
        self, run: KnownRun, captures: Sequence[CaptureRow], urls: Mapping[UrlKey, int]
    ) -> None:
        """Captures, and how far they reach in each file of the archive."""
        ends: dict[str, tuple[int, int]] = {}
        rows: list[Row] = []
        for number, rank, capture in captures:
            own = capture.run_id == run.run_id
            payload = capture.payload_sha256
            rows.append(
                (
                    *(number, bytes.fromhex(capture.capture_id)),
                    *(
                        run.run_seq if own else self._session.run(capture.run_id).run_seq,
                        urls[capture.place.key],
                    ),
                    *(capture.url, capture.final_url, capture.status, micros(capture.fetched_at)),
                    *(capture.content_type, capture.etag, capture.last_modified),
                    bytes.fromhex(payload) if payload else None,
                    *(self._where(ends, capture.ref) if capture.ref else (None, None, None)),
                    *rank,
                )
            )
        self._db.append("capture", _CAPTURE_COLUMNS, rows)
        self._db.execute_many(_ARCHIVE_END, [(end, file_id) for file_id, end in ends.values()])

    def _where(self, ends: dict[str, tuple[int, int]], ref: RecordRef) -> tuple[int, int, int]:
        """A place in the archive as columns."""
        if ref.file not in ends:
            ends[ref.file] = (self._db.number(_ARCHIVE_FILE, (ref.file,)), 0)
        file_id, end = ends[ref.file]
        ends[ref.file] = (file_id, max(end, ref.offset + ref.length))
        return file_id, ref.offset, ref.length

    def _write_edges(self, edges: Sequence[EdgeRow]) -> None:
        rows = [
            (row.item_number, str(row.edge.kind), _metadata(row.edge), bytes.fromhex(row.edge.target))
            for row in edges
        ]
        if self._db.change(_EDGE, rows) < len(rows):
            for _, kind, _, target in rows:
                if self._db.row(_TARGET, (target,)) is None:
                    raise LedgerError(f"there is no item {target.hex()} for a {kind} edge to lead to")

    def _write_links(self, observations: Sequence[ObservationRow]) -> None:
        """The links of each observation that has its own; a URL's `web` key is the last one named."""
        places: list[Place] = []
        for row in observations:
            places.append(row.place)
            places += [link.target for link in row.links]
        numbers = self._session.places.numbers(places)
        rows = (
            (row.number, n, numbers[key], None if href == url else href, text, kind, nofollow)
            for row in observations
            for n, ((url, key, _), href, text, kind, nofollow) in enumerate(row.links)
        )
        self._db.append("link", _LINK_COLUMNS, rows)

    def _move_frontier(self, run_seq: int, findings: Sequence[Finding]) -> None:
        """Entries come and end in the order of the findings: what was not there yet could not end. Where all
        that end before they come were there already, it makes no difference, and all go together.
        """
        early = _ended_before_found(findings)
        if early <= frontier_table.present(self._session, run_seq, early):
            frontier_table.add(self._session, run_seq, [entry for f in findings for entry in f.discovered])
            frontier_table.close(self._session, run_seq, [end for f in findings for end in f.closed])
            return
        for finding in findings:
            frontier_table.add(self._session, run_seq, finding.discovered)
            frontier_table.close(self._session, run_seq, finding.closed)


def _ended_before_found(findings: Sequence[Finding]) -> set[UrlKey]:
    """Keys that end in a finding before one that discovers them."""
    ended: set[UrlKey] = set()
    early: set[UrlKey] = set()
    for finding in findings:
        early |= ended & {entry.place.key for entry in finding.discovered}
        ended |= {end.key for end in finding.closed}
    return early


def _metadata(edge: Edge) -> str:
    return json.dumps(dict(edge.metadata), separators=(",", ":"))


_CAPTURES: Final = "SELECT capture_id, capture_seq, rank, stamp FROM capture WHERE capture_id IN ({})"
# Behind the last one of the store's own captures of a URL before the first that is stamped later (LIN-10).
_ANCHOR: Final = f"""
SELECT max(k.rank) FROM url a CROSS JOIN capture k
WHERE a.web_key = {{0}} AND k.url_id = a.url_id AND k.stamp = 0 AND k.rank < coalesce((
    SELECT min(l.rank) FROM url b CROSS JOIN capture l
    WHERE b.web_key = {{0}} AND l.url_id = b.url_id AND l.stamp = 0 AND l.fetched_at > {{1}}), {2**62})
"""
_ANCHORS: Final = f"""
WITH wanted (capture_id, web_key, fetched_at) AS ({{}})
SELECT w.capture_id, coalesce(({_ANCHOR.format("w.web_key", "w.fetched_at")}), 0) FROM wanted w
"""
_ANCHOR_OF_URL: Final = _ANCHOR.format("(SELECT web_key FROM url WHERE url_id = $1)", "$2")
_LAST: Final = f"""
WITH wanted (url_id) AS ({{}})
SELECT {ITEM_COLUMNS}, w.url_id, o.item_seq, coalesce(o.links_of, o.observation_id), o.links_digest,
       o.rank, o.stamp
FROM wanted w JOIN observation o ON o.observation_id = (
    SELECT observation_id FROM observation WHERE recipe_id = $2 AND url_id = w.url_id
    ORDER BY rank DESC, stamp DESC, observation_id DESC LIMIT 1)
JOIN item i ON i.item_seq = o.item_seq {ITEM_JOINS}
"""
_BEFORE: Final = f"""
WITH wanted (capture_id, url_id, rank, stamp) AS ({{}})
SELECT {ITEM_COLUMNS}, w.capture_id, o.item_seq, coalesce(o.links_of, o.observation_id), o.links_digest,
       o.rank, o.stamp
FROM wanted w JOIN observation o ON o.observation_id = (
    SELECT observation_id FROM observation q WHERE q.recipe_id = $5 AND q.url_id = w.url_id
    AND (q.rank, q.stamp) <= (w.rank, w.stamp)
    ORDER BY q.rank DESC, q.stamp DESC, q.observation_id DESC LIMIT 1)
JOIN item i ON i.item_seq = o.item_seq {ITEM_JOINS}
"""
_NEWEST: Final = f"""
WITH wanted (content) AS ({{}})
SELECT {ITEM_COLUMNS} FROM wanted w JOIN item i ON i.item_seq = (
    SELECT item_seq FROM item WHERE recipe_id = $2 AND content_sha256 = w.content
    ORDER BY created_at DESC, item_id DESC LIMIT 1)
{ITEM_JOINS}
"""
_NEWEST_OF_URL: Final = f"""
WITH wanted (url_id) AS ({{}})
SELECT {ITEM_COLUMNS} FROM wanted w JOIN item i ON i.item_seq = (
    SELECT item_seq FROM item WHERE recipe_id = $2 AND url_id = w.url_id
    ORDER BY created_at DESC, item_id DESC LIMIT 1)
{ITEM_JOINS}
"""
_AGAIN: Final = """
SELECT o.item_seq, coalesce(o.links_of, o.observation_id), u.url, u.url_key, u.web_key
FROM observation o JOIN url u ON u.url_id = o.url_id WHERE o.capture_seq = $1 AND o.recipe_id = $2
"""
_ITEM: Final = ITEM + "WHERE i.item_seq = $1"
_SUPERSEDED: Final = """
SELECT e.kind, s.item_id, t.item_id, e.metadata, e.target_seq FROM edge e
JOIN item s ON s.item_seq = e.source_seq JOIN item t ON t.item_seq = e.target_seq
WHERE e.source_seq = $1 AND e.kind = $2
"""
_LATEST: Final = "SELECT created_at FROM item ORDER BY item_seq DESC LIMIT 1"


def look_up(
    session: LedgerSession, run: KnownRun, findings: Sequence[Finding]
) -> tuple[Known, Numbers, dict[UrlKey, int]]:
    """The answers, the numbers for new rows, and the numbers of the URLs that the captures speak of."""
    db, recipe = session.db, (run.recipe_id,)
    asked = first_questions(findings)
    urls = session.places.numbers((*asked.captured, *asked.shown))
    db.lock(_keys(run, findings, asked))
    names = [(bytes.fromhex(name),) for name in asked.captures]
    captures = {
        name.hex(): Numbered(number, Rank(*rank)) for name, number, *rank in db.rows_for(_CAPTURES, names)
    }
    keys = {urls[place.key]: place.key for place in asked.shown}
    last = {}
    for row in db.rows_for(_LAST, [(number,) for number in keys], recipe):
        url_id, item_seq, links_of, links_digest, *rank = row[ITEM_WIDTH:]
        last[keys[url_id]] = Shown(item_seq, item_of(row), links_of, links_digest, Rank(*rank))
    more = next_questions(findings, captures, last)
    contents = [(bytes.fromhex(content),) for content in more.contents]
    by_content = [item_of(row) for row in db.rows_for(_NEWEST, contents, recipe)]
    by_url = [
        item_of(row) for row in db.rows_for(_NEWEST_OF_URL, [(urls[key],) for key in more.urls], recipe)
    ]
    again = dict(_seen_again(db, run.recipe_id, {name: captures[name].number for name in more.again}))
    if again:  # a recipe may have given what was captured another URL
        urls |= session.places.numbers([seen.place for seen in again.values()])
    latest = db.row(_LATEST)
    matched = [*by_content, *by_url, *(shown.item for shown in last.values())]
    times = [item.created_at for item in matched] + ([moment(latest[0])] if latest else [])
    anchors = _anchors(db, asked)
    known = Known(
        captures,
        last,
        {item.content_sha256: item for item in by_content},
        {item.place.key: item for item in by_url},
        again,
        max(times, default=None),
        anchors,
        _shown_before(db, run.recipe_id, asked, anchors, urls) if anchors else {},
    )
    return known, db.new_numbers(len(asked.captures)), urls


def capture_rank(db: Database, url_id: int, stamp: int) -> tuple[int, int]:
    """The rank and the stamp of a capture of a URL that is brought."""
    return db.number(_ANCHOR_OF_URL, (url_id, stamp)), max(stamp, 1)


def _anchors(db: Database, asked: FirstQuestions) -> dict[str, int]:
    """The captures behind which those stand that are brought."""
    wanted = [
        (bytes.fromhex(each.capture_id), bytes.fromhex(each.place.web_key), micros(each.fetched_at))
        for each, _ in asked.brought
    ]
    return {name.hex(): number for name, number in db.rows_for(_ANCHORS, wanted)}


def _shown_before(
    db: Database,
    recipe_id: int,
    asked: FirstQuestions,
    anchors: Mapping[str, int],
    urls: Mapping[UrlKey, int],
) -> dict[str, Shown]:
    """What URLs showed before the captures that are brought."""
    wanted = [
        (
            bytes.fromhex(each.capture_id),
            urls[place.key],
            *brought_rank(anchors[each.capture_id], each.fetched_at),
        )
        for each, place in asked.brought
        if place is not None
    ]
    found = {}
    for row in db.rows_for(_BEFORE, wanted, (recipe_id,)):
        name, item_seq, links_of, digest, *rank = row[ITEM_WIDTH:]
        found[name.hex()] = Shown(item_seq, item_of(row), links_of, digest, Rank(*rank))
    return found


def _keys(run: KnownRun, findings: Sequence[Finding], asked: FirstQuestions) -> set[str]:
    """What no other writer may judge meanwhile: these URLs and contents, under this recipe."""
    contents = [finding.made.content_sha256 for finding in findings if isinstance(finding.made, Draft)]
    urls = [place.key for place in (*asked.captured, *asked.shown)]
    return {f"{run.recipe_id} {key}" for key in (*urls, *contents)}


def _seen_again(db: Database, recipe_id: int, captures: Mapping[str, int]) -> Iterator[tuple[str, SeenAgain]]:
    """What captures that are there already showed under a recipe: rare, a batch that is written twice."""
    for name, number in captures.items():
        row = db.row(_AGAIN, (number, recipe_id))
        if row is not None:
            place, item = place_of(*row[2:]), _item(db, row[0])
            yield name, SeenAgain(place, row[0], item, row[1], _superseded(db, row[0]))


def _superseded(db: Database, item_seq: int) -> tuple[Item, Edge] | None:
    row = db.row(_SUPERSEDED, (item_seq, EdgeKind.SUPERSEDES))
    return None if row is None else (_item(db, row[4]), edge_of(row))


def _item(db: Database, item_seq: int) -> Item:
    row = db.row(_ITEM, (item_seq,))
    if row is None:
        raise LedgerError(f"{db.name}: item {item_seq} is named but not there")
    return item_of(row)
