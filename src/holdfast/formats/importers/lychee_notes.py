"""Settings of lychee's that need none here: because it is so anyway, because a flag of a command says it, or
because there is no equal, and why.
"""

from __future__ import annotations

from typing import Final

__all__ = ["ANYWAY", "FLAGS", "NO_EQUAL", "UNLESS_SET"]

_KEPT = "the copy that was kept is suggested; `holdfast fix --only dead` proposes others (archive_url)"

ANYWAY: Final = {
    "accept_timeouts": "a timeout fails nothing until three looks over 48 hours failed",
    "archive": _KEPT,
    "cache": "what is known is kept, in .holdfast/",
    "cache_exclude_status": "what failed is asked again at the next run, what is unknown after link_ttl",
    "exclude_link_local": "link-local addresses are never asked",
    "exclude_mail": "mail addresses are not written to; their syntax is looked at",
    "fallback_extensions": "a link without suffix is fine if a document of that name is there",
    "include_fragments": "sections are always looked for",
    "include_mail": "mail addresses are judged by their syntax",
    "index_files": "the index file of a folder is found whatever it is called",
    "method": "pages are asked with GET",
    "retry_wait_time": "a second look waits as long as its kind needs: 5 s after a 404, else 30 s",
    "suggest": _KEPT,
}
FLAGS: Final = {
    "dump": "`holdfast track --plan` lists what would be asked",
    "dump_inputs": "`holdfast track --plan` lists what would be asked",
    "files_from": "name the files as arguments, or as paths in [track.NAME]",
    "format": "`--format text|json|jsonl|junit|sarif|github|markdown`",
    "generate": "`holdfast completion`, and the man pages",
    "glob_ignore_case": "",
    "host_stats": "",
    "mode": "",
    "no_progress": "",
    "output": "reports go to standard output",
    "skip_missing": "",
    "threads": "",
    "verbose": "",
}
NO_EQUAL: Final = {
    "cookie_jar": "cookies are kept within one chain of redirects; [origin] sends your own",
    "default_extension": "files without a suffix are not documents; `read_as` names those that are",
    "include_verbatim": "links in code are never links",
    "insecure": "certificates are always verified; ca_file names your own",
    "min_tls": "the versions of TLS are those of the system's library",
    "preprocess": "documents are read as they are; pipe what a program makes: `… | holdfast track -`",
    "user_agent": "the user agent is truthful; `contact` adds who you are",
}
UNLESS_SET: Final = frozenset(("include_verbatim", "insecure"))
"""Those that are so anyway when they are off."""
