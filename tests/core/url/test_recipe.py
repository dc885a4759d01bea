"""`normalization_version`: one type reads, writes and compares it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.core.base.errors import FormatError, VersionError
from holdfast.core.base.hashing import settings_digest
from holdfast.core.settings.groups import IdentitySettings
from holdfast.core.settings.identity import identity_in_force, require_same_digest
from holdfast.core.url.policy import Component, Overrides, Recipe, Version
from holdfast.core.url.steps import HostOverride

TEXT_V1 = Component("text", Version(1))

words = st.from_regex(r"[a-z][a-z0-9]{0,8}", fullmatch=True).filter(lambda w: w != "local")
versions = st.builds(Version, st.integers(0, 99), st.none() | st.integers(0, 99))
recipes = st.builds(
    Recipe,
    st.lists(words.filter(lambda w: not (w[0] == "v" and w[1:].isdigit())), min_size=1, max_size=3).map(
        "_".join
    ),
    st.lists(st.builds(Component, words, versions), min_size=1, max_size=4).map(tuple),
    st.none() | versions,
)


@pytest.mark.spec("VER-1")
@given(recipes)
def test_the_string_and_the_value_are_the_same_thing(recipe):
    assert Recipe.parse(str(recipe)) == recipe


@pytest.mark.spec("VER-1")
def test_parts_are_read_as_the_contract_writes_them():
    recipe = Recipe.parse("http_snapshot_url_v2_text_v1.1_local_v3")

    assert recipe.collector == "http_snapshot"
    assert recipe.component("url") == Component("url", Version(2))
    assert recipe.component("text") == Component("text", Version(1, 1))
    assert recipe.local == Version(3)


@pytest.mark.spec("VER-1")
@pytest.mark.parametrize(
    "text",
    ["", "http", "http_snapshot", "http_url_1", "http_url_v", "http_url_v1_", "Http_url_v1", "http_url_v01",
     "http_url_v1.2.3", "url_v1", "http_local_v1", "http_url_v1 ", "http_url_v1_local_v1_text_v1"],
)  # fmt: skip
def test_what_is_no_version_is_refused(text):
    with pytest.raises(FormatError):
        Recipe.parse(text)


@pytest.mark.spec("VER-1")
def test_settings_of_the_users_own_make_the_recipe_local():
    plain = identity_in_force("web", IdentitySettings(), Overrides())
    assert str(plain.recipe(TEXT_V1)) == "http_snapshot_url_v1_text_v1"

    overrides = Overrides(version=4, hosts=(HostOverride("e.com", frozenset({"a"})),))
    assert str(identity_in_force("web", IdentitySettings(), overrides).recipe(TEXT_V1)).endswith("_local_v4")

    numbered = IdentitySettings(identity_version=9)
    assert str(identity_in_force("site", numbered, overrides).recipe(TEXT_V1)).endswith("_text_v1_local_v9")

    slash = IdentitySettings(trailing_slash="keep")
    assert str(identity_in_force("docs", slash, Overrides()).recipe(TEXT_V1)).endswith("_local_v0")


@pytest.mark.spec("VER-1", "VER-2")
def test_settings_that_a_policy_does_not_read_change_neither_recipe_nor_digest():
    plain = identity_in_force("web", IdentitySettings(), Overrides(version=7))
    unread = identity_in_force("web", IdentitySettings(allow_query=("q",), identity_version=3), Overrides())

    assert unread == plain
    assert identity_in_force("docs", IdentitySettings(allow_query=("q",)), Overrides()).local == Version(0)


@pytest.mark.spec("VER-2")
def test_the_same_version_with_another_digest_is_refused_with_what_to_bump():
    one = identity_in_force("docs", IdentitySettings(allow_query=("a",)), Overrides())
    other = identity_in_force("docs", IdentitySettings(allow_query=("b",)), Overrides())
    recipe = one.recipe(TEXT_V1)
    assert recipe == other.recipe(TEXT_V1)

    require_same_digest(recipe, one.digest, one.digest)
    with pytest.raises(VersionError) as caught:
        require_same_digest(recipe, one.digest, other.digest)
    assert "identity_version" in caught.value.hint


@pytest.mark.spec("VER-2")
def test_the_digest_does_not_depend_on_the_order_of_what_has_none():
    assert settings_digest({"a": 1, "b": 2}) == settings_digest({"b": 2, "a": 1})
    one = identity_in_force("docs", IdentitySettings(allow_query=("a", "b")), Overrides())
    other = identity_in_force("docs", IdentitySettings(allow_query=("B", "a")), Overrides())
    assert one.digest == other.digest


@pytest.mark.spec("VER-1", "VER-2")
def test_a_limit_that_decides_what_is_hashed_is_an_identity_setting():
    plain = identity_in_force("web", IdentitySettings(), Overrides())
    limited = identity_in_force("web", IdentitySettings(), Overrides(), {"max_page_bytes": 5})

    assert limited.local == Version(0)
    assert limited.digest != plain.digest
