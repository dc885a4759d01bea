"""A site that means ill: nothing lost, nothing outside, every refusal explained."""

import hashlib
import json
import os
import threading
import time

import pytest

from helpers.sites.command import files_of, fingerprint, folder_of, manifest_of, mirror, pages_of
from helpers.sites.server import Reply, Site, page, redirect, sitemap
from helpers.sites.tangled import prose

pytestmark = pytest.mark.spec("SEC-4")

SHARED = "Many words that are the same on every page of this little site, over and over again, as it were."


def crawl(site, output, *flags):
    with site.serve() as origin:
        done = mirror(f"{origin}/", output, "--discover", "links", "--json", *flags)
        summary = json.loads(done.out)
        names = {name.removeprefix(folder_of(origin) + "/") for name in pages_of(output)}
    return done, summary, names


def test_redirect_loops_and_odd_targets_are_failures_and_refusals(tmp_path):
    site = Site(
        {"/": page("Home", links=["/loop", "/ping", "/file", "/private", "/self", "/nowhere", "/ok"])}
    )
    site.answers |= {
        "/loop": redirect("/loop"),
        "/ping": redirect("/pong"),
        "/pong": redirect("/ping"),
        "/file": redirect("file:///etc/passwd"),
        "/private": redirect("http://10.1.2.3/"),
        "/self": redirect("/self/"),
        "/self/": page("Self"),
        "/nowhere": redirect("http://:::/"),
        "/ok": page("Fine"),
    }
    done, summary, names = crawl(site, tmp_path)
    assert names == {"index.md", "ok/index.md", "self/index.md"}
    assert summary["outcomes"]["failed"] + summary["outcomes"]["refused"] == 5
    assert done.status == 1
    assert len((tmp_path / "_failed.log").read_text().splitlines()) == 5


@pytest.mark.spec("ID-10")
def test_a_site_whose_pages_all_name_the_front_page_loses_nothing(tmp_path):
    links = [f"/{word}" for word in ("one", "two", "three")]
    site = Site({})
    with site.serve() as origin:
        site.answers["/"] = page("Home", links=links, canonical=f"{origin}/")
        site.answers |= {link: page(link * 9, canonical=f"{origin}/") for link in links}
        done = mirror(f"{origin}/", tmp_path / "check", "--discover", "links", "--json")
        assert json.loads(done.out)["outcomes"]["canonical disagreement"] == 3
        assert len(pages_of(tmp_path / "check")) == 4
        mirror(f"{origin}/", tmp_path / "trust", "--discover", "links", "--rel-canonical", "trust")
        assert len(pages_of(tmp_path / "trust")) == 1
        mirror(f"{origin}/", tmp_path / "ignore", "--discover", "links", "--rel-canonical", "ignore")
        assert len(pages_of(tmp_path / "ignore")) == 4


@pytest.mark.spec("ID-10", "MIR-12")
def test_canonical_links_are_decided_when_both_are_known(tmp_path):
    """/print comes first and names /article, which nobody links; /ring-a and /ring-b name each other."""
    long = " ".join(f"word{n}" for n in range(300))
    site = Site({})
    with site.serve() as origin:
        links = ["/print", "/ring-a", "/ring-b", "/dead-end", "/foreign"]
        site.answers = {
            "/": page("Home", links=links),
            "/print": page(
                "Print", text=f"{long} printed", canonical=f"{origin}/article", links=["/only-here"]
            ),
            "/article": page("Article", text=long),
            "/ring-a": page("Ring", text=SHARED, canonical=f"{origin}/ring-b"),
            "/ring-b": page("Ring", text=SHARED, canonical=f"{origin}/ring-a"),
            "/dead-end": page("Dead", canonical=f"{origin}/missing"),
            "/foreign": page("Foreign", canonical="https://example.com/foreign"),
            "/only-here": page("Only here"),
        }
        done = mirror(f"{origin}/", tmp_path, "--discover", "links")
        host = folder_of(origin)
        names = {name.removeprefix(f"{host}/").removesuffix("/index.md") for name in pages_of(tmp_path)}
        assert site.counts["/print"] == 1, "what waits is not asked for twice"
    assert names == {"index.md", "article", "ring-a", "ring-b", "dead-end", "foreign", "only-here"}
    assert done.status == 1, "/missing failed"


def test_endless_calendars_and_parameter_spaces_are_stopped_and_reported(tmp_path):
    def endless(target):
        number = int("".join(c for c in target if c.isdigit()) or 0)
        if target.startswith("/calendar/"):
            days = " ".join(f"day {n} is free" for n in range(30))
            return page(f"Month {number}", text=days, links=[f"/calendar/{number + 1}"])
        if target.startswith("/list?"):
            return page("List", text=SHARED * 3, links=[f"/list?page={number + 1}", f"/list?sort={number}"])
        if target.startswith("/deeper"):
            return page("Deeper", links=[f"{target}/deeper"])
        return None

    site = Site(
        {"/": page("Home", links=["/calendar/1", "/list?page=1", "/deeper", "/ok"])}, fallback=endless
    )
    site.answers["/ok"] = page("Fine")
    done, summary, names = crawl(site, tmp_path, "--trap-similar", "10")
    assert done.status == 0
    assert {"index.md", "ok/index.md"} < names
    assert 20 < len(names) < 120
    assert summary["refused"]["trap: near-duplicates"] >= 2
    assert summary["refused"]["trap: repeating path"] == 1
    assert "--trap-pages 0 --trap-similar 0" in done.err


def test_listed_urls_are_never_taken_for_a_trap(tmp_path):
    site = Site({}, fallback=lambda target: page("Month", text=SHARED) if target.startswith("/m/") else None)
    with site.serve() as origin:
        site.answers["/sitemap.xml"] = sitemap([f"{origin}/m/{n}" for n in range(60)])
        flags = ("--trap-similar", "5", "--trap-pages", "10")
        assert mirror(f"{origin}/sitemap.xml", tmp_path, *flags).status == 0
    assert len(pages_of(tmp_path)) == 60


@pytest.mark.spec("PATH-6", "PATH-7")
def test_names_that_climb_clash_or_imitate_stay_apart_and_inside(tmp_path):
    links = [
        "/%2e%2e/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fpwn", "/%5c..%5cx", "/a", "/a/index.md",
        "/a/index.md/b", "/A", "/Case", "/case", "/CON", "/nul.txt", "/x.", "/.hidden",
        "/_manifest.json", "/_failed/x",
        "/" + "n" * 300, "/" + "n" * 299 + "m", "/%00", "/new%0Aline", "/%ff%fe", "/q?a=1",
        "/q__q_c4ca4238.md",
    ]  # fmt: skip
    site = Site({"/": page("Home", links=links)}, fallback=lambda target: page(f"At {target[:40]}"))
    with site.serve() as origin:
        done = mirror(f"{origin}/", tmp_path / "out", "--discover", "links", "--json")
        assert done.status == 0, done.err
        pages = pages_of(tmp_path / "out")
    assert len(pages) == len(links) + 1
    assert {file.name for file in tmp_path.iterdir()} == {"out"}
    assert len(manifest_of(tmp_path / "out")["pages"]) == len(pages)
    assert all(len(part.encode()) <= 240 for name in pages for part in name.split("/"))


@pytest.mark.spec("PATH-7")
def test_a_symlink_planted_before_the_run_is_refused_and_the_rest_is_written(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    site = Site({"/": page("Home", links=["/a", "/b"]), "/a": page("A"), "/b": page("B")})
    with site.serve() as origin:
        out = tmp_path / "out"
        (out / folder_of(origin)).mkdir(parents=True)
        (out / folder_of(origin) / "a").symlink_to(outside)
        done = mirror(f"{origin}/", out, "--discover", "links")
        assert done.status == 1
        assert "a symlink stands in the way" in done.err
        assert list(outside.iterdir()) == []
        assert (out / folder_of(origin) / "b" / "index.md").is_file()
        (out / folder_of(origin) / "a").unlink()
        assert mirror(f"{origin}/", out, "--discover", "links").status == 0
        assert (out / folder_of(origin) / "a" / "index.md").is_file()


@pytest.mark.spec("PATH-7")
def test_symlinks_planted_during_the_run_lead_nowhere(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    site = Site({"/": page("Home", links=[f"/d/{n}/p" for n in range(60)])}, fallback=page)
    stop = threading.Event()
    with site.serve() as origin:
        root = tmp_path / "out" / folder_of(origin) / "d"

        def plant():
            for number in range(60):
                while not root.is_dir() and not stop.is_set():
                    time.sleep(0.001)
                try:
                    (root / str(number)).symlink_to(outside)
                except OSError:
                    continue

        planter = threading.Thread(target=plant)
        planter.start()
        done = mirror(f"{origin}/", tmp_path / "out", "--discover", "links")
        stop.set()
        planter.join()
    assert list(outside.iterdir()) == []
    said = [line for line in done.err.splitlines() if "was not written: a symlink stands in the way" in line]
    refused = sum("d/" in line for line in said)
    written = sum((root / str(number) / "p" / "index.md").is_file() for number in range(60))
    assert refused // 2 + written == 60, "page and sidecar are refused together, or both written"


@pytest.mark.spec("MIR-12")
def test_a_folder_that_is_renamed_during_the_run_is_finished_in_its_new_place(tmp_path):
    site = Site({"/": page("Home", links=["/a"]), "/b": page("B")})

    def rename(_path, _number):
        (tmp_path / "old").rename(tmp_path / "new")
        return page("A", links=["/b"])

    site.answers["/a"] = rename
    with site.serve() as origin:
        done = mirror(f"{origin}/", tmp_path / "old", "--discover", "links")
        names = {name.removeprefix(folder_of(origin)) for name in pages_of(tmp_path / "new")}
    assert done.status == 0, done.err
    assert names == {"/index.md", "/a/index.md", "/b/index.md"}
    assert not (tmp_path / "old").exists()


def test_any_bytes_at_all_are_a_page_a_placeholder_or_a_failure(tmp_path):
    bodies = {
        "/nul": b"\0" * 5000,
        "/deep": b"<div>" * 60_000,
        "/unclosed": b"<script>",
        "/attributes": b"<p " + b" ".join(b"a%d=1" % n for n in range(50_000)),
        "/utf16": "<p>hi</p>".encode("utf-16"),
        "/gzip": b"\x1f\x8b\x08\x00" + bytes(range(256)) * 20,
        "/empty": b"",
        "/lies": b"%PDF-1.4 this is not HTML",
    }
    site = Site(
        {"/": page("Home", links=list(bodies))} | {path: Reply(body) for path, body in bodies.items()}
    )
    done, summary, names = crawl(site, tmp_path)
    assert "Traceback" not in done.err
    skipped = sum(name.startswith("_skipped/") for name in files_of(tmp_path))
    failed = sum(name.startswith("_failed/") for name in files_of(tmp_path))
    assert len(names) + skipped + failed == len(bodies) + 1
    assert summary["processed"] == len(bodies) + 1


@pytest.mark.spec("MIR-12")
def test_equal_responses_give_equal_mirrors_whatever_the_concurrency(tmp_path):
    def slow(target, _):
        jitter = hash((target, os.urandom(1))) % 7 / 200
        base = page(target, links=[f"/{int(target.strip('/') or 0) * 2 + n}" for n in (1, 2)])
        return Reply(base.body, delay=jitter) if int(target.strip("/") or 0) < 40 else Reply(status=404)

    site = Site({f"/{n}": slow for n in range(200)} | {"/": slow})
    prints, seals = [], []
    with site.serve() as origin:
        for number, per_host in enumerate(("1", "8", "32")):
            out = tmp_path / str(number)
            done = mirror(f"{origin}/", out, "--discover", "links", "--per-host", per_host, "--json")
            prints.append(fingerprint(out))
            seals.append(json.loads(done.out)["seal"])
    assert prints[0] == prints[1] == prints[2]
    assert len(set(seals)) == 1
    assert len(prints[0]) > 30


def test_pages_that_change_between_fetches_do_no_harm(tmp_path):
    def moody(target, number):
        return page(f"{target} {number}", links=["/", "/x", "/y"])

    site = Site({"/": moody, "/x": moody, "/y": moody})
    with site.serve() as origin:
        assert mirror(f"{origin}/", tmp_path, "--discover", "links").status == 0
        (tmp_path / "_processed.txt").unlink()
        assert mirror(f"{origin}/", tmp_path, "--discover", "links").status == 0
    for entry in manifest_of(tmp_path)["pages"]:
        assert (tmp_path / entry["path"]).stat().st_size == entry["size"]


def _endless(title, text, hrefs, words=("on", "back")):
    links = " ".join(f'<a href="{href}">{word}</a>' for href, word in zip(hrefs, words, strict=True))
    return Reply(f"<title>{title}</title><main><h1>{title}</h1><p>{text}</p>{links}</main>".encode())


def session(target):
    """A shop whose every link has a new session in its path."""
    old, _, name = target[1:].partition("/")
    fresh = [hashlib.md5(f"{old}{n}".encode()).hexdigest() for n in range(2)]
    hrefs = [f"/{fresh[0]}/item", f"/{fresh[1]}/basket"]
    return _endless(name, f"Your {name} in session {old} is empty.", hrefs)


def words(target):
    """Addresses of letters alone; each page has two new ones, and says which it is itself."""
    names = [chr(97 + sum(map(ord, target)) % 26), chr(97 + len(target) % 26)]
    hrefs = [f"{target}-{names[0]}x", f"{target}-y{names[1]}"]
    return _endless("A word", f"About {target}: like any other word that there is.", hrefs)


def self_feeding(_target):
    return _endless("Deeper", "The same words, wherever one is.", ["more/", "deep/er/"])


def shown_words(target):
    """As `words`, and the names of the next words are to be read."""
    hrefs = [f"{target}-{chr(97 + (len(target) * 7 + n) % 26) * 3}" for n in (1, 2)]
    return _endless("A word", "Like any other word that there is.", hrefs, [href[-3:] for href in hrefs])


REPEATED = "trap: links of pages that repeat each other"


@pytest.mark.spec("MIR-1")
@pytest.mark.parametrize(
    "endless", [session, words, self_feeding, shown_words], ids=lambda endless: endless.__name__
)
def test_a_space_without_numbers_ends_when_its_pages_repeat_each_other(tmp_path, endless):
    names = [f"/real/{chr(97 + n)}{chr(97 + m)}" for n in range(5) for m in range(5)]
    real = {name: page(name, text=f"Chapter {name}. " + prose(n + 1)) for n, name in enumerate(names)}
    site = Site({"/": page("Home", links=["/start/item", *names])} | real)
    site.fallback = lambda target: None if "." in target else endless(target)
    flags = ("--discover", "links", "--trap-similar", "10", "--trap-pages", "60")
    with site.serve() as origin:
        done = mirror(f"{origin}/", tmp_path, *flags)
        asked = len(site.requests)
        again = mirror(f"{origin}/", tmp_path, *flags, "--update")
    assert done.status == 0, done.err
    assert REPEATED in done.err
    assert asked < 300
    assert set(names) < set(site.requests)
    assert again.status == 0, again.err
    assert len(site.requests) - asked < 1.2 * asked


def test_pages_that_list_different_files_are_followed_however_many_there_are(tmp_path):
    def listing(target):
        if target.endswith(".md"):
            return page(target, text=prose(sum(map(ord, target))))
        names = [f"{target.strip('/')}-file.md"]
        return _endless("Index of", "Name Last modified Size", names, names)

    folders = [f"/{chr(97 + n)}{chr(97 + m)}/" for n in range(5) for m in range(6)]
    site = Site({"/": page("Home", links=folders)}, fallback=lambda t: None if "robots" in t else listing(t))
    with site.serve() as origin:
        done = mirror(f"{origin}/", tmp_path, "--discover", "links", "--trap-similar", "10")
    assert done.status == 0, done.err
    assert sum(name.endswith("-file.md") for name in site.requests) == len(folders)
