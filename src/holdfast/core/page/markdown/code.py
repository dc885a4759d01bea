"""Mathematics and blocks of code.

A formula is the TeX it was written in: `$…$` in a line, `$$…$$` as a block.

Code is fenced blocks with their language and every byte of their text:

1. A block's text is the text of the element. `<br>` is a newline; an element per line (`div`, `p`, `tr`,
   `li`) ends its line; gutters of line numbers, copy buttons and prompts of a user interface are left out.
2. One newline at the end belongs to the fence. Everything else stays: tabs, trailing spaces, blank lines.
3. The language is what the page says: `language-x`, `lang-x`, `highlight-x`, `data-lang`, `brush: x`,
   `source-x`, `sourceCode x`, a Pygments or Prism class, on the block, its `code` or the boxes around it.
"""

from __future__ import annotations

import re
from typing import Final

from holdfast.core.page.html.tokens import TEX
from holdfast.core.page.html.tree import Element, Node, find, raw_text
from holdfast.core.page.markdown.context import fence_length

MATH_NAMES: Final = frozenset(
    ("math", "katex", "katex-display", "mwe-math-element", "MathJax", "mjx-container", "arithmatex")
)

_DELIMITED = re.compile(r"\s*(?:\\\((.*)\\\)|\\\[(.*)\\\]|\$\$(.*)\$\$|\$(.*)\$)\s*", re.DOTALL)
_SPACE = re.compile(r"\s+")


def is_math(element: Element) -> bool:
    """Whether an element holds a formula."""
    return element.tag in ("math", TEX) or (
        bool(element.names) and not MATH_NAMES.isdisjoint(element.names) and tex_of(element) is not None
    )


def tex_of(element: Element) -> str | None:
    """The TeX source that an element carries; None where it carries none."""
    if element.tag == TEX:
        return raw_text(element).strip()
    annotation = find(
        element, lambda inner: inner.tag == "annotation" and "tex" in inner.attrs.get("encoding", "")
    )
    if annotation is not None:
        return raw_text(annotation).strip()
    formula = element if element.tag == "math" else find(element, lambda inner: inner.tag == "math")
    if formula is not None:
        return formula.attrs.get("alttext", "").strip() or None
    image = find(element, lambda inner: inner.tag == "img")
    if image is not None:
        return image.attrs.get("alt", "").strip() or None
    match = _DELIMITED.fullmatch(raw_text(element))
    return next(group for group in match.groups() if group is not None).strip() if match else None


def written_tex(tex: str, *, block: bool) -> str:
    """TeX between its marks."""
    if block:
        return f"$$\n{tex}\n$$"
    return f"${_SPACE.sub(' ', tex)}$"


GUTTER: Final = frozenset(
    "linenos lineno linenodiv line-number line-numbers line-numbers-rows gutter gutter-content ln lnt "
    "blob-num hljs-ln-numbers react-syntax-highlighter-line-number copybtn copy-button copy "
    "rouge-gutter ttc line-numbers-wrapper code-block-extension-header lang-label src-line-numbers "
    "source-line-no".split()
)
_SKIPPED: Final = frozenset(("button", "svg", "style", "script"))
_LINES: Final = frozenset(("div", "p", "tr", "li"))

_LANGUAGE = re.compile(
    r"(?:^|\s)(?:language|lang|highlight-source|highlight-text|mw-highlight-lang|src|source)-([\w+#.-]+)"
    r"|(?:^|\s)highlight-([\w+#.-]+)"
    r"|(?:^|\s)(?:brush|lang):\s*([\w+#.-]+)"
    r"|(?:^|\s)(?:sourceCode|hljs|prettyprint\s+lang|src)\s+([\w+#.-]+)"
)
_NO_LANGUAGE: Final = frozenset(
    "default none text plain plaintext txt nohighlight notranslate code block programlisting highlight "
    "output wrapper guess auto box hljs literal-block src numbersource xml-no line lines link".split()
)
_BARE_CLASSES: Final = frozenset(
    "rust python cpp javascript typescript json bash haskell java c ruby go php perl lua scala kotlin swift "
    "csharp yaml sql".split()
)
TABLES: Final = {
    "math": MATH_NAMES,
    "gutter": GUTTER,
    "skipped": _SKIPPED,
    "line": _LINES,
    "bare languages": _BARE_CLASSES,
}
"""What the native reader is told of these tables."""
_SAFE_LANGUAGE = re.compile(r"[^\w+#.-]")


def fenced(element: Element, around: str = "") -> str:
    """A `pre`, or what stands for one, as a fenced block; empty when there is no code in it."""
    code = code_text(element)
    if not code.strip():
        return ""
    fence = "`" * fence_length(code, 3)
    language = language_of(element) or around
    return f"{fence}{language}\n{code}{'' if code.endswith(chr(10)) else chr(10)}{fence}"


def is_code_block(element: Element) -> bool:
    """`pre`, and the box that Doxygen has instead."""
    return element.tag == "pre" or (element.tag == "div" and "fragment" in element.names)


def code_text(element: Element) -> str:
    """The code itself."""
    children = element.children
    if len(children) == 1 and type(children[0]) is str:
        return children[0].replace("\r\n", "\n").replace("\r", "\n")
    parts: list[str] = []
    _gather(element, parts, boxed=element.tag == "div")
    return "".join(parts).replace("\r\n", "\n").replace("\r", "\n")


def _gather(element: Element, parts: list[str], *, boxed: bool = False) -> None:
    """The text below. `boxed`: white space between boxes is layout, not code."""
    children = element.children
    for place, child in enumerate(children):
        if type(child) is str:
            if boxed and not child.strip():
                continue
            parts.append(child)
        elif type(child) is Element:
            tag = child.tag
            if tag == "br":
                parts.append("\n")
            elif tag in _SKIPPED or (child.names and not GUTTER.isdisjoint(child.names)):
                continue
            elif tag not in _LINES:
                _gather(child, parts)
            elif boxed or _is_line(children, place - 1) or _is_line(children, place + 1):
                _line(child, parts)
            else:
                _box(child, parts, children[place + 1 : place + 2])


def _is_line(children: list[Node], place: int) -> bool:
    if not 0 <= place < len(children):
        return False
    neighbour = children[place]
    return type(neighbour) is Element and neighbour.tag in _LINES


def _line(element: Element, parts: list[str]) -> None:
    """One of several boxes in a row, each of which is a line."""
    own: list[str] = []
    _gather(element, own)
    if parts and not parts[-1].endswith("\n"):
        parts.append("\n")
    parts.append("".join(own).removesuffix("\n") + "\n")


def _box(element: Element, parts: list[str], after: list[Node]) -> None:
    """A box among text: it begins and ends a line, if the text around it does not."""
    own: list[str] = []
    _gather(element, own)
    text = "".join(own)
    if not text:
        return
    if parts and not parts[-1].endswith("\n") and not text.startswith("\n"):
        parts.append("\n")
    parts.append(text)
    follows = after[0] if after else ""
    if type(follows) is not str or not follows.startswith("\n"):
        parts.append("" if text.endswith("\n") or not after else "\n")


def language_of(element: Element) -> str:
    """The language a code block says it is in: on itself, or on the `code` (`pre` in `pre`) that it holds."""
    found = language_in(element)
    if found:
        return found
    for child in element.children:
        if type(child) is Element and (found := language_in(child) or _of_inner_block(child)):
            return found
    return next((name for name in element.attrs.get("class", "").split() if name in _BARE_CLASSES), "")


def _of_inner_block(element: Element) -> str:
    return language_of(element) if element.tag == "pre" else ""


def language_in(element: Element) -> str:
    """The language in one element's attributes."""
    attrs = element.attrs
    if not attrs:
        return ""
    stated = attrs.get("data-lang") or attrs.get("data-language") or attrs.get("syntax") or ""
    if not stated and "class" in attrs:
        for match in _LANGUAGE.finditer(attrs["class"]):
            name = next(group for group in match.groups() if group)
            if name.lower() not in _NO_LANGUAGE:
                stated = name
                break
    stated = _SAFE_LANGUAGE.sub("", stated.lower())
    return "" if stated in _NO_LANGUAGE else stated
