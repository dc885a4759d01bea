"""What the tables share: one connection, its transactions, and the numbers of runs, recipes, labels and URLs.

1. Recipes and labels are known by their names: each is written once, by whoever names it first.
2. Of URLs and hosts it is remembered which number they have. A database writes those that are new its own
   way.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Protocol

from holdfast.core.base.errors import LedgerError
from holdfast.core.base.hashing import SettingsDigest, UrlKey
from holdfast.core.base.values import dataclass
from holdfast.core.lineage.chapters import RUN
from holdfast.core.settings.identity import require_same_digest
from holdfast.core.url.policy import Recipe
from holdfast.core.url.url import Place
from holdfast.storage.ledger.columns import recipe_of

if TYPE_CHECKING:
    from holdfast.storage.ledger.database import Database

_RUN: Final = """
SELECT r.run_seq, r.recipe_id, r.label_id, p.version, l.name FROM run r
JOIN recipe p ON p.recipe_id = r.recipe_id JOIN label l ON l.label_id = r.label_id WHERE r.run_id = $1
"""


@dataclass(frozen=True, slots=True)
class KnownRun:
    """The numbers by which rows name a run, and what never changes about it."""

    run_seq: int
    recipe_id: int
    label_id: int
    run_id: str
    recipe: Recipe
    label: str


class LedgerSession:
    """A connection and what is remembered beside it; that does not outlive a transaction that failed."""

    def __init__(self, db: Database, places: Places) -> None:
        self.db = db
        self.places = places
        self._runs: dict[str, KnownRun] = {}
        self.touched: set[str] = set()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """A transaction that may write."""
        with self._remembering(), self.db.writing():
            yield

    @contextmanager
    def purging(self) -> Iterator[None]:
        """A transaction that takes rows out."""
        with self._remembering(), self.db.purging():
            yield
        self.places.forget()

    @contextmanager
    def filling(self) -> Iterator[None]:
        """A transaction that fills a ledger which is empty."""
        with self._remembering(), self.db.filling():
            yield

    @contextmanager
    def _remembering(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            self.places.forget()
            self._runs.clear()
            self.touched.clear()
            raise

    def touch(self, *names: str) -> None:
        """Inside a transaction: these chapters are being written, and the archive's are behind."""
        if new := [name for name in names if name not in self.touched]:
            self.touched.update(new)
            self.db.execute_many(
                "UPDATE chapter SET is_current = 0 WHERE name = $1", [(name,) for name in new]
            )

    def run_to_write(self, run_id: str) -> KnownRun:
        """Inside a transaction: a run's numbers, for whoever is going to write of it."""
        self.touch(RUN + run_id)
        return self.run(run_id)

    def run(self, run_id: str) -> KnownRun:
        """A run's numbers."""
        known = self._runs.get(run_id)
        if known is None:
            row = self.db.row(_RUN, (run_id,))
            if row is None:
                raise LedgerError(f"there is no run {run_id}")
            known = self._runs[run_id] = KnownRun(row[0], row[1], row[2], run_id, recipe_of(row[3]), row[4])
        return known


_RECIPE: Final = "SELECT recipe_id, identity_digest FROM recipe WHERE version = $1"
_NEW_RECIPE: Final = """
INSERT INTO recipe (version, identity_digest) VALUES ($1, $2) ON CONFLICT (version) DO NOTHING
"""


def recipe_number(db: Database, recipe: Recipe, digest: SettingsDigest) -> int:
    """The number of a recipe, which stands for the same settings wherever it is named."""
    row = db.row(_RECIPE, (str(recipe),))
    if row is None:  # another writer may be first: then its row is there afterwards
        db.execute(_NEW_RECIPE, (str(recipe), digest))
        row = db.row(_RECIPE, (str(recipe),))
    if row is None:
        raise LedgerError(f"{db.name} does not keep the recipe {recipe}")
    require_same_digest(recipe, row[1], digest)
    return int(row[0])


def label_number(db: Database, label: str) -> int:
    """The number of a label."""
    db.execute("INSERT INTO label (name) VALUES ($1) ON CONFLICT (name) DO NOTHING", (label,))
    return db.number("SELECT label_id FROM label WHERE name = $1", (label,))


_REMEMBERED: Final = 16_384


class PlaceRegister(Protocol):
    """Where URLs and hosts get their numbers."""

    def urls(self, places: Mapping[UrlKey, Place]) -> list[tuple[Place, int]]:
        """The numbers of URLs; writes those that are new, and web keys that are not what they were."""
        ...

    def hosts(self, names: Collection[str]) -> dict[str, int]:
        """The numbers of hosts; writes those that are new."""
        ...


class Places:
    """URLs and hosts, each written once and known by a number from then on.

    A URL's `web` key is the last one written: it is what rows are joined by, and moves with the user's
    overrides; the url key and the text never do.
    """

    def __init__(self, register: PlaceRegister) -> None:
        self._register = register
        self._urls: dict[UrlKey, tuple[int, UrlKey]] = {}

    def forget(self) -> None:
        """What was remembered may have been rolled back."""
        self._urls.clear()

    def numbers(self, places: Iterable[Place]) -> dict[UrlKey, int]:
        """The numbers of many URLs; writes those that are new, and web keys that are not what they were."""
        wanted = {place[1]: place for place in places}  # of several web keys the last one counts
        remembered = self._urls.get
        found: dict[UrlKey, int] = {}
        missing: dict[UrlKey, Place] = {}
        for key, place in wanted.items():
            known = remembered(key)
            if known is None or known[1] != place[2]:
                missing[key] = place
            else:
                found[key] = known[0]
        if missing:
            if len(self._urls) + len(missing) > _REMEMBERED:
                self._urls.clear()
            for place, number in self._register.urls(missing):
                found[place.key] = number
                self._urls[place.key] = (number, place.web_key)
        return found

    def host_numbers(self, names: Collection[str]) -> dict[str, int]:
        """The numbers of hosts; writes those that are new."""
        return self._register.hosts(names)
