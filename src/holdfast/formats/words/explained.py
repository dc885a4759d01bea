"""A word of reports and settings, explained: the code or name of a rule, the state or standing of a link, a
setting.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from holdfast.core.link_state import Confirm, LinkState, Standing
from holdfast.core.report_rules import RULES, ReportRule
from holdfast.core.settings import Setting, all_settings

__all__ = ["explained", "words_explained"]

_STANDINGS: Final = {
    Standing.ALIVE: "A link that answers.",
    Standing.SUSPECT: "A link that failed and is not confirmed dead.",
    Standing.DEAD: "A link that failed, and further looks confirmed it.",
    Standing.UNKNOWN: "A link of which nothing can be told: nobody asked, nobody may, or people only.",
}


def explained(word: str) -> list[str]:
    """The lines that explain it; none where the word is not known."""
    name = word.lstrip("-").lower().replace("-", "_")
    states = {state.value: state for state in LinkState}
    rules = {key: rule for rule in RULES.values() for key in (rule.code.lower(), rule.name.replace("-", "_"))}
    if name in _STANDINGS:
        return list(_of_standing(Standing(name)))
    if name in states:
        return list(_of_state(states[name], rules))
    if name in rules:
        return list(_of_rule(rules[name]))
    if name in all_settings():
        return list(_of_setting(all_settings()[name]))
    return []


def words_explained() -> list[str]:
    """All of these words."""
    return [*Standing, *(state.value for state in LinkState), *RULES, *all_settings()]


def _of_standing(standing: Standing) -> Iterator[str]:
    yield f"{standing.value}: {_STANDINGS[standing]}"
    if standing is Standing.DEAD:
        for confirm in (Confirm.SECOND_LOOK, Confirm.REPEATED):
            yield f"{confirm.value}: {', '.join(state for state in LinkState if state.confirm is confirm)}"
    else:
        yield f"The states: {', '.join(state for state in LinkState if state.standing is standing)}"


def _of_state(state: LinkState, rules: dict[str, ReportRule]) -> Iterator[str]:
    yield f"{state.value}: {state.sentence}"
    later = "" if state.confirm is Confirm.NEVER else f", and dead {state.confirm.value}"
    yield f"A link in this state is {state.standing.value}{later}."
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
