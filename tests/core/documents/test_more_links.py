"""Links in HTML attributes, styles, MDX components, plain text, templates."""

import pytest

from helpers.growth import is_linear
from holdfast.core.documents.document_kinds import DocumentFormat, format_of
from holdfast.core.documents.readers import read_document, read_links
from holdfast.core.links.citing import cite, new_place
from holdfast.core.url.hosts import HostRules, is_reserved, is_template
from holdfast.core.url.policy import WEB

pytestmark = pytest.mark.spec("TRK-2")

U = "https://e.org/x"


def urls(text, kind=DocumentFormat.HTML):
    data = text.encode()
    mentions = read_document(data, kind).mentions
    for mention in mentions:
        assert data[mention.span.start : mention.span.end].decode() in (mention.raw, mention.raw[7:])
    return [mention.raw for mention in mentions]


@pytest.mark.parametrize(
    "tag",
    [
        f'<a href="{U}">', f'<a ping="{U}">', f'<area href="{U}">', f'<link href="{U}">', f'<img src="{U}">',
        f'<img longdesc="{U}">', f'<iframe src="{U}">', f'<frame src="{U}">', f'<frame longdesc="{U}">',
        f'<embed src="{U}">', f'<object data="{U}">', f'<object codebase="{U}">', f'<object archive="{U}">',
        f'<applet code="{U}">', f'<applet archive="{U}">', f'<body background="{U}">',
        f'<td background="{U}">', f'<blockquote cite="{U}">', f'<q cite="{U}">', f'<ins cite="{U}">',
        f'<form action="{U}">',
        f'<button formaction="{U}">', f'<input formaction="{U}">', f'<html manifest="{U}">',
        f'<head profile="{U}">',
        f'<script src="{U}">', f'<source src="{U}">', f'<track src="{U}">', f'<video poster="{U}">',
        f'<menuitem icon="{U}">', f'<meta http-equiv="Refresh" content="5; url={U}">',
        f"<meta content='0;URL=\"{U}\"' http-equiv=refresh>", f'<meta http-equiv="refresh" content="3; {U}">',
        f'<my-card href="{U}">', f'<my-card src="{U}">', f'<svg><image xlink:href="{U}"></svg>',
        f'<use href="{U}">',
        f'<p style="background: url({U})">', f"<p style='background: url(\"{U}\")'>",
        f"<style>/* url(https://e.org/no) */ a {{ b: url('{U}') }}</style>", f'<style>@import "{U}";</style>',
        f'<img srcset="{U} 2x">', f'<link rel=preload imagesrcset="{U} 2x">',
    ],
)  # fmt: skip
def test_every_attribute_that_holds_a_url_is_read(tag):
    assert urls(tag) == [U]


@pytest.mark.parametrize(
    "tag",
    [f'<meta name="x" content="{U}">', f'<p href="{U}">', f'<p data-x="{U}">',
     f"<style>a::after {{ b: '{U}' }}",
     f'<link rel=preconnect href="{U}">'],
)  # fmt: skip
def test_what_no_browser_follows_is_not_read(tag):
    assert urls(tag) == []


MDX = f"""---
title: x
---
import X from "https://no.org/import"
import {{
  Y }} from 'https://no.org/y'

export const a = "https://no.org/a"

{{/* https://no.org/comment */}}

<Card href="{U}1" title={{<b>x</b>}}>
    [in]({U}2) and <Link to={{"{U}3"}}>t</Link>
    - {U}4

    ```js
    fetch("https://no.org/code")

    <Card href="https://no.org/c2" />
    ```
</Card>

Text `<Card href="https://no.org/c3" />` and <img src={{`{U}5`}} />.
<Foo
  href='{U}6'
  onClick={{() => {{ x("}}") }}}}
/>
<Foo href={{base + "https://no.org/computed"}} a:b {{...rest}} src="{U}7" /> a < b > c <b>{U}8</b>
"""


def test_components_of_mdx_cite_and_its_code_does_not():
    assert format_of("a.mdx") is DocumentFormat.MDX
    assert urls(MDX, DocumentFormat.MDX) == [f"{U}{number}" for number in range(1, 9)]


def test_an_ignore_in_mdx_is_a_comment_in_braces():
    reading = read_document(f"{{/* holdfast: ignore-next known */}}\n\n{U}\n".encode(), DocumentFormat.MDX)
    assert [(ignore.first, ignore.reason) for ignore in reading.ignores] == [(3, "known")]


@pytest.mark.spec("SEC-8")
@pytest.mark.parametrize(
    "piece", [b"{/*", b"<A b={", b"`", b"import a\n\n", b'<A href="//b" ', b"<A {", b"```\n"]
)
def test_mdx_is_linear(piece):
    assert is_linear(lambda n: read_links(piece * n, DocumentFormat.MDX), 16_000 // len(piece))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("请看https://e.org/a", ["https://e.org/a"]),
        ("（https://e.org/b）。", ["https://e.org/b"]),
        ("https://e.org/c，然后", ["https://e.org/c"]),
        ("https://e.org/d、https://e.org/e。", ["https://e.org/d", "https://e.org/e"]),
        ("https://e.org/中文/x", ["https://e.org/中文/x"]),
        ("[a](https://e.org/d),[b](https://e.org/e)", ["https://e.org/d", "https://e.org/e"]),
        ("[a](https://e.org/d_(e)):", ["https://e.org/d_(e)"]),
        ("xhttps://e.org", []),
    ],
)
def test_plain_text_of_all_scripts(text, found):
    assert urls(text, DocumentFormat.TEXT) == found


@pytest.mark.parametrize(
    "host", ["example.com", "a.example.org", "x.test", "localhost", "a.localhost", "b.invalid"]
)
def test_names_of_examples_are_not_asked_unless_named(host):
    assert is_reserved(host)
    assert HostRules(skip_reserved=True).refusal(host)
    assert HostRules(ask=[host], skip_reserved=True).refusal(host) is None
    assert not is_reserved("example.dev")
    assert not is_reserved("latest")


@pytest.mark.parametrize(
    "url", ["https://e.org/{id}", "https://{{ host }}/x", "https://e.org/${ID}", "https://e.org/<id>",
            "https://e.org/%7B%7B"]
)  # fmt: skip
def test_templates_are_unsupported(url):
    assert is_template(url)
    assert not is_template("https://e.org/a%7Bb?x=$y")
    (mention,) = read_links(f"[a](<{url}>)".encode().replace(b"<id>", b"\\<id\\>"), DocumentFormat.MARKDOWN)
    citation = cite(mention, WEB)
    assert citation is None or new_place(citation).state == "unsupported"
