"""What a mirror was asked for, as one value, and what decides the identity of everything in it.

1. Two starts belong to one run when their plans are equal: sources, discovery, scope and rules. How fast,
   how many pages and what to do about errors may change from start to start.
2. A run's id is a function of the mirror, the plan and the number of runs before it, so that a start can
   tell whether the last run was of its own plan.
3. The places of addresses follow from the mirror's `Standard`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from datetime import timedelta
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from holdfast.core.base.errors import UsageError
from holdfast.core.base.figures import parse_duration
from holdfast.core.base.hashing import SettingsDigest, id_of, settings_digest, url_key
from holdfast.core.base.values import dataclass
from holdfast.core.crawl.duplicates import CanonicalMode
from holdfast.core.page.distill_options import DistillOptions
from holdfast.core.url.compiled import canonical_text
from holdfast.core.url.redaction import Shown, shown
from holdfast.core.url.scope import check_pattern
from holdfast.core.url.url import Place, Refusal, Refused, Url, parse_url

if TYPE_CHECKING:
    from holdfast.core.settings.job_settings import MirrorSettings
    from holdfast.core.url.policy import Policy, Recipe

_LIST_ENDINGS: Final = (".xml", ".gz", ".txt", ".rss", ".atom", ".rdf")


class OnError(StrEnum):
    """What a failed page does to the run (MIR-6)."""

    SKIP = "skip"
    ABORT = "abort"
    RETRY = "retry"


@dataclass(frozen=True, slots=True)
class MirrorSource:
    """Where a mirror begins: a URL, or a file of URLs whose bytes were read already."""

    name: str
    url: Url | None = None
    listing: bytes | None = None


@dataclass(frozen=True, slots=True)
class Order:
    """A mirror to be made. `label` names it in the ledger, `owed_to` whom its events are told; `is_remade`:
    the files that are there were made with other options; `remembers`: what the manifest will say of which
    pages there are; `is_rescoped`: it says something else now. A pattern that can match nothing is an error.
    """

    label: str
    sources: tuple[MirrorSource, ...]
    standard: Standard
    settings: MirrorSettings
    options: DistillOptions = field(default_factory=DistillOptions)
    software: str = ""
    owed_to: tuple[str, ...] = ()
    is_remade: bool = False
    remembers: Mapping[str, Any] = field(default_factory=dict)
    is_rescoped: bool = False

    def __post_init__(self) -> None:
        check_patterns(self.settings)

    @property
    def shown_sources(self) -> list[Shown]:
        """The sources as they may be written down."""
        return [shown(source.name) for source in self.sources]

    @property
    def canonical_mode(self) -> CanonicalMode:
        """What a canonical link is worth."""
        return CanonicalMode(self.settings.rel_canonical)

    @property
    def on_error(self) -> OnError:
        """What a failed page does."""
        return OnError(self.settings.on_error)

    @property
    def has_sidecars(self) -> bool:
        """Whether a file of metadata lies beside each page."""
        return self.settings.files.sidecar == "json"

    @property
    def has_front_matter(self) -> bool:
        """Whether the metadata stand at the head of each page."""
        return self.settings.files.sidecar == "front-matter"

    @property
    def is_settled_at_the_end(self) -> bool:
        """Whether files depend on which pages there are, which is known only when the crawl has ended, or are
        to be made anew whatever is asked for.
        """
        files = self.settings.files
        return self.is_remade or files.convert_links == "local" or files.assets or files.llms_txt

    @property
    def max_age(self) -> timedelta | None:
        """How old a page may be before an update asks for it whatever the lists say."""
        text = self.settings.max_age
        if text is None:
            return None
        if (age := parse_duration(text)) is None:
            raise UsageError(f"--max-age {text!r} is not a length of time", hint="such as 12h, 7d or 2w")
        return age

    @property
    def plan(self) -> str:
        """The digest of what makes this run this run."""
        settings = self.settings
        plan: dict[str, Any] = {
            "sources": [source.url.href if source.url else source.name for source in self.sources],
            "recipe": str(self.standard.recipe),
            "discover": settings.scope.discover,
            "include": settings.scope.include,
            "exclude": settings.scope.exclude,
            "allow_host": settings.scope.allow_host,
            "max_depth": settings.scope.max_depth,
            "canonical": settings.rel_canonical,
            "dedupe": settings.dedupe,
            "keep_noise": settings.scope.keep_noise,
            "meta_robots": settings.scope.meta_robots,
            "traps": [settings.scope.trap_pages, settings.scope.trap_similar],
        }
        return settings_digest(plan)

    def run_id(self, runs_before: int) -> str:
        """The id of this mirror's run after so many others."""
        return id_of("mirror run", self.label, self.plan, str(runs_before))

    def is_same_plan(self, run_id: str, runs_before: int) -> bool:
        """Whether a run after so many others had this plan; one that was adopted has the id that it got where
        the mirror's name was shorter.
        """
        parts = self.label.split("/")
        labels = ("/".join(parts[first:]) or "." for first in range(len(parts) + 1))
        plan = self.plan
        return any(run_id == id_of("mirror run", label, plan, str(runs_before)) for label in labels)


def check_patterns(settings: MirrorSettings) -> None:
    """Refuse patterns that can match nothing."""
    for pattern in (*settings.scope.include, *settings.scope.exclude, *settings.scope.keep_noise):
        check_pattern(pattern)


def source_of(text: str, listing: bytes | None) -> MirrorSource:
    """What a text names as a source: a URL, or the file whose bytes are handed in."""
    if listing is not None:
        return MirrorSource(text, listing=listing)
    url = parse_url(text)
    if isinstance(url, Url):
        return MirrorSource(url.href, url=url)
    if url.reason is Refusal.SCHEME:
        scheme = text.partition(":")[0]  # what follows may be a password
        raise UsageError(f"'{scheme}:' cannot be mirrored: only http and https can")
    guess = parse_url(f"https://{text}")
    looks_like_host = isinstance(guess, Url) and "." in guess.host
    raise UsageError(
        f"{text!r} is neither a URL nor a file of URLs",
        hint=f"did you mean https://{text}?"
        if looks_like_host
        else "write the URL whole: https://example.com/",
    )


def is_list_name(url: Url) -> bool:
    """Whether a URL's name says that it is a list, not a page."""
    return url.path.lower().endswith(_LIST_ENDINGS)


NO_IDENTITY = "no identity"


@dataclass(frozen=True, slots=True)
class Standard:
    """A mirror's policy, `web` for the join (ID-12), and the recipe that names them."""

    recipe: Recipe
    policy: Policy
    web: Policy
    digest: SettingsDigest


def place_of(url: Url, standard: Standard) -> Place | None:
    """A URL's place in the ledger; None where a policy refuses it."""
    return places(standard)(url.href)


def why_no_place(href: str, standard: Standard) -> str:
    """Why an address has no place, in words; all begin alike."""
    refused = (canonical_text(policy)(href) for policy in (standard.policy, standard.web))
    reasons = (text.reason.sentence for text in refused if isinstance(text, Refused))
    return f"{NO_IDENTITY}: {next(reasons, 'no policy names it')}"


@lru_cache(maxsize=8)
def places(standard: Standard) -> Callable[[str], Place | None]:
    """The places of addresses. They are remembered: what one page of a site links to, the next does too."""
    canonical, canonical_web = canonical_text(standard.policy), canonical_text(standard.web)

    @lru_cache(maxsize=2_000)
    def place(href: str) -> Place | None:
        text, web = canonical(href), canonical_web(href)
        if isinstance(text, Refused) or isinstance(web, Refused):
            return None
        key = url_key(text)
        return Place(text, key, key if web == text else url_key(web))  # nearly all are equal

    return place
