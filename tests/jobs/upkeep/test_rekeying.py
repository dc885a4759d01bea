"""Join keys are made anew: resumed, exact, killed before every change (ID-13)."""

from __future__ import annotations

from contextlib import contextmanager

import pytest

from helpers.ledger_cases import at, capture, commit, content, facts, place, run
from holdfast.core.base.hashing import UrlKey, url_key
from holdfast.core.lineage.ledger_values import Draft, Finding
from holdfast.core.links.link_state import Looks
from holdfast.core.url.compiled import canonical_text
from holdfast.core.url.policy import policy
from holdfast.jobs.upkeep.rekey import key_maker, rekey
from holdfast.jobs.upkeep.store_commands import LedgerRekeyed
from holdfast.storage.ledger import join_table
from holdfast.storage.sqlite.sqlite_file import SqliteDatabase
from holdfast.storage.sqlite.sqlite_ledger import check_file, open_ledger
from storage.ledger.test_citations import cites, document, known

ONE, TWO = policy("web", 1), policy("web", 2)
MAKE = key_maker(ONE, TWO)
NAMES = ["a", "a?dclid=1", "b?igshid=2&x=1", "c", "d?x=1"]
pytestmark = pytest.mark.spec("ID-12", "ID-13")


def fill(ledger):
    ledger.runs.begin_run(run())
    pages = [
        Finding(capture(place(name), number), Draft(content(name), name), facts(f"{number}.md"))
        for number, name in enumerate(NAMES, 1)
    ]
    commit(ledger, *pages)
    cited = [place("a"), place("a?dclid=1"), place("e?mtm_x=1")]
    ledger.citations.put_documents([(document("a.md"), [cites(each, n) for n, each in enumerate(cited, 1)])])
    ledger.citations.put_places([known(each, looks=Looks(last=at(n))) for n, each in enumerate(cited, 1)])


def keys(ledger):
    found = ledger._session.db.rows("SELECT url, lower(hex(web_key)) FROM url ORDER BY url")
    return dict(found), ledger.joins.version()


def told(ledger):
    """Everything that is found by the new keys."""
    wanted = {url_key(canonical_text(TWO)(f"https://example.com/{name}")) for name in [*NAMES, "e?mtm_x=1"]}
    return {
        key: (
            [seen.item.item_id for seen in ledger.history.of_url(key)],
            ledger.citations.backlinks(key),
            ledger.citations.place(key),
            ledger.pages.mirrored(key),
        )
        for key in sorted(wanted)
    }


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "ledger.db"
    ledger = open_ledger(path, at(0))
    fill(ledger)
    ledger.close()
    return path


def test_keys_are_those_of_the_version_and_what_it_calls_one_is_joined(path):
    ledger = open_ledger(path, at(0))
    done = rekey(ledger.joins, MAKE, "web@2")

    assert done == LedgerRekeyed("web@1", "web@2", urls=6, moved=3, merged=1, unexplained=0)
    assert all(url_key(canonical_text(TWO)(url)) == key for url, key in keys(ledger)[0].items())
    a = url_key("https://example.com/a")
    assert len(list(ledger.history.of_url(a))) == len(ledger.citations.backlinks(a)) == 2
    assert ledger.citations.place(a).place.url == "https://example.com/a?dclid=1"  # looked at last
    assert list(check_file(path)) == []
    ledger.close()


def test_a_second_time_moves_nothing(path):
    ledger = open_ledger(path, at(0))
    rekey(ledger.joins, MAKE, "web@2")
    again = rekey(ledger.joins, key_maker(TWO, TWO), "web@2")

    assert (again.before, again.after, again.moved, again.merged) == ("web@2", "web@2", 0, 0)
    ledger.close()


def test_there_and_back_again(path):
    ledger = open_ledger(path, at(0))
    before = keys(ledger)
    rekey(ledger.joins, MAKE, "web@2")
    rekey(ledger.joins, key_maker(TWO, ONE), "web@1")

    assert keys(ledger) == before
    ledger.close()


def test_a_key_that_moved_between_two_starts_is_made_anew(path):
    ledger = open_ledger(path, at(0))
    ledger.joins.aim("web@2")
    for group in ledger.joins.unkeyed():
        ledger.joins.note({each.key: each.web_key for each in group})
    moved = place("c")._replace(web_key=UrlKey("cd" * 32))
    commit(ledger, Finding(capture(moved, 9), Draft(content("other"), "C", (), None, moved)))

    assert list(ledger.joins.unkeyed()) == [(moved,)]
    ledger.close()


def test_killed_before_every_change_it_has_the_old_keys_or_the_new_ones_and_goes_on(
    path, tmp_path, monkeypatch
):
    monkeypatch.setattr(join_table, "GROUP", 2)
    original = path.read_bytes()
    ledger = open_ledger(path, at(0))
    old = keys(ledger)
    rekey(ledger.joins, MAKE, "web@2")
    new, wanted = keys(ledger), told(ledger)
    ledger.close()
    states, changes = set(), 0
    while True:
        changes += 1
        copy = tmp_path / f"killed-{changes}.db"
        copy.write_bytes(original)
        ledger = open_ledger(copy, at(0))
        with monkeypatch.context() as patched:
            kill_before(patched, changes)
            try:
                rekey(ledger.joins, MAKE, "web@2")
            except KilledError:
                pass
            else:
                break
        ledger.close()
        ledger = open_ledger(copy, at(0))
        states.add(found := ledger.joins.version())
        assert keys(ledger) == {"web@1": old, "web@2": new}[found]
        rekey(ledger.joins, key_maker(policy("web", found[-1]), TWO), "web@2")
        assert (keys(ledger), told(ledger)) == (new, wanted)
        ledger.close()
        assert list(check_file(copy)) == []
    ledger.close()

    assert changes > 15
    assert states == {"web@1"}


class KilledError(BaseException):
    """The process is gone."""


def kill_before(patched, number):
    """End everything before a change of the database, or before it is committed; counted from 1."""
    count = 0

    def live():
        nonlocal count
        count += 1
        if count == number:
            raise KilledError

    for verb in ("execute", "execute_many"):
        real = getattr(SqliteDatabase, verb)

        def counted(*given, real=real):
            live()
            return real(*given)

        patched.setattr(SqliteDatabase, verb, counted)
    begin = SqliteDatabase.writing

    @contextmanager
    def writing(db):
        with begin(db):
            yield
            live()

    patched.setattr(SqliteDatabase, "writing", writing)
