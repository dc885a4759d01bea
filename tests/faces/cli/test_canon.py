"""`holdfast url canon`, through the command line."""

import io
import json
import shlex
import subprocess
import sys

import pytest

from holdfast.core.base.hashing import url_key
from holdfast.faces.cli import console


@pytest.mark.spec("ID-2")
@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("site", "https://example.com/a?b=2&a=1"),
        ("docs", "https://example.com/a"),
        ("web", "https://example.com/a?a=1&b=2"),
    ],
)
def test_each_policy_treats_the_query_its_own_way(holdfast, policy, expected):
    ran = holdfast("url", "canon", "--policy", policy, "https://Example.com/a/?b=2&utm_source=x&a=1")

    assert ran.lines == [expected]
    assert ran.status == 0


@pytest.mark.spec("ID-2")
def test_web_is_the_default_policy(holdfast):
    assert holdfast("url", "canon", "http://e.com/?b=1&a=1").lines == ["http://e.com/?a=1&b=1"]


@pytest.mark.spec("ID-7", "ID-8")
def test_json_answers_in_order_with_key_and_rules(holdfast):
    first, second = holdfast("url", "canon", "--json", "http://E.com:80/a/#x", "ftp://e.com/").json_lines

    assert first["canonical"] == "http://e.com/a"
    assert first["url_key"] == url_key("http://e.com/a")
    assert first["policy"] == "web"
    assert first["rules"] == ["drop_fragment", "lower_case", "drop_default_port", "trim_slash"]
    assert second["canonical"] is None
    assert second["refused"] == "scheme"


@pytest.mark.spec("ID-3", "STA-2")
def test_a_refused_url_is_told_and_the_others_are_still_answered(holdfast):
    ran = holdfast("url", "canon", "http://a/", "http://b..c/", "http://d/")

    assert ran.lines == ["http://a/", "http://d/"]
    assert "empty_label" in ran.err
    assert ran.status == 1


@pytest.mark.spec("SEC-3")
def test_user_and_password_are_not_in_messages(holdfast):
    ran = holdfast("url", "canon", "http://me:secret@b..c/", "http://me:secret@b/")

    assert "secret" not in ran.err + ran.out
    assert ran.lines == ["http://b/"]


@pytest.mark.spec("ID-8")
def test_explain_shows_the_rules_with_a_sentence_each(holdfast):
    ran = holdfast("url", "canon", "--explain", "HTTP://e.com/a/?utm_x=1")

    assert "lower_case" in ran.out
    assert "Tracking parameters are dropped." in ran.out


def test_a_dash_streams_standard_input_and_survives_bytes_that_are_no_text(holdfast, monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(b"http://a/\r\nhttp://b/\xff\n\nhttp://c/"))
    monkeypatch.setattr(sys, "stdin", stream)
    answers = holdfast("url", "canon", "--json", "-").json_lines

    assert [answer["canonical"] for answer in answers] == ["http://a/", None, None, "http://c/"]


OVERRIDES = {
    "version": 3,
    "overrides": [
        {
            "match": {"host": "Code.example"},
            "drop_query_params": ["SRC"],
            "keep_query_params": ["ref"],
            "rewrite_rules": [
                {"from_prefix": "https://code.example/amp/", "to_prefix": "https://code.example/"},
                {"from_prefix": "https://code.example/m", "to_prefix": "https://www.code.example"},
            ],
        }
    ],
}


@pytest.mark.spec("ID-4", "ID-5")
@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://code.example/x?src=1&ref=main&gclid=2", "https://code.example/x?ref=main"),
        ("https://code.example/amp", "https://code.example/"),
        ("https://code.example/amp/amp/x", "https://code.example/x"),
        ("https://code.example/amplifier", "https://code.example/amplifier"),
        ("https://code.example/m/a?ref=main", "https://www.code.example/a"),
        ("https://other.example/amp/x?src=1&ref=main", "https://other.example/amp/x?src=1"),
    ],
)
def test_overrides_apply_to_their_host_alone(holdfast, tmp_path, url, expected):
    (tmp_path / "o.json").write_text(json.dumps(OVERRIDES))
    ran = holdfast("url", "canon", "--overrides", "o.json", url)

    assert ran.lines == [expected]
    assert holdfast("url", "canon", "--overrides", "o.json", expected).lines == [expected]


@pytest.mark.spec("ID-5")
@pytest.mark.parametrize(
    ("document", "pointer"),
    [
        ('{"overrides": [{"match": {"host": "e.com"}, "drop": []}]}', "/overrides/0/drop"),
        ('{"overrides": [{"drop_query_params": []}]}', "/overrides/0"),
        ('{"overrides": [{"match": {"host": "e.com:80"}}]}', "/overrides/0/match/host"),
        ('{"overrides": [{"match": {"host": "a..b"}}]}', "/overrides/0/match/host"),
        ('{"overrides": [{"match": {"host": "e.com"}, "drop_query_params": [1]}]}', "/0/drop_query_params/0"),
        ('{"version": "1"}', "/version"),
        ('{"overrides": {}}', "/overrides"),
        ("[]", "/"),
        ('{"versoin": 1}', "/versoin"),
        ('{"version": 1, "version": 2}', "twice"),
        ("{", "line 1, column"),
    ],
)
def test_a_broken_overrides_file_is_one_error_that_names_the_place(holdfast, tmp_path, document, pointer):
    (tmp_path / "o.json").write_text(document)
    ran = holdfast("url", "canon", "--overrides", "o.json", "http://a/")

    assert ran.status == 2
    assert ran.out == ""
    assert pointer in ran.err


def rewrite(*pairs, host="e.com"):
    rules = [{"from_prefix": one, "to_prefix": other} for one, other in pairs]
    return json.dumps({"overrides": [{"match": {"host": host}, "rewrite_rules": rules}]})


@pytest.mark.spec("ID-5")
@pytest.mark.parametrize(
    "document",
    [
        rewrite(("https://e.com/a", "https://e.com/a/b")),
        rewrite(("https://e.com/a", "https://e.com/a")),
        rewrite(("https://e.com/a", "https://e.com/b"), ("https://e.com/b", "https://e.com/a")),
        rewrite(
            ("https://e.com/a/b", "https://e.com/longer"), ("https://e.com/longer/x", "https://e.com/a/b/c/d")
        ),
        rewrite(("https://e.com", "https://e.com/a")),
        rewrite(("https://f.com/a", "https://e.com/a")),
        rewrite(("https://e.com/a?x", "https://e.com/b")),
        rewrite(("e.com/a", "https://e.com/b")),
    ],
)
def test_rewrites_that_might_never_end_or_never_match_are_refused_at_load(holdfast, tmp_path, document):
    (tmp_path / "o.json").write_text(document)
    ran = holdfast("url", "canon", "--overrides", "o.json", "https://e.com/a")

    assert ran.status == 2
    assert "/overrides/0/rewrite_rules/" in ran.err


@pytest.mark.spec("ID-5")
def test_a_second_entry_for_a_host_is_a_warning_and_the_first_wins(holdfast, tmp_path):
    entries = [{"match": {"host": "e.com"}, "drop_query_params": [name]} for name in ("a", "b")]
    (tmp_path / "o.json").write_text(json.dumps({"overrides": entries}))
    ran = holdfast("url", "canon", "--overrides", "o.json", "http://e.com/?a=1&b=2")

    assert ran.lines == ["http://e.com/?b=2"]
    assert "warning" in ran.err
    assert "/overrides/1" in ran.err


def test_a_missing_overrides_file_is_told_plainly(holdfast):
    ran = holdfast("url", "canon", "--overrides", "none.json", "http://a/")

    assert ran.status == 2
    assert "none.json: No such file or directory" in ran.err


def test_a_reader_that_has_seen_enough_is_no_error():
    python = shlex.quote(sys.executable)
    program = f"yes http://e.com/ | head -n 200000 | {python} -m holdfast url canon - | head -n 1"
    ran = subprocess.run(["bash", "-c", program], capture_output=True, text=True, timeout=60, check=True)

    assert ran.stdout == "http://e.com/\n"
    assert ran.stderr == ""


@pytest.mark.spec("VER-1", "ID-13")
def test_keys_made_with_settings_of_ones_own_are_labelled_so(tmp_path, holdfast):
    overrides = tmp_path / "o.json"
    overrides.write_text(
        '{"version": 3, "overrides": [{"match": {"host": "e.com"}, "drop_query_params": ["x"]}]}'
    )
    for flags, component in (
        ((), "url_v1"),
        (("--policy", "web@2"), "url_v2"),
        (("--overrides", str(overrides)), "url_v1_local_v3"),
        (("--trailing-slash", "keep", "--identity-version", "5"), "url_v1_local_v5"),
        (("--policy", "docs", "--allow-query", "q"), "docsurl_v1_local_v0"),
    ):
        found = json.loads(holdfast("url", "canon", "--json", *flags, "https://e.com/?x=1").out)
        assert found["component"] == component, flags


@pytest.mark.spec("ID-13")
def test_a_policy_is_named_with_its_version(holdfast):
    url = "https://e.com/?igshid=1&b=2"
    assert holdfast("url", "canon", "--policy", "web@1", url).lines == ["https://e.com/?b=2&igshid=1"]
    assert holdfast("url", "canon", "--policy", "web@2", url).lines == ["https://e.com/?b=2"]
    assert holdfast("url", "canon", "--policy", "web@9", url).status == 2


@pytest.mark.parametrize("key", ["v,q", "utm_*", "a=b", "a&b", " "])
def test_a_key_that_could_never_match_is_refused(holdfast, key):
    ran = holdfast("url", "canon", "--policy", "docs", "--allow-query", key, "https://e.com/")

    assert ran.status == 2
    assert "allow_query" in ran.err


def test_an_allowed_key_that_goes_all_the_same_is_refused(holdfast):
    ran = holdfast("url", "canon", "--policy", "docs@2", "--allow-query", "igshid", "https://e.com/")

    assert ran.status == 2
    assert "is a tracker" in ran.err


@pytest.mark.parametrize(
    ("entry", "pointer"),
    [
        ({"keep_query_params": ["utm_*"]}, "/overrides/0/keep_query_params/0"),
        ({"drop_query_params": ["s,t"]}, "/overrides/0/drop_query_params/0"),
        (
            {"rewrite_rules": [{"from_prefix": "https://e.com/amp-", "to_prefix": "https://e.com/x"}]},
            "/overrides/0/rewrite_rules/0/from_prefix",
        ),
    ],
)
def test_a_rule_that_could_never_match_is_refused_with_its_place(tmp_path, holdfast, entry, pointer):
    overrides = tmp_path / "o.json"
    overrides.write_text(json.dumps({"overrides": [{"match": {"host": "e.com"}, **entry}]}))
    ran = holdfast("url", "canon", "--overrides", str(overrides), "https://e.com/")

    assert ran.status == 2
    assert pointer in ran.err


def test_a_byte_that_is_no_text_is_not_called_a_bad_host(holdfast):
    ran = holdfast("url", "canon", "--json", "https://a.com/\udcff")

    assert "UTF-8" in json.loads(ran.out)["detail"]


@pytest.mark.parametrize("size", [1, 2, 7, 64, 1 << 18])
def test_lines_are_the_same_however_they_arrive(holdfast, monkeypatch, size):
    data = (
        b"https://a.com/\xff\r\nmailto:x\n\nhttps://E.com/a\r\r\nhttps://e.com/\xc3\xa9\nhttps://e.com/last"
    )
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
    monkeypatch.setattr(console, "_AT_ONCE", size)
    ran = holdfast("url", "canon", "https://e.com/first", "-", "https://e.com/end")

    assert ran.lines == [f"https://e.com/{path}" for path in ("first", "a", "%C3%A9", "last", "end")]
    assert ran.err.count("refused:") == 3
    assert ran.status == 1
