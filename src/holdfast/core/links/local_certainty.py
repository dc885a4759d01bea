"""What is certain about a local link that leads nowhere: where a rule that we do not know may make it right,
nobody can judge it (TRK-19).

A missing file, in this order:

    where                                                           is certain
    no generator governs the document, or a forge shows it          yes
    a document that is put into others: its relative links          no
    a name in other letters, where the generator finds it           no
    a path that the generator takes from elsewhere than the file,
    and a file of that name lies there                              no
    a file of a kind that builds make (`.pdf`, `.html`, `.css`)     no
    a path that a file of configuration names                       no
    anything else                                                   yes

A missing place in a document is certain where no generator governs that document, or a forge shows it. Else
it is, unless components, templates, includes, cells of code or terms that are defined fill the document, or
the fragment is no id (`tab/linux`).
"""

from __future__ import annotations

import posixpath
from typing import Final

from holdfast.core.links.anchors import DocumentAnchors
from holdfast.core.links.file_tree import FileTree
from holdfast.core.links.local_links import PAGES, SOURCES, LocalProblem, LocalTarget
from holdfast.core.links.project import DOC, is_for_forges, is_piece
from holdfast.core.links.site_generators import SiteGenerators

_BUILT: Final = tuple(".css .docx .epub .gz .htm .html .js .pdf .pptx .rss .tgz .wasm .xml .zip".split())


def is_certain_file(
    document: str, raw: str, target: LocalTarget, tree: FileTree, sites: SiteGenerators
) -> bool:
    """Whether the file that a link of a document leads to is certainly not there."""
    if is_for_forges(document, tree) or not (generators := sites.of(document)):
        return True
    path = raw.partition("#")[0].partition("?")[0]
    is_source = raw.startswith(DOC) or path.endswith(SOURCES)
    by_browser = not is_source and not document.endswith(PAGES)
    starts_elsewhere = any(each.from_anywhere or (each.from_page and by_browser) for each in generators)
    unknown = (
        is_piece(document) and not path.startswith("/"),
        target.problem is LocalProblem.CASE and any(each.any_case for each in generators),
        starts_elsewhere and bool(tree.called(posixpath.basename(target.path))),
        path.lower().endswith(_BUILT),
    )
    return not any(unknown) and (target.problem is LocalProblem.CASE or not sites.names(target.path))


def is_certain_place(
    target: LocalTarget, anchors: DocumentAnchors, tree: FileTree, sites: SiteGenerators
) -> bool:
    """Whether the place that a link names is certainly not in the target."""
    if is_for_forges(target.path, tree) or not sites.of(target.path):
        return True
    return not (anchors.is_filled or "/" in target.fragment)
