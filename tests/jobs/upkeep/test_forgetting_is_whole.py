"""What is forgotten is nowhere: lists, images, links of other pages; a killed `forget` can be finished."""

from __future__ import annotations

import gzip
import hashlib
import shutil
from collections import Counter

import pytest

from helpers.sites.command import holdfast, mirror
from helpers.sites.killing import KILLED, run_until_call
from helpers.sites.living import LivingSite
from holdfast.storage.ledger.page_table import PageTable

pytestmark = pytest.mark.spec("STA-4")

PNG = b"\x89PNG\r\n\x1a\n" + b"secret pixels" * 10
SECRET = "Bekanntmachung-4711"


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole") / "mirror"
    with LivingSite() as site:
        site.put("/keep", "Kept words", links=["/secret"])
        site.put("/shared.png", body=b"\x89PNG shared", type="image/png", listed=False)
        site.put("/own.png", body=PNG, type="image/png", listed=False)
        body = f"<title>{SECRET}</title><main><h1>{SECRET}</h1><p>It says {SECRET}.</p>"
        site.put("/secret", body=(body + "<img src=/own.png><img src=/shared.png></main>").encode())
        site.put("/other", body=b"<main><p>Other words</p><img src=/shared.png></main>")
        flags = ("--convert-links", "local", "--assets", "--llms-txt")
        done = mirror(site.origin + "/", folder, *flags)
        assert done.status == 0, done.err
    return folder, site.origin


@pytest.fixture
def folder(whole, tmp_path):
    shutil.copytree(whole[0], tmp_path / "mirror")
    return tmp_path / "mirror"


def mentions(folder, word):
    found = []
    for path in folder.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            data = gzip.decompress(data) if path.name.endswith(".gz") else data
            if word in data:
                found.append(path.relative_to(folder).as_posix())
    return found


def assert_forgotten(folder):
    assert mentions(folder, SECRET.encode()) == []
    assert mentions(folder, PNG) == []
    keep = next(folder.rglob("keep/index.md")).read_text()
    assert "../secret" not in keep
    assert mentions(folder, b"PNG shared")
    verified = holdfast("verify", folder, "--processes", 1)
    assert verified.status == 0, verified.out


def test_lists_images_and_links_go_with_the_page(whole, folder):
    assert mentions(folder, SECRET.encode())
    assert mentions(folder, PNG)
    assert "../secret" in next(folder.rglob("keep/index.md")).read_text()
    done = holdfast("forget", whole[1] + "/secret", "--store", folder)
    assert done.status == 0, done.err
    assert_forgotten(folder)


@pytest.mark.parametrize("call", [1, 2, 3, 5, 8])
@pytest.mark.parametrize(
    ("where", "name"),
    [
        ("holdfast.adapters.folder.folder:Folder", "remove"),
        ("holdfast.adapters.folder.folder:Folder", "write_all"),
        ("holdfast.storage.archive.archive:WarcArchive", "append"),
        ("holdfast.storage.archive.archive:WarcArchive", "drop_files"),
        ("holdfast.storage.ledger.removals:ForgettingTable", "removed"),
    ],
)
def test_a_killed_forget_is_finished_by_the_next(whole, folder, where, name, call):
    words = ["forget", whole[1] + "/secret", "--store", folder]
    assert run_until_call(words, where, name, call) in (0, KILLED)
    done = holdfast(*words)
    assert done.status == 0, done.err
    assert_forgotten(folder)


def shows(*images):
    return b"<main><p>Words</p>" + b"".join(b"<img src=%s>" % image.encode() for image in images) + b"</main>"


@pytest.fixture
def pictures():
    with LivingSite() as site:
        for name in ("first", "second"):
            site.put(f"/{name}.png", body=PNG + name.encode(), type="image/png", listed=False)
        site.put("/common.png", body=b"\x89PNG common", type="image/png", listed=False)
        site.put("/keep", body=shows("/common.png"))
        site.put("/secret", body=shows("/common.png", "/first.png"))
        yield site


@pytest.mark.parametrize("moves", [False, True])
def test_images_of_every_version_go_with_the_page(pictures, tmp_path, moves):
    site, folder = pictures, tmp_path / "mirror"
    assert mirror(site.origin + "/", folder, "--assets").status == 0
    if moves:
        assert holdfast("restore", folder, "--move", "--policy", "site@2", "-q").status == 0
    site.put("/secret", body=shows("/common.png", "/second.png"))
    assert mirror(site.origin + "/", folder, "--assets", "--update", "--max-age", "0s").status == 0
    assert mentions(folder, PNG + b"first")
    assert mentions(folder, PNG + b"second")
    assert holdfast("forget", site.origin + "/secret", "--store", folder).status == 0
    assert mentions(folder, PNG) == []
    assert mentions(folder, b"PNG common"), "another page shows it"
    assert holdfast("verify", folder, "--processes", 1).status == 0


def test_an_image_that_another_page_has_by_another_address_keeps_its_file(pictures, tmp_path):
    site, folder = pictures, tmp_path / "mirror"
    site.resources["/copy.png"] = site.resources["/first.png"]
    site.put("/other", body=shows("/copy.png"))
    assert mirror(site.origin + "/", folder, "--assets").status == 0
    assert holdfast("forget", site.origin + "/secret", "--store", folder).status == 0
    [file] = (folder / "_assets").rglob(f"{hashlib.sha256(PNG + b'first').hexdigest()}.png")
    assert file.name in next(folder.rglob("other/index.md")).read_text()
    assert [name for name in mentions(folder, b"/first.png") if ".warc" in name] == []
    assert holdfast("forget", site.origin + "/other", "--store", folder).status == 0
    assert mentions(folder, PNG) == []


def test_who_links_to_what_is_asked_of_images_once_each_and_of_no_other_link(pictures, tmp_path, monkeypatch):
    """Asked of every link of every page, it is the cube of the pages: all of a site link to all."""
    site, folder = pictures, tmp_path / "mirror"
    for name in "abcd":
        site.put(f"/{name}", body=shows("/first.png") + b"<a href=/keep>k</a><a href=/secret>s</a>")
    assert mirror(site.origin + "/", folder, "--assets").status == 0
    asked, real = [], PageTable.pages_linking_to
    monkeypatch.setattr(
        PageTable, "pages_linking_to", lambda table, key: asked.append(key) or real(table, key)
    )
    done = holdfast("forget", site.origin.removeprefix("http://"), "--store", folder, "--json")
    assert done.status == 0, done.err
    assert max(Counter(asked).values()) <= 2, "for its images, and for Markdown that pages were made of"
