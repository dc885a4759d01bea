"""Join keys are made anew of what they were made of."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.core.base.hashing import url_key
from holdfast.core.links.citing import unsupported_key
from holdfast.core.url.compiled import canonical_text
from holdfast.core.url.policy import policy
from holdfast.core.url.steps import HostOverride
from holdfast.core.url.url import Place
from holdfast.jobs.upkeep.rekey import key_maker

ONE, TWO = policy("web", 1), policy("web", 2)
KEYS = st.sampled_from(["a", "b", "utm_x", "dclid", "gclid", "igshid", "mtm_x", "v"])
QUERIES = st.lists(st.tuples(KEYS, st.sampled_from(["", "1", "2"])), max_size=4)
pytestmark = pytest.mark.spec("ID-12", "ID-13")


def key(text, by):
    return url_key(canonical_text(by)(text))


def place(address, by="site", version=1, join=ONE):
    form = canonical_text(policy(by, version))(address)
    return Place(form, url_key(form), key(address, join))


@given(QUERIES, st.sampled_from(["site", "web"]), st.sampled_from([ONE, TWO]), st.sampled_from([ONE, TWO]))
def test_the_new_key_is_the_one_that_the_address_has(query, by, join, goal):
    address = "https://e.com/p?" + "&".join(f"{name}={value}" for name, value in query)

    assert key_maker(join, goal).key(place(address, by, 1, join), list) == key(address, goal)


@given(QUERIES, st.sampled_from([1, 2]), st.sampled_from([ONE, TWO]))
def test_so_it_is_where_the_form_does_not_tell_the_key(query, version, goal):
    address = "https://e.com/p?v=3&" + "&".join(f"{name}={value}" for name, value in query)
    made = place(address, "docs", version)

    assert key_maker(ONE, goal).key(made, lambda: ["https://e.com/p?v=4", address]) == key(address, goal)


def test_there_and_back_again_gives_the_keys_that_were_there():
    address = "https://e.com/p?dclid=1&a=2"
    there = key_maker(ONE, TWO).key(place(address), list)
    back = key_maker(TWO, ONE).key(place(address)._replace(web_key=there), list)

    assert there == url_key("https://e.com/p?a=2")
    assert back == key(address, ONE)


def test_a_key_that_an_address_made_is_made_of_that_address():
    """`docs` drops what `web` keeps: the URL's own form does not tell the key."""
    address = "https://e.com/p?v=2&dclid=3"
    made = key_maker(ONE, TWO).key(place(address, "docs"), lambda: ["https://e.com/p?v=1", address])

    assert made == url_key("https://e.com/p?v=2")


def test_a_key_of_which_nothing_tells_the_origin_is_said_to_be_so():
    odd = place("https://e.com/p?dclid=1")._replace(web_key="ab" * 32)

    assert key_maker(ONE, TWO).key(odd, lambda: ["https://e.com/q"]) is None
    assert key_maker(ONE, TWO).own_key(odd) == url_key("https://e.com/p")


def test_a_citation_without_a_canonical_form_keeps_its_key():
    text = "ftp://e.com/?dclid=1"
    odd = Place(text, unsupported_key(text), unsupported_key(text))

    assert key_maker(ONE, TWO).key(odd, list) == odd.web_key


def test_overrides_that_came_since_are_in_the_new_key():
    own = ONE.with_options(overrides=(HostOverride("e.com", frozenset({"v"})),))
    made = key_maker(own, own).key(place("https://e.com/p?v=2"), list)

    assert made == url_key("https://e.com/p")
