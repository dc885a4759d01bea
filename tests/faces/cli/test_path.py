"""`holdfast url path`, through the command line."""

import hashlib
import json

import pytest


@pytest.mark.parametrize(
    ("url", "path"),
    [
        pytest.param(
            "https://docs.example.com/api/users/create",
            "docs.example.com/api/users/create/index.md",
            marks=pytest.mark.spec("PATH-1"),
        ),
        pytest.param("https://example.com", "example.com/index.md", marks=pytest.mark.spec("PATH-1")),
        pytest.param(
            "https://example.com:8443/a", "example.com+8443/a/index.md", marks=pytest.mark.spec("PATH-1")
        ),
        pytest.param(
            "https://example.com/search?q=test&page=2",
            f"example.com/search__q_{hashlib.md5(b'q=test&page=2').hexdigest()[:8]}.md",
            marks=pytest.mark.spec("PATH-2"),
        ),
        pytest.param(
            "https://example.com/?q=1",
            f"example.com/index__q_{hashlib.md5(b'q=1').hexdigest()[:8]}.md",
            marks=pytest.mark.spec("PATH-2"),
        ),
        pytest.param(
            "https://example.com/docs#installation",
            "example.com/docs/index.md",
            marks=pytest.mark.spec("PATH-3"),
        ),
    ],
)
def test_a_url_has_the_name_the_contract_gives_it(holdfast, url, path):
    assert holdfast("url", "path", url).lines == [path]


@pytest.mark.spec("PATH-5")
def test_the_hash_layout_names_by_the_first_16_hex_of_the_key(holdfast):
    key = hashlib.sha256(b"https://example.com/a").hexdigest()

    assert holdfast("url", "path", "--layout", "hash", "https://example.com/a").lines == [
        f"example.com/{key[:16]}.md"
    ]


@pytest.mark.spec("PATH-4")
def test_a_long_folder_is_cut_and_gets_the_hash_of_its_segment(holdfast):
    segment = "a" * 201
    (path,) = holdfast("url", "path", f"https://example.com/{segment}").lines
    folder = path.split("/")[1]

    assert folder == "a" * 191 + "_" + hashlib.md5(segment.encode()).hexdigest()[:8]
    assert holdfast("url", "path", f"https://example.com/{'a' * 200}").lines == [
        f"example.com/{'a' * 200}/index.md"
    ]


@pytest.mark.spec("PATH-4")
def test_a_long_file_is_cut_and_gets_the_hash_of_the_url(holdfast):
    url = f"https://example.com/{'a' * 199}?q=1"
    (path,) = holdfast("url", "path", url).lines

    assert path == f"example.com/{'a' * 188}_{hashlib.md5(url.encode()).hexdigest()[:8]}.md"


@pytest.mark.spec("PATH-4")
def test_a_path_of_over_a_thousand_bytes_is_named_by_its_key(holdfast):
    url = "https://example.com/" + "/".join(["segment"] * 130)
    key = hashlib.sha256(url.encode()).hexdigest()

    assert holdfast("url", "path", url).lines == [f"example.com/_long/{key}.md"]


@pytest.mark.spec("PATH-6")
def test_pages_of_the_other_scheme_have_a_folder_of_their_own(holdfast):
    assert holdfast("url", "path", "https://h/a", "http://h/a").lines == [
        "h/a/index.md",
        "h__http/a/index.md",
    ]
    assert holdfast("url", "path", "http://h/a", "https://h/a").lines == [
        "h/a/index.md",
        "h__https/a/index.md",
    ]


@pytest.mark.spec("PATH-6")
def test_of_two_urls_whose_short_hashes_collide_the_later_one_takes_the_whole_key(holdfast):
    """An MD5 pair whose first eight hex digits are equal, found by search."""
    first, second = (f"https://e.com/s?{query}" for query in ("q=e916&page=25840", "q=7716&page=36718"))
    key = hashlib.sha256(second.encode()).hexdigest()

    assert holdfast("url", "path", first, second, first).lines == [
        "e.com/s__q_a8b80c9d.md",
        f"e.com/s__q_{key}.md",
        "e.com/s__q_a8b80c9d.md",
    ]


@pytest.mark.spec("PATH-6")
def test_of_two_urls_whose_keys_share_16_hex_the_later_one_takes_the_whole_key(holdfast):
    """A pair of SHA-256 prefixes of 64 bits, found by search."""
    pair = [f"https://docs.example.com/p/{name}" for name in ("a4287362e62a1b3c", "42192decffc43a82")]
    one, other = holdfast("url", "path", "--layout", "hash", *pair).lines

    assert one == f"docs.example.com/{hashlib.sha256(pair[0].encode()).hexdigest()[:16]}.md"
    assert other == f"docs.example.com/{hashlib.sha256(pair[1].encode()).hexdigest()}.md"


@pytest.mark.spec("PATH-6")
def test_case_pairs_are_apart_where_the_file_system_folds(holdfast):
    upper, lower = holdfast(
        "url", "path", "--layout", "tree-fold", "https://e.com/Foo", "https://e.com/foo"
    ).lines

    assert lower == "e.com/foo/index.md"
    assert upper == f"e.com/Foo_{hashlib.md5(b'Foo').hexdigest()[:8]}/index.md"


@pytest.mark.spec("PATH-6")
def test_letters_of_other_scripts_can_be_read_in_names(holdfast):
    assert holdfast("url", "path", "https://e.com/日本語/Käse").lines == ["e.com/日本語/Käse/index.md"]


@pytest.mark.spec("PATH-8")
def test_a_name_gives_its_url_back(holdfast):
    names = ["docs.example.com/api/users/create/index.md", "./h__http/%2Egit/index.md", "e.com/日/index.md"]
    ran = holdfast("url", "path", "--reverse", *names)

    assert ran.lines == [
        "https://docs.example.com/api/users/create",
        "http://h/.git",
        "https://e.com/%E6%97%A5",
    ]


@pytest.mark.spec("PATH-8")
def test_where_the_name_holds_no_url_sidecar_and_manifest_are_asked(holdfast, tmp_path):
    pages = [{"path": "h/b__q_00000000.md", "url": "http://h/b?y"}]
    manifest = {"layout": {"name": "tree", "scheme": "http"}, "pages": pages}
    (tmp_path / "_manifest.json").write_text(json.dumps(manifest))
    (tmp_path / "h").mkdir()
    (tmp_path / "h" / "a__q_00000000.json").write_text('{"canonical_url": "http://h/a?x"}')
    ran = holdfast(
        "url", "path", "--reverse", "h/c/index.md", "h/a__q_00000000.md", "h/b__q_00000000.md", "h/z__q_1.md"
    )

    assert ran.lines == ["http://h/c", "http://h/a?x", "http://h/b?y"]
    assert "h/z__q_1.md" in ran.err
    assert ran.status == 1


@pytest.mark.spec("STA-2")
def test_json_says_what_was_refused(holdfast):
    ran = holdfast("url", "path", "--json", "https://e.com/a", "nonsense")

    assert ran.json_lines[0] == {
        "input": "https://e.com/a",
        "canonical": "https://e.com/a",
        "path": "e.com/a/index.md",
    }
    assert ran.json_lines[1]["path"] is None
    assert ran.json_lines[1]["refused"] == "relative"
    assert ran.status == 1
