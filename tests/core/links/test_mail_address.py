"""Mail addresses by their syntax alone."""

import pytest

from holdfast.core.links.local_links import mail_problem

pytestmark = pytest.mark.spec("TRK-11")


@pytest.mark.parametrize(
    "url",
    [
        "mailto:a@b.c",
        "MAILTO:first.last+tag@sub.host.org",
        "mailto:a@b.c,d@e.f?subject=Hello%20you",
        "mailto:?subject=Read%20this&to=a@b.c",
        "mailto:?subject=Tell%20a%20friend",
        "mailto:gorby%25kremvax@host.org",
        "mailto:%22not%40me%22@host.org",
        "mailto:用户@例子.公司",
        "mailto:user@[192.0.2.1]",
        "mailto:o'neil@host.org",
    ],
)
def test_what_could_be_an_address_is_fine(url):
    assert mail_problem(url) is None


@pytest.mark.parametrize(
    ("url", "word"),
    [
        ("mailto:", "no address"),
        ("mailto:nobody", "no @"),
        ("mailto:@host.org", "before the @"),
        ("mailto:a..b@host.org", "before the @"),
        ("mailto:a b@host.org", "before the @"),
        ("mailto:a@", "after the @"),
        ("mailto:a@-host.org", "after the @"),
        ("mailto:a@host..org", "after the @"),
        ("mailto:a@host_.org", "after the @"),
        ("mailto:a@b.c,", "empty"),
        ("mailto:https://host.org/a", "no @"),
    ],
)
def test_what_cannot_be_one_is_told(url, word):
    assert word in (mail_problem(url) or "")
