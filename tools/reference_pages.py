"""The reference pages, made of the code they describe."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import holdfast
from holdfast.core import errors
from holdfast.core.policy import POLICIES, RULE_SENTENCES, TRACKER_PREFIXES, TRACKERS
from holdfast.core.settings import Setting, all_settings
from holdfast.core.settings.table import GROUPS
from holdfast.faces.cli.commands import COMMANDS
from holdfast.faces.cli.parser import build_parser
from man_pages import MEANINGS

MADE = "<!-- Made by `make docs`. Do not edit: change the code it describes. -->\n"


def cli_page() -> str:
    """Every command's own help."""
    lines = [
        MADE,
        "# The command line\n",
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
            build_parser(name).format_help().rstrip(),
            "```",
        ]
    return "\n".join(lines) + "\n"


def settings_page() -> str:
    """Every setting, by group."""
    lines = [
        MADE,
        "# Settings\n",
        "A setting has one name everywhere: a key in `holdfast.toml`, `HOLDFAST_…` in the environment, and",
        "a flag of the commands that use it. Precedence: flag, environment, named job, file, default.",
        "`holdfast config` shows each value and where it came from.\n",
    ]
    for group, values in GROUPS.items():
        rows = [setting for setting in all_settings().values() if setting.group == group]
        lines += [f"## {group.capitalize()}\n", f"{inspect.getdoc(values)}\n"]
        lines += ["| setting | kind | default | meaning |", "|---|---|---|---|"]
        lines += [_setting_row(setting) for setting in rows]
        lines.append("")
    return "\n".join(lines)


def _setting_row(setting: Setting) -> str:
    kind = " \\| ".join(f"`{choice}`" for choice in setting.choices) if setting.choices else setting.kind
    return f"| `{setting.name}` | {kind} | {_default(setting.default)} | {setting.help} |"


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
    for name in errors.__all__:
        value = getattr(errors, name)
        if isinstance(value, type) and issubclass(value, errors.HoldfastError):
            lines.append(f"- `{name}` ({int(value.exit_status)}): {inspect.getdoc(value)}")
    return "\n".join(lines) + "\n"


def library_page() -> str:
    """Every public name with its signature and its first sentence."""
    lines = [
        MADE,
        "# The library\n",
        "Everything below is imported from `holdfast`; names not listed are not public.\n",
    ]
    for name in holdfast.__all__:
        value = getattr(holdfast, name)
        signature = ""
        if inspect.isfunction(value):
            signature = str(inspect.signature(value)).replace("'", "")
        about = inspect.getdoc(value) if callable(value) and not hasattr(value, "__supertype__") else None
        sentence = (about or "").partition("\n\n")[0].replace("\n", " ")
        lines.append(f"- `{name}{signature}`" + (f": {sentence}" if sentence else ""))
    return "\n".join(lines) + "\n"


def policies_page() -> str:
    """Every policy's rules in order, and the trackers."""
    names = list(POLICIES)
    lines = [
        MADE,
        "# Policies and rules\n",
        "A policy is an ordered list of rules with a version. The rules apply from top to bottom.\n",
        f"| rule | {' | '.join(f'`{name}`' for name in names)} | what it does |",
        f"|---|{'---|' * len(names)}---|",
    ]
    for rule, sentence in RULE_SENTENCES.items():
        marks = " | ".join("yes" if rule in POLICIES[name].rules else "—" for name in names)
        lines.append(f"| `{rule}` | {marks} | {sentence} |")
    components = ", ".join(f"`{policy.name}` is `{policy.component}`" for policy in POLICIES.values())
    trackers = ", ".join(f"`{name}`" for name in [*(f"{p}*" for p in TRACKER_PREFIXES), *sorted(TRACKERS)])
    lines += ["", f"Components: {components}.\n", f"Trackers: {trackers}.\n"]
    return "\n".join(lines)


def schemas_page(folder: Path) -> str:
    """Every JSON Schema with what it describes."""
    lines = [
        MADE,
        "# JSON schemas\n",
        "Every JSON document, manifest and sidecar of Holdfast carries `schema: holdfast.<name>/<n>`;",
        "lines of JSON carry none. Each has a JSON Schema (draft 2020-12), which ships with the package",
        "(`holdfast/schemas/`). A change that a reader would notice raises the number.\n",
        "| schema | what it describes | file |",
        "|---|---|---|",
    ]
    for path in sorted(folder.glob("*.json")):
        schema = json.loads(path.read_text(encoding="utf-8"))
        about = schema["description"].replace("|", "\\|")
        lines.append(f"| `{schema['title']}` | {about} | [`{path.name}`](schemas/{path.name}) |")
    return "\n".join(lines) + "\n"
