"""`holdfast search`: what was mirrored is found at once, by words and dates; what was forgotten is not."""

from __future__ import annotations

import pytest
from jsonschema import Draft202012Validator

import holdfast as library
from helpers.sites.living import LivingSite
from holdfast.questions.rows.table import schema_of

pytestmark = pytest.mark.spec("SRC-1")


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A mirror of three pages, in the folder `mirror`."""
    monkeypatch.chdir(tmp_path)
    with LivingSite() as made:
        made.put("/limits", "<h2 id=size>Size</h2><p>At most nine apples.</p><h2>Names</h2><p>Pears.</p>")
        made.put("/apples", "<p>Apples and pears are kept apart.</p>")
        update(made)
        yield made


def update(site):
    library.mirror(site.origin + "/", output="mirror", content_rate_limit=0, processes=1, update=True)


def test_sections_are_found_with_their_address_and_their_words(site, holdfast):
    ran = holdfast("search", "nine", "--store", "mirror")
    assert ran.status == 0
    assert site.origin + "/limits#size" in ran.lines
    assert any("At most nine apples." in line for line in ran.lines)


def test_what_is_said_nowhere_is_a_finding_of_its_own(site, holdfast):
    ran = holdfast("search", "bananas", "--store", "mirror")
    assert (ran.status, ran.out) == (1, "")
    assert "nothing was found" in ran.err


def test_the_json_keeps_to_its_schema_and_is_what_the_library_answers(site, holdfast):
    document = holdfast("search", "apples", "--store", "mirror", "--json").json
    Draft202012Validator(schema_of("search").json_schema()).validate(document)
    found = library.search("apples", store="mirror")
    assert [hit["id"] for hit in document["hits"]] == [hit.id for hit in found.hits]
    assert document == library.to_json(found)


def test_an_update_is_found_at_once_and_the_past_by_its_date(site, holdfast):
    assert library.search("nine", store="mirror").hits
    past = library.runs(store="mirror").parts[0].value.runs[0].ended_at
    site.put("/limits", "<h2 id=size>Size</h2><p>At most ten apples.</p><h2>Names</h2><p>Pears.</p>")
    update(site)
    assert holdfast("search", "nine", "--store", "mirror").status == 1
    assert holdfast("search", "ten apples", "--store", "mirror").status == 0
    [old] = library.search("nine", at=past, store="mirror").hits
    assert old.until is not None
    [same] = library.search("pears names", store="mirror").hits
    assert same.since < past


@pytest.mark.spec("STA-4")
def test_what_is_forgotten_is_in_no_file_of_the_index(site, tmp_path, holdfast):
    assert library.search("nine", store="mirror").hits
    assert holdfast("forget", site.origin + "/limits", "--store", "mirror").status == 0
    assert library.search("nine", store="mirror").hits == ()
    kept = b"".join(file.read_bytes() for file in (tmp_path / "mirror" / ".holdfast").glob("search.db*"))
    assert b"/limits" not in kept
    assert library.search("apart", store="mirror").hits


def test_an_index_that_is_damaged_or_gone_is_made_anew(site, tmp_path):
    found = library.search("apples", store="mirror")
    file = tmp_path / "mirror" / ".holdfast" / "search.db"
    file.write_bytes(b"not a database" * 1000)
    assert library.search("apples", store="mirror") == found
    file.unlink()
    assert library.search("apples", store="mirror") == found


def test_a_date_that_is_none_is_refused(site, holdfast):
    ran = holdfast("search", "apples", "--at", "yesterday", "--store", "mirror")
    assert ran.status == 2
    assert "not a date" in ran.err


def test_a_site_limits_the_answer(site):
    host = site.origin.removeprefix("http://")
    assert library.search("apples", site=host, store="mirror").hits
    assert library.search("apples", site="elsewhere.example", store="mirror").hits == ()


def test_building_the_index_says_how_far_it_is(site, holdfast, monkeypatch):
    told = []
    monkeypatch.setattr("holdfast.faces.cli.flags.say_life_sign", told.append)
    monkeypatch.setattr("holdfast.jobs.indexing.GROUP", 1)
    holdfast("search", "apples", "--store", "mirror")
    assert told == ["building the search index: 1 of 2", "searching"]
