"""What an unknown word means: by intent, then by its older name, then by its spelling (CLI-1).

1. A spelling is taken for another one where two letters differ at most.
2. Nobody who mistyped is sent to a command that deletes, and no flag to its opposite.
3. A call of 0.1.0 that waits for its row is answered by the call that does the same until then.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from holdfast.core.names.renaming import NameTable, Suggestions, leading_name

_MOST: Final = 2
"""Letters by which a mistyped word differs at most."""


def call_hint(
    words: Sequence[str], commands: Sequence[str], names: NameTable, suggestions: Suggestions
) -> str | None:
    """The hint for words of which no command is made; None where nothing is known of them."""
    for word in (" ".join(words[:2]), words[0]):
        if saying := suggestions.sayings.get(word):
            return saying
        row = names.row("commands", word)
        calls = suggestions.commands.get(word) or (row.calls if row is not None else _calls_of(word, names))
        if calls:
            found = dict.fromkeys(names.until.get(call, call) for call in calls)
            return f"did you mean {' or '.join(f'`holdfast {call}`' for call in found)}?"
    harmless = {name.split()[-1]: name for name in commands if name not in suggestions.deletes}
    guess = closest(words[0], [name for name in harmless.values() if " " not in name])
    olds = [row.old for row in names.rows if row.kind == "commands" and row.calls and not row.stays]
    near = closest(words[0], (*suggestions.commands, *olds, *harmless))
    if near and (guess is None or letters_apart(words[0], near) < letters_apart(words[0], guess)):
        if near in (*suggestions.commands, *olds):
            return call_hint([near], commands, names, suggestions)
        guess = harmless.get(near)
    return f"did you mean `holdfast {guess}`?" if guess else None


def second_word_hint(words: Sequence[str], names: NameTable) -> str | None:
    """The hint for a second word that went to another command: `db backup`."""
    row = names.row("commands", " ".join(words))
    return f"did you mean `holdfast {row.calls[0]}`?" if row is not None and not names.waits(row) else None


def _calls_of(word: str, names: NameTable) -> tuple[str, ...]:
    """A command of 0.1.0 whose row is not there yet: the calls that do its work."""
    return tuple(call for call in names.until if leading_name("commands", call) == word)


def meant_flag(
    flag: str, command: str, flags: Sequence[str], names: NameTable, suggestions: Suggestions
) -> str | None:
    """What a command has in place of a flag; None where nothing is known of it."""
    meant = suggestions.flag(flag, command)
    if meant is not None and (meant.split()[0] in flags or not meant.startswith("-")):
        return meant
    bare = flag.removeprefix("--no-") if flag.startswith("--no-") else ""
    rows = [names.row("flags", word, old) for old in names.olds_of(command) for word in (flag, f"--{bare}")]
    for row in rows:
        for call in row.calls if row is not None and not row.stays else ():
            if call.split()[0] in flags:
                name = call if row is None or row.old == flag else f"--no-{call.removeprefix('--')}"
                return name if name.split()[0] in flags else call
    return closest(flag, [each for each in flags if not _opposite(flag, each)])


def closest(word: str, known: Iterable[str]) -> str | None:
    """The word that differs by the fewest letters, two at most, and by fewer than it has."""
    near = ((letters_apart(word, each), not each.startswith(word), each) for each in known)
    found = min(near, default=None)
    return found[2] if found and found[0] <= min(_MOST, len(word.lstrip("-")) - 1) else None


def letters_apart(one: str, other: str) -> int:
    """How many letters two words differ by; two that changed places are one."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for number, letter in enumerate(one):
        above, row = row, [number + 1]
        for place, also in enumerate(other):
            row.append(min(above[place + 1] + 1, row[-1] + 1, above[place] + (letter != also)))
            if number and place and (letter, also) == (other[place - 1], one[number - 1]):
                row[-1] = min(row[-1], before[place - 1] + 1)
        before = above
    return row[-1]


def _opposite(flag: str, other: str) -> bool:
    """`--x` and `--no-x`; `--online` and `--offline` differ by two letters, and mean opposite things."""
    pair = {flag.removeprefix("--no-").removeprefix("--"), other.removeprefix("--no-").removeprefix("--")}
    return (len(pair) == 1 and flag != other) or pair == {"online", "offline"}
