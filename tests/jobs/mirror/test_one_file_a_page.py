"""A mirror that moves to another version keeps one file a page, whatever became of the page (ID-13)."""

from __future__ import annotations

import json

import pytest

from helpers.sites.command import folder_of
from helpers.sites.command import holdfast as command
from helpers.sites.command import mirror as mirror_command
from holdfast.core.settings.resolve import resolve
from holdfast.jobs.session import open_store

pytestmark = pytest.mark.spec("ID-13", "ID-9", "MIR-8")


@pytest.fixture
def full(site, make, folder):
    """A mirror with pages that are gone, redirected to, doubled, and linked to each other."""
    site.put(
        "/", "Home", links=["/a?igshid=x", "/old", "/b", "/d?igshid=q", "/twin?igshid=1", "/twin?igshid=2"]
    )
    site.put("/a?igshid=x", "A", links=["/d?igshid=q", "/b"], listed=False)
    site.redirect("/old", "/a?igshid=x")
    site.change("/old", listed=False)
    site.put("/b", "B", links=["/old"], listed=False)
    site.put("/d?igshid=q", "D", listed=False)
    site.put("/twin?igshid=1", "One of two", listed=False)
    site.put("/twin?igshid=2", "Two of two", listed=False)
    make(discover="links", convert_links="local")
    site.drop("/d?igshid=q")
    site.put("/", "Home", links=["/a?igshid=x", "/old", "/b", "/twin?igshid=1", "/twin?igshid=2"])
    site.put("/a?igshid=x", "A", links=["/b"], listed=False)
    make(discover="links", convert_links="local", update=True)
    return folder / folder_of(site.origin)


def files(host):
    return sorted(path.relative_to(host).as_posix() for path in host.rglob("*") if path.is_file())


def known(folder):
    """The pages and aliases of the mirror, by path of the URL."""
    with open_store(folder / ".holdfast", "test", resolve()) as store:
        pages = {page.place.url: page for page in store.ledger.pages.by_path(".")}
        aliases = {
            alias.place.url: (alias.target.url, str(alias.reason))
            for alias in store.ledger.pages.aliases(".")
        }
    return pages, aliases


def short(url):
    return "/" + url.split("/", 3)[3]


def move(folder):
    ran = command("restore", folder, "--move", "--policy", "site@2", "-q")
    assert ran.status == 0, ran.err


def test_each_page_has_one_file_and_what_is_gone_stays_gone(full, folder):
    before, _ = known(folder)
    assert {short(url) for url, page in before.items() if page.gone_at} == {"/d?igshid=q"}
    move(folder)
    pages, _ = known(folder)

    assert {short(url) for url in pages} == {"/", "/a", "/b", "/d", "/twin"}
    assert {short(url) for url, page in pages.items() if page.gone_at} == {"/d"}
    assert pages[next(url for url in pages if url.endswith("/d"))].gone_at == next(
        page.gone_at for page in before.values() if page.gone_at
    )
    assert {path for path in files(full) if path.endswith(".md")} == {
        page.facts.path.partition("/")[2] for page in pages.values()
    }
    assert {path.removesuffix(".json") for path in files(full) if path.endswith(".json")} == {
        path.removesuffix(".md") for path in files(full) if path.endswith(".md")
    }
    assert command("verify", folder).status == 0


def test_every_old_name_stays_an_alias_of_a_page_that_is_there(full, folder):
    move(folder)
    pages, aliases = known(folder)

    named = {short(url): (short(target), reason) for url, (target, reason) in aliases.items()}
    assert named["/old"][0] == "/a"
    assert named["/a?igshid=x"] == ("/a", "moved")
    assert named["/d?igshid=q"] == ("/d", "moved")
    assert {named["/twin?igshid=1"], named["/twin?igshid=2"]} == {("/twin", "moved")}
    assert {target for target, _ in aliases.values()} <= set(pages)


def test_links_in_the_files_lead_to_the_new_names(full, folder):
    move(folder)
    text = {path: (full / path).read_text(encoding="utf-8") for path in files(full) if path.endswith(".md")}

    assert "__q_" not in "".join(text.values())
    assert "a/index.md" in text["index.md"]
    assert "../a/index.md" in text["b/index.md"]


def test_an_update_after_the_move_brings_nothing_back(full, folder, site, make):
    move(folder)
    before = files(full)
    make(discover="links", convert_links="local", update=True)

    assert files(full) == before
    assert command("verify", folder).status == 0
    manifest = json.loads((folder / "_manifest.json").read_text(encoding="utf-8"))
    assert manifest["normalization_version"] == "http_snapshot_siteurl_v2_text_v1"


def test_a_dry_run_goes_by_the_recorded_versions(site, make, folder):
    site.put("/", "Home")
    make(policy="site@2")
    site.put("/a?igshid=x", "A")
    ran = mirror_command(site.origin + "/", folder, "--dry-run", "--update")

    assert ran.status == 0, ran.err
    assert "goes on with" not in ran.err
    assert "/a/index.md" in ran.out
    assert "__q_" not in ran.out
    other = mirror_command(site.origin + "/", folder, "--dry-run", "--policy", "site@1")
    assert other.status == 4
    assert "--move" in other.err


def test_a_mirror_moves_back_to_the_names_it_had(full, folder):
    before, names = files(full), {short(url): short(target) for url, (target, _) in known(folder)[1].items()}
    twins = [path for path in before if path.startswith("twin__q_")]
    move(folder)
    ran = command("restore", folder, "--move", "--policy", "site@1", "-q")
    assert ran.status == 0, ran.err
    pages, aliases = known(folder)

    assert len(twins) == 4
    assert set(before) - set(files(full)) == set(twins[:2]) or set(before) - set(files(full)) == set(
        twins[2:]
    )
    assert {target for target, _ in aliases.values()} <= set(pages)
    assert not set(aliases) & set(pages)
    assert names.items() <= {short(url): short(target) for url, (target, _) in aliases.items()}.items()
    assert command("verify", folder).status == 0
