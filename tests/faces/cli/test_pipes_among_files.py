"""A pipe where a file is expected keeps nobody waiting: nobody may ever write to it."""

import os
import sys

import pytest

from helpers.sites.server import Site, page
from holdfast.jobs.mirror_place import find_file

pytestmark = [
    pytest.mark.spec("SEC-8"),
    pytest.mark.skipif(sys.platform == "win32", reason="there are no pipes among files"),
]


def replace_by_pipe(path):
    path.unlink(missing_ok=True)
    os.mkfifo(path)


def test_a_pipe_among_documents_is_no_document(holdfast, tmp_path):
    (tmp_path / "a.md").write_text("<https://example.com/a>\n")
    for name in ("b.md", ".gitignore", "_manifest.json", "a.toml"):
        os.mkfifo(tmp_path / name)
    ran = holdfast("check", tmp_path)
    assert ran.status == 0
    assert "1 link in 1 document" in ran.out + ran.err


@pytest.mark.parametrize("name", ["_index.md", "_manifest.json", "_processed.txt", "[!_]*.md"])
def test_a_pipe_in_a_mirror_is_a_difference(holdfast, tmp_path, name):
    with Site({"/": page("Home", links=["/page"]), "/page": page("Page")}).serve() as origin:
        out = tmp_path / "mirror"
        words = (
            f"{origin}/",
            "-o",
            out,
            "--discover",
            "links",
            "--content-rate-limit",
            "0",
            "--allow-private",
        )
        assert holdfast("mirror", *words).status == 0
        place = next(out.rglob(name))
        replace_by_pipe(place)
        assert holdfast("verify", out).status == 1
        for again in (("restore", out), ("mirror", "--update", *words)):
            ran = holdfast(*again)
            assert ran.status in (0, 1, 3)
            assert "Traceback" not in ran.err


@pytest.mark.parametrize("name", ["ledger.db", "archive/pipe.warc.gz"])
def test_a_pipe_in_a_state_folder_is_refused(holdfast, tmp_path, name):
    (tmp_path / "a.md").write_text("<https://example.com/a>\n")
    assert holdfast("check", tmp_path).status == 0
    place = tmp_path / ".holdfast" / name
    place.parent.mkdir(exist_ok=True)
    replace_by_pipe(place)
    for command in ("check", "broken"):
        ran = holdfast(command, *([tmp_path] if command == "check" else []))
        assert ran.status == 3
        assert "neither a file nor a folder" in ran.err


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("base", ("check", ".", "--offline", "--baseline", "base")),
        ("base", ("check", ".", "--offline", "--baseline", "base", "--update-baseline")),
        ("rules.toml", ("check", ".", "--offline", "--overrides", "rules.toml")),
        ("cache", ("check", ".", "--offline", "--lychee-cache", "cache")),
        ("lychee.toml", ("config", "import", "lychee.toml")),
        (".lycheeignore", ("config", "import", ".lycheeignore")),
        ("conf.py", ("config", "import", "conf.py")),
        ("holdfast.toml", ("config", "import", "holdfast.toml")),
    ],
)
@pytest.mark.parametrize(
    "make", [replace_by_pipe, lambda path: path.symlink_to("/dev/zero")], ids=["pipe", "device"]
)
def test_what_is_no_file_is_refused_where_settings_are_read(holdfast, tmp_path, name, words, make):
    (tmp_path / "a.md").write_text("text\n")
    make(tmp_path / name)
    ran = holdfast(*words)
    assert ran.status == 2
    assert "not a file" in ran.err


@pytest.mark.parametrize("name", ["holdfast.toml", ".holdfastignore", ".gitattributes", ".url-manifest.toml"])
def test_a_pipe_by_the_name_of_a_file_of_settings_is_none(holdfast, tmp_path, name):
    (tmp_path / "a.md").write_text("text\n")
    os.mkfifo(tmp_path / name)
    assert holdfast("check", ".", "--offline", "--baseline", "base", "--update-baseline").status == 0


def test_a_pipe_in_the_place_of_a_sidecar_is_none(tmp_path):
    (tmp_path / "page.md").write_text("text\n")
    os.mkfifo(tmp_path / "page.json")
    assert find_file(tmp_path / "page.md").sidecar_url is None
