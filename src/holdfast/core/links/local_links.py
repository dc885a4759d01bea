"""Links to files of one's own: where they lead, and what is wrong with them (TRK-11); and mail addresses.

1. A link with a scheme or a host is not local, nor is a mail address. One with a hole in it (`{{ x }}`), or
   written for a generator (`@site/…`, `~assets/…`) or for what a build brings (`webjars/…`), leads nobody
   knows where.
2. A path is taken from the document's folder, as forges do; with a slash at the start from `root_dir`.
   Without `root_dir` only the site knows its root; but a document's source (`/docs/x.md`) is one that
   forges show from the root, and it is judged where its first folder is there.
3. Names are exact, letter case included: so are servers.
4. A path without the extension of a source (`guide`, `guide/`, `guide.html`) may be a page of a site: it is
   fine if a document of that name is there, seen from the document's folder or from the folder that its
   page becomes. If none is, nobody can tell: generators name and number pages as they like; so it is if a
   document called `node.js.md` is there for `node.js`. Between pages in HTML, `.html` is a file. A link to
   a folder is fine; its fragment is one of the folder's index file.
5. Docusaurus looks for documents from the folders above, too; so does AsciiDoc, whose files are put
   together from elsewhere, and there a file anywhere will do whose path ends so. Sphinx copies folders to
   its pages.
6. What Sphinx resolves by name is in `core/links/project`.
7. A backslash is a slash in HTML, where browsers read it so; in Markdown it is a character of the name.
8. In a folder that is called by a language (`content/de/…`), a file that only another language has will do:
   generators take it from there.
9. Files that forges show (`README`, `CONTRIBUTING`, …) are read there: what has no extension is a file,
   too, if they lie at the root, or if no generator is at work (`core/links/project`).
10. What is proposed instead is certain enough to look at, never more: the only file of that name, or the
    name in other letters.

Mail addresses in links are judged by their syntax alone: nobody is asked, and nobody is written to.

    mailto:a@example.org,b@example.org?subject=…      RFC 6068: addresses between commas, then header fields
    local part    atoms between dots, or a quoted string (RFC 5322); letters of all scripts (RFC 6531)
    domain        labels of letters, digits and inner hyphens, 63 characters each, or an address in brackets
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from enum import StrEnum
from typing import Final
from urllib.parse import quote, unquote

from holdfast.core.base.values import dataclass
from holdfast.core.links.file_tree import FileTree
from holdfast.core.links.project import (
    DOC,
    conf_folder,
    document_named,
    in_another_language,
    is_for_forges,
    leaves_its_book,
    may_be_an_object,
)
from holdfast.core.links.site_generators import DOCUSAURUS
from holdfast.core.url.hosts import is_template

ASCIIDOC: Final = (".adoc", ".asciidoc", ".asc")
SOURCES: Final = (".md", ".mdx", ".markdown", ".rst", *ASCIIDOC, ".ipynb", ".qmd", ".rmd", ".txt")
WIKI: Final = "wiki:"
"""How a reader marks a wiki link, which has no path."""
PAGES: Final = (".html", ".htm")
_INDEXES: Final = ("index", "_index", "README", "readme", "Readme")
_WRITTEN: Final = "/@!$&'*+,;=:~"
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_FOREIGN = re.compile(r"[@~$%#:*!]|pathname:|\./?\$")
_PACKAGES = re.compile(r"(?:\A|/)(?:webjars|bower_components)/")
_MAIL = re.compile(r"[^/\s@]+@[^/\s@]+\.[A-Za-z]+")
_EXTENSION = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,5}\Z")


class LocalProblem(StrEnum):
    """What is wrong with a local link."""

    MISSING = "missing"
    CASE = "case"


@dataclass(frozen=True, slots=True)
class LocalOptions:
    """How local links are read: `root_dir` is the folder that `/` means, from the root of the documents. A
    `strict` reading judges links of which nothing is certain, too.
    """

    root_dir: str | None = None
    wiki_links: bool = False
    strict: bool = False


@dataclass(frozen=True, slots=True)
class LocalTarget:
    """Where a link leads: a file or folder from the root, and the fragment that is to be there.

    `path` is what was looked for where there is a problem; `instead` is the path it may be. `as_page` is
    where it leads from the folder that the document's page becomes.
    """

    path: str
    fragment: str = ""
    problem: LocalProblem | None = None
    instead: str | None = None
    as_page: str | None = None


def judge(document: str, url: str, tree: FileTree, options: LocalOptions) -> LocalTarget | None:
    """Where a link of a document leads; None for what is not local, or cannot be judged."""
    if url.startswith(DOC):
        return _named_document(document, url.removeprefix(DOC), tree)
    if options.wiki_links and url.startswith(WIKI):
        return _wiki(document, url.removeprefix(WIKI), tree)
    return _written_path(document, url, tree, options)


def _written_path(document: str, url: str, tree: FileTree, options: LocalOptions) -> LocalTarget | None:
    if not url or url.startswith("//") or _SCHEME.match(url) or is_template(url) or "%}" in url:
        return None
    address, _, fragment = url.partition("#")
    path = unquote(address.partition("?")[0].replace("\\", "/"))
    if not path:
        return LocalTarget(document, fragment) if fragment else None
    if (
        _FOREIGN.match(path)
        or _PACKAGES.search(path)
        or _MAIL.fullmatch(path)
        or any(mark in path for mark in "\0\n$")
    ):
        return None
    if path.startswith("/"):
        return _from_the_top(document, path, fragment, tree, options)
    folder = posixpath.dirname(document)
    if (wanted := _joined(folder, path)) is None:
        return None
    found = _found(wanted, path, tree)
    for look in (_as_page, _from_above, _beside_sources):
        found = look(document, path, tree) if found is None else found
    found = in_another_language(wanted, tree) if found is None else found
    if found is not None:
        return LocalTarget(found, fragment, as_page=_as_page(document, path, tree) if fragment else None)
    if leaves_its_book(document, wanted, tree):
        return None
    is_file = document.endswith(PAGES) if path.endswith(PAGES) else is_for_forges(document, tree)
    problem = _problem(wanted, fragment, tree, is_file=is_file)
    is_sure = problem is None or problem.instead is not None or not may_be_an_object(document, path, tree)
    return problem if is_sure else None


def _named_document(document: str, name: str, tree: FileTree) -> LocalTarget | None:
    named = document_named(document, name, tree)
    if named is None:
        return None
    path, is_there = named
    return LocalTarget(path) if is_there else _problem(path, "", tree)


def _wiki(document: str, name: str, tree: FileTree) -> LocalTarget:
    """Where a wiki link leads: the document or file of that name, wherever it lies."""
    page, _, fragment = name.partition("#")
    page = page.strip()
    if not page:
        return LocalTarget(document, fragment)
    last = page.rpartition("/")[2]
    named = (path for suffix in ("", *SOURCES) for path in tree.called(last + suffix))
    found = next(
        (
            path
            for path in named
            if f"/{path}".rpartition(".")[0].endswith(f"/{page}") or f"/{path}".endswith(f"/{page}")
        ),
        None,
    )
    if found is not None:
        return LocalTarget(found, fragment)
    return LocalTarget(page, fragment, LocalProblem.MISSING)


def relative_link(document: str, path: str) -> str:
    """A link from a document to a file, as it is written."""
    here, there = document.split("/")[:-1], path.split("/")
    while here and there[1:] and here[0] == there[0]:
        here, there = here[1:], there[1:]
    to = "/".join([*[".."] * len(here), *there])
    return quote(to, safe=_WRITTEN)


def rooted_link(path: str, options: LocalOptions) -> str | None:
    """A link to a file from what `/` means; None where it does not lie under that."""
    base = f"{options.root_dir}/" if options.root_dir else ""
    return f"/{quote(path.removeprefix(base), safe=_WRITTEN)}" if path.startswith(base) else None


def _from_the_top(
    document: str, path: str, fragment: str, tree: FileTree, options: LocalOptions
) -> LocalTarget | None:
    base = options.root_dir if options.root_dir is not None else ""
    wanted = _joined(base, path.lstrip("/"))
    if wanted is None:
        return None
    is_source = path.endswith(SOURCES) and not document.endswith(PAGES)
    is_known = options.root_dir is not None or (is_source and wanted.partition("/")[0] in tree.folders)
    found = _found(wanted, path, tree)
    if found is not None:
        return LocalTarget(found, fragment if is_known else "")
    return _problem(wanted, fragment, tree) if is_known else None


def _joined(folder: str, path: str) -> str | None:
    """A path from the root; None where it leads out."""
    joined = posixpath.normpath(posixpath.join(folder, path))
    if joined.startswith(".."):
        return None
    return "" if joined == "." else joined


def _found(wanted: str, written: str, tree: FileTree) -> str | None:
    """What a path leads to: itself, or the document that becomes the page it names."""
    if tree.has(wanted):
        return _index_of(wanted, tree) if wanted in tree.folders and wanted not in tree.files else wanted
    if written.endswith(SOURCES):
        return None
    return next((candidate for candidate in _sources_of(wanted) if candidate in tree.files), None)


def _index_of(folder: str, tree: FileTree) -> str:
    names = (posixpath.join(folder, name + suffix) for name in _INDEXES for suffix in (*PAGES, *SOURCES))
    return next((name for name in names if name in tree.files), folder)


def _sources_of(wanted: str) -> Iterator[str]:
    stem = wanted
    for page in PAGES:
        stem = stem.removesuffix(page)
    for suffix in (*SOURCES, *PAGES):
        yield stem + suffix
    if stem.rpartition("/")[2] == "index" or stem == wanted:
        folder = stem.rpartition("/")[0] if stem.rpartition("/")[2] == "index" else stem
        for name in _INDEXES:
            yield from (posixpath.join(folder, name + suffix) for suffix in SOURCES)


def _as_page(document: str, path: str, tree: FileTree) -> str | None:
    """What a path leads to from the folder that a document's page becomes (`guide.md` is at `guide/`)."""
    if path.endswith(SOURCES):
        return None
    stem = document.rpartition(".")[0]
    is_index = posixpath.basename(stem) in _INDEXES
    bases = [posixpath.dirname(posixpath.dirname(document))] if is_index else [stem]
    for base in bases:
        wanted = _joined(base, path)
        if wanted is not None and (found := _found(wanted, path, tree)) is not None:
            return found
    return None


def _from_above(document: str, path: str, tree: FileTree) -> str | None:
    """What a path leads to from the folders above a document, for those that look there."""
    is_asciidoc = document.endswith(ASCIIDOC)
    above = [posixpath.dirname(document)]
    while above[-1]:
        above.append(posixpath.dirname(above[-1]))
    if not is_asciidoc and not any(map(tree.called, DOCUSAURUS)):
        return None
    wanted = (_joined(folder, path) for folder in above)
    found = next((each for each in wanted if each in tree.files), None)
    if found is not None or not is_asciidoc:
        return found
    ends = (each for each in tree.called(posixpath.basename(path)) if f"/{each}".endswith(f"/{path}"))
    return next(ends, None)


def _beside_sources(document: str, path: str, tree: FileTree) -> str | None:
    """What a path leads to in a folder that Sphinx copies beside the pages (`html_extra_path`)."""
    base = conf_folder(document, tree) if document.endswith(".rst") else None
    wanted = _joined(posixpath.dirname(document), path)
    if base is None or wanted is None or not f"{wanted}/".startswith(f"{base}/" if base else ""):
        return None
    within = wanted[len(base) :].lstrip("/")
    ends = (each for each in tree.called(posixpath.basename(path)) if each.endswith(f"/{within}"))
    return next(ends, None)


def _problem(wanted: str, fragment: str, tree: FileTree, *, is_file: bool = False) -> LocalTarget | None:
    """What is wrong with a path that leads nowhere; None where a generator may have a page there."""
    other = tree.in_other_case(wanted)
    if other is not None:
        return LocalTarget(wanted, fragment, LocalProblem.CASE, other)
    name = wanted.replace("\\", "/").rpartition("/")[2]
    is_page = not _EXTENSION.search(wanted) or wanted.endswith(PAGES)
    if not is_file and (is_page or any(tree.called(name + suffix) for suffix in SOURCES)):
        return None
    same_name = tree.called(name)
    return LocalTarget(wanted, fragment, LocalProblem.MISSING, same_name[0] if len(same_name) == 1 else None)


MAIL: Final = "mailto:"
_ATOM = r"[\w!#$%&'*+/=?^`{|}~\-]++"
_LOCAL = re.compile(rf'{_ATOM}(?:\.{_ATOM})*|"(?:[^"\\]|\\.)*+"')
_LABEL = r"(?!-)[^\W_](?:[\w\-]{0,61}[^\W_])?"
_DOMAIN = re.compile(rf"{_LABEL}(?:\.{_LABEL})*\.?|\[[0-9A-Fa-f.:IPv]+\]")
_LONGEST_LOCAL: Final = 64
_LONGEST_DOMAIN: Final = 255


def mail_problem(url: str) -> str | None:
    """What is wrong with the addresses of a `mailto:` link, in words; None where they could be right."""
    addresses, _, fields = url[len(MAIL) :].partition("?")
    given = [unquote(address).strip() for address in addresses.split(",")]
    if not any(given):
        return (
            None if "to=" in fields.lower() or "subject=" in fields.lower() else "there is no address in it"
        )
    return next((problem for address in given if (problem := _address_problem(address)) is not None), None)


def _address_problem(address: str) -> str | None:
    if not address:
        return "one of its addresses is empty"
    local, mark, domain = address.rpartition("@")
    if not mark:
        return f"{address} has no @"
    if not local or not _LOCAL.fullmatch(local) or len(local) > _LONGEST_LOCAL:
        return f"what stands before the @ of {address} is not the name of a mailbox"
    if not _DOMAIN.fullmatch(domain) or len(domain) > _LONGEST_DOMAIN:
        return f"what stands after the @ of {address} is not the name of a host"
    return None
