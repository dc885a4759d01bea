"""What a new user gets wrong is answered in words that say what to do; and nothing is left behind by it."""

from __future__ import annotations

import socket

import pytest

pytestmark = pytest.mark.spec("STA-2")
SHARED = "work is shared through a ledger on a server and an archive in a bucket; not both are named"


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "HOLDFAST_LEDGER", "HOLDFAST_ARCHIVE"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "words.txt").write_text("no address in sight\n")
    (tmp_path / "empty.txt").write_text("")
    return tmp_path


@pytest.mark.parametrize(
    ("words", "status", "error", "hint"),
    [
        (("mirror", "words.txt"), 2, "words.txt names no URL", "a file of URLs has one a line"),
        (("mirror", "empty.txt"), 2, "empty.txt names no URL", "a file of URLs has one a line"),
        (("mirror", "ftp://e.org/"), 2, "'ftp:' cannot be mirrored: only http and https can", None),
        (
            ("serve", "."),
            2,
            "there is no .holdfast folder in {here}, above it or below it",
            "run the command",
        ),
        (("serve", "none"), 2, "none is not a folder", None),
        (
            ("store", "copy", "none", "kept"),
            3,
            "there is no ledger in none",
            "name a mirror, a checked folder",
        ),
        (
            ("store", "copy", ".", "mysql://e.org/x"),
            2,
            "mysql:// is not where a ledger can be",
            "name a store",
        ),
        (
            ("store", "copy", "sqlite://a", "b"),
            2,
            "sqlite:// is not where a ledger can be",
            "name a store",
        ),
        (
            ("log", "--runs", "--ledger", "mysql://x"),
            2,
            "the ledger's address cannot be read",
            "it looks like postgres",
        ),
        (("cluster", "worker"), 2, SHARED, "set ledger ="),
        (("cluster", "run"), 2, SHARED, "set ledger ="),
        (("cluster", "jobs"), 2, "no ledger on a server is named", "set ledger ="),
        (("cluster", "submit", "docs"), 2, "holdfast.toml has no [mirror.docs]", "make one"),
    ],
    ids=lambda part: " ".join(part) if isinstance(part, tuple) else "",
)
def test_a_first_mistake_is_said_in_a_line_and_leaves_nothing_behind(
    here, holdfast, words, status, error, hint
):
    before = sorted(here.rglob("*"))
    ran = holdfast(*words)

    assert ran.status == status, ran.err
    assert ran.err.startswith(f"error: {error.format(here=here)}\n")
    assert f"\nhint: {hint}" in ran.err if hint else "hint" not in ran.err
    assert sorted(here.rglob("*")) == before


def test_an_archive_that_is_not_a_bucket_is_said_before_keys_are_asked_for(here, holdfast, kept):
    ran = holdfast("verify", "--archive", "ftp://e.org/x", "--store", kept)

    assert ran.status == 2
    assert ran.err.startswith("error: the archive's address cannot be read\n\nhint: it looks like s3://")


def test_a_port_that_is_taken_is_said_in_a_line(here, holdfast, kept):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ran = holdfast("serve", kept, "--port", port)

    assert ran.status == 3
    assert ran.err == (
        f"error: 127.0.0.1:{port} cannot be used: Address already in use\n\nhint: --port 0 takes a free one\n"
    )


@pytest.fixture
def kept(here, holdfast):
    """A folder that was checked."""
    (here / "notes").mkdir()
    (here / "notes" / "a.md").write_text("See <https://example.com/>.\n")
    assert holdfast("check", "notes").status == 0
    return next(here.rglob(".holdfast"))
