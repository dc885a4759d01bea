"""Which links can be mended, and which must not be."""

from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import pytest

from holdfast.core.links.citing import cite, new_place
from holdfast.core.links.link_state import LinkState, Looks
from holdfast.core.links.mendable import (
    USUAL_FIXES,
    Declined,
    FixKind,
    Landing,
    Mended,
    Substitutes,
    archived_address,
    mend,
    without_trackers,
)
from holdfast.core.page.page import LinkKind, Mention, PageWarning, Span
from holdfast.core.url.policy import WEB
from holdfast.core.url.steps import HostOverride
from holdfast.core.url.url import secure_form

THEN = datetime(2026, 1, 1, tzinfo=UTC)
LATER = THEN + timedelta(days=1)


def citation(url):
    return cite(Mention(url, "x", LinkKind.ANCHOR, Span(0, len(url), 1, 1, 1)), WEB)


def moved(url, final, *, seen_until=LATER):
    return new_place(citation(url))._replace(
        state=LinkState.MOVED_PERMANENT, final_url=final, fetched_at=THEN, looks=Looks(last=seen_until)
    )


class Facts(NamedTuple):
    """What is known besides the link."""

    secure: bool = False
    found: Landing = Landing()
    known: Substitutes = Substitutes()

    def is_secure(self, _):
        return self.secure

    def landing(self, _):
        return self.found

    def substitutes(self, _):
        return self.known


NOWHERE, NOTHING = Landing(), Substitutes()


def proposal(url, place=None, *, cited=None, secure=False, landing=NOWHERE, substitutes=NOTHING, **options):
    facts = Facts(secure, landing, substitutes)
    return mend(cited or citation(url), place or new_place(citation(url)), WEB, facts, **options)


def test_a_permanent_redirect_seen_twice_is_followed_and_the_fragment_stays():
    url = "http://a.example/old#part"

    assert proposal(url, moved(url, "https://a.example/new")) == Mended(
        "https://a.example/new#part", (FixKind.REDIRECT,)
    )


@pytest.mark.parametrize(
    ("final", "seen_until", "reason"),
    [
        ("https://a.example/new", THEN, "seen once"),
        ("https://a.example/", LATER, "front page"),
        ("https://a.example/login?next=/old", LATER, "login"),
        ("https://a.example/accounts/login/", LATER, "login"),
        ("https://a.example/new?token=[redacted]", LATER, "secret"),
    ],
)
def test_what_a_redirect_would_lose_is_declined(final, seen_until, reason):
    url = "http://a.example/old"
    found = proposal(url, moved(url, final, seen_until=seen_until))

    assert isinstance(found, Declined)
    assert reason in found.reason


def test_a_front_page_may_move_to_a_front_page():
    assert proposal("http://a.example/", moved("http://a.example/", "https://b.example/")) == Mended(
        "https://b.example/", (FixKind.REDIRECT,)
    )


def test_a_temporary_redirect_is_left_alone():
    url = "http://a.example/old"

    assert proposal(url, moved(url, "https://x.example/n")._replace(state=LinkState.MOVED_TEMPORARY)) is None


def test_https_is_written_where_it_answers_the_same_and_only_there():
    assert proposal("http://a.example/x", secure=True) == Mended("https://a.example/x", (FixKind.HTTPS,))
    assert proposal("http://a.example/x") is None
    assert secure_form("https://a.example") is None
    assert secure_form("http://a.example:8080/") is None
    assert secure_form("//a.example/") is None


@pytest.mark.parametrize(
    ("url", "clean"),
    [
        ("https://a.example/?utm_source=x&a=1&UTM_Medium=y#f", "https://a.example/?a=1#f"),
        ("https://a.example/p?gclid=1", "https://a.example/p"),
        ("https://a.example/p?%75tm_source=1&b", "https://a.example/p?b"),
        ("https://code.example/p?ref=main", "https://code.example/p?ref=main"),
        ("https://a.example/p?b=utm_source", "https://a.example/p?b=utm_source"),
        ("https://a.example/p#?utm_source=x", "https://a.example/p#?utm_source=x"),
        ("not a url?utm_source=x", "not a url?utm_source=x"),
    ],
)
def test_trackers_go_and_everything_else_stays_as_written(url, clean):
    assert without_trackers(url, WEB) == clean


def test_a_host_keeps_what_the_overrides_keep():
    policy = WEB.with_options(
        overrides=(HostOverride("a.example", keep_query_params=frozenset(("utm_id",))),)
    )

    assert without_trackers("https://a.example/?utm_id=1&utm_x=2", policy) == "https://a.example/?utm_id=1"


def test_only_what_is_wanted_is_mended_and_what_is_ignored_is_not():
    url = "http://a.example/x?utm_source=y"

    assert proposal(url, secure=True) == Mended("https://a.example/x", (FixKind.HTTPS, FixKind.TRACKER))
    assert proposal(url, secure=True, wanted=frozenset((FixKind.TRACKER,))) == Mended(
        "http://a.example/x", (FixKind.TRACKER,)
    )
    ignored = citation(url)._replace(ignored=True)
    assert mend(ignored, new_place(ignored), WEB, lambda _: True) is None


def test_mending_what_is_mended_proposes_nothing():
    for url, place, secure in (
        ("http://a.example/x?utm_source=y", None, True),
        ("http://a.example/o?utm_source=y", moved("http://a.example/o", "https://a.example/n?gclid=1"), True),
    ):
        found = proposal(url, place, secure=secure)

        assert isinstance(found, Mended)
        assert proposal(found.url, secure=True) is None


OLD = "https://a.example/docs/v1/deep/page"


@pytest.mark.spec("TRK-14")
@pytest.mark.parametrize(
    ("final", "landing", "reason"),
    [
        ("https://a.example/landing", Landing(shared_with=2), "front page"),
        ("https://a.example/offers", Landing(shared_with=2), "2 other cited pages"),
        ("https://b.example/news", Landing(shared_with=1), "another cited page"),
        ("https://a.example/en/", Landing(), "front page"),
        ("https://a.example/pt-BR/", Landing(), "front page"),
        ("https://a.example/index.html", Landing(), "front page"),
        ("https://a.example/docs/", Landing(), "page above"),
        ("https://a.example/docs/v1/index.html", Landing(), "page above"),
        ("https://a.example/docs/v1/deep/guide", Landing(alike=0.12), "12% of the kept text"),
        ("https://a.example/login", Landing(alike=0.9), "login"),
        ("https://a.example/docs/v2/deep/page", Landing(lacks_section=True), "no such section"),
        ("http://b.example/docs/v1/deep/page", Landing(), "from https to http"),
        ("https://a.example/404.html", Landing(), "what is not there"),
        ("https://a.example/en/page-not-found", Landing(), "what is not there"),
        ("https://a.example/search?q=page", Landing(), "what is not there"),
    ],
)
def test_a_redirect_that_loses_what_was_cited_is_declined(final, landing, reason):
    found = proposal(OLD, moved(OLD, final), landing=landing)

    assert isinstance(found, Declined)
    assert reason in found.reason


@pytest.mark.spec("TRK-14")
@pytest.mark.parametrize(
    ("final", "landing"),
    [
        ("https://b.example/guide/page.html", Landing(shared_with=3)),  # it keeps its name
        ("https://a.example/docs/v1/page/", Landing()),
        ("https://b.example/other", Landing()),
        ("https://a.example/docs/", Landing(alike=0.97)),  # the text says that it is the same page
        ("https://a.example/landing", Landing(shared_with=4, alike=0.8)),
    ],
)
def test_a_redirect_that_keeps_what_was_cited_is_followed_and_says_how_alike(final, landing):
    assert proposal(OLD, moved(OLD, final), landing=landing) == Mended(
        final, (FixKind.REDIRECT,), landing.alike
    )


@pytest.mark.spec("TRK-14")
def test_a_query_that_named_the_page_is_not_dropped():
    url = "https://a.example/article.php?id=7"
    found = proposal(url, moved(url, "https://b.example/article.php"))
    assert isinstance(found, Declined)
    assert "without its query" in found.reason
    tracked = "https://a.example/article.php?utm_source=x"
    assert proposal(tracked, moved(tracked, "https://b.example/article.php")) == Mended(
        "https://b.example/article.php", (FixKind.REDIRECT,)
    )
    named = proposal(url, moved(url, "https://a.example/2012/a-title"))
    assert named == Mended("https://a.example/2012/a-title", (FixKind.REDIRECT,))


@pytest.mark.spec("TRK-14")
@pytest.mark.parametrize(
    ("odd", "reason"),
    [
        (PageWarning.SOFT_404, "says that it is not there"),
        (PageWarning.LOGIN_WALL, "a login"),
        (PageWarning.CONSENT_WALL, "cookies"),
    ],
)
def test_a_redirect_to_what_is_not_the_page_is_declined_whatever_its_address(odd, reason):
    place = moved(OLD, "https://a.example/docs/page")
    place = place._replace(notes=place.notes._replace(warnings=(odd.value,)))
    found = proposal(OLD, place, landing=Landing(alike=0.9))
    assert isinstance(found, Declined)
    assert reason in found.reason


@pytest.mark.spec("TRK-14")
def test_a_citation_whose_section_is_missing_at_the_target_is_left_alone():
    url = OLD + "#install"
    found = proposal(
        url,
        moved(url, "https://a.example/docs/v2/page"),
        cited=citation(url)._replace(finding=LinkState.FRAGMENT_MISSING),
    )
    assert "no such section" in found.reason


def dead(url):
    return new_place(citation(url))._replace(state=LinkState.NOT_FOUND, looks=Looks(2, THEN, LATER))


@pytest.mark.spec("TRK-14")
def test_a_dead_link_is_replaced_only_on_request_and_only_by_what_is_known():
    living = Substitutes(elsewhere="https://b.example/same", archived="https://archive.example/x")
    nothing = Substitutes(others=("a copy was kept: holdfast show X",))
    wanted = frozenset({FixKind.DEAD})

    assert FixKind.DEAD not in USUAL_FIXES
    assert proposal(OLD, dead(OLD), substitutes=living) is None
    assert proposal(OLD + "#s", dead(OLD), substitutes=living, wanted=wanted) == Mended(
        "https://b.example/same#s", (FixKind.DEAD,), 1.0
    )
    archived = proposal(OLD, dead(OLD), substitutes=living._replace(elsewhere=None), wanted=wanted)
    assert archived == Mended("https://archive.example/x", (FixKind.DEAD,))
    part = proposal(OLD + "#s", dead(OLD), substitutes=living._replace(elsewhere=None), wanted=wanted)
    assert part.url == "https://archive.example/x#s", "the section that was cited stays"
    assert proposal(OLD, dead(OLD), substitutes=nothing, wanted=wanted) == Declined(
        "it is dead; a copy was kept: holdfast show X"
    )
    suspect = dead(OLD)._replace(looks=Looks(1, THEN, LATER))
    assert proposal(OLD, suspect, substitutes=living, wanted=wanted) is None


def test_a_public_archive_is_named_by_the_last_day_on_which_the_page_lived():
    pattern = "https://archive.example/web/{date}/{url}"
    assert archived_address(pattern, dead(OLD)) == f"https://archive.example/web/20260101/{OLD}"
