"""What a command makes of a target that was read: takes it, or refuses it with the right call (CLI-2).

1. Of several readings those that the command does not take are dropped first. One that is left is taken;
   several that are left are refused with each of them. A command that deletes drops nothing.
2. What it takes none of is refused with the calls that are right for it, ready to be typed.
3. `diff last` is what the last finished run brought, where nothing here is called `last`.
"""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Mapping
from typing import Final

from holdfast.core.base.shown_text import shown_typed
from holdfast.core.targets.command_table import ALSO_TAKES, COMMAND_TABLE, DELETES, Cell
from holdfast.core.targets.command_target import CommandTarget, DocumentsForm, TargetKind, spelt
from holdfast.core.targets.target_refusals import (
    MISSING,
    TargetFault,
    TargetRefusal,
    described,
    refusal_of_several,
)

_DOCUMENT: Final = "document"
_MOST_CALLS: Final = 6
_placeholder = re.compile(
    r"(https://|\bmirror\.|\bcheck\.)?\b(URL|HOST|PATTERN|MIRROR|DOC|FOLDER|CHECK|RUN|ITEM)\b"
)
_STAND_FOR_TYPED: Final = {
    TargetKind.HOST: "HOST",
    TargetKind.MIRROR: "MIRROR",
    TargetKind.RUN: "RUN",
    TargetKind.ITEM: "ITEM",
    DocumentsForm.CHECK: "CHECK DOC",
    DocumentsForm.FOLDER: "FOLDER DOC",
    DocumentsForm.FILE: "DOC",
    DocumentsForm.GLOB: "DOC",
}
LAST: Final = "last"
"""The value of a run that is each store's last one."""
_LAST_RUN: Final = CommandTarget(TargetKind.RUN, LAST)


def cell_of(command: str, target: CommandTarget) -> Cell | None:
    """What the table says of a target; None of what no question is about."""
    kind = str(target.form or target.kind)
    return COMMAND_TABLE[command].get(_DOCUMENT if target.form is DocumentsForm.FILE else kind)


def taken_target(
    command: str, text: str | None, found: CommandTarget | TargetRefusal, mirrors: Mapping[str, str]
) -> CommandTarget | TargetRefusal:
    """What a command is about, of what was read; `mirrors` has the folder of each."""
    if isinstance(found, CommandTarget):
        return found if _takes(command, found) else _not_taken(command, text, (found,), mirrors)
    if command == "diff" and text == LAST and found.fault is TargetFault.MISSING_NAME:
        return _LAST_RUN
    if found.fault in MISSING or not found.targets or command in DELETES:
        return found
    left = tuple(each for each in found.targets if _takes(command, each))
    if len(left) == 1:
        return left[0]
    if left:
        readings = dict(zip(found.targets, found.readings, strict=True))
        return refusal_of_several(text or "", {each: readings[each] for each in left})
    return found if len(found.targets) == 1 else _not_taken(command, text, found.targets, mirrors)


def _takes(command: str, target: CommandTarget) -> bool:
    return isinstance(cell_of(command, target), str) or target.kind in ALSO_TAKES.get(command, ())


def _not_taken(
    command: str, text: str | None, found: tuple[CommandTarget, ...], mirrors: Mapping[str, str]
) -> TargetRefusal:
    """Why a command takes none of what was found, and the calls that are right."""
    typed = "" if text is None else text.strip()
    whys: list[str] = []
    calls: list[str] = []
    for target in found:
        cell = cell_of(command, target)
        if isinstance(cell, tuple):
            whys.append(cell[0])
            word = typed if len(found) == 1 else spelt(target)
            calls += (_filled(call, target, word, mirrors) for call in cell[1:])
    is_what = " or ".join(map(described, found))
    why = "; ".join(dict.fromkeys(whys))
    message = f"'{shown_typed(typed)}' is {is_what}: {why}" if typed else why
    hint = " or ".join(list(dict.fromkeys(calls))[:_MOST_CALLS]) or None
    return TargetRefusal(TargetFault.NOT_TAKEN, message, hint, found, tuple(map(spelt, found)))


def _filled(call: str, target: CommandTarget, typed: str, mirrors: Mapping[str, str]) -> str:
    """The call, with what was typed in the place that it has in it; elsewhere its words stay."""
    known = dict.fromkeys(_STAND_FOR_TYPED.get(target.form or target.kind, "").split(), typed)
    if target.kind in (TargetKind.PAGE, TargetKind.SECTION, TargetKind.PATTERN):
        name = "PATTERN" if target.kind is TargetKind.PATTERN else "URL"
        known[name] = target.value.partition("#")[0]
    if target.kind is TargetKind.MIRROR and target.value in mirrors:
        known["FOLDER"] = mirrors[target.value]
    if target.form is DocumentsForm.FILE:
        known["FOLDER"] = posixpath.dirname(target.value) or "."

    def fill(found: re.Match[str]) -> str:
        before, name = found[1], found[2]
        if name not in known:
            return found[0]
        return before + target.value if before else shlex.quote(known[name])

    return shown_typed(_placeholder.sub(fill, call))
