"""Pages that are taken out of a mirror's folder: their files, their lines, and what describes the mirror."""

from __future__ import annotations

from collections.abc import Collection

from holdfast.core.canonical import CanonicalUrl
from holdfast.core.crawl.order import Order
from holdfast.core.mirror_plan import NamePlan, sidecar_of
from holdfast.formats.checkpoint import FAILED_LOG, PROCESSED
from holdfast.formats.local_links import asset_hash
from holdfast.formats.manifest_gist import head_of_manifest
from holdfast.formats.mirror_description import MirrorStyle, held, index_pieces, llms_files, manifest_pieces
from holdfast.formats.mirror_files import FAILED, SKIPPED
from holdfast.formats.mirror_index import INDEX
from holdfast.formats.mirror_manifest import MANIFEST
from holdfast.ports import Ledger, Mirror

__all__ = ["take_away"]


def take_away(
    folder: Mirror,
    ledger: Ledger,
    order: Order,
    names: NamePlan,
    gone: tuple[Collection[str], Collection[str]],
) -> None:
    """Remove pages by path, and every trace of these URLs beside them; `gone` are both."""
    paths, urls = gone
    images = {path: name for path in paths if (name := asset_hash(path))}
    kept = ledger.archived.originals_of(images.values())
    for path in paths:
        if path not in images:
            folder.remove(path)
            folder.remove(sidecar_of(path))
        elif images[path] not in kept:  # else another address has these bytes, and shows this file
            folder.remove(path)
    for url in urls:
        canonical = CanonicalUrl(url, order.standard.policy.component)
        for kind in (FAILED, SKIPPED):
            folder.remove(names.placeholder(canonical, kind))
    for name in (PROCESSED, FAILED_LOG):
        _drop_lines(folder, name, urls)
    there = head_of_manifest(lambda: folder.pieces(MANIFEST))
    known = {} if isinstance(there, str) else there["crawl"]
    crawl = {key: known[key] for key in known if key not in ("gone", "sha256")} or {"status": ""}
    style = MirrorStyle.of(names.layout, names.scheme, order)
    pages = held(lambda: ledger.pages.by_path(order.label))
    folder.write(MANIFEST, manifest_pieces(pages, style, crawl, ledger.pages.aliases(order.label)))
    folder.write(INDEX, index_pieces(pages, folder.rows()))
    for path, pieces in llms_files(pages, folder.read, folder.rows):
        if folder.has(path):
            folder.write(path, pieces)


def _drop_lines(folder: Mirror, name: str, urls: Collection[str]) -> None:
    data = folder.read(name)
    if data is None:
        return
    lines = data.decode("utf-8", "surrogateescape").splitlines(keepends=True)
    kept = [line for line in lines if not any(part in urls for part in line.rstrip("\n").split("\t"))]
    if len(kept) < len(lines):
        folder.write(name, "".join(kept).encode("utf-8", "surrogateescape"))
