"""Identity holds for every text there is, not only for the ones we thought of."""

import random
from itertools import product
from urllib.parse import urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.examples import examples
from helpers.growth import is_linear
from helpers.hostile import hostile_url
from holdfast.core.url.canonical import explain
from holdfast.core.url.compiled import canonical_text, canonicalize
from holdfast.core.url.policy import DOCS, POLICIES, SITE, WEB, Component, Policy, Version
from holdfast.core.url.steps import (
    PCHAR,
    UNRESERVED,
    AllowQuery,
    CollapseSlashes,
    DropEmptyPairs,
    DropTrackers,
    EncodePath,
    EncodeQuery,
    Encoding,
    HostOverride,
    OverrideQuery,
    OverrideRewrite,
    ReadUrl,
    Rewrite,
    SortQuery,
    TrimSlash,
)
from holdfast.core.url.url import Refused, parse_url
from proofs.torture_identity import faults_in

OWN = WEB.with_options(
    overrides=(
        HostOverride(
            "example.com",
            drop_query_params=frozenset({"a"}),
            keep_query_params=frozenset({"ref"}),
            rewrites=(
                Rewrite("https://example.com/a", "https://example.com"),
                Rewrite("http://example.com/b", "https://h/b"),
            ),
        ),
        HostOverride("h", drop_query_params=frozenset({"q"})),
    )
)
CYCLE = WEB.with_options(
    overrides=(
        HostOverride(
            "example.com",
            rewrites=(
                Rewrite("https://example.com/a", "https://example.com/b"),
                Rewrite("https://example.com/b", "https://example.com/a"),
            ),
        ),
    )
)
KEEP_SLASH = SITE.with_options(keep_trailing_slash=True)
ALLOW = DOCS.with_options(allow_query=frozenset({"a", "q"}))
ALL = [*POLICIES.values(), OWN, KEEP_SLASH, ALLOW]

url_texts = st.one_of(
    st.integers(0, 2**48).map(lambda seed: hostile_url(random.Random(seed))), st.text(max_size=40)
)


@pytest.mark.spec("ID-6")
@given(url_texts, st.sampled_from(ALL))
@settings(max_examples=examples(2000), deadline=None)
def test_a_canonical_url_is_its_own_canonical_form(text, policy):
    first = canonicalize(text, policy)
    if not isinstance(first, Refused):
        assert canonicalize(first.text, policy) == first


@pytest.mark.spec("ID-1", "ID-6")
@given(url_texts, st.sampled_from(ALL))
@settings(max_examples=300, deadline=None)
def test_a_canonical_url_is_parsed_to_itself(text, policy):
    canonical = canonicalize(text, policy)
    if not isinstance(canonical, Refused):
        assert str(parse_url(canonical.text)) == canonical.text


plain_hosts = st.sampled_from(
    "e.org a-b.e.org ab--c.e -a- localhost xn--a.e a.xn--80ak6aa92e 1.e e.1 e.1a E.org 127.0.0.1 255.249.10.0"
    " 256.1.1.1 01.2.3.4 1.2.3 1.2.3.4. e.0x1 a..b a_b.e".split()
)
ports = st.sampled_from(["", ":", ":80", ":443", ":8080", ":59999", ":65535", ":65536", ":0", ":080"])
in_plain = st.text("aZ09-._~!$&'()*+,;=:@/?%", max_size=8) | st.text(max_size=4)
plain_texts = st.builds(
    "{}://{}{}{}{}{}{}".format,
    st.sampled_from(["http", "https", "HTTPS"]),
    plain_hosts,
    ports,
    st.sampled_from(["/", "", "//", "/.", "/a/..", "/%2e/"]),
    in_plain,
    in_plain.map("?{}".format) | st.just(""),
    in_plain.map("#{}".format) | st.just(""),
)
BASE = parse_url("https://base.example/")


@pytest.mark.spec("ID-1")
@given(plain_texts)
@settings(max_examples=examples(500), deadline=None)
def test_a_text_that_is_taken_apart_unparsed_is_what_the_parser_makes_of_it(text):
    parsed = parse_url(f" {text}")  # the parser drops the space, and only the parser
    assert parse_url(text) == parsed
    if text.startswith(("http://", "https://")):
        assert parse_url(text, BASE) == parsed, "what is whole is not relative to anything"


@pytest.mark.spec("ID-6", "ID-8")
@given(url_texts, st.sampled_from(ALL))
@settings(max_examples=examples(2000), deadline=None)
def test_the_short_way_and_the_explained_way_agree(text, policy):
    explained = explain(text, policy)
    short = canonicalize(text, policy)
    if isinstance(explained, Refused):
        assert isinstance(short, Refused)
        assert short.reason == explained.reason
    else:
        assert short == explained.canonical


charsets = st.sets(st.sampled_from("/.&=?+'~:@!abcXYZ%[]")).map(lambda some: "".join(sorted(some)))
encodings = st.builds(
    Encoding,
    st.sampled_from([PCHAR + "/", PCHAR + "/?", PCHAR.replace("'", "") + "/?"])
    | charsets.map((UNRESERVED + "{}").format),
    st.sampled_from([UNRESERVED, UNRESERVED[:-4], ""]) | charsets.map(lambda some: some.replace("%", "")),
    st.booleans(),
)
names = st.frozensets(st.sampled_from(["a", "q", "ref", "utm_source", "b c", ""]))
steps = st.one_of(
    st.sampled_from([CollapseSlashes(), TrimSlash(), DropEmptyPairs(), SortQuery()]),
    encodings.map(EncodePath),
    encodings.map(EncodeQuery),
    st.builds(DropTrackers, names, st.sampled_from([(), ("utm_",)])),
    names.map(AllowQuery),
    st.sampled_from([(), OWN.overrides, CYCLE.overrides]).map(OverrideQuery),
    st.sampled_from([(), OWN.overrides, CYCLE.overrides]).map(OverrideRewrite),
)
any_policy = st.builds(
    lambda chosen, most: Policy("own", Component("ownurl", Version(1)), (ReadUrl(), *chosen), most),
    st.lists(steps, max_size=10) | st.permutations(WEB.steps[1:]) | st.permutations(OWN.steps[1:]),
    st.sampled_from([8_192, 8_192, 60]),
)


@pytest.mark.spec("ID-8", "ID-13")
@given(url_texts, any_policy)
@settings(max_examples=examples(4000), deadline=None)
def test_any_policy_does_what_it_lists_and_compiled_gives_the_same(text, policy):
    explained = explain(text, policy)
    short = canonicalize(text, policy)
    if isinstance(explained, Refused):
        assert isinstance(short, Refused)
        assert short.reason == explained.reason
    else:
        assert short == explained.canonical
        assert set(explained.rules) <= set(policy.rules)


@pytest.mark.spec("ID-13")
@pytest.mark.parametrize(
    ("steps", "canonical"),
    [
        ((), "https://e.com/a//b/%7e/?&b=1&utm_x=2&a=%7e"),
        ((CollapseSlashes(),), "https://e.com/a/b/%7e/?&b=1&utm_x=2&a=%7e"),
        ((TrimSlash(), SortQuery()), "https://e.com/a//b/%7e?&a=%7e&b=1&utm_x=2"),
        ((DropTrackers(frozenset({"b"})),), "https://e.com/a//b/%7e/?&utm_x=2&a=%7e"),
        ((EncodePath(Encoding(PCHAR + "/")),), "https://e.com/a//b/~/?&b=1&utm_x=2&a=%7e"),
        ((AllowQuery(frozenset({"a"})), EncodeQuery(Encoding(PCHAR))), "https://e.com/a//b/%7e/?a=~"),
    ],
)
def test_a_policy_with_other_steps_does_just_those(steps, canonical):
    policy = Policy("own", Component("ownurl", Version(1)), (ReadUrl(), *steps))

    assert canonicalize("https://E.com/a//b/%7e/?&b=1&utm_x=2&a=%7e", policy).text == canonical


@pytest.mark.spec("ID-13")
def test_the_order_of_steps_is_the_order_in_which_they_apply():
    sort, encode = SortQuery(), EncodeQuery(Encoding(PCHAR))
    given = "https://e.com/?%62=1&a=2"
    made = [
        canonicalize(given, Policy("own", Component("ownurl", Version(1)), (ReadUrl(), *order))).text
        for order in ((sort, encode), (encode, sort))
    ]

    assert made == ["https://e.com/?b=1&a=2", "https://e.com/?a=2&b=1"]


@pytest.mark.spec("ID-6")
def test_rewrites_that_never_end_are_refused():
    assert explain("https://example.com/a/x", CYCLE).reason == "endless"


_HOSTS = (
    "example.com",
    "EXAMPLE.com",
    "h2.example",
    "H",
    "h",
    "xn--nxasmq6b.example",
    "XN--x.example",
    "1.2.3.4",
)
_PORTS = ("", ":", ":80", ":443", ":8080", ":080", ":65535", ":65536", ":99999")
_PATHS = ("", "/", "/a/", "/a%7eb/%2e", "/a/%2F%e2%80%93", "/b?%75tm_x=1&b=%7e&a=2+3&ref=1", "/a?q=1&a=%zz#f")


@pytest.mark.spec("ID-8", "ID-13")
@pytest.mark.parametrize("policy", ALL, ids=lambda policy: str(policy.component))
def test_case_ports_and_escapes_are_read_alike_on_every_way(policy):
    own = HostOverride("h2.example", drop_query_params=frozenset({"b"}))
    for chosen in (policy, policy.with_options(overrides=(*policy.overrides, own))):
        for scheme, host, port, rest in product(("http", "HTTPS"), _HOSTS, _PORTS, _PATHS):
            text = f"{scheme}://{host}{port}{rest}"
            explained, found = explain(text, chosen), canonicalize(text, chosen)
            assert found == (explained if isinstance(explained, Refused) else explained.canonical), text


@pytest.mark.spec("ID-13")
def test_a_policy_reads_the_url_first_and_once():
    for steps in ((), (TrimSlash(), ReadUrl()), (ReadUrl(), ReadUrl())):
        with pytest.raises(ValueError, match="reads the URL first"):
            Policy("own", Component("ownurl", Version(1)), steps)


@pytest.mark.spec("ID-6")
def test_an_answer_does_not_depend_on_what_was_asked_before():
    texts = [hostile_url(random.Random(seed)) for seed in range(3000)]
    canonical_text.cache_clear()
    once = [canonicalize(text, WEB) for text in texts]
    canonical_text.cache_clear()
    again = [canonicalize(text, WEB) for text in reversed(texts)]
    assert once == again[::-1]


@pytest.mark.spec("ID-1", "ID-3")
@given(url_texts)
@settings(max_examples=examples(1000), deadline=None)
def test_another_parser_sees_the_same_host_in_the_canonical_form(text):
    canonical = canonicalize(text, WEB)
    if not isinstance(canonical, Refused):
        assert canonical.text.isascii()
        theirs = urlsplit(canonical.text)
        ours = parse_url(canonical.text)
        assert theirs.hostname == ours.host.strip("[]")
        assert theirs.username is None
        assert theirs.fragment == ""


@pytest.mark.spec("ID-3")
@given(st.permutations(["a=1", "b=2", "a=0", "c", "d=", "é=1"]))
def test_the_order_of_query_pairs_is_no_part_of_web_identity(pairs):
    assert canonicalize(f"https://e.com/?{'&'.join(pairs)}", WEB) == canonicalize(
        "https://e.com/?a=1&b=2&a=0&c&d=&é=1", WEB
    )


@pytest.mark.spec("ID-6")
@pytest.mark.parametrize(
    "unit", ["/", "/..", "%", "%41", "&a=b", "+", "é", "%25", "&utm_a=1", "\\", "@", "a.", "/a"]
)
@pytest.mark.parametrize("head", ["http://h/", "http://h/?", "http://", "http://example.com/a"])
def test_the_cost_grows_with_the_length_and_no_faster(unit, head):
    assert is_linear(lambda size: canonicalize(head + unit * (size // len(unit)), OWN), 25_000)


@pytest.mark.spec("ID-6")
def test_thousands_of_hostile_texts_show_no_fault():
    """The long version is `make torture`."""
    assert faults_in(seed=7, count=8_000) == []
