"""What an edit costs the language server: processor time from the new text to its diagnostics.

`python bench/editor.py [LINKS]` prints, for a text of paragraphs and for one long list: the first reading, an
edit in the middle and its share of a first reading, and an edit that adds a line. Best of several.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from contextlib import nullcontext

from holdfast.adapters.fake_documents import MemoryDocuments
from holdfast.adapters.fake_web import MemoryClock
from holdfast.core.links.local_links import LocalOptions
from holdfast.core.url.hosts import HostRules
from holdfast.core.url.policy import policy
from holdfast.jobs.editing import EditorAnswers, EditorOptions

TIMES = 9
PIECES = {
    "paragraphs": "Absatz über Größe {n} mit [einem Verweis](https://example.com/seite/{n}) und Wörtern.\n\n",
    "list": "- [Verweis {n}](https://example.com/seite/{n}): über Größe und mehr.\n",
}


def new_answers() -> EditorAnswers:
    """Answers of an editor that knows nothing yet."""
    options = EditorOptions(policy("web"), HostRules(), LocalOptions())
    documents = MemoryDocuments({"a.md": b""})
    return EditorAnswers(documents, lambda: nullcontext(None), lambda: 0, MemoryClock(), options)


def cost(answers: EditorAnswers, text: str) -> float:
    """The processor time of a text, in milliseconds."""
    begun = time.process_time()
    answers.put("a.md", text)
    answers.findings("a.md")
    return (time.process_time() - begun) * 1000


def best(texts: Sequence[str], answers: EditorAnswers | None = None) -> float:
    """The least that one of these texts takes; without answers each is read anew."""
    return min(cost(answers or new_answers(), text) for text in texts)


def main(links: int) -> None:
    """Measure and print."""
    for name, piece in PIECES.items():
        text = "# Links\n\n" + "".join(piece.format(n=n) for n in range(links))
        middle = text.index(f"/{links // 2})")
        line = text.index("\n", middle) + 1
        edits = [f"{text[:middle]}x{number}{text[middle:]}" for number in range(TIMES)]
        lines = [f"{text[:line]}A line, {number}.\n{text[line:]}" for number in range(TIMES)]
        first, answers = best([text] * TIMES), new_answers()
        cost(answers, text)
        edit, added = best(edits, answers), best(lines, answers)
        size = len(text.encode()) // 1000
        print(f"{name}: {links} links, {size} kB: first {first:.0f} ms, an edit {edit:.0f} ms", end="")
        print(f" ({edit / first:.2f} of it), a line more {added:.0f} ms")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5_000)
