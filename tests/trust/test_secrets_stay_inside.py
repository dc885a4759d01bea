"""What nobody may read is in no output and no file: passwords of addresses and proxies, secret parameters.
What a terminal would obey is in no answer, report or index, wherever that goes.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import re
import sys

import pytest

from helpers.sites.living import LivingSite
from holdfast.faces.cli.main import main

PASSWORD, TOKEN, PROXY = "Pa55w0rdX", "T0k3nZZ", "Pr0xyPass"
NO_PROXY = f"http://me:{PROXY}@127.0.0.1:9"
RATE = ("--content-rate-limit", "0", "--processes", "1")
FORMATS = ("text", "json", "jsonl", "junit", "sarif", "github", "markdown")
EVIL = "\x1b]0;P\x07 \x9b2J \u202eevil\u202c \u2066x\u2069"
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def ran(*words):
    """A command's output and messages, as a pipe gets them."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(sys, "argv", ["holdfast", *map(str, words)])
        main([str(word) for word in words])
    return (out.buffer.getvalue() + err.buffer.getvalue()).decode()


def files_under(folder):
    for path in folder.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            name = path.relative_to(folder).as_posix()
            yield name, gzip.decompress(data) if name.endswith(".gz") else data


@pytest.fixture(scope="module")
def secretive(tmp_path_factory):
    """A mirror, documents, and what every command said of them."""
    base = tmp_path_factory.mktemp("secretive")
    (base / "docs").mkdir()
    said: dict[str, str] = {}
    with LivingSite() as site, contextlib.chdir(base):
        host = site.origin.partition("//")[2]
        named = f"http://me:{PASSWORD}@{host}"
        site.put("/", body=f"<title>Home</title><main>Home <a href='/a?token={TOKEN}'>a</a></main>".encode())
        site.put(f"/a?token={TOKEN}", body=b"<title>A</title><main>A page</main>")
        site.put("/b", body=f"<title>B</title><main>B <a href='{named}/c'>c</a></main>".encode())
        site.put(f"/bad?token={TOKEN}", body=b"x", status=500)
        site.redirect(f"/r?api_key={TOKEN}", f"/b?api_key={TOKEN}")
        site.put(f"/b?api_key={TOKEN}", body=b"<title>B too</title><main>B too</main>")
        (base / "list.txt").write_text(f"{named}/b\nhttp://me:{PASSWORD}@bad host/\n")
        (base / "docs/a.md").write_text(
            f"[x]({named}/b) [dead]({named}/nope) <{named}/nope> [n](http://me:{PASSWORD}@127.0.0.1:9/)\n"
            f"[odd](http://me:{PASSWORD}@bad%20host/) [t]({site.origin}/a?token={TOKEN}) {named}/b\n"
            f"[r]({site.origin}/r?api_key={TOKEN})\n"
        )

        def tell(*words):
            said[" ".join(map(str, words)).replace(named, "NAMED")] = ran(*words)

        tell("mirror", f"{named}/", "-o", "m", *RATE, "--convert-links", "local", "--llms-txt")
        tell("mirror", f"{named}/", "-o", "m", *RATE, "--update", "--json", "--discover", "links")
        tell("mirror", "list.txt", "-o", "list", *RATE)
        tell("mirror", f"{named}/bad?token={TOKEN}", "-o", "bad", *RATE, "--on-error", "abort")
        tell("mirror", f"{named}/", "-o", "proxied", *RATE, "--on-error", "abort", "--proxy", NO_PROXY)
        for source in (
            f"http://me:{PASSWORD}@h:99999/",
            f"me:{PASSWORD}@{host}/x",
            f"ftp://me:{PASSWORD}@h/",
        ):
            tell("mirror", source, "-o", "no", *RATE)
        for url in (
            f"{named}/b",
            f"http://me:{PASSWORD}@nowhere.example/",
            f"http://me:{PASSWORD}@bad host/",
        ):
            for command in (
                "history",
                "lineage",
                "show",
                "diff",
                "backlinks",
                "url canon",
                "url path",
                "url probe",
                "forget",
            ):
                state = () if command.startswith("url ") else ("--store", "list")
                tell(*command.split(), url, *state)
                tell(*command.split(), url, *state, "--json")
            tell("url", "canon", "--explain", url)
        for command in (
            ["log", "--runs"],
            ["search", "page"],
            ["verify", "m"],
            ["restore", "m"],
            ["log", "m"],
        ):
            tell(*command, *(() if "m" in command else ("--store", "m")))
        tell("mirror", f"{url}/", "-o", "m", "--dry-run", "--proxy", NO_PROXY)
        for form in FORMATS:
            tell("check", "docs", "--fetch-urls", "--allow-private", "--eager", "--format", form)
        tell("check", "docs", "--fetch-urls", "--dry-run", "--json")
        tell("check", "docs", "--fetch-urls", "--force-refetch", "--allow-private", "--proxy", NO_PROXY)
        tell("check", "docs", "--baseline", "base.json", "--update-baseline")
        for command in (
            ["links", "docs/a.md"],
            ["broken"],
            ["changed"],
            ["fix"],
            ["backlinks", f"{named}/nope"],
        ):
            for form in ((), ("--json",)):
                where = ("docs",) if command == ["fix"] else ("--store", "docs")
                tell(*command, *where, *form)
        for form in ("dot", "graphml", "json"):
            tell("graph", "--format", form, "--store", "docs")
    return base, said


@pytest.mark.spec("SEC-3")
@pytest.mark.parametrize("secret", [PASSWORD, PROXY])
def test_no_command_tells_a_password(secretive, secret):
    _, said = secretive
    own = {name for name in said if name.startswith("fix ") and "json" not in name}  # a patch of the document
    assert [name for name, text in said.items() if secret in text and name not in own] == []


@pytest.mark.spec("SEC-3")
def test_no_command_tells_the_value_of_a_secret_parameter_that_was_not_asked_for(secretive):
    _, said = secretive
    assert [name for name, text in said.items() if TOKEN in text and not name.startswith("fix ")] == []


@pytest.mark.spec("SEC-3")
def test_no_file_has_a_password(secretive):
    base, _ = secretive
    given = {"list.txt", "docs/a.md"}
    assert [name for name, data in files_under(base) if PROXY.encode() in data] == []
    found = {name for name, data in files_under(base) if PASSWORD.encode() in data} - given
    # What a document cites and what a page says is kept as it is, where only its owner can read it.
    assert {name for name in found if "/.holdfast/" not in name} == set()
    assert all((base / name).stat().st_mode & 0o077 == 0 for name in found)


@pytest.mark.spec("SEC-3")
def test_manifests_lists_and_logs_hide_secret_parameters(secretive):
    base, _ = secretive
    told = re.compile(
        r"(_manifest\.json|_index\.md|llms(-full)?\.txt|_failed\.log|_progress\.json|\.url-manifest\..*)"
    )
    found = {name for name, data in files_under(base) if TOKEN.encode() in data}
    assert [name for name in found if told.fullmatch(name.rpartition("/")[2])] == []


@pytest.mark.spec("SEC-7")
def test_no_answer_report_or_index_has_a_character_that_a_terminal_obeys(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said: dict[str, str] = {}
    with LivingSite() as site:
        url = site.origin
        page = f"<title>T {EVIL}</title><main><h1>H {EVIL}</h1><p>{EVIL}</p><a href=/dead>L {EVIL}</a></main>"
        site.put("/", body=page.encode())
        site.put("/odd", body=b"x", type="application/x\x9bz")

        def tell(*words):
            said[" ".join(map(str, words))] = ran(*words)

        for flags in (
            ("--convert-links", "local", "--llms-txt"),
            ("--update", "--json"),
            ("--discover", "links"),
        ):
            tell("mirror", f"{url}/", "-o", "m", *RATE, *flags)
        site.put("/", body=page.replace("<p>", "<p>Changed ").encode())
        tell("mirror", f"{url}/", "-o", "m", *RATE, "--update")
        for command in ("log", "lineage", "diff", "backlinks"):
            tell(command, f"{url}/", "--store", "m")
            tell(command, f"{url}/", "--store", "m", "--json")
        tell("diff", f"{url}/", "--store", "m", "--format", "html")
        tell("show", f"{url}/", "--store", "m", "--json")
        for flags in ((), ("--json",), ("--feed", "atom"), ("--feed", "json")):
            tell("log", "m", *flags)
        for words in (["runs", "--store", "m"], ["search", "changed", "--store", "m"], ["verify", "m"]):
            tell(*words)
        tell("url", "probe", f"{url}/odd")
        (tmp_path / "docs").mkdir()
        (tmp_path / f"docs/a{EVIL.replace('/', '')}.md").write_text(
            f"# H {EVIL}\n[L {EVIL}]({url}/) [d {EVIL}]({url}/nope\x9bx)\n"
            "[u](http://bad%20host/\u202e) [l](no\x9b.md)\n"
        )
        for form in FORMATS:
            tell("check", "docs", "--fetch-urls", "--allow-private", "--eager", "--format", form)
        for command in (["broken"], ["changed"], ["graph"], ["backlinks", f"{url}/"]):
            tell(*command, "--store", "docs")
    assert [(name, found) for name, text in said.items() if (found := OBEYED.findall(text))] == []
    texts = {name: data.decode() for name, data in files_under(tmp_path) if "/.holdfast/" not in name}
    kept = {name for name in texts if name.endswith(".md") and "_index" not in name} | {"m/llms-full.txt"}
    assert [name for name in texts.keys() - kept if OBEYED.search(texts[name])] == []
