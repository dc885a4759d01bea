"""The worlds of `tests/vectors/surface/targets.json`, looked at as a caller looks at disk and stores."""

import posixpath
import re

from holdfast.core.documents.document_kinds import SUFFIXES
from holdfast.core.targets.command_target import CommandTarget, Here, PathFact, PathKind, TargetKind
from holdfast.core.targets.target import wanted

IMAGES = frozenset("png jpg jpeg gif svg webp ico bmp avif".split())
ROOT = "/world"
_PLAIN = {
    "folder": PathKind.FOLDER,
    "document": PathKind.DOCUMENT,
    "file": PathKind.FILE,
    "store": PathKind.STORE,
    "backup": PathKind.BACKUP,
}


class World:
    """One world, and where in it somebody stands."""

    def __init__(self, world):
        self.here = world.get("here", "")
        self.paths = {self._clean(path): what for path, what in world.get("paths", {}).items()}
        names = world.get("names", {})
        self.mirrors = {name: self.from_here(folder) for name, folder in names.get("mirrors", {}).items()}
        self.checks = {
            name: tuple(map(self.from_here, paths)) for name, paths in names.get("checks", {}).items()
        }
        self.hosts = frozenset(world.get("hosts", ()))
        self.urls = frozenset(world.get("urls", ()))
        self.runs, self.items = world.get("runs", ()), world.get("items", ())

    def typed(self, text):
        return text and text.replace("{here}", posixpath.join(ROOT, self.here).rstrip("/"))

    def look(self, text):
        """What is here, as far as this text asks for it."""
        lookups = wanted(text)
        return Here(
            paths={path: self.fact(path) for path in lookups.paths},
            globs=frozenset(glob for glob in lookups.globs if self.fits_documents(glob)),
            mirrors=self.mirrors,
            checks=self.checks,
            hosts=self.hosts & frozenset(lookups.hosts),
            urls=self.urls & frozenset(lookups.urls),
            runs=tuple(each for each in self.runs if lookups.ids and each.startswith(lookups.ids)),
            items=tuple(each for each in self.items if lookups.ids and each.startswith(lookups.ids)),
            suffixes=IMAGES | frozenset(SUFFIXES),
        )

    def _clean(self, path):
        clean = posixpath.normpath(path) if path else ""
        return "" if clean == "." else clean

    def from_here(self, path):
        return posixpath.relpath(posixpath.join(ROOT, path), posixpath.join(ROOT, self.here))

    def _followed(self, path):
        for _ in range(10):
            what = self.paths.get(path)
            if not (isinstance(what, dict) and "link" in what):
                return path
            path = self._clean(posixpath.join(posixpath.dirname(path), what["link"]))
        return None

    def fact(self, text):
        whole = posixpath.normpath(posixpath.join(ROOT, self.here, text))
        if not (whole + "/").startswith(ROOT + "/"):
            return PathFact(text)
        path = self._clean(posixpath.relpath(whole, ROOT))
        followed = self._followed(path)
        if followed is None or (followed != path and followed not in self.paths):
            return PathFact(text, PathKind.DANGLING)
        path = followed
        what = self.paths.get(path)
        shown = self.from_here(path or ".")
        if what is None:
            below = [other for key, other in self.paths.items() if key.startswith(f"{path}/")]
            mirror = next((other["in"] for other in below if isinstance(other, dict) and "in" in other), "")
            return PathFact(shown, PathKind.PART, mirror) if mirror else PathFact(shown)
        if isinstance(what, str):
            return self._plain(path, shown, _PLAIN[what])
        if "mirror" in what:
            return PathFact(shown, PathKind.MIRROR, what["mirror"])
        return PathFact(shown, PathKind.PART, what.get("in", what.get("gone")), _stands_for(what))

    def _plain(self, path, shown, standing):
        mirror = ""
        if standing is PathKind.STORE:
            top = path.partition(".holdfast")[0]
            shown = self.from_here(top + ".holdfast")
            owner = self.paths.get(top.rstrip("/"))
            mirror = owner["mirror"] if isinstance(owner, dict) else ""
        return PathFact(shown, standing, mirror)

    def fits_documents(self, glob):
        pattern = re.compile(
            "".join(
                {"**/": "(?:.*/)?", "*": "[^/]*", "?": "[^/]"}.get(part, re.escape(part))
                for part in re.split(r"(\*\*/|[*?])", posixpath.normpath(glob))
            )
        )
        files = (path for path, what in self.paths.items() if what == "document")
        return any(pattern.fullmatch(self.from_here(path)) for path in files)


def _stands_for(what):
    kinds = {"page": TargetKind.PAGE, "pages": TargetKind.PATTERN, "host": TargetKind.HOST}
    return next((CommandTarget(kind, what[key]) for key, kind in kinds.items() if key in what), None)
