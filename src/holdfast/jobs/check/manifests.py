"""The manifests beside the documents, as the ledger has them (TRK-5).

1. One for each folder whose documents cite something, in the format of the folder's `BeliefNode` file, else
   TOML, unless one is asked for. A manifest of another format, or of a folder that cites nothing any more, is
   removed.
2. A manifest whose bytes would be the same is not written.
3. Secrets in query strings are redacted (SEC-3).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from holdfast.core.base.figures import timestamp
from holdfast.core.base.values import dataclass
from holdfast.core.links.citation import Backlink, CitedPlace, folder_bid
from holdfast.core.links.url_manifest import (
    FOLDER_FILES,
    MANIFEST_NAME,
    DataFormat,
    UrlAnswer,
    UrlEntry,
    UrlManifest,
    bid_in,
    read_mapping,
    write_manifest,
)
from holdfast.core.url.redaction import shown

if TYPE_CHECKING:
    from holdfast.adapters.ports import Documents
    from holdfast.jobs.check.planning import Cited


@dataclass(frozen=True, slots=True)
class _Folder:
    network_bid: str
    kind: DataFormat


def write_manifests(
    documents: Documents, paths: Sequence[str], cited: Iterable[Cited], chosen: DataFormat | None
) -> tuple[str, ...]:
    """Bring the manifests of the documents' folders up to date; the paths of those that changed."""
    folders: dict[str, list[UrlEntry]] = {folder_of(path): [] for path in paths}
    for entry in cited:
        in_folder: dict[str, list[Backlink]] = {}
        for backlink in entry.backlinks:
            in_folder.setdefault(folder_of(backlink.document), []).append(backlink)
        for folder, backlinks in in_folder.items():
            folders.setdefault(folder, []).append(_entry(entry.node, backlinks))
    written: list[str] = []
    for folder, entries in sorted(folders.items()):
        written += _write(documents, folder, entries, chosen)
    return tuple(written)


def folder_of(path: str) -> str:
    """The folder of a document, empty for the root."""
    return path.rpartition("/")[0]


def _write(
    documents: Documents, folder: str, entries: list[UrlEntry], chosen: DataFormat | None
) -> Iterable[str]:
    node = _folder(documents, folder)
    kind = chosen or node.kind
    for other in DataFormat:
        path = _path(folder, other)
        wanted = other is kind and bool(entries)
        present = documents.read(path)
        if not wanted:
            if present is not None:
                documents.remove(path)
                yield path
            continue
        content = write_manifest(UrlManifest(node.network_bid, tuple(entries)), kind).encode()
        if content != present:
            documents.write(path, content)
            yield path


def _path(folder: str, kind: DataFormat) -> str:
    name = f"{MANIFEST_NAME}.{kind}"
    return f"{folder}/{name}" if folder else name


def _folder(documents: Documents, folder: str) -> _Folder:
    for name, kind in FOLDER_FILES.items():
        data = documents.read(f"{folder}/{name}" if folder else name)
        if data is not None:
            bid = bid_in(read_mapping(data.decode("utf-8", "replace"), kind))
            return _Folder(bid or folder_bid(folder), kind)
    return _Folder(folder_bid(folder), DataFormat.TOML)


def _entry(node: CitedPlace, backlinks: list[Backlink]) -> UrlEntry:
    notes = node.notes
    return UrlEntry(
        url=shown(node.place.url),
        url_bid=node.url_bid,
        state=node.state,
        documents=tuple(sorted({backlink.document.rpartition("/")[2] for backlink in backlinks})),
        link_text=_words(backlinks[0].citation.mention.text) or None,
        answer=UrlAnswer(
            bid=node.bid,
            content_hash=node.content_sha256,
            status_code=node.status,
            fetched_at=timestamp(node.fetched_at) if node.fetched_at else None,
            content_type=notes.content_type or None,
            last_modified=notes.last_modified,
            final_url=node.final_url,
            normalization_version=notes.recipe,
        ),
    )


def _words(text: str) -> str:
    """The words of a link, which may be an address themselves."""
    return shown(text) if "://" in text else text
