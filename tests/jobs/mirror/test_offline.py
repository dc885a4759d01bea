"""A mirror that reads offline: local links, images by content, `llms.txt`, and the site's own Markdown."""

from __future__ import annotations

import hashlib
import json
from urllib.parse import unquote, urlsplit

import pytest
from markdown_it import MarkdownIt

from holdfast.storage.archive.members import members_of

PNG = b"\x89PNG\r\n\x1a\n" + b"picture" * 20


def links_of(page):
    """Every destination of a Markdown file, by its parser."""
    for token in MarkdownIt("commonmark").enable("table").parse(page.read_text()):
        for child in token.children or ():
            destination = child.attrs.get("href") or child.attrs.get("src")
            if destination:
                yield str(destination)


def resolve(page, destination):
    return (page.parent / unquote(urlsplit(destination).path)).resolve()


@pytest.fixture
def linked(site):
    site.put(
        "/", "Home", links=["/a", "/a#part", "/b?x=1&y=2", "/old", "/deep/er/page", "https://example.com/"]
    )
    site.put(
        "/a", 'A <img src="/pictures/1.png" alt="One"> <img src="/pictures/2.png">', links=["/", "/missing"]
    )
    site.put("/b?x=1&y=2", "B", links=["/a", "/deep/er/page"])
    site.put("/deep/er/page", '<img src="../../pictures/1.png">', links=["../../a", "/b?x=1&y=2"])
    site.redirect("/old", "/a")
    site.put("/pictures/1.png", body=PNG, type="image/png", listed=False)
    site.resources["/pictures/2.png"] = site.resources["/pictures/1.png"]
    return site


@pytest.mark.parametrize("layout", ["tree", "flat", "hash"])
def test_every_relative_link_and_image_resolves_to_a_file(linked, make, folder, layout):
    make(convert_links="local", assets=True, layout=layout)
    relative = absolute = 0
    for page in folder.rglob("*.md"):
        for destination in links_of(page):
            if destination.startswith(("http:", "https:")):
                absolute += 1
                continue
            relative += 1
            assert resolve(page, destination).is_file(), (page, destination)
    assert (relative, absolute) == (relative, 2), "the missing page and the foreign host stay on the web"
    assert relative >= 15


def test_an_alias_leads_to_its_page_and_a_fragment_stays(linked, make, folder):
    make(convert_links="local")
    home = next(path for path in folder.glob("*/index.md"))
    found = list(links_of(home))
    assert found == ["a/index.md", "a/index.md#part", *found[2:]]
    assert resolve(home, found[3]) == resolve(home, "a/index.md")


def test_images_are_stored_once_by_their_content(linked, make, folder):
    make(assets=True)
    images = [path for path in (folder / "_assets").rglob("*") if path.is_file()]
    assert [path.name for path in images] == [hashlib.sha256(PNG).hexdigest() + ".png"]
    assert images[0].read_bytes() == PNG


def test_it_verifies_rebuilds_and_updates(linked, make, folder, holdfast):
    make(convert_links="local", assets=True, llms_txt=True)
    assert holdfast("verify", folder).status == 0, holdfast("verify", folder).out
    before = {path: path.read_bytes() for path in folder.rglob("*.md")}
    for path in before:
        path.unlink()
    next((folder / "_assets").rglob("*.png")).unlink()
    assert holdfast("restore", folder, "-q").status == 0
    assert {path: path.read_bytes() for path in folder.rglob("*.md")} == before
    linked.put("/missing", "Here now")
    make(update=True, convert_links="local", assets=True, llms_txt=True)
    page = next(path for path in folder.rglob("a/index.md"))
    assert "../missing/index.md" in list(links_of(page)), "a link to a page that came is local from then on"
    linked.put("/a", "Other words", links=["/"])
    make(update=True, convert_links="local", trust=True)
    verified = holdfast("verify", folder)
    assert verified.status == 0, f"lists and images of an earlier run are known: {verified.out}"


def damage_image(folder):
    """Break the record that holds the image, in its middle."""
    path = next((folder / ".holdfast" / "archive").glob("*.warc.gz"))
    data = bytearray(path.read_bytes())
    [(offset, length)] = [
        (offset, length)
        for offset, length, record in members_of(path)
        if b"WARC-Type: response" in record[:60] and b"/pictures/" in record[:600]
    ]
    data[offset + length // 2] ^= 0x55
    path.write_bytes(data)


def test_an_image_that_is_missing_is_told_and_brought_back(linked, make, folder, holdfast):
    make(assets=True)
    image = next((folder / "_assets").rglob("*.png"))
    image.unlink()
    verified = holdfast("verify", folder)
    assert verified.status == 1
    assert f"{image.relative_to(folder)}: the image is missing" in verified.out
    assert holdfast("restore", folder, "-q").status == 0
    assert image.read_bytes() == PNG
    assert holdfast("verify", folder).status == 0


def test_an_image_that_the_archive_lost_costs_no_page_and_is_fetched_again(linked, make, folder, holdfast):
    make(convert_links="local", assets=True)
    damage_image(folder)
    image = next((folder / "_assets").rglob("*.png"))
    image.unlink()
    pages = set(folder.rglob("*.md"))
    for page in pages:
        page.unlink()
    rebuilt = holdfast("restore", folder, "-q")
    assert rebuilt.status == 1, rebuilt.err
    assert "/pictures/2.png: holdfast-00001.warc.gz at" in rebuilt.err
    assert set(folder.rglob("*.md")) == pages
    linked.put("/missing", "Here now")
    assert make(update=True, convert_links="local", assets=True).pages == 1
    assert holdfast("verify", "--repair", "--yes", "--store", folder).status == 0
    linked.put("/missing", "Here, too")
    make(update=True, convert_links="local", assets=True)
    assert image.read_bytes() == PNG
    verified = holdfast("verify", folder)
    assert verified.status == 0, verified.out


def test_an_image_that_the_folder_does_not_take_is_told(linked, make, folder):
    folder.mkdir()
    (folder / "_assets").write_text("somebody's own file")
    made = make(assets=True)
    assert made.outcomes["not written"] == 1
    assert "a file stands where a folder should be" in " ".join(made.remarks.troubles)


def test_llms_txt_lists_the_pages_and_llms_full_has_their_texts(linked, make, folder):
    make(llms_txt=True)
    short = folder / "llms.txt"
    listed = [destination for destination in links_of(short) if not destination.startswith("http")]
    assert {resolve(short, destination) for destination in listed} == {
        path.resolve() for path in folder.rglob("*.md") if path.name != "_index.md"
    }
    full = (folder / "llms-full.txt").read_text()
    assert full.count("\nSource: http") == 4
    assert "B\n" in full


def test_a_pages_own_markdown_is_taken_and_marked(site, make, folder):
    site.put("/a", "A as HTML")
    site.change("/a", markdown=b"# A\n\nA as *Markdown*.\n")
    site.put("/b", "B as HTML")
    make(prefer_markdown=True)
    page = next(folder.rglob("a/index.md"))
    assert page.read_text() == "# A\n\nA as *Markdown*.\n"
    assert json.loads(page.with_suffix(".json").read_text())["markdown_source"] == site.origin + "/a"
    other = next(folder.rglob("b/index.md"))
    assert "B as HTML" in other.read_text()
    assert "markdown_source" not in json.loads(other.with_suffix(".json").read_text())
