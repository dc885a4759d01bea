"""What a command can be about, how each is spelt so that it is clear, and what must be known to tell (CLI-2).

1. A target is a page, a section, a pattern, a host, a mirror, documents, a run, an item, or none. What stands
   at a path and is none of these (a file, a store, a backup, a part of a mirror that is no page) has a kind
   too, so that it is named in errors and taken by the few commands that want it.
2. `spelt` gives each a text that means it alone, wherever it is read: a URL, or a prefix (`mirror:`,
   `check:`, `host:`, `run:`, `item:`, `./`).
3. `Here` is all that a reading may know, as values. Paths in it are as seen from the current folder, links
   followed; names and ids are those of all stores that are read.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from typing import Final

from holdfast.core.base.values import dataclass
from holdfast.core.url.url import Refused, parse_url


class TargetKind(StrEnum):
    """The kinds of target. No question takes the last four."""

    PAGE = "page"
    SECTION = "section"
    PATTERN = "pattern"
    HOST = "host"
    MIRROR = "mirror"
    DOCUMENTS = "documents"
    RUN = "run"
    ITEM = "item"
    NONE = "none"
    FILE = "file"
    PART = "part of a mirror"
    STORE = "store"
    BACKUP = "backup"


class DocumentsForm(StrEnum):
    """How documents were named."""

    FILE = "file"
    FOLDER = "folder"
    CHECK = "check"
    GLOB = "glob"
    STDIN = "stdin"


class TargetTold(StrEnum):
    """What an answer says beside its target."""

    CREDENTIALS = "credentials"
    NO_FILE = "no such file"

    @property
    def sentence(self) -> str:
        """What a person is told."""
        if self is TargetTold.CREDENTIALS:
            return "User and password in the URL are left out: they are never kept."
        return "No such file is here; it is read as a host, of which nothing is kept."


@dataclass(frozen=True, slots=True)
class CommandTarget:
    """What a command is about. `value`: a URL, a host, a pattern, a name, an id, or a path from here; of a
    part of a mirror that is no page, the mirror's name.
    """

    kind: TargetKind
    value: str = ""
    form: DocumentsForm | None = None
    told: TargetTold | None = None


class PathKind(StrEnum):
    """What stands at a path; a dangling link leads nowhere."""

    NOTHING = "nothing"
    DANGLING = "dangling link"
    FOLDER = "folder"
    DOCUMENT = "document"
    FILE = "file"
    MIRROR = "mirror"
    PART = "part of a mirror"
    STORE = "store"
    BACKUP = "backup"


@dataclass(frozen=True, slots=True)
class PathFact:
    """What is known of a path: where it leads, and what stands there. `mirror` is the name of the mirror that
    it is, is in, or is the store of. `stands_for`: the page, pattern or host of a part, on disk or gone. The
    path of what is in a store is the store's folder.
    """

    path: str
    standing: PathKind = PathKind.NOTHING
    mirror: str = ""
    stands_for: CommandTarget | None = None


@dataclass(frozen=True, slots=True)
class TargetLookups:
    """What must be looked up before a text can be read: paths as written, whether a glob fits documents,
    whether a host or a URL is kept, and the ids that begin with some digits.
    """

    paths: tuple[str, ...] = ()
    globs: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()
    ids: str = ""


@dataclass(frozen=True, slots=True)
class Here:
    """What is here, as far as a text asked for it. `mirrors` has the folder of each name, `checks` the paths;
    `suffixes` are those of documents and images, which no host has.
    """

    paths: Mapping[str, PathFact] = field(default_factory=dict)
    globs: frozenset[str] = frozenset()
    mirrors: Mapping[str, str] = field(default_factory=dict)
    checks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    hosts: frozenset[str] = frozenset()
    urls: frozenset[str] = frozenset()
    runs: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    suffixes: frozenset[str] = frozenset()

    def path(self, text: str) -> PathFact:
        """What is known of a path."""
        return self.paths.get(text) or PathFact(text)

    def is_file_name(self, word: str) -> bool:
        """Whether a word ends as documents and images do."""
        return word.rpartition(".")[2].lower() in self.suffixes and "." in word


_PREFIXES: Final = {
    TargetKind.HOST: "host:",
    TargetKind.MIRROR: "mirror:",
    TargetKind.PART: "mirror:",
    TargetKind.RUN: "run:",
    TargetKind.ITEM: "item:",
}
_AS_IT_IS = re.compile(r"/|\.\.?(?:/|\Z)|[A-Za-z]:/").match


def spelt(target: CommandTarget) -> str:
    """The text that means this target and nothing else."""
    kind, form, value = target.kind, target.form, target.value
    if kind in (TargetKind.PAGE, TargetKind.SECTION, TargetKind.PATTERN, TargetKind.NONE):
        return value
    if kind is TargetKind.DOCUMENTS and form in (DocumentsForm.CHECK, DocumentsForm.STDIN):
        return value if form is DocumentsForm.STDIN else f"check:{value}"
    if kind is TargetKind.STORE:
        value = posixpath.dirname(value) or "."
    prefix = _PREFIXES.get(kind, "" if _AS_IT_IS(value) else "./")
    return prefix + value


_host = re.compile(r"([^\s/\\?#@%\[\]:]{1,253}|\[[0-9A-Fa-f:.]{1,50}\])(?::([0-9]{1,5}))?").fullmatch
_port = re.compile(r".*:[0-9]{1,5}", re.DOTALL).fullmatch
_named_host = re.compile(r"[a-z0-9_-]+(?:\.[a-z0-9_-]+)*").fullmatch
_date = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[Tt][0-9]{0,2})?").fullmatch
_ADDRESS = re.compile(r"[0-9]+(?:\.[0-9]+){3}").fullmatch
_MOST_PORT: Final = 65_535
is_id = re.compile(r"[0-9a-fA-F]{8,}").fullmatch


def host_of(text: str) -> str | None:
    """The host, with its port, that a text spells: labels of letters, digits, `-`, `_`; digits alone only as
    four numbers; never a date.
    """
    found = _host(text)
    if not found or _date(found[1]):
        return None
    port = int(found[2]) if found[2] else None
    url = parse_url(f"http://{found[1]}/")
    if isinstance(url, Refused) or port == 0 or (port or 0) > _MOST_PORT:
        return None
    if url.host[0] != "[" and not _named_host(url.host):
        return None
    if _ADDRESS(url.host) and url.host != found[1]:
        return None
    return url.host if port is None else f"{url.host}:{port}"


def host_of_word(word: str, here: Here) -> str | None:
    """The host that a word can be read as: with a dot, a port or brackets, or `localhost`; never with the
    suffix of a document.
    """
    is_host = "." in word or word[:1] == "[" or word.lower() == "localhost" or _port(word)
    return host_of(word) if is_host and not here.is_file_name(word) else None
