"""Whether a ledger's rows are what they are made of: ids, keys, seals, edges. It asks the port alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from holdfast.core.canonical_fast import canonical_text
from holdfast.core.crawl.order import Order
from holdfast.core.hashing import url_key
from holdfast.core.ledger import Observation, RunStatus
from holdfast.core.lineage import CaptureRecord, EdgeKind, Item, capture_id, item_id
from holdfast.core.policy import policy_of
from holdfast.core.verdict import Reason, Selected
from holdfast.ports import Ledger

__all__ = ["ledger_faults", "web_keys"]


def web_keys(order: Order, ledger: Ledger) -> Callable[[str], str | None] | None:
    """The key by which every table finds a URL (ID-12), made of its canonical form. None where a run's policy
    drops what the join keeps: there the form does not tell the key.
    """
    web = order.standard.web
    components = {record.run.recipe.url for record in ledger.runs.latest_first()}
    policies = [policy_of(component) if component else None for component in components]
    if not all(policy is not None and policy.keeps_what(web) for policy in policies):
        return None
    canonical = canonical_text(web)
    return lambda url: url_key(form) if isinstance(form := canonical(url), str) else None


def ledger_faults(ledger: Ledger) -> Iterator[tuple[str, str]]:
    """Where, and what."""
    for record in ledger.runs.latest_first():
        run = record.run.run_id
        for observation in ledger.history.of_run(run):
            capture, item = observation.capture, observation.item
            yield from ((capture.url, what) for what in _capture(capture))
            if item is not None:
                yield from ((capture.url, what) for what in _item(ledger, observation, item))
        if record.status is RunStatus.FINISHED and ledger.runs.seal_of(run) != record.seal:
            yield f"run {run[:12]}", "its seal is not that of what it saw"


def _capture(capture: CaptureRecord) -> Iterator[str]:
    made = capture_id(capture.run_id, capture.url, capture.fetched_at, capture.status, capture.payload_sha256)
    if made != capture.capture_id:
        yield "a capture's id is not that of its run, address, time, status and body"
    if url_key(capture.place.url) != capture.place.key:
        yield f"the key of {capture.place.url} is not its own"


def _item(ledger: Ledger, observation: Observation, item: Item) -> Iterator[str]:
    made = item_id(item.recipe, item.place.url, item.content_sha256, item.capture_id)
    if made != item.item_id:
        yield "an item's id is not that of its version, address, content and capture"
    if url_key(item.place.url) != item.place.key:
        yield f"the key of {item.place.url} is not its own"
    if observation.is_new:
        yield from _edges(ledger, item)


def _edges(ledger: Ledger, item: Item) -> Iterator[str]:
    """Each reason an edge gives must be true of the items it joins (LIN-4)."""
    for edge in ledger.history.relations(item.item_id).outgoing:
        found = ledger.history.items(edge.target)
        if edge.kind is not EdgeKind.SUPERSEDES or not found:
            continue
        old, facts = found[0], dict(edge.metadata)
        by_content = facts.get("reason") == Reason.CONTENT
        equal = old.content_sha256 == item.content_sha256 if by_content else old.place.key == item.place.key
        named = facts.get("content_sha256_match" if by_content else "canonical_uri_match")
        selected = Selected.CONTENT if by_content else Selected.URL
        if not equal or named != old.item_id or facts.get("selected") != selected:
            yield "a supersedes edge gives a reason that is not true of its items"
