"""What a reader sees: Markdown through a real CommonMark parser, and HTML as its own text."""

from markdown_it import MarkdownIt

from holdfast.core.page.html.head import base_of
from holdfast.core.page.html.main_content import find_main
from holdfast.core.page.html.page_links import Resolver
from holdfast.core.page.html.taking_out import prune
from holdfast.core.page.html.tree import parse_html, raw_text
from holdfast.core.page.markdown.writer import write_markdown
from holdfast.core.page.python_reader import WANTED
from holdfast.core.url.url import parse_url

BASE = parse_url("https://docs.example/guide/page.html")
GFM = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def markdown_of(html):
    """A page's Markdown, by the parts that `distill` uses."""
    document = parse_html(html, WANTED)
    main = find_main(document)
    prune(main, document.doubts)
    return write_markdown(main.elements, Resolver(base_of(document, BASE))).markdown


def body_of(html):
    return parse_html(html).places[0].element


def rendered(markdown):
    return GFM.render(markdown)


def visible(html):
    """All visible characters, white space left out: what may be neither lost nor made up."""
    return "".join(raw_text(body_of(html)).split())
