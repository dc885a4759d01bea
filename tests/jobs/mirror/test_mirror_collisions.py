"""Two URLs whose short hashes are equal: both have a file, whatever happens in between."""

import hashlib

import pytest

from helpers.sites.command import fingerprint, folder_of, holdfast, manifest_of, mirror, pages_of
from helpers.sites.server import Site, page, sitemap
from holdfast.adapters.folder.folder import Folder


def colliding_queries():
    """Two queries with the same first eight hex digits of their MD5, by the birthday paradox."""
    seen = {}
    for number in range(2_000_000):
        query = f"q={number}"
        short = hashlib.md5(query.encode()).hexdigest()[:8]
        if short in seen:
            return seen[short], query, short
        seen[short] = query
    raise AssertionError("no collision in two million")


@pytest.mark.spec("PATH-6", "MIR-12")
def test_a_true_collision_gives_the_later_page_its_whole_key_and_is_in_the_manifest(tmp_path):
    first, second, short = colliding_queries()
    site = Site({f"/x?{first}": page("First"), f"/x?{second}": page("Second")})
    with site.serve() as origin:
        site.answers["/sitemap.xml"] = sitemap([f"{origin}/x?{first}", f"{origin}/x?{second}"])
        assert mirror(f"{origin}/sitemap.xml", tmp_path).status == 0
        key = hashlib.sha256(f"{origin}/x?{second}".encode()).hexdigest()
        host = folder_of(origin)
        assert sorted(pages_of(tmp_path)) == sorted([f"{host}/x__q_{short}.md", f"{host}/x__q_{key}.md"])
        assert manifest_of(tmp_path)["collisions"] == [
            {"url": f"{origin}/x?{second}", "path": f"{host}/x__q_{key}.md"}
        ]
        before = fingerprint(tmp_path)
        (tmp_path / "_processed.txt").write_text(f"{origin}/x?{first}\n")
        (tmp_path / f"{host}/x__q_{key}.md").unlink()
        assert mirror(f"{origin}/sitemap.xml", tmp_path).status == 0
    assert fingerprint(tmp_path) == before


@pytest.mark.spec("PATH-6")
@pytest.mark.parametrize("layout", ["tree", "flat"])
def test_pages_that_a_file_system_takes_for_one_have_a_file_each(tmp_path, monkeypatch, layout):
    """On one that folds `Foo` to `foo`, be it a mirror's own or that of a copy."""
    site, plain, own = (
        Site({f"/{name}": page(name) for name in ("Foo", "foo")}),
        tmp_path / "a",
        tmp_path / "b",
    )
    flags = ("--layout", layout)
    with site.serve() as origin:
        site.answers["/sitemap.xml"] = sitemap([f"{origin}/Foo", f"{origin}/foo"])
        assert mirror(f"{origin}/sitemap.xml", plain, *flags).status == 0
        monkeypatch.setattr(Folder, "folds_names", lambda _: True)
        assert mirror(f"{origin}/sitemap.xml", own, *flags).status == 0
        again = mirror(f"{origin}/sitemap.xml", own, *flags, "--update", "--max-age", "0s")
        assert again.status == 0, again.err
    assert holdfast("restore", plain, "--output", tmp_path / "copy", "-q").status == 0
    for folder in (own, tmp_path / "copy"):
        assert manifest_of(folder)["layout"]["name"] == f"{layout}-fold"
        assert len({path.casefold() for path in pages_of(folder)}) == 2
    assert manifest_of(plain)["layout"]["name"] == layout
