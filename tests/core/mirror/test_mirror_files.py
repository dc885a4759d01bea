"""The files a mirror consists of, beside its pages."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.core.base.shown_text import harmless_json
from holdfast.core.mirror.checkpoint import (
    Checkpoint,
    Corrupt,
    Progress,
    progress_flaw,
    read_processed,
    write_progress,
)
from holdfast.core.mirror.index import index_row, write_index
from holdfast.core.mirror.manifest import MirrorHead, PageEntry, read_manifest, write_manifest
from holdfast.core.page.fragment import section_hash
from holdfast.core.page.section import KeptSection, SectionPlace, section_id
from holdfast.core.page.sidecar import (
    LastFetch,
    PageWords,
    Sidecar,
    front_matter,
    read_sections,
    write_outline,
    write_sidecar,
)
from holdfast.core.url.compiled import canonicalize
from holdfast.core.url.layout import Layout
from holdfast.core.url.name_plan import NamePlan
from holdfast.core.url.policy import POLICIES

HEAD = MirrorHead("tree", 1, "https", "http_snapshot_siteurl_v1_text_v1", "1")


@given(st.text(), st.none() | st.text(), st.lists(st.text(), max_size=3).map(tuple))
def test_the_sidecar_is_the_json_that_the_library_would_write(title, etag, warnings):
    sidecar = Sidecar(
        "h", "c", "s", "u", 1, "n", "m", PageWords(title, warnings=warnings), LastFetch("f", 200, etag), etag
    )
    document = {"schema": "holdfast.sidecar/1", **sidecar.fields(), "sections": []}
    text = json.dumps(document, ensure_ascii=False, indent=2)
    assert write_sidecar(sidecar) == (harmless_json(text) + "\n").encode()


@given(
    st.lists(
        st.lists(st.sampled_from(["},\n{", "}, {", ",\n", "\0", '"', "],[", "é", "a", '{"id": "'])).map(
            "".join
        )
    )
)
def test_every_section_has_a_line_whatever_it_says(words):
    sections = [
        (KeptSection(word, (word, "b"), word or None, "prose", "hash"), SectionPlace(1, ((1, 2), (3, 4))))
        for word in words
    ]
    text = write_sidecar(replace(SIDECAR, page=PageWords("T", outline=write_outline(sections)))).decode()
    lines = text.partition('"sections": [\n')[2].splitlines()[:-2]
    found = [json.loads(line.strip().removesuffix(",")) for line in lines]
    assert [section["path"] for section in found] == [[word, "b"] for word in words]
    assert [section["id"] for section in found] == [section_id("a" * 64, word) for word in words]
    assert lines == [f"    {json.dumps(section, ensure_ascii=False)}," for section in found[:-1]] + [
        f"    {json.dumps(section, ensure_ascii=False)}" for section in found[-1:]
    ]


@pytest.mark.spec("SCT-1")
def test_the_sidecar_has_the_sections_and_they_are_read_back():
    section = KeptSection("x", ("Page", "X"), "a.x", "api", section_hash("words"))
    first = KeptSection("", (), None, "prose", section_hash(""))
    placed = ((first, SectionPlace(0, ())), (section, SectionPlace(2, ((3, 9), (12, 14)))))
    document = json.loads(
        write_sidecar(replace(SIDECAR, page=PageWords("T", "T | S", "en", (), write_outline(placed))))
    )
    assert [each["id"] for each in document["sections"]] == ["a" * 64, "a" * 64 + "#x"]
    assert document["sections"][1] | {"id": ""} == {
        "id": "",
        "path": ["Page", "X"],
        "level": 2,
        "kind": "api",
        "name": "a.x",
        "hash": section_hash("words"),
        "bytes": [[3, 9], [12, 14]],
    }
    assert (document["language"], document["full_title"]) == ("en", "T | S")
    assert read_sections(document, "a" * 64) == (first, section)
    for broken in ({"sections": [{"id": 1}]}, {"sections": [5]}, {"sections": 7}, {}):
        assert read_sections(broken, "a" * 64) == ()


@pytest.mark.spec("MIR-5")
def test_a_torn_last_line_does_not_count():
    found = read_processed([b"https://e.com/a\nhttps:", b"//e.com/\xc3"])
    assert isinstance(found, Checkpoint)
    assert "https://e.com/a" in found.urls
    assert (len(found.urls), found.whole) == (1, 16)
    for data in (b"https://e.com/a", b""):
        found = read_processed([data])
        assert isinstance(found, Checkpoint)
        assert (len(found.urls), found.whole) == (0, 0)


@pytest.mark.spec("MIR-5")
@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"https://e.com/a\nhttps://e.com/\xff\n", "UTF-8"),
        (b"https://e.com/a\n\x00\x00", "NUL"),
        (b'{"processed": []}\n', "line 1"),
    ],
)
def test_a_corrupt_checkpoint_is_known_as_such(data, why):
    corrupt = read_processed([data])
    assert isinstance(corrupt, Corrupt)
    assert why in corrupt.why


@pytest.mark.spec("MIR-9")
def test_progress_has_the_four_fields_and_is_checked_when_read():
    data = write_progress(Progress(processed=100, total=300, fresh=100, elapsed=50.0))
    document = json.loads(data)
    assert {k: document[k] for k in ("processed", "total", "elapsed_sec", "eta_sec")} == {
        "processed": 100,
        "total": 300,
        "elapsed_sec": 50.0,
        "eta_sec": 100.0,
    }
    assert progress_flaw(data) is None
    assert progress_flaw(data[:-9]) is not None
    assert progress_flaw(b"[]") == "no JSON object"
    assert "total" in progress_flaw(b'{"processed": 1}')


def page(url, path):
    return PageEntry(url, path, 5, "f" * 64, "c" * 64, "T", "T | S")


@pytest.mark.spec("MIR-10")
@pytest.mark.parametrize("count", [0, 1, 3])
def test_the_manifest_is_json_with_times_in_crawl_alone(count):
    pages = [page(f"https://e.com/{n}", f"e.com/{n}/index.md") for n in range(count)]
    times = [(p.path, "2024-05-01T00:00:00Z") for p in pages]
    data = b"".join(write_manifest(HEAD, pages, {"status": "finished"}, times))
    document = read_manifest(data)
    assert [p["path"] for p in document["pages"]] == [p.path for p in pages]
    assert document["crawl"]["fetched_at"] == dict(times)
    assert document["layout"] == {"name": "tree", "version": 1, "scheme": "https"}
    without = {k: v for k, v in document.items() if k != "crawl"}
    assert "2024" not in json.dumps(without)


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"{}", b'{"pages": []}', b"\xff"])
def test_a_corrupt_manifest_says_why(data):
    assert isinstance(read_manifest(data), str)


def test_the_index_is_nested_by_path_and_escapes_titles():
    pages = [
        ("https://e.com/", "e.com/index.md", "Home"),
        ("https://e.com/api/users", "e.com/api/users/index.md", "Users [beta] *new*"),
        ("https://e.com/api/users?page=2", "e.com/api/users__q_00000000.md", "Users"),
        ("https://e.com/api", "e.com/api/index.md", ""),
        ("https://e.com/x%20y", "e.com/x%20y/index.md", "A\nB"),
        ("https://f.com:8080/a/b", "f.com_8080/a/b/index.md", "Deep"),
    ]
    text = b"".join(write_index(sorted(index_row(*page) for page in pages))).decode()
    assert text == (
        "# Index\n"
        "\n## e.com\n\n"
        "- [Home](e.com/index.md)\n"
        "- [api](e.com/api/index.md)\n"
        "  - [Users \\[beta\\] \\*new\\*](e.com/api/users/index.md)\n"
        "    - [Users](e.com/api/users__q_00000000.md) (?page=2)\n"
        "- [A B](e.com/x%2520y/index.md)\n"
        "\n## f.com:8080\n\n"
        "- a/\n"
        "  - [Deep](f.com_8080/a/b/index.md)\n"
    )


SIDECAR = Sidecar(
    url_hash="a" * 64,
    content_hash="b" * 64,
    source_url="https://e.com/a/",
    canonical_url="https://e.com/a",
    crawl_depth=2,
    normalization_version="http_snapshot_siteurl_v1_text_v1",
    markdown_version="1",
    page=PageWords('Say "hi": \x85now'),
    fetch=LastFetch("2024-05-01T00:00:00Z", 200, '"x"'),
)


@pytest.mark.spec("PATH-9")
def test_the_sidecar_has_every_field_of_the_contract():
    document = json.loads(write_sidecar(SIDECAR))
    assert document["schema"] == "holdfast.sidecar/1"
    assert [k for k in document if k != "schema"] == [
        "url_hash", "content_hash", "source_url", "canonical_url", "crawl_depth", "title",
        "normalization_version", "markdown_version", "fetched_at", "status_code", "etag", "last_modified",
        "warnings", "sections",
    ]  # fmt: skip


@pytest.mark.spec("PATH-9")
def test_front_matter_holds_only_what_does_not_move():
    text = front_matter(SIDECAR)
    assert text.startswith("---\nurl_hash: ")
    assert text.endswith("\n---\n\n")
    assert 'title: "Say \\"hi\\": \\x85now"' in text
    for moving in ("fetched_at", "etag", "last_modified", "status_code", "crawl_depth"):
        assert moving not in text


@pytest.mark.parametrize(
    "layout", ['{"name": "zzz"}', '{"name": []}', '{"name": "tree", "scheme": "gopher"}', '"tree"', "null"]
)
def test_a_manifest_of_an_unknown_layout_is_corrupt(layout):
    assert isinstance(read_manifest(b'{"pages": [], "layout": ' + layout.encode() + b"}"), str)


def test_a_manifest_that_is_nested_without_end_is_corrupt():
    assert isinstance(read_manifest(b"[" * 100_000), str)


@pytest.mark.spec("PATH-6")
def test_no_folder_of_a_placeholder_is_called_as_a_placeholder_is():
    names = NamePlan(Layout.TREE, "https")
    urls = ("https://e.com/a", "https://e.com/a/index.txt/b", "https://e.com/a/index.TXT/b")
    paths = [names.placeholder(canonicalize(url, POLICIES["site"]), "_failed") for url in urls]
    folders = {path.rpartition("/")[0].lower() for path in paths}
    assert not any(
        path.lower() in folders or f"{path.lower()}/" in other.lower() for path in paths for other in paths
    )
