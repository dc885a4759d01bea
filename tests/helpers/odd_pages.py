# ruff: noqa: E501 - tables of oddities
"""Pages put together by chance of what has a meaning somewhere: for whoever compares two readers."""

import random

from holdfast.core.page.rust_reader import TABLES

_TAGS = (
    "div p b a em i s sup sub code kbd pre table thead tbody tr td th caption ul ol li dl dt dd h1 h2 h3 span "
    "section main article aside nav header footer body blockquote details summary q label math annotation "
    "svg button figure listing menu font small video title meta"
).split()
_SETS = "place chrome dropped meaningful family title layout numbers permalink back".split()
_NAMES = [
    *sorted({name for key in _SETS for name in TABLES[key]} | {"footnotes", "footnote"}),
    *(
        "nav breadcrumbs side-bar feedback edit-page social-links cookie advertising recommended_x sphinx-tabs "
        "tabbed-labels tabbed-block vp-code-group sd-tab-set tabs blocks theme-admonition-tip admonitionHeading_x "
        "note warning-box language-python highlight-c brush:js sourceCode rust fragment summary-table "
        "table-header structfield ſocial Kelvin_nav naVigatİon halign-right text-center icon content admonitionblock"
    ).split(),
]
_ATTRIBUTES = (
    "href='/x y?q#f'", "href='../a_b.html#c'", "href=#top", "href='https://e.org/a_(b'", "href=mailto:a@b.c",
    "href='javascript:x'", "href=''", "href='//h.example:8080/'", "src=i.png alt='a*b [c]'", "hidden",
    "srcset='data:x, b.png 2x'", "colspan=3", "rowspan=2", "colspan=0 rowspan=x", "start=7", "value=12",
    "role=main", "role=navigation", "role=tablist", "role=tab", "role=tabpanel", "role=presentation",
    "aria-hidden=true", "lang=' de '", "name=anchor", "type=checkbox checked", "type=PassWord", "rel='NoFollow x'",
    "data-lang='C++ é'", "display=block", "encoding='application/x-tex'", "alttext='a  b'",
    "http-equiv=refresh content='3; url=next.html'", "name=robots content='none, x'", "align=right",
    "name=generator content='Doxygen 1.9'", "id=root", "id=''", "name=''", "class=''", "role=''", "style='text-align:center'",
)  # fmt: skip
_TEXTS = (
    " ", "  ", "\n", "\n\n", "\t", "\x0c", "\r\n", "\xa0", "\u2003", "\u3000", "\x1c", "\x85", "words and more ",
    "*", "**", "_", "a_b", "é_é", "~", "~~", "`", "``", "< ", "&lt;b&gt;", "&amp;lt;", "&nbsp;", "\\", "!", "[x]",
    "](", "]:", "# ", "> ", "- ", "+ ", "* ", "1. ", "1) ", "1234567890. ", "١. ", "२) ", "---", "===", "| ", ":-",
    "|", "[ ] ", "[x] ", "$x$", "\\(x&lt;y\\)", "$$a$$", "¶", "#", "link", "e\u0301", "漢字", "𝒳", "\u0301", "ß", "Σ", "“",
    "\U00100000", "\ue000", "\ufdd0", "\U0001f600", "Note: ", "tip", "Title of all ", "x" * 90 + " ", "&#0;", "\x00",
)  # fmt: skip
_WHOLE = (
    "<!-- a < b -->", "<!-->", "<!--- x", "<?pi x>", "<br>", "<hr>", "<img alt=only>", "<input type=checkbox>",
    "<script type='math/tex'>x^2 < y</script>", "<script type='math/tex; mode=display'>\\sum</script>",
    "<xmp><b>raw</xmp>", "<iframe src=f.html>no</iframe>", "<style>p{}</style>", "<template>t</template>",
    "<base href='/b/'>", "<base href='::'>", "<pre><span class=k>if</span> <span class='nb ln'>x</span>\n</pre>",
    "<pre><span>a</span>&lt;<span class='hljs-x'>b</span><br>\n</pre>", "<pre>\n\n<div>l1</div><div>l2</div></pre>",
    "<div class=fragment><div class=line>a</div> <div class=line>b</div></div>", "<noscript>n</noscript>",
    "<title>Title of all</title>", "<link rel='canonical' href='c.html'>", "<p>one<p>two", "<table><tr><td>x",
    "<sup><a href=#fn1 id=r1>1</a></sup>", "<ol><li id=fn1>said</ol>", "<a id=a></a>", "<h2>Two <a href=#x>¶</a></h2>",
)  # fmt: skip


def odd_page(seed, most=160):
    """A page, the same for the same seed."""
    chance = random.Random(seed)
    pieces = []
    for _ in range(chance.randint(1, most)):
        kind = chance.random()
        if kind < 0.35:
            pieces.append(chance.choice(_TEXTS))
        elif kind < 0.68:
            pieces.append(_start(chance))
        elif kind < 0.9:
            pieces.append(f"</{chance.choice(_TAGS)}>")
        else:
            pieces.append(chance.choice(_WHOLE))
    return "".join(pieces)


def mutated(html, seed, changes=8):
    """A page with odd pieces put in at chance places."""
    chance = random.Random(seed)
    for _ in range(chance.randint(1, changes)):
        at = chance.randrange(len(html) + 1)
        upto = at + (chance.randrange(40) if chance.random() < 0.3 else 0)
        html = html[:at] + odd_page(chance.random(), 4) + html[upto:]
    return html


def _start(chance):
    words = [chance.choice(_TAGS)]
    if chance.random() < 0.45:
        names = " ".join(chance.choices(_NAMES, k=chance.randint(1, 2)))
        words.append(f'class="{names.replace("#", "")}"')
    if chance.random() < 0.2:
        words.append(f'id="{chance.choice(_NAMES).removeprefix("#")}"')
    if chance.random() < 0.4:
        words.append(chance.choice(_ATTRIBUTES))
    if chance.random() < 0.002:
        words.append(chance.choice(('a"b=c', "<x=1")))  # names that no fast way reads
    return f"<{' '.join(words)}>"
