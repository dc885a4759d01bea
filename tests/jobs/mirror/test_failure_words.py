"""What to do about a page that failed."""

from __future__ import annotations

import pytest

from holdfast.core.web.capture import Denial, Denied, Failed, Failure
from holdfast.core.web.outcome import describe
from holdfast.jobs.mirror.summary import what_to_do

pytestmark = pytest.mark.spec("WEB-1")
AGAIN = "The next run tries it again."


@pytest.mark.parametrize("kind", [*Failure, *Denial])
def test_every_reason_has_its_advice(kind):
    outcome = Failed(kind, "words", transient=False) if isinstance(kind, Failure) else Denied(kind, "words")
    assert what_to_do(describe(outcome)) not in ("", AGAIN)


@pytest.mark.parametrize(
    ("why", "words"),
    [
        ("404", "not there any more"),
        ("failed (status): status 403", "does not let us"),
        ("failed (status): status 500", "The server failed"),
        ("timed out (read): 30 s", AGAIN),
        ("", AGAIN),
        ("redirected out of scope to https://x.example/", AGAIN),
    ],
)
def test_a_status_says_more_than_that_it_failed(why, words):
    assert words in what_to_do(why)
