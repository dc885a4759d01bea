"""`llms.txt` as its readers expect it: the site's title, folders, clean names, no heading twice."""

import pytest

from holdfast.core.base.long_lists import RowsInMemory
from holdfast.core.mirror.index import write_full, write_short
from holdfast.core.page.page import SiteTitle, own_title, site_title

FLASK = ["Quickstart — Flask Documentation (2.2.x)", "API — Flask Documentation (2.2.x)",
         "Welcome to Flask — Flask Documentation (2.2.x)", "Index"]  # fmt: skip


def test_a_site_s_title_is_what_its_pages_share():
    site = site_title(FLASK)

    assert site == SiteTitle("Flask Documentation (2.2.x)")
    assert [site.short(title) for title in FLASK] == ["Quickstart", "API", "Welcome to Flask", "Index"]


@pytest.mark.parametrize(
    ("titles", "short"),
    [
        (["Git - git-add Documentation", "Git - git-rm Documentation", "Git - git-mv Documentation"],
         ["git-add Documentation", "git-rm Documentation", "git-mv Documentation"]),
        (["A | B | Site", "C | B | Site", "D | Site"], ["A | B", "C | B", "D"]),
        (["A - Site", "B - Site"], ["A - Site", "B - Site"]),
        (["A - B", "C - D", "E"], ["A - B", "C - D", "E"]),
        (["x | Site", "y | Site", "Site | Site"], ["x", "y", "Site"]),
    ],
)  # fmt: skip
def test_only_what_is_the_site_s_is_left_out(titles, short):
    site = site_title(titles)

    assert [site.short(title) for title in titles] == short


@pytest.mark.parametrize(
    ("title", "heading", "own"),
    [
        ("Quickstart — Flask Documentation (2.2.x)", "Quickstart¶", "Quickstart"),
        ("Asset Handling | VitePress", "Asset Handling", "Asset Handling"),
        ("Eigen: The Matrix class", "The Matrix class", "The Matrix class"),
        ("A - B - Site", "A - B", "A - B"),
        ("std::vector - cppreference.com", "std::vector", "std::vector"),
        ("Quickstart — Flask", "Getting started", "Quickstart — Flask"),
        ("Quickstart", "Quickstart", "Quickstart"),
        ("Non-blocking — Site", "Non", "Non-blocking — Site"),
        ("Title", "", "Title"),
        ("", "Heading", ""),
    ],
)
def test_a_page_says_itself_what_of_its_title_is_its_own(title, heading, own):
    assert own_title(title, heading) == own


def test_llms_txt_has_title_summary_and_folders():
    pages = [
        ("https://x.org/", "x.org/index.md", "Home"),
        ("https://x.org/guide/a", "x.org/guide/a/index.md", "A b"),
        ("https://x.org/guide/c", "x.org/guide/c/index.md", "C"),
        ("https://x.org/about", "x.org/about/index.md", ""),
    ]

    assert b"".join(write_short(lambda: pages, {"x.org": "X"}, RowsInMemory())).decode() == (
        "# X\n\n> 4 pages of x.org as Markdown.\n\n## X\n\n- [Home](x.org/index.md): https://x.org/\n"
        "- [about](x.org/about/index.md): https://x.org/about\n\n## guide\n\n"
        "- [A b](x.org/guide/a/index.md): https://x.org/guide/a\n- [C](x.org/guide/c/index.md): https://x.org/guide/c\n"
    )


def test_llms_full_has_each_heading_once():
    pages = [
        ("https://x.org/a", "A | X", b'# <a id="a"></a>A\n\nwords\n'),
        ("https://x.org/b", "B", b'---\ntitle: "B"\n---\n\nno heading'),
        ("https://x.org/c", "", b""),
    ]

    assert b"".join(write_full(pages)).decode() == (
        '# <a id="a"></a>A\n\nSource: https://x.org/a\n\nwords\n\n---\n\n'
        "# B\n\nSource: https://x.org/b\n\nno heading\n\n---\n\n# https://x.org/c\n\nSource: https://x.org/c\n"
    )
