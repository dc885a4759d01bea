"""What a batch needs to know, asked for all its findings at once, before the first is judged.

1. URLs get their numbers first; then the transaction waits for every other one that judges the same URLs or
   contents. That is a statement of its own: a look-up sees what was committed before it began, so it must not
   begin before the wait is over (LIN-6).
2. Numbers of new rows are taken after the wait, so that they grow in the order in which batches are judged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from holdfast.adapters.sql.database import Database
from holdfast.adapters.sql.rows import (
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
from holdfast.adapters.sql.session import KnownRun, Session
from holdfast.core.batch import FirstQuestions, Known, Numbered, Numbers, SeenAgain, Shown
from holdfast.core.errors import LedgerError
from holdfast.core.hashing import UrlKey
from holdfast.core.judging import first_questions, next_questions
from holdfast.core.ledger import Draft, Finding
from holdfast.core.lineage import Edge, EdgeKind, Item
from holdfast.core.rank import Rank, brought_rank

__all__ = ["capture_rank", "look_up"]

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
    session: Session, run: KnownRun, findings: Sequence[Finding]
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
