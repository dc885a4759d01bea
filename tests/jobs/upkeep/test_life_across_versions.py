"""The whole life of a root across two versions: mirrored, cited, moved, rekeyed, asked (ID-12, ID-13)."""

from __future__ import annotations

import json

import pytest

from helpers.sites.command import holdfast as command
from helpers.sites.command import mirror as mirror_command

pytestmark = pytest.mark.spec("ID-12", "ID-13", "TRK-3")
ASKING = ("--fetch-urls", "--allow-private", "--content-rate-limit", "0", "--force-refetch", "--confirm")


@pytest.fixture
def root(site, tmp_path, monkeypatch):
    """A root whose documents cite a site by clean addresses and by such that only version 2 cleans."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "holdfast.toml").write_text("", encoding="utf-8")
    site.put("/", "Home", links=["/a?igshid=x", "/b"])
    for path in ("/a", "/a?igshid=x", "/a?igshid=y"):
        site.put(path, body=b"<title>A</title><main><h1>A</h1><p>What A says.</p></main>", listed=False)
    site.put("/b", "B", listed=False)
    lines = [f"<{site.origin}{path}>\n" for path in ("/a", "/a?igshid=y", "/b", "/gone?igshid=z", "/gone")]
    (tmp_path / "notes.md").write_text("".join(lines), encoding="utf-8")
    return tmp_path


def mirror(site, *flags):
    return mirror_command(site.origin + "/", "mirror", "--discover", "links", "-q", *flags)


def track(*flags):
    ran = command("check", *ASKING, *flags)
    assert ran.status in (0, 1), ran.err
    return ran


def asked(*words):
    ran = command(*words, "--json")
    assert ran.err == "" or ran.status in (0, 1), ran.err
    return json.loads(ran.out)


def mirrored(site):
    """Which cited URLs are known to be mirrored, and as what."""
    return {
        link["url"].removeprefix(site.origin): [
            path.rpartition("/mirror/")[2] for path in link["mirrored_as"]
        ]
        for link in asked("links", "notes.md")["links"]
    }


def found(site, path):
    """What is known of a URL: captures, recipes, citing documents."""
    history = asked("log", site.origin + path)
    backlinks = asked("backlinks", site.origin + path)
    recipes = {capture["normalization_version"] for capture in history["parts"][0]["page"]["captures"]}
    return len(history["parts"][0]["page"]["captures"]), recipes, len(backlinks["backlinks"])


def bids(site):
    ran = command("graph", "--format", "json")
    nodes = [node for node in json.loads(ran.out)["nodes"] if node["kind"] == "External"]
    return {(node["payload"]["url"].removeprefix(site.origin), node["url_bid"]) for node in nodes}


def verified():
    ran = command("verify", "mirror")
    assert ran.status == 0, ran.out + ran.err
    checked = command("verify")
    assert checked.status == 0, checked.out


@pytest.mark.parametrize("version", [1, 2])
def test_citations_join_a_mirror_of_either_version_under_either_key(site, root, version):
    assert mirror(site, "--policy", f"site@{version}").status == 0
    track()
    by_first = mirrored(site)
    before = bids(site)
    assert by_first["/b"] != []
    verified()

    done = asked("store", "rekey", "web@2")

    assert done["after"] == "web@2"
    joined = mirrored(site)
    assert joined["/a"] == joined["/a?igshid=y"] != []
    assert joined["/b"] == by_first["/b"]
    assert joined["/gone"] == joined["/gone?igshid=z"] == []
    assert len(before) == 5
    assert len(bids(site)) == 3
    assert bids(site) < before  # url_bids are those of `web@1`, for good
    broken = asked("broken")["urls"]
    assert [(each["url"].removeprefix(site.origin), len(each["citations"])) for each in broken] in (
        [("/gone", 2)],
        [("/gone?igshid=z", 2)],
    )
    track()
    assert mirrored(site) == joined
    verified()

    back = asked("store", "rekey", "web@1")
    assert back["before"] == "web@2"
    track()
    assert mirrored(site) == by_first
    assert bids(site) == before
    verified()


def test_a_page_is_found_whatever_version_keyed_it(site, root):
    mirror(site, "--policy", "site@2")

    for path in ("/a", "/a?igshid=x", "/a?igshid=other"):
        captures, recipes, _ = found(site, path)
        assert (captures, recipes) == (1, {"http_snapshot_siteurl_v2_text_v1"}), path
    assert asked("log", "--items", site.origin + "/a?igshid=other")["parts"][0]["items"]
    unknown = command("log", site.origin + "/b?v=2")  # what no store knows is an error, not an empty answer
    assert (unknown.status, unknown.out) == (1, "")
    assert "nothing is known of" in unknown.err


def test_the_whole_life(site, root):
    assert mirror(site).status == 0
    track()
    run = asked("log", "--runs")["parts"][0]["runs"][-1]["run_id"]
    assert command("store", "reprocess", run, "--policy", "site@2", "-q").status == 0
    verified()
    assert command("restore", "mirror", "--move", "--policy", "site@2", "-q").status == 0
    verified()
    asked("store", "rekey", "web@2")
    verified()

    site.put("/", "Home", links=["/a", "/b"])  # the page is asked for by another address, and did not change
    assert mirror(site, "--update").status == 0
    verified()
    site.put("/a", "A says more", listed=False)
    assert mirror(site, "--update").status == 0
    track()
    verified()

    both = {"http_snapshot_siteurl_v1_text_v1", "http_snapshot_siteurl_v2_text_v1"}
    captures, recipes, documents = found(site, "/a?igshid=x")
    assert recipes >= both
    assert documents == 2
    assert found(site, "/a") == (captures, recipes, documents)
    assert asked("diff", site.origin + "/a")["parts"][0]["pages"][0]["hunks"]
    assert command("restore", "mirror", "-q").status == 0
    assert command("restore", "mirror", "--output", "then", "--at", "2999-01-01", "-q").status == 0
    assert command("store", "rebuild").status == 0
    assert asked("store", "rekey")["before"] == "web@2"
    verified()


def test_a_page_that_moved_and_is_asked_for_by_its_new_address_stays_whole(site, root):
    """Without new join keys, too: what a page holds is found though its addresses have different keys."""
    mirror(site)
    command("restore", "mirror", "--move", "--policy", "site@2", "-q")
    site.put("/", "Home", links=["/a", "/b"])
    mirror(site, "--update")

    verified()
    assert command("restore", "mirror", "-q").status == 0


def test_a_lost_ledger_has_its_keys_back(site, root):
    mirror(site)
    track()
    asked("store", "rekey", "web@2")
    joined = mirrored(site)

    assert command("store", "rebuild").status == 0

    assert asked("store", "rekey")["moved"] == 0
    track()
    assert mirrored(site) == joined
    verified()


def test_a_search_finds_pages_after_their_keys_moved(site, root):
    mirror(site)
    assert [hit["url"] for hit in asked("search", "says")["hits"]]
    asked("store", "rekey", "web@2")

    assert [hit["url"] for hit in asked("search", "says")["hits"]] == [site.origin + "/a?igshid=x#a"]


def test_keys_are_made_by_a_version_of_web_alone(site, root):
    mirror(site)
    ran = command("store", "rekey", "site@2")

    assert ran.status == 2
    assert "web@1, web@2" in ran.err
    assert command("store", "rekey", "web@9").status == 2


def test_overrides_that_came_since_are_in_the_keys_when_they_are_made_anew(site, root):
    mirror(site)
    host = site.origin.partition("//")[2].partition(":")[0]
    rules = {
        "version": 1,
        "overrides": [{"match": {"host": host}, "drop_query_params": ["igshid"]}],
    }
    (root / "own.json").write_text(json.dumps(rules), encoding="utf-8")

    done = asked("store", "rekey", "--overrides", "own.json")

    assert (done["before"], done["after"], done["unexplained"]) == ("web@1", "web@1", 0)
    assert done["moved"] == 1
