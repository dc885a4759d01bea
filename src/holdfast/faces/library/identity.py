"""The library's answers about URLs, pages at hand and settings: plain functions that need no store."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from holdfast import jobs
from holdfast.core.base.errors import UsageError
from holdfast.core.page.distill_options import convert as convert_bytes
from holdfast.core.page.distill_options import distill_options
from holdfast.core.page.page import ConvertedPage
from holdfast.core.settings.resolve import Settings
from holdfast.core.url.canonical import explain
from holdfast.core.url.layout import Layout
from holdfast.core.url.url import Refused, parse_url
from holdfast.core.web.headers import type_of_name
from holdfast.faces.library.calling import settled
from holdfast.questions.url_forms import CanonAnswer, PathAnswer, ReverseAnswer, paths_of

if TYPE_CHECKING:
    from holdfast.faces.library.given_settings import GivenSettings


def canon(urls: Iterable[str], **settings: Unpack[GivenSettings]) -> tuple[CanonAnswer, ...]:
    """The canonical form of each URL, its key and the rules that fired; or why it has none. `canonicalize`
    is the fast way to the form alone.

    Example:
        for answer in holdfast.canon(["HTTPS://Example.com/a?utm_source=b", "mailto:a@example.com"]):
            print(answer.explained.canonical if answer.explained else answer.refused)
    """
    identity = jobs.load_settings.load_identity(settled(settings), "web")[0]
    return tuple(CanonAnswer(url, identity, explain(url, identity.policy)) for url in urls)


def convert(
    page: bytes | str | PathLike[str],
    *,
    url: str | None = None,
    content_type: str | None = None,
    **settings: Unpack[GivenSettings],
) -> ConvertedPage:
    """A page at hand (its bytes, its text, or a `Path` to its file) as Markdown, text, title, links. With
    `url` relative links become absolute; `content_type` is HTML, or what the file's name says.

    Example:
        page = holdfast.convert("<h1>Title</h1><p>Some <b>words</b>.", url="https://example.com/")
        print(page.markdown)
    """
    base = parse_url(url) if url is not None else None
    if isinstance(base, Refused):
        raise UsageError(f"{url!r}: {base}", hint="give an absolute http or https URL")
    options = distill_options(settled(settings))
    match page:
        case bytes():
            return convert_bytes(page, content_type or "text/html", base, options)
        case str():
            media_type = (content_type or "text/html").partition(";")[0]
            return convert_bytes(page.encode(), f"{media_type}; charset=utf-8", base, options)
        case PathLike():
            body = jobs.load_settings.read_bytes(Path(page), "file")
            return convert_bytes(body, content_type or type_of_name(str(page)), base, options)
    raise UsageError(
        f"convert takes bytes, text or a Path, not {type(page).__name__}",
        hint="the bytes of a response are `.content` in requests and httpx",
    )


def paths(urls: Iterable[str], **settings: Unpack[GivenSettings]) -> tuple[PathAnswer, ...]:
    """The names that URLs have on disk, as one mirror of them.

    Example:
        for answer in holdfast.paths(["https://example.com/a", "https://example.com/b?c=1"]):
            print(answer.path or answer.refused)
    """
    settings_now = settled(settings)
    policy = jobs.load_settings.load_identity(settings_now, "site")[0].policy
    return tuple(paths_of(urls, Layout(settings_now.mirror.files.layout), policy))


def urls_of(
    files: Iterable[str | PathLike[str]], **settings: Unpack[GivenSettings]
) -> tuple[ReverseAnswer, ...]:
    """The URLs of mirrored files: from their names, else from the sidecar or the manifest beside them.

    Example:
        for answer in holdfast.urls_of(["mirror/page.md"]):
            print(answer.input, answer.url)
    """
    layout = Layout(settled(settings).mirror.files.layout)
    return tuple(
        ReverseAnswer(str(file), jobs.mirror_place.url_of_file(Path(file), layout)) for file in files
    )


def config(**settings: Unpack[GivenSettings]) -> Settings:
    """Every setting as the functions see it: as given, else its default.

    Example:
        print(holdfast.config(max_pages=10).mirror.scope.max_pages)
    """
    return settled(settings)
