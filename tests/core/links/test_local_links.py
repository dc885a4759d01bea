"""Where local links lead, and what is wrong with them (TRK-11)."""

from datetime import date

import pytest

from holdfast.adapters.fake_documents import MemoryDocuments
from holdfast.core.documents.document_kinds import DocumentFormat
from holdfast.core.documents.headings import read_anchors
from holdfast.core.findings.rule_codes import RuleCode
from holdfast.core.links.anchors import DocumentAnchors, heading_ids
from holdfast.core.links.file_tree import FileTree
from holdfast.core.links.local_links import (
    LocalOptions,
    LocalProblem,
    LocalTarget,
    judge,
    relative_link,
    rooted_link,
)
from holdfast.jobs.check.local import LocalChecker

pytestmark = pytest.mark.spec("TRK-11")

TREE = FileTree(
    [
        "README.md",
        "docs/index.md",
        "docs/guide.md",
        "docs/a/deep.md",
        "docs/Images/Logo.png",
        "docs/b/README.md",
        "docs/ümlaut file.md",
        "src/x.py",
        "site/page.html",
        "book/ch1.adoc",
        "images/pic.png",
        "docs/only/one.svg",
    ],
    ["node_modules"],
)
PLAIN = LocalOptions()


@pytest.mark.parametrize(
    ("document", "url", "path"),
    [
        ("docs/index.md", "guide.md", "docs/guide.md"),
        ("docs/index.md", "./guide.md?x=1#part", "docs/guide.md"),
        ("docs/index.md", "../README.md", "README.md"),
        ("docs/index.md", "guide", "docs/guide.md"),
        ("docs/index.md", "guide/", "docs/guide.md"),
        ("docs/index.md", "guide.html", "docs/guide.md"),
        ("docs/guide.md", "../a/deep/", "docs/a/deep.md"),
        ("docs/index.md", "b/", "docs/b/README.md"),
        ("docs/index.md", "b#part", "docs/b/README.md"),
        ("docs/index.md", "%C3%BCmlaut%20file.md", "docs/ümlaut file.md"),
        ("docs/index.md", "../src/x.py#L12", "src/x.py"),
        ("docs/index.md", "../node_modules/x/y.js", "node_modules/x/y.js"),
        ("docs/index.md", "/docs/guide.md", "docs/guide.md"),
        ("docs/index.md", "#part", "docs/index.md"),
        ("book/ch1.adoc", "images/pic.png", "images/pic.png"),
    ],
)
def test_a_link_leads_to_a_file(document, url, path):
    target = judge(document, url, TREE, PLAIN)
    assert target is not None
    assert (target.path, target.problem) == (path, None)


@pytest.mark.parametrize(
    ("document", "url", "problem", "instead"),
    [
        ("docs/index.md", "gone.md", LocalProblem.MISSING, None),
        ("docs/index.md", "gone.md#part", LocalProblem.MISSING, None),
        ("docs/index.md", "Guide.md", LocalProblem.CASE, "docs/guide.md"),
        ("docs/index.md", "images/logo.png", LocalProblem.CASE, "docs/Images/Logo.png"),
        ("docs/index.md", "one.svg", LocalProblem.MISSING, "docs/only/one.svg"),
        ("docs/a/deep.md", "guide.md", LocalProblem.MISSING, "docs/guide.md"),
        ("site/page.html", "gone.html", LocalProblem.MISSING, None),
    ],
)
def test_what_is_not_there_is_told_with_what_it_may_be(document, url, problem, instead):
    target = judge(document, url, TREE, PLAIN)
    assert target is not None
    assert (target.problem, target.instead) == (problem, instead)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "https://e.org",
        "//e.org/x",
        "mailto:a@b.org",
        "a@b.org",
        "{{ x }}.md",
        "{% url %}",
        "@site/x.md",
        "~x.png",
        "../../out.md",
        "/gone.md",
        "route",
        "gone.html",
        "data:image/png;base64,x",
        "tel:1",
        "!loader!x.md",
        "<x>.md",
    ],
)
def test_what_nobody_can_judge_is_not_judged(url):
    assert judge("docs/index.md", url, TREE, PLAIN) is None


def test_a_slash_at_the_start_means_the_root_dir():
    options = LocalOptions(root_dir="docs")
    assert judge("docs/a/deep.md", "/guide.md", TREE, options) == LocalTarget("docs/guide.md")
    gone = judge("docs/a/deep.md", "/gone.md", TREE, options)
    assert gone is not None
    assert gone.problem is LocalProblem.MISSING


def test_docusaurus_looks_from_the_folders_above():
    tree = FileTree(["w/docusaurus.config.ts", "w/docs/a/b.mdx", "w/docs/c.mdx"])
    assert judge("w/docs/a/b.mdx", "c.mdx", tree, PLAIN) == LocalTarget("w/docs/c.mdx")


def test_wiki_links_lead_to_a_name_wherever_it_lies():
    options = LocalOptions(wiki_links=True)
    assert judge("README.md", "wiki:deep#part", TREE, options) == LocalTarget("docs/a/deep.md", "part")
    assert judge("README.md", "wiki:a/deep", TREE, options) == LocalTarget("docs/a/deep.md")
    gone = judge("README.md", "wiki:nowhere", TREE, options)
    assert gone is not None
    assert gone.problem is LocalProblem.MISSING


def test_a_link_is_written_from_the_document():
    assert relative_link("docs/a/deep.md", "docs/guide.md") == "../guide.md"
    assert relative_link("README.md", "docs/ümlaut file.md") == "docs/%C3%BCmlaut%20file.md"


@pytest.mark.parametrize(
    ("heading", "ids"),
    [
        ("Hello, World!", {"hello-world"}),
        ("C++ & Rust", {"c--rust", "c-rust"}),
        ("Überschrift Größe", {"überschrift-grösse", "uberschrift-gro-e", "uberschrift-groe"}),
        ("1. First step", {"1-first-step", "first-step"}),
        ("foo_bar baz", {"foo_bar-baz"}),
        ("A section", {"_a_section", "a-section"}),
    ],
)
def test_the_ids_that_renderers_make(heading, ids):
    made = heading_ids([heading])
    assert len(ids & made) >= 1
    assert not DocumentAnchors(generated=made).lacks(min(ids & made))


def test_a_second_heading_of_one_text_gets_a_number():
    assert {"a", "a-1", "a_1", "a-2"} <= heading_ids(["A", "A", "A"])


@pytest.mark.parametrize(
    ("kind", "text", "there", "gone"),
    [
        (
            DocumentFormat.MARKDOWN,
            "# A `b` c {#own}\n\n<a name=x></a>\n\nText\n{: #ial }\n\n(myst)=\n## Two\n",
            ["a-b-c", "own", "x", "ial", "myst", "two", "A-b-C", "user-content-two"],
            ["b", "twoo"],
        ),
        (
            DocumentFormat.MARKDOWN,
            "Title\n=====\n\n```\n# code\n```\n\n[^1]: note\n",
            ["title", "fn:1"],
            ["code"],
        ),
        (DocumentFormat.MDX, '# A {/* #own */}\n\n<B id="c" />\n', ["own", "c"], ["d"]),
        (
            DocumentFormat.MDX,
            "# A\n\n<Table>\n\n| Name | What |\n| --- | --- |\n| `inDev` | x |\n\n</Table>\n",
            ["inDev"],
            ["what"],
        ),
        (
            DocumentFormat.MARKDOWN,
            ":::tip\nWords\n:::\n\n## One\n\n```rust\n{{#include ../x.rs}}\n```\n<<< @/code.js\n",
            ["one"],
            ["two"],
        ),
        (
            DocumentFormat.MARKDOWN,
            '## A ![b](c.png)\n\n<h2 id>In <b>HTML</b></h2>\n\n=== "Tab one"\n\n    ### Under it\n',
            ["a", "a-", "a-b", "in-html", "tab-one", "under-it"],
            ["b"],
        ),
        (DocumentFormat.MARKDOWN, "## Multi-root x86_64\n", ["multiroot-x8664", "multi-root-x86_64"], ["x"]),
        (
            DocumentFormat.MDX,
            "<Steps>\nOne\n</Steps>\n## Manual `setup`\n\n```sh\n# code\n```\n",
            ["manual-setup"],
            ["code"],
        ),
        (
            DocumentFormat.MARKDOWN,
            "# A\n\n{% configuration %}\nopen_cover:\n  type: string\n{% endconfiguration %}\n",
            ["open_cover", "type"],
            ["close_cover"],
        ),
        (DocumentFormat.ASCIIDOC, "= A\n\n----\ninclude::example$x.rb[]\n----\n", ["_a"], ["b"]),
        (
            DocumentFormat.RST,
            "Title Here\n==========\n\n.. _my label:\n\nText\n\n..  _spaced:\n",
            ["title-here", "my-label", "spaced"],
            ["other"],
        ),
        (
            DocumentFormat.ASCIIDOC,
            "= Doc\n\n[[own]]\n== Section One\n\n[#two]\ntext anchor:three[]\n",
            ["own", "_section_one", "two", "three", "section-one"],
            ["four"],
        ),
        (DocumentFormat.HTML, "<p id=a><a name='b'>", ["a", "b"], ["c"]),
        (
            DocumentFormat.NOTEBOOK,
            '{"cells": [{"cell_type": "markdown", "source": ["# A B\\n"]}]}',
            ["A-B"],
            ["c"],
        ),
    ],
)
def test_the_places_of_a_document(kind, text, there, gone):
    anchors = read_anchors(text.encode(), kind)
    assert [name for name in there if anchors.lacks(name)] == []
    assert [name for name in gone if not anchors.lacks(name)] == []


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (DocumentFormat.MARKDOWN, '--8<-- "x.md"'),
        (DocumentFormat.MARKDOWN, "{{#include x.md}}"),
        (DocumentFormat.MARKDOWN, "# A\n\n::: package.module\n"),
        (DocumentFormat.MARKDOWN, "# A {% data x %}\n"),
        (DocumentFormat.MARKDOWN, "# A\n\n```{include} x.md\n```\n"),
        (DocumentFormat.MDX, 'import Part from "./_part.mdx"\n\n# A\n'),
        (DocumentFormat.RST, ".. autoclass:: x\n"),
        (DocumentFormat.ASCIIDOC, "include::x.adoc[]"),
        (DocumentFormat.ASCIIDOC, "include::{part}[]"),
        (DocumentFormat.TEXT, "x"),
    ],
)
def test_a_document_that_takes_in_others_is_not_judged(kind, text):
    assert not read_anchors(text.encode(), kind).lacks("whatever")


@pytest.mark.parametrize("fragment", ["L12", "/route", "!x", ":~:text=a", "top", ""])
def test_what_is_no_place_is_not_judged(fragment):
    assert not DocumentAnchors().lacks(fragment)


def test_the_nearest_heading_is_proposed():
    assert (
        DocumentAnchors(generated=heading_ids(["Installing on Linux"])).near("instaling-on-linux")
        == "installing-on-linux"
    )


def test_ids_of_html_may_hold_quotes_and_entities():
    page = (
        b'<h2 id="O\'Malley"></h2><p id=\'a"b\'></p><a name="x&amp;y"></a><i id=bare></i>'
        b'<b id="&quot;q&quot;"></b>'
    )
    anchors = read_anchors(page, DocumentFormat.HTML)
    for fragment in ("O'Malley", "a%22b", "x&y", "bare", "%22q%22"):
        assert not anchors.lacks(fragment), fragment
    assert anchors.lacks("q")
    assert anchors.lacks("o'malley"), "browsers tell the case of ids apart"


def test_a_query_alone_stays_in_the_document():
    target = judge("a/b.html", "?x=1#part", FileTree(["a/b.html"]), LocalOptions())
    assert target is not None
    assert (target.path, target.fragment) == ("a/b.html", "part")


SITE = FileTree(
    ["README.md", "mkdocs.yml", "docs/de/index.md", "docs/en/index.md", "docs/en/news.md", "docs/x/news.md"]
)


def problem_of(document, url, tree):
    target = judge(document, url, tree, PLAIN)
    return target and target.problem


def test_what_only_another_language_has_is_taken_from_there():
    assert judge("docs/de/index.md", "news.md", SITE, PLAIN).path == "docs/en/news.md"
    assert problem_of("docs/de/index.md", "olds.md", SITE) is LocalProblem.MISSING
    assert problem_of("docs/x/y.md", "index.md", FileTree(["docs/z/index.md"])) is LocalProblem.MISSING


@pytest.mark.parametrize(
    ("document", "files", "told"),
    [
        ("README.md", ["mkdocs.yml"], True),
        ("docs/README.md", [], True),
        ("docs/README.de.md", [], True),
        ("docs/README.md", ["mkdocs.yml"], False),
        ("docs/README.md", ["site/.vitepress/config.mts"], False),
        ("docs/guide.md", [], False),
    ],
)
def test_a_file_that_forges_show_may_not_name_a_file_without_extension_that_is_not_there(
    document, files, told
):
    tree = FileTree(["README.md", *files])
    assert (problem_of(document, "LICENSE", tree) is LocalProblem.MISSING) is told
    assert problem_of(document, "LICENSE", FileTree([*files, "LICENSE", "docs/LICENSE"])) is None


def test_a_source_that_is_named_from_the_root_is_judged_where_its_folder_is():
    assert problem_of("docs/guide.md", "/docs/gone.md", TREE) is LocalProblem.MISSING
    assert judge("docs/guide.md", "/docs/b/README.md#part", TREE, PLAIN).fragment == "part"
    assert judge("docs/guide.md", "/elsewhere/gone.md", TREE, PLAIN) is None
    assert judge("docs/guide.md", "/docs/gone.png", TREE, PLAIN) is None, "a site has its own root"
    assert judge("site/page.html", "/docs/gone.md", TREE, PLAIN) is None


@pytest.mark.parametrize(
    ("path", "text", "told"),
    [
        ("a.md", "# Title\n\n[x](#gone)\n", True),
        ("terms/a.md", "---\ntitle: A\n---\n[x](#term-b)\n", False),
        ("_part.mdx", "# Part\n\n[x](#gone)\n", False),
        ("partials/part.md", "# Part\n\n[x](#gone)\n", False),
        ("fragments/a.md", "# Title\n\n[x](#gone)\n", True),
        ("_index.md", "# Start\n\n[x](#gone)\n", True),
    ],
)
def test_a_piece_is_put_into_a_page_that_may_have_what_it_names(path, text, told):
    documents = MemoryDocuments({path: text.encode()})
    found = LocalChecker(documents, PLAIN, date(2026, 1, 1)).findings([path]).findings
    assert [finding.code for finding in found] == [RuleCode.ANCHOR_MISSING] * told


@pytest.mark.spec("TRK-14")
@pytest.mark.parametrize(
    ("link", "instead"),
    [
        ("moved.md", "new/moved.md"),
        ("moved.md#part", "new/moved.md#part"),
        ("moved.md#lost", None),
        ("old/pic.png?raw=true", "new/pic.png?raw=true"),
        ("/docs/moved.md#part", "/docs/new/moved.md#part"),
        ("twice.md", None),
    ],
)
def test_a_moved_file_is_proposed_with_all_that_the_link_says_or_not_at_all(link, instead):
    files = {
        "docs/a.md": f"[x]({link})\n",
        "docs/new/moved.md": "# Part\n",
        "docs/new/pic.png": "",
        "docs/b/twice.md": "",
        "docs/c/twice.md": "",
    }
    documents = MemoryDocuments({path: text.encode() for path, text in files.items()})
    (found,) = LocalChecker(documents, PLAIN, date(2026, 1, 1)).findings(["docs/a.md"]).findings
    assert found.code is RuleCode.FILE_MISSING
    assert (found.suggestion and found.suggestion.text) == instead


def test_a_link_from_the_root_dir_stays_one():
    options = LocalOptions(root_dir="docs")
    assert rooted_link("docs/a b.md", options) == "/a%20b.md"
    assert rooted_link("src/a.md", options) is None


def test_a_page_may_have_a_dot_in_its_name():
    tree = FileTree(["docs/a.md", "pages/node.js.md"])
    assert judge("docs/a.md", "node.js", tree, PLAIN) is None
    assert problem_of("docs/a.md", "deno.js", tree) is LocalProblem.MISSING
    assert judge("docs/a.md", "webjars/x/y.js", tree, PLAIN) is None


@pytest.mark.parametrize(
    ("path", "text", "told"),
    [
        ("site/a.html", '<a href="gone.html">x</a>', True),
        ("site/a.html", '<a th:href="@{/}" href="gone.html">x</a>', False),
        ("site/a.html", '<%= x %><a href="gone.html">x</a>', False),
        ("app/templates/deep/a.html", '<a href="gone.html">x</a>', False),
        ("_layouts/a.html", '<a href="gone.html">x</a>', False),
        ("templates/a.md", "[x](gone.md)", True),
    ],
)
def test_html_that_a_program_fills_in_is_not_judged(path, text, told):
    documents = MemoryDocuments({path: text.encode()})
    found = LocalChecker(documents, PLAIN, date(2026, 1, 1)).findings([path]).findings
    assert [finding.code for finding in found] == [RuleCode.FILE_MISSING] * told


def test_an_id_may_have_that_of_the_heading_above_before_it():
    anchors = read_anchors(b"## Options\n\n### envPrefix\n", DocumentFormat.MARKDOWN)
    assert not anchors.lacks("Options-envPrefix")
    assert anchors.lacks("Options-suffix")


def test_what_leads_out_of_a_book_is_not_judged():
    tree = FileTree(["doc/book.toml", "doc/src/ref/a.md", "doc/src/b.md"])
    assert judge("doc/src/ref/a.md", "../../reference/x.md", tree, PLAIN) is None
    assert problem_of("doc/src/ref/a.md", "../x.md", tree) is LocalProblem.MISSING


def test_a_folder_is_one_of_the_file_or_of_its_page():
    files = {
        "docs/_index.md": "# Docs\n",
        "docs/set/_index.md": "# Set\n\n## Here\n",
        "docs/set/a.md": "# A\n\n[x](../#here) [y](../#nowhere)\n",
    }
    documents = MemoryDocuments({path: text.encode() for path, text in files.items()})
    found = LocalChecker(documents, PLAIN, date(2026, 1, 1)).findings(["docs/set/a.md"]).findings
    assert [finding.url for finding in found] == ["../#nowhere"]


def test_docusaurus_looks_above_a_document_whose_configuration_lies_beside_its_folder():
    tree = FileTree(["website/docusaurus.config.js", "docs/view.md", "docs/legacy/a.md"])
    assert judge("docs/legacy/a.md", "view.md", tree, PLAIN) == LocalTarget("docs/view.md")
    assert problem_of("docs/legacy/a.md", "gone.md", tree) is LocalProblem.MISSING
