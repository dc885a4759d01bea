"""Canonical URLs to names on disk, and back (PATH-1 … PATH-6, PATH-8). Only `mirror_plan` may import this.

The law of the `tree` layout, version 1:

 1. `host/segment/…/segment/index.md`; the root is `host/index.md`. With a query, the last segment is a
    file: `host/…/segment__q_{hash8}.md`, at the root `index__q_{hash8}.md`; hash8 is the MD5 of the query.
    Where the policy keeps trailing slashes, `/a/` is `a/index__slash.md`.
 2. A canonical segment is ASCII: unreserved characters, sub-delims, `:`, `@`, and triplets `%XX` in upper
    case, never the triplet of an unreserved character. So two escapes are free, and both are reversible:
    an unreserved character is escaped as its triplet in upper case (`%2E`), any other one as its triplet in
    lower case (`%3a`). Reading a name back decodes both.
 3. Escaped are: `:` and `*` (Windows); a leading dot or hyphen, a trailing dot; the first letter of a
    device name (`con`, `nul.txt`); a `~` before a digit (8.3 names); and what would imitate our own names:
    the first letter of `index` as a file's stem, the dot of a folder called `index.md` or `x_{hash8}.md`,
    the underscore of a folder called `_long`.
 4. A triplet sequence that is the UTF-8 form of a letter or a mark (`core.url.layout`, tables of Unicode
    14.0) is written as that letter, so that names of all scripts can be read. Marks keep their triplets
    where the name would begin with one or would not be in Normalization Form C.
 5. A component has at most 200 characters and 240 bytes. A longer folder is cut and gets `_{hash8}` (MD5
    of the segment), a longer file is cut and gets `_{hash8}.md` (MD5 of the canonical URL). A segment that
    looks like a cut one is treated as one. A relative path over 1,000 bytes is `host/_long/<url_key>.md`.
 6. `tree-fold`, for file systems that fold case or Unicode forms: every segment that is not its own folded
    form, or ends like a hash, gets `_{hash8}`.
 7. `flat`: as `tree`, but the last segment is a file, `host/segment/…/segment.md`, with or without a query;
    the root, and a path that ends in a slash, is `index.md` in its folder. Escaped are, beside what `tree`
    escapes: the first letter of a page called `index`, the underscore of a page that ends like a hash, and
    the dot of every folder that ends in `.md`, `.json` or `.txt`. `flat-fold` is to `flat` what `tree-fold`
    is to `tree`.
 8. `hash`: `host/<first 16 hex of url_key>.md`.
 9. The host's folder: the host, which holds no percent sign, with everything outside `[a-z0-9._-]` escaped
    in lower case (`%5b`), then the port after a plus sign (`+8080`). Escaped likewise are a leading
    underscore, hyphen or dot, the first letter of a device name, and the first underscore of a host that
    ends like `__http`. Pages of the scheme that is not the mirror's are under `host__http` or `host__https`.

Distinct canonical URLs have distinct names by construction, up to a true collision of a short hash; names
that hold one are marked `hashed`, and the plan compares what is there already.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from typing import Final
from urllib.parse import unquote

from holdfast.core.base.hashing import short_hash
from holdfast.core.base.values import dataclass
from holdfast.core.url.canonical import CanonicalUrl
from holdfast.core.url.layout import TREE_LAYOUT, Layout, may_have_marks, with_letters

MAX_CHARS: Final = 200
MAX_BYTES: Final = 240
MAX_PATH_BYTES: Final = 1_000
_HASH_TAIL: Final = 9  # an underscore and eight hex digits


@dataclass(frozen=True, slots=True)
class Name:
    """A relative path in POSIX form. `hashed`: it holds a short hash, and another URL might have it too."""

    path: str
    hashed: bool


_DEVICE = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9]|conin\$|conout\$)(?=\.|\Z)", re.IGNORECASE)
_PORT = re.compile(r":[0-9]+\Z")
_ODD_IN_HOST = re.compile(r"[^a-z0-9._\-]")
_FOR_WINDOWS = re.compile(r"[:*]")
_SHORT_NAME = re.compile(r"~(?=[0-9])")
_OUR_FILE = re.compile(
    r"(?:index(?:__slash)?|.*_[0-9a-f]{8}|.*_[0-9a-f]{64}|[0-9a-f]{64})\.(?:md|json)\Z",
    re.IGNORECASE | re.DOTALL,
)
_FILE_ENDING = re.compile(r"\.(?:md|json|txt)\Z", re.IGNORECASE)
_HASH_END = re.compile(r"_(?:[0-9a-f]{8}|[0-9a-f]{64})\Z")
_SCHEME_END = re.compile(r"__(https?)\Z")
# What the tree layout takes as it is, whatever the laws: short, in lower case, no device, no file of ours.
_is_plain = re.compile(r"(?!con|prn|aux|nul|com|lpt|_long)[a-z0-9_][a-z0-9_\-]{0,99}+(\.html?)?+").fullmatch
_OUR_ROOT_FILES: Final = ("llms.txt", "llms-full.txt")


def name_of(canonical: CanonicalUrl, layout: Layout, scheme: str) -> Name:
    """The name of a page in a mirror whose own scheme is `scheme`."""
    host, host_hashed = _host_folder(canonical.scheme, canonical.authority, layout, scheme)
    if layout is Layout.HASH:
        return Name(f"{host}/{canonical.key[:16]}.md", hashed=True)
    *folders, leaf = canonical.path.split("/")[1:]
    if leaf and canonical.query is None and not layout.is_flat:
        folders.append(leaf)
    named = [_folder(segment, layout) for segment in folders]
    file, file_hashed = _file(canonical, leaf, layout)
    path = "/".join([host, *(name for name, _ in named), file])
    if len(path.encode()) > MAX_PATH_BYTES:
        return Name(f"{host}/_long/{canonical.key}.md", hashed=host_hashed)
    return Name(path, hashed=host_hashed or file_hashed or any(hashed for _, hashed in named))


def full_name_of(canonical: CanonicalUrl, layout: Layout, scheme: str) -> Name:
    """The name with the whole url key, for the later of two URLs whose short hashes collide."""
    host, _ = _host_folder(canonical.scheme, canonical.authority, layout, scheme)
    if layout is Layout.HASH:
        return Name(f"{host}/{canonical.key}.md", hashed=False)
    path = name_of(canonical, layout, scheme).path
    head, mark, _ = path.rpartition("__q_")
    full = f"{head}{mark}{canonical.key}.md"
    fits = len(full.rpartition("/")[2]) <= MAX_CHARS and len(full.encode()) <= MAX_PATH_BYTES
    if canonical.query is not None and mark and fits and not _any_folder_hashed(canonical, layout):
        return Name(full, hashed=False)
    return Name(f"{host}/_long/{canonical.key}.md", hashed=False)


def url_of_name(path: str, layout: Layout, scheme: str) -> str | None:
    """The canonical URL that a name holds; None where it holds a hash instead (ask the sidecar)."""
    host, *folders = path.split("/")
    file = folders.pop() if folders else ""
    leaf = _leaf_in(file, layout)
    if leaf is None:
        return None
    room = 0
    if match := _SCHEME_END.search(host):
        host, scheme, room = host[: match.start()], match[1], len(match[0])
    authority = _read_back(host, _authority_in, layout, room)
    segments = [_read_back(folder, _unescaped, layout) for folder in folders]
    if authority is None or None in segments:
        return None
    return f"{scheme}://{authority}/{'/'.join([*map(str, segments), *leaf])}"


@lru_cache(maxsize=1_000)
def _host_folder(own_scheme: str, authority: str, layout: Layout, scheme: str) -> tuple[str, bool]:
    """Remembered: most pages of a mirror lie on one host."""
    host = _PORT.sub("", authority)
    name = _ODD_IN_HOST.sub(lambda match: f"%{ord(match[0]):02x}", host)
    if name[0] in "-_." or _DEVICE.match(name) or name in _OUR_ROOT_FILES:
        name = f"%{ord(name[0]):02x}{name[1:]}"
    name = _SCHEME_END.sub(r"%5f_\1", name) + authority[len(host) :].replace(":", "+")
    tail = "" if own_scheme == scheme else f"__{own_scheme}"
    name, hashed = _bounded(name, authority, layout, room=len(tail))
    return name + tail, hashed


def _folder(segment: str, layout: Layout) -> tuple[str, bool]:
    if layout is TREE_LAYOUT and _is_plain(segment):
        return segment, False
    name = _escaped(segment)
    if (_FILE_ENDING.search if layout.is_flat else _OUR_FILE.match)(name):
        stem, _, ending = name.rpartition(".")
        name = f"{stem}%2E{ending}"
    if name.lower() == "_long":
        name = "%5F" + name[1:]
    return _bounded(name, segment, layout)


def _file(canonical: CanonicalUrl, leaf: str, layout: Layout) -> tuple[str, bool]:
    query = canonical.query
    is_flat = layout.is_flat
    if query is None and not (leaf and is_flat):
        slash = not leaf and canonical.path != "/" and not is_flat
        return ("index__slash.md" if slash else "index.md"), False
    stem, hashed = _stem(leaf, layout, page=query is None) if leaf else ("index", False)
    file = f"{stem}.md" if query is None else f"{stem}__q_{short_hash(query)}.md"
    if _too_long(file):
        # Cut files never end like query files, so the two kinds cannot meet.
        cut = _cut(stem, _HASH_TAIL + len(".md")).rstrip("_q")
        return f"{cut}_{short_hash(canonical.text)}.md", True
    return file, hashed or query is not None


def _stem(leaf: str, layout: Layout, *, page: bool) -> tuple[str, bool]:
    """What a file is called after its segment; True where that holds a hash. A `page` has no query."""
    stem, hashed = _escaped(leaf), False
    if layout.is_folded:
        stem, hashed = _bounded(stem, leaf, layout)
    elif page and (end := _HASH_END.search(stem)):
        stem = f"{stem[: end.start()]}%5F{end[0][1:]}"
    if stem.lower() == "index":
        stem = f"%{ord(stem[0]):02X}" + stem[1:]
    return stem, hashed


def _any_folder_hashed(canonical: CanonicalUrl, layout: Layout) -> bool:
    return any(_folder(segment, layout)[1] for segment in canonical.path.split("/")[1:-1])


def _escaped(segment: str) -> str:
    """A canonical segment with everything escaped that is unsafe on some system (law 2 to 4)."""
    if "%" not in segment:
        return _safe(segment)
    name = _safe(with_letters(segment, marks=True))
    return name if may_have_marks(name) else _safe(with_letters(segment, marks=False))


def _safe(name: str) -> str:
    name = _FOR_WINDOWS.sub(lambda match: f"%{ord(match[0]):02x}", name)
    name = _SHORT_NAME.sub("%7E", name)
    if name[0] in ".-" or _DEVICE.match(name):
        name = f"%{ord(name[0]):02X}" + name[1:]
    return name[:-1] + "%2E" if name[-1] == "." else name


def _bounded(name: str, segment: str, layout: Layout, room: int = 0) -> tuple[str, bool]:
    """A component within its limits; True where it had to get a hash (law 5 and 6)."""
    cut = _too_long(name, room) or (_HASH_END.search(name) and _is_near_limit(name, room))
    folded = layout.is_folded and (_HASH_END.search(name) or not _is_folded(name))
    if not (cut or folded):
        return name, False
    return f"{_cut(name, _HASH_TAIL + room)}_{short_hash(segment)}", True


def _is_folded(name: str) -> bool:
    """Whether a name stays itself on a file system that folds case or Unicode forms."""
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFD", name).casefold())
    return folded == name == name.upper().casefold()


def _too_long(name: str, room: int = 0) -> bool:
    return len(name) + room > MAX_CHARS or len(name.encode()) + room > MAX_BYTES


def _is_near_limit(name: str, room: int) -> bool:
    """Whether a cut name could be this long: a cut loses at most a triplet or a letter."""
    return len(name) + room > MAX_CHARS - 4 or len(name.encode()) + room > MAX_BYTES - 8


def _cut(name: str, room: int) -> str:
    """The beginning of a name that leaves room within both limits, no triplet torn."""
    cut = name[: MAX_CHARS - room]
    while len(cut.encode()) > MAX_BYTES - room:
        cut = cut[:-1]
    torn = cut.rfind("%", len(cut) - 2)
    return cut[:torn] if torn >= 0 and cut != name else cut


def _read_back(name: str, unescaped: Callable[[str], str], layout: Layout, room: int = 0) -> str | None:
    """A component as what it was made of; None where that was cut."""
    if not _HASH_END.search(name):
        return unescaped(name)
    if not layout.is_folded:
        return None if _is_near_limit(name, room) else unescaped(name)
    base, _, tail = name.rpartition("_")
    original = unescaped(base)
    return original if short_hash(original) == tail else None


def _leaf_in(file: str, layout: Layout) -> tuple[str, ...] | None:
    """What a file's name adds to the segments of its folders; None where it does not tell."""
    if not layout.is_flat:
        return {"index.md": (), "index__slash.md": ("",)}.get(file) if layout is not Layout.HASH else None
    if file == "index.md":
        return ("",)
    stem, ending = file[:-3], file[-3:]
    if ending != ".md" or not stem or (not layout.is_folded and _HASH_END.search(stem)):
        return None
    leaf = _read_back(stem, _unescaped, layout)
    return (leaf,) if leaf and _stem(leaf, layout, page=True)[0] == stem else None


def _authority_in(name: str) -> str:
    return unquote(name.replace("+", ":"))


def _unescaped(name: str) -> str:
    text = re.sub(r"[^\x00-\x7f]+", lambda match: "%" + match[0].encode().hex("%").upper(), name)
    text = re.sub(r"%(?:3a|2a)", lambda match: chr(int(match[0][1:], 16)), text)
    return re.sub(
        r"%(2[DE]|3[0-9]|4[1-9A-F]|5[0-9AF]|6[1-9A-F]|7[0-9AE])", lambda m: chr(int(m[1], 16)), text
    )
