"""The mirrors' files and the other names of their pages: the questions, and what a batch does to them.

What concerns files alone is written here, too: which pages are gone, and which a mirror no longer has.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final, NamedTuple

from holdfast.core.base.errors import LedgerError
from holdfast.core.base.hashing import ContentHash, UrlKey
from holdfast.core.lineage.batch import PageRow
from holdfast.core.lineage.chapters import MIRROR
from holdfast.core.lineage.ledger_values import (
    Alias,
    AliasReason,
    EntryState,
    LeftPage,
    MirroredAs,
    NamedAlias,
    PageBacklink,
    PageCounts,
    PageFacts,
    PageLink,
    StoredPage,
)
from holdfast.core.page.page import LinkKind
from holdfast.storage.ledger.columns import marks, micros, moment, moment_or_none, place_of, to_micros_or_none
from holdfast.storage.ledger.database import Change, ConstraintError, Database, Row

if TYPE_CHECKING:
    from holdfast.storage.ledger.connection import LedgerSession

_PAGE_COLUMNS: Final = """
    u.url, u.url_key, u.web_key, g.path, g.title, g.file_sha256, g.size, g.depth, g.markdown_version,
    g.warnings, i.item_id, i.content_sha256, g.fetch_url, g.status, g.fetched_at, g.content_type, g.etag,
    g.last_modified, g.gone_at, i.title
"""
_PAGE: Final = f"""
SELECT {_PAGE_COLUMNS} FROM page g JOIN label l ON l.label_id = g.label_id JOIN url u ON u.url_id = g.url_id
JOIN item i ON i.item_seq = g.item_seq WHERE l.name = $1
"""
_PAGES_OF: Final = f"""
WITH wanted (url_key) AS ({{}})
SELECT {_PAGE_COLUMNS} FROM wanted w JOIN url u ON u.url_key = w.url_key
JOIN page g ON g.label_id = (SELECT label_id FROM label WHERE name = $2) AND g.url_id = u.url_id
JOIN item i ON i.item_seq = g.item_seq
"""
# The labels are few: with each of them the unique index of pages answers. CROSS JOIN keeps the order.
_MIRRORED: Final = """
SELECT l.name, g.path FROM url u CROSS JOIN label l CROSS JOIN page g
WHERE u.web_key = $1 AND g.label_id = l.label_id AND g.url_id = u.url_id ORDER BY l.name, g.path
"""
_ADDRESSES: Final = """
SELECT DISTINCT g.fetch_url FROM recipe r CROSS JOIN item i CROSS JOIN label l CROSS JOIN page g
WHERE i.recipe_id = r.recipe_id AND i.content_sha256 = $1 AND g.label_id = l.label_id
AND g.url_id = i.url_id AND g.item_seq = i.item_seq AND g.gone_at IS NULL ORDER BY g.fetch_url
"""
_ALIAS: Final = """
SELECT u.url, u.url_key, u.web_key, t.url, t.url_key, t.web_key, a.reason, a.detail, l.name
FROM alias a JOIN label l ON l.label_id = a.label_id
JOIN url u ON u.url_id = a.url_id JOIN url t ON t.url_id = a.target_id
"""
_ALIASES_IN_ORDER: Final = """
SELECT u.url, u.url_key, u.web_key, t.url, t.url_key, t.web_key, a.reason, a.detail
FROM alias a CROSS JOIN url u CROSS JOIN url t
WHERE a.label_id = (SELECT label_id FROM label WHERE name = $1) AND u.url_id = a.url_id
AND t.url_id = a.target_id ORDER BY a.url
"""
_TARGETS: Final = """
WITH wanted (url_key) AS ({})
SELECT u.url_key, t.url_key FROM wanted w JOIN url u ON u.url_key = w.url_key
JOIN alias a ON a.label_id = (SELECT label_id FROM label WHERE name = $2) AND a.url_id = u.url_id
JOIN url t ON t.url_id = a.target_id
"""
_NO_WARNINGS: Final = "[]"
LINK: Final = "t.url, t.url_key, t.web_key, k.href, k.text, k.kind, k.nofollow"
"""The columns that `link_of` reads, of link k and the url t it points to."""
_OF: Final = """
WHERE label_id = (SELECT label_id FROM label WHERE name = {})
AND url_id = (SELECT url_id FROM url WHERE url_key = {})
"""
_OF_MANY: Final = """
JOIN label l ON l.name = w.label JOIN url u ON u.url_key = w.url_key
"""
_MARK_GONE: Final = Change(
    "UPDATE page SET gone_at = $1" + _OF.format("$2", "$3"),
    f"""UPDATE page g SET gone_at = w.gone_at::bigint FROM ({{}}) AS w (gone_at, label, url_key) {_OF_MANY}
    WHERE g.label_id = l.label_id AND g.url_id = u.url_id""",
)
_DROP: Final = Change(
    "DELETE FROM page" + _OF.format("$1", "$2"),
    f"""DELETE FROM page g USING ({{}}) AS w (label, url_key) {_OF_MANY}
    WHERE g.label_id = l.label_id AND g.url_id = u.url_id""",
)
_LEAVES: Final = Change(
    f"""INSERT INTO absence (left_at, label_id, url_id) SELECT $1, label_id, url_id FROM page
    {_OF.format("$2", "$3")} AND gone_at IS NULL ON CONFLICT DO NOTHING""",
    f"""INSERT INTO absence (left_at, label_id, url_id) SELECT w.left_at, g.label_id, g.url_id
    FROM ({{}}) AS w (left_at, label, url_key) {_OF_MANY}
    JOIN page g ON g.label_id = l.label_id AND g.url_id = u.url_id
    WHERE g.gone_at IS NULL ON CONFLICT DO NOTHING""",
)
_LEFT: Final = """
SELECT u.url, u.url_key, u.web_key, a.left_at, coalesce(i.title, '')
FROM absence a JOIN url u ON u.url_id = a.url_id
LEFT JOIN page g ON g.label_id = a.label_id AND g.url_id = a.url_id
LEFT JOIN item i ON i.item_seq = g.item_seq
WHERE a.label_id = (SELECT label_id FROM label WHERE name = $1) AND a.left_at > $2 AND a.left_at <= $3
ORDER BY a.left_at, u.url
"""
_ABSENCES: Final = """
SELECT left_at FROM absence WHERE url_id = (SELECT url_id FROM url WHERE url_key = $1)
AND label_id = (SELECT label_id FROM label WHERE name = $2) ORDER BY left_at
"""
_FOREVER: Final = 2**62


class PageTable:
    """The mirrors' files as they are now, and the other names of their pages."""

    def __init__(self, session: LedgerSession) -> None:
        self._session = session
        self._db = session.db

    def page(self, label: str, key: UrlKey) -> StoredPage | None:
        """Read a mirror's page by its url key."""
        row = self._db.row(_PAGE + " AND u.url_key = $2", (label, bytes.fromhex(key)))
        return _page(row) if row else None

    def pages_of(self, label: str, keys: Collection[UrlKey]) -> dict[UrlKey, StoredPage]:
        """Read a mirror's pages of these URLs; one that has none is left out."""
        wanted = [(bytes.fromhex(key),) for key in keys]
        pages = (_page(row) for row in self._db.rows_for(_PAGES_OF, wanted, (label,)))
        return {page.place.key: page for page in pages}

    def mirrored(self, web_key: UrlKey) -> tuple[MirroredAs, ...]:
        """Read which files of which mirrors stand for a URL, whatever policy mirrored it (ID-12)."""
        return tuple(MirroredAs(*row) for row in self._db.rows(_MIRRORED, (bytes.fromhex(web_key),)))

    def addresses_of(self, content: ContentHash) -> tuple[str, ...]:
        """Read where mirrors have pages of a content that are not gone, under whatever recipe."""
        return tuple(url for (url,) in self._db.rows(_ADDRESSES, (bytes.fromhex(content),)))

    def pages_without(self, label: str, run_id: str, states: Collection[EntryState]) -> Iterator[StoredPage]:
        """Read a mirror's pages that have no entry of a run in one of these states, by path."""
        sql = f"""{_PAGE} AND NOT EXISTS (SELECT 1 FROM frontier f WHERE f.run_seq = $2
        AND f.url_id = g.url_id AND f.state IN ({marks(len(states), 3)})) ORDER BY g.path, u.url"""
        for row in self._db.stream(sql, (label, self._session.run(run_id).run_seq, *states)):
            yield _page(row)

    def paths(self, label: str) -> Iterator[tuple[str, str]]:
        """Read the paths of a mirror's pages, in order, each with its URL."""
        sql = """
        SELECT g.path, u.url FROM page g JOIN url u ON u.url_id = g.url_id
        WHERE g.label_id = (SELECT label_id FROM label WHERE name = $1) ORDER BY g.path, u.url
        """
        for row in self._db.stream(sql, (label,)):
            yield row[0], row[1]

    def by_path(self, label: str, after: str = "", *, only_gone: bool = False) -> Iterator[StoredPage]:
        """Read a mirror's pages, in the order of their paths' UTF-8 bytes, from the first after a path; all,
        or those that are gone.
        """
        which = " AND g.gone_at IS NOT NULL" if only_gone else ""
        sql = f"{_PAGE} AND g.path > $2{which} ORDER BY g.path, u.url"
        for row in self._db.stream(sql, (label, after)):
            yield _page(row)

    def count(self, label: str) -> PageCounts:
        """Read how many pages a mirror has."""
        sql = """
        SELECT pages, gone, size FROM page_count
        WHERE label_id = (SELECT label_id FROM label WHERE name = $1)
        """
        return PageCounts(*(int(number) for number in self._db.row(sql, (label,)) or (0, 0, 0)))

    def left_between(self, label: str, since: datetime, until: datetime | None = None) -> Iterator[LeftPage]:
        """Read which pages of a mirror left it after a moment, and up to another, in the order of time: found
        gone, taken out of its folder, forgotten. They may have come back.
        """
        values = (label, micros(since), micros(until) if until else _FOREVER)
        for row in self._db.stream(_LEFT, values):
            yield LeftPage(place_of(*row[:3]), moment(row[3]), row[4])

    def absences(self, label: str, key: UrlKey) -> tuple[datetime, ...]:
        """Read since when a page was not there, each time that it left."""
        return tuple(moment(row[0]) for row in self._db.rows(_ABSENCES, (bytes.fromhex(key), label)))

    def mark_gone(self, label: str, keys: Collection[UrlKey], at: datetime | None) -> None:
        """Write that pages are gone from the site since `at`, or, with None, that they are back."""
        since = to_micros_or_none(at)
        with self._session.writing():
            self._session.touch(MIRROR + label)
            rows = [(since, label, bytes.fromhex(key)) for key in dict.fromkeys(keys)]
            if at is not None:
                self._db.change(_LEAVES, rows)
            self._db.change(_MARK_GONE, rows)

    def drop_pages(self, label: str, keys: Collection[UrlKey], at: datetime) -> None:
        """Write that a mirror has these files no more since `at`; captures and items stay."""
        with self._session.writing():
            self._session.touch(MIRROR + label)
            rows = [(micros(at), label, bytes.fromhex(key)) for key in dict.fromkeys(keys)]
            self._db.change(_LEAVES, rows)
            self._db.change(_DROP, [row[1:] for row in rows])

    def aliases(self, label: str) -> Iterator[Alias]:
        """Read a mirror's aliases, in the order of their URLs."""
        for row in self._db.stream(_ALIASES_IN_ORDER, (label,)):
            yield _alias(row)

    def targets_of(self, label: str, keys: Collection[UrlKey]) -> dict[UrlKey, UrlKey]:
        """Read what these URLs are other names of in a mirror; one that is not an alias is left out."""
        wanted = [(bytes.fromhex(key),) for key in keys]
        rows = self._db.rows_for(_TARGETS, wanted, (label,))
        return {UrlKey(key.hex()): UrlKey(target.hex()) for key, target in rows}

    def names_of(self, web_key: UrlKey) -> tuple[NamedAlias, ...]:
        """Read what a URL was merged with: what it is another name of, and the other names of it (MIR-8)."""
        sql = _ALIAS + "WHERE {}.web_key = $1"
        key = (bytes.fromhex(web_key),)
        rows = (row for end in ("u", "t") for row in self._db.rows(sql.format(end), key))
        found = {NamedAlias(row[8], _alias(row)) for row in rows}
        return tuple(sorted(found, key=lambda named: (named.label, named.alias.place.url)))

    def pages_linking_to(self, web_key: UrlKey) -> Iterator[PageBacklink]:
        """Read the current pages that point to a URL."""
        sql = f"""
        SELECT u.url, u.url_key, u.web_key, {LINK}
        FROM url t JOIN link k ON k.url_id = t.url_id JOIN page g ON g.links_of = k.observation_id
        JOIN url u ON u.url_id = g.url_id WHERE t.web_key = $1 ORDER BY u.url, k.ord
        """
        for row in self._db.stream(sql, (bytes.fromhex(web_key),)):
            yield PageBacklink(place_of(*row[:3]), link_of(row[3:]))


def _alias(row: Row) -> Alias:
    return Alias(place_of(*row[0:3]), place_of(*row[3:6]), AliasReason(row[6]), row[7])


def link_of(row: Row) -> PageLink:
    """A row of `LINK`."""
    target = place_of(row[0], row[1], row[2])
    href = row[3] if row[3] is not None else target.url
    return PageLink(target, href, row[4], LinkKind(row[5]), bool(row[6]))


def _page(row: Row) -> StoredPage:
    """A row of `_PAGE_COLUMNS`, whose order is that of the values' own fields."""
    warnings = tuple(json.loads(row[9])) if row[9] != _NO_WARNINGS else ()
    return StoredPage(
        place_of(row[0], row[1], row[2]),
        PageFacts(row[3], row[4], row[5], row[6], row[7], row[8], warnings),
        row[10].hex(),
        ContentHash(row[11].hex()),
        row[12],
        row[13],
        moment(row[14]),
        row[15],
        row[16],
        row[17],
        moment_or_none(row[18]),
        row[19],
    )


_COLUMNS: Final = (
    "label_id, url_id, path, title, item_seq, links_of, file_sha256, size, depth, markdown_version, warnings,"
    " fetch_url, status, fetched_at, content_type, etag, last_modified"
)
_PUT: Final = """
ON CONFLICT (label_id, url_id) DO UPDATE SET
    path = excluded.path, title = excluded.title, item_seq = excluded.item_seq, links_of = excluded.links_of,
    file_sha256 = excluded.file_sha256, size = excluded.size, depth = excluded.depth,
    markdown_version = excluded.markdown_version, warnings = excluded.warnings,
    fetched_at = excluded.fetched_at, gone_at = NULL,
"""
_ANSWERED: Final = """
    fetch_url = excluded.fetch_url, status = excluded.status, content_type = excluded.content_type,
    etag = excluded.etag, last_modified = excluded.last_modified
"""
# A 304 has no type and may repeat no validators: what was known of the answer stays.
_CONFIRMED: Final = """
    etag = coalesce(excluded.etag, page.etag),
    last_modified = coalesce(excluded.last_modified, page.last_modified)
"""
_PUT_ANSWERED, _PUT_CONFIRMED = (
    Change(
        f"INSERT INTO page ({_COLUMNS}) VALUES ({marks(17)}) {_PUT} {answer}",
        f"INSERT INTO page ({_COLUMNS}) {{}} {_PUT} {answer}",
    )
    for answer in (_ANSWERED, _CONFIRMED)
)
_TOUCH: Final = Change(
    """UPDATE page SET item_seq = $1, links_of = $2, fetched_at = $3, etag = coalesce($4, etag),
    last_modified = coalesce($5, last_modified), gone_at = NULL
    WHERE label_id = $6 AND url_id = $7""",
    """UPDATE page g SET item_seq = w.item_seq, links_of = w.links_of, fetched_at = w.fetched_at,
    etag = coalesce(w.etag, g.etag),
    last_modified = coalesce(w.last_modified, g.last_modified), gone_at = NULL
    FROM ({}) AS w (item_seq, links_of, fetched_at, etag, last_modified, label_id, url_id)
    WHERE g.label_id = w.label_id AND g.url_id = w.url_id""",
)
_NAME: Final = """
ON CONFLICT (label_id, url_id) DO UPDATE SET
    target_id = excluded.target_id, reason = excluded.reason, detail = excluded.detail
"""
_ALIAS_COLUMNS: Final = "label_id, url_id, target_id, reason, detail, url"
_NAMED_ALIAS: Final = Change(
    f"INSERT INTO alias ({_ALIAS_COLUMNS}) VALUES ({marks(6)}) {_NAME}",
    f"INSERT INTO alias ({_ALIAS_COLUMNS}) {{}} {_NAME}",
)


class _PageChange(NamedTuple):
    """What is done to the row of a page."""

    change: Change
    url_id: int
    values: Row


def write_pages(db: Database, label_id: int, pages: Sequence[PageRow], urls: Mapping[UrlKey, int]) -> None:
    """In the order of the findings; neighbours that are alike go together."""
    changes = [_change(label_id, urls[page.place.key], page) for page in pages]
    try:
        with db.attempt():
            for alike in _groups(changes):
                db.change(alike[0].change, [each.values for each in alike])
    except ConstraintError:
        _explain(db, changes)
        raise


def _groups(changes: Sequence[_PageChange]) -> Iterator[list[_PageChange]]:
    """Neighbours that are alike, no two of them of the same page."""
    alike: list[_PageChange] = []
    seen: set[int] = set()
    for each in changes:
        if alike and (each.change is not alike[0].change or each.url_id in seen):
            yield alike
            alike, seen = [], set()
        alike.append(each)
        seen.add(each.url_id)
    if alike:
        yield alike


def _explain(db: Database, changes: Sequence[_PageChange]) -> None:
    """One change after another, to find the one that the schema does not allow."""
    for change, _, values in changes:
        try:
            with db.attempt():
                db.execute(change.each, values)
        except ConstraintError:
            _explain_taken_path(db, *values[:3])
            raise


def _change(label_id: int, url_id: int, page: PageRow) -> _PageChange:
    """What a batch says of a page."""
    capture, facts = page.capture, page.facts
    observed = (page.item_number, page.links_of)
    fetched = micros(capture.fetched_at)
    validators = (capture.etag, capture.last_modified)
    if facts is None:
        return _PageChange(_TOUCH, url_id, (*observed, fetched, *validators, label_id, url_id))
    warnings = json.dumps(facts.warnings)
    file = (facts.file_sha256, facts.size, facts.depth, facts.markdown_version, warnings)
    answer = (capture.final_url, capture.status, fetched, capture.content_type)
    values = (label_id, url_id, facts.path, facts.title, *observed, *file, *answer, *validators)
    return _PageChange(_PUT_CONFIRMED if page.is_confirmed else _PUT_ANSWERED, url_id, values)


def _explain_taken_path(db: Database, label_id: int, url_id: int, path: str) -> None:
    row = db.row(
        "SELECT u.url, mine.url FROM page g JOIN url u ON u.url_id = g.url_id"
        " JOIN url mine ON mine.url_id = $1 WHERE g.label_id = $2 AND g.path = $3 AND g.url_id <> $1",
        (url_id, label_id, path),
    )
    if row:
        raise LedgerError(f"{path} is the page of {row[0]}, not of {row[1]}")


def name_aliases(session: LedgerSession, label_id: int, aliases: Sequence[Alias]) -> None:
    """Write aliases; the last word on each counts. A place named as its own alias is no alias."""
    numbers = session.places.numbers(place for alias in aliases for place in (alias.place, alias.target))
    last = {alias.place.key: alias for alias in aliases}
    own = [(label_id, numbers[key]) for key, alias in last.items() if alias.target.key == key]
    rows = [
        (label_id, numbers[key], numbers[alias.target.key], str(alias.reason), alias.detail, alias.place.url)
        for key, alias in last.items()
        if alias.target.key != key
    ]
    session.db.change(_NAMED_ALIAS, rows)
    session.db.execute_many("DELETE FROM alias WHERE label_id = $1 AND url_id = $2", own)
