"""States and reasons on a web of about a hundred hosts by script: nothing is dead that is not."""

from __future__ import annotations

import contextlib
import io
import json

import pytest

from helpers.faults.certificates import Authority
from helpers.faults.server import response
from helpers.served import serving
from helpers.trusting import trust
from holdfast.core.links import link_state
from holdfast.faces.cli.main import main
from jobs.check.hundred_hosts import CASES, hundred_hosts

FAST = ("--fetch-urls", "--allow-private", "--timeout", "2", "--max-wait", "0.5", "--concurrency", "64")


@pytest.fixture(autouse=True)
def _soon(monkeypatch):
    """Second looks come at once: how long they wait is asked of the pure function elsewhere."""
    for name in ("SOON", "RECOVERED"):
        monkeypatch.setattr(link_state, name, link_state.SOON * 0)


def printed(*words):
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        main(list(words))
    return out.getvalue()


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """What a run with a second look says of every case: its node, and its findings in the report."""
    folder = tmp_path_factory.mktemp("hundred")
    with pytest.MonkeyPatch.context() as patch, hundred_hosts() as urls:
        patch.chdir(folder)
        for name in ("SOON", "RECOVERED"):
            patch.setattr(link_state, name, link_state.SOON * 0)
        (folder / "a.md").write_text("".join(f"- [{name}]({url})\n" for name, url in urls.items()))
        known = json.loads(printed("check", *FAST, "--confirm", "--json"))["urls"]
        told = json.loads(printed("check", "--format", "json"))["findings"]
    by_url = {url["url"]: url for url in known}
    return {
        name: (
            by_url[url.partition("#")[0]],
            [finding["message"] for finding in told if finding["url"] == url],
        )
        for name, url in urls.items()
    }


@pytest.mark.spec("TRK-6", "TRK-14")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_host_is_judged_by_what_it_says(answers, case):
    node, messages = answers[case.name]
    assert node["state"] == case.state, node["evidence"]
    if case.words:
        assert any(case.words in message for message in messages), messages


@pytest.mark.spec("TRK-6")
def test_nothing_is_dead_that_is_not(answers):
    assert len(answers) >= 100
    dead = {name for name, (node, _) in answers.items() if node["standing"] == "dead"}
    assert dead == {case.name for case in CASES if case.is_dead}


@pytest.mark.spec("TRK-14")
@pytest.mark.parametrize(
    ("make", "words"),
    [
        ({"expired": True}, "the certificate expired on 20"),
        ({"name": "other.example"}, "the certificate is for another name"),
        ({"trusted": False}, "the certificate is signed by nobody known"),
    ],
)
def test_a_certificate_that_is_not_trusted_says_why(holdfast, tmp_path, make, words):
    authority = Authority(tmp_path)
    with serving({"/": (response(b"ok"),)}, tls=authority.server_context(**make)) as server:
        (tmp_path / "a.md").write_text(f"<{server.base}/>\n")
        (tmp_path / "holdfast.toml").write_text(f'ca_file = "{authority.ca_file}"\n')
        trust(tmp_path)
        ran = holdfast("check", *FAST)
        assert server.requests.total() == 0
    assert words in ran.out


@pytest.mark.spec("TRK-4")
def test_header_fields_are_sent_to_every_cited_host(holdfast, tmp_path):
    with serving({"/": (response(b"ok"),)}) as server:
        (tmp_path / "a.md").write_text(f"<{server.base}/>\n")
        holdfast("check", *FAST, "--header", "Accept-Language: de", "--header", "accept: text/html")
        (head,) = server.heads
    assert "Accept-Language: de\r\n" in head
    assert "Accept: text/html\r\n" in head
    assert holdfast("check", *FAST, "--header", "Cookie: a=b").status == 2


@pytest.mark.spec("TRK-4")
def test_links_of_ones_own_site_are_asked_where_it_is_published(holdfast, tmp_path):
    with serving({"/guide/": (response(b"ok"),)}) as server:
        (tmp_path / "a.md").write_text("[a](/guide/) [b](/none/#x) [c](local.md) [d](//one.example/)\n")
        holdfast("check", "--no-local-links")  # what is read without a base is read anew with one
        ran = holdfast("check", *FAST, "--base-url", server.base, "--no-local-links", "--json", "--eager")
        assert server.requests == {"/guide/": 1, "/none/": 1}
    found = {url["url"].removeprefix(server.base): url["state"] for url in ran.json["urls"]}
    assert found == {"/guide": "ok", "/none": "not_found", "https://one.example/": "unchecked"}
    assert ran.status == 1


@pytest.mark.spec("TRK-2")
def test_hidden_files_and_ignored_ones_are_read_on_request(holdfast, tmp_path):
    (tmp_path / "holdfast.toml").write_text("")
    for name in (".github/a.md", "build/b.md", ".git/c.md", "node_modules/d.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"<https://host.org/{name}>\n")
    (tmp_path / ".gitignore").write_text("build\n")
    assert "host.org/" not in holdfast("check", "--dry-run").out
    assert ".github/a.md" in holdfast("check", "--dry-run", "--hidden").out
    every = holdfast("check", "--dry-run", "--hidden", "--no-ignore").out
    assert "build/b.md" in every
    assert ".git/c.md" not in every
    assert "node_modules" not in every
