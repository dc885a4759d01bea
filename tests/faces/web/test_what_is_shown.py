"""What a page says is so: counts of runs, empty states, commands in sentences, addresses that are there."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from faces.web.conftest import at
from holdfast.core.base.hashing import SettingsDigest
from holdfast.core.lineage.ledger_values import Brought
from holdfast.core.lineage.lineage import Job, Run, RunRecord, RunStatus, RunTally
from holdfast.core.url.policy import Recipe
from holdfast.faces.web.shown import coded
from holdfast.questions.log.runs import outcome_in_words

pytestmark = pytest.mark.spec("WEB-1")
DAY = datetime(2026, 5, 4, tzinfo=UTC)


def record(job, **counts):
    run = Run(
        "ab" * 32, job, Recipe.parse("http_snapshot_url_v1_text_v1"), SettingsDigest("cd" * 32), DAY, "."
    )
    return RunRecord(run, RunStatus.FINISHED, DAY, DAY, tally=RunTally.of(counts))


def test_a_page_that_was_asked_for_and_says_the_same_is_not_told_as_changed():
    said = outcome_in_words(record(Job.MIRROR, page=74, unchanged=4, failed=1), Brought(new=1, changed=16))

    assert said == ["16 changed", "1 new", "61 unchanged", "1 failed"]
    assert outcome_in_words(record(Job.MIRROR, page=0), Brought(new=0, changed=0)) == []


def test_a_track_is_told_by_the_states_of_its_links():
    said = outcome_in_words(record(Job.TRACK, ok=1_300, not_found=2, gone=0), Brought(new=0, changed=0))

    assert said == ["1,300 ok", "2 not found"]


def test_the_list_of_runs_says_what_each_brought(client):
    text = client.get("/s/mirror/runs").text

    assert " · 1 changed · 1 unchanged</span>" in text
    assert " · 2 new</span>" in text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("run `holdfast check` <b>", "run <code>holdfast check</code> &lt;b&gt;"),
        ("a ` alone", "a ` alone"),
        ("`<i>`", "<code>&lt;i&gt;</code>"),
    ],
)
def test_a_command_in_a_sentence_is_shown_as_one(text, shown):
    assert coded(text) == shown


def test_an_error_shows_its_command(client):
    assert (
        "<code>holdfast check --fetch-urls</code>"
        in client.get(at("s", "mirror", "page", url="https://none.example/")).text
    )


def test_documents_are_not_said_to_have_no_run(client):
    today = datetime.now(UTC).date().isoformat()

    assert "No run up to then" not in client.get(f"/?at={today}").text
    assert client.get("/?at=2020-05-04").text.count("No run up to then") == 2


def test_help_names_no_json_that_is_not_there(client):
    assert "/help.json" not in client.get("/help").text


def test_an_event_without_a_title_names_its_url_once(client, kept):
    run = client.get("/s/notes/runs.json").json()["parts"][0]["runs"][0]["run_id"]
    text = client.get(at("s", "notes", "runs", run)).text

    assert text.count(f">{kept.origin}/nowhere<") <= 1
