"""Cited URLs that the root's ignore file names do not count (TRK-9)."""

from datetime import date

import pytest

from helpers.ledger_cases import memory_ledger, session_of
from helpers.web_standard import WEB_STANDARD
from holdfast.adapters.fake_documents import MemoryDocuments
from holdfast.adapters.fake_web import MemoryClock
from holdfast.core.documents.ignore_file import read_ignore_file
from holdfast.core.findings.ignore import UrlIgnore, read_url_ignores, with_url_ignore
from holdfast.core.findings.rule_codes import RuleCode
from holdfast.jobs.check.check import Tracker
from holdfast.jobs.check.options import TrackOptions

pytestmark = pytest.mark.spec("TRK-9")
IGNORES = ".holdfastignore"


class Root:
    """Documents that are checked again and again."""

    def __init__(self, **files):
        self.files = MemoryDocuments({name.replace("_", "."): text.encode() for name, text in files.items()})
        self.session = session_of(memory_ledger(), clock=MemoryClock())

    def track(self, ignores=None):
        if ignores is not None:
            self.files.write(IGNORES, ignores.encode())
        options = TrackOptions(manifests=False)
        return Tracker(self.files, self.session, WEB_STANDARD, options).report()


def ignored(result):
    return sorted(
        f"{link.document}:{link.line} {link.citation.mention.raw}"
        for entry in result.cited
        for link in entry.backlinks
        if link.citation.ignored
    )


def test_a_url_is_ignored_wherever_it_is_cited_in_any_spelling():
    root = Root(a_md="<https://E.org/x?b=1>\n<https://e.org/y>", b_md="[x](https://e.org:443/x?b=1#part)")
    result = root.track("https://e.org/x?b=1 it is behind a login\n")
    assert ignored(result) == ["a.md:1 https://E.org/x?b=1", "b.md:1 https://e.org:443/x?b=1#part"]
    assert result.read.problems == ()


def test_a_section_is_ignored_alone():
    root = Root(a_md="<https://e.org/x#one>\n<https://e.org/x#two>\n<https://e.org/x>")
    assert ignored(root.track("https://e.org/x#two it is made by a script")) == ["a.md:2 https://e.org/x#two"]


def test_documents_that_nobody_touched_follow_the_file():
    root = Root(a_md="<https://e.org/x>")
    assert ignored(root.track()) == []
    assert ignored(root.track("https://e.org/x gone for a week")) == ["a.md:1 https://e.org/x"]
    assert root.track().read.parsed == 0
    assert ignored(root.track("")) == []


def test_what_is_wrong_with_a_line_is_told_and_it_is_not_obeyed():
    root = Root(a_md="<https://e.org/x> <https://e.org/y> <https://e.org/z>")
    result = root.track(
        "https://e.org/x\nhttps://e.org/y until soon they promised\n"
        "https://e.org/z until 2020-01-31 they moved\nhttps://e.org/nobody cites this\n"
    )
    assert ignored(result) == []
    assert [(each.path, each.line, each.code) for each in result.read.problems] == [
        (IGNORES, 1, RuleCode.IGNORE_UNCLEAR),
        (IGNORES, 2, RuleCode.IGNORE_UNCLEAR),
        (IGNORES, 3, RuleCode.IGNORE_EXPIRED),
        (IGNORES, 4, RuleCode.IGNORE_UNUSED),
    ]


def test_a_line_that_names_a_url_leaves_no_file_out():
    assert read_ignore_file("https://e.org/x why\nftp://x/*\n", "") == ()
    assert [pattern.written for pattern in read_ignore_file("https:/x\nbuilt/", "")] == ["https:/x", "built/"]


def test_what_is_written_is_read_again():
    text = with_url_ignore("# ours\r\nbuilt/\r\n", "https://e.org/x#a", "  two\tspaces ", date(2027, 1, 31))
    assert text == "# ours\r\nbuilt/\r\nhttps://e.org/x#a until 2027-01-31 two spaces\n"
    assert read_url_ignores(text)[0] == (UrlIgnore(3, "https://e.org/x#a", "two spaces", date(2027, 1, 31)),)
    again = with_url_ignore(text, "https://e.org/x#a", "another reason", None)
    assert again == "# ours\r\nbuilt/\r\nhttps://e.org/x#a another reason\n"
    assert with_url_ignore("", "https://e.org/", "why", None) == "https://e.org/ why\n"


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("e.org", "why"),
        ("https://e.org/a b", "why"),
        ("https://e.org/", ""),
        ("https://e.org/", "until soon"),
    ],
)
def test_what_would_be_read_otherwise_is_not_written(url, reason):
    with pytest.raises(ValueError, match="one line"):
        with_url_ignore("", url, reason, None)
