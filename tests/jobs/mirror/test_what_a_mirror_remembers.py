"""A mirror remembers which pages there are: an update without the first flags asks for the same ones."""

from __future__ import annotations

import json

import pytest

from helpers.sites.living import LivingSite
from holdfast.core.base.errors import ConsentError, UsageError
from holdfast.core.settings.kept import KEPT
from holdfast.core.settings.resolve import all_settings
from holdfast.faces.library import mirror_plan

pytestmark = pytest.mark.spec("STA-11")


@pytest.fixture
def site():
    with LivingSite() as living:
        living.put("/", "Home.", links=["/a/1", "/b/1"])
        living.put("/a/1", "A one.", links=["/a/2", "/b/1"])
        living.put("/a/2", "A two.", links=["/a/3"])
        living.put("/a/3", "A three.", links=["/a/1"])
        living.put("/b/1", "B one.", links=["/"])
        yield living


def pages(folder):
    return {page["url"].partition("//")[2].partition("/")[2] for page in manifest(folder)["pages"]}


def manifest(folder):
    return json.loads((folder / "_manifest.json").read_text())


SCOPES = [
    {"include": ["/a/*"]},
    {"exclude": ["/b/*"]},
    {"max_depth": 1},
    {"discover": "sitemap"},
    {"include": ["/a/*"], "discover": "links", "max_depth": 2},
]


@pytest.mark.parametrize("scope", SCOPES, ids=str)
def test_an_update_that_says_nothing_takes_in_no_other_page(site, make, folder, scope):
    make(**scope)
    before = pages(folder)
    site.put("/a/1", "Other words.", links=["/a/2", "/b/1"])
    make(update=True)
    assert pages(folder) == before
    make(update=True)
    assert pages(folder) == before


def test_what_a_run_sets_is_remembered_from_then_on_and_said_before_it_asks(site, make, folder):
    class Watcher:
        def __init__(self):
            self.told = []

        def notice(self, event):
            self.told.append((event.name, dict(event.facts).get("text", "")))

    make(include=["/a/*"])
    watcher = Watcher()
    make(update=True, include=["/b/*"], observer=watcher)
    names = [name for name, _ in watcher.told]
    said = [text for _, text in watcher.told if "made before" in text]
    assert said == ["not as the mirror was made before: include adds /b/*; include leaves out /a/*"]
    assert names.index("warning") < names.index("opened")
    assert manifest(folder)["crawl"]["settings"]["mirror.include"] == ["/b/*"]
    silent = Watcher()
    make(update=True, observer=silent)
    assert not [text for _, text in silent.told if "made before" in text]
    assert "b/1" in pages(folder)


def test_a_wider_scope_that_finds_nothing_new_is_remembered(site, make, folder):
    make(exclude=["/b/*"])
    make(update=True, exclude=["/b/*", "/nothing/*"])
    assert manifest(folder)["crawl"]["settings"]["mirror.exclude"] == ["/b/*", "/nothing/*"]


def test_the_environment_goes_before_what_is_remembered(site, folder, holdfast, monkeypatch):
    words = ("mirror", f"{site.origin}/", "-o", folder, "--content-rate-limit", 0)
    assert holdfast(*words, "--include", "/a/*").status == 0
    monkeypatch.setenv("HOLDFAST_MIRROR_INCLUDE", "/b/*")
    assert holdfast(*words, "--update").status == 0
    assert "b/1" in pages(folder)


def test_every_setting_of_a_mirror_is_remembered_or_says_where_it_is_not():
    groups = ("identity", "fetch", "distill", "mirror")
    assert set(KEPT) == {each.name for each in all_settings().values() if each.group in groups}


@pytest.mark.spec("SEC-9")
def test_hosts_that_a_strangers_manifest_adds_are_not_asked(site, make, folder):
    make()
    file = folder / "_manifest.json"
    file.write_text(file.read_text().replace('"allow_host": []', '"allow_host": ["127.0.0.1:1"]'))
    with pytest.raises(ConsentError) as refused:
        make(update=True)
    assert "allow_host" in refused.value.message
    assert make(update=True, trust=True).status == "finished"


@pytest.mark.spec("SEC-9")
def test_what_no_mirror_remembers_is_not_taken_from_a_manifest(site, make, folder):
    make()
    file = folder / "_manifest.json"
    file.write_text(file.read_text().replace('"allow_host": []', '"proxy": "http://127.0.0.1:1"'))
    assert make(update=True).status == "finished"


def test_a_secret_in_a_pattern_is_not_kept_and_its_flag_is_asked_for(site, make, folder):
    make(exclude=["*?token=geheim*", "*?code=*"])
    assert "geheim" not in (folder / "_manifest.json").read_text()
    with pytest.raises(UsageError) as refused:
        make(update=True)
    assert "--exclude" in refused.value.message
    make(update=True, exclude=["*?code=*"])
    make(update=True)


def test_a_folder_that_holds_another_mirror_is_not_joined(make, folder, site):
    make()
    before = manifest(folder)
    with LivingSite() as other:
        other.put("/", "Another site.")
        for refused in (
            lambda: make(update=True, sources=(f"{other.origin}/",)),
            lambda: mirror_plan(f"{other.origin}/", output=folder, content_rate_limit=0),
        ):
            with pytest.raises(UsageError) as error:
                refused()
            assert "another mirror" in error.value.message
            assert "-o DIR" in (error.value.hint or "")
        assert other.asked == []
        make(update=True, sources=(f"{site.origin}/", f"{other.origin}/"))
        assert len(manifest(folder)["pages"]) == len(before["pages"]) + 1


def test_a_mirror_that_an_older_version_made_goes_on_as_the_run_says(site, make, folder):
    make(include=["/a/*"])
    file = folder / "_manifest.json"
    document = json.loads(file.read_text())
    del document["crawl"]["settings"]
    file.write_text(json.dumps(document))
    make(update=True, include=["/b/*"])
    assert manifest(folder)["crawl"]["settings"]["mirror.include"] == ["/b/*"]


def test_identity_settings_of_the_first_run_hold(site, make, folder):
    make(trailing_slash="keep", identity_version=3)
    assert make(update=True).status == "finished"
