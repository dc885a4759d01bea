"""Every setting, its value, and where it came from: value, JSON, words.

A proxy's address may carry a password, which is not shown. Settings that nobody changed are dim.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from holdfast.core.base.json_shape import (
    BOOLEAN,
    TEXT,
    Schema,
    Shape,
    array,
    at,
    mapping,
    one_of,
    optional,
    record,
)
from holdfast.core.base.shown_text import harmless, loggable
from holdfast.core.base.values import dataclass
from holdfast.core.mirror.remembered import FolderTrust, said
from holdfast.core.settings.reach import Reach
from holdfast.core.settings.resolve import Origin, Resolved
from holdfast.core.url.redaction import redact_url

if TYPE_CHECKING:
    from holdfast.questions.rows.question import Paint


@dataclass(frozen=True, slots=True)
class SettingsShown:
    """Every setting, its value and where it came from; `file` is the settings file in force."""

    file: str | None
    rows: tuple[Resolved, ...]

    @property
    def by_name(self) -> Mapping[str, Resolved]:
        """The rows by the names of their settings."""
        return {row.setting.name: row for row in self.rows}


def without_secrets(row: Resolved) -> Resolved:
    """A row that may be shown: a proxy's address may carry a password."""
    return replace(row, value=redact_url(loggable(row.value))) if isinstance(row.value, str) else row


_VALUE: Final = Shape({"type": ["string", "number", "boolean", "array", "null"], "items": {"type": "string"}})

CONFIG: Final = Schema(
    "config",
    "What `holdfast config --json` prints.",
    record(
        file=optional(TEXT),
        settings=at("by_name", mapping(record(value=_VALUE, origin=TEXT, place=TEXT))),
    ),
)

_REACHING: Final = record(
    place=TEXT,
    value=at(lambda each: _as_text(each.value), TEXT),
    reach=one_of(Reach),
    leads_to=at(lambda each: each.leads_to or None, optional(TEXT)),
)

CONFIG_TRUST: Final = Schema(
    "config-trust",
    "What `holdfast config trust --json` prints: what reaches out of the folder, what its stores remember, "
    "and whether that is trusted.",
    record(
        file=at(lambda trust: trust.file or None, optional(TEXT)),
        trusted=at("is_trusted", BOOLEAN),
        settings=at("found", array(_REACHING)),
        stores=array(
            record(
                state=TEXT,
                id=at("store_id", TEXT),
                trusted=at("is_trusted", BOOLEAN),
                mirrors=array(
                    record(mirror=at("label", TEXT), remembers=at("memory.rows", array(_REACHING)))
                ),
            )
        ),
    ),
)


def _as_text(value: object) -> str:
    """A value as JSON writes it: tables and lists of a settings file have no type of their own."""
    return json.dumps(value, ensure_ascii=False, default=str)


def setting_lines(found: SettingsShown, paint: Paint) -> Iterator[str]:
    """The settings file, then a line a setting; those that nobody changed are dim."""
    yield f"settings file: {found.file or 'none found here or above'}"
    width = max(len(row.setting.name) for row in found.rows)
    for row in found.rows:
        text = f"{row.setting.name:<{width}}  {_value(row):<24}  {_origin(row)}"
        yield paint(text, "dim") if row.origin is Origin.DEFAULT else text


def trust_lines(trust: FolderTrust) -> Iterator[str]:
    """What of a settings file reaches out of its folder, and what the stores remember, in full."""
    if trust.file and not trust.found:
        yield f"{trust.file}: nothing in it reaches out of its folder; there is nothing to trust"
    elif trust.file:
        yield f"{trust.file}: this reaches out of its folder"
    for each in trust.found:
        leads = f", leads to {each.leads_to}" if each.leads_to else ""
        yield f"  {said(each)}  ({each.reach}{leads})"
    for store in trust.stores:
        yield f"{store.state}: the store {harmless(store.store_id)}; its mirrors remember this"
        for mirror in store.mirrors:
            yield f"  {harmless(mirror.label)}"
            for row in mirror.memory.rows:
                yield f"    {said(row)}  ({row.reach})"


def _value(row: Resolved) -> str:
    if row.value is None:
        return "(not set)"
    if isinstance(row.value, tuple):
        return ", ".join(row.value) or "(none)"
    return str(row.value).lower() if isinstance(row.value, bool) else str(row.value)


def _origin(row: Resolved) -> str:
    return row.origin if row.origin is Origin.DEFAULT else f"{row.origin} ({row.place})"
