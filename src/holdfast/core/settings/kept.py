"""Which settings a mirror remembers, where, and why: all that decide which pages there are and what they say.

A setting of a mirror is in one row here; a test holds that. Settings of checks and of where a store lies are
in none. What is remembered counts where no flag, no variable and no settings file says anything, and is
trusted as a settings file is (`docs/internals/decisions/mirror-as-made.md`).
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import TYPE_CHECKING, Any, Final

from holdfast.core.url.redaction import HIDDEN, shown

if TYPE_CHECKING:
    from holdfast.core.settings.resolve import Settings


class Kept(Enum):
    """Where a mirror has what it remembers."""

    OPTION = "`options` and `layout` of the manifest: its files are a function of them"
    SCOPE = "`crawl.settings` of the manifest: it decides which pages there are, or what a page is"
    RECIPE = "the recipe of its runs, in the ledger"
    RUN = "nowhere: it is about one run"
    MACHINE = "nowhere: it is about this machine, or how it reaches the web"
    SECRET = "nowhere: it may hold a secret, or names a file of the user's own"


def _rows(kept: Kept, names: str) -> dict[str, Kept]:
    return dict.fromkeys(names.split(), kept)


KEPT: Final[Mapping[str, Kept]] = {
    **_rows(Kept.OPTION, "layout content anchors sidecar convert_links assets llms_txt prefer_markdown"),
    **_rows(
        Kept.SCOPE,
        "discover mirror.include mirror.exclude allow_host max_depth keep_noise meta_robots trap_pages"
        " trap_similar rel_canonical dedupe mirror.robots allow_private",
    ),
    **_rows(Kept.SCOPE, "allow_query trailing_slash identity_version max_page_bytes"),
    **_rows(Kept.RECIPE, "policy"),
    **_rows(Kept.RUN, "max_pages on_error update mirror.max_age delete_gone"),
    **_rows(Kept.MACHINE, "content_rate_limit per_host max_wait max_wait_sum max_slowdowns"),
    **_rows(Kept.MACHINE, "timeout idle_timeout connect_timeout max_redirects contact proxy"),
    # a page that is over a limit is told, and what was kept of it stays; the limits guard who asks
    **_rows(Kept.MACHINE, "max_body_bytes max_decoded_bytes max_ratio max_header_bytes"),
    **_rows(Kept.MACHINE, "min_free_mb processes"),
    **_rows(Kept.SECRET, "ca_file overrides"),
}


def kept_scope(settings: Settings) -> dict[str, Any]:
    """What a mirror made with these settings remembers beside its options; secrets in patterns are hidden."""
    return {
        row.setting.name: [_told(each) for each in row.value] if isinstance(row.value, tuple) else row.value
        for row in settings.resolved
        if KEPT.get(row.setting.name) is Kept.SCOPE and row.value is not None
    }


def is_hidden(value: object) -> bool:
    """Whether something of what was remembered is a secret that was not kept."""
    return isinstance(value, (list, tuple)) and any(HIDDEN in str(each) for each in value)


def _told(pattern: str) -> str:
    """A pattern without its secrets; a `*` is none."""
    plain = pattern.replace("*", "")
    return pattern if shown(plain) == plain else shown(pattern)
