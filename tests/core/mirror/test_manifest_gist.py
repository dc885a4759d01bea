"""What a manifest says, read a line at a time, is what it says when it is read whole (MIR-10)."""

from __future__ import annotations

import json
from hashlib import sha256

import pytest

from holdfast.core.mirror.manifest import SEAL, SEAL_END, AliasEntry, MirrorHead, PageEntry, write_manifest
from holdfast.core.mirror.manifest_gist import ManifestGist, gist_of_manifest, head_of_manifest
from holdfast.core.url.redaction import shown

HEAD = MirrorHead("tree", 1, "https", "web@1", "markdown_v1", {"links": "absolute"})


def entry(name: str) -> PageEntry:
    return PageEntry(shown(f"https://e.com/{name}"), f"e.com/{name}.md", 7, "ab", "cd", f"T {name}", "T [x],")


def manifest(names, **crawl) -> bytes:
    pages = [entry(name) for name in names]
    times = [(page.path, "2026-01-01T00:00:00Z") for page in pages]
    aliases = [AliasEntry(shown("https://e.com/old"), shown("https://e.com/a"), "redirect")]
    return b"".join(write_manifest(HEAD, pages, {"status": "finished"} | crawl, times, aliases))


def gist(data: bytes, size: int = 50) -> ManifestGist | str:
    return gist_of_manifest(lambda: [data[at : at + size] for at in range(0, len(data), size)])


def test_the_long_parts_are_left_out_and_the_seal_is_looked_at():
    found = gist(manifest(["a", "b"]))
    assert found.is_sealed
    assert found.head["pages"] == found.head["aliases"] == []
    assert found.crawl["status"] == "finished"
    assert "fetched_at" not in found.crawl
    assert found.head["layout"] == {"name": "tree", "version": 1, "scheme": "https"}


def test_how_it_is_cut_in_pieces_makes_no_difference():
    data = manifest(["a", "b"])
    assert gist(data, 1) == gist(data, 7) == gist(data, 1 << 20)


@pytest.mark.parametrize("names", [[], ["a"], ["a", "b"]])
def test_one_that_is_laid_out_in_another_way_says_the_same(names):
    data = manifest(names)
    as_written, otherwise = gist(data), gist(json.dumps(json.loads(data), indent=4).encode())
    assert (otherwise.head, otherwise.parts) == (as_written.head, as_written.parts)
    assert as_written.is_sealed
    assert not otherwise.is_sealed


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        (b'"T a"', b'"T z"', "pages"),
        (b"e.com/old", b"e.com/odd", "aliases"),
        (b"2026", b"2027", "fetched_at"),
    ],
)
def test_a_part_that_was_altered_has_another_digest(old, new, part):
    data = manifest(["a", "b"])
    before, after = gist(data), gist(data.replace(old, new))
    assert {name for name in before.parts if before.parts[name] != after.parts[name]} == {part}
    assert not after.is_sealed


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"T a"', b'"T a'),
        (b"},\n  {", b"}\n  {"),
        (b'"fetched_at": {', b'"fetched_at": ['),
        (b'"name": "tree"', b'"name": "x"'),
    ],
)
def test_what_is_not_a_manifest_is_told_as_before(old, new):
    data = manifest(["a", "b"])
    assert old in data
    assert isinstance(gist(data.replace(old, new, 1)), str)


def test_one_that_is_cut_short_is_corrupt():
    data = manifest(["a", "b"])
    assert all(isinstance(gist(data[:end]), str) for end in range(0, len(data) - 2, 13))


@pytest.mark.parametrize("alter", [lambda data: data, lambda data: json.dumps(json.loads(data)).encode()])
@pytest.mark.parametrize("names", [[], ["a", "b"]])
def test_the_head_alone_is_that_of_the_whole(names, alter):
    data = alter(manifest(names))
    assert head_of_manifest(lambda: [data]) == gist(data).head


def test_the_head_of_a_corrupt_one_says_why():
    data = manifest(["a", "b"])
    broken = data.replace(b'"T a"', b'"T a')
    assert head_of_manifest(lambda: [broken]) == gist(broken)
    assert head_of_manifest(lambda: [data[:-9]]) == gist(data[:-9])


@pytest.mark.spec("SEC-8")
@pytest.mark.parametrize("old", [b'"T a"', b'"redirect"', b'"finished"', b'"tree"'])
@pytest.mark.parametrize("new", [b"[" * 100_000, b"9" * 5_000, b"[" * 500 + b"1" + b"]" * 500])
@pytest.mark.parametrize("is_sealed", [False, True])
def test_what_is_nested_too_deeply_is_corrupt_wherever_it_stands(old, new, is_sealed):
    data = manifest(["a"]).replace(old, new)
    if is_sealed:
        begins = data.index(SEAL)
        data = data[:begins] + SEAL + sha256(data[:begins]).hexdigest().encode() + SEAL_END
    assert isinstance(gist(data), str)
    head = head_of_manifest(lambda: [data])
    assert isinstance(head, str) or (is_sealed and old in (b'"T a"', b'"redirect"'))
