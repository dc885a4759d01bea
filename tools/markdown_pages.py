"""Pages in the markup of each generator, for the Markdown vectors: one for each row of the table.

The content is the same rich one everywhere, between furniture that is no content. A page is made from its row: the
elements that hold the content, the hint, and the class names that are dropped inside.
"""

from __future__ import annotations

import re

from holdfast.core.page.html.generators import GENERATORS, Generator

# ruff: noqa: E501 - markup reads best unbroken

__all__ = ["pages"]

_PART = re.compile(
    r"#(?P<id>[\w-]+)|\.(?P<kind>[\w-]+)|\[(?P<name>[\w-]+)\^?=(?P<value>[^\]]+)\]|(?P<tag>^[\w]+)"
)
MENU = (
    "<nav><ul>" + "".join(f'<li><a href="/m/{n}">Menu entry {n}</a></li>' for n in range(12)) + "</ul></nav>"
)
CONTENT = """
<h1>Getting started<a class="headerlink" href="#getting-started">¶</a></h1>
<p>Install <code>widget</code> first, then <a href="next.html#setup">read <em>on</em></a>. It costs 5 * 3 = 15_000 credits.</p>
<h2 id="setup">Set-up</h2>
<ol><li>Fetch it.<ul><li>By hand</li><li>By <strong>tool</strong></li></ul></li><li><p>Run it:</p><pre><code class="language-sh">
$ widget --all \\
    --quiet &amp;&amp; echo "ok"
</code></pre></li></ol>
<div class="highlight-python notranslate"><div class="highlight"><pre><span></span><span class="kn">import</span> os
<span class="k">def</span> <span class="nf">f</span>(x):
    <span class="k">return</span> x &lt; 3
</pre></div></div>
<table><thead><tr><th>Option</th><th>Meaning</th></tr></thead><tbody><tr><td><code>a|b</code></td><td>One or<br>other</td></tr>
<tr><td>c</td><td>See <a href="/c">c</a></td></tr></tbody></table>
<div class="admonition note"><p class="admonition-title">Note</p><p>Mind the gap.</p></div>
<blockquote><p>Said somebody.</p></blockquote>
<dl><dt>term</dt><dd><p>What it means.</p></dd><dt>other</dt><dd>More.</dd></dl>
<p><img src="img/one.png" alt="A picture"> and <kbd>Ctrl</kbd>+<kbd>C</kbd>, H<sub>2</sub>O, x<sup>2</sup>,
<script type="math/tex">a^2</script>, <del>gone</del>.</p>
<details><summary>More</summary><p>Hidden words.</p></details>
<h3>日本語 &amp; Ελληνικά</h3>
<p>1. not a list<br># not a heading</p>
<hr>
<ul class="task-list"><li><input type="checkbox" checked> done</li><li><input type="checkbox"> open</li></ul>
"""


def pages() -> list[tuple[str, str]]:
    """The generator and the page of each row, then pages of no generator."""
    plain = [
        ("", f"<title>T</title>{MENU}<main>{CONTENT}</main><footer>F</footer>"),
        ("", f"<title>T</title><header>H</header>{CONTENT}<aside>A</aside>"),
    ]
    return [*((row.name, _page(row)) for row in GENERATORS), *plain]


def _page(row: Generator) -> str:
    selectors = [selector for selector in row.main if not selector.startswith("h1")]
    dropped = "".join(f"<div {_named(name)}>dropped words</div>" for name in row.drop)
    parts = [_element(selector, "") for selector in selectors[:-1]]
    parts.append(_element(selectors[-1], CONTENT + dropped))
    if heading := next((selector for selector in row.main if selector.startswith("h1")), None):
        parts.insert(0, _element(heading, "The title"))
    content = "".join(parts)
    head, body = "<title>The title</title>", f"{MENU}<div>{content}</div><footer>Made by hand</footer>"
    for selector in (row.hint, *row.main):
        if selector.startswith("meta"):
            head += _element(selector, "").removesuffix("</meta>")
        elif selector.startswith("body"):
            whole = body if selector != "body" else MENU + content
            return f"<!doctype html><head>{head}</head>{_element(selector, whole)}"
        elif selector == row.hint and selector and selector not in row.main:
            body = _element(selector, "") + body
    return f"<!doctype html><head>{head}</head><body>{body}</body>"


def _named(name: str) -> str:
    return f'id="{name[1:]}"' if name.startswith("#") else f'class="{name}"'


def _element(selector: str, inner: str) -> str:
    """An element that a selector matches."""
    tag, names, attrs = "div", [], ""
    for part in _PART.finditer(selector):
        tag = part["tag"] or tag
        if part["kind"]:
            names.append(part["kind"])
        if part["id"]:
            attrs += f' id="{part["id"]}"'
        if part["name"]:
            attrs += f' {part["name"]}="{part["value"]}"'
    kinds = f' class="{" ".join(names)}"' if names else ""
    return f"<{tag}{kinds}{attrs}>{inner}</{tag}>"
