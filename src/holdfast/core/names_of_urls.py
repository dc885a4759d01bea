"""The names that URLs have on disk, as one mirror of them would give.

The mirror's scheme is that of the first URL; of two URLs whose short hashes collide the later one gets the
longer name (PATH-6).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from holdfast.core.answers.identity import PathAnswer
from holdfast.core.canonical_fast import canonicalize
from holdfast.core.mirror_plan import Layout, NamePlan
from holdfast.core.policy import Policy
from holdfast.core.refusal import Refused

__all__ = ["paths_of"]


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
