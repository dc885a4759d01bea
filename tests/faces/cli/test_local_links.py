"""`holdfast check` on links to files of one's own, without consent."""

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
    ran = holdfast("check", "--format", "json")
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
    ran = holdfast("check", "--format", form)
    assert ran.status == 1
    for code in ("HF050", "HF051", "HF052"):
        assert code in ran.out


def test_ignores_baselines_and_settings_count(holdfast, tree):
    assert holdfast("check", "--no-local-links").status == 0
    assert holdfast("check", "--baseline", "known.json", "--update-baseline").status == 0
    assert holdfast("check", "--baseline", "known.json").status == 0
    index = tree / "docs" / "index.md"
    index.write_text("# Home\n\n[b](gone.md) <!-- holdfast: ignore it comes with the build -->\n")
    ran = holdfast("check")
    assert (ran.status, ran.out) == (0, "")
    index.write_text("[b](gone.md)\n")
    assert holdfast("check", "--fail-on", "none").status == 0


def test_the_root_dir_is_a_folder_of_the_root(holdfast, tree):
    (tree / "docs" / "guide.md").write_text("[up](/index.md) [gone](/gone.md)\n")
    (tree / "docs" / "index.md").write_text("x\n")
    ran = holdfast("check", "--root-dir", "docs", "--format", "json")
    assert [url for *_, url in found(ran)] == ["/gone.md"]


def test_a_root_dir_that_is_not_there_is_named_as_the_setting_it_is(holdfast, tree):
    (tree / "holdfast.toml").write_text('root_dir = "sit"\n')
    ran = holdfast("check")
    assert ran.status == 2
    assert "root_dir: there is no folder" in ran.err
    assert "name a document" not in ran.err


def test_wiki_links_are_read_by_option(holdfast, tree):
    (tree / "docs" / "index.md").write_text("[[guide]] [[nowhere|x]] `[[code]]`\n")
    assert holdfast("check").status == 0
    ran = holdfast("check", "--wiki-links", "--format", "json")
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


@pytest.fixture
def site(tmp_path):
    """A site of DocFX: one link that is wrong, three that it may make right."""
    files = {
        "docfx.json": "{}",
        "docs/Guide.md": "# Guide\n",
        "docs/a.md": "[a](gone.md)\n[b](guide.md)\n[c](out.pdf)\n[d](#tab/x)\n\n# A\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "holdfast.toml").write_text("")
    return tmp_path


LINE = "3 links into generated pages are not judged; `--strict-local` judges them"


@pytest.mark.spec("TRK-19")
def test_what_cannot_be_judged_is_one_line_and_changes_no_exit_status(holdfast, site):
    ran = holdfast("check")
    assert (ran.status, ran.err.count("not judged")) == (1, 1)
    assert LINE in ran.err
    assert "HF051" not in ran.out
    (site / "docs" / "gone.md").write_text("# Here\n")
    assert holdfast("check", "--fail-on", "any").status == 0


@pytest.mark.spec("TRK-19")
def test_each_report_counts_what_is_not_judged(holdfast, site):
    report = json.loads(holdfast("check", "--format", "json").out)
    assert (report["summary"]["not_judged"], len(report["findings"])) == (3, 1)
    log = json.loads(holdfast("check", "--format", "sarif").out)
    assert log["runs"][0]["properties"]["notJudged"] == 3
    assert f"::notice title=local links::{LINE}" in holdfast("check", "--format", "github").out
    assert LINE in holdfast("check", "--format", "markdown").out


@pytest.mark.spec("TRK-19")
@pytest.mark.parametrize("how", ["flag", "setting"])
def test_a_strict_reading_judges_all_of_it(holdfast, site, how):
    if how == "setting":
        (site / "holdfast.toml").write_text("strict_local = true\n")
    ran = holdfast("check", "--format", "json", *(["--strict-local"] if how == "flag" else []))
    assert [line for _, _, line, _ in found(ran)] == [1, 2, 3, 4]
    assert json.loads(ran.out)["summary"]["not_judged"] == 0
    assert "not judged" not in ran.err


@pytest.mark.spec("TRK-19", "TRK-9")
def test_what_a_baseline_knows_and_nobody_judges_now_is_not_settled(holdfast, site):
    holdfast("check", "--strict-local", "--baseline", "known.json", "--update-baseline")
    ran = holdfast("check", "--baseline", "known.json")
    assert (ran.status, "settled since" in ran.err) == (0, False)


@pytest.mark.spec("TRK-19")
def test_only_what_is_certain_is_repaired(holdfast, site):
    assert "Guide.md" not in holdfast("fix", "docs").out
    assert "Guide.md" in holdfast("fix", "docs", "--strict-local").out
