"""A word of reports and settings, explained: the code or name of a rule, the state of a link, a setting."""

from __future__ import annotations

from collections.abc import Iterator

from holdfast.core.link_state import LinkState
from holdfast.core.report_rules import RULES, ReportRule
from holdfast.core.settings import Setting, all_settings

__all__ = ["explained", "words_explained"]


def explained(word: str) -> list[str]:
    """The lines that explain it; none where the word is not known."""
    name = word.lstrip("-").lower().replace("-", "_")
    states = {state.value: state for state in LinkState}
    rules = {key: rule for rule in RULES.values() for key in (rule.code.lower(), rule.name.replace("-", "_"))}
    if name in states:
        return list(_of_state(states[name], rules))
    if name in rules:
        return list(_of_rule(rules[name]))
    if name in all_settings():
        return list(_of_setting(all_settings()[name]))
    return []


def words_explained() -> list[str]:
    """All of these words."""
    return [*(state.value for state in LinkState), *RULES, *all_settings()]


def _of_state(state: LinkState, rules: dict[str, ReportRule]) -> Iterator[str]:
    yield f"{state.value}: {state.sentence}"
    yield f"A link in this state is {state.standing.value}."
    if state.code:
        yield ""
        yield from _of_rule(rules[state.code.lower()])


def _of_rule(rule: ReportRule) -> Iterator[str]:
    yield f"{rule.code} {rule.name}: {rule.sentence}"
    yield ""
    yield rule.meaning
    yield ""
    yield rule.remedy


def _of_setting(setting: Setting) -> Iterator[str]:
    yield f"{setting.name}: {setting.help}"
    if setting.choices:
        yield f"One of {', '.join(setting.choices)}."
    yield f"In holdfast.toml: {setting.name}. In the environment: {setting.env}. As a flag: {setting.flag}."
    yield "`holdfast config` shows its value, and where that came from."
