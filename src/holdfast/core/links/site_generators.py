"""The generators of sites, by the files that configure them, and how each reads a link (TRK-19).

1. A generator is at work where a file that configures it lies. It governs the documents of that folder and
   below; the nearest one does. Where none lies above a document, any that is there may take it.
2. Most take a relative path from the document's file, and tell names apart by the case of letters. Those
   `from_page` leave a path to the browser, which takes it from the address of the page; those of `any_case`
   find `Guide.md` by `guide.md`; those `from_anywhere` look for documents elsewhere, too.
3. A file that a configuration names (a page that a program writes, an old address that is redirected) may be
   there in the end: by its folder and name, or by its name alone. `index` and `README` are named
   everywhere, and say nothing alone.
4. A folder whose name begins with a dot is a tool's (`.cargo/config.toml`).
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Final

from holdfast.core.base.values import dataclass
from holdfast.core.links.file_tree import FileTree

_SCRIPTS: Final = ("js", "ts", "mjs", "mts", "cjs")
_YAML: Final = ("yml", "yaml")


@dataclass(frozen=True, slots=True)
class SiteGenerator:
    """The names of the files that configure a generator, and how it reads a link."""

    files: tuple[str, ...]
    from_page: bool = False
    any_case: bool = False
    from_anywhere: bool = False


def _named(names: str, ends: Iterable[str]) -> tuple[str, ...]:
    return tuple(f"{name}.{end}" for name in names.split() for end in ends)


DOCUSAURUS: Final = _named("docusaurus.config", _SCRIPTS)
_BOOKS: Final = (
    *DOCUSAURUS,
    *_named(".vitepress/config .vitepress/config/index .vuepress/config", _SCRIPTS),
    *_named("mkdocs antora _quarto _bookdown _toc myst .gitbook", _YAML),
    *("mkdocs.toml", "antora.toml", "zensical.toml", "book.toml", "conf.py", "SUMMARY.md"),
)
_SITES: Final = (
    *_named("astro.config next.config nuxt.config gatsby-config", _SCRIPTS),
    *_named("_config", (*_YAML, "toml")),
    *("mint.json", "docs.json", "pelicanconf.py"),
)
_HUGO: Final = (*_named("hugo", (*_YAML, "toml", "json")), "config.toml")
_GENERATORS: Final = (
    SiteGenerator(_BOOKS),
    SiteGenerator(_SITES, from_page=True),
    SiteGenerator(_HUGO, from_page=True, any_case=True),
    SiteGenerator(("docfx.json", ".openpublishing.publish.config.json"), any_case=True),
    SiteGenerator(
        (*_named("eleventy.config .eleventy", _SCRIPTS), "_sidebar.md"), from_page=True, from_anywhere=True
    ),
)
_SAYING: Final = re.compile(
    r"(?:.*/)?(?:[^/]*redirect[^/]*\.(?:json|ya?ml|toml|[cm]?[jt]s|txt|csv|conf|map|py)|_redirects|\.htaccess|"
    r"(?:netlify|vercel|firebase|staticwebapp\.config)\.(?:toml|json))",
    re.IGNORECASE,
)
"""The files that say where an old address leads."""


def has_generator(tree: FileTree) -> bool:
    """Whether a file that configures a generator is anywhere under the root."""
    return next(_configured(tree), None) is not None


def configurations(tree: FileTree) -> tuple[str, ...]:
    """The files that say what a site has besides its sources: of generators, and of redirects."""
    return tuple(
        sorted({*(path for path, _, _ in _configured(tree)), *filter(_SAYING.fullmatch, tree.files)})
    )


def _configured(tree: FileTree) -> Iterator[tuple[str, str, SiteGenerator]]:
    """Each file that configures a generator, and the folder whose documents that governs."""
    for generator in _GENERATORS:
        for name in generator.files:
            for path in tree.called(posixpath.basename(name)):
                folder = f"/{path}".removesuffix(f"/{name}")
                if folder != f"/{path}" and "/." not in folder:
                    yield path, folder[1:], generator


class SiteGenerators:
    """The generators under a root; `texts` gives what their files of configuration say."""

    def __init__(self, tree: FileTree, texts: Callable[[], Sequence[str]]) -> None:
        self._tree = tree
        self._texts = texts
        self._named: dict[str, bool] = {}

    def of(self, document: str) -> frozenset[SiteGenerator]:
        """Those that may make a page of a document."""
        folder = posixpath.dirname(document)
        while folder not in self._by_folder and folder:
            folder = posixpath.dirname(folder)
        return self._by_folder.get(folder, self._any)

    def names(self, path: str) -> bool:
        """Whether a configuration names a path."""
        if path not in self._named:
            name = _name_of(path)
            self._named[path] = any(map(name.search, self._texts()))
        return self._named[path]

    @cached_property
    def _by_folder(self) -> dict[str, frozenset[SiteGenerator]]:
        found: dict[str, frozenset[SiteGenerator]] = {}
        for _, folder, generator in _configured(self._tree):
            found[folder] = found.get(folder, frozenset()) | {generator}
        return found

    @cached_property
    def _any(self) -> frozenset[SiteGenerator]:
        return frozenset(each for row in self._by_folder.values() for each in row)


def _name_of(path: str) -> re.Pattern[str]:
    """What a configuration may call a path."""
    folder, name = posixpath.split(path)
    stem = posixpath.splitext(name)[0]
    alone = rf"(?<![\w./-])(?:\./)?{re.escape(name)}(?![\w-])"
    below = rf"(?<![\w-]){re.escape(f'{posixpath.basename(folder)}/{stem}')}(?![\w-])"
    says_nothing = stem.casefold() in ("index", "readme")
    return re.compile(
        "|".join([below] * bool(folder) + [alone] * (not says_nothing)) or "(?!)", re.IGNORECASE
    )
