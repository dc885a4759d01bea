"""`holdfast track` on links to files of one's own, without consent."""

import json
import socket

import pytest

pytestmark = pytest.mark.spec("TRK-11")

FILES = {
    "docs/index.md": "# Home\n\n[a](guide.md) [b](gone.md)\n![i](Logo.png)\n[c](guide.md#instal)\n"
    "[d](guide.md#install)\n",
    "docs/guide.md": "# Guide\n\n## Install\n\n[up](/docs/index.md) [w](<{{ x }}>)\n",
    "docs/logo.png": "",
}


@pytest.fixture
def tree(tmp_path):
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    (tmp_path / "holdfast.toml").write_text("")
    return tmp_path


def found(ran):
    return [(f["code"], f["document"], f["span"]["line"], f["url"]) for f in json.loads(ran.out)["findings"]]


def test_files_names_and_headings_are_checked_without_a_socket(holdfast, tree, monkeypatch):
    def forbidden(*_, **__):
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", forbidden)
    ran = holdfast("track", "--format", "json")
    assert ran.status == 1
    assert found(ran) == [
        ("HF050", "docs/index.md", 3, "gone.md"),
        ("HF051", "docs/index.md", 4, "Logo.png"),
        ("HF052", "docs/index.md", 5, "guide.md#instal"),
    ]
    suggestions = [f["suggestion"] and f["suggestion"]["text"] for f in json.loads(ran.out)["findings"]]
    assert suggestions == [None, "logo.png", "guide.md#install"]


@pytest.mark.parametrize("form", ["text", "jsonl", "junit", "sarif", "github", "markdown"])
def test_every_report_has_them(holdfast, tree, form):
    ran = holdfast("track", "--format", form)
    assert ran.status == 1
    for code in ("HF050", "HF051", "HF052"):
        assert code in ran.out


def test_ignores_baselines_and_settings_count(holdfast, tree):
    assert holdfast("track", "--no-local-links").status == 0
    assert holdfast("track", "--baseline", "known.json", "--update-baseline").status == 0
    assert holdfast("track", "--baseline", "known.json").status == 0
    index = tree / "docs" / "index.md"
    index.write_text("# Home\n\n[b](gone.md) <!-- holdfast: ignore it comes with the build -->\n")
    ran = holdfast("track")
    assert (ran.status, ran.out) == (0, "")
    index.write_text("[b](gone.md)\n")
    assert holdfast("track", "--fail-on", "none").status == 0


def test_the_root_dir_is_a_folder_of_the_root(holdfast, tree):
    (tree / "docs" / "guide.md").write_text("[up](/index.md) [gone](/gone.md)\n")
    (tree / "docs" / "index.md").write_text("x\n")
    ran = holdfast("track", "--root-dir", "docs", "--format", "json")
    assert [url for *_, url in found(ran)] == ["/gone.md"]


def test_a_root_dir_that_is_not_there_is_named_as_the_setting_it_is(holdfast, tree):
    (tree / "holdfast.toml").write_text('root_dir = "sit"\n')
    ran = holdfast("track")
    assert ran.status == 2
    assert "root_dir: there is no folder" in ran.err
    assert "name a document" not in ran.err


def test_wiki_links_are_read_by_option(holdfast, tree):
    (tree / "docs" / "index.md").write_text("[[guide]] [[nowhere|x]] `[[code]]`\n")
    assert holdfast("track").status == 0
    ran = holdfast("track", "--wiki-links", "--format", "json")
    assert [(code, url) for code, _, _, url in found(ran)] == [("HF050", "[[nowhere]]")]


def test_fix_writes_names_as_they_are_and_guesses_only_on_request(holdfast, tree):
    (tree / "docs" / "sub").mkdir()
    (tree / "docs" / "sub" / "moved.md").write_text("# X\n")
    index = tree / "docs" / "index.md"
    index.write_text("![i](Logo.png) [m](moved.md#x) [c](guide.md#instal) [g](gone.md)\n")
    assert holdfast("fix").status == 1
    ran = holdfast("fix", "--write")
    assert "guide.md#install is meant" in ran.err
    assert index.read_text() == "![i](logo.png) [m](sub/moved.md#x) [c](guide.md#instal) [g](gone.md)\n"
    assert holdfast("fix", "--only", "anchor", "--write").status == 0
    assert "[c](guide.md#install)" in index.read_text()
