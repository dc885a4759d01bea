"""`holdfast verify` finds every one of a list of planted faults, and says what to do."""

from __future__ import annotations

import json
import random
import shutil

import apsw
import pytest

from helpers.sites.living import LivingSite
from holdfast.core.page.markdown.writer import MARKDOWN_VERSION
from holdfast.faces.library import mirror


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A mirror with a history: two runs, a changed page, a 304, a revisit, an alias, something skipped."""
    folder = tmp_path_factory.mktemp("whole") / "mirror"
    with LivingSite() as site:
        site.put("/a", "First words", links=["/b"])
        site.put("/b", "Steady", links=["/a"])
        site.put("/same-1", "Equal pages")
        site.resources["/same-2"] = site.resources["/same-1"]
        site.redirect("/old", "/a")
        site.put("/picture.png", body=b"\x89PNG...", type="image/png")
        mirror(site.origin + "/", output=folder, content_rate_limit=0, processes=1)
        site.put("/a", "Second words", links=["/b"])
        mirror(site.origin + "/", output=folder, content_rate_limit=0, processes=1, update=True)
    return folder


@pytest.fixture
def folder(whole, tmp_path):
    copy = tmp_path / "mirror"
    shutil.copytree(whole, copy)
    return copy


@pytest.fixture
def verify(folder, holdfast):
    def run():
        ran = holdfast("verify", folder, "--json", "--processes", 1)
        (document,) = ran.json["parts"]
        assert (ran.status == 0) is document["agrees"]
        assert all(found["remedy"] for found in document["differences"])
        return {found["where"]: found["what"] for found in document["differences"]}

    return run


def page_of(folder, name):
    return next(folder.rglob(f"{name}/index.md"))


def sql(folder, *statements):
    """Do to the ledger what its guards forbid: without triggers, past the program."""
    db = apsw.Connection(str(folder / ".holdfast" / "ledger.db"))
    names = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")]
    saved = [row[0] for row in db.execute("SELECT sql FROM sqlite_master WHERE type = 'trigger'")]
    for name in names:
        db.execute(f"DROP TRIGGER {name}")
    for statement in statements:
        db.execute(statement)
        assert db.changes(), f"{statement} changed nothing"
    for trigger in saved:
        db.execute(trigger)
    db.close()


def test_a_mirror_that_nobody_touched_agrees(verify):
    assert verify() == {}


def test_a_page_that_is_missing(folder, verify):
    page_of(folder, "b").unlink()
    assert "the page is missing" in verify().values()


def test_one_byte_of_a_page(folder, verify):
    page = page_of(folder, "b")
    page.write_bytes(page.read_bytes().replace(b"Steady", b"Steadx"))
    found = verify()
    assert list(found) == [page.relative_to(folder).as_posix()]
    assert "the page was altered" in found[page.relative_to(folder).as_posix()]


def test_a_placeholder_that_is_missing(folder, verify):
    next((folder / "_skipped").rglob("*.txt")).unlink()
    assert list(verify().values()) == ["the placeholder is missing"]


def test_one_byte_of_a_placeholder(folder, verify):
    file = next((folder / "_skipped").rglob("*.txt"))
    file.write_bytes(file.read_bytes().replace(b"image/png", b"image/pnG"))
    assert list(verify().values()) == ["the placeholder was altered"]


def test_a_placeholder_that_nobody_made(folder, verify):
    (folder / "_failed").mkdir()
    (folder / "_failed" / "x.txt").write_text("")
    assert verify() == {"_failed/x.txt": "the ledger knows nothing of this file"}


def test_a_sidecar_that_is_missing(folder, verify):
    page_of(folder, "b").with_suffix(".json").unlink()
    assert "the sidecar is missing" in verify().values()


@pytest.mark.parametrize("field", ["title", "fetched_at", "etag", "content_hash", "crawl_depth"])
def test_one_field_of_a_sidecar(folder, verify, field):
    sidecar = page_of(folder, "b").with_suffix(".json")
    document = json.loads(sidecar.read_text())
    document[field] = 7 if field == "crawl_depth" else "x"
    sidecar.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n")
    assert verify() == {sidecar.relative_to(folder).as_posix(): "the sidecar was altered"}


def test_a_manifest_that_is_missing(folder, verify):
    (folder / "_manifest.json").unlink()
    assert "it is missing" in verify()["_manifest.json"]


def test_a_manifest_that_is_no_json(folder, verify):
    (folder / "_manifest.json").write_text("{")
    assert "cannot be read" in verify()["_manifest.json"]


@pytest.mark.parametrize("old", [b'"size": ', b'"elapsed_sec": ', b'"tree"', b'"software": "', b"\n "])
def test_one_byte_of_the_manifest(folder, verify, old):
    manifest = folder / "_manifest.json"
    data = manifest.read_bytes()
    at = data.index(old) + len(old)
    new = b"9" if data[at : at + 1] != b"9" else b"8"
    if old in (b'"tree"', b"\n "):
        new = data[at : at + 1] + b" "
    manifest.write_bytes(data[:at] + new + data[at + 1 :])
    assert "_manifest.json" in verify()


def test_one_byte_of_the_index(folder, verify):
    index = folder / "_index.md"
    index.write_bytes(index.read_bytes() + b" ")
    assert verify() == {"_index.md": "the index is not that of the pages"}


def test_a_line_missing_in_the_checkpoint(folder, verify):
    checkpoint = folder / "_processed.txt"
    lines = checkpoint.read_text().splitlines(keepends=True)
    checkpoint.write_text("".join(lines[1:]))
    assert "does not list" in verify()["_processed.txt"]


def test_a_line_too_many_in_the_checkpoint(folder, verify):
    with (folder / "_processed.txt").open("a") as file:
        file.write("http://127.0.0.1/nowhere\n")
    assert "of which the ledger knows nothing" in verify()["_processed.txt"]


def test_a_file_that_nobody_knows(folder, verify):
    page_of(folder, "b").with_name("mine.md").write_text("My own notes")
    assert list(verify().values()) == ["the ledger knows nothing of this file"]


def test_what_was_set_aside_as_corrupt_is_known(folder, verify):
    for name in ("_processed.txt", "_progress.json", "_manifest.json"):
        (folder / f"{name}.corrupt").write_bytes(b"\0")
    assert verify() == {}


def test_a_torn_archive(folder, verify):
    archive = next((folder / ".holdfast" / "archive").iterdir())
    archive.write_bytes(archive.read_bytes()[:-20])
    assert verify()


def test_a_missing_archive(folder, verify):
    next((folder / ".holdfast" / "archive").iterdir()).unlink()
    assert verify()


def test_any_byte_of_the_archive(folder, verify, whole):
    archive = next((folder / ".holdfast" / "archive").iterdir())
    right = archive.read_bytes()
    chance = random.Random(7)
    for at in [0, 3, 5, 9, len(right) - 1, *(chance.randrange(len(right)) for _ in range(7))]:
        altered = bytearray(right)
        altered[at] ^= 0xFF
        archive.write_bytes(altered)
        assert verify(), f"byte {at} was altered and nothing was found"


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE item SET title = 'other' WHERE item_seq = 1",
        "UPDATE item SET content_sha256 = zeroblob(32) WHERE item_seq = 2",
        "UPDATE item SET created_at = created_at - 9e15 WHERE item_seq = (SELECT max(source_seq) FROM edge)",
        "UPDATE capture SET etag = '\"x\"' WHERE capture_seq = 1",
        "UPDATE capture SET status = 201 WHERE capture_seq = 1",
        "UPDATE capture SET fetched_at = fetched_at + 1 WHERE capture_seq = 2",
        "UPDATE capture SET final_url = final_url || 'x' WHERE capture_seq = 2",
        "UPDATE capture SET payload_sha256 = zeroblob(32) WHERE capture_seq = 2",
        "UPDATE capture SET file_offset = file_offset + 1 WHERE capture_seq = 3",
        "UPDATE page SET title = 'other' WHERE page_id = 1",
        "UPDATE page SET file_sha256 = 'x' WHERE page_id = 1",
        "UPDATE page SET depth = 9 WHERE page_id = 1",
        "UPDATE page SET fetched_at = fetched_at + 5000000 WHERE page_id = 1",
        "UPDATE url SET url = url || 'x' WHERE url_id = 1",
        "UPDATE url SET url_key = zeroblob(32) WHERE url_id = 1",
        "UPDATE run_progress SET seal = 'x' WHERE run_seq = 1",
        "UPDATE edge SET metadata = replace(metadata, 'same_canonical_uri', 'same_content_sha256')",
        "UPDATE link SET text = 'other'",
        "DELETE FROM link",
        "DELETE FROM observation WHERE observation_id = 1",
        "DELETE FROM edge",
    ],
)
def test_one_value_of_the_ledger(folder, verify, statement):
    sql(folder, statement)
    assert verify(), f"{statement} was not found"


def test_a_byte_of_the_ledgers_file(folder, verify):
    ledger = folder / ".holdfast" / "ledger.db"
    data = bytearray(ledger.read_bytes())
    at = data.index(b"Steady") if b"Steady" in data else data.rindex(b"/same-1")
    data[at : at + 4] = b"\xff\xff\xff\xff"
    ledger.write_bytes(data)
    assert verify()


def test_after_a_rebuild_everything_agrees_again(folder, verify, holdfast):
    page_of(folder, "b").write_text("scribbled")
    page_of(folder, "a").with_suffix(".json").unlink()
    (folder / "_index.md").unlink()
    (folder / "_manifest.json").write_text("{")
    assert verify()
    assert holdfast("restore", folder, "-q").status == 0
    assert verify() == {}


def test_the_words_say_what_to_do(folder, holdfast):
    page_of(folder, "b").unlink()
    ran = holdfast("verify", folder)
    assert ran.status == 1
    assert "`holdfast restore` writes it anew" in ran.out
    assert "1 difference" in ran.err


@pytest.mark.spec("TXT-5")
def test_a_mirror_of_an_older_writer_is_told_to_be_rebuilt_and_is_well_then(folder, holdfast):
    sql(folder, "UPDATE page SET markdown_version = 'markdown_v0', title = 'as it was written then'")
    for file in folder.rglob("*.json"):
        file.write_text(file.read_text().replace(MARKDOWN_VERSION, "markdown_v0"))
    ran = holdfast("verify", folder)

    assert ran.status == 1
    assert "made by markdown_v0" in ran.out
    assert "`holdfast restore` writes it anew" in ran.out
    assert "restore it from" not in ran.out
    assert holdfast("restore", folder, "-q").status == 0
    assert holdfast("verify", folder).status == 0
