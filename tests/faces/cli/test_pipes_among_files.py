"""A pipe where a file is expected keeps nobody waiting: nobody may ever write to it."""

import os
import sys

import pytest

from helpers.sites.server import Site, page

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
