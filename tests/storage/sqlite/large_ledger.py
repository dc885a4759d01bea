"""A ledger of a million pages in minutes: the rows that `ledger_questions.make` would write, written as sets.

A ledger of two pages, made by the product, is the pattern: the rows of its second page are taken once for
every page, with what differs from page to page computed. Indexes and guards are made after the rows. What it
answers is compared with what a ledger of `make` answers (`test_sqlite_growth.py`).
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from helpers.ledger_cases import RECIPE, at, place
from holdfast.core.base.hashing import links_digest
from holdfast.core.lineage.lineage import item_id
from holdfast.core.links.citation import document_bid
from holdfast.core.url.url import Place
from holdfast.storage.ledger.database import Row
from holdfast.storage.ledger.ledger import Ledger
from holdfast.storage.sqlite.sqlite_file import SqliteDatabase
from holdfast.storage.sqlite.sqlite_ledger import open_ledger
from storage.sqlite.ledger_questions import CITED_BY_ONE, HOSTS, elsewhere, finding, make, page

PATTERN = 1
SITE = page(0).url.removesuffix("0")
AS_THEY_ARE = ("host", "recipe", "label", "run", "run_progress", "archive_file")
FAST = (
    "journal_mode = OFF",
    "synchronous = OFF",
    "foreign_keys = OFF",
    "cache_size = -2000000",
    "temp_store = MEMORY",
)
SHAPES = """
SELECT type, name, sql FROM main.sqlite_master WHERE type IN ('index', 'trigger') AND sql IS NOT NULL
"""
MADE = """
CREATE TEMP TABLE made (n INTEGER PRIMARY KEY, capture_id BLOB, payload BLOB, content BLOB, item_id BLOB,
                        links_digest BLOB)
"""
THE_URL = f"(SELECT url_id FROM pattern.url WHERE url = '{page(PATTERN).url}')"
THE_PATTERN = f"url_id = {THE_URL}"
THE_HOSTS = "pattern.url u USING (url_id) JOIN pattern.host h USING (host_id) WHERE h.name LIKE 'host%'"
URL, SECONDS = f"'{SITE}' || m.n", f"1000000 * (m.n - {PATTERN})"
OF_A_PAGE: dict[str, dict[str, str]] = {
    "frontier": {"entry_id": "m.n + 1", "url_id": "m.n + 1", "position": "m.n"},
    "capture": {
        "capture_seq": "m.n + 1",
        "capture_id": "m.capture_id",
        "url_id": "m.n + 1",
        "requested_url": URL,
        "final_url": URL,
        "fetched_at": f"k.fetched_at + {SECONDS}",
        "payload_sha256": "m.payload",
        "file_offset": "10 * m.n",
        "rank": "m.n + 1",
    },
    "item": {
        "item_seq": "m.n + 1",
        "item_id": "m.item_id",
        "url_id": "m.n + 1",
        "capture_seq": "m.n + 1",
        "content_sha256": "m.content",
        "created_at": f"k.created_at + m.n - {PATTERN}",
    },
    "observation": {
        "observation_id": "m.n + 1",
        "capture_seq": "m.n + 1",
        "url_id": "m.n + 1",
        "item_seq": "m.n + 1",
        "fetched_at": f"k.fetched_at + {SECONDS}",
        "links_digest": "m.links_digest",
        "rank": "m.n + 1",
    },
    "page": {
        "page_id": "m.n + 1",
        "url_id": "m.n + 1",
        "path": "m.n || '.md'",
        "item_seq": "m.n + 1",
        "links_of": "m.n + 1",
        "fetch_url": URL,
        "fetched_at": f"k.fetched_at + {SECONDS}",
    },
    "citation": {
        "document_id": f"m.n / {CITED_BY_ONE} + 1",
        "ord": f"m.n % {CITED_BY_ONE}",
        "url_id": "m.n + 1",
        "fetch_url": f"{URL} || '#f'",
        "raw": f"{URL} || '#f'",
    },
    "event": {"event_id": "m.n + 1", "at": f"k.at + {SECONDS}", "url_id": "m.n + 1"},
}
"""What differs from page to page; a page's URL is numbered after it."""
COUNTS = (
    "INSERT INTO entry_count SELECT run_seq, state, count(*) FROM frontier GROUP BY run_seq, state",
    "INSERT INTO page_count SELECT label_id, count(*), count(gone_at), sum(size) FROM page GROUP BY label_id",
    """INSERT INTO brought_count SELECT r.run_seq, count(i.run_seq), 0
    FROM run r LEFT JOIN item i USING (run_seq) GROUP BY r.run_seq""",
)
"""What the product keeps while it writes; no page is seen twice."""
OF_A_LINK = {
    "observation_id": "m.n + 1",
    "url_id": "CASE k.ord WHEN 0 THEN m.n + 2 WHEN 1 THEN {hosts} + m.n % {count}"
    " ELSE m.n / k.ord + k.ord + 1 END",
}


def fill(path: Path, pages: int, links: int = 2) -> Ledger:
    """A ledger with one run of that many pages, each cited once, with so many links each."""
    ledger = open_ledger(path, at(0))
    with tempfile.TemporaryDirectory() as folder:
        pattern = Path(folder) / "pattern.db"
        make(pattern, PATTERN + 1, links).close()
        ledger._db.execute("ATTACH $1 AS pattern", (str(pattern),))
        for pragma in FAST:
            ledger._db.execute(f"PRAGMA {pragma}")
        _fill(ledger._db, pages, links)
        ledger._db.execute("DETACH pattern")
    ledger.close()
    return open_ledger(path, at(0))


def _fill(db: SqliteDatabase, pages: int, links: int) -> None:
    aliases = pages + 2  # the last page links to one that is not there
    hosts = aliases + pages
    with _bare(db):
        for table in AS_THEY_ARE:
            _put(db, table, {}, "pattern.{0} k")
        db.execute("UPDATE archive_file SET committed_end = $1", (10 * pages,))
        _put_urls(db, pages, aliases, hosts)
        _put_made(db, pages, links)
        for table, differing in OF_A_PAGE.items():
            _put(db, table, differing, "temp.made m CROSS JOIN pattern.{0} k WHERE k." + THE_PATTERN)
        _put_links(db, hosts)
        _put_aliases(db, aliases)
        _put_cited(db, pages)
        _put_hosts(db, pages, hosts)
        for sql in COUNTS:
            db.execute(sql)


@contextmanager
def _bare(db: SqliteDatabase) -> Iterator[None]:
    """Tables without their indexes and guards, which are made again at the end."""
    shapes = list(db.rows(SHAPES))
    with db.writing():
        for kind, name, _ in shapes:
            db.execute(f"DROP {kind} {name}")
        yield
        for _, _, sql in shapes:
            db.execute(sql)


def _put(db: SqliteDatabase, table: str, differing: Mapping[str, str], source: str) -> None:
    """Rows of a table of the pattern, with what differs."""
    columns = [row[0] for row in db.rows(f"SELECT name FROM pragma_table_info('{table}')")]
    values = ", ".join(differing.get(name, f"k.{name}") for name in columns)
    db.execute(f"INSERT INTO main.{table} SELECT {values} FROM {source.format(table)}")


def _put_urls(db: SqliteDatabase, pages: int, aliases: int, hosts: int) -> None:
    numbers = {row[1]: row[0] for row in db.rows("SELECT host_id, name FROM main.host")}

    def rows() -> Iterator[Row]:
        yield from ((n + 1, page(n)) for n in range(pages + 1))
        yield from ((aliases + n, place(f"also/{n}")) for n in range(pages))
        yield from ((hosts + n, elsewhere(n)) for n in range(HOSTS))

    def columns(number: int, where: Place) -> Row:
        return number, bytes.fromhex(where.key), bytes.fromhex(where.web_key), numbers[where.host], where.url

    db.execute_many("INSERT INTO main.url VALUES (?, ?, ?, ?, ?)", (columns(*row) for row in rows()))


def _put_made(db: SqliteDatabase, pages: int, links: int) -> None:
    """What only the product can say of a page: its names and digests."""
    db.execute(MADE)

    def row(number: int) -> Row:
        found = finding(number, links)
        record, draft = found.capture, found.made
        item = item_id(RECIPE, record.place.url, draft.content_sha256, record.capture_id)
        names = (record.capture_id, record.payload_sha256, draft.content_sha256, item)
        return (number, *map(bytes.fromhex, names), links_digest(draft.links))

    db.execute_many("INSERT INTO made VALUES (?, ?, ?, ?, ?, ?)", (row(n) for n in range(pages)))


def _put_links(db: SqliteDatabase, hosts: int) -> None:
    differing = {name: sql.format(hosts=hosts, count=HOSTS) for name, sql in OF_A_LINK.items()}
    differing["href"] = "u.url || '#part'"
    [(observation,)] = db.rows(f"SELECT observation_id FROM pattern.observation WHERE {THE_PATTERN}")
    source = (
        f"temp.made m CROSS JOIN pattern.link k CROSS JOIN main.url u"
        f" WHERE k.observation_id = {observation} AND u.url_id = {differing['url_id']}"
    )
    _put(db, "link", differing, source)


def _put_aliases(db: SqliteDatabase, aliases: int) -> None:
    differing = {"url_id": "u.url_id", "target_id": "m.n + 1", "url": "u.url"}
    source = "temp.made m CROSS JOIN pattern.{0} k CROSS JOIN main.url u"
    _put(db, "alias", differing, f"{source} WHERE k.target_id = {THE_URL} AND u.url_id = {aliases} + m.n")


def _put_cited(db: SqliteDatabase, pages: int) -> None:
    """The documents, and what is known of every other page."""
    db.define("document_bid", lambda path: str(document_bid(path)), 1)
    path = "'d' || m.n || '.md'"
    documents = {"document_id": "m.n + 1", "path": path, "bid": f"document_bid({path})"}
    wanted = f"k.path = 'd0.md' AND m.n <= {(pages - 1) // CITED_BY_ONE}"
    _put(db, "document", documents, f"temp.made m CROSS JOIN pattern.{{0}} k WHERE {wanted}")
    places = {
        "place_id": "m.n + 1",
        "web_key": "u.web_key",
        "url_id": "u.url_id",
        "fetch_url": "u.url",
        "url": "u.url",
    }
    source = "temp.made m CROSS JOIN main.url u CROSS JOIN pattern.{0} k WHERE m.n % 2 AND u.url_id = m.n + 1"
    _put(db, "cited_place", places, source)


def _put_hosts(db: SqliteDatabase, pages: int, hosts: int) -> None:
    """What other hosts' front pages have: a capture and a document each."""
    number = "CAST(substr(h.name, 5) AS INTEGER)"
    url = f"{hosts} + {number}"
    captures = dict.fromkeys(("capture_seq", "rank"), f"{pages + 1} + {number}") | {"url_id": url}
    _put(db, "capture", captures, f"pattern.{{0}} k JOIN {THE_HOSTS}")
    document = f"{pages + 1} + k.document_id"
    _put(db, "document", {"document_id": document}, "pattern.{0} k WHERE k.path LIKE 'host%'")
    _put(db, "citation", {"document_id": document, "url_id": url}, f"pattern.{{0}} k JOIN {THE_HOSTS}")
