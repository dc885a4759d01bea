"""What is kept beside rows while they are written, so that nobody has to count or sort them.

1. Entries of a run by state and pages of a mirror are counted by the database itself, whoever writes them
   (`schema/0016_counts.sql`). So are the URLs by which aliases and cited places are in order, and whether
   anything cites a place (`schema/0017_orders.sql`).
2. What a run brought is counted by who writes a batch. Whether an item is new or changed depends on what was
   seen of its URL earlier; where a batch brings something that stands before what is known, the counts of
   that recipe's runs are given up, and made anew when a run ends: of runs that are over, since others may
   write to a server at this moment. A count that is not there is made when it is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from holdfast.core.base.hashing import UrlKey
from holdfast.core.lineage.batch import Judged, ObservationRow, Shown
from holdfast.core.lineage.ledger_values import Brought

if TYPE_CHECKING:
    from holdfast.storage.ledger.database import Database

KEPT_BY_DATABASE: Final = frozenset({"entry_count", "page_count"})
"""Tables whose rows follow those of other tables by themselves."""

_CHANGED: Final = """
EXISTS (SELECT 1 FROM capture c JOIN observation o ON o.recipe_id = i.recipe_id AND o.url_id = i.url_id
        AND (o.rank, o.stamp) < (c.rank, c.stamp) WHERE c.capture_seq = i.capture_seq)
"""
_COUNTED: Final = f"SELECT count(*), count(*) FILTER (WHERE {_CHANGED}) FROM item i"
_CHANGED_OF: Final = f"""
WITH wanted (item_seq) AS ({{}})
SELECT count(*) FROM wanted w CROSS JOIN item i WHERE i.item_seq = w.item_seq AND {_CHANGED}
"""
_KEPT: Final = "SELECT items, changed FROM brought_count WHERE run_seq = $1"
_ADD: Final = "UPDATE brought_count SET items = items + $1, changed = changed + $2 WHERE run_seq = $3"
_GIVE_UP: Final = """
DELETE FROM brought_count WHERE run_seq IN (SELECT run_seq FROM run WHERE recipe_id = $1)
"""
_BEGIN: Final = """
INSERT INTO brought_count (run_seq, items, changed) VALUES ($1, 0, 0) ON CONFLICT DO NOTHING
"""
_RECOUNT: Final = f"""
INSERT INTO brought_count (run_seq, items, changed)
SELECT r.run_seq, count(i.item_seq), count(i.item_seq) FILTER (WHERE {_CHANGED})
FROM run r JOIN run_progress g ON g.run_seq = r.run_seq LEFT JOIN item i ON i.run_seq = r.run_seq
WHERE g.status <> 'running' AND NOT EXISTS (SELECT 1 FROM brought_count k WHERE k.run_seq = r.run_seq)
GROUP BY r.run_seq ON CONFLICT (run_seq) DO NOTHING
"""


def brought(db: Database, run_seq: int) -> Brought:
    """How many URLs a run saw for the first time, and how many it found changed."""
    items, changed = (
        db.row(_KEPT, (run_seq,)) or db.row(f"{_COUNTED} WHERE i.run_seq = $1", (run_seq,)) or (0, 0)
    )
    return Brought(items - changed, changed)


def begin_brought(db: Database, run_seq: int) -> None:
    """A run begins: it has brought nothing yet."""
    db.execute(_BEGIN, (run_seq,))


def add_brought(
    db: Database, run_seq: int, recipe_id: int, judged: Judged, last: Mapping[UrlKey, Shown]
) -> None:
    """After a run's batch was written, `last` being what was last seen of its URLs before it."""
    if any(_is_older(row, last.get(row.place.key)) for row in judged.observations):
        db.execute(_GIVE_UP, (recipe_id,))
    elif judged.items:
        # What was never seen before cannot have changed, unless this very batch saw it twice.
        is_repeated = len({row.place.key for row in judged.observations}) < len(judged.observations)
        known = [(row.number,) for row in judged.items if is_repeated or row.item.place.key in last]
        changed = sum(count for (count,) in db.rows_for(_CHANGED_OF, known)) if known else 0
        db.execute(_ADD, (len(judged.items), changed, run_seq))


def _is_older(row: ObservationRow, before: Shown | None) -> bool:
    return before is not None and row.rank < before.rank


def recount_brought(db: Database, *, all_runs: bool = False) -> None:
    """Count what runs brought whose counts were given up, or all of them."""
    if all_runs:
        db.execute("DELETE FROM brought_count")
    db.execute(_RECOUNT)


KEPT_LAWS: Final = (
    (
        "entries of runs that are not counted as they are",
        """SELECT 1 FROM (
        SELECT run_seq, state, count(*) AS entries FROM frontier GROUP BY run_seq, state) AS f
        FULL JOIN entry_count k ON k.run_seq = f.run_seq AND k.state = f.state
        WHERE f.entries IS DISTINCT FROM k.entries""",
    ),
    (
        "mirrors whose pages are not counted as they are",
        """SELECT 1 FROM (SELECT label_id, count(*) AS pages, count(gone_at) AS gone, sum(size) AS size
        FROM page GROUP BY label_id) AS g FULL JOIN page_count k ON k.label_id = g.label_id
        WHERE g.pages IS DISTINCT FROM k.pages OR g.gone IS DISTINCT FROM k.gone
        OR g.size IS DISTINCT FROM k.size""",
    ),
    (
        "runs whose items are not counted as they are",
        f"""SELECT 1 FROM brought_count k
        WHERE k.items <> (SELECT count(*) FROM item i WHERE i.run_seq = k.run_seq)
        OR k.changed <> (SELECT count(*) FROM item i WHERE i.run_seq = k.run_seq AND {_CHANGED})""",
    ),
    (
        "aliases in the place of another URL",
        "SELECT 1 FROM alias a JOIN url u ON u.url_id = a.url_id WHERE a.url <> u.url",
    ),
    (
        "cited places in the place of another URL",
        "SELECT 1 FROM cited_place p JOIN url u ON u.url_id = p.url_id WHERE p.url <> u.url",
    ),
    (
        "places that are not known as cited, or not cited, as they are",
        """SELECT 1 FROM cited_place p WHERE p.is_cited <> CASE WHEN EXISTS (
        SELECT 1 FROM url u JOIN citation c ON c.url_id = u.url_id WHERE u.web_key = p.web_key)
        THEN 1 ELSE 0 END""",
    ),
)
"""What `verify` compares with what it is made of."""
