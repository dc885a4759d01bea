"""Every setting, its value, and where it came from."""

from __future__ import annotations

import json
from collections.abc import Iterator

from holdfast.core.answers.upkeep import FolderTrust, SettingsShown
from holdfast.core.settings import Origin, Resolved
from holdfast.formats.words.paint import Paint

__all__ = ["setting_lines", "trust_lines"]


def setting_lines(found: SettingsShown, paint: Paint) -> Iterator[str]:
    """The settings file, then a line a setting; those that nobody changed are dim."""
    yield f"settings file: {found.file or 'none found here or above'}"
    width = max(len(row.setting.name) for row in found.rows)
    for row in found.rows:
        text = f"{row.setting.name:<{width}}  {_value(row):<24}  {_origin(row)}"
        yield paint(text, "dim") if row.origin is Origin.DEFAULT else text


def trust_lines(trust: FolderTrust) -> Iterator[str]:
    """What of a settings file reaches out of its folder, in full."""
    if not trust.found:
        yield f"{trust.file}: nothing in it reaches out of its folder; there is nothing to trust"
        return
    yield f"{trust.file}: this reaches out of its folder"
    for each in trust.found:
        value = json.dumps(each.value, ensure_ascii=False, default=str)
        leads = f", leads to {each.leads_to}" if each.leads_to else ""
        yield f"  {each.place} = {value}  ({each.reach}{leads})"


def _value(row: Resolved) -> str:
    if row.value is None:
        return "(not set)"
    if isinstance(row.value, tuple):
        return ", ".join(row.value) or "(none)"
    return str(row.value).lower() if isinstance(row.value, bool) else str(row.value)


def _origin(row: Resolved) -> str:
    return row.origin if row.origin is Origin.DEFAULT else f"{row.origin} ({row.place})"
