"""What `--allow-actions` allows: start a run, follow it, stop it, ignore a link; and who may not (SEC-5)."""

from __future__ import annotations

import os
import re
import time

import pytest
from jsonschema import Draft202012Validator
from starlette.testclient import TestClient

import holdfast
from faces.web.conftest import PAGE, at, document
from helpers.sites.living import LivingSite
from helpers.trusting import trust
from holdfast.faces.web.actions import ActionForms
from holdfast.faces.web.app import make_app
from holdfast.faces.web.guard import Access
from holdfast.jobs.served_stores import served_states
from holdfast.jobs.sync.acting import RunStarter
from holdfast.questions.rows.table import schema_of

pytestmark = [pytest.mark.spec("WEB-1"), pytest.mark.spec("SEC-5")]
HERE = "http://127.0.0.1:8470"


class Person:
    """A server that may act, asked as a browser asks it."""

    def __init__(self, folders):
        environment = {**os.environ, "HOLDFAST_ALLOW_PRIVATE": "true", "HOLDFAST_TOKEN": "a-secret-of-serve"}
        self.runs = RunStarter(environment)
        served = served_states(folders, {"XDG_STATE_HOME": os.environ["XDG_STATE_HOME"]})
        app = make_app(served, Access(), ActionForms(self.runs))
        self.client = TestClient(app, base_url=HERE, follow_redirects=False)

    def form(self, page, action):
        """The hidden fields of the form that is sent to an address."""
        text = self.client.get(page).text
        form = re.search(rf'<form[^>]*action="{re.escape(action)}".*?</form>', text, re.DOTALL)[0]
        return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', form))

    def post(self, where, form, **headers):
        return self.client.post(where, data=form, headers={"Origin": HERE, **headers})

    def start(self, state, about, **more):
        page, where = f"/s/{state}/actions", f"/s/{state}/actions/start"
        known = {run["about"]: run["name"] for run in self.client.get(f"{page}.json").json()["startable"]}
        return self.post(where, {**self.form(page, where), "run": known[about], **more})

    def ended(self, where):
        """What became of a run, once it ended."""
        for _ in range(600):
            found = self.client.get(f"{where}.json").json()
            if found["run"]["status"] is not None:
                return found
            time.sleep(0.1)
        pytest.fail(f"the run goes on: {found}")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    root = tmp_path_factory.mktemp("acting")
    before = os.getcwd()  # noqa: PTH109 - what `holdfast.mirror` looks at
    os.chdir(root)
    try:
        with LivingSite() as living:
            living.root = root
            for number in range(40):
                living.put(f"/page{number}", body=document(f"Page {number}", PAGE.format(number)))
            holdfast.mirror(living.origin + "/", output="mirror", content_rate_limit=0, processes=1)
            trust(root / "mirror")  # the library made it, and writes no record
            (root / "notes").mkdir()
            (root / "notes" / "a.md").write_text(f"<{living.origin}/page1> <{living.origin}/nowhere>\n")
            os.chdir(root / "notes")
            holdfast.check("a.md", fetch_urls=True, allow_private=True, content_rate_limit=0)
            os.chdir(root)
            yield living
    finally:
        os.chdir(before)


@pytest.fixture
def person(site):
    made = Person([site.root / "mirror", site.root / "notes"])
    yield made
    made.runs.close()


def finish_what_was_stopped(site):
    """Another test may have stopped an update: the next one would go on with it."""
    there = site.root / "mirror"
    holdfast.mirror(site.origin + "/", output=there, update=True, content_rate_limit=0, processes=1)


def runs_of(person):
    return person.client.get("/s/mirror/runs.json").json()["parts"][0]["runs"]


def test_an_update_is_started_followed_and_found_in_the_runs(person, site):
    finish_what_was_stopped(site)
    before = len(runs_of(person))
    site.change("/page1", body=document("Page 1", PAGE.format("other")))
    (site.root / "mirror" / "holdfast.toml").write_text("content_rate_limit = 0\n")
    began = person.start("mirror", "Update the mirror mirror")
    assert began.status_code == 303
    where = began.headers["location"]
    assert "What it says" in person.client.get(where).text
    found = person.ended(where)
    assert found["run"]["state"] == "finished", found
    Draft202012Validator(schema_of("action").json_schema()).validate(found)
    events = person.client.get(f"{where}/events").text
    assert "data: [1/" in events
    assert "event: progress" in events
    assert events.rstrip().endswith("event: end\ndata: finished")
    again = person.client.get(f"{where}/events", headers={"Last-Event-ID": "0"}).text
    assert "id: 0\n" in events
    assert "id: 0\n" not in again
    assert len(runs_of(person)) == before + 1
    assert "a-secret-of-serve" not in str(found)


def test_a_run_is_stopped_and_keeps_what_it_has(person, site):
    (site.root / "mirror" / "holdfast.toml").write_text("content_rate_limit = 1\n")
    where = person.start("mirror", "Update the mirror mirror").headers["location"]
    assert person.start("mirror", "Update the mirror mirror").status_code == 403
    stop = f"{where}/stop"
    while person.client.get(f"{where}.json").json()["run"]["done"] is None:
        time.sleep(0.05)
    assert person.post(stop, person.form(where, stop)).headers["location"] == where
    found = person.ended(where)
    assert found["run"]["state"] == "stopped", found
    assert found["run"]["done"] < found["run"]["total"]


def test_documents_are_read_and_urls_asked_only_with_consent(person, site):
    (site.root / "notes" / "a.md").write_text(f"<{site.origin}/page2>\n")
    about, link = "Check the documents in notes", at("s", "notes", "links.json")
    site.forget_requests()
    assert person.ended(person.start("notes", about).headers["location"])["run"]["state"] == "finished"
    assert [one["state"] for one in person.client.get(link).json()["urls"]] == ["unchecked"]
    assert site.pages_asked == []
    person.ended(person.start("notes", about, consent="yes").headers["location"])
    assert [one["state"] for one in person.client.get(link).json()["urls"]] == ["ok"]


def test_a_link_is_ignored_with_a_reason_which_tracking_obeys(person, site):
    url, once = f"{site.origin}/page1", "http://none.example/"
    for cited in (once, url):
        (site.root / "notes" / "a.md").write_text(f"<{cited}>\n")
        person.ended(person.start("notes", "Check the documents in notes").headers["location"])
    page, where = at("s", "notes", "link", url=url), "/s/notes/ignore"
    form = person.form(page, where)
    assert person.post(where, {**form, "reason": " "}).status_code == 404
    assert person.post(where, {**form, "reason": "why", "until": "soon"}).status_code == 404
    assert person.post(where, {**form, "reason": "why", "url": once}).status_code == 404
    done = person.post(where, {**form, "reason": "behind a\r\nlogin", "until": "2099-01-31"})
    assert done.status_code == 303
    ignores = site.root / "notes" / ".holdfastignore"
    assert ignores.read_text() == f"{url} until 2099-01-31 behind a login\n"
    assert "from the next <code>holdfast check</code> on" in person.client.get(page).text
    person.ended(person.start("notes", "Check the documents in notes").headers["location"])
    shown = person.client.get(page).text
    assert "until 2099-01-31: behind a login" in shown
    assert "from the next" not in shown
    ignores.unlink()


def attacks(person):
    """What a form needs, each time without one thing."""
    where = "/s/mirror/actions/start"
    form = {**person.form("/s/mirror/actions", where), "run": "mirror"}
    other = person.form(at("s", "notes", "link", url="http://none.example/"), "/s/notes/ignore")
    return {
        "without a secret": person.post(where, {"run": "mirror"}),
        "with a wrong secret": person.post(where, {**form, "secret": "0" * 64}),
        "with an odd secret": person.post(where, {**form, "secret": "\u00e9"}),
        "with the secret of another form": person.post(where, {**form, **other}),
        "without an origin": person.client.post(where, data=form),
        "from another site": person.post(where, form, Origin="https://evil.example"),
        "from another port": person.post(where, form, Origin="http://127.0.0.1:1"),
        "from nowhere": person.post(where, form, Origin="null"),
        "by a navigation of another site": person.post(
            where, form, **{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
        ),
        "by a navigation of the same site": person.post(
            where, form, **{"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "navigate"}
        ),
    }


def test_what_no_page_of_this_server_sent_is_refused(person, site):
    (site.root / "notes" / "a.md").write_text("<http://none.example/>\n")
    person.ended(person.start("notes", "Check the documents in notes").headers["location"])
    before = len(person.client.get("/s/mirror/actions.json").json()["started"])
    for how, answer in attacks(person).items():
        assert answer.status_code == 403, how
    assert len(person.client.get("/s/mirror/actions.json").json()["started"]) == before


def test_a_form_is_small_and_a_form(person):
    where = "/s/mirror/actions/start"
    assert person.post(where, {"run": "x" * 20_000}).status_code == 413
    sent = person.client.post(where, json={"run": "x"}, headers={"Origin": HERE})
    assert sent.status_code == 415
    assert person.client.get(where).status_code in (404, 405)


def test_a_run_that_is_not_offered_cannot_be_started(person):
    where = "/s/mirror/actions/start"
    form = {**person.form("/s/mirror/actions", where), "run": "mirror:/etc --on-change sh"}
    assert person.post(where, form).status_code == 404
    for address in ("/s/mirror/actions/99", "/s/mirror/actions/99/events", "/s/notes/actions/1.json"):
        assert person.client.get(address).status_code == 404


def test_without_the_flag_there_is_nothing_to_act_with(client, kept):
    link = at("s", "notes", "link", url=kept.page)
    assert 'method="post"' not in client.get("/").text + client.get(link).text
    for address in ("/s/mirror/actions", "/s/mirror/actions/1", "/s/mirror/actions/1/events"):
        assert client.get(address).status_code == 404
    for address in ("/s/mirror/actions/start", "/s/notes/ignore"):
        assert client.post(address, data={}, headers={"Origin": HERE}).status_code in (404, 405)


def test_a_lone_mirror_whose_source_is_not_known_says_why_it_cannot_be_updated(person, site):
    manifest = site.root / "mirror" / "_manifest.json"
    text = manifest.read_text()
    manifest.write_text(text.replace(site.origin, "[redacted]"))
    try:
        (run,) = person.client.get("/s/mirror/actions.json").json()["startable"]
        assert "names no source" in run["why_not"]
        assert person.start("mirror", "Update the mirror mirror").status_code == 404
    finally:
        manifest.write_text(text)
