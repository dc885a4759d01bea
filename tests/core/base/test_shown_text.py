"""What is left of an address when words are shown: no password, and no name that may be one."""

from __future__ import annotations

import pytest

from holdfast.core.base.shown_text import without_userinfo

KEPT = [
    "it looks like postgresql://user@host:5432/database; write : / @ ? # in a password as %XX",
    "the ledger postgres://holdfast@db.internal/pages cannot be reached",
    "the ledger postgresql://holdfast@/pages?host=/run/postgresql cannot be reached",
    "write to ops@example.com",
]
HIDDEN = {
    "the ledger postgresql://me:secret@db/pages": "the ledger postgresql://db/pages",
    "postgresql://me:a@b@db/pages": "postgresql://db/pages",
    "postgresql://me%3Asecret@db/pages": "postgresql://db/pages",
    "https://token@docs.example/a": "https://docs.example/a",
    "see https://me:secret@docs.example/a": "see https://docs.example/a",
}


@pytest.mark.spec("SEC-3")
@pytest.mark.parametrize("words", KEPT)
def test_the_name_of_a_user_of_a_database_is_shown(words):
    assert without_userinfo(words) == words


@pytest.mark.spec("SEC-3")
@pytest.mark.parametrize("words", HIDDEN)
def test_what_may_be_a_password_is_not(words):
    assert without_userinfo(words) == HIDDEN[words]
