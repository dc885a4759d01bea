"""No text may turn into markup, no markup may swallow text: Markdown through a real CommonMark parser."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from helpers.rendering import body_of, markdown_of, rendered, visible
from holdfast.core.page.html.tree import elements, raw_text

pytestmark = pytest.mark.spec("TXT-1")

WORDS = st.sampled_from(
    "a b snake_case __init__ *x* ** * _ `c` `` ``` <T> </p> <!-- & &amp; &#35; [x] [x](y) [x]: !img "
    "![a](b) ~~ ~ # ## - + 1. 2) > | a|b \\ \\* \\\\ $x$ = === --- ___ *** :: http://x_y.example/_z_ C# foo: "
    "(x) 日本 「語」 é — « » ' \" {a} @b".split()
)
TEXT = st.lists(WORDS, min_size=1, max_size=4).map(" ".join)
ESCAPED = TEXT.map(lambda text: text.replace("&", "&amp;").replace("<", "&lt;"))


def wrapped(tags):
    return lambda inner: st.tuples(st.sampled_from(tags), inner).map(
        lambda pair: f"<{pair[0]}>{pair[1]}</{pair[0].split()[0]}>"
    )


def listed(tag, items):
    return f"<{tag}>" + "".join(f"<li>{item}</li>" for item in items) + f"</{tag}>"


INLINE = st.recursive(
    ESCAPED,
    lambda inner: st.one_of(
        wrapped(["b", "i", "em", "strong", "del", "code", "span", "a href=x", "sup", "u"])(inner),
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map(" ".join),
        st.tuples(inner, inner).map("<br>".join),
    ),
    max_leaves=6,
)
BLOCK = st.recursive(
    wrapped(["p", "h2", "pre", "div"])(INLINE),
    lambda inner: st.one_of(
        wrapped(["blockquote", "div", "section"])(inner),
        st.lists(inner, min_size=1, max_size=3).map(lambda items: listed("ul", items)),
        st.lists(inner, min_size=1, max_size=3).map(lambda items: listed("ol", items)),
        st.lists(INLINE, min_size=2, max_size=4).map(
            lambda cells: "<table><tr>" + "".join(f"<th>{c}</th>" for c in cells) + "</tr><tr>"
            + "".join(f"<td>{c}</td>" for c in cells) + "</tr></table>"
        ),
        st.tuples(inner, inner).map(lambda pair: f"<dl><dt>x</dt><dd>{pair[0]}</dd></dl>{pair[1]}"),
        st.tuples(inner, inner).map("".join),
    ),
    max_leaves=5,
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(BLOCK)
@example("<p>a<del><b>a</b></del></p>")
@example("<p>(<i><b>x</b>|日<b>x</b>é`</i></p>")
def test_what_is_read_is_what_was_written(html):
    page = f"<main>{html}</main>"

    assert visible(rendered(markdown_of(page))) == visible(page)


RULERS = st.lists(st.sampled_from("- : | --- :-: --".split()), min_size=1, max_size=5)
HEADS = st.lists(st.sampled_from("a b| |c | - é".split()), min_size=1, max_size=3)


@settings(max_examples=300, deadline=None)
@given(HEADS, RULERS, st.sampled_from(["", " "]), st.sampled_from(["", "<br>x|y"]))
@example(["a", "|", "b"], ["---", "|", "-"], " ", "")
@example(["a"], ["---", ":"], "", "")
def test_no_line_of_a_paragraph_rules_a_table(heads, ruler, between, rest):
    page = f"<main><p>{' '.join(heads)}<br>{between.join(ruler)}{rest}</p></main>"
    shown = rendered(markdown_of(page))
    assert "<table>" not in shown
    assert visible(shown) == visible(page)


STARTS = "# ## - + * > 1. 2) = -- --- ~~~ | [x] [ ] :-: *+ #* `a` é x".split()
STARTS += ["&nbsp;", "&emsp;"]
PLACES = (
    "<dl><dt>{}</dt><dd>d</dd></dl>",
    "<details><summary>{}</summary>d</details>",
    "<div class=admonition><p class=admonition-title>{}</p><p>d</p></div>",
    "<ul><li>{}</li><li>z</li></ul>",
    "<blockquote>{}</blockquote>",
    "<h2>{}</h2>",
    "<figure><img src=x alt=y><figcaption>{}</figcaption></figure>",
)


@pytest.mark.parametrize("around", PLACES)
@given(st.lists(st.sampled_from(STARTS), min_size=1, max_size=3), st.sampled_from(["{}", "<b>{}</b>"]))
@settings(max_examples=150)
def test_what_could_start_a_block_is_text_wherever_it_stands(around, words, inner):
    html = around.format(inner.format(" ".join(words).replace(">", "&gt;")))
    page = f"<main><p>First.</p>{html}</main>"
    assert visible(rendered(markdown_of(page))) == visible(page)


CODE = st.text(alphabet="ab`~ \t\n<>&*_|#-\\[]", min_size=1, max_size=40).filter(lambda code: code.strip())


@settings(max_examples=150, deadline=None)
@given(
    CODE,
    st.sampled_from(["{}", "<ul><li>x{}</li></ul>", "<blockquote>{}</blockquote>", "<ol><li>{}</li></ol>"]),
)
def test_code_is_kept_byte_for_byte(code, around):
    escaped = code.replace("&", "&amp;").replace("<", "&lt;")
    html = around.format(f"<pre>\n{escaped}</pre>")
    blocks = [element for element in elements(body_of(rendered(markdown_of(html)))) if element.tag == "pre"]

    assert [raw_text(block).removesuffix("\n") for block in blocks] == [code.removesuffix("\n")]
