"""Small pages in the markup of the generators: the content whole, the furniture gone (TXT-1, TXT-4)."""

from datetime import UTC, datetime

import pytest

from helpers.rendering import markdown_of
from holdfast.core.page.distill_options import distill
from holdfast.core.page.html.main_content import find_main
from holdfast.core.page.html.tree import parse_html
from holdfast.core.page.python_reader import WANTED
from holdfast.core.url.policy import Recipe
from holdfast.core.url.url import parse_url
from holdfast.core.web.capture import Capture

# ruff: noqa: E501 - markup reads best unbroken

pytestmark = pytest.mark.spec("TXT-1")


def distilled(html):
    url = parse_url("https://docs.example/")
    headers = (("content-type", "text/html"),)
    capture = Capture(url, url, 200, headers, html.encode(), datetime(2026, 1, 1, tzinfo=UTC))
    return distill(capture, Recipe.parse("http_snapshot_url_v1_text_v1"))


MENU = "".join(f'<li><a href="/m/{number}">Menu entry {number}</a></li>' for number in range(80))
TEXT = "<p>Install it first, then read on.</p>"
DOCUSAURUS_CODE = (
    '<div class="language-bash codeBlockContainer_x theme-code-block"><div class="codeBlockContent_x">'
    '<pre tabindex="0" class="prism-code language-bash"><code class="codeBlockLines_x">'
    '<span class="token-line"><span class="token plain">npm i</span><br></span>'
    '<span class="token-line"><span class="token plain">npm run</span><br></span></code></pre>'
    '<div class="buttonGroup_x"><button aria-label="Copy code">Copy</button></div></div></div>'
)
DOCUSAURUS_NOTE = (
    '<div class="theme-admonition theme-admonition-note admonition_x alert alert--secondary">'
    '<div class="admonitionHeading_x"><span class="admonitionIcon_x"><svg></svg></span>note</div>'
    '<div class="admonitionContent_x"><p>Mind the gap.</p></div></div>'
)
VITEPRESS_CODE = (
    '<div class="language-js vp-adaptive-theme line-numbers-mode"><button title="Copy Code" class="copy"></button>'
    '<span class="lang">js</span><pre class="shiki vp-code"><code><span class="line"><span>let a</span></span>\n'
    '<span class="line"><span>let b</span></span></code></pre><div class="line-numbers-wrapper" aria-hidden="true">'
    '<span class="line-number">1</span><br><span class="line-number">2</span><br></div></div>'
)
STARLIGHT_CODE = (
    '<div class="expressive-code"><figure class="frame"><figcaption class="header"></figcaption>'
    '<pre data-language="ts"><code><div class="ec-line"><div class="code">let a</div></div>'
    '<div class="ec-line"><div class="code">let b</div></div></code></pre>'
    '<div class="copy"><button title="Copy to clipboard"></button></div></figure></div>'
)
MATERIAL_CODE = (
    '<div class="language-python highlight"><pre><span></span><code><a id="l1" name="l1" href="#l1"></a>'
    '<span class="kn">import</span> os\n</code></pre></div>'
)
NOTE = "> **Note**\n>\n> Mind the gap."

PAGES = {
    "docusaurus": (
        (f'<div id="__docusaurus"><nav class="navbar">{MENU}</nav><main><div class="row"><div class="col">'
        '<article><nav class="theme-doc-breadcrumbs">Home</nav><span class="theme-doc-version-badge">2.x</span>'
        '<div class="theme-doc-toc-mobile"><button>On this page</button></div>'
        '<div class="theme-doc-markdown markdown"><header><h1>Start</h1></header>'
        f'{TEXT}{DOCUSAURUS_NOTE}<h2 class="anchor" id="a">Run<a href="#a" class="hash-link">\u200b</a></h2>'
        f'{DOCUSAURUS_CODE}</div><footer class="theme-doc-footer"><a class="theme-edit-this-page" href="/e">Edit'
        '</a></footer></article><nav class="pagination-nav">Next</nav></div></div></main></div>'),
        (f"# Start\n\nInstall it first, then read on.\n\n{NOTE.replace('Note', 'note')}\n\n"
        '## <a id="a"></a>Run\n\n```bash\nnpm i\nnpm run\n```\n'),
    ),
    "vitepress": (
        (f'<div class="Layout"><header class="VPNav">{MENU}</header><div class="VPContent"><div class="VPDoc">'
        '<div class="aside"><nav>On this page</nav></div><div class="content"><main class="main">'
        '<div class="vp-doc _guide"><div><h1 id="start">Start <a class="header-anchor" href="#start">\u200b</a></h1>'
        f'{TEXT}<div class="tip custom-block"><p class="custom-block-title">TIP</p><p>Mind the gap.</p></div>'
        f'{VITEPRESS_CODE}</div></div></main><footer class="VPDocFooter">Next</footer></div></div></div></div>'),
        ("# Start\n\nInstall it first, then read on.\n\n> **TIP**\n>\n> Mind the gap.\n\n"
        "```js\nlet a\nlet b\n```\n"),
    ),
    "starlight": (
        (f'<div class="page"><header class="header">{MENU}</header><nav class="sidebar">{MENU}</nav>'
        '<main data-pagefind-body><div class="content-panel"><div class="sl-container"><h1 id="_top">Start</h1></div>'
        f'</div><div class="content-panel"><div class="sl-markdown-content">{TEXT}'
        '<aside aria-label="Note" class="starlight-aside starlight-aside--note">'
        '<p class="starlight-aside__title" aria-hidden="true"><svg></svg>Note</p>'
        '<div class="starlight-aside__content"><p>Mind the gap.</p></div></aside>'
        '<div class="sl-heading-wrapper level-h2"><h2 id="run">Run</h2><a class="sl-anchor-link" href="#run">'
        '<span aria-hidden="true"><svg></svg></span><span class="sr-only">Section titled Run</span></a></div>'
        f'{STARLIGHT_CODE}</div><footer>Edit page</footer></div></main></div>'),
        f"# Start\n\nInstall it first, then read on.\n\n{NOTE}\n\n## Run\n\n```ts\nlet a\nlet b\n```\n",
    ),
    "mkdocs-material": (
        (f'<div class="md-container"><main class="md-main"><div class="md-sidebar"><ul>{MENU}</ul></div>'
        '<div class="md-content"><article class="md-content__inner md-typeset">'
        '<a href="/edit" title="Edit this page" class="md-content__button md-icon"><svg></svg></a>'
        f'<h1 id="start">Start<a class="headerlink" href="#start" title="Permanent link">&para;</a></h1>{TEXT}'
        '<div class="admonition note"><p class="admonition-title">Note</p><p>Mind the gap.</p></div>'
        f'{MATERIAL_CODE}<aside class="md-source-file">Last update</aside></article></div></main></div>'),
        f"# Start\n\nInstall it first, then read on.\n\n{NOTE}\n\n```python\nimport os\n```\n",
    ),
    "hugo-docsy": (
        (f'<body class="td-page"><header><nav>{MENU}</nav></header><main class="col-12" role="main">'
        '<nav aria-label="breadcrumb"><ol class="breadcrumb"><li>Docs</li></ol></nav><div class="td-content">'
        '<h1>Start</h1><div class="lead">The lead.</div><header class="article-meta"></header>'
        f'{TEXT}<h2 id="run">Run<a class="td-heading-self-link" href="#run" aria-label="Heading self-link"></a></h2>'
        '<div class="highlight"><pre tabindex="0" class="chroma"><code class="language-go" data-lang="go">'
        '<span class="line"><span class="cl">x := 1\n</span></span></code></pre></div>'
        '<div class="feedback--title">Feedback</div></div></main></body>'),
        "# Start\n\nThe lead.\n\nInstall it first, then read on.\n\n## Run\n\n```go\nx := 1\n```\n",
    ),
    "hugo-book": (
        (f'<main class="container flex"><aside class="book-menu"><nav>{MENU}</nav></aside><div class="book-page">'
        '<header class="book-header">Menu</header><article class="markdown book-article"><h1 id="s">Start'
        f'<a class="anchor" href="#s">#</a></h1>{TEXT}<blockquote class="book-hint info"><p>Mind the gap.</p>'
        '</blockquote></article><footer class="book-footer">Edit</footer></div></main>'),
        '# <a id="s"></a>Start\n\nInstall it first, then read on.\n\n> **Info**\n>\n> Mind the gap.\n',
    ),
    "gitbook": (
        (f'<div class="book"><div class="book-summary"><nav>{MENU}</nav></div><div class="book-body">'
        '<div class="page-wrapper"><div class="page-inner"><section class="normal markdown-section">'
        f'<h1 id="start">Start</h1>{TEXT}<pre><code class="lang-js">let a\n</code></pre></section></div></div></div>'
        "</div>"),
        "# Start\n\nInstall it first, then read on.\n\n```js\nlet a\n```\n",
    ),
    "readme": (
        (f'<main class="rm-Guides"><nav class="rm-Sidebar">{MENU}</nav><article class="rm-Article">'
        f'<header id="content-head"><h1>Start</h1></header><div class="rm-Markdown markdown-body">{TEXT}'
        '<h2 class="heading"><div class="heading-anchor anchor" id="run"></div><div class="heading-text">Run</div>'
        '<a aria-label="Skip link to Run" class="heading-anchor-icon" href="#run"></a></h2></div></article></main>'),
        '# <a id="content-head"></a>Start\n\nInstall it first, then read on.\n\n## Run\n',
    ),
    "yard": (
        ('<div id="menu">m</div><div id="content"><h1>Class: Ring</h1><h2>Methods <small><a class="summary_toggle" '
        f'href="#">collapse</a></small></h2>{TEXT}<h3 class="signature" id="size-instance_method">size</h3>'
        '<div class="showSource"><a>[View source]</a></div><table class="source_code"><tr><td><pre class="lines">1\n2</pre>'
        '</td><td><pre class="code"># File\ndef size</pre></td></tr></table></div>'),
        ("# Class: Ring\n\n## Methods\n\nInstall it first, then read on.\n\n"
        '### <a id="size-instance_method"></a>size\n\n```\n# File\ndef size\n```\n'),
    ),
    "haddock": (
        ('<title>Data.Ring</title><div id="package-header">ring-1.0</div><div id="content"><div id="module-header">'
        '<p class="caption">Data.Ring</p></div><div id="table-of-contents"><p>Contents</p></div>'
        f'{TEXT}<p class="src"><a id="v:size" class="def">size</a> :: Int <a href="src/R.html" class="link">Source</a> '
        '<a href="#v:size" class="selflink">#</a></p></div>'),
        '# Data.Ring\n\nInstall it first, then read on.\n\n<a id="v:size"></a>size :: Int\n',
    ),
    "mdbook": (
        (f'<nav id="sidebar" class="sidebar"><ol class="chapter">{MENU}</ol></nav><div id="page-wrapper"'
        ' class="page-wrapper"><div class="page"><div id="menu-bar"><h1 class="menu-title">The Book</h1></div>'
        f'<div id="content" class="content"><main><h1 id="s"><a class="header" href="#s">Start</a></h1>{TEXT}'
        '<pre><div class="buttons"><button class="fa fa-copy"></button></div><code class="language-rust">'
        'fn main() {}\n</code></pre></main><nav class="nav-wrapper">Next</nav></div></div></div>'),
        ('# <a id="s"></a>[Start](https://docs.example/guide/page.html#s)\n\nInstall it first, then read on.\n\n'
        "```rust\nfn main() {}\n```\n"),
    ),
    "rustdoc": (
        (f'<body class="rustdoc struct"><nav class="sidebar">{MENU}</nav><main><div class="width-limiter">'
        '<section id="main-content" class="content"><div class="main-heading"><h1>Struct <span class="struct">Arc'
        '</span><button id="copy-path">Copy</button></h1></div><pre class="rust item-decl"><code>pub struct Arc;'
        f'</code></pre><details class="toggle top-doc" open><summary class="hideme"><span>Expand description</span>'
        f'</summary><div class="docblock">{TEXT}</div></details></section></div></main></body>'),
        "# Struct Arc\n\n```rust\npub struct Arc;\n```\n\n**Expand description**\n\nInstall it first, then read on.\n",
    ),
    "javadoc": (
        '<body><div class="topNav"><ul class="navList">' + MENU[:330] + '</ul></div><div class="header">'
        '<div class="subTitle">java.util</div><h2 title="Class List" class="title">Class List</h2></div>'
        '<div class="contentContainer"><ul class="inheritance"><li>Object</li></ul><div class="description">'
        f'<pre>public class <span>List</span></pre><div class="block">{TEXT}</div></div></div>'
        '<div class="bottomNav">Overview</div></body>',
        "java.util\n\n## Class List\n\n- Object\n\n```\npublic class List\n```\n\nInstall it first, then read on.\n",
    ),
    "docbook": (
        ('<body><div class="navheader">Prev</div><div class="chapter"><div class="titlepage"><h1 class="title">'
        f'Start</h1></div><div class="sect1"><h2>One</h2>{TEXT}</div><div class="sect1"><h2>Two</h2>'
        "<p>x</p></div></div><div class=navfooter>Next</div></body>"),
        "# Start\n\n## One\n\nInstall it first, then read on.\n\n## Two\n\nx\n",
    ),
    "doxygen": (
        ("<head><title>Lib: Ring Class Reference</title></head><body><div id=top>Lib</div><div class=header>"
        "<div class=summary>Methods</div><div class=headertitle><div class=title>Ring Class Reference</div></div>"
        "</div><div class=contents><table class=memberdecls><tr class=heading><td colspan=2><h2>Members</h2></td>"
        "</tr><tr><td>int </td><td><b>size</b> ()</td></tr><tr class=separator><td colspan=2>&#160;</td></tr>"
        "<tr><td>bool </td><td><b>full</b> ()</td></tr></table></div></body>"),
        "# Ring Class Reference\n\n## Members\n\n|  |  |\n| --- | --- |\n| int | **size** () |\n| bool | **full** () |\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PAGES)
def test_a_page_in_the_markup_of_a_generator_is_written_whole_and_alone(name):
    html, expected = PAGES[name]
    assert find_main(parse_html(html, WANTED)).generator.startswith(name)
    assert markdown_of(html) == expected


KEPT = [
    ("a comment of prose", '<div class="comment cmt"><p>What it does.</p></div>', "What it does."),
    ("an aside of prose", "<aside><p>A footnote, or a note.</p></aside>", "A footnote, or a note."),
    ("a sidebar of prose", '<aside class="sidebar"><p>See also the tour.</p></aside>', "See also the tour."),
    ("a quote's source", "<blockquote><p>Less.</p><footer>Mies</footer></blockquote>", "Mies"),
    ("the word link", '<p>Follow this <a href="#x">link</a>.</p>', "[link]"),
    ("a table of contents of the page", '<ul id="toc"><li><a href="#a">One</a></li></ul>', "[One]"),
    ("a mark that is a link in code", '<pre>a <a href="x#h">#</a> b\n</pre>', "a # b"),
]


@pytest.mark.parametrize(("html", "text"), [case[1:] for case in KEPT], ids=[case[0] for case in KEPT])
def test_content_that_only_looks_like_furniture_is_kept_on_an_unknown_page(html, text):
    page = f"<body><h1>A</h1><p>{'words ' * 40}</p>{html}<p>{'words ' * 40}</p></body>"
    assert text in markdown_of(page)


GONE = [
    ("a menu", f'<div class="side-nav"><ul>{MENU[:400]}</ul></div>'),
    ("an aside of links", f"<aside><ul>{MENU[:400]}</ul></aside>"),
    ("a cookie banner", '<div class="cookie-consent"><p>Menu entry: we use cookies.</p></div>'),
    ("the page's footer", "<footer>Menu entry: about us</footer>"),
]


@pytest.mark.parametrize("html", [case[1] for case in GONE], ids=[case[0] for case in GONE])
def test_furniture_of_an_unknown_page_is_left_out(html):
    page = f"<body><h1>A</h1><p>{'words ' * 400}</p>{html}</body>"
    assert "Menu entry" not in markdown_of(page)


def test_a_short_main_beside_a_long_menu_is_the_content():
    page = f"<body><div><ul>{MENU * 9}</ul></div><main><h1>A</h1><p>Short.</p></main></body>"
    assert markdown_of(page) == "# A\n\nShort.\n"


def test_content_takes_the_heading_that_stands_above_it():
    page = (
        "<head><title>Start - Docs</title></head><body><h1>Docs site</h1><div><h1>Start</h1></div>"
        f"<main><p>{'words ' * 30}</p></main></body>"
    )
    assert markdown_of(page).startswith("# Start\n\nwords")


def test_a_page_whose_content_is_empty_is_read_as_a_whole():
    """The home page of Material for MkDocs: its hero stands outside of its content."""
    page = distilled(
        f'<header>h</header><section class="hero"><h1>Ring</h1><p>Fast.</p></section><nav>{MENU}</nav>'
        '<main><div class="md-content"><article class="md-content__inner"></article></div></main><footer>f</footer>'
    )

    assert page.markdown == "# Ring\n\nFast.\n"
    assert page.head.generator is None
