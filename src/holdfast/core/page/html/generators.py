"""Where documentation generators put the content of a page, as data. A change of it is one of the Markdown
(`MARKDOWN_VERSION`); it moves no identity.

A row has the generator's name, selectors of the elements that together are the content (the first match
of each, in this order), a hint without which the row is skipped, and class names that are not content
inside. A selector is one compound: `tag`, `#id`, `.class`, `[name=value]`, in any sensible mix. The first
row whose elements hold enough of the page's text is taken (`main_content`).
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Generator(NamedTuple):
    """One row."""

    name: str
    main: tuple[str, ...]
    hint: str = ""
    drop: tuple[str, ...] = ()


_DOCBOOK_PARTS: Final = (
    "book", "article", "part", "reference", "chapter", "appendix", "preface", "glossary", "bibliography",
    "index", "refentry", "sect1", "section", "sect2", "sect3",
)  # fmt: skip
"""From the outside in: a chapter holds its sections, and its title is not a section's."""

GENERATORS: Final = (
    # Sphinx and its themes
    Generator("sphinx-furo", ("#furo-main-content",)),
    Generator("sphinx-furo", ("article[role=main]",)),
    Generator("sphinx-pydata", ("article.bd-article",), drop=("prev-next-area", "prev-next-footer")),
    Generator("sphinx-pydata", ("main.bd-content",), drop=("prev-next-area", "bd-sidebar", "bd-toc")),
    Generator("docusaurus", ("h1[itemprop=headline]", "#__blog-post-container")),
    Generator("sphinx-rtd", ("div[itemprop=articleBody]",)),
    Generator("sphinx-rtd", ("div.document[role=main]",)),
    Generator("sphinx", ("div.body[role=main]",)),
    Generator("sphinx-django", ("#docs-content",), hint="#docs-content"),
    Generator("sphinx-django", ("div.yui-g",), hint="#yui-main"),
    Generator("sphinx", ("div.body",), hint="div.documentwrapper"),
    Generator("sphinx-guzzle", ("div.document.body",), hint="#right-column"),
    Generator("sphinx-openstack", ("div.docs-body",), hint="div.docs-book-wrapper"),
    # Static site generators
    Generator(
        "mkdocs-material", ("article.md-content__inner",), drop=("md-source-file", "md-content__button")
    ),
    Generator("docusaurus", ("div.theme-doc-markdown",)),
    Generator("docusaurus", ("div.markdown",), hint="#__docusaurus"),
    Generator("vitepress", ("div.vp-doc",), drop=("lang",)),
    Generator("vuepress", ("div.theme-default-content",)),
    Generator("starlight", ("#_top", "div.sl-markdown-content")),
    Generator("nextra", ("main.nextra-content",), hint="main.nextra-content"),
    Generator("hugo-relearn", ("article.default",), hint="#R-body-inner"),
    Generator("hugo-docsy", ("div.td-content",), drop=("td-page-meta", "feedback--title")),
    Generator("hugo-book", ("article.book-article",)),
    Generator("hugo-geekdoc", ("article.gdoc-markdown",)),
    Generator("hugo-doks", ("div.docs-content",)),
    Generator("hextra", ("div.content",), hint="div.hextra-toc"),
    Generator("just-the-docs", ("#main-content",), hint="#main-content-wrap"),
    Generator("gitbook", ("section.markdown-section",)),
    Generator("gitbook", ("main.flex-1",), hint="div.gitbook-root"),
    Generator("readme", ("article.rm-Article",)),
    Generator("readme", ("div.rm-Markdown",)),
    Generator("mintlify", ("#content-area",)),
    Generator("antora", ("article.doc",)),
    Generator("rustdoc", ("#main-content",), hint="body.rustdoc"),
    Generator("rustdoc", ("#main",), hint="body.rustdoc"),
    Generator("mdbook", ("main",), hint="#mdbook-sidebar"),
    Generator("mdbook", ("main",), hint="#menu-bar"),
    Generator("mdbook", ("main",), hint="nav.sidebar"),
    Generator("slate", ("div.content",), hint="div.page-wrapper"),
    Generator("mkdocs", ("div[role=main]",)),
    # API documentation
    Generator("javadoc", ("main",), hint="meta[name=generator][content^=javadoc]"),
    Generator("javadoc", ("main",), hint="div.contentContainer"),
    Generator("javadoc", ("div.header", "div.contentContainer"), hint="div.contentContainer"),
    Generator("doxygen", ("div.headertitle", "div.contents"), hint="#doc-content", drop=("navpath",)),
    Generator("doxygen", ("div.headertitle", "div.contents"), hint="meta[name=generator][content^=Doxygen]"),
    Generator("doxygen", ("div.headertitle", "div.contents"), hint="div.headertitle"),
    Generator(
        "haddock",
        ("#module-header", "#content"),
        hint="#package-header",
        drop=("#table-of-contents", "link", "selflink"),
    ),
    Generator("yard", ("#content",), hint="#menu", drop=("showSource", "lines", "summary_toggle")),
    Generator("node", ("#apicontent",)),
    Generator("qdoc", ("div.context",), hint="div.qt-breadcrumb", drop=("sidebar",)),
    Generator("qdoc", ("div.content.mainContent",), drop=("sidebar",)),
    Generator("gtk-doc", ("div.refentry",), hint="meta[name=generator][content^=GTK-Doc]"),
    Generator("gi-docgen", ("#main",), hint="meta[name=generator][content^=gi-docgen]"),
    Generator("gi-docgen", ("section#main",), hint="#body-wrapper"),
    Generator("erlang-exdoc", ("#content",), hint="body.sidebar-opened"),
    Generator("crystal", ("div.main-content",), hint="meta[name=generator][content^=Crystal]"),
    Generator("nim", ("h1.title", "#content"), hint="#documentId"),
    Generator("nim", ("#documentId",), drop=("theme-switch-wrapper", "#global-links", "#searchInputDiv")),
    Generator("scaladoc", ("#definition", "#signature", "#comment", "#template"), hint="#mbrsel"),
    Generator("godoc", ("div.Documentation-content",)),
    Generator("typedoc", ("div.col-content",)),
    Generator("jsdoc", ("#main",), hint="meta[name=generator][content^=jsdoc]"),
    # Books, wikis, code hosts
    Generator("mediawiki", ("#firstHeading", "#mw-content-text"), drop=("mw-editsection", "printfooter")),
    Generator("mediawiki-cppreference", ("#firstHeading", "#bodyContent"), drop=("editsection", "t-navbar")),
    Generator("asciidoctor", ("#header", "#preamble", "#content", "#footnotes"), hint="body.article"),
    Generator("asciidoctor", ("#header", "#content", "#footnotes"), hint="body.manpage"),
    Generator("asciidoctor", ("#header", "#content", "#footnotes"), hint="body.book"),
    *(
        Generator("docbook", (f"div.{part}",), hint=hint)
        for hint in ("div.navheader", "div.spirit-nav", "meta[name=generator][content^=DocBook]")
        for part in _DOCBOOK_PARTS
    ),
    Generator("docbook", ("body",), hint="div.navheader"),
    Generator(
        "texinfo", ("body",), hint="meta[name=generator][content^=makeinfo]", drop=("header", "nav-panel")
    ),
    Generator(
        "texinfo", ("body",), hint="meta[name=generator][content^=texi2any]", drop=("header", "nav-panel")
    ),
    Generator("apache-httpd", ("#page-content",), hint="#quickview"),
    Generator("github", ("article.markdown-body",)),
    Generator("google-devsite", ("h1.devsite-page-title", "div.devsite-article-body")),
    Generator("aws", ("#main-col-body",)),
    Generator("wordpress", ("h1.entry-title", "div.entry-content")),
)
