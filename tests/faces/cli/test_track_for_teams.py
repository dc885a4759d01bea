"""`holdfast check` in a repository of many: formats, baselines, changes, sections, repairs, copies."""

import json

import pytest
from jsonschema import Draft202012Validator

from core.findings.report_schemas import FINDING, REPORT, SARIF, check_junit, published
from helpers.faults.server import response
from helpers.repository import Repository
from helpers.served import serving
from holdfast.core.documents.document_kinds import SUFFIXES, format_of
from holdfast.core.documents.readers import read_links
from holdfast.core.findings.report_lines import FORMATS

pytestmark = pytest.mark.spec("TRK-9")

FAST = ("--fetch-urls", "--allow-private", "--content-rate-limit", "0")
DEAD = (response(b"", "404 Not Found"),)


def page(*sections, title="Title"):
    parts = [f'<h2 id="{name}">{name}</h2><p>{words}</p>' for name, words in sections]
    html = f"<!doctype html><title>{title}</title><body><main><h1>Page</h1>{''.join(parts)}</main></body>"
    return (response(html.encode(), "200 OK", "Content-Type: text/html; charset=utf-8"),)


def moved_to(place, status="301 Moved Permanently"):
    return (response(b"", status, f"Location: {place}"),)


LONG = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen"


@pytest.fixture
def write(tmp_path):
    def write(name, text):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    return write


def test_every_format_is_valid_and_names_the_dead_link(holdfast, write):
    with serving({"/dead": DEAD, "/ok": page(("a", LONG))}) as server:
        write("docs/a.md", f"[x]({server.base}/dead) [y]({server.base}/ok#gone)\n")
        holdfast("check", *FAST)
        told = {}
        for name in FORMATS:
            ran = holdfast("check", *FAST, "--format", name)
            assert ran.status == 1, ran.err
            told[name] = ran.out
            assert f"{server.base}/dead" in ran.out, name
    for schema, text in ((REPORT, told["json"]), (SARIF, told["sarif"])):
        assert not list(Draft202012Validator(schema).iter_errors(json.loads(text)))
    for line in told["jsonl"].splitlines():
        assert not list(Draft202012Validator(FINDING).iter_errors(json.loads(line)))
    assert sum(case.find("failure") is not None for case in check_junit(told["junit"])) == 1
    assert told["github"].startswith("::error file=docs/a.md,line=1,col=5,title=HF001 not-found::")
    assert "docs/a.md:1:5: error: HF001 " in told["text"]
    assert "## Errors (1)" in told["markdown"]
    codes = [finding["code"] for finding in json.loads(told["json"])["findings"]]
    assert codes == ["HF001", "HF010"]


def test_only_newly_dead_links_fail_a_build_and_what_is_fine_again_is_settled(holdfast, write, tmp_path):
    scripts = {"/old": DEAD, "/new": page(("a", LONG)), "/back": DEAD}
    with serving(scripts) as server:
        write("a.md", f"<{server.base}/old> <{server.base}/new> <{server.base}/back>\n")
        holdfast("check", *FAST)
        assert holdfast("check", *FAST).status == 1
        made = holdfast("check", *FAST, "--baseline", "known.txt", "--update-baseline")
        assert made.status == 0
        assert "merge=union" in made.err
        text = (tmp_path / "known.txt").read_text()
        assert text == f"# holdfast baseline 1\ndead {server.base}/back\ndead {server.base}/old\n"
        assert holdfast("check", *FAST, "--baseline", "known.txt").status == 0
        scripts["/new"], scripts["/back"] = DEAD, page(("a", LONG))
        holdfast("check", *FAST, "--force-refetch")
        ran = holdfast("check", *FAST, "--force-refetch", "--baseline", "known.txt")
        assert ran.status == 1
        assert f"error: HF001 {server.base}/new: " in ran.out
        assert ran.out.count("HF001") == 1
        assert "1 known, 1 settled" in ran.err
        assert "--update-baseline takes them out" in ran.err
        holdfast("check", "--offline", "--baseline", "known.txt", "--update-baseline")
        assert f"{server.base}/back" not in (tmp_path / "known.txt").read_text()


def test_a_machine_that_knows_nothing_yet_settles_nothing(holdfast, write, tmp_path):
    """A fresh clone in CI: no ledger, nothing asked. The baseline must survive `--update-baseline` there."""
    write("a.md", "<https://example.com/x>\n")
    write("known.txt", "# holdfast baseline 1\ndead https://example.com/x\n")
    ran = holdfast("check", "--baseline", "known.txt", "--update-baseline")

    assert ran.status == 0
    assert (tmp_path / "known.txt").read_text() == "# holdfast baseline 1\ndead https://example.com/x\n"


def test_a_part_of_the_documents_settles_nothing_that_only_others_cite(holdfast, write, tmp_path):
    write("a/a.md", "words\n")
    write("b/b.md", "<https://example.com/x>\n")
    write("holdfast.toml", "")
    write("known.txt", "dead https://example.com/x\ndead https://example.com/uncited\n")
    holdfast("check", "a", "--baseline", "known.txt", "--update-baseline")

    assert "https://example.com/uncited" in (tmp_path / "known.txt").read_text()
    holdfast("check", "--baseline", "known.txt", "--update-baseline")
    assert (tmp_path / "known.txt").read_text() == "# holdfast baseline 1\ndead https://example.com/x\n"


def test_fail_on_says_otherwise(holdfast, write):
    with serving({"/dead": DEAD, "/ok": page(("a", LONG)), "/m": moved_to("/ok")}) as server:
        write("a.md", f"<{server.base}/dead> <{server.base}/ok#gone> <{server.base}/m>\n")
        first = holdfast("check", *FAST)
        assert first.status == 0
        for words, status in (
            ("suspect", 1), ("fragment", 1), ("moved", 1), ("changed", 0), ("HF001", 1), ("none", 0),
        ):  # fmt: skip
            assert holdfast("check", "--offline", "--fail-on", words).status == status, words
        wrong = holdfast("check", "--offline", "--fail-on", "deaf")
    assert wrong.status == 2
    assert "suspect: links that failed" in wrong.err


def test_messages_about_baselines_say_what_to_do(holdfast, write):
    write("a.md", "x\n")
    missing = holdfast("check", "--baseline", "no.txt")
    assert missing.status == 2
    assert "add --update-baseline" in missing.err
    unnamed = holdfast("check", "--update-baseline")
    assert unnamed.status == 2
    assert "--baseline FILE" in unnamed.err
    write("torn.txt", "dead https://a.example/\n=======\n")
    torn = holdfast("check", "--baseline", "torn.txt")
    assert torn.status == 3
    assert "line 2 is the mark of a merge conflict" in torn.err


def test_a_baseline_in_the_settings_file_is_found_from_below(holdfast, write, tmp_path, monkeypatch):
    write("holdfast.toml", 'baseline = "known.txt"\n')
    write("docs/a.md", "<https://example.com/>\n")
    write("known.txt", "dead https://example.com/gone\n")
    monkeypatch.chdir(tmp_path / "docs")

    assert "1 settled" in holdfast("check", "..").err


def test_a_secret_in_a_query_is_in_no_report_and_no_baseline(holdfast, write, tmp_path):
    with serving({"/dead": DEAD}) as server:
        write("a.md", f"<{server.base}/dead?token=hunter2>\n")
        holdfast("check", *FAST)
        for name in FORMATS:
            ran = holdfast("check", *FAST, "--format", name, "--baseline", "b.txt", "--update-baseline")
            assert "hunter2" not in ran.out + ran.err
        assert holdfast("check", *FAST, "--baseline", "b.txt").status == 0
    assert "token=[redacted]" in (tmp_path / "b.txt").read_text()
    assert "hunter2" not in (tmp_path / "b.txt").read_text()


def test_since_asks_and_reports_only_what_a_change_touched_and_the_graph_stays_whole(tmp_path, holdfast):
    with serving({"/old": DEAD, "/new": DEAD, "/moved-line": DEAD, "/ref": DEAD}) as server:
        repo = Repository(tmp_path / "repo")
        repo.write(
            "a.md", f"# A\n\n<{server.base}/old>\n\n<{server.base}/moved-line>\n\n[r]: {server.base}/ref\n"
        )
        repo.commit()
        repo.git("checkout", "-q", "-b", "change")
        text = repo.read("a.md").replace("# A\n", "# A\n\nAn added line.\n")
        repo.write("a.md", text + f"\n<{server.base}/new> and [r]\n")
        repo.commit()
        repo.write("docs/untracked.md", f"<{server.base}/old>\n")
        for _ in range(2):
            ran = repo.holdfast("check", "--fetch-urls", "--changed-since", "main", "--format", "json")
        assert ran.returncode == 1, ran.stderr
        found = [
            (f["document"], f["url"].removeprefix(server.base)) for f in json.loads(ran.stdout)["findings"]
        ]
        assert found == [("a.md", "/ref"), ("a.md", "/new"), ("docs/untracked.md", "/old")]
        assert set(server.requests) == {"/ref", "/new", "/old"}
        links = json.loads(repo.holdfast("links", "a.md", "--json").stdout)
        assert len(links["links"]) == 4
        wrong = repo.holdfast("check", "--changed-since", "nowhere")
        assert wrong.returncode == 2
        assert "there is no such revision" in wrong.stderr


@pytest.mark.spec("TRK-6", "TRK-7")
def test_a_change_elsewhere_is_told_from_a_change_of_what_was_cited(holdfast, write):
    scripts = {"/p": page(("a", LONG), ("b", "other words entirely"))}
    with serving(scripts) as server:
        write(
            "a.md",
            f"<{server.base}/p#a> <{server.base}/p#b> <{server.base}/p> <{server.base}/p#:~:text=three>\n",
        )
        holdfast("check", *FAST)
        scripts["/p"] = page(("a", LONG), ("b", "new words at last"), title="New")
        assert holdfast("check", *FAST, "--force-refetch", "--fail-on", "changed").status == 0
        ran = holdfast("check", *FAST, "--force-refetch", "--format", "json", "--fail-on", "HF011")
        assert ran.status == 1
        found = {f["url"].removeprefix(server.base): f for f in ran.json["findings"]}
        assert {url: finding["code"] for url, finding in found.items()} == {
            "/p": "HF012",
            "/p#a": "HF012",
            "/p#b": "HF011",
            "/p#:~:text=three": "HF012",
        }
        drift = found["/p"]["drift"]
        assert 0 < drift["amount"] < 1
        assert drift["title_changed"]
        assert "but not in the section #a" in found["/p#a"]["message"]
        again = holdfast("check", *FAST, "--force-refetch", "--format", "json")
        assert again.json["findings"] == []
        changed = holdfast("changed", "--json").json["changes"]
        assert changed[0]["sections"] == {":~:text=three": "same", "a": "same", "b": "changed"}
        assert changed[0]["drift"] == drift
        assert holdfast("changed", "--min-drift", drift["amount"]).out
        assert holdfast("changed", "--min-drift", drift["amount"] + 0.01).out == ""


@pytest.mark.spec("TRK-6", "TRK-7")
def test_a_change_that_a_304_confirms_is_judged_by_what_was_seen(holdfast, write):
    """The second look at changed content may bring no body at all."""

    def versioned(script, tag):
        return (script[0].replace(b"200 OK\r\n", b"200 OK\r\nETag: " + tag + b"\r\n", 1),)

    old, new = page(("a", LONG), ("b", "old")), page(("a", LONG), ("b", "new"))
    scripts = {"/p": [versioned(old, b'"1"'), versioned(new, b'"2"'), (response(b"", "304 Not Modified"),)]}
    with serving(scripts) as server:
        write("a.md", f"<{server.base}/p#a> <{server.base}/p#b>\n")
        for _ in range(3):
            ran = holdfast("check", *FAST, "--max-age", "0h", "--format", "jsonl")
    assert [(line["code"], line["url"][-2:]) for line in ran.json_lines] == [("HF012", "#a"), ("HF011", "#b")]
    assert ran.json_lines[0]["drift"]["amount"] > 0


def test_ignores_that_match_nothing_or_expired_are_reported_at_every_run(holdfast, write):
    write(".holdfastignore", "drafts/\nnever-there/\n")
    write("holdfast.toml", 'skip_hosts = ["gone.example"]\nskip_urls = ["/private/"]\n')
    write("drafts/x.md", "<https://example.com/>\n")
    write("a.md", "<!-- holdfast: ignore it is down -->\nno link here\n\n<https://example.com/private/x>\n")
    for _ in range(2):
        ran = holdfast("check", "--fail-on", "ignore")
        assert ran.status == 1
        assert [line.partition("warning: ")[2] for line in ran.lines] == [
            "HF041 never-there/ matches no document",
            "HF041 an ignore covers no link: it is down",
            "HF041 skip_hosts has gone.example, and nothing that is cited matches it",
        ]


DOCUMENTS = {
    "a.md": "[x]({OLD}?utm_source=m&a=1) <{OLD}>\n\n[r]: {OLD}#part\n\n[r] `{OLD}`\r\n\u00e9 [k]({KEEP})",
    "b.html": "<p>{OLD}</p><a href='{OLD}'>x</a> <a href=\"{KEEP}?b=1&amp;utm_source=c\">y</a>\n",
    "c.rst": "`x <{OLD}>`_ and {OLD}.\n\n::\n\n    {OLD}\n",
    "d.adoc": "{OLD}[x] and link:{OLD}#part[y]\n\n----\n{OLD}\n----\n",
    "e.ipynb": '{"cells": [{"cell_type": "markdown", "metadata": {}, "source": ["[x]({OLD}) \\u00e9"]}, '
    '{"cell_type": "code", "metadata": {}, "outputs": [], "source": ["{OLD}"]}], "metadata": {}, '
    '"nbformat": 4, "nbformat_minor": 5}',
    "f.txt": "See {OLD}, or <{OLD}?utm_source=x>.",
    "g.mdx": "import x from '{OLD}'\n\n<Card href=\"{OLD}\">\n  [x]({OLD}?utm_source=x)\n</Card>\n",
}


def test_fix_changes_only_spans_in_every_format_and_a_second_run_changes_nothing(holdfast, write, tmp_path):
    with serving(
        {"/old": moved_to("/new"), "/new": page(("part", LONG)), "/keep": page(("a", LONG))}
    ) as server:
        old, new, keep = (f"{server.base}/{name}" for name in ("old", "new", "keep"))
        for name, text in DOCUMENTS.items():
            write(name, text.replace("{OLD}", old).replace("{KEEP}", keep))
        before = {name: (tmp_path / name).read_bytes() for name in DOCUMENTS}
        holdfast("check", *FAST)
        once = holdfast("fix", "--only", "redirect")
        assert once.status == 0
        assert "the redirect was seen once; `holdfast fix --fetch-urls` looks again" in once.err
        assert holdfast("fix", *FAST, "--only", "redirect").status == 1, "as the hint says"
        shown = holdfast("fix")
        assert shown.status == 1
        assert {name: (tmp_path / name).read_bytes() for name in DOCUMENTS} == before
        document = holdfast("fix", "--json")
        assert not list(Draft202012Validator(published("fix-1.json")).iter_errors(document.json))
        assert holdfast("fix", "--write").status == 0
        for name, bytes_before in before.items():
            kind = format_of(name)
            expected, at = b"", 0
            for mention in sorted({m.span: m for m in read_links(bytes_before, kind)}.items()):
                span, raw = mention[0], mention[1].raw
                if raw.startswith(old) or "utm_source" in raw:
                    after = (raw.replace(old, new) if raw.startswith(old) else raw).replace(
                        "?utm_source=m&a=1", ""
                    )
                    after = after.replace("?utm_source=x", "").replace("&utm_source=c", "")
                    expected += bytes_before[at : span.start] + after.encode()
                    at = span.end
            assert (tmp_path / name).read_bytes() == expected + bytes_before[at:], name
        diff = Repository(tmp_path / "apply")
        for name, data in before.items():
            (tmp_path / "apply" / name).write_bytes(data)
        (tmp_path / "fix.diff").write_bytes(shown.out.encode("utf-8", "surrogateescape"))
        diff.git("apply", "../fix.diff")
        for name in DOCUMENTS:
            assert (tmp_path / "apply" / name).read_bytes() == (tmp_path / name).read_bytes()
        mended = {name: (tmp_path / name).read_bytes() for name in DOCUMENTS}
        again = holdfast("fix", "--write")
        assert "0 links mended" in again.err
        assert {name: (tmp_path / name).read_bytes() for name in DOCUMENTS} == mended
        assert {format_of(name) for name in DOCUMENTS} == set(SUFFIXES.values())


def test_a_mended_file_keeps_its_mode(holdfast, write, tmp_path):
    write("a.md", "<https://example.com/?utm_source=x>\n")
    (tmp_path / "a.md").chmod(0o600)
    assert holdfast("fix", "--write").status == 0
    assert (tmp_path / "a.md").read_text() == "<https://example.com/>\n"
    assert (tmp_path / "a.md").stat().st_mode & 0o777 == 0o600


def test_show_with_a_fragment_shows_that_section_of_the_copy(holdfast, write):
    whole = "# Page\n\n## a\n\nFirst words.\n\n## b\n\nOther words.\n"
    with serving({"/p": page(("a", "First words."), ("b", "Other words."))}) as server:
        write("a.md", f"<{server.base}/p>\n")
        holdfast("check", *FAST)
        url = f"{server.base}/p"
    assert holdfast("show", f"{url}#b").out == "## b\n\nOther words.\n"
    assert holdfast("show", f"{url}#%62").out == "## b\n\nOther words.\n"
    assert holdfast("show", f"{url}#b", "--format", "text").out == "b Other words.\n"
    for fragment in ("", "top", "L12", ":~:text=Other"):
        shown = holdfast("show", f"{url}#{fragment}")
        assert shown.out == whole
        assert "no section" not in shown.err
    gone = holdfast("show", f"{url}#gone")
    assert (gone.status, gone.out) == (1, "")
    assert "the page has no section 'gone'" in gone.err
    assert "it has: page, a, b" in gone.err


def test_a_dead_link_comes_with_the_copy_that_was_kept_and_show_opens_it(holdfast, write):
    scripts = {"/p": page(("a", "Kept words."))}
    with serving(scripts) as server:
        write("a.md", f"<{server.base}/p>\n")
        holdfast("check", *FAST)
        scripts["/p"] = DEAD
        for _ in range(2):
            ran = holdfast("check", *FAST, "--force-refetch", "--format", "jsonl")
        command = ran.json_lines[0]["suggestion"]["text"].split()
    assert command[:3] == ["holdfast", "show", f"{server.base}/p"]
    shown = holdfast(*command[1:])
    assert shown.status == 0
    assert shown.out == "# Page\n\n## a\n\nKept words.\n"
    assert "Kept words" in holdfast("show", f"{server.base}/p", "--format", "raw").out
    document = holdfast("show", f"{server.base}/p", "--json").json
    assert not list(Draft202012Validator(published("show-1.json")).iter_errors(document))
    early = holdfast("show", f"{server.base}/p", "--at", "2020-01-01")
    assert early.status == 1
    assert "the first one is of" in early.err
    assert holdfast("show", "https://example.com/never").status == 1
    assert holdfast("show", f"{server.base}/p", "--at", "soon").status == 2
