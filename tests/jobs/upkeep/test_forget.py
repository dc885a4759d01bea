"""`holdfast forget` and `holdfast store prune`: what is taken out is out, and the rest stands (STA-4)."""

from __future__ import annotations

import gzip
import shutil

import pytest

from helpers.sites.living import LivingSite
from holdfast.faces.library import mirror

pytestmark = pytest.mark.spec("STA-4")

SECRET = "Bekanntmachung-4711"


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Three runs of a site: /secret says it first and then something else; /twin has the same bytes."""
    folder = tmp_path_factory.mktemp("whole") / "mirror"
    with LivingSite() as site:
        site.put("/keep", "Kept words", links=["/secret"])
        site.put("/secret", f"It says {SECRET}")
        site.resources["/twin"] = site.resources["/secret"]
        site.put("/gone", "x", status=404)
        settings = {"output": folder, "content_rate_limit": 0, "processes": 1}
        mirror(site.origin + "/", **settings)
        site.put("/secret", f"It still says {SECRET}, in other words")
        site.resources["/twin"] = site.resources["/keep"]
        mirror(site.origin + "/", update=True, **settings)
        mirror(site.origin + "/", update=True, **settings)
        origin = site.origin
    return folder, origin


@pytest.fixture
def folder(whole, tmp_path):
    copy = tmp_path / "mirror"
    shutil.copytree(whole[0], copy)
    return copy


def everything(folder):
    """All bytes of a mirror and its state, archives unpacked."""
    for path in folder.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            yield path, gzip.decompress(data) if path.name.endswith(".gz") else data


def mentions(folder, word):
    return [path.name for path, data in everything(folder) if word.encode() in data]


def forget(holdfast, folder, what):
    return holdfast("forget", what, "--store", folder / ".holdfast", "--json")


def test_the_content_is_nowhere_any_more(whole, folder, holdfast):
    assert mentions(folder, SECRET)
    for path in ("/secret", "/twin"):
        assert forget(holdfast, folder, whole[1] + path).status == 0
    assert mentions(folder, SECRET) == []


def test_what_another_page_says_too_stays_with_that_page(whole, folder, holdfast):
    forget(holdfast, folder, whole[1] + "/secret")
    assert mentions(folder, "It still says") == []
    ran = holdfast("diff", whole[1] + "/twin", "v1", "v2", "--store", folder / ".holdfast")
    assert f"-It says {SECRET}" in ran.lines


def test_the_rest_agrees_with_itself(whole, folder, holdfast):
    assert forget(holdfast, folder, whole[1] + "/secret").status == 0
    ran = holdfast("verify", folder)
    assert ran.status == 0, ran.out
    assert not list(folder.rglob("secret/index.md"))
    assert "/secret" not in (folder / "_manifest.json").read_text() + (folder / "_index.md").read_text()
    ran = holdfast("verify", "--store", folder / ".holdfast")
    assert ran.status == 0, ran.out


def test_a_tombstone_stays_and_the_history_says_so(whole, folder, holdfast):
    forget(holdfast, folder, whole[1] + "/secret")
    ran = holdfast("log", whole[1] + "/secret", "--store", folder / ".holdfast")
    assert ran.status == 1
    assert "was forgotten on" in ran.err


def test_a_host_is_forgotten_whole(whole, folder, holdfast):
    host = whole[1].removeprefix("http://")
    ran = forget(holdfast, folder, host)
    assert ran.json["items"] >= 4
    assert mentions(folder, SECRET) == mentions(folder, "Kept words") == []
    assert not list(folder.rglob("index.md"))
    assert holdfast("verify", folder).status == 0


def test_what_nobody_knows_cannot_be_forgotten(whole, folder, holdfast):
    ran = forget(holdfast, folder, "https://example.com/")
    assert ran.status == 1
    assert "nothing is known" in ran.err


def test_a_forgotten_page_is_not_fetched_again(tmp_path, holdfast):
    with LivingSite() as site:
        site.put("/a", "A")
        site.put("/b", "B")
        words = (
            "mirror",
            site.origin + "/",
            "-o",
            "m",
            "--content-rate-limit",
            0,
            "-q",
            "--update",
            "--json",
        )
        holdfast(*words)
        forget(holdfast, tmp_path / "m", site.origin + "/b")
        site.forget_requests()
        ran = holdfast(*words)
        assert [path for path, _, _ in site.pages_asked] == ["/a"]
        assert ran.json["refused"] == {"forgotten": 1}
    assert not list((tmp_path / "m").rglob("b/index.md"))


def test_gc_drops_the_captures_of_failures_and_nothing_else(whole, folder, holdfast):
    before = holdfast("verify", folder).status
    ran = holdfast("store", "prune", "--store", folder / ".holdfast", "--json")
    assert ran.json["captures"] == 3, "one 404 in each run"
    assert ran.json["freed_bytes"] > 0
    assert (before, holdfast("verify", folder).status) == (0, 0)
    assert holdfast("store", "prune", "--store", folder / ".holdfast", "--json").json["captures"] == 0
    assert holdfast("diff", whole[1] + "/secret", "v1", "v2", "--store", folder / ".holdfast").status == 0
