"""`holdfast export`: a corpus in records with ids that stay, and exactly what changed."""

from __future__ import annotations

import json
import os
import shlex
import sqlite3
import sys

import pyarrow.parquet as pq
import pytest
from jsonschema import Draft202012Validator

import holdfast as library
from helpers.sites.living import LivingSite
from holdfast.questions.rows.table import schema_of

pytestmark = pytest.mark.spec("EXP-1")

GUIDE = """<h1>Guide</h1><p>Begin.</p><h2 id=size>Size</h2><p>At most {size}.</p>
<h2 id=names>Names</h2><p>Any.</p><h2 id=code>Code</h2><pre>run()</pre>"""


def guide(size="nine"):
    return GUIDE.format(size=size)


def update(site, **more):
    settings = {"output": "mirror", "content_rate_limit": 0, "processes": 1, **more}
    return library.mirror(site.origin + "/", update=True, **settings).run_id


@pytest.fixture
def site(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with LivingSite() as made:
        made.put("/guide", guide())
        made.put("/other", "<h1>Other</h1><p>Steady.</p>")
        made.first = update(made)
        yield made


def lines(ran):
    return [json.loads(line) for line in ran.out.splitlines()]


@pytest.fixture
def export(holdfast):
    def run(*words):
        ran = holdfast("export", "mirror", *words)
        assert ran.status == 0, ran.err
        return lines(ran)

    return run


def told(records):
    return [(record["change"], record["url"].rsplit("/", 1)[-1]) for record in records]


def test_a_section_is_a_record_with_its_headings_text_and_markdown(site, export):
    found = {record["url"]: record for record in export()}
    size = found[site.origin + "/guide#size"]
    assert size["headings"] == ["Guide", "Size"]
    assert size["text"] == "Size At most nine."
    assert "At most nine." in size["markdown"]
    assert "Begin." not in size["markdown"]
    assert size["id"] == f"{library.url_key(site.origin + '/guide')}#size"
    for record in found.values():
        Draft202012Validator(schema_of("export").json_schema()).validate(record)


@pytest.mark.spec("SCT-2")
def test_an_edit_of_one_section_exports_exactly_that_section(site, export):
    """The delta demo: mirror, edit one section of one page on the server, update, export what changed."""
    before = {record["id"]: record["content"] for record in export()}
    site.put("/guide", guide("ten"))
    update(site)
    [record] = export("--after", site.first)
    assert told([record]) == [("changed", "guide#size")]
    assert record["text"] == "Size At most ten."
    assert before[record["id"]] != record["content"]
    assert set(before) == {record["id"] for record in export()}
    same = export("--after", site.first, "--same")
    assert [change for change, _ in told(same)].count("same") == len(before) - 1


def test_sections_and_pages_that_came_and_went_are_told(site, export):
    site.put(
        "/guide", guide().replace("<h2 id=names>Names</h2><p>Any.</p>", "<h2 id=more>More</h2><p>New.</p>")
    )
    site.drop("/other")
    update(site)
    found = told(export("--after", site.first))
    assert ("new", "guide#more") in found
    assert ("gone", "guide#names") in found
    assert {change for change, url in found if url.startswith("other")} == {"gone"}
    assert ("gone", "other") in told(export("--after", site.first, "--unit", "page"))


@pytest.fixture
def wide(site):
    """With so many pages that one may be pruned."""
    for number in range(8):
        site.put(f"/p{number}", f"Page {number}")
    site.first = update(site)
    return site


def test_pages_that_were_pruned_are_gone_with_all_their_sections(wide, export):
    ids = {record["id"] for record in export() if "/other" in record["url"]}
    wide.drop("/other")
    update(wide, delete_gone=True)
    assert len(list(library.pages("mirror"))) == 9
    found = export("--after", wide.first)
    assert {(record["change"], record["id"]) for record in found} == {("gone", name) for name in ids}
    assert told(export("--after", wide.first, "--unit", "page")) == [("gone", "other")]
    assert export("--from", found[0]["id"], "--after", wide.first) == found[1:]


def test_a_page_that_was_forgotten_is_one_record_that_is_gone(wide, export, holdfast):
    assert holdfast("forget", wide.origin + "/other", "--store", "mirror/.holdfast").status == 0
    for unit in ("section", "page"):
        [record] = export("--after", wide.first, "--unit", unit)
        assert (record["change"], record["kind"], record["item_id"]) == ("gone", "page", None)
        assert record["id"] == library.url_key(wide.origin + "/other")
        Draft202012Validator(schema_of("export").json_schema()).validate(record)


@pytest.mark.parametrize("prune", [False, True])
def test_a_page_that_came_back_is_new_for_who_was_told_that_it_is_gone(wide, export, prune):
    wide.drop("/other")
    without = update(wide, delete_gone=prune)
    wide.put("/other", "<h1>Other</h1><p>Steady.</p>")
    again = update(wide)
    assert {change for change, _ in told(export("--after", without))} == {"new"}
    assert export("--after", wide.first) == []
    assert export("--after", again) == []


def test_nothing_changed_exports_nothing(site, export):
    assert update(site)
    assert export("--after", site.first) == []


def test_the_ledger_says_which_sections_differ(site):
    site.put("/guide", guide("ten"))
    update(site)
    (page,) = library.diff("mirror", site.first, "0d").parts[0].value.pages
    moves = page.sections
    assert [(move.old.anchor, move.new.anchor) for move in moves] == [("size", "size")]


def test_pages_are_records_too(site, export):
    assert [record["url"].rsplit("/", 1)[-1] for record in export("--unit", "page")] == ["guide", "other"]


def test_an_export_goes_on_after_a_record(site, export):
    every = export()
    assert export("--from", every[2]["id"]) == every[3:]


def test_a_record_that_is_not_there_cannot_be_gone_on_after(site, holdfast):
    ran = holdfast("export", "mirror", "--from", "nothing")
    assert (ran.status, ran.out) == (2, "")


def test_a_program_sees_every_line_and_what_it_says_is_printed(site, export):
    program = (
        "import json,sys\nfor line in sys.stdin: print(json.dumps({'n': len(json.loads(line)['text'])}))"
    )
    found = export("--map", f'{shlex.quote(sys.executable)} -c "{program}"')
    assert found == [{"n": len(record["text"])} for record in export()]


def test_a_program_that_fails_is_an_error(site, holdfast):
    ran = holdfast(
        "export",
        "mirror",
        "--map",
        f"{shlex.quote(sys.executable)} -c 'import sys; sys.stdin.read(); sys.exit(7)'",
    )
    assert ran.status != 0
    assert "ended with status 7" in ran.err


def test_the_sqlite_file_has_text_ids_and_views(site, export, tmp_path, holdfast):
    assert holdfast("export", "mirror", "--format", "sqlite", "-o", "corpus.db").status == 0
    with sqlite3.connect(tmp_path / "corpus.db") as db:
        ids = [row[0] for row in db.execute("SELECT id FROM records")]
        pages = [row[0] for row in db.execute("SELECT url FROM pages")]
    db.close()
    assert ids == [record["id"] for record in export()]
    assert pages == list(dict.fromkeys(record["page_url"] for record in export()))


def test_the_parquet_file_has_the_same_records(site, export, tmp_path, holdfast):
    assert holdfast("export", "mirror", "--format", "parquet", "-o", "corpus.parquet").status == 0
    rows = pq.read_table(tmp_path / "corpus.parquet").to_pylist()
    assert [(row["id"], row["text"]) for row in rows] == [(r["id"], r["text"]) for r in export()]


def test_the_same_mirror_gives_the_same_bytes(site, tmp_path, holdfast):
    for name in ("a.jsonl", "b.jsonl"):
        holdfast("export", "mirror", "-o", name)
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()
    assert not list(tmp_path.glob("*.part"))


def test_a_device_or_a_pipe_is_not_replaced_by_a_file(site, tmp_path, holdfast):
    os.mkfifo(tmp_path / "pipe")
    ran = holdfast("export", "mirror", "-o", "pipe")
    assert (ran.status, ran.err.splitlines()[0]) == (2, "error: cannot write pipe: it is a device or a pipe")
    assert (tmp_path / "pipe").is_fifo()


def test_the_library_gives_what_the_command_prints(site, export):
    assert [library.to_json(record) for record in library.export("mirror")] == export()


@pytest.mark.parametrize(
    "words",
    [("--format", "parquet"), ("--map", "cat", "-o", "x"), ("--after", "nonsense"), ("--max-tokens", "0")],
)
def test_what_cannot_be_done_is_said(site, holdfast, words):
    assert holdfast("export", "mirror", *words).status == 2
