"""The writer, construct by construct (TXT-1)."""

import pytest

from helpers.rendering import markdown_of

# ruff: noqa: E501 - markup reads best unbroken

pytestmark = pytest.mark.spec("TXT-1")

CASES = [
    ("headings are ATX", "<h1>A</h1><h3>B <em>c</em></h3>", "# A\n\n### B *c*"),
    ("a heading's closing marks are text", "<h2>C # and #</h2><h2>C#</h2>", "## C # and \\#\n\n## C#"),
    ("Sphinx permalink", '<h2>A<a class="headerlink" href="#a">¶</a></h2>', "## A"),
    ("Docusaurus permalink", '<h2>A<a class="hash-link" href="#a">\u200b</a></h2>', "## A"),
    ("an unclassed permalink", '<h2>A <a href="#a">#</a></h2>', "## A"),
    ("rustdoc permalink", '<h2 id="x"><a class="doc-anchor" href="#x">§</a>A</h2>', '## <a id="x"></a>A'),
    ("a heading that is a link", '<h2><a href="#a">A</a></h2>', "## [A](https://docs.example/guide/page.html#a)"),
    ("emphasis", "<p>a <b> b </b><i>c</i> <del>d</del>", "a **b** *c* ~~d~~"),
    ("nested emphasis of one kind", "<p><b>a <strong>b</strong></b>", "**a b**"),
    ("emphasis that marks cannot show", "<p><b>a:</b>b", "<strong>a:</strong>b"),
    ("two emphases in a row", "<p><i>a</i><b>b</b>", "*a*<strong>b</strong>"),
    ("CJK emphasis beside punctuation", "<p>日本<b>「語」</b>です", "日本<strong>「語」</strong>です"),
    ("a table with a Doxygen listing is unrolled",
     "<table><tr><td><div class=fragment><div class=line>a</div><div class=line>b</div></div><td>c</table>",
     "```\na\nb\n```\n\nc"),
    ("neighbours of one emphasis are one",
     "<p>(<em>Optional</em><em>[</em><em>Union</em><em>[</em><em>str</em><em>, </em><em>Path</em><em>]</em><em>]</em>)",
     "(*Optional[Union[str, Path]]*)"),
    ("neighbours in neighbours", "<p><b><i>a</i></b> <b><i>b</i></b><b>c</b>", "***a b*c**"),
    ("a line break parts neighbours", "<p><b>a</b><br><b>b</b>", "**a**\\\n**b**"),
    ("a tilde struck out", "<p><del>~</del>", "~~\\~~~"),
    ("empty emphasis", "<p>a<b></b>b<i> </i>c", "ab c"),
    ("code spans", "<p><code>a`b</code> <code>`</code> <tt>x  y</tt>", "``a`b`` `` ` `` `x y`"),
    ("two code spans in a row", "<p><code>a</code><code>b</code>", "`ab`"),
    ("code is not escaped", "<p><code>a*b_c\\d&lt;T&gt;</code>", "`a*b_c\\d<T>`"),
    ("a link around code", "<p><a href=x><code>f()</code></a>", "[`f()`](https://docs.example/guide/x)"),
    ("code with a link in it", "<p><code>a <a href=x>b</a>.c</code>", "`a` [`b`](https://docs.example/guide/x)`.c`"),
    ("code that is mostly one link", "<p><code><a href=x>empty</a>()</code>", "[`empty()`](https://docs.example/guide/x)"),
    ("code of MediaWiki in a line", '<p>a <span class="mw-geshi cpp source-cpp">std::<span class=x>vector</span></span>',
     "a `std::vector`"),
    ("code of MediaWiki", '<div class="mw-geshi"><div class="cpp source-cpp"><pre class="de1">a;</pre></div></div>',
     "```cpp\na;\n```"),
    ("code with a line break in it", "<p><code>a<br>b</code>", "`a`\\\n`b`"),
    ("escapes in text", "<p>*a* _b_ `c` &lt;T> &amp;amp; \\* [x](y) snake_case 2 * 3",
     "\\*a\\* \\_b\\_ \\`c\\` \\<T> \\&amp; \\\\\\* [x\\](y) snake_case 2 * 3"),
    ("a tag of two text nodes", "<p>a&lt;<span>b</span>>", "a\\<b>"),
    ("line starts", "<p># a<p>- b<p>+ c<p>1. d<p>2) e<p>> f<p>=<p>---<p>~~~",
     "\\# a\n\n\\- b\n\n\\+ c\n\n1\\. d\n\n2\\) e\n\n\\> f\n\n\\=\n\n\\---\n\n\\~\\~\\~"),
    ("a definition of a reference", "<p>[a]: b", "[a\\]: b"),
    ("an exclamation before a link", "<p>wow!<a href=x>y</a>", "wow\\![y](https://docs.example/guide/x)"),
    ("a line break", "<p>a<br>b", "a\\\nb"),
    ("two line breaks", "<p>a<br><br>b", "a\n\nb"),
    ("a rule", "<p>a<hr><p>b", "a\n\n___\n\nb"),
    ("links are absolute", '<p><a href="../x?q=1#f">a</a> <a href="mailto:a@b.c">m</a>',
     "[a](https://docs.example/x?q=1#f) [m](mailto:a@b.c)"),
    ("<base> is respected", '<base href="/v2/"><p><a href="x">a</a>', "[a](https://docs.example/v2/x)"),
    ("odd URLs", '<p><a href="a b(c">x</a> <a href="a_(b)">y</a>',
     "[x](https://docs.example/guide/a%20b%28c) [y](https://docs.example/guide/a_(b))"),
    ("a javascript link is text", '<p><a href="javascript:f()">a</a>', "a"),
    ("an empty link is nothing", "<p>a<a href=x> </a>b", "a b"),
    ("a link with brackets", "<p><a href=x>a [b] c</a>", "[a \\[b\\] c](https://docs.example/guide/x)"),
    ("a block link is one line", "<a href=x><div>A</div><div>b</div></a>", "[A b](https://docs.example/guide/x)"),
    ("a block link with a heading", "<a href=x><h3>A</h3><p>b</p></a>", "### [A](https://docs.example/guide/x)\n\nb"),
    ("images", '<p><img src="i.png" alt="an [image]">', "![an \\[image\\]](https://docs.example/guide/i.png)"),
    ("lazy images", '<p><img src="data:x" data-src="i.png" alt=a>', "![a](https://docs.example/guide/i.png)"),
    ("srcset", '<p><img srcset="s.png 1x, l.png 2x" alt=a>', "![a](https://docs.example/guide/s.png)"),
    ("a data image is its text", '<p>a <img src="data:image/png;base64,x" alt=b> c', "a b c"),
    ("sup and sub", "<p>x<sup>2</sup> H<sub>2</sub>O", "x<sup>2</sup> H<sub>2</sub>O"),
    ("a footnote reference", '<p>a<sup><a href="#fn1">1</a></sup>', "a[1](https://docs.example/guide/page.html#fn1)"),
    ("a footnote",
     ('<p>a<sup id="r"><a href="#n">1</a></sup> b<sup><a href="#n">1</a></sup><div class="footnotes"><ol>'
     '<li id="n"><p>Words of it.</p><pre>x</pre><a class="footnote-backref" href="#r">↩</a></ol></div>'),
     "a[^1] b[^1]\n\n[^1]: Words of it.\n\n    ```\n    x\n    ```"),
    ("docutils' footnotes",
     ('<p>a <a class="footnote-reference" href="#n">[1]</a><dl class="footnote"><dt id="n"><a href="#r">1</a>'
     '<dd><p>Old words.</dl>'), "a [^1]\n\n[^1]: Old words."),
    ("docutils' newer footnotes",
     ('<p>a <a href="#n">[<span>1</span>]</a><aside class="footnote" id="n"><span class="label">[<a role="doc-backlink" '
     'href="#r">1</a>]</span><p>New words.</aside>'), "a [^1]\n\n[^1]: New words."),
    ("Asciidoctor's footnotes",
     ('<p>a<sup class="footnote">[<a href="#n">1</a>]</sup><div id="footnotes"><div class="footnote" id="n">'
     '<a href="#r">1</a>. Its words.</div></div>'), "a[^1]\n\n[^1]: Its words."),
    ("a footnote of one word", '<p>a<sup><a href="#n">1</a></sup><div class="footnote-definition" id="n"><p>Word</div>',
     "a[^1]\n\n[^1]: Word &#32;"),
    ("a note that nobody refers to", '<p>a<ol class="footnotes"><li id="n">b</ol>', 'a\n\n1. <a id="n"></a>b'),
    ("text that looks like a footnote", "<p>[^1]: a", "\\[^1\\]: a"),
    ("Asciidoctor's admonition",
     ('<div class="admonitionblock note"><table><tr><td class="icon"><div class="title">Note</div></td>'
     '<td class="content"><p>a</p><p>b</p></td></tr></table></div>'), "> **Note**\n>\n> a\n>\n> b"),
    ("an admonition with a picture",
     ('<p>before<div class="admonitionblock tip"><table><tr><td class="icon"><i class="fa icon-tip" title="Tip"></i></td>'
     '<td class="content">a</td></tr></table></div>'), "before\n\n> **Tip**\n>\n> a"),
    ("columns are aligned",
     ('<table><thead><tr><th style="text-align: left">a<th style="text-align:center">b<th align=right>c<th>d'
     '<tbody><tr><td>1<td>2<td>3<td class="halign-right">4</table>'),
     "| a | b | c | d |\n| :--- | :---: | ---: | ---: |\n| 1 | 2 | 3 | 4 |"),
    ("cells that do not agree are not", '<table><tr><th>a<th>b<tr><td align=right>1<td>2<tr><td>3<td>4</table>',
     "| a | b |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |"),
    ("a listing of one line in a cell",
     '<table><tr><th>a<th>b<tr><td><div class=fragment><div class=line>f(1);</div></div><td>c</table>',
     "| a | b |\n| --- | --- |\n| `f(1);` | c |"),
    ("details that look like a note", "<details class='details_x alert'><summary>A</summary><p>b</details>",
     "> **A**\n>\n> b"),
    ("mdBook's block in a block",
     '<pre><pre class=playground><code class="language-rust x">a</code></pre></pre>',
     "```rust\na\n```"),
    ("TeX of arithmatex", '<div class="arithmatex">\\[ x \\]</div>', "$$\nx\n$$"),
    ("Javadoc's boxes in columns",
     ('<div class="summary-table two-column-summary"><div class="table-header col-first">A</div>'
     '<div class="table-header col-last">B</div><div class=col-first><code>c</code></div>'
     '<div class=col-last><div class=block>d</div></div></div>'),
     "| A | B |\n| --- | --- |\n| `c` | d |"),
    ("rustdoc's fields", ('<div><span id=a class="structfield x"><code>a: u8</code></span>'
     '<span id=b class=structfield><code>b: u8</code></span></div>'), '<a id="a"></a>`a: u8`\n\n<a id="b"></a>`b: u8`'),
    ("a quote", "<blockquote><p>a<p>b</blockquote>", "> a\n>\n> b"),
    ("scripts are gone", "<p>a<script>b</script><style>c</style><template>d</template>", "a"),
    ("buttons and graphics are gone", "<p>a<button>Copy</button><svg><text>x</text></svg>", "a"),
    ("keyboard", "<p><kbd>Ctrl</kbd>+<kbd>C</kbd>", "`Ctrl`+`C`"),
]  # fmt: skip

LISTS = [
    ("nested", "<ul><li>a<ul><li>b<ul><li>c</ul></ul><li>d</ul>", "- a\n  - b\n    - c\n- d"),
    ("ordered, with start", "<ol start=9><li>a<li>b</ol>", "9. a\n10. b"),
    ("an item's own number", "<ol><li>a<li value=5>b<li>c</ol>", "1. a\n5. b\n6. c"),
    ("loose", "<ul><li><p>a<p>b<li>c</ul>", "- a\n\n  b\n\n- c"),
    ("two in a row", "<ul><li>a</ul><ul><li>b</ul><ol><li>c</ol><ol><li>d</ol>",
     "- a\n\n* b\n\n1. c\n\n1) d"),
    ("code in an item", "<ol><li>a<pre>x\n  y\n</pre></ol>", "1. a\n\n   ```\n   x\n     y\n   ```"),
    ("tasks", "<ul><li><input type=checkbox checked> a<li><input type=checkbox> b</ul>",
     "- [x] a\n- [ ] b"),
    ("text that looks like a task", "<ul><li>[ ] a</ul>", "- \\[ ] a"),
    ("a list right inside a list", "<ul><li>a<ul></ul></ul><ul><ul><li>b</ul></ul>", "- a\n\n* - b"),
    ("a numbered list from 3 after text", "<ul><li>a<ol start=3><li>b</ol></ul>", "- a\n\n  3. b"),
    ("definitions", "<dl><dt>t<dd>d<dt>u<dt>v<dd>e<p>f</dl>",
     "- **t**\n\n  d\n\n- **u**\n\n  **v**\n\n  e\n\n  f"),
    ("bullets that lay out a page", "<ul><li><section><h3>a</h3><p>b</section><li><h3>c</h3></ul>", "### a\n\nb\n\n### c"),
    ("a Sphinx signature", '<dl><dt class="sig">f(<em>x</em>)<a class="headerlink" href="#f">¶</a><dd>d</dl>',
     "- `f(x)`\n\n  d"),
]  # fmt: skip


@pytest.mark.parametrize(("fact", "html", "markdown"), CASES, ids=[case[0] for case in CASES])
def test_inline_and_blocks(fact, html, markdown):
    assert markdown_of(html) == markdown + "\n"


@pytest.mark.parametrize(("fact", "html", "markdown"), LISTS, ids=[case[0] for case in LISTS])
def test_lists(fact, html, markdown):
    assert markdown_of(html) == markdown + "\n"
