"""Answers about URLs alone: their canonical form, their name on disk, the URL of a name; and their JSON.

Names on disk are those that one mirror of the URLs would give. The mirror's scheme is that of the first
URL; of two URLs whose short hashes collide the later one gets the longer name (URL_PATH-6).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from holdfast.core.base.json_shape import (
    HASH,
    TEXT,
    WEB_URL,
    Schema,
    Shape,
    array,
    at,
    one_of,
    optional,
    record,
    sometimes,
)
from holdfast.core.base.shown_text import loggable
from holdfast.core.settings.identity import Identity
from holdfast.core.url.canonical import Explained
from holdfast.core.url.compiled import canonicalize
from holdfast.core.url.layout import Layout
from holdfast.core.url.name_plan import NamePlan
from holdfast.core.url.policy import POLICIES, Policy
from holdfast.core.url.url import Refused


class CanonAnswer(NamedTuple):
    """A URL as given, and its canonical form with the rules that fired; or why it has none."""

    input: str
    identity: Identity
    found: Explained | Refused

    @property
    def explained(self) -> Explained | None:
        """The canonical form and the rules, where there is one."""
        return self.found if isinstance(self.found, Explained) else None

    @property
    def refused(self) -> Refused | None:
        """Why there is none."""
        return self.found if isinstance(self.found, Refused) else None


class PathAnswer(NamedTuple):
    """A URL as given, its canonical form and the file it has in a mirror; or why it has none."""

    input: str
    canonical: str | None
    path: str | None
    refused: Refused | None = None


class ReverseAnswer(NamedTuple):
    """A path as given, and the URL of that file, if the name or a file beside it tells."""

    input: str
    url: str | None


def paths_of(urls: Iterable[str], layout: Layout, policy: Policy) -> Iterator[PathAnswer]:
    """The path of each URL, in the order given; one that has no canonical form is refused."""
    plan: NamePlan | None = None
    for text in urls:
        canonical = canonicalize(text, policy)
        if isinstance(canonical, Refused):
            yield PathAnswer(text, None, None, canonical)
            continue
        plan = plan or NamePlan(layout, canonical.scheme)
        yield PathAnswer(text, canonical.text, plan.place(canonical).path)


_REFUSED: Final = {
    "refused": sometimes(lambda answer: answer.refused and answer.refused.reason, TEXT),
    "detail": sometimes(lambda answer: str(answer.refused) if answer.refused else None, TEXT),
}

URL_CANON: Final = Schema(
    "url-canon",
    "One line of `holdfast url canon --json`.",
    record(
        input=at(lambda answer: loggable(answer.input), TEXT),
        canonical=at(lambda a: a.explained.canonical.text if a.explained else None, optional(WEB_URL)),
        url_key=at(lambda a: a.explained.canonical.key if a.explained else None, optional(HASH)),
        policy=at("identity.policy.name", one_of(POLICIES)),
        component=at("identity.component", TEXT),
        rules=at(lambda a: a.explained.rules if a.explained else (), array(TEXT)),
        **_REFUSED,
    ),
    is_line=True,
)

_FORWARD: Final = record(
    input=at(lambda answer: loggable(answer.input), TEXT),
    canonical=sometimes("canonical", optional(WEB_URL), when=lambda _: True),
    path=sometimes("path", optional(TEXT), when=lambda _: True),
    **_REFUSED,
)
_REVERSE: Final = record(
    input=at(lambda answer: loggable(answer.input), TEXT),
    url=sometimes("url", optional(WEB_URL), when=lambda _: True),
)

URL_PATH: Final = Schema(
    "url-path",
    "One line of `holdfast url path --json`; with `--reverse` it has `url`, no `canonical` and `path`.",
    Shape(
        record(_FORWARD, **_REVERSE.keys).schema,
        lambda answer: (_REVERSE if isinstance(answer, ReverseAnswer) else _FORWARD).encode(answer),
    ),
    is_line=True,
)
