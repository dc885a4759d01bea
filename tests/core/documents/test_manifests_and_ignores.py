"""Manifests in three formats, bids in metadata, ignore files against git, ignores in comments."""

from __future__ import annotations

import json
import subprocess
import tomllib
from datetime import date

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.core.base.errors import FormatError
from holdfast.core.documents.document_kinds import DocumentFormat
from holdfast.core.documents.ignore_file import is_ignored, read_ignore_file
from holdfast.core.documents.readers import read_document
from holdfast.core.findings.ignore import ignored_lines
from holdfast.core.links.url_manifest import (
    DataFormat,
    UrlAnswer,
    UrlEntry,
    UrlManifest,
    bid_in,
    read_manifest,
    read_mapping,
    write_manifest,
)

words = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
maybe = st.none() | words.filter(bool)
answers = st.builds(
    UrlAnswer,
    bid=maybe,
    content_hash=maybe,
    status_code=st.none() | st.integers(100, 999),
    fetched_at=maybe,
    content_type=maybe,
    last_modified=maybe,
    final_url=maybe,
    normalization_version=maybe,
)
entries = st.builds(
    UrlEntry,
    url=words,
    url_bid=words,
    state=words,
    documents=st.lists(words, max_size=3).map(tuple),
    link_text=maybe,
    answer=answers,
)
manifests = st.builds(
    UrlManifest, network_bid=words, urls=st.lists(entries, max_size=3, unique_by=lambda e: e.url).map(tuple)
)


@pytest.mark.spec("TRK-5")
@settings(max_examples=200, deadline=None)
@given(manifests)
def test_a_manifest_survives_the_round_trip_in_every_format(manifest):
    in_order = UrlManifest(manifest.network_bid, tuple(sorted(manifest.urls, key=lambda entry: entry.url)))
    for kind in DataFormat:
        text = write_manifest(manifest, kind)
        assert read_manifest(text, kind) == in_order
        assert write_manifest(read_manifest(text, kind), kind) == text


@pytest.mark.spec("TRK-5")
def test_other_parsers_read_the_same_and_absence_is_written_as_the_format_has_it():
    entry = UrlEntry("https://e.org/", "bid:u", "not_found", ("a.md",), answer=UrlAnswer(status_code=404))
    manifest = UrlManifest("bid:x", (entry,))
    as_toml = tomllib.loads(write_manifest(manifest, DataFormat.TOML))
    as_json = json.loads(write_manifest(manifest, DataFormat.JSON))
    as_yaml = yaml.safe_load(write_manifest(manifest, DataFormat.YAML))
    assert as_json == as_yaml
    assert as_json["version"] == "0.1"
    assert as_json["schema"] == "holdfast.url-manifest/1"
    assert as_json["urls"][0]["content_hash"] is None
    assert "content_hash" not in as_toml["urls"][0]
    present = {key: value for key, value in as_json["urls"][0].items() if value is not None}
    assert as_toml["urls"][0] == present


@pytest.mark.parametrize(
    ("kind", "text"),
    [("toml", "["), ("json", "{"), ("yaml", "a: ["), ("json", "[]"), ("toml", 'version = "9"')],
)
def test_what_is_no_manifest_is_an_error_that_names_the_place(kind, text):
    with pytest.raises(FormatError, match=r"docs/\.url-manifest"):
        read_manifest(text, DataFormat(kind), "docs/.url-manifest")


@pytest.mark.spec("TRK-3")
@pytest.mark.parametrize(
    ("value", "bid"),
    [
        ("AAAAAAAA-2222-5333-8444-555555555555", "bid:aaaaaaaa-2222-5333-8444-555555555555"),
        ("bid:doc-abc123", "bid:doc-abc123"),
        (" x ", "bid:x"),
        ("a b", None),
        ("", None),
        (7, None),
    ],
)
def test_a_bid_is_read_from_metadata(value, bid):
    assert bid_in({"bid": value}) == bid


def test_metadata_that_cannot_be_read_is_none():
    assert read_mapping("a: &x 1\nb: *x", DataFormat.YAML) is None
    assert read_mapping("- a", DataFormat.YAML) is None
    assert read_mapping("{", DataFormat.JSON) is None
    assert read_mapping("date: 2026-01-01", DataFormat.YAML) == {"date": "2026-01-01"}


PATTERNS = [
    "a",
    "/a",
    "a/",
    "*.md",
    "/b/*.md",
    "b/c",
    "**/c",
    "b/**",
    "a/**/c",
    "!a",
    "!b/c",
    "[ab].md",
    "[!a].md",
    "?",
    "\\!x",
    "x\\ ",
    "# no",
    "",
    "b/*",
    "*",
    "!*/",
    "c*",
    "/*/c",
    "a.md",
    "b/c/",
    "**",
    "[]a]",
    "[a-",
    "a\\*",
]
NAMES = ["a", "b", "c", "a.md", "b.md", "x ", "!x", "ab", "c.md", "a*"]


@pytest.mark.spec("TRK-2")
@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(PATTERNS), max_size=4), st.lists(st.sampled_from(PATTERNS), max_size=2))
def test_git_ignores_the_same_files(tmp_path_factory, top, deeper):
    root = tmp_path_factory.mktemp("tree")
    paths = [
        f"{folder}{name}"
        for folder in ("", "b/", "b/c/", "a.md/")
        for name in NAMES
        if folder or name not in ("b", "a.md")
    ]
    paths = [path for path in paths if path != "b/c"]
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("x")
    (root / ".gitignore").write_text("\n".join(top))
    (root / "b/.gitignore").write_text("\n".join(deeper))
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    listing = subprocess.run(
        ["git", "-C", str(root), "ls-files", "-co", "--exclude-standard", "-z"],
        capture_output=True,
        check=True,
    )
    kept = {name for name in listing.stdout.decode().split("\0") if name and not name.endswith(".gitignore")}
    patterns = {"": read_ignore_file("\n".join(top), ""), "b": read_ignore_file("\n".join(deeper), "b")}
    assert {path for path in paths if not _ignored(path, patterns)} == kept


def _ignored(path, by_folder):
    parts = path.split("/")
    patterns = by_folder[""]
    for depth in range(1, len(parts) + 1):
        if is_ignored("/".join(parts[:depth]), patterns, is_folder=depth < len(parts)):
            return True
        patterns += by_folder.get("/".join(parts[:depth]), ()) if depth < len(parts) else ()
    return False


TODAY = date(2026, 6, 1)


def lines_ignored(text, kind=DocumentFormat.MARKDOWN):
    reading = read_document(text.encode(), kind)
    return [m.span.line for m in reading.mentions if ignored_lines(reading.ignores, TODAY)(m.span.line)]


@pytest.mark.spec("TRK-2")
@pytest.mark.parametrize(
    ("text", "kind", "lines"),
    [
        (
            "<https://e.org/1> <!-- holdfast: ignore known -->\n\n<https://e.org/2>",
            DocumentFormat.MARKDOWN,
            [1],
        ),
        (
            "<!-- holdfast: ignore known -->\n\n<https://e.org/1>\n\n<https://e.org/2>",
            DocumentFormat.MARKDOWN,
            [3],
        ),
        (
            "<https://e.org/1> <!-- holdfast: ignore-next known -->\n<https://e.org/2>",
            DocumentFormat.MARKDOWN,
            [2],
        ),
        (
            (
                "<https://e.org/1>\n\n<!-- holdfast: ignore-start x -->\n\n<https://e.org/2>\n\n"
                "<!-- holdfast: ignore-end -->\n\n<https://e.org/3>"
            ),
            DocumentFormat.MARKDOWN,
            [5],
        ),
        ("<https://e.org/1>\n\n<!-- holdfast: ignore-file all dead -->\n", DocumentFormat.MARKDOWN, [1]),
        ("<https://e.org/1> <!-- holdfast: ignore until 2026-06-01 soon -->", DocumentFormat.MARKDOWN, [1]),
        ("<https://e.org/1> <!-- holdfast: ignore until 2026-05-31 soon -->", DocumentFormat.MARKDOWN, []),
        ("<https://e.org/1> <!-- holdfast: ignore -->", DocumentFormat.MARKDOWN, []),
        ("`<!-- holdfast: ignore-file no -->` <https://e.org/1>", DocumentFormat.MARKDOWN, []),
        (".. holdfast: ignore known\n\nhttps://e.org/1\n\nhttps://e.org/2", DocumentFormat.RST, [3]),
        ("// holdfast: ignore known\nhttps://e.org/1\nhttps://e.org/2", DocumentFormat.ASCIIDOC, [2]),
        ("<!-- holdfast: ignore known -->\n<a href=https://e.org/1>", DocumentFormat.HTML, [2]),
        ("https://e.org/1 # holdfast: ignore known\nhttps://e.org/2", DocumentFormat.TEXT, [1]),
        ("# holdfast: ignore known\nhttps://e.org/1\n", DocumentFormat.TEXT, [2]),
    ],
)
def test_an_ignore_covers_its_lines(text, kind, lines):
    assert lines_ignored(text, kind) == lines


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<!-- holdfast: ignore -->", "needs a reason"),
        ("<!-- holdfast: ignore until soon x -->", "not a date"),
        ("<!-- holdfast: ignore-all x -->", "no ignore-all"),
        ("<!-- holdfast: ignore-end -->", "without ignore-start"),
        ("<!-- holdfast: ignore-start x -->", "without ignore-end"),
    ],
)
def test_an_ignore_that_is_not_understood_is_reported(text, message):
    (problem,) = read_document(text.encode(), DocumentFormat.MARKDOWN).problems
    assert message in problem.message
