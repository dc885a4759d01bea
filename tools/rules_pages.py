"""docs/reference/rules/: a page for each rule, and their list, from the table of rules."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from functools import partial

from holdfast.core.findings.report import RULES, STATE_RULES
from holdfast.core.findings.rule_codes import Level, ReportRule
from holdfast.core.links.link_state import FAILING, LinkState

__all__ = ["link_states_page", "rules_pages"]

_FOLDER = "docs/reference/rules"
_LEVELS = {
    Level.ERROR: "an error once it is confirmed, a warning before",
    Level.WARNING: "a warning",
    Level.NOTE: "a note",
}


def rules_pages() -> dict[str, Callable[[], str]]:
    """Every page by its path, and how it is made."""
    pages: dict[str, Callable[[], str]] = {
        f"{_FOLDER}/{rule.code}.md": partial(_page, rule) for rule in RULES.values()
    }
    return {f"{_FOLDER}/index.md": _index, **pages}


def _page(rule: ReportRule) -> str:
    states = [state for state, code in STATE_RULES.items() if code is rule.code]
    lines = [f"# {rule.code} {rule.name}", "", rule.sentence, ""]
    if states:
        standing = "dead" if states[0] in FAILING else str(states[0].standing)
        becomes = f", `{standing}` once confirmed" if states[0] in FAILING else f", which is `{standing}`"
        lines += [f"- State: `{states[0]}`{becomes}"]
    lines += [f"- Level: {_LEVELS[rule.level]}", f"- To fail a build on it: `--fail-on {rule.code}`", ""]
    lines += [
        "## What it means",
        "",
        _wrapped(rule.meaning),
        "",
        "## What to do",
        "",
        _wrapped(rule.remedy),
        "",
    ]
    lines += ["[All rules](index.md)", ""]
    return "\n".join(lines)


def _index() -> str:
    lines = [
        "# Rules",
        "",
        "What `holdfast check` can find. A code never changes its meaning. How loud a finding is depends on",
        "the link: what is confirmed dead is an error, what only failed a warning, all else a note.",
        "",
        "| code | name | level | |",
        "|---|---|---|---|",
        *(f"| [{r.code}]({r.code}.md) | `{r.name}` | {r.level} | {r.sentence} |" for r in RULES.values()),
        "",
    ]
    return "\n".join(lines)


def _wrapped(text: str) -> str:
    return textwrap.fill(text, 110, break_long_words=False, break_on_hyphens=False)


def link_states_page() -> str:
    """Every link state: what it means, what is said of it, which rule speaks of it."""
    lines = [
        "# Link states",
        "",
        "What the last look at a cited URL found. What a state means, and when a failure counts as dead, is",
        "in [Citations](../concepts/citations.md).",
        "",
        "| state | standing | dead once confirmed | what is said | rule |",
        "|---|---|---|---|---|",
    ]
    for state in LinkState:
        rule = f"[{state.code}](rules/{state.code}.md)" if state.code else "—"
        confirmed = str(state.confirm) if state in FAILING else "—"
        lines.append(f"| `{state}` | {state.standing} | {confirmed} | {state.sentence} | {rule} |")
    return "\n".join(lines) + "\n"
