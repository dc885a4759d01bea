"""A wrong clock, for a run or for years, changes the times that are told, and nothing else (LIN-10)."""

from __future__ import annotations

import json
import random
import shutil
from datetime import UTC, datetime, timedelta

import pytest
from starlette.testclient import TestClient

from holdfast.adapters.system import SystemClock
from holdfast.faces.web.app import make_app
from holdfast.faces.web.guard import Access
from holdfast.jobs.served_stores import served_states

pytestmark = pytest.mark.spec("LIN-10", "LIN-5")

START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
YEAR = timedelta(days=365)


@pytest.fixture
def clock(monkeypatch):
    """Sets the machine's clock, which then goes on."""

    def put(moment):
        began = datetime.now(UTC)
        monkeypatch.setattr(SystemClock, "now", lambda _: moment + (datetime.now(UTC) - began))

    return put


class Chain:
    """A page that changes, mirrored day by day, with clocks that are wrong by so much on some days."""

    def __init__(self, site, make, clock, holdfast, folder):
        self.site, self.make, self.clock = site, make, clock
        self.holdfast, self.folder = holdfast, folder
        self.day = 0

    def look(self, words=None, wrong=timedelta(0)):
        if words is not None:
            self.site.put("/a", words)
        self.clock(START + timedelta(days=self.day) + wrong)
        self.make(**({"update": True, "max_age": "0s"} if self.day else {}))
        self.day += 1
        self.clock(START + timedelta(days=self.day, hours=-1))

    def ask(self, *words):
        ran = self.holdfast(*words)
        assert ran.status == 0, ran
        return ran.out

    @property
    def url(self):
        return self.site.origin + "/a"

    def file(self):
        (file,) = (p for p in self.folder.rglob("*.md") if "/a/" in p.as_posix() or p.stem == "a")
        return file.read_text()

    def shown(self):
        return self.ask("show", self.url, "--store", self.folder)

    def captures(self):
        return json.loads(self.ask("log", self.url, "--store", self.folder, "--json"))["parts"][0]["page"][
            "captures"
        ]

    def history(self):
        """What each capture brought; a sight of anything but what the one before it showed is a fault."""
        told, last = [], None
        for capture in self.captures():
            assert capture["new"] or capture["item_id"] == last
            told.append("new" if capture["new"] else "again")
            last = capture["item_id"]
        return told

    def exported(self, *words):
        lines = self.ask("export", self.folder, "--unit", "page", *words).splitlines()
        return "".join(line for line in lines if json.loads(line)["url"] == self.url)


@pytest.fixture
def chain(site, make, clock, holdfast, folder):
    return Chain(site, make, clock, holdfast, folder)


def says(chain, words):
    """Everything that tells of the page tells that it says this, and is in order."""
    assert words in chain.file()
    assert words in chain.shown()
    assert words in chain.exported()
    chain.ask("verify", chain.folder, "--processes", 1)
    chain.ask("restore", chain.folder, "--processes", 1)
    assert words in chain.file()
    assert words in chain.shown()
    chain.ask("verify", "--store", chain.folder)


@pytest.mark.parametrize("wrong", [YEAR, -timedelta(days=30), -40 * YEAR])
def test_one_run_with_a_wrong_clock_leaves_everything_as_it_is_on_the_site(chain, wrong):
    chain.look("Words one")
    chain.look("Words two")
    chain.look("Words three", wrong)
    chain.look("Words four")
    chain.look()
    assert [asked for asked in chain.site.pages_asked if asked[0] == "/a"] == [("/a", True, 304)]
    says(chain, "Words four")
    assert chain.history() == ["new", "new", "new", "new", "again"]


@pytest.mark.parametrize("wrong", [YEAR, -timedelta(days=30)])
def test_a_304_in_a_run_with_a_wrong_clock_confirms_what_the_site_confirmed(chain, wrong):
    chain.look("Words one")
    chain.look("Words two")
    chain.look(None, wrong)
    chain.look()
    says(chain, "Words two")
    assert chain.history() == ["new", "new", "again", "again"]


@pytest.mark.parametrize("wrong", [YEAR, -timedelta(days=30)])
def test_a_304_after_a_run_with_a_wrong_clock_confirms_what_that_run_saw(chain, wrong):
    chain.look("Words one")
    chain.look("Words two", wrong)
    chain.look()
    says(chain, "Words two")
    assert chain.history() == ["new", "new", "again"]


@pytest.mark.parametrize("wrong", [YEAR, -timedelta(days=30)])
def test_changes_tell_what_changed_and_nothing_more(chain, wrong):
    chain.look("Words one")
    chain.look("Words two")
    chain.look("Words three", wrong)
    chain.look("Words four")
    chain.look()
    told = json.loads(chain.ask("log", chain.folder, "--json"))["parts"][0]["changes"]
    own = [each for each in told if each["url"] == chain.url]
    assert [each["version"] for each in own] == [4, 3, 2, 1]
    sections = {}
    for day in (1, 2, 4):
        since = (START + timedelta(days=day, hours=1)).isoformat()
        (part,) = json.loads(chain.ask("diff", chain.folder, since, "--json"))["parts"]
        sections[day] = [move["change"] for page in part["pages"] for move in page["sections"]]
    assert sections == {1: ["changed"], 2: ["changed"], 4: []}


def test_the_next_run_to_read_is_the_one_that_was_begun_next(chain):
    for words, wrong in (("one", timedelta(0)), ("two", YEAR), ("three", timedelta(0))):
        chain.look(f"Words {words}", wrong)
    (served,) = served_states([chain.folder], {})
    client = TestClient(make_app([served], Access()), base_url="http://127.0.0.1:8470")
    runs = [
        each["run_id"]
        for each in json.loads(chain.ask("log", "--runs", chain.folder, "--json"))["parts"][0]["runs"]
    ]
    pages = [client.get(f"/s/{served.name}/runs/{run}/read").text for run in runs[:2]]
    served.close()
    assert f"runs/{runs[0]}/read" in pages[1]
    assert f"runs/{runs[1]}/read" not in pages[0]


def test_a_page_whose_time_lies_ahead_is_asked_for_and_not_left_alone(chain):
    chain.look("Words one", YEAR)
    chain.site.put("/a", "Words two", lastmod="2026-03-01")
    chain.clock(START + timedelta(days=1))
    chain.make(update=True, max_age="7d")
    assert "Words two" in chain.file()


def test_chains_with_drawn_clocks_equal_the_one_with_a_true_clock_but_for_the_times(
    site, make, clock, holdfast, folder
):
    draw = random.Random(35)
    script = [draw.choice(["same", "return", "change"]) for _ in range(9)]
    told = []
    for is_wrong in (False, True):
        shutil.rmtree(folder, ignore_errors=True)
        chain, words = Chain(site, make, clock, holdfast, folder), ["Words 0"]
        site.put("/b", "Steady")
        chain.look("Words 0")
        for number, step in enumerate(script, 1):
            words += {"same": [], "change": [f"Words {number}"], "return": words[-2:-1]}[step]
            wrong = timedelta(days=draw.randint(-900, 900)) if is_wrong else timedelta(0)
            chain.look(words[-1], wrong)
        says(chain, words[-1])
        told.append([(each["new"], each["content_sha256"]) for each in chain.captures()])
    assert told[0] == told[1]
