"""Names on disk: injective, reversible and contained, for any canonical URL there is."""

import random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from helpers.examples import examples
from helpers.hostile import hostile_url
from holdfast.core.url import paths as paths_module
from holdfast.core.url.compiled import canonicalize
from holdfast.core.url.layout import Layout
from holdfast.core.url.name_plan import NamePlan, sidecar_of, url_in_name
from holdfast.core.url.policy import SITE
from holdfast.core.url.url import Refused

RESERVED = {"con", "prn", "aux", "nul", *(f"{kind}{n}" for kind in ("com", "lpt") for n in range(10))}
KEEP = SITE.with_options(keep_trailing_slash=True)


def canonical(text, policy=SITE):
    found = canonicalize(text, policy)
    assume(not isinstance(found, Refused))
    return found


segments = st.text(st.characters(blacklist_categories=("Cs",)), max_size=12) | st.sampled_from(
    [
        "index",
        "index.md",
        "con",
        "..",
        "a.",
        ".a",
        "~1",
        "_long",
        "x_0a1b2c3d",
        "x_0a1b2c3d.md",
        "-",
        "%",
        "İ",
    ]
)
paths = st.lists(segments, max_size=4).map("/".join)
urls = st.one_of(
    st.integers(0, 2**48).map(lambda seed: hostile_url(random.Random(seed))),
    st.builds("https://e.com/{}{}".format, paths, st.sampled_from(["", "", "/", "?a=1", "?", "?b"])),
)
layouts = st.sampled_from(list(Layout))
plain_segments = st.builds(
    "{}{}{}".format,
    st.sampled_from(["", "con", "com1", "lpt9", "nul", "_long", "index", "x_0a1b2c3d", "-", "_"]),
    st.text("abz09_-", max_size=120),
    st.sampled_from(["", ".html", ".htm", ".md", ".json", ".txt", "."]),
)


@pytest.mark.spec("PATH-2")
@given(st.lists(plain_segments, min_size=1, max_size=3))
@settings(max_examples=examples(500), deadline=None)
def test_a_segment_that_is_taken_as_it_is_is_what_the_laws_make_of_it(segments):
    url = canonical(f"https://e.com/{'/'.join(segments)}")
    name = NamePlan(Layout.TREE, "https").name(url)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paths_module, "_is_plain", {}.get)
        assert NamePlan(Layout.TREE, "https").name(url) == name


@pytest.mark.spec("PATH-6")
@given(urls, urls, layouts, st.sampled_from([SITE, KEEP]))
@settings(max_examples=examples(1500), deadline=None)
def test_two_urls_have_two_names_and_neither_is_a_folder_of_the_other(one, other, layout, policy):
    first, second = canonical(one, policy), canonical(other, policy)
    assume(first != second)
    plan = NamePlan(layout, "https")
    paths = [plan.place(url).path for url in (first, second)]
    names = [*paths, *map(sidecar_of, paths)]
    seen = [name.casefold() for name in names] if layout.is_folded else names

    assert len(set(seen)) == 4
    assert not any(a.startswith(b + "/") for a in seen for b in seen)


@pytest.mark.spec("PATH-6", "PATH-8")
@given(urls, layouts, st.sampled_from([SITE, KEEP]))
@settings(max_examples=examples(1500), deadline=None)
def test_a_name_that_holds_its_url_gives_it_back(url, layout, policy):
    wanted = canonical(url, policy)
    path = NamePlan(layout, "https").place(wanted).path

    assert url_in_name(path, layout, "https") in (wanted.text, None)


@pytest.mark.spec("PATH-8")
@given(st.lists(st.from_regex(r"[a-z0-9]{1,8}", fullmatch=True), max_size=5))
def test_plain_names_always_hold_their_url(parts):
    url = canonical("https://e.com/" + "/".join(parts))
    path = NamePlan(Layout.TREE, "https").place(url).path

    assert url_in_name(path, Layout.TREE, "https") == url.text


@pytest.mark.spec("PATH-4", "PATH-6")
@given(urls, layouts)
@settings(max_examples=examples(1500), deadline=None)
def test_a_name_is_safe_on_every_system(url, layout):
    path = NamePlan(layout, "https").place(canonical(url)).path

    assert len(path.encode()) <= 1000
    for part in path.split("/"):
        assert part
        assert len(part) <= 200
        assert len(part.encode()) <= 240
        assert not set(part) & set('<>:"\\|?*')
        assert part.isprintable()
        assert part[0] not in ".-"
        assert part[-1] not in ". "
        assert part.partition(".")[0].lower() not in RESERVED


@pytest.mark.spec("PATH-6")
@given(urls, layouts)
@settings(max_examples=examples(500), deadline=None)
def test_a_name_does_not_depend_on_what_was_named_before(url, layout):
    wanted = canonical(url)
    fresh = NamePlan(layout, "https").place(wanted)
    used = NamePlan(layout, "https")
    for seed in range(20):
        found = canonicalize(hostile_url(random.Random(seed)), SITE)
        if not isinstance(found, Refused):
            used.place(found)

    assert used.place(wanted) == fresh
