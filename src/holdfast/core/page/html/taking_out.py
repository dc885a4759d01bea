"""What is taken out of the content before it is written: navigation, buttons, permalinks.

1. By element: controls and graphics never are text.
2. By exact class name (`CHROME`): what generators put into their own content.
3. By attribute: `hidden` (but a hidden tab panel is content), `aria-hidden` graphics, landmark roles.
4. A permalink: a link to a place on this page whose text is a mark, not words; not in code, where `#`
   is what the code says. Where it is itself the target of links, that stays.
5. In the generic regime only, and never what holds more than half of the text: a `footer` (but a quote's
   own), a `header` without a heading, what is named after furniture (`_FURNITURE`), and an `aside` or
   what is named after navigation (`_NAVIGATION`) when links are most of its text. Never what holds code.
   In doubt it stays: a `sidebar`, a `comment` or an `aside` of prose is content.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from holdfast.core.page.html.generators import GENERATORS
from holdfast.core.page.html.main_content import MainContent
from holdfast.core.page.html.tree import Doubt, Element, Node, elements, find, raw_text, text_length

_CONTROLS: Final = frozenset(
    "svg button select textarea datalist option dialog canvas object embed audio video link meta iframe nav "
    "map area progress meter".split()
)
_KEPT_WHEN_BUTTON: Final = frozenset(("tab",))
CHROME: Final = frozenset(
    "headerlink hash-link header-anchor sl-anchor-link anchor-link heading-anchor anchorjs-link permalink "
    "octicon-link copybtn copy-button copy-btn copy-to-clipboard-button copy-code-button clipboard "
    "mw-editsection editsection mw-jump-link mw-indicators mw-empty-elt noprint printfooter catlinks "
    "navheader navfooter nav-panel navigation breadcrumb breadcrumbs wy-breadcrumbs t-navbar t-navbar-sep "
    "prev-next-area prev-next-footer pagination-nav theme-doc-footer theme-edit-this-page edit-this-page "
    "theme-doc-breadcrumbs theme-doc-toc-mobile theme-doc-version-badge md-source-file md-content__button "
    "sr-only visually-hidden screen-reader-text skip-link toc-backref-mark "
    "nosearch out-of-band copiable-anchor admonition-mark linenodiv lineno-gutter "
    "nav-chapters nav-wrapper mobile-nav-chapters sphinx-bs-tooltip vp-copy lang-switcher "
    "method-click-advice spirit-nav source-line-no topNav bottomNav subNav "
    "skip-nav skip-to-content top-nav sub-nav header-nav footer-nav".split()
)
_DROPPED: Final = CHROME.union(*(generator.drop for generator in GENERATORS))
_ANCHOR_NAMES: Final = frozenset(
    "headerlink hash-link header-anchor sl-anchor-link anchor-link heading-anchor anchorjs-link permalink "
    "anchor selflink mark heading-link copiable-anchor doc-anchor bookmark".split()
)
_MARKS: Final = frozenset("¶ # 🔗 § ⚓ ∞ ◊ ◆ ⌗ \u200b \ue157 \uf0c1".split())
_ROLES: Final = frozenset(
    "navigation search banner contentinfo complementary dialog alertdialog menu menubar toolbar".split()
)
_FURNITURE = re.compile(
    r"(?:^|[\s_-])(?:edit-?(?:page|this|link|section)|page-?feedback|feedback|rate-?this|was-?this-?helpful|"
    r"cookie-?(?:banner|consent|notice|bar)?|consent|newsletter|subscribe|share-?(?:buttons?|links?)|"
    r"social-?(?:links?|icons?|share|media)?|advert\w*|ads|adsbygoogle|skip-?(?:link|to-\w+)|"
    r"search-?(?:box|form|bar)|disqus\w*|copy-?(?:btn|button)|noprint|copyright-?footer|site-?footer|"
    r"page-?footer|footer|language-?(?:picker|switch\w*|selector)|version-?(?:picker|switch\w*|selector))"
    r"(?:$|[\s_-])",
    re.IGNORECASE,
)
_NAVIGATION = re.compile(
    r"(?:^|[\s_-])(?:breadcrumbs?|side-?bar|side-?nav|navbar|nav|"
    r"nav-?(?:bar|header|footer|panel|links|menu)|menu|site-?(?:header|nav)|page-?(?:nav|navigation)|"
    r"navigation|pagination|pager|prev-?next|next-?prev|on-?this-?page|share|promo|"
    r"banner|related|recommend\w*|comments|announcement)(?:$|[\s_-])",
    re.IGNORECASE,
)
_SUSPECT = re.compile(f"{_FURNITURE.pattern}|{_NAVIGATION.pattern}", re.IGNORECASE)
_OWN: Final = {"blockquote": "footer", "pre": "a", "code": "a"}
"""What an element may hold that is not chrome there: a quote names its author, code has links."""
_GENERIC_TAGS: Final = frozenset(("footer", "aside", "header"))
_BOXES: Final = frozenset("div section ul ol p span aside header footer".split())
_HEADINGS: Final = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
TABLES: Final = {
    "control": _CONTROLS,
    "generic": _GENERIC_TAGS,
    "box": _BOXES,
    "heading": _HEADINGS,
    "chrome": CHROME,
    "dropped": _DROPPED,
    "permalink": _ANCHOR_NAMES,
    "marks": _MARKS,
    "roles": _ROLES,
}
"""What the native reader is told of these tables."""


def is_doubtful(tag: str, attrs: dict[str, str], names: frozenset[str]) -> bool:
    """Whether such an element could be taken out on any page; what it holds may still keep it."""
    if tag in _CONTROLS or tag in _GENERIC_TAGS:
        return True
    if not attrs:
        return False
    return (
        (tag == "a" and "#" in attrs.get("href", ""))
        or "hidden" in attrs
        or "aria-hidden" in attrs
        or attrs.get("role", "") in _ROLES
        or not _DROPPED.isdisjoint(names)
        or (tag in _BOXES and bool(names) and _is_suspect(attrs))
    )


def prune(main: MainContent, doubts: Iterable[Doubt]) -> None:
    """Take what is not content out of the main elements, in place.

    The doubts are in document order: an element is judged before anything inside it is gone.
    """
    for place in main.places:
        _Pruner(place.element, main).clean(
            doubt
            for doubt in doubts
            if place.start <= doubt.start < place.end and doubt.element is not place.element
        )


class _Pruner:
    __slots__ = ("_chrome", "_half", "_known")

    def __init__(self, root: Element, main: MainContent) -> None:
        self._chrome = CHROME | main.drop
        self._known = main.known
        self._half = -1 if main.known else text_length(root) // 2

    def clean(self, doubts: Iterable[Doubt]) -> None:
        gone: dict[Element, list[Element]] = {}
        for element, parent, _ in doubts:
            if _OWN.get(parent.tag) != element.tag and self._is_chrome(element):
                gone.setdefault(parent, []).append(element)
        for parent, dropped in gone.items():
            left = {id(element): _targets_in(element) for element in dropped}
            kept: list[Node] = []
            for child in parent.children:
                if id(child) in left:
                    kept += left[id(child)]
                else:
                    kept.append(child)
            parent.children = kept

    def _is_chrome(self, element: Element) -> bool:
        attrs = element.attrs
        role = attrs.get("role", "")
        if element.tag in _CONTROLS:
            return role not in _KEPT_WHEN_BUTTON
        if "hidden" in attrs and attrs["hidden"] != "until-found" and not _is_tab_panel(element):
            return True
        if role in _ROLES:
            return True
        if element.names and not self._chrome.isdisjoint(element.names):
            return not _is_wrapper(element)
        if element.tag == "a":
            return _is_permalink(element)
        if attrs.get("aria-hidden") == "true" and element.tag in ("i", "div"):
            return True
        return not self._known and self._is_generic_chrome(element)

    def _is_generic_chrome(self, element: Element) -> bool:
        tag = element.tag
        if tag == "footer":
            return text_length(element) <= self._half
        if tag == "aside":
            return _is_mostly_links(element) and text_length(element) <= self._half
        if tag == "header":
            return find(element, lambda inner: inner.tag in _HEADINGS) is None
        if tag not in _BOXES or not element.names:
            return False
        label = f"{element.attrs.get('class', '')} {element.attrs.get('id', '')}"
        if len(label) > 400:
            return False
        named = _FURNITURE.search(label) or (_NAVIGATION.search(label) and _is_mostly_links(element))
        return (
            bool(named)
            and find(element, lambda inner: inner.tag in ("pre", "h1")) is None
            and text_length(element) <= self._half
        )


def _targets_in(element: Element) -> list[Element]:
    """What is left of a permalink: the places that it is itself the target of (node's `<a id=x href=#x>`)."""
    if element.tag not in ("a", "span"):
        return []
    targets: list[Element] = []
    for inner in (element, *elements(element)):
        name = inner.attrs.get("id") or (inner.attrs.get("name") if inner.tag == "a" else None)
        if name:
            targets.append(Element("a", {"id": name}, frozenset()))
    return targets


def _is_suspect(attrs: dict[str, str]) -> bool:
    """Whether something is named after furniture or navigation."""
    classes, own_id = attrs.get("class", ""), attrs.get("id", "")
    return len(classes) + len(own_id) < 400 and (
        _is_suspect_class(classes) or _SUSPECT.search(own_id) is not None
    )


def named_after(names: str) -> int:
    """What the names of an element say it is: 1 for furniture, 2 for navigation, 3 for both."""
    return (_FURNITURE.search(names) is not None) + 2 * (_NAVIGATION.search(names) is not None)


@lru_cache(maxsize=2_000)
def _is_suspect_class(classes: str) -> bool:
    """Remembered: the pages of a site share their classes, and the pattern is slow."""
    return _SUSPECT.search(classes) is not None


def _is_tab_panel(element: Element) -> bool:
    return element.attrs.get("role") == "tabpanel" or any("tab" in name.lower() for name in element.names)


def _is_mostly_links(element: Element) -> bool:
    linked = sum(text_length(inner) for inner in elements(element) if inner.tag == "a")
    return 2 * linked >= text_length(element)


def _is_wrapper(element: Element) -> bool:
    """A permalink's class on what holds the heading itself (GitHub, Hugo): that is the heading."""
    return element.tag == "a" and find(element, lambda inner: inner.tag in _HEADINGS) is not None


def _is_permalink(element: Element) -> bool:
    if "#" not in element.attrs.get("href", ""):
        return False
    text = raw_text(element).strip()
    if text in _MARKS or (text == "link" and not _ANCHOR_NAMES.isdisjoint(element.names)):
        return True
    return not text and not any(inner.tag == "img" for inner in elements(element))
