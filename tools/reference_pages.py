"""The reference pages, made of the code they describe."""

from __future__ import annotations

import inspect
from typing import Any

from holdfast.core.base import errors
from holdfast.core.settings.origins import ORIGIN_KEYS
from holdfast.core.settings.reach import Reach
from holdfast.core.settings.receivers import TARGET_REACH
from holdfast.core.settings.resolve import GROUPS, Setting, all_settings
from holdfast.core.settings.settings_file import JOB_KEYS
from holdfast.core.url.policy import POLICIES, PUBLISHED
from holdfast.core.url.steps import RULE_SENTENCES
from holdfast.core.url.trackers import LEFT_OUT_2, LISTS, PREFIXES_1, PREFIXES_2, TRACKERS_1, TRACKERS_2
from holdfast.faces.cli.first_help import common_help
from holdfast.faces.cli.parser import COMMANDS, build_parser
from man_pages import MEANINGS

_TABLES = {
    "[mirror.NAME]": JOB_KEYS["mirror"],
    "[check.NAME]": JOB_KEYS["check"],
    '[origin."…"]': ORIGIN_KEYS,
    "[notify.NAME]": TARGET_REACH,
}

MADE = "<!-- Made by `make docs`. Do not edit: change the code it describes. -->\n"


def cli_page() -> str:
    """Every command's own help."""
    lines = [
        MADE,
        "# The command line\n",
        "Every command takes these flags, before or after it:\n",
        "```text",
        common_help(),
        "```\n",
        "Exit statuses of all commands:\n",
        "| status | meaning |",
        "|---|---|",
    ]
    lines += [f"| {status.value} | {MEANINGS[status]} |" for status in errors.ExitStatus]
    for name, command in COMMANDS.items():
        lines += [
            f"\n## holdfast {name}\n",
            f"{command.sentence}\n",
            "```text",
            build_parser(name, common=False).format_help().rstrip(),
            "```",
        ]
    return "\n".join(lines) + "\n"


def settings_page() -> str:
    """Every setting, by group."""
    lines = [
        MADE,
        "# Settings\n",
        "A setting has one name everywhere: a key in `holdfast.toml`, `HOLDFAST_…` in the environment, and",
        "a flag of the commands that use it. One that differs for mirrors and checks (`mirror.max_age`)",
        "stands as `max_age` in `[mirror]` or `[check]` and in their named tables. Precedence: flag,",
        "environment, named job, file, default.",
        "`holdfast config` shows each value and where it came from.\n",
        "What a setting *reaches* outside the folder of its `holdfast.toml` says whether it counts at once",
        "(`—`: it reaches nothing) or once you [trust it](../concepts/trust.md): `network`, `program`,",
        "`server`, `path` (one that leads out of the folder), `credential` (what you are known by, and whom",
        "you believe), `consent`. A flag and a variable are your own word.\n",
    ]
    for group, values in GROUPS.items():
        rows = [setting for setting in all_settings().values() if setting.group == group]
        lines += [f"## {group.capitalize()}\n", f"{inspect.getdoc(values)}\n"]
        lines += ["| setting | kind | default | reaches | meaning |", "|---|---|---|---|---|"]
        lines += [_setting_row(setting) for setting in rows]
        lines.append("")
    lines += ["## Tables\n", "What the named tables of `holdfast.toml` say besides settings.\n"]
    lines += ["| table | key | reaches |", "|---|---|---|"]
    for table, keys in _TABLES.items():
        lines += [f"| `{table}` | `{key}` | {_reaches(reach)} |" for key, reach in keys.items()]
    lines.append("")
    return "\n".join(lines)


def _setting_row(setting: Setting) -> str:
    kind = " \\| ".join(f"`{choice}`" for choice in setting.choices) if setting.choices else setting.kind
    facts = (f"`{setting.name}`", kind, _default(setting.default), _reaches(setting.reach), setting.help)
    return f"| {' | '.join(facts)} |"


def _reaches(reach: Reach) -> str:
    return "—" if reach is Reach.NOTHING else reach


def _default(value: Any) -> str:
    if value is None or value in ((), ""):
        return "—"
    if isinstance(value, tuple):
        return ", ".join(f"`{part}`" for part in value)
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def errors_page() -> str:
    """The error tree and a sentence for each."""
    tree = (inspect.getdoc(errors) or "").strip()
    lines = [MADE, "# Errors\n", "```text", tree, "```\n"]
    for name, value in vars(errors).items():
        if isinstance(value, type) and issubclass(value, errors.HoldfastError):
            lines.append(f"- `{name}` ({int(value.exit_status)}): {inspect.getdoc(value)}")
    return "\n".join(lines) + "\n"


def _named(lists: str) -> str:
    return ", ".join(lists.split()) or "—"


def policies_page() -> str:
    """Every published policy's rules in order, and the trackers."""
    defaults = ", ".join(f"`{one.full_name}`" for one in POLICIES.values())
    lines = [
        MADE,
        "# Policies and rules\n",
        "A policy is an ordered list of steps with a version; the rules apply from top to bottom. Every",
        "published version stays in the program: `--policy web@1`, `holdfast.policy('web', 1)`. Without a",
        f"number the default is meant: {defaults}. What each rule does exactly is in",
        "[Canonical URLs](identity/canonicalization.md).\n",
        f"| rule | {' | '.join(f'`{one.full_name}`' for one in PUBLISHED)} | what it does |",
        f"|---|{'---|' * len(PUBLISHED)}---|",
    ]
    for rule, sentence in RULE_SENTENCES.items():
        marks = " | ".join("yes" if rule in one.rules else "—" for one in PUBLISHED)
        lines.append(f"| `{rule}` | {marks} | {sentence} |")
    components = ", ".join(f"`{one.full_name}` is `{one.component}`" for one in PUBLISHED)
    first = [*(f"`{prefix}*`" for prefix in PREFIXES_1), *(f"`{name}`" for name in sorted(TRACKERS_1))]
    lines += ["", f"Components: {components}.\n", "## Trackers of version 1\n", f"{', '.join(first)}.\n"]
    lines += [
        "## Trackers of version 2\n",
        "Version 2 is a preview: frozen, with vectors of its own, but not the default. A key is on its list",
        "if at least two public lists have it for every site, if none of them has taken it back or leaves",
        "out kinds of pages because pages need it, and if it is not a word that sites use for other things.",
        "What was on the list of version 1 stays. Each row names the public lists that had the key in",
        "August 2026. As tables: `tests/vectors/trackers_v1.json`, `trackers_v2.json`.\n",
        "| key | what it is | public lists |",
        "|---|---|---|",
        *(f"| `{prefix}*` | {one.why} | {_named(one.lists)} |" for prefix, one in PREFIXES_2.items()),
        *(f"| `{name}` | {one.why} | {_named(one.lists)} |" for name, one in TRACKERS_2.items()),
        "",
        "The lists:\n",
        *(f"- *{name}*: {what}" for name, what in LISTS.items()),
        "",
        "Looked at and left out:\n",
        "| key | why not |",
        "|---|---|",
        *(f"| `{name}` | {why} |" for name, why in LEFT_OUT_2.items()),
        "",
    ]
    return "\n".join(lines)
