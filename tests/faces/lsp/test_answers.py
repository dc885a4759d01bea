"""An editor's answers: unsaved text beside what is known. No network, no server, no editor."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

from helpers.growth import is_linear
from holdfast.adapters.fake_documents import MemoryDocuments
from holdfast.adapters.fake_web import MemoryClock
from holdfast.core.documents.editor_view import EditorPlace
from holdfast.core.findings.rule_codes import RuleCode
from holdfast.core.links.local_links import LocalOptions
from holdfast.core.url.hosts import HostRules
from holdfast.core.url.policy import policy
from holdfast.jobs.editing import EditorAnswers, EditorOptions, LocalPlace

GUIDE = b"# Guide\n\n## Set up\n\ntext\n\n## Set up\n"


def answers_of(files, reader=None):
    options = EditorOptions(policy("web"), HostRules(), LocalOptions())
    return EditorAnswers(
        MemoryDocuments(dict(files)), lambda: nullcontext(reader), lambda: 0, MemoryClock(), options
    )


@pytest.fixture
def answers():
    return answers_of({"docs/guide.md": GUIDE, "a.md": b"", "docs/pic one.png": b""})


def applied(answers, path, changes):
    """The text after changes, as an editor makes them."""
    view = answers.view(path)
    data = view.data
    for change in sorted(changes, reverse=True):
        start, end = view.offset(change.start), view.offset(change.end)
        data = data[:start] + change.text.encode() + data[end:]
    return data.decode()


@pytest.mark.spec("TRK-10", "TRK-11")
def test_unsaved_text_is_held_to_the_files_that_are_there(answers):
    answers.put(
        "a.md",
        "[a](docs/guide.md) [b](docs/nope.md) [c](docs/guide.md#set-up-1) [d](docs/guide.md#sett-up)\n",
    )
    codes = [(found.finding.code, found.link.mention.raw) for found in answers.findings("a.md")]
    assert codes == [
        (RuleCode.FILE_MISSING, "docs/nope.md"),
        (RuleCode.ANCHOR_MISSING, "docs/guide.md#sett-up"),
    ]


@pytest.mark.spec("TRK-10", "TRK-11")
def test_a_label_that_another_document_of_myst_may_have_is_not_judged_while_typing():
    text = "# A\n\n[x](#elsewhere)\n"
    alone, in_project = answers_of({"a.md": b""}), answers_of({"a.md": b"", "myst.yml": b""})
    for answers in (alone, in_project):
        answers.put("a.md", text)
    assert [found.finding.code for found in alone.findings("a.md")] == [RuleCode.ANCHOR_MISSING]
    assert in_project.findings("a.md") == ()


@pytest.mark.spec("TRK-10")
def test_the_unsaved_text_of_another_document_counts(answers):
    answers.put("a.md", "[a](docs/guide.md#later)\n")
    assert [found.finding.code for found in answers.findings("a.md")] == [RuleCode.ANCHOR_MISSING]
    answers.put("docs/guide.md", "# Guide\n\n## Later\n")
    assert answers.findings("a.md") == ()
    answers.drop("docs/guide.md")
    assert [found.finding.code for found in answers.findings("a.md")] == [RuleCode.ANCHOR_MISSING]


@pytest.mark.spec("TRK-10")
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_places_are_in_utf16_units(answers, line_end):
    text = line_end.join(("# 😀 é", "", "naïve 😀 [x](docs/né.md) end", ""))
    answers.put("a.md", text)
    (found,) = answers.findings("a.md")
    view = answers.view("a.md")
    start, end = view.range_of(found.link.mention.span)
    line = text.split(line_end)[2]
    units = line.encode("utf-16-le")
    assert start.line == end.line == 2
    assert units[start.character * 2 : end.character * 2].decode("utf-16-le") == "docs/né.md"
    assert view.link_at(EditorPlace(2, start.character + 3)) is found.link
    assert view.place(view.offset(start)) == start


@pytest.mark.spec("TRK-10")
def test_a_place_beyond_a_line_is_its_end(answers):
    answers.put("a.md", "é\nb\n")
    view = answers.view("a.md")
    assert view.offset(EditorPlace(0, 99)) == 2
    assert view.offset(EditorPlace(9, 9)) == len(view.data)


@pytest.mark.spec("TRK-10")
def test_a_better_address_is_written_as_the_format_wants_it(answers):
    answers.put("a.md", "[a](docs/Guide.md) [b](pic%20one.png)\n")
    offered = answers.actions("a.md", EditorPlace(0, 5), EditorPlace(0, 5))
    assert offered[0].title == "Write docs/guide.md"
    assert applied(answers, "a.md", offered[0].changes) == "[a](docs/guide.md) [b](pic%20one.png)\n"
    assert applied(answers, "a.md", answers.fix_all("a.md")) == "[a](docs/guide.md) [b](docs/pic%20one.png)\n"


@pytest.mark.spec("TRK-10")
def test_a_guess_is_offered_and_never_part_of_mending_all(answers):
    answers.put("a.md", "[a](docs/guide.md#set-upp)\n")
    titles = [each.title for each in answers.actions("a.md", EditorPlace(0, 6), EditorPlace(0, 6))]
    assert titles[0].startswith("Perhaps docs/guide.md#set-up")
    assert answers.fix_all("a.md") == ()


@pytest.mark.spec("TRK-10")
@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.md", "one\ntwo [a](nope.md) three\nfour\n"),
        ("a.md", "[a]\n\n[a]: nope.md\n"),
        ("a.html", "<p><a href='nope.png'>x</a></p>\n"),
        ("a.rst", "Title\n=====\n\nwords `a <nope.png>`_ words\nmore\n"),
        ("a.adoc", "words link:nope.png[x] words\nmore\n"),
        ("a.mdx", "two [a](nope.md) three\n"),
    ],
)
def test_an_ignore_is_written_so_that_it_is_obeyed(answers, path, text):
    answers.put(path, text)
    (found,) = answers.findings(path)
    start, _ = answers.view(path).range_of(found.link.mention.span)
    ignore = next(each for each in answers.actions(path, start, start) if each.title.startswith("Ignore"))
    after = applied(answers, path, ignore.changes)
    assert "holdfast: ignore" in after
    answers.put(path, after)
    assert answers.findings(path) == ()


@pytest.mark.spec("TRK-10")
def test_the_section_that_a_link_speaks_of_is_offered(answers):
    answers.put("a.md", "[Set up](docs/guide.md)\n")
    titles = [each.title for each in answers.actions("a.md", EditorPlace(0, 12), EditorPlace(0, 12))]
    assert titles[0] == "Cite the section “Set up”: docs/guide.md#set-up"


@pytest.mark.spec("TRK-10")
@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("[x](", ["a.md", "docs/"]),
        ("[x](docs/", ["guide.md", "pic one.png"]),
        ("[x](docs/g", ["guide.md"]),
        ("[x](docs/guide.md#", ["guide", "set-up", "set-up-1"]),
        ("# Here\n[x](#", ["here"]),
        ("[x]: do", ["docs/"]),
        ('<img src="docs/pic', ["pic one.png"]),
        ("no address here", []),
    ],
)
def test_files_and_sections_are_proposed(answers, text, labels):
    answers.put("a.md", text)
    last = text.split("\n")[-1]
    proposals = answers.complete("a.md", EditorPlace(text.count("\n"), len(last)))
    assert [each.label for each in proposals] == labels


@pytest.mark.spec("TRK-10")
def test_a_local_link_leads_to_its_heading(answers):
    answers.put("a.md", "[x](docs/guide.md#set-up)\n")
    assert answers.target("a.md", EditorPlace(0, 6)) == LocalPlace("docs/guide.md", 2)


@pytest.mark.spec("TRK-10")
def test_a_link_that_nobody_asked_for_is_judged_by_its_spelling(answers):
    answers.put("a.md", "<https://x.example/a?utm_source=b> <https://x.example/b>\n")
    assert [found.finding.code for found in answers.findings("a.md")] == [RuleCode.TRACKER]


@pytest.mark.spec("TRK-10")
def test_an_edit_costs_in_proportion_to_the_text(answers):
    def edit(count):
        answers.put(
            "a.md", "See [page](https://host.example/a/b) and [that](docs/guide.md#set-up).\n\n" * count
        )
        answers.findings("a.md")

    assert is_linear(edit, 400)


@pytest.mark.spec("TRK-10")
def test_what_was_looked_up_is_not_looked_up_again():
    asked = []

    class Counting:
        def known(self, keys, **_):
            asked.append(len(keys))
            return {}

    answers = answers_of({}, Counting())
    text = "".join(f"<https://host.example/{number}>\n" for number in range(100))
    for more in ("", "word", "word <https://host.example/new>"):
        answers.put("a.md", text + more)
        answers.findings("a.md")
    assert asked == [100, 1]


@pytest.mark.spec("TRK-9", "TRK-10")
def test_a_url_that_the_root_s_ignore_file_names_is_left_alone():
    text = "[a](https://docs.holdfast.dev/a?utm_source=mail)\n"
    ignores = b"https://docs.holdfast.dev/a they are moving\n"
    plain, ignoring = answers_of({"a.md": b""}), answers_of({"a.md": b"", ".holdfastignore": ignores})
    for answers in (plain, ignoring):
        answers.put("a.md", text)
    assert [found.finding.code for found in plain.findings("a.md")] == [RuleCode.TRACKER]
    assert ignoring.findings("a.md") == ()
    assert "ignored, by .holdfastignore" in ignoring.hover("a.md", EditorPlace(0, 6))[1]


@pytest.mark.spec("TRK-10")
def test_actions_are_for_all_links_of_a_selection_and_for_the_one_that_a_line_uses(answers):
    def written(first, last):
        offered = answers.actions("a.md", EditorPlace(0, first), EditorPlace(0, last))
        return [each.title for each in offered if each.title.startswith("Write")]

    answers.put("a.md", "[a](docs/Guide.md) [b](pic%20one.png)\n")
    assert written(5, 30) == ["Write docs/guide.md", "Write docs/pic%20one.png"]
    answers.put("a.md", "See [a].\n\n[a]: docs/Guide.md\n")
    assert written(5, 5) == ["Write docs/guide.md"]
    answers.put("a.md", "Nothing.\n\n[a](docs/Guide.md)\n")
    assert written(5, 5) == []


@pytest.mark.spec("TRK-19")
def test_an_editor_does_not_underline_what_nobody_can_judge():
    files = {"docfx.json": b"{}", "Guide.md": b"# Guide\n", "redirects.json": b'"/old/page"'}
    answers = answers_of(files)
    answers.put("a.md", "[a](guide.md) [b](gone.md) [c](old/page.md)\n")
    assert [found.link.mention.raw for found in answers.findings("a.md")] == ["gone.md"]
