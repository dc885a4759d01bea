"""What a target means in an open store: a URL, a place, a host or a pattern, documents.

A URL is found whatever version keyed it (ID-13). Where nothing has the key that the ledger's `web` policy
gives it, its form is looked up as the runs of the ledger wrote it: a page is found by its own address, and
by every address that its policy merged into it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from holdfast.core.base.hashing import UrlKey, url_key
from holdfast.core.base.wildcards import read_segment, segments_match, split_segments
from holdfast.core.lineage.lineage import Job
from holdfast.core.links.citing import place_of_text, web_key_of
from holdfast.core.targets.command_target import CommandTarget, DocumentsForm, TargetKind
from holdfast.core.url.compiled import canonical_text
from holdfast.core.url.policy import Policy, policy_of
from holdfast.core.url.scope import matches
from holdfast.core.url.url import Place, Url, parse_url

if TYPE_CHECKING:
    from holdfast.storage.ledger.ledger import Ledger


def find_url(ledger: Ledger, text: str, policy: Policy, *, merged: bool = True) -> tuple[str, UrlKey]:
    """The form by the ledger's `web` policy of the URL that a text names, and the key that finds it; without
    `merged`, no page that only stands for it.
    """
    url, key = web_key_of(text, policy)
    return url, _known(ledger, text if merged else url, key, merged=merged)


def find_place(ledger: Ledger, text: str, policy: Policy) -> Place | None:
    """The place that a text names, with the key that finds it; None where it names none."""
    place = place_of_text(text, policy)
    return place._replace(web_key=_known(ledger, text, place.web_key)) if place else None


def _known(ledger: Ledger, text: str, key: UrlKey, *, merged: bool = True) -> UrlKey:
    if ledger.joins.has_key(key):
        return key
    recipes = {record.run.recipe.url for record in ledger.runs.latest_first()}
    policies = (policy_of(component) for component in sorted(filter(None, recipes), key=str))
    for policy in filter(None, policies):
        form = canonical_text(policy)(text)
        if isinstance(form, str) and (merged or form == text):
            found = ledger.joins.key_of(url_key(form))
            if found is not None:
                return found
    return key


_WILD: Final = frozenset("*?[")


def is_url(target: str) -> bool:
    """Whether a target of `backlinks` names one URL, rather than a host or a pattern."""
    return "://" in target and not is_pattern(target.partition("?")[0])


def is_pattern(target: str) -> bool:
    """Whether a target has a wild character: `*`, `?` or `[`."""
    return bool(_WILD.intersection(target))


def urls_fit(target: CommandTarget) -> Callable[[str], bool]:
    """Whether a URL is on the host, or fits the pattern. `*.example.com` has example.com too; a `*` crosses
    slashes; a final `/*` takes the page before it.
    """
    wanted = target.value
    if target.kind is TargetKind.PATTERN and "://" in wanted:
        patterns = (wanted, wanted[:-2]) if wanted.endswith("/*") else (wanted,)
        return lambda url: (
            isinstance(found := parse_url(url), Url) and any(matches(each, found) for each in patterns)
        )

    def is_on(url: str) -> bool:
        host = url.partition("://")[2].partition("/")[0]
        return host.endswith(wanted[1:]) or host == wanted[2:] if wanted[:2] == "*." else host == wanted

    return is_on


def documents_meant(ledger: Ledger, target: CommandTarget) -> frozenset[str]:
    """The documents of a store that a target names and that were read, by their paths."""
    known = {each.path for each in ledger.citations.documents()}
    if target.kind is TargetKind.NONE or target.value == ".":
        return frozenset(known)
    if target.form is DocumentsForm.GLOB:
        parts = split_segments(target.value) or []
        pattern = [None if part == "**" else read_segment(part) for part in parts]
        return frozenset(path for path in known if segments_match(pattern, path.split("/")))
    named = target.value.split("\n")
    return frozenset(
        path for path in known if any(name in (".", path) or path.startswith(f"{name}/") for name in named)
    )


# What a look at a target's text asks of a store (`jobs/look_here`).


def mirrors_held(ledger: Ledger, /) -> tuple[str, ...]:
    """The labels of the mirrors that a store knows."""
    return tuple(sorted(ledger.runs.labels(Job.MIRROR)))


def page_at(ledger: Ledger, /, label: str, path: str) -> str | None:
    """The URL of the page that a mirror has, or had, at a path."""
    for page in ledger.pages.by_path(label, path[:-1]):
        if page.facts.path == path:
            return page.place.url
        if page.facts.path.encode() > path.encode():
            break
    return None


def first_page_below(ledger: Ledger, /, label: str, folder: str) -> str | None:
    """The URL of the first page that a mirror has, or had, in a folder."""
    page = next(ledger.pages.by_path(label, f"{folder}/"), None)
    return page.place.url if page is not None and page.facts.path.startswith(f"{folder}/") else None


def keeps_host(ledger: Ledger, /, host: str) -> bool:
    """Whether anything was seen of a host."""
    return next(iter(ledger.forgetting.places_on(host)), None) is not None


def keeps_url(ledger: Ledger, policy: Policy, /, url: str) -> bool:
    """Whether a URL is known."""
    place = place_of_text(url, policy)
    return place is not None and ledger.joins.has_key(place.web_key)


def ids_beginning(ledger: Ledger, /, digits: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The runs and the items whose id begins so."""
    runs = (each.run.run_id for each in ledger.runs.latest_first())
    items = (item.item_id for item in ledger.history.items(digits))
    return tuple(run for run in runs if run.startswith(digits)), tuple(items)
