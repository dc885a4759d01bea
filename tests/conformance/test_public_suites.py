"""Public data, where it is there: the identity cases, the WHATWG tests, RFC 3986 §5.4."""

import pytest

from holdfast.core.url.compiled import canonicalize
from holdfast.core.url.policy import POLICIES, WEB
from holdfast.core.url.url import Refused, parse_url


def text_of(found):
    return None if isinstance(found, Refused) else found.text


@pytest.mark.spec("ID-3", "ID-4")
@pytest.mark.parametrize("policy", ["web", "docs", "site"])
def test_the_identity_cases_hold(suite, policy):
    for case in suite("identity-cases.json")["cases"]:
        assert text_of(canonicalize(case["input"], POLICIES[policy])) == case[policy], case["note"]


@pytest.mark.spec("ID-3")
def test_what_must_be_one_place_is_and_what_must_not_is_not(suite):
    cases = suite("identity-cases.json")
    for one, other in cases["must_equal_web"]:
        assert canonicalize(one, WEB) == canonicalize(other, WEB)
    for one, other in cases["must_differ_web"]:
        assert canonicalize(one, WEB) != canonicalize(other, WEB)


@pytest.mark.spec("ID-1")
def test_urls_parse_as_the_whatwg_tests_say(suite):
    seen = 0
    for case in suite("wpt-urltestdata.json"):
        if isinstance(case, str):
            continue
        base = parse_url(case["base"]) if case.get("base") else None
        if isinstance(base, Refused):
            continue
        found = parse_url(case["input"], base)
        if case.get("failure"):
            assert isinstance(found, Refused), case["input"]
        elif case["protocol"] in ("http:", "https:") and not _has_empty_label(case["hostname"]):
            assert found.origin == case.get("origin", found.origin), case["input"]
            assert found.path == case["pathname"]
            assert (found.query or "") == case["search"][1:]
            assert found.fragment == case["hash"][1:]
            seen += 1
    assert seen > 100


def _has_empty_label(host):
    return ".." in host or host.startswith(".")


@pytest.mark.spec("ID-1")
def test_references_resolve_as_rfc_3986_says(suite):
    cases = suite("rfc3986-5.4.json")
    base = parse_url(cases["base"])
    rows = [row for group in ("normal", "abnormal") for row in cases.get(group, [])]
    assert rows
    for row in rows:
        found = parse_url(row["ref"], base)
        expected = parse_url(row["expected"])
        if row["ref"] == "http:g":  # strict in the RFC, backward-compatible on the web
            continue
        assert str(found) == str(expected), row
