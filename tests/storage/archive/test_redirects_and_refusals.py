"""Redirects, with what they said, and refusals stand in the archive as others read them; and redirects that
others archived are read as names of pages.
"""

from __future__ import annotations

import gzip
import io
import json
import shutil

import pytest
from warcio.archiveiterator import ArchiveIterator
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from helpers.sites.command import fingerprint, holdfast, mirror
from helpers.sites.server import Reply, Site, page

pytestmark = [
    pytest.mark.spec("STA-7"),
    # warcio leaves its temporary files to the collector
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

SAID = b"<h1>Moved</h1><p>It is <a href='/new'>here</a> now.</p>"
LINKS = ["/old", "/packed", "/long", "/away", "/loop", "/nowhere", "/ftp", "/private/x", "/chain"]


def moved(location, body=SAID, **fields):
    more = tuple((name.replace("_", "-"), value) for name, value in fields.items())
    return Reply(body, 301, headers=(("Location", location), *more))


@pytest.fixture
def served():
    answers = {
        "/robots.txt": Reply(b"User-agent: *\nDisallow: /private/", type="text/plain"),
        "/": page("Home", links=LINKS),
        "/new": page("New"),
        "/old": moved("/new"),
        "/packed": moved("/new", gzip.compress(b"packed"), Content_Encoding="gzip"),
        "/long": moved("/new", b"x" * 100_000),
        "/chain": moved("/old", b"a chain"),
        "/away": moved("http://localhost:9/elsewhere", b"away"),
        "/loop": moved("/pool", b"round"),
        "/pool": moved("/loop", b"back again"),
        "/nowhere": Reply(b"no way on", 302),
        "/ftp": moved("ftp://localhost/x", b"by another way"),
        "/private/x": page("Private"),
    }
    site = Site(answers)
    with site.serve() as origin:
        yield origin


def records(folder):
    """Type, address, status, body and record headers of each record, as warcio has them."""
    found = []
    for path in sorted((folder / ".holdfast/archive").glob("*.warc.gz")):
        with path.open("rb") as stream:
            for record in ArchiveIterator(stream, check_digests="raise"):
                body = record.content_stream().read()
                status = record.http_headers.get_statuscode() if record.http_headers else ""
                headers = record.rec_headers
                found.append((record.rec_type, headers.get_header("WARC-Target-URI"), status, body, headers))
    return found


@pytest.fixture
def folder(served, tmp_path):
    folder = tmp_path / "docs"
    done = mirror(served + "/", folder)
    assert done.status == 1, done.err  # some addresses failed
    return folder


def test_what_redirects_said_is_in_their_records(served, folder):
    answers = {
        (url.removeprefix(served), status): (body, headers)
        for kind, url, status, body, headers in records(folder)
        if kind == "response" and status.startswith("3")
    }
    assert answers["/old", "301"][0] == SAID
    assert answers["/packed", "301"][0] == b"packed"
    body, headers = answers["/long", "301"]
    assert (body, headers.get_header("WARC-Truncated")) == (b"", "unspecified")
    assert answers["/chain", "301"][0] == b"a chain"


def test_a_redirect_that_leads_nowhere_is_an_answer_that_is_kept(served, folder):
    kept = [(url.removeprefix(served), status, body) for kind, url, status, body, _ in records(folder)
            if kind == "response"]  # fmt: skip
    assert ("/away", "301", b"away") in kept
    assert ("/pool", "301", b"back again") in kept
    assert ("/loop", "301", b"round") in kept
    assert ("/nowhere", "302", b"no way on") in kept
    assert ("/ftp", "301", b"by another way") in kept
    history = json.loads(holdfast("log", served + "/away", "--store", folder, "--json").out)
    assert [seen["status"] for seen in history["parts"][0]["page"]["captures"]] == [301]


def test_a_refusal_is_found_by_its_address(served, folder):
    said = {url.removeprefix(served): body.decode() for kind, url, _, body, _ in records(folder)
            if kind == "metadata" and url}  # fmt: skip
    assert sorted(said) == ["/away", "/ftp", "/private/x"]
    assert said["/private/x"].startswith("refused: Disallow: /private/")
    assert "\r\nrun: " in said["/private/x"]
    assert said["/away"].startswith("refused: redirects to http://localhost:9/elsewhere")


def test_the_archive_checks_and_gives_the_ledger_back(served, folder):
    before = fingerprint(folder)
    for words in (("verify", folder, "--processes", "1"), ("verify", "--store", folder)):
        done = holdfast(*words)
        assert done.status == 0, done.out + done.err
    (folder / ".holdfast/ledger.db").unlink()
    rebuilt = holdfast("store", "rebuild", "--store", folder, "--processes", "1", "--json")
    assert rebuilt.status == 0, rebuilt.err
    assert json.loads(rebuilt.out)["flaws"] == []
    assert holdfast("verify", folder, "--processes", "1").status == 0
    assert mirror(served + "/", folder).status == 1
    assert fingerprint(folder) == before


def test_who_forgets_an_address_forgets_its_redirect_and_its_refusal(served, folder):
    for path in ("/private/x", "/away", "/old"):
        done = holdfast("forget", served + path, "--store", folder)
        assert done.status == 0, done.err
    left = {url.removeprefix(served) for _, url, *_ in records(folder) if url}
    assert "/private/x" not in left
    assert "/away" not in left
    assert holdfast("verify", folder, "--processes", "1").status == 0


def others(path, answers):
    """An archive of answers as warcio writes one: (path, status, headers, body)."""
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=True)
        for number, (name, status, fields, body) in enumerate(answers):
            writer.write_record(
                writer.create_warc_record(
                    f"https://example.com{name}",
                    "response",
                    payload=io.BytesIO(body),
                    http_headers=StatusAndHeaders(status, fields, protocol="HTTP/1.1"),
                    warc_headers_dict={"WARC-Date": f"2024-05-01T10:00:{number:02}Z"},
                )
            )
    return path


def merged(told):
    """What is another name of what, and why."""
    return [(one["url"], one["duplicate_of"], one["reason"]) for one in told["parts"][0]["page"]["names"]]


HTML = [("Content-Type", "text/html")]


@pytest.mark.parametrize("first", ["redirects", "pages"])
def test_redirects_in_others_archives_are_names_of_the_page(tmp_path, first):
    pages = [("/new", "200 OK", HTML, b"<title>New</title><main><p>Words of new.</p></main>"),
             ("/was", "200 OK", HTML, b"<title>Was</title><main><p>Words of was.</p></main>")]  # fmt: skip
    redirects = [
        ("/old", "301 Moved Permanently", [("Location", "/new")], SAID),
        ("/older", "302 Found", [("Location", "https://example.com/old")], b""),
        ("/was", "301 Moved Permanently", [("Location", "/new")], b""),
        ("/loop", "301 Moved Permanently", [("Location", "/pool")], b""),
        ("/pool", "301 Moved Permanently", [("Location", "/loop")], b""),
        ("/away", "301 Moved Permanently", [("Location", "https://example.org/")], b""),
        ("/bad", "301 Moved Permanently", [], b""),
    ]
    answers = [*redirects, *pages] if first == "redirects" else [*pages, *redirects]
    file, state = others(tmp_path / "other.warc.gz", answers), tmp_path / "state"
    done = holdfast("store", "import", file, "--store", state, "--processes", "1", "--json")
    assert done.status == 0, done.err
    assert json.loads(done.out)["captures"] == len(answers)
    for name in ("/old", "/older"):
        told = json.loads(holdfast("log", f"https://example.com{name}", "--store", state, "--json").out)
        assert merged(told) == [(f"https://example.com{name}", "https://example.com/new", "redirect")]
    for name in ("/was", "/loop", "/away", "/bad"):
        told = json.loads(holdfast("log", f"https://example.com{name}", "--store", state, "--json").out)
        assert merged(told) == []
    assert holdfast("verify", "--store", state).status == 0


def test_our_own_redirects_are_names_where_our_files_are_imported(served, folder, tmp_path):
    copy = tmp_path / "ours.warc.gz"
    shutil.copy(next((folder / ".holdfast/archive").glob("*.warc.gz")), copy)
    state = tmp_path / "state"
    done = holdfast("store", "import", copy, "--store", state, "--processes", "1", "--json")
    assert (done.status, json.loads(done.out)["flaws"]) == (0, []), done.err
    for name in ("/old", "/packed", "/long", "/chain"):
        told = json.loads(holdfast("log", served + name, "--store", state, "--json").out)
        assert merged(told) == [(served + name, served + "/new", "redirect")]
