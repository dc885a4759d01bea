"""Notifications through the command line, on loopback: once, never lost, whatever is killed when."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from itertools import count

import pytest

import holdfast as library
from helpers.sinks import WebhookSink, mail_server
from helpers.sites.living import LivingSite
from helpers.trusting import trust

pytestmark = pytest.mark.spec("TRK-10")
HOLDFAST = [sys.executable, "-m", "holdfast"]


@pytest.fixture
def sink():
    with WebhookSink() as sink:
        yield sink


@pytest.fixture
def site():
    with LivingSite() as site:
        site.put("/a", "First words", links=["/b"])
        site.put("/b", "Steady", links=["/a"])
        yield site


@pytest.fixture
def settle(tmp_path):
    """Write a settings file for loopback, with these tables of targets."""

    def write(*tables):
        head = 'content_rate_limit = 0\nallow_private = true\nprocesses = 1\nmanifest_format = "none"\n'
        (tmp_path / "holdfast.toml").write_text(head + "\n".join(tables))
        trust(tmp_path)

    return write


def hook(sink, name="team", *lines):
    return f'[notify.{name}]\nwebhook = "{sink.url}"\nallow_private = true\n' + "\n".join(lines)


def test_a_mirror_tells_what_changed_and_says_so(holdfast, site, sink, settle):
    settle(hook(sink))
    assert holdfast("mirror", site.origin + "/", "-o", "docs").status == 0
    assert sink.posts == [], "a first run has no news"
    site.put("/a", "Second words", links=["/b"])
    done = holdfast("mirror", site.origin + "/", "-o", "docs", "--update")
    assert "notify team: told of 1 event" in done.err
    (event,) = sink.events
    assert (event["kind"], event["url"], event["mirror"]) == ("changed", site.origin + "/a", "docs")
    assert event["diff"] == ["-First words", "+Second words"]
    holdfast("mirror", site.origin + "/", "-o", "docs", "--update")
    assert len(sink.posts) == 1
    listed = holdfast("log", "docs", "--json").json["parts"][0]["changes"]
    assert listed[0]["event_id"] == event["event_id"], "the list speaks of the same event"
    feed = holdfast("log", "docs", "--format", "json-feed").json["items"]
    assert feed[0]["id"] == f"urn:sha256:{event['event_id']}", "and so does the feed"


def test_a_mirror_that_failed_is_told_once_and_its_exit_status_says_the_same(holdfast, sink, settle):
    settle(hook(sink))
    with LivingSite() as site:
        site.put("/a", "Words")
        holdfast("mirror", site.origin + "/", "-o", "docs")
    for _ in range(2):
        assert holdfast("mirror", site.origin + "/", "-o", "docs", "--update").status == 3
    assert [event["kind"] for event in sink.events] == ["failed"]


def test_tracking_tells_what_died_and_the_exit_status_says_the_same(holdfast, site, sink, settle, tmp_path):
    settle(hook(sink))
    (tmp_path / "notes.md").write_text(f"[a]({site.origin}/a)\n\n[b]({site.origin}/nowhere)\n")
    track = ("check", "--fetch-urls", "--force-refetch")
    assert holdfast(*track).status == 0
    assert sink.posts == []
    assert holdfast(*track).status == 1
    (event,) = sink.events
    assert (event["kind"], event["url"]) == ("died", site.origin + "/nowhere")
    assert [(link["document"], link["line"]) for link in event["citations"]] == [("notes.md", 3)]
    assert holdfast(*track).status == 1
    assert len(sink.posts) == 1


def test_nothing_is_told_without_consent_or_when_it_is_switched_off(holdfast, site, sink, settle, tmp_path):
    settle(hook(sink))
    (tmp_path / "notes.md").write_text(f"[b]({site.origin}/nowhere)\n")
    holdfast("check", "--fetch-urls", "--eager", "--no-notifications")
    assert sink.posts == []
    sink.statuses = [500]
    (tmp_path / "notes.md").write_text(f"[b]({site.origin}/nowhere/else)\n")
    holdfast("check", "--fetch-urls", "--eager")
    assert len(sink.posts) == 1
    holdfast("check", "--offline")
    holdfast("notify")
    assert len(sink.posts) == 1, "what only reads sends nothing that waits"


def test_a_delivery_that_fails_is_kept_and_fails_no_run(holdfast, site, sink, settle):
    settle(hook(sink))
    holdfast("mirror", site.origin + "/", "-o", "docs")
    site.put("/a", "Second words", links=["/b"])
    sink.statuses = [503, 503]
    done = holdfast("mirror", site.origin + "/", "-o", "docs", "--update")
    assert done.status == 0
    assert "the webhook answered 503; 1 event kept, next try after" in done.err
    (waiting,) = holdfast("notify", "--json").json["unsent"]
    assert (waiting["attempts"], waiting["trouble"]) == (1, "the webhook answered 503")
    assert "the webhook answered 503" in holdfast("notify").out
    holdfast("mirror", site.origin + "/", "-o", "docs", "--update")
    assert len(sink.posts) == 1, "it is not its time yet"
    assert holdfast("notify", "send").status == 1
    sent = holdfast("notify", "send", "--json")
    assert sent.status == 0
    assert sent.json["deliveries"][0]["id"] == waiting["id"] == sink.taken[0]["id"]
    assert holdfast("notify", "send").err.strip() == "no notification is waiting"


def test_one_target_that_fails_is_no_trouble_of_the_others(holdfast, site, sink, settle):
    with mail_server() as inbox:
        mail = f'[notify.me]\nmail = "ann@example.com"\nfrom = "h@example.com"\nsmtp = "smtp://127.0.0.1:{inbox.port}"'
        settle(hook(sink, "gone"), mail)
        sink.__exit__()
        holdfast("mirror", site.origin + "/", "-o", "docs")
        site.put("/a", "Second words", links=["/b"])
        assert holdfast("mirror", site.origin + "/", "-o", "docs", "--update").status == 0
        assert [letter["Subject"] for _, letter, _ in inbox.letters] == ["Holdfast: Changed: /a"]
    assert [each["target"] for each in holdfast("notify", "--json").json["unsent"]] == ["gone"]
    assert "1 notice dropped" in holdfast("notify", "drop", "gone").err
    assert holdfast("notify", "--json").json["unsent"] == []


def test_a_section_of_a_page_can_be_watched(holdfast, site, sink, settle):
    def put(intro, limits):
        sections = f"<h2 id=intro>Intro</h2><p>{intro}</p><h2 id=limits>Limits</h2><p>{limits}</p>"
        site.put("/page", body=f"<main><h1>A</h1>{sections}</main>".encode())

    settle(hook(sink, "limits", f'urls = ["{site.origin}/page#limits"]'))
    put("Hello", "Ten")
    for intro, limits in (("Hello", "Ten"), ("Good day", "Ten"), ("Good day", "Twenty")):
        put(intro, limits)
        holdfast("mirror", site.origin + "/", "-o", "docs", "--update")
        told = len(sink.taken)
        assert told == (limits == "Twenty")


def test_a_trial_reaches_whoever_is_named(holdfast, sink, settle):
    settle(hook(sink), '[notify.other]\ncommand = "false"')
    assert holdfast("notify", "send", "--test", "team").status == 0
    assert sink.taken[0]["is_test"]
    done = holdfast("notify", "send", "--test")
    assert done.status == 1
    assert "notify other: the command ended with status 1" in done.err
    assert "did you mean team?" in holdfast("notify", "send", "--test", "tea").err


def test_the_library_tells_what_it_was_told_to_owe(site, sink, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    settings = {"output": "docs", "content_rate_limit": 0, "processes": 1}
    library.mirror(site.origin + "/", **settings)
    site.put("/a", "Second words", links=["/b"])
    library.mirror(site.origin + "/", update=True, owed_to=["team"], **settings)
    assert library.notices(store="docs").owed == {"team": 1}
    targets = {"team": {"webhook": sink.url, "allow_private": True, "secret_env": "KEY"}}
    assert library.notify(targets, store="docs", trust=True).failed[0].trouble.endswith("KEY is not set")
    done = library.notify(targets, secrets={"KEY": "s"}, store="docs", trust=True)
    assert [(each.target, each.events, each.trouble) for each in done.attempts] == [("team", 1, "")]
    assert library.to_json(library.notices(store="docs"))["unsent"] == []


def posted(sink):
    return [headers["webhook-id"] for headers, _ in sink.posts]


def run_and_kill(folder, moment, sink, site):
    """Track in a process of its own, and kill it: at a question to the site (`ask N`), before a message is
    acknowledged (`before`), after that (`after`), or never (`never`).
    """
    running, started, asked = [], threading.Event(), count(1)

    def kill():
        started.wait(30)
        os.kill(running[0].pid, signal.SIGKILL)

    def answer(handler):
        if moment == f"ask {next(asked)}":
            kill()
        LivingSite._answer(site, handler)

    site._answer = answer
    sink.before, sink.after = (kill if moment == each else None for each in ("before", "after"))
    command = [*HOLDFAST, "check", "--fetch-urls", "--eager"]
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        running.append(process)
        started.set()
    sink.before = sink.after = None
    return process.returncode


@pytest.mark.spec("SEC-6")
def test_a_kill_between_run_and_acknowledgement_loses_nothing(holdfast, site, sink, settle, tmp_path):
    settle(hook(sink))
    (tmp_path / "notes.md").write_text(f"[b]({site.origin}/nowhere)\n")
    assert run_and_kill(tmp_path, "before", sink, site) == -signal.SIGKILL
    assert holdfast("notify", "send").status == 0
    assert len(posted(sink)) == 2
    assert len(set(posted(sink))) == 1, "whoever took the first knows the second for the same"
    assert holdfast("notify", "send").err.strip() == "no notification is waiting"


@pytest.mark.spec("SEC-6")
def test_kills_lose_nothing_and_double_nothing_that_was_acknowledged(holdfast, site, sink, settle, tmp_path):
    """Each run has two URLs more that are dead, and is killed at another moment."""
    settle(hook(sink))
    settled = {}
    moments = ["never", "before", "ask 1", "ask 2", "after", "never", "before", "before", "after"]
    for number, moment in enumerate(moments, 1):
        lines = [f"[x]({site.origin}/nowhere/{each})\n\n" for each in range(2 * number)]
        (tmp_path / "notes.md").write_text("".join(lines))
        run_and_kill(tmp_path, moment, sink, site)
        for notice in holdfast("notify", "--json").json["sent"]:
            settled.setdefault(notice["id"], posted(sink).count(notice["id"]))
    assert holdfast("check", "--fetch-urls", "--eager").status == 1
    assert holdfast("notify", "send").status == 0
    assert {event["url"] for event in sink.events} == {
        f"{site.origin}/nowhere/{each}" for each in range(2 * len(moments))
    }
    assert settled, "some were acknowledged on the way"
    for name, times in settled.items():
        assert posted(sink).count(name) == times, "what was acknowledged is not sent again"
    messages = {message["id"]: [event["event_id"] for event in message["events"]] for message in sink.taken}
    events = [event for message in messages.values() for event in message]
    assert len(events) == len(set(events)) == 2 * len(moments), "each event is in one notice"
