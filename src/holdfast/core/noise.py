"""What documentation generators make for their own use: no reader looks for it in a mirror (MIR-14).

    by its name alone                                       what it is
    a folder `_sources`                                     the source text of pages (Sphinx)
    a folder `_modules`                                     source code as pages (Sphinx)
    `genindex`, `py-modindex`, `index-all`, `index-files/`  general indexes (Sphinx, Javadoc)
    `api-index-…`, `bookindex`, `ix01`                      general indexes (gtk-doc, DocBook)
    a folder `_print`, `print_page`                         many pages in one, for printing (Docsy, MkDocs)

    by its name, and by what it says
    `search`: few words, and a generator or its search      a search page
    `tags`, `tag`, `categories`, or a name below them: a    a list of the pages with a tag
    generator that makes such lists, many links
    `print`: made by mdBook                                 the whole book in one page
    `functions`, `globals`, `namespacemembers` and what     general indexes
    follows them: made by Doxygen
    `_index`, `class_list`, `method_list`, `file_list`:     general indexes
    made by YARD

A name is the last segment of a path, with or without `.html`. What only its name and its words tell apart
is fetched first: a chapter on searching is called `search.html`, too. What the user names is never noise.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import StrEnum
from typing import Final

from holdfast.core.url import Url
from holdfast.core.values import dataclass

__all__ = ["Look", "Noise", "noise_by_look", "noise_by_name"]

_FEW_WORDS: Final = 80
_LINKED: Final = 5
"""One word in so many is a link, where a page lists pages with a sentence of each."""
_MAKES_TAGS: Final = (
    "docusaurus",
    "hugo",
    "jekyll",
    "pelican",
    "hexo",
    "eleventy",
    "vuepress",
    "ablog",
    "nikola",
)
_BY_NAME: Final = re.compile(
    r"/(?:(?P<sources>_sources)/|(?P<code>_modules)(?:/|\.html?$)|(?P<print>_print/|print_page(?:/|\.html?)?$)"
    r"|(?P<index>(?:genindex(?:-[^/.]+)?|(?:py|np)-modindex|index-all|api-index-[^/.]+|bookindex|ix01)(?:/|\.html?)?$|index-files/))"
)
_NAMED = re.compile(
    r"/(?:(?P<search>search)|(?P<print>print)|(?P<tags>(?:tags?|categories)(?:/[^/]+)?)"
    r"|(?P<members>(?:functions|globals|namespacemembers)(?:_[^/.]*)?)"
    r"|(?P<lists>_index|(?:class|method|file|tag)_list))(?:/|\.html?)?$"
)


class Noise(StrEnum):
    """What was left out; counted by these words."""

    SOURCES = "noise: page sources"
    CODE = "noise: source code pages"
    INDEX = "noise: general index"
    SEARCH = "noise: search page"
    TAGS = "noise: tag pages"
    PRINT = "noise: print version"


_WORDS: Final = {
    "sources": Noise.SOURCES,
    "code": Noise.CODE,
    "index": Noise.INDEX,
    "print": Noise.PRINT,
}


@dataclass(frozen=True, slots=True)
class Look:
    """What a page shows of itself: who made it, as far as is known, how many words it has, how many of them
    are links, and whether it brings a generator's search along.
    """

    generator: str
    words: int
    linked_words: int
    has_search: bool


def noise_by_name(url: Url) -> Noise | None:
    """What a URL is by its name alone."""
    found = _BY_NAME.search(url.path)
    return _WORDS[found.lastgroup] if found and found.lastgroup else None


def noise_by_look(url: Url, looking: Callable[[], Look]) -> Noise | None:
    """What a page is by its name and by what it says. Few pages have such a name: only they are looked at."""
    found = _NAMED.search(url.path)
    if found is None:
        return None
    look = looking()
    maker = look.generator.lower()
    match found.lastgroup:
        case "search" if look.words < _FEW_WORDS and (maker or look.has_search):
            return Noise.SEARCH
        case "tags" if maker.startswith(_MAKES_TAGS) and _LINKED * look.linked_words >= look.words:
            return Noise.TAGS
        case "print" if maker.startswith("mdbook"):
            return Noise.PRINT
        case "members" if maker.startswith("doxygen"):
            return Noise.INDEX
        case "lists" if maker.startswith("yard"):
            return Noise.INDEX
        case _:
            return None
