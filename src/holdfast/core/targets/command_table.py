"""What each command does with each kind of target, or which call is right instead (CLI-2).

1. A cell is a sentence, what the command does; or why it refuses, and the calls that are right instead.
2. In calls URL, HOST, PATTERN, MIRROR, DOC, FOLDER, CHECK, RUN and ITEM stand for what was typed, or for what
   it belongs to where it is of another kind. DIR, FILE, WORDS, M, P, KEY and WORD are the person's to choose.
3. Every command has a cell for every kind: what is not written here is refused by the rule of its row.
4. What is deleted is never chosen among readings: the commands of `DELETES` refuse any text that can be two
   things, also where they take only one of them.
5. Some commands take what no question is about; `ALSO_TAKES` has it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from holdfast.core.targets.command_target import TargetKind

Cell = str | tuple[str, ...]
"""What a command does; or why it refuses, with the right calls behind it."""

KINDS: Final = tuple(
    "page section pattern host mirror document folder check glob stdin run item none".split()
)
"""The kinds of target, documents by their forms."""

DELETES: Final = frozenset({"forget"})
ALSO_TAKES: Final = {
    "mirror": frozenset({TargetKind.FILE}),
    "restore": frozenset({TargetKind.BACKUP}),
}

_STDIN: Final = ("standard input is read by `check` and `convert` alone", "holdfast check - < FILE")
_FOR_A_KIND: Final = {
    "page": "holdfast show URL",
    "section": "holdfast show URL",
    "pattern": "holdfast log PATTERN",
    "host": "holdfast log HOST",
    "mirror": "holdfast status MIRROR",
    "document": "holdfast links DOC",
    "folder": "holdfast status FOLDER",
    "check": "holdfast status CHECK",
    "glob": "holdfast links DOC",
    "run": "holdfast log RUN",
    "item": "holdfast show ITEM",
}


def _row(cells: Mapping[str, Cell], usual: Mapping[str, Cell] | None = None) -> Mapping[str, Cell]:
    """A command that is about targets: of all of them but standard input it says something of its own."""
    own = {kind: cell for kinds, cell in cells.items() for kind in kinds.split()}
    return {"stdin": _STDIN, **(usual or {}), **own}


def _elsewhere(own: str, why: str, cells: Mapping[str, Cell]) -> Mapping[str, Cell]:
    """A command with another argument: it refuses targets with its own call and the usual one of the kind."""
    refused = {kind: (why, own, call) for kind, call in _FOR_A_KIND.items()}
    return _row(cells, {"stdin": (why, own), **refused})


COMMAND_TABLE: Final[Mapping[str, Mapping[str, Cell]]] = {
    "mirror": _row(
        {
            "page": "mirror from there; a sitemap is read as one",
            "section": "the page; says that the anchor plays no part",
            "pattern": ("a source is one URL", "holdfast mirror https://HOST/ --include PATTERN"),
            "host": ("a source is a whole URL", "holdfast mirror https://HOST/"),
            "mirror": (
                "`sync` brings it up to date, or makes one that settings name",
                "holdfast sync MIRROR",
            ),
            "document": "a file of URLs or a sitemap; other documents are refused, naming `check DOC`",
            "folder": (
                "a folder is no source",
                "holdfast mirror https://HOST/ -o FOLDER",
                "holdfast check FOLDER",
            ),
            "check": ("a check names documents", "holdfast check CHECK"),
            "glob": ("one file of URLs at a time", "holdfast mirror FILE"),
            "stdin": ("sources come as arguments or in a file", "holdfast mirror FILE"),
            "run": ("a run is no source", "holdfast log RUN"),
            "item": ("an item is no source", "holdfast show ITEM"),
            "none": ("SOURCE is missing", "holdfast mirror https://HOST/ -o DIR", "holdfast sync"),
        }
    ),
    "check": _row(
        {
            "page": "reads the page, or a sitemap's pages, as documents; asks only with consent",
            "section": "reads the page as a document; says that the anchor plays no part",
            "pattern": ("`check` reads documents", "holdfast links PATTERN"),
            "host": ("no such file is here, and `check` reads documents", "holdfast links HOST"),
            "mirror": (
                "a mirror's pages are never documents",
                "holdfast links MIRROR --only dead",
                "holdfast sync MIRROR",
            ),
            "document folder check glob": "reads them; tells which links died or changed",
            "stdin": "reads one document, named by --stdin-name",
            "run": ("a run is no document", "holdfast log RUN"),
            "item": ("an item is no document", "holdfast show ITEM"),
            "none": "the documents below here, never a mirror's pages",
        }
    ),
    "sync": _row(
        {
            "page section pattern": ("`sync` takes mirrors and documents", "holdfast sync MIRROR"),
            "host": (
                "`sync` takes mirrors and documents",
                "holdfast sync MIRROR",
                "holdfast mirror https://HOST/",
            ),
            "mirror": "brings it up to date by what it remembers",
            "document check glob": "checks them, asking where consent is given",
            "folder": "all that is kept or named in it and below, listed first; documents with consent",
            "run": ("a run is over", "holdfast log RUN", "holdfast sync MIRROR"),
            "item": ("an item is over", "holdfast sync MIRROR"),
            "none": "all that is kept or named here, listed first",
        }
    ),
    "status": _row(
        {
            "page": ("`status` is of mirrors and documents", "holdfast log URL", "holdfast show URL"),
            "section": ("`status` is of mirrors and documents", "holdfast log URL"),
            "pattern": ("`status` is of mirrors and documents", "holdfast log PATTERN"),
            "host": ("`status` is of mirrors and documents", "holdfast log HOST"),
            "mirror": "what it holds, how fresh, what needs attention",
            "document check glob": "their links by state",
            "folder": "all that is kept in it and below, and its documents' links by state",
            "run": ("`status` is of now", "holdfast log RUN"),
            "item": ("`status` is of now", "holdfast show ITEM"),
            "none": "all here",
        }
    ),
    "log": _row(
        {
            "page": "its versions",
            "section": "the versions in which its text changed",
            "pattern host": "what its pages did",
            "mirror": "what came, changed, went",
            "document check glob": "what became of what they cite",
            "folder": "what happened to all that is kept in it and below, and to what its documents cite",
            "run": "what it brought",
            "item": "its lineage",
            "none": "all here, with the mirror as a column",
        }
    ),
    "diff": _row(
        {
            "page": "two versions' text; without a moment the latest change",
            "section": "the same of that section",
            "pattern": ("`diff` takes one page, mirror or run", "holdfast log PATTERN"),
            "host": ("`diff` takes one page, mirror or run", "holdfast log HOST", "holdfast diff MIRROR"),
            "mirror": "its pages and sections between two moments",
            "document folder check glob": (
                "documents have no kept versions",
                "holdfast links DOC --only changed",
                "git diff",
            ),
            "run": "what it brought; takes no further moment",
            "item": ("an item is one version", "holdfast diff URL", "holdfast log ITEM"),
            "none": ("TARGET is missing", "holdfast diff MIRROR", "holdfast log"),
        }
    ),
    "show": _row(
        {
            "page": 'its text as kept, "gone since" first',
            "section": "that section alone",
            "pattern": (
                "`show` takes one page",
                "holdfast log PATTERN",
                "holdfast search WORDS --in PATTERN",
            ),
            "host": ("`show` takes one page", "holdfast show https://HOST/", "holdfast log HOST"),
            "mirror": ("`show` takes one page", "holdfast status MIRROR", "holdfast show FILE"),
            "document folder check glob": ("a document is yours and not kept", "holdfast links DOC"),
            "run": "the run's facts",
            "item": "the text of that version",
            "none": ("TARGET is missing", "holdfast show URL", "holdfast status"),
        }
    ),
    "search": _row(
        {
            "page": "in that page",
            "section": "in that section",
            "pattern host mirror": "in its pages",
            "document check glob": ("what is searched is pages, not your documents", "holdfast search WORDS"),
            "folder": "in all that is kept in it and below",
            "run": ("`--in` takes pages, hosts, mirrors", "holdfast search WORDS --at RUN"),
            "item": ("`--in` takes pages, hosts, mirrors", "holdfast show ITEM"),
            "none": "in all here",
        }
    ),
    "links": _row(
        {
            "page": "who cites it",
            "section": "who cites that section",
            "pattern host": "who cites its pages",
            "mirror": "its own links",
            "document folder check glob": "what they cite",
            "run": ("links are of pages and documents", "holdfast log RUN"),
            "item": ("links are of pages and documents", "holdfast links URL"),
            "none": "what the documents here cite, never mirrors' own links",
        }
    ),
    "fix": _row(
        {
            "page": ("`fix` mends documents", "holdfast links URL", "holdfast fix DOC"),
            "section": ("`fix` mends documents", "holdfast links URL"),
            "pattern": ("`fix` mends documents", "holdfast fix --include PATTERN"),
            "host": ("`fix` mends documents", "holdfast fix --include HOST"),
            "mirror": (
                "a mirror's pages are never edited",
                "holdfast sync MIRROR",
                "holdfast restore MIRROR",
            ),
            "document folder check glob": "a diff of what would be mended; --write writes it",
            "run": ("a run is no document", "holdfast log RUN"),
            "item": ("an item is no document", "holdfast show ITEM"),
            "none": "the documents below here",
        }
    ),
    "export": _row(
        {
            "page section": ("`export` takes mirrors, hosts, patterns", "holdfast show URL --json"),
            "pattern host mirror": "its pages",
            "document check glob": (
                "documents are yours and not kept",
                "holdfast links DOC --json",
                "holdfast -C FOLDER export",
            ),
            "folder": "all mirrors in it and below, each record with its mirror",
            "run": ("a run is a moment here", "holdfast export --at RUN", "holdfast export --after RUN"),
            "item": ("an item is one version", "holdfast show ITEM --json"),
            "none": "all mirrors here, each record with its mirror",
        }
    ),
    "restore": _row(
        {
            "page section": ("`restore` writes a mirror", "holdfast show URL --at M"),
            "pattern host": ("`restore` writes a whole mirror", "holdfast restore MIRROR"),
            "mirror": "its folder again, as it is, or with --at M -o DIR as it was",
            "document folder check glob": ("Holdfast keeps no copies of your documents", "git restore DOC"),
            "run": ("a run is a moment here", "holdfast restore MIRROR --at RUN -o DIR"),
            "item": ("an item is one version", "holdfast show ITEM"),
            "none": ("MIRROR is missing", "holdfast restore MIRROR", "holdfast status"),
        }
    ),
    "verify": _row(
        {
            "page section pattern host run item": (
                "`verify` takes mirrors and stores",
                "holdfast verify MIRROR",
            ),
            "mirror": "its files, its part of ledger and archive",
            "document check glob": (
                "`verify` takes mirrors and stores",
                "holdfast -C FOLDER verify",
                "holdfast check DOC",
            ),
            "folder": "all stores in it and below",
            "none": "all stores here",
        }
    ),
    "forget": _row(
        {
            "page": "shows what goes from the one store that holds it, asks, takes it out",
            "section": ("a section cannot go alone", "holdfast forget URL"),
            "pattern host": "the same for its pages",
            "mirror": (
                "`forget` takes pages, hosts, patterns out of history",
                "holdfast forget HOST",
                "delete the folder yourself",
            ),
            "document folder check glob": (
                "your documents are not ours to delete",
                "delete the file yourself",
                "holdfast forget URL",
            ),
            "run": ("history is not cut by runs", "holdfast forget URL"),
            "item": ("a version does not go alone", "holdfast forget URL"),
            "none": ("TARGET is missing: nothing is forgotten by default", "holdfast forget URL -n"),
        }
    ),
    "serve": _elsewhere(
        "holdfast serve",
        "`serve` takes no target: it shows all here",
        {
            "mirror folder": ("`serve` takes no target: go there", "holdfast -C FOLDER serve"),
            "none": "all stores here, until it is stopped",
        },
    ),
    "url": _elsewhere(
        "holdfast url --help",
        "a second word is missing: canon, path, probe",
        {
            "page section none": (
                "a second word is missing",
                "holdfast url canon URL",
                "holdfast url path URL",
                "holdfast url probe URL",
            ),
            "host": ("a whole URL is meant", "holdfast url canon https://HOST/"),
            "document": ("a second word is missing", "holdfast url path --reverse FILE"),
            "stdin": ("a second word is missing", "holdfast url canon -"),
        },
    ),
    "config": _elsewhere(
        "holdfast config KEY",
        "`config` takes the name of a setting, trust or import",
        {
            "mirror": ("a mirror's settings stand under its name", "holdfast config mirror.MIRROR"),
            "folder": ("go there", "holdfast -C FOLDER config"),
            "check": ("a check's settings stand under its name", "holdfast config check.CHECK"),
            "none": "every setting and where it came from",
        },
    ),
    "help": _elsewhere(
        "holdfast help WORD",
        "`help` takes a word",
        {
            "none": "the first screen; --all lists the others",
        },
    ),
    "store": _elsewhere(
        "holdfast store --help",
        "a second word is missing",
        {
            "mirror": ("a second word is missing", "holdfast store rekey MIRROR --policy P"),
            "folder": (
                "a second word is missing",
                "holdfast store join FOLDER",
                "holdfast --store FOLDER store --help",
            ),
            "run": ("a second word is missing", "holdfast store reprocess RUN"),
            "none": ("a second word is missing", "holdfast store --help"),
        },
    ),
    "cluster": _elsewhere(
        "holdfast cluster --help",
        "a second word is missing: submit, worker, jobs, run",
        {
            "page": ("a second word is missing", "holdfast cluster submit URL"),
            "none": ("a second word is missing", "holdfast cluster jobs"),
        },
    ),
    "notify": _elsewhere(
        "holdfast notify --help",
        "a second word is missing",
        {
            "none": ("a second word is missing", "holdfast notify --help"),
        },
    ),
    "convert": _elsewhere(
        "holdfast convert FILE",
        "`convert` takes one file or `-`",
        {
            "page": ("`convert` asks nobody", "holdfast show URL", "holdfast url probe URL"),
            "section": ("`convert` asks nobody", "holdfast show URL"),
            "document": "its Markdown; an HTML file or a saved page",
            "folder glob": ("one file at a time", "holdfast convert FILE"),
            "stdin": "its Markdown, HTML unless --type says otherwise",
            "none": ("FILE is missing", "holdfast convert FILE", "holdfast convert - < FILE"),
        },
    ),
    "mcp": _elsewhere(
        "holdfast mcp",
        "`mcp` takes no target",
        {
            "folder": ("go there", "holdfast -C FOLDER mcp"),
            "none": "questions for agents on standard input and output",
        },
    ),
    "lsp": _elsewhere(
        "holdfast lsp",
        "`lsp` takes no target",
        {
            "folder": ("go there", "holdfast -C FOLDER lsp"),
            "none": "diagnostics for an editor on standard input and output",
        },
    ),
    "completion": _elsewhere(
        "holdfast completion bash",
        "`completion` takes a shell: bash, zsh, fish, powershell",
        {
            "none": ("SHELL is missing", "holdfast completion bash"),
        },
    ),
}
