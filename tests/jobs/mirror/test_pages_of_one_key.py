"""Two pages of a mirror that `web` calls one place: under `site` the order of a query counts."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.spec("ID-12", "LIN-5", "EXP-1", "SRC-1")
FIRST, SECOND = "/list?a=1&b=2", "/list?b=2&a=1"


@pytest.fixture
def kept(site, make, folder):
    """Both pages, seen twice; the second look at each is a 304."""
    site.put("/", "Home", links=[FIRST, SECOND])
    site.put(FIRST, "There are apples.")
    site.put(SECOND, "There are pears.")
    make()
    make(update=True)
    return folder


def pages_of(ran):
    (part,) = ran.json["parts"]
    return part["pages"]


def test_neither_is_a_change_of_the_other(site, kept, holdfast):
    told = holdfast("log", kept, "--json").json["parts"][0]["changes"]
    assert {event["kind"] for event in told} == {"new"}

    for path in (FIRST, SECOND):
        captures = holdfast("log", site.origin + path, "--store", kept, "--json").json["parts"][0]["page"][
            "captures"
        ]
        assert [capture["sections"] for capture in captures] == [[]] * 4
        assert holdfast("log", site.origin + path, "--store", kept).out.count(" changed ") == 0
        same = holdfast("diff", site.origin + path, "v1", "0d", "--store", kept, "--json")
        assert pages_of(same)[0]["hunks"] == []


def test_each_is_compared_with_itself(site, make, kept, holdfast):
    site.put(SECOND, "There are plums.")
    run = make(update=True).run_id

    told = holdfast("diff", run, "--store", kept).out
    assert "pears" in told
    assert "apples" not in told
    assert pages_of(holdfast("diff", site.origin + SECOND, "v1", "v2", "--store", kept, "--json"))[0]["hunks"]
    assert holdfast("diff", site.origin + FIRST, "v1", "v2", "--store", kept).status == 2


def test_each_is_exported_with_its_text(site, make, kept, holdfast):
    def exported(*flags):
        lines = holdfast("export", kept, "--unit", "page", *flags).json_lines
        return {line["url"].removeprefix(site.origin): (line["change"], line["text"]) for line in lines}

    whole = exported()
    assert "apples" in whole[FIRST][1]
    assert "pears" in whole[SECOND][1]
    before = holdfast("log", "--runs", kept, "--json").json["parts"][0]["runs"][0]["run_id"]
    site.put(SECOND, "There are plums.")
    make(update=True)
    assert exported("--after", before) == {SECOND: ("changed", f"{SECOND} There are plums.")}


def test_each_is_found_and_shown(site, kept, holdfast):
    for path, word in ((FIRST, "apples"), (SECOND, "pears")):
        [hit] = holdfast("search", word, "--store", kept, "--json").json["hits"]
        assert hit["page_url"] == site.origin + path
        assert word in holdfast("show", site.origin + path, "--store", kept).out


def test_one_that_goes_leaves_the_other(site, make, kept, holdfast):
    site.put("/", "Home", links=[FIRST])
    site.drop(SECOND)
    make(update=True)

    assert holdfast("search", "pears", "--store", kept, "--json").json["hits"] == []
    assert holdfast("search", "apples", "--store", kept, "--json").json["hits"]


def test_a_citation_of_one_of_them_hides_neither(site, kept, holdfast, tmp_path):
    (tmp_path / "notes.md").write_text(f"<{site.origin}{SECOND}>\n", encoding="utf-8")
    asking = ("--fetch-urls", "--allow-private", "--content-rate-limit", "0", "--store", kept / ".holdfast")
    assert holdfast("check", "notes.md", *asking).status == 0

    for path, word in ((FIRST, "apples"), (SECOND, "pears")):
        hits = holdfast("search", word, "--store", kept, "--json").json["hits"]
        assert [hit["page_url"] for hit in hits] == [site.origin + path]


def test_a_page_that_moved_to_another_address_is_found_there_alone(site, make, folder, holdfast):
    site.put("/", "Home", links=["/a?igshid=x"])
    site.put("/a?igshid=x", "There are figs.")
    make()
    assert holdfast("store", "rekey", "web@2", "--store", folder / ".holdfast").status == 0
    assert holdfast("search", "figs", "--store", folder, "--json").json["hits"]
    assert holdfast("restore", folder, "--move", "--policy", "site@2", "-q").status == 0

    for _ in ("brought up to date", "made anew"):
        [hit] = holdfast("search", "figs", "--store", folder, "--json").json["hits"]
        assert hit["page_url"] == site.origin + "/a"
        (folder / ".holdfast" / "search.db").unlink()
