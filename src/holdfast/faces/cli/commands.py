"""The commands: the one table that help, completion, man pages and the reference are made of.

A command is a module of this package with `HELP`, `add_arguments(parser)` and `run(args) -> ExitStatus`. It
stands here, and nowhere else, under the job it belongs to, with the sentence that `--help` shows and the
extra that brings what it needs: so help costs no imports, and a missing library has a name.
"""

from __future__ import annotations

from typing import Final, NamedTuple

__all__ = ["COMMANDS", "GROUPS", "Command"]


class Command(NamedTuple):
    """One command: what it does, the extra of `pip install 'holdfast[…]'` that it needs (none: base), and
    what it is doing while it takes long (none: it is short, or has a progress of its own).
    """

    sentence: str
    extra: str | None = None
    doing: str | None = None


GROUPS: Final[dict[str, dict[str, Command]]] = {
    "mirror a site": {
        "mirror": Command("Mirror a site to a folder of Markdown.", "mirror", "looking for pages"),
        "changes": Command(
            "Show what is new and what changed in a mirror; as a feed if asked.",
            "mirror",
            "comparing versions",
        ),
        "export": Command(
            "Write a mirror as records: sections or pages, all or what changed.", "mirror", "exporting"
        ),
        "verify": Command("Check that folder, sidecars, manifest, ledger and archive agree.", "mirror"),
        "rebuild": Command("Write a mirror's folder anew from ledger and archive.", "mirror"),
    },
    "track what you cite": {
        "track": Command("Find what your documents cite, and tell what changed or died.", "track"),
        "broken": Command("Show the citations of dead URLs.", "track", "asking the ledger"),
        "changed": Command(
            "Show which cited URLs changed, and who cites them.", "track", "asking the ledger"
        ),
        "links": Command("Show what a document cites.", "track"),
        "backlinks": Command("Show who cites a URL, a host, or what matches a pattern.", "track"),
        "fix": Command(
            "Repair links: permanent redirects, https, tracking parameters; a diff unless told to write.",
            "track",
            "looking for repairs",
        ),
        "watch": Command("Watch documents for problems, and run jobs when they are due.", "watch"),
        "notify": Command(
            "Send notifications: show what is waiting, send it, send a test.", "track", "telling"
        ),
        "lsp": Command("Serve editors: what is wrong with links, while you type.", "lsp"),
        "graph": Command("Write the graph of documents and cited URLs.", "track", "asking the ledger"),
        "import": Command(
            "Take over the settings of another link checker, or archives of others.", "track", "importing"
        ),
    },
    "look at what is kept": {
        "search": Command("Find where something is said: sections, by their words.", "mirror", "searching"),
        "show": Command(
            "Show the copy that was kept of a URL, as Markdown.", "mirror", "reading the archive"
        ),
        "history": Command("Show what a URL said, capture by capture.", "mirror", "asking the ledger"),
        "diff": Command(
            "Show what changed between two versions of a URL, or in a run.", "mirror", "comparing versions"
        ),
        "runs": Command("List the runs of a state folder, the latest first.", "mirror"),
        "lineage": Command(
            "Show an item, or a URL's items, and what superseded what.", "mirror", "asking the ledger"
        ),
        "serve": Command("Look at what is kept, in a browser.", "serve"),
        "mcp": Command("Answer an agent's questions (Model Context Protocol).", "mcp"),
    },
    "identify URLs and pages": {
        "canon": Command("Give URLs their canonical form and key."),
        "path": Command("Give URLs the names they have on disk, and names their URLs."),
        "convert": Command("Turn one HTML file into Markdown, text or JSON.", "mirror", "converting"),
        "fetch": Command("Ask for one URL and show what happened.", "mirror"),
    },
    "more than one machine": {
        "submit": Command("Put named mirrors in the queue of a shared ledger.", "mirror"),
        "worker": Command("Take mirrors from the queue, and make them.", "mirror"),
        "jobs": Command("List the jobs of a shared ledger, and who has them.", "mirror"),
        "cluster": Command("Run workers on a Dask cluster, or on this machine.", "mirror"),
    },
    "keep it in order": {
        "reprocess": Command(
            "Go over a run with another policy or content rule, from the archive.", "mirror"
        ),
        "forget": Command("Take a URL or a host out of ledger, archive and mirror.", "mirror", "forgetting"),
        "gc": Command("Delete archived responses that nothing needs.", "mirror", "writing the archive anew"),
        "archive": Command("Check the archive, or write its index.", "mirror", "reading the archive"),
        "db": Command(
            "Check the ledger's file, migrate it, copy it, or make it from the archive.",
            "mirror",
            "going through the ledger",
        ),
        "config": Command("Show every setting, its value, and where it came from."),
        "help": Command("Explain a command, a setting, the state of a link or a code of a report."),
        "completion": Command("Print the completion script of a shell."),
    },
}
"""The commands by the job they belong to, in the order in which help lists them."""

COMMANDS: Final[dict[str, Command]] = {
    name: command for group in GROUPS.values() for name, command in group.items()
}
"""Every command by name."""
