"""One session with a store: its parts are made when they are named, and closed with it, the last first."""

import sys

import pytest

from helpers.ledger_cases import memory_ledger, session_of
from holdfast.core.base.errors import LedgerError, UsageError
from holdfast.core.base.late_modules import MissingLibraryError, thing_named
from holdfast.core.settings.resolve import resolve
from holdfast.jobs.session import Session, open_store, read_store, store_in_memory


class Part:
    """Something that tells when it is closed."""

    def __init__(self, name, told):
        self.name, self.told = name, told

    def close(self):
        self.told.append(self.name)


def test_a_session_that_nobody_asks_makes_nothing(tmp_path):
    state = tmp_path / ".holdfast"
    with Session(resolve(), state) as session:
        assert not {"ledger", "archive", "index", "scribe", "refine"} & set(vars(session))
    assert not state.exists()


def test_a_part_is_made_once(tmp_path):
    with open_store(tmp_path / ".holdfast", "test", resolve()) as session:
        assert session.index is session.index
        assert session.policy is session.policy


def test_parts_are_closed_with_the_session_the_last_one_first():
    told = []
    with Session(resolve(), None) as session:
        session.hold(Part("ledger", told))
        session.hold(Part("archive", told))
        assert told == []
    assert told == ["archive", "ledger"]


def test_the_others_are_closed_when_one_fails():
    told = []

    class Bad(Part):
        def close(self):
            super().close()
            raise LedgerError("the disk is gone")

    session = Session(resolve(), None)
    session.hold(Part("ledger", told))
    session.hold(Bad("archive", told))
    with pytest.raises(LedgerError), session:
        pass
    assert told == ["archive", "ledger"]


def test_the_lock_is_let_go_of_when_a_store_cannot_be_opened(tmp_path):
    state = tmp_path / ".holdfast"
    with open_store(state, "test", resolve()):
        pass
    ledger = (state / "ledger.db").read_bytes()
    (state / "ledger.db").write_bytes(b"not a ledger" * 999)
    with pytest.raises(LedgerError), open_store(state, "test", resolve()):
        pytest.fail("it was opened")
    (state / "ledger.db").write_bytes(ledger)
    with open_store(state, "test", resolve()) as session:
        assert session.now(lambda ledger, _: ledger.joins.version())


def test_a_scribe_that_was_ended_is_followed_by_another():
    with session_of(memory_ledger()) as session:
        first = session.scribe
        session.end_scribe()
        assert session.scribe is not first
        session.end_scribe()
        session.end_scribe()


def test_what_only_looks_finds_no_store_and_leaves_none(tmp_path):
    state = tmp_path / ".holdfast"
    with pytest.raises((LedgerError, UsageError)), read_store(resolve(), state):
        pytest.fail("there is nothing to read")
    with store_in_memory(resolve(), state) as session:
        assert list(session.ledger.runs.latest_first()) == []
    assert not state.exists()


def test_a_table_finds_what_it_names_and_a_missing_library_names_its_extra(monkeypatch):
    assert thing_named("jobs.session:Session") is Session
    monkeypatch.setitem(sys.modules, "pyromark", None)
    monkeypatch.delitem(sys.modules, "holdfast.core.documents.markdown_source", raising=False)
    with pytest.raises(MissingLibraryError) as missing:
        thing_named("core.documents.markdown_source:no_matter")
    assert missing.value.extra == "check"
