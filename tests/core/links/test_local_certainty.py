"""What is wrong with a local link, and nobody can judge: a generator may make it right (TRK-19)."""

from datetime import date

import pytest

from holdfast.adapters.fake_documents import MemoryDocuments
from holdfast.core.documents.document_kinds import DocumentFormat
from holdfast.core.documents.headings import read_anchors
from holdfast.core.findings.rule_codes import RuleCode
from holdfast.core.links.anchors import heading_ids
from holdfast.core.links.local_links import LocalOptions
from holdfast.jobs.check.local import LocalChecker

pytestmark = pytest.mark.spec("TRK-19")

STRICT = LocalOptions(strict=True)
LAX = LocalOptions()


def judged(files, path, options=LAX):
    """The links of a document that are errors, and those that are not judged."""
    documents = MemoryDocuments({name: text.encode() for name, text in files.items()})
    told = LocalChecker(documents, options, date(2026, 1, 1)).findings([path])
    return [each.url for each in told.findings], [each.url for each in told.not_judged]


FROM_FILE = ["mkdocs.yml", "docusaurus.config.ts", "conf.py", "book.toml", "antora.yml", "_quarto.yml"]
FROM_PAGE = ["hugo.toml", "next.config.mjs", "_config.yml", "astro.config.mjs", "eleventy.config.js"]
DOCFX = ["docfx.json", ".openpublishing.publish.config.json"]


@pytest.mark.parametrize("config", ["go.mod", "package.json", ".cargo/config.toml", "theme/conf.py.in"])
@pytest.mark.parametrize("link", ["gone.md", "gone.png", "gone.pdf", "GUIDE.md", "/docs/gone.md"])
def test_without_a_generator_each_missing_file_is_an_error(config, link):
    files = {config: f'"{link}"', "docs/guide.md": "", "docs/a.md": f"[x]({link})\n"}
    assert judged(files, "docs/a.md") == ([link], [])


@pytest.mark.parametrize("config", [*FROM_FILE, *FROM_PAGE, *DOCFX, ".vitepress/config.mts"])
def test_a_document_that_is_not_there_is_an_error_in_each_of_the_generators_we_know(config):
    files = {config: "", "docs/a.md": "[x](gone.md)\n", "docs/b.md": ""}
    assert judged(files, "docs/a.md") == (["gone.md"], [])


@pytest.mark.parametrize("config", [*FROM_FILE, *FROM_PAGE, *DOCFX])
@pytest.mark.parametrize("static", ["static/img/pic.png", "static/img/other.png"])
def test_a_picture_may_lie_elsewhere_where_paths_start_at_the_page_and_one_of_its_name_does(config, static):
    files = {config: "", static: "", "docs/a.md": "![x](../img/pic.png)\n"}
    is_error = config not in FROM_PAGE or static.endswith("other.png")
    assert bool(judged(files, "docs/a.md")[0]) is is_error


@pytest.mark.parametrize(
    ("config", "is_error"), [("mkdocs.yml", True), ("docfx.json", False), ("hugo.yaml", False)]
)
def test_other_letters_are_an_error_where_the_generator_tells_them_apart(config, is_error):
    files = {config: "", "docs/guide.md": "", "docs/a.md": "[x](Guide.md)\n"}
    assert judged(files, "docs/a.md") == ((["Guide.md"], []) if is_error else ([], ["Guide.md"]))


@pytest.mark.parametrize("link", ["out.pdf", "book.epub", "feed.xml", "style.css", "report.HTML"])
def test_what_builds_make_is_not_judged(link):
    files = {"mkdocs.yml": "", "docs/a.html": f'<a href="{link}">x</a>', "docs/a.md": f"[x]({link})\n"}
    assert judged(files, "docs/a.html" if link == "report.HTML" else "docs/a.md") == ([], [link])


@pytest.mark.parametrize(
    ("config", "said", "is_error"),
    [
        ("redir/.openpublishing.redirection.sdk.json", '"source_path": "../docs/old/page.md"', False),
        ("redir/.openpublishing.redirection.sdk.json", '"source_path": "../docs/Old/Page.md"', False),
        ("redir/.openpublishing.redirection.sdk.json", '"source_path": "../docs/old/pages.md"', True),
        ("redir/.openpublishing.redirection.sdk.json", '"source_path": "../docs/older/page.md"', True),
        ("docs/docfx.json", '{"files": ["page.md"]}', False),
        ("static/_redirects", "/old/page /new 301", False),
        ("site/redirects.js", "['/old/page']", False),
        ("src/data.json", '"docs/old/page.md"', True),
    ],
)
def test_a_file_that_a_configuration_names_may_be_there_in_the_end(config, said, is_error):
    files = {"docfx.json": "", config: said, "docs/a.md": "[x](old/page.md)\n"}
    assert bool(judged(files, "docs/a.md")[0]) is is_error


def test_an_index_that_a_configuration_names_is_only_the_one_of_its_folder():
    files = {"mkdocs.yml": "nav: [index.md, old/index.md]", "a.md": "[x](new/index.md) [y](old/index.md)\n"}
    assert judged(files, "a.md") == (["new/index.md"], ["old/index.md"])


def test_the_links_of_a_piece_start_where_it_is_put():
    files = {"_quarto.yml": "", "docs/includes/_list.md": "[x](render.md)\n"}
    assert judged(files, "docs/includes/_list.md") == ([], ["render.md"])
    files["docs/includes/_list.md"] = "[x](/docs/render.md)\n"
    assert judged(files, "docs/includes/_list.md") == (["/docs/render.md"], [])


@pytest.mark.parametrize("config", [".eleventy.js", "_sidebar.md"])
def test_a_generator_that_looks_elsewhere_may_find_a_document_of_that_name(config):
    files = {config: "", "docs/there.md": "", "a/b.md": "[x](docs/there.md) [y](docs/gone.md)\n"}
    assert judged(files, "a/b.md") == (["docs/gone.md"], ["docs/there.md"])


def test_the_nearest_generator_governs_a_document_and_any_one_where_none_is_above_it():
    text = "![x](gone.png)\n"
    files = {
        "static/gone.png": "",
        "site/hugo.toml": "",
        "manual/mkdocs.yml": "",
        "site/a.md": text,
        "manual/a.md": text,
        "a.md": text,
    }
    assert judged(files, "manual/a.md")[0] == ["gone.png"]
    assert judged(files, "site/a.md")[0] == []
    assert judged(files, "a.md")[0] == []


def test_what_a_forge_shows_is_judged_whatever_generator_there_is():
    files = {"hugo.toml": "", "README.md": "![x](gone.png) [y](gone.pdf)\n"}
    assert judged(files, "README.md") == (["gone.png", "gone.pdf"], [])
    files = {"mkdocs.yml": "", "README.md": "# Title\n\n{{ x }}\n", "docs/a.md": "[x](../README.md#gone)\n"}
    assert judged(files, "docs/a.md") == (["../README.md#gone"], [])


@pytest.mark.parametrize(
    "text",
    [
        "<Tabs>\n\n</Tabs>\n",
        "Text <Badge text='x' /> text\n",
        "{{< tabs >}}\n",
        "{{ page.title }}\n",
        "{% data reusables.x %}\n",
        "> [!INCLUDE [x](../x.md)]\n",
        "Term\n: What it means\n",
        "```{python}\nplot()\n```\n",
        "``` {r}\nplot()\n```\n",
    ],
)
def test_a_place_is_not_judged_in_a_document_that_a_build_fills(text):
    files = {"mkdocs.yml": "", "docs/a.md": "[x](b.md#gone)\n", "docs/b.md": f"# Title\n\n{text}"}
    assert judged(files, "docs/a.md") == ([], ["b.md#gone"])
    assert judged(files, "docs/a.md", STRICT) == (["b.md#gone"], [])
    without = {name: text for name, text in files.items() if name != "mkdocs.yml"}
    assert judged(without, "docs/a.md") == (["b.md#gone"], [])


@pytest.mark.parametrize(
    "text",
    [
        "Plain words\n",
        "`<Tabs>` and `{{ x }}` in code\n",
        "```jsx\n<Tabs>\n{{ x }}\n: y\n```\n",
        "```python\nprint()\n```\n",
        "<details>\n\n</details>\n",
        "a: b\n",
        "`a`: b\n",
        "Vec<T> and <LOKI_VERSION> and \\<T>\n",
        "````markdown\n```{python}\nplot()\n```\n````\n",
        "<!-- this file is generated -->\n",
    ],
)
@pytest.mark.parametrize("config", ["go.mod", "mkdocs.yml", "hugo.toml"])
def test_a_place_in_plain_markdown_is_judged(text, config):
    files = {config: "", "a.md": "[x](b.md#gone)\n", "b.md": f"# Title\n\n{text}"}
    assert judged(files, "a.md") == (["b.md#gone"], [])


def test_a_fragment_with_a_slash_is_no_id():
    files = {"docfx.json": "", "a.md": "# Title\n\n# [Windows](#tab/windows)\n"}
    assert judged(files, "a.md") == ([], ["#tab/windows"])


def test_strict_reading_judges_each_of_them():
    files = {
        "docfx.json": "",
        "docs/guide.md": "",
        "docs/a.md": "[x](Guide.md) [y](gone.pdf) [z](no.css)\n",
    }
    assert judged(files, "docs/a.md") == ([], ["Guide.md", "gone.pdf", "no.css"])
    assert judged(files, "docs/a.md", STRICT) == (["Guide.md", "gone.pdf", "no.css"], [])


@pytest.mark.spec("TRK-11")
def test_labels_and_mail_addresses_are_judged_whatever_generator_there_is():
    files = {"conf.py": "", "a.rst": ":ref:`gone` `x <mailto:a@>`_\n"}
    documents = MemoryDocuments({name: text.encode() for name, text in files.items()})
    told = LocalChecker(documents, LAX, date(2026, 1, 1)).findings(["a.rst"])
    assert {each.code for each in told.findings} == {RuleCode.ANCHOR_MISSING, RuleCode.MAIL_MALFORMED}


@pytest.mark.spec("TRK-11")
def test_an_id_in_a_comment_of_mdx_needs_no_mark():
    anchors = read_anchors(b"### `setState(next)` {/*setstate*/}\n", DocumentFormat.MARKDOWN)
    assert not anchors.lacks("setstate")
    assert anchors.lacks("setstates")


@pytest.mark.spec("TRK-11")
def test_a_heading_without_a_letter_is_a_section():
    assert {"section", "section-1", "section-2"} <= heading_ids(["$$", "$?", "$^"])
    assert "section" not in heading_ids(["$Args"])
