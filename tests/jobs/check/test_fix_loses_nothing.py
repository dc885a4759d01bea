"""`holdfast fix` never loses what was cited: on a server whose pages move, merge and die."""

import pytest

from helpers.faults.server import response
from helpers.served import serving

pytestmark = pytest.mark.spec("TRK-14")

FAST = ("--fetch-urls", "--allow-private", "--content-rate-limit", "0")
LONG = " ".join(f"word{n}" for n in range(60))
OTHER = " ".join(f"else{n}" for n in range(60))


def page(text, anchor="top"):
    body = f"<main><h1 id={anchor}>T</h1><p>{text}</p></main>"
    html = f"<html><head><title>T</title></head><body>{body}</body></html>"
    return (response(html.encode(), "200 OK", "Content-Type: text/html"),)


def moved(place):
    return (response(b"", "301 Moved Permanently", f"Location: {place}"),)


@pytest.fixture
def cite(tmp_path):
    return lambda *urls: (tmp_path / "a.md").write_text("".join(f"- [x]({url})\n" for url in urls))


def look(holdfast, times=2):
    for _ in range(times):
        holdfast("check", *FAST, "--force-refetch")


def left_alone(ran):
    return {
        link["url"].rpartition("/")[2]: link["reason"]
        for document in ran.json["documents"]
        for link in document["declined"]
    }


def test_redirects_that_lose_the_citation_are_left_alone(holdfast, cite):
    scripts = {
        "/offers": page(LONG),
        "/en/": page(LONG),
        "/docs/v2": page(LONG),
        "/docs/v1/deep/page": moved("/docs/v2"),
        "/x": moved("/en/"),
        **{f"/{name}": moved("/offers") for name in ("one", "two", "three")},
        "/fine": moved("/renamed"),
        "/renamed": page(LONG),
    }
    with serving(scripts) as server:
        names = ("one", "two", "three", "x", "docs/v1/deep/page#install", "fine")
        cite(*(f"{server.base}/{name}" for name in names))
        look(holdfast)
        ran = holdfast("fix", "--json")
    reasons = left_alone(ran)
    assert set(reasons) == {"one", "two", "three", "x", "page#install"}
    assert "front page" in reasons["x"]
    assert "no such section" in reasons["page#install"]
    assert "2 other cited pages" in reasons["one"]
    (document,) = ran.json["documents"]
    assert [link["new_url"].rpartition("/")[2] for link in document["mended"]] == ["renamed"]


def test_the_kept_text_decides_where_there_is_one(holdfast, cite):
    scripts = {"/same": page(LONG), "/swapped": page(LONG)}
    with serving(scripts) as server:
        cite(f"{server.base}/same", f"{server.base}/swapped")
        look(holdfast, 1)
        scripts.update({"/same": moved("/new"), "/new": page(f"{LONG} and more")})
        scripts.update({"/swapped": moved("/advert"), "/advert": page(OTHER)})
        look(holdfast, 3)  # twice until the new content counts, once more until the redirect does
        ran = holdfast("fix", "--json")
        told = holdfast("fix")
    assert "0% of the kept text is there" in left_alone(ran)["swapped"]
    (mended,) = ran.json["documents"][0]["mended"]
    assert mended["new_url"] == f"{server.base}/new"
    assert 0.9 < mended["alike"] < 1
    assert "of the text that was kept is there" in told.err


def test_a_dead_page_is_replaced_by_the_living_one_of_the_same_content(holdfast, cite):
    scripts = {"/old": page(LONG), "/copy": page(LONG), "/lost": page(OTHER)}
    with serving(scripts) as server:
        cite(f"{server.base}/old", f"{server.base}/copy", f"{server.base}/lost")
        look(holdfast, 1)
        del scripts["/old"], scripts["/lost"]
        look(holdfast)
        usual = holdfast("fix", "--json")
        ran = holdfast("fix", "--only", "dead", "--json")
        scripts[f"/web/{server.base}/lost"] = page(OTHER)
        archive = ("--public-archive", f"{server.base}/web/{{url}}")
        found = holdfast("fix", "--only", "dead", "--json", *archive, *FAST)
    assert usual.json["documents"] == []
    (document,) = ran.json["documents"]
    assert [link["new_url"] for link in document["mended"]] == [f"{server.base}/copy"]
    assert "a copy was kept: holdfast show" in left_alone(ran)["lost"]
    assert "https://web.archive.org/web/" in left_alone(ran)["lost"]
    archived = [link["new_url"] for link in found.json["documents"][0]["mended"]]
    assert archived == [f"{server.base}/copy", f"{server.base}/web/{server.base}/lost"]


def test_a_dead_page_is_found_again_in_a_mirror_of_the_site_that_it_moved_to(holdfast, cite, tmp_path):
    scripts = {"/old": page(LONG)}
    with serving(scripts) as server:
        cite(f"{server.base}/old#top")
        look(holdfast, 1)
        scripts["/docs/"] = scripts.pop("/old")
        mirror = (
            "mirror",
            f"{server.base}/docs/",
            "-o",
            "copy",
            "--allow-private",
            "--content-rate-limit",
            "0",
        )
        assert holdfast(*mirror).status == 0
        look(holdfast)
        ran = holdfast("fix", "a.md", "--only", "dead", "--json")
    (mended,) = ran.json["documents"][0]["mended"]
    assert (mended["new_url"], mended["alike"]) == (f"{server.base}/docs/#top", 1.0)
