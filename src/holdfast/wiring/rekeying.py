"""Wiring of `db rekey`: the keys by which a ledger joins what it knows of a URL, made anew (ID-13)."""

from __future__ import annotations

from collections.abc import Callable

from holdfast.core.answers.upkeep import LedgerRekeyed
from holdfast.core.errors import UsageError
from holdfast.core.policy import PUBLISHED, WEB, policy_named
from holdfast.core.rekeying import key_maker
from holdfast.core.settings import Settings
from holdfast.jobs.rekeying import rekey
from holdfast.ports import Ledger
from holdfast.wiring.settings import join_policy, web_identity
from holdfast.wiring.states import state_of
from holdfast.wiring.store import open_store

__all__ = ["rekey_ledger", "rekey_state"]

Tell = Callable[[int, int], None]


def rekey_state(settings: Settings, version: str | None = None, tell: Tell | None = None) -> LedgerRekeyed:
    """Make the keys of a state folder's ledger anew: by a version of `web`, or by the one it has."""
    if version is not None:
        version = _web_version(version)
    with open_store(state_of(settings), "db rekey", settings) as store:
        return rekey_ledger(store.ledger, settings, version, tell=tell)


def rekey_ledger(
    ledger: Ledger,
    settings: Settings,
    version: str | None = None,
    *,
    only_known: bool = False,
    tell: Tell | None = None,
) -> LedgerRekeyed:
    """Make a ledger's keys anew."""
    goal = web_identity(settings, version or ledger.joins.version())
    make = key_maker(join_policy(settings, ledger.joins.version()), goal.policy)
    name = f"{goal.policy.full_name} {goal.digest}"
    return rekey(ledger.joins, make, name, only_known=only_known, tell=tell)


def _web_version(text: str) -> str:
    """The full name of a version of `web`; a name without a version means the default."""
    known = ", ".join(one.full_name for one in PUBLISHED if one.name == WEB.name)
    policy = policy_named(text)
    if policy.name != WEB.name:
        raise UsageError(
            f"URLs are joined by a version of `{WEB.name}`, not by `{policy.full_name}`", hint=known
        )
    return policy.full_name
