"""`holdfast check` and its queries, against a real server that misbehaves."""

from __future__ import annotations

import json
import socket
import ssl
import tomllib
from xml.etree import ElementTree

import pytest
import trustme

from helpers.faults.server import CLOSE, RESET, Pause, response
from helpers.served import serving
from helpers.trusting import trust
from holdfast.core.links.link_state import LinkState

FAST = ("--fetch-urls", "--allow-private", "--content-rate-limit", "0", "--timeout", "4")


def page(text, *fields, status="200 OK"):
    body = f"<html><body><main><h1 id=top1>T</h1><p>{text}</p></main></body></html>".encode()
    return (response(body, status, "Content-Type: text/html", *fields),)


def closed_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def write(folder, name, text):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def states(ran):
    return {url["url"]: url["state"] for url in ran.json["urls"]}


def by_path(ran, base):
    return {url.removeprefix(base): state for url, state in states(ran).items()}


SCRIPTS = {
    "/ok": page("hello"),
    "/moved": (response(b"", "301 Moved Permanently", "Location: /ok"),),
    "/temporary": (response(b"", "302 Found", "Location: /ok"),),
    "/not-found": (response(b"no", "404 Not Found"),),
    "/gone": (response(b"no", "410 Gone"),),
    "/login": (response(b"", "401 Unauthorized", "WWW-Authenticate: Basic"),),
    "/forbidden": (response(b"", "403 Forbidden"),),
    "/challenge": (response(b"", "403 Forbidden", "cf-mitigated: challenge"),),
    "/linked": (response(b"", "999 Denied"),),
    "/accepted": page("wait", status="202 Accepted"),
    "/slow": (Pause(10), response(b"late")),
    "/reset": (RESET,),
    "/closed": (CLOSE,),
    "/error": (response(b"", "500 Internal Server Error"),),
    "/loop": (response(b"", "302 Found", "Location: /loop"),),
    "/large": (response(b"x" * 200_000, "200 OK", "Content-Type: text/html"),),
    "/teapot": (response(b"", "418 Teapot"),),
}
EXPECTED = {
    "/ok": "ok",
    "/moved": "moved_permanent",
    "/temporary": "moved_temporary",
    "/not-found": "not_found",
    "/gone": "gone",
    "/login": "auth_required",
    "/forbidden": "auth_required",
    "/challenge": "bot_blocked",
    "/linked": "bot_blocked",
    "/accepted": "bot_blocked",
    "/slow": "timeout",
    "/reset": "connect_error",
    "/closed": "connect_error",
    "/error": "server_error",
    "/loop": "server_error",
    "/large": "too_large",
    "/teapot": "refused",
}


@pytest.mark.spec("TRK-6")
def test_every_state_by_a_server_that_misbehaves_accordingly(holdfast, tmp_path, monkeypatch):
    monkeypatch.setenv("HOLDFAST_MAX_BODY_BYTES", "100000")
    port = closed_port()
    busy = {"/": (response(b"", "429 Too Many Requests", "Retry-After: 3600"),)}
    with (
        serving(dict(SCRIPTS)) as server,
        serving({}, tls=_untrusted()) as tls,
        serving(busy, host="127.0.0.3") as limiter,
    ):
        lines = [f"{server.base}{path}" for path in SCRIPTS]
        others = {
            f"{limiter.base}/": "rate_limited",
            f"http://127.0.0.1:{port}/": "connect_error",
            f"https://127.0.0.1:{tls.port}/": "tls_error",
            "ftp://127.0.0.1/x": "unsupported",
        }
        write(tmp_path, "a.txt", "\n".join([*lines, *others]))
        write(
            tmp_path,
            "b.md",
            f"[x]({server.base}/ok#top1) [y]({server.base}/ok#nope) <!-- holdfast: ignore no -->\n",
        )
        write(tmp_path, "c.md", f"[y]({server.base}/ok#nope)\n")
        ran = holdfast("check", *FAST, "--json")
        assert ran.status == 0, ran.err  # nothing is confirmed at the first look
        found = by_path(ran, server.base)
        assert {path: found[path] for path in EXPECTED} == EXPECTED
        assert {url: found[url] for url in others} == others
        citations = {
            (c["document"], c["fragment"]): c["finding"] for url in ran.json["urls"] for c in url["citations"]
        }
        assert citations[("c.md", "nope")] == "fragment_missing"
        assert citations[("b.md", "top1")] is None
        refused = holdfast("check", "--fetch-urls", "--force-refetch", "--content-rate-limit", "0", "--json")
        assert by_path(refused, server.base)["/ok"] == "ok"  # what was known stays
        seen = set(states(ran).values()) | {"refused", "fragment_missing", "changed", "unchecked"}
        seen |= {
            "dns_error"
        }  # tests/jobs/check/test_track_names.py: the system's resolver would ask the world
        assert seen == {str(state) for state in LinkState}
        evidence = {url["url"].removeprefix(server.base): url["evidence"] for url in ran.json["urls"]}
        assert evidence["/challenge"]["header"] == "cf-mitigated: challenge"
        assert evidence["/moved"]["hops"][0][1] == 301


def _untrusted():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    trustme.CA().issue_cert("127.0.0.1").configure_cert(context)
    return context


@pytest.mark.spec("TRK-6")
def test_dead_is_confirmed_at_the_second_look_and_eager_at_the_first(holdfast, tmp_path):
    with serving({"/x": (response(b"", "404 Not Found"),), "/s": (response(b"", "500 Oops"),)}) as server:
        write(tmp_path, "a.md", f"line\n\n[x]({server.base}/x) [s]({server.base}/s)\n")
        first = holdfast("check", *FAST)
        assert first.status == 0
        assert (
            f"a.md:3:5: warning: HF001 {server.base}/x: the server has no such page (404); not" in first.out
        )
        assert "run again" in first.err
        assert holdfast("broken").status == 0
        second = holdfast("check", *FAST)
        assert second.status == 1
        assert f"a.md:3:5: error: HF001 {server.base}/x: the server has no such page (404)\n" in second.out
        assert f"warning: HF007 {server.base}/s: the server failed (500); not confirmed yet" in second.out
        broken = holdfast("broken", "--json")
        assert broken.status == 1
        assert [url["url"] for url in broken.json["urls"]] == [f"{server.base}/x"]
        assert broken.json["urls"][0]["citations"][0]["line"] == 3
        assert len(holdfast("broken", "--suspect", "--json").json["urls"]) == 2
    (tmp_path / "other").mkdir()
    with serving({"/s": (response(b"", "500 Oops"),)}) as server:
        write(tmp_path, "other/holdfast.toml", "")
        write(tmp_path, "other/a.md", f"[s]({server.base}/s)\n")
        assert holdfast("check", "other", *FAST, "--eager").status == 1


@pytest.mark.spec("STA-1")
@pytest.mark.parametrize("command", [("check", "--dry-run"), ("fix",), ("fix", "--write")], ids=" ".join)
def test_what_only_looks_makes_no_state_folder(holdfast, tmp_path, command):
    write(tmp_path, "a.md", "[x](https://e.example/?utm_source=y)\n")
    assert holdfast(*command).status in (0, 1)
    assert [file.name for file in tmp_path.iterdir()] == ["a.md"]


@pytest.mark.spec("TRK-6")
def test_nothing_is_dead_and_nothing_was_asked_are_told_apart(holdfast, tmp_path):
    with serving({"/x": page("fine")}) as server:
        write(tmp_path, "a.md", f"[x]({server.base}/x)\n")
        holdfast("check")
        assert holdfast("broken").err == (
            "0 dead, 0 suspect\n"
            "1 not asked yet: `holdfast check --fetch-urls` asks what no rule of yours leaves out\n"
        )
        holdfast("check", *FAST)
        assert holdfast("broken").err == "0 dead, 0 suspect\n"


@pytest.mark.spec("TRK-6")
def test_what_fails_once_and_then_works_is_never_dead(holdfast, tmp_path):
    works = page("fine")
    flaky = {
        "/reset": [(RESET,), (RESET,), works],
        "/timeout": [(Pause(10), b""), works],
        "/limited": [(response(b"", "429 Slow"),), works],
        "/unavailable": [(response(b"", "503 Later"),), works],
        "/not-found": [(response(b"", "404 Not Found"),), works],
        "/challenge": [(response(b"", "403 No", "cf-mitigated: challenge"),), works],
    }
    held = {"/later": [(response(b"", "503 Later", "Retry-After: 3600"),), works]}
    with serving(flaky) as server, serving(held, host="127.0.0.3") as holding:
        write(
            tmp_path,
            "a.md",
            "".join(f"<{server.base}{path}>\n" for path in flaky) + f"<{holding.base}/later>",
        )
        for _ in range(3):
            ran = holdfast("check", *FAST, "--force-refetch", "--json")
            assert ran.status == 0
            assert ran.json["standings"]["dead"] == 0
        assert set(states(ran).values()) == {"ok"}
        assert holdfast("broken").status == 0


@pytest.mark.spec("TRK-7", "SEC-4")
def test_a_large_page_is_read_elsewhere_and_counts_the_same(holdfast, tmp_path):
    with serving({"/x": page("word " * 40_000)}) as server:
        write(tmp_path, "a.md", f"<{server.base}/x#top1>")
        first = holdfast("check", *FAST, "--json").json["urls"][0]
        assert (first["state"], first["citations"][0]["finding"]) == ("ok", None)
        assert first["content_hash"]


@pytest.mark.spec("TRK-1")
@pytest.mark.parametrize("words", [(), ("--dry-run",), ("--offline", "--fetch-urls"), ("--json",)])
def test_without_consent_no_socket_and_no_dns(holdfast, tmp_path, monkeypatch, words):
    def forbidden(*_, **__):
        raise AssertionError("a socket was opened")

    write(tmp_path, "a.md", "[x](https://e.org/x) https://c.org\n")
    for name in ("socket", "create_connection", "getaddrinfo", "gethostbyname"):
        monkeypatch.setattr(socket, name, forbidden)
    ran = holdfast("check", *words)
    assert ran.status == 0, ran.err
    if words == ("--dry-run",):
        assert ran.out == "c.org (1)\n  https://c.org/\ne.org (1)\n  https://e.org/x\n"
    if not words:
        assert "--fetch-urls would ask 2 URLs on 2 hosts" in ran.err


@pytest.mark.spec("TRK-1")
def test_consent_can_stand_in_the_settings_file(holdfast, tmp_path):
    with serving({"/a": page("a")}) as server:
        write(
            tmp_path,
            "holdfast.toml",
            "fetch_external_urls = true\nallow_private = true\ncontent_rate_limit = 0\n",
        )
        trust(tmp_path)
        write(tmp_path, "a.md", f"<{server.base}/a>")
        assert states(holdfast("check", "--json"))[f"{server.base}/a"] == "ok"
        assert holdfast("check", "--no-fetch-urls", "--force-refetch").status == 4


@pytest.mark.spec("TRK-1")
def test_hosts_can_be_allowed_and_denied(holdfast, tmp_path):
    with serving({"/a": page("a")}) as server, serving({"/b": page("b")}, host="127.0.0.2") as other:
        write(tmp_path, "a.md", f"<{server.base}/a> <{other.base}/b>")
        write(tmp_path, "holdfast.toml", 'skip_hosts = ["127.0.0.2"]\n')
        assert set(states(holdfast("check", *FAST, "--json")).values()) == {"ok", "unchecked"}
        assert other.requests == {}
        holdfast("check", *FAST, "--ask-hosts", "127.0.0.9", "--force-refetch")
        assert server.requests == {"/a": 1}
        plan = holdfast("check", "--dry-run", "--force-refetch", "--json").json
        assert plan["skipped"] == [{"url": f"{other.base}/b", "reason": "skip_hosts has 127.0.0.2"}]


@pytest.mark.spec("TRK-4")
def test_one_request_for_each_url_and_none_within_the_ttl(holdfast, tmp_path):
    paths = [f"/p{n}" for n in range(20)]
    with serving({path: page(path, 'ETag: "v1"') for path in paths}) as server:
        for name in ("a.md", "b/b.md", "c.txt"):
            text = "".join(f"{server.base}{path}?utm_source=x#s{n}\n\n" for n, path in enumerate(paths * 2))
            write(tmp_path, name, text)
        ran = holdfast("check", *FAST, "--json")
        assert ran.json["asked"] == 20
        assert sum(server.requests.values()) == 20
        assert holdfast("check", *FAST, "--json").json["asked"] == 0
        assert sum(server.requests.values()) == 20
        holdfast("check", *FAST, "--max-age", "0h")
        assert sum(server.requests.values()) == 40
        assert sum('If-None-Match: "v1"' in head for head in server.heads) == 20
        holdfast("check", *FAST, "--force-refetch")
        assert sum(server.requests.values()) == 60
        assert sum("If-None-Match" in head for head in server.heads) == 20


@pytest.mark.spec("TRK-7", "TRK-3")
def test_a_change_is_a_new_revision_and_names_the_citing_lines(holdfast, tmp_path):
    versions = [page("one"), page("two"), page("two"), page("two")]
    with serving({"/x": versions}) as server:
        write(tmp_path, "docs/a.md", f"first\n\nsee [the spec]({server.base}/x)\n")
        fetch = (*FAST, "--max-age", "0", "--json")
        first = holdfast("check", *fetch).json
        once = holdfast("check", *fetch).json
        assert once["changed"] == []
        assert once["urls"][0]["bid"] == first["urls"][0]["bid"]
        script = write(tmp_path, "hook.py", "import os, sys; open('told.json', 'w').write(sys.stdin.read())")
        twice = holdfast("check", *fetch, "--on-change", f"python3 {script}").json
        (change,) = twice["changed"]
        assert change["old"] == first["urls"][0]["bid"] != change["new"] == twice["urls"][0]["bid"]
        assert [(c["document"], c["line"], c["column"]) for c in change["citations"]] == [
            ("docs/a.md", 3, 16)
        ]
        assert twice["parsed"] == 0
        assert twice["urls"][0]["state"] == "changed"
        told = json.loads((tmp_path / "told.json").read_text())
        assert (told["url"], told["new"]) == (f"{server.base}/x", change["new"])
        assert holdfast("check", *fetch).json["changed"] == []
        listed = holdfast("changed", "--json").json["changes"]
        assert [(c["old"], c["new"]) for c in listed] == [(change["old"], change["new"])]
        assert "docs/a.md:3:16: " in holdfast("changed", "--since", "2020-01-01").out
        assert holdfast("changed", "--since", "2999-01-01").out == ""
        assert holdfast("changed", "--since", "no-such-rev").status == 2


@pytest.mark.spec("TRK-7", "TXT-4")
def test_nonces_scripts_and_attributes_change_nothing(holdfast, tmp_path):
    def variant(nonce, order):
        attributes = ['class="a"', 'id="b"'][:: 1 if order else -1]
        script, paragraph = (
            f"<script nonce={nonce}>d={nonce}</script>",
            f"<p {' '.join(attributes)}>Same.</p>",
        )
        body = f"{script}<main>{paragraph}</main><!-- {nonce} -->"
        return (response(body.encode(), "200 OK", "Content-Type: text/html"),)

    with serving({"/x": [variant(n, n % 2) for n in range(6)]}) as server:
        write(tmp_path, "a.md", f"<{server.base}/x>")
        bids = {
            holdfast("check", *FAST, "--max-age", "0h", "--eager", "--json").json["urls"][0]["bid"]
            for _ in range(4)
        }
        assert len(bids) == 1
        assert holdfast("changed", "--json").json["changes"] == []


@pytest.mark.spec("TRK-5")
@pytest.mark.parametrize("kind", ["toml", "json", "yaml"])
def test_a_manifest_changes_only_when_something_meaningful_does(holdfast, tmp_path, kind):
    failing = [(response(b"", "500 Oops"),), (response(b"", "500 Oops"),), page("up")]
    with serving(
        {"/ok": page("hello", "Last-Modified: Wed, 01 Jan 2025 00:00:00 GMT"), "/s": failing}
    ) as server:
        write(tmp_path, f"docs/BeliefNode.{kind}", _metadata(kind, "11111111-2222-5333-8444-555555555555"))
        write(tmp_path, "docs/a.md", f"[Hello]({server.base}/ok) <{server.base}/s>\n")
        write(tmp_path, "docs/b.md", f"[other words]({server.base}/ok)\n")
        manifest = tmp_path / f"docs/.url-manifest.{kind}"
        holdfast("check", *FAST)
        before = manifest.read_bytes()
        assert b"bid:11111111-2222-5333-8444-555555555555" in before
        assert b"2025-01-01T00:00:00Z" in before
        stamp = manifest.stat().st_mtime_ns
        holdfast("check", *FAST, "--max-age", "0h")  # asked again, and fails again: nothing was learned
        assert manifest.read_bytes() == before
        assert manifest.stat().st_mtime_ns == stamp
        holdfast("check", *FAST)  # the suspect is looked at again, and answers
        assert b'"server_error"' in before
        assert b'"server_error"' not in manifest.read_bytes()
        holdfast("check", "--manifest-format", "none")
        assert manifest.exists()


def _metadata(kind, bid):
    return {"toml": f'bid = "{bid}"', "json": json.dumps({"bid": bid}), "yaml": f"bid: {bid}"}[kind]


@pytest.mark.spec("TRK-3")
def test_documents_and_folders_carry_their_own_bids(holdfast, tmp_path):
    write(tmp_path, "docs/research/paper.md", "[x](https://example.com/spec.html)\n")
    own = write(tmp_path, "own/peer.md", "https://example.com/a\n")
    write(tmp_path, "own/peer.toml", 'bid = "bid:aaaaaaaa-2222-5333-8444-555555555555"')
    write(
        tmp_path,
        "own/front.md",
        "---\nbid: bbbbbbbb-2222-5333-8444-555555555555\n---\nhttps://example.com/b\n",
    )
    holdfast("check")
    graph = holdfast("graph", "--format", "json").json
    bids = {node["path"]: node["bid"] for node in graph["nodes"] if node["kind"] == "Document"}
    assert bids["docs/research/paper.md"] == "bid:1a838ef9-2147-5448-8160-b418a9d37ad1"
    assert bids["own/peer.md"] == "bid:aaaaaaaa-2222-5333-8444-555555555555"
    assert bids["own/front.md"] == "bid:bbbbbbbb-2222-5333-8444-555555555555"
    manifest = tomllib.loads((tmp_path / "docs/research/.url-manifest.toml").read_text())
    assert manifest["network_bid"] == "bid:89c95f85-870a-539e-8a3a-b418a9d37ad1"
    assert manifest["urls"][0]["url_bid"] == "bid:eb132f35-17e9-51a3-bb7b-0e90d9cb2fdb"
    write(tmp_path, "own/peer.toml", 'bid = "cccccccc-2222-5333-8444-555555555555"')
    holdfast("check")
    graph = holdfast("graph", "--format", "json").json
    assert "bid:cccccccc-2222-5333-8444-555555555555" in {node["bid"] for node in graph["nodes"]}
    own.unlink()
    holdfast("check")
    assert "own/peer.md" not in holdfast("graph", "--format", "json").out


@pytest.mark.spec("TRK-8", "ID-12")
def test_queries_both_ways(holdfast, tmp_path):
    write(tmp_path, "a.md", "[One](https://example.com/one) [Two](https://sub.example.com/two?x=1)\n")
    write(tmp_path, "b/b.md", "# B\n\nhttps://EXAMPLE.com:443/./one?utm_source=x#part\n")
    holdfast("check")
    links = holdfast("links", "a.md", "--json").json
    assert [link["raw"] for link in links["links"]] == [
        "https://example.com/one",
        "https://sub.example.com/two?x=1",
    ]
    assert links["links"][0]["node"]["state"] == "unchecked"
    backlinks = holdfast("backlinks", "https://example.com/one", "--json").json["backlinks"]
    assert [(b["document"], b["line"], b["fragment"]) for b in backlinks] == [
        ("a.md", 1, ""),
        ("b/b.md", 3, "part"),
    ]
    assert holdfast("backlinks", "example.com").lines == [
        "a.md:1:7  https://example.com/one",
        "b/b.md:3:1  https://EXAMPLE.com:443/./one?utm_source=x#part",
    ]
    assert len(holdfast("backlinks", "https://*.example.com/*").lines) == 1
    for target in ("nothing.example", "https://*/nothing", "https://nothing.example/"):
        nobody = holdfast("backlinks", target)
        assert (nobody.status, nobody.out, nobody.err) == (0, "", f"{target}: not cited by any document\n")
    wrong = holdfast("links", "aa.md")
    assert wrong.status == 2
    assert "did you mean a.md?" in wrong.err


@pytest.mark.spec("TRK-3", "TRK-8")
def test_the_graph_is_readable_by_other_programs(holdfast, tmp_path):
    write(tmp_path, "a.md", 'See ["q" & <b>](https://example.com/?a=1&b=2)\n')
    holdfast("check")
    dot = holdfast("graph").out
    assert dot.startswith("digraph citations {")
    assert "->" in dot
    tree = ElementTree.fromstring(holdfast("graph", "--format", "graphml").out)
    assert len(tree.findall(".//{*}node")) == 2
    assert len(tree.findall(".//{*}edge")) == 1
    graph = holdfast("graph", "--format", "json").json
    (relation,) = graph["relations"]
    assert relation["kind"] == "Epistemic"
    assert relation["weight"]["url"] == "https://example.com/?a=1&b=2"
    node = next(node for node in graph["nodes"] if node["kind"] == "External")
    assert "id" not in node
    assert node["payload"]["url"] == "https://example.com/?a=1&b=2"


@pytest.mark.spec("TRK-2")
def test_ignored_files_and_links_do_not_count(holdfast, tmp_path):
    with serving({"/dead": (response(b"", "404 Not Found"),)}) as server:
        link = f"<{server.base}/dead>"
        write(tmp_path, ".gitignore", "built/\n")
        write(tmp_path, ".holdfastignore", "*.draft.md\n")
        write(tmp_path, "built/x.md", link)
        write(tmp_path, "x.draft.md", link)
        write(tmp_path, "a.md", f"{link} <!-- holdfast: ignore until 2999-01-01 moved to the intranet -->\n")
        write(tmp_path, "b.md", f"{link} <!-- holdfast: ignore until 2020-01-01 back soon -->\n")
        ran = holdfast("check", *FAST, "--eager")
        assert ran.status == 1
        assert [line.split(":")[0] for line in ran.lines] == ["b.md", "b.md"]
        assert "b.md:1:1: warning: HF040 an ignore expired on 2020-01-01: back soon" in ran.out
        (tmp_path / "b.md").unlink()
        assert holdfast("check", *FAST, "--eager").status == 0


def test_messages_say_what_to_do(holdfast, tmp_path):
    assert "there is no nowhere" in holdfast("check", "nowhere").err
    write(tmp_path, "x.bin", "\0")
    ran = holdfast("check", "x.bin")
    assert ran.status == 2
    assert "name documents" in ran.err
    write(tmp_path, "bad.ipynb", "{")
    ran = holdfast("check")
    assert ran.status == 0
    assert "bad.ipynb:1: warning: HF043 the notebook is not valid JSON" in ran.out
    assert "did you mean --fetch-urls?" in holdfast("check", "--fetch-url").err


@pytest.mark.spec("TRK-4", "SEC-1")
def test_cited_private_addresses_are_not_asked(holdfast, tmp_path):
    with serving({"/x": page("x")}) as server:
        write(tmp_path, "a.md", f"<{server.base}/x>")
        ran = holdfast("check", "--fetch-urls", "--content-rate-limit", "0")
        assert server.requests == {}
        assert "--allow-private" in ran.err


@pytest.mark.spec("SEC-3", "TRK-5")
def test_secrets_in_query_strings_are_redacted_in_manifests(holdfast, tmp_path):
    write(tmp_path, "a.md", "<https://example.com/x?token=s3cret&a=1>")
    holdfast("check")
    assert "s3cret" not in (tmp_path / ".url-manifest.toml").read_text()
