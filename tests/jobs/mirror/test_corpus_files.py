"""What a mirror's files say of its pages: sections, languages, titles without the site's (SCT-1, MIR-10)."""

from __future__ import annotations

import json
import shutil

import pytest

from holdfast.core.base.hashing import url_key
from holdfast.storage.sqlite.sqlite_ledger import open_ledger

GUIDE = "<h1>Guide {n}</h1><p>Begin.</p><h2 id=size>Size</h2><p>At most {n}.</p>"


def page(title, body):
    return f"<!doctype html><html lang=en><head><title>{title} — The Site 1.0</title></head>{body}".encode()


@pytest.fixture
def mirrored(site, make, folder):
    for number in range(4):
        site.put(f"/g{number}", body=page(f"Guide {number}", GUIDE.format(n=number)))
    site.put("/odd", body=page("Odd", "<h1>Else</h1>"))
    make()
    return site


def sidecar(folder, name):
    [path] = folder.rglob(f"{name}/index.json")
    return path, json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.spec("SCT-1", "PATH-9")
def test_the_bytes_of_a_section_are_those_of_the_file(mirrored, folder):
    path, document = sidecar(folder, "g2")
    data = path.with_suffix(".md").read_bytes()
    said = {section["id"].partition("#")[2]: section for section in document["sections"]}
    [(first, last)] = said["size"]["bytes"]
    assert data[first:last].decode().split() == ["##", "Size", "At", "most", "2."]
    assert said["size"]["path"] == ["Guide 2", "Size"]
    assert sum(last - first for section in said.values() for first, last in section["bytes"]) == len(data)


@pytest.mark.spec("MIR-10")
def test_titles_are_without_the_site_s_and_the_whole_stands_beside(mirrored, folder):
    _, document = sidecar(folder, "g1")
    assert document["language"] == "en"
    assert (document["title"], document["full_title"]) == ("Guide 1", "Guide 1 — The Site 1.0")
    manifest = json.loads((folder / "_manifest.json").read_text(encoding="utf-8"))
    titles = {page["title"]: page["full_title"] for page in manifest["pages"]}
    assert titles["Odd"] == "Odd — The Site 1.0"
    index = (folder / "_index.md").read_text(encoding="utf-8")
    assert "[Guide 3]" in index
    assert "[Odd]" in index
    assert "The Site" not in index


@pytest.mark.spec("SCT-2", "MIR-11")
def test_a_folder_that_is_taken_over_brings_its_sections_along(mirrored, folder, make):
    shutil.rmtree(folder / ".holdfast")
    make(update=True)
    ledger = open_ledger(folder / ".holdfast" / "ledger.db", None, read_only=True)
    run = next(ledger.runs.latest_first())
    key = url_key(mirrored.origin + "/g0")
    items = {o.item.item_id for o in ledger.history.of_url(key) if o.item}
    assert items
    for item in items:
        assert [section.anchor for section in ledger.sections.of_item(item)][-1] == "size"
    assert run.run.label
    ledger.close()
