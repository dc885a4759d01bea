"""A part of Python's own documentation, by sitemap and by links. All of it: `make real-sites`."""

import shutil

import pytest

from helpers.sites.command import mirror
from helpers.sites.completeness import check_mirror, linked_pages, listed_pages
from helpers.sites.debian import doc_folder
from helpers.sites.static import serve_folder


@pytest.fixture(scope="module")
def part(tmp_path_factory):
    """The folder `distutils`, which holds together by its own links."""
    folder = doc_folder("python3.11-doc", seconds=60)
    if folder is None:
        pytest.skip("Debian's python3.11-doc cannot be downloaded here")
    part = tmp_path_factory.mktemp("site")
    shutil.copytree(folder / "distutils", part / "distutils")
    return part


@pytest.mark.spec("MIR-1", "MIR-10")
@pytest.mark.parametrize("way", ["sitemap", "links"])
def test_every_page_is_there_once_and_every_link_of_the_index_opens(part, tmp_path, way):
    with serve_folder(part) as origin:
        source = f"{origin}/pages.xml" if way == "sitemap" else f"{origin}/distutils/index.html"
        done = mirror(source, tmp_path, "--discover", way)
        assert "Traceback" not in done.err
        (tmp_path / "_failed.log").unlink(missing_ok=True)  # links to files that are not in this part
        expected = listed_pages(part) if way == "sitemap" else linked_pages(part, "/distutils/index.html")
        check_mirror(tmp_path, origin, expected)
        assert len(expected) >= 10
