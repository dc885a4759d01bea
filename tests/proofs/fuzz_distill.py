"""`make fuzz`: search for inputs that break distilling, longer than the tests do.

    python tests/proofs/fuzz_distill.py SECONDS [SEED]

Pages put together by chance, other ones each time, unless a seed says where to begin; then, with atheris
installed, pages guided by coverage of the reference. Any crash, slow page, unequal page or swallowed text
ends it with the input, and so does a page that the native reader and the reference read differently.
"""

import random
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from helpers.odd_pages import odd_page
from helpers.rendering import markdown_of, rendered, visible
from holdfast.core.page import python_reader, rust_reader
from holdfast.core.page.distill_options import DistillOptions, distill
from holdfast.core.page.html.limits import breach
from holdfast.core.page.html.tokens import normal_form
from holdfast.core.page.python_reader import form_of
from holdfast.core.url.policy import Recipe
from holdfast.core.url.url import parse_url
from holdfast.core.web.capture import Capture
from holdfast.core.web.decoding import decode

RECIPE = Recipe.parse("http_snapshot_url_v1_text_v1")
URL = parse_url("https://docs.example/guide/page.html")
INLINE = (
    "<b>x</b> * ** _ __ ~~ &lt; &amp; \\ [ ] ( ) ! # > - + 1. --- === | ` é 日 <i> <code> </code> <br> "
    "<sup> </a>"
).split()
PLACES = (
    *("<p>{}</p>", "<ul><li>{}</li></ul>", "<ol><li>{}</li></ol>", "<dl><dt>{}</dt><dd>x</dd></dl>"),
    *("<dl><dt>x</dt><dd>{}</dd></dl>", "<blockquote>{}</blockquote>", "<h2>{}</h2>"),
    *("<details><summary>{}</summary>x</details>", "<table><tr><th>x</th><th>{}</th></tr></table>"),
)
SEEDS = [
    *INLINE,
    *(
        "<p> <b> <a href='y'> <pre> <ul><li> </ul> <ol> <table><tr><td> <th> <h2> <dl><dt> <dd> <blockquote> "
        "<img alt='[a]' src=x> <script> </script> <style> <!-- --> <svg> <math> <template> \x00 \x85 "
        "<details> <summary> <main> <article> <nav> <base href=/x> <xmp> <plaintext> <select> <option> "
        "<input type=checkbox>"
    ).split(" "),
]


CITED = frozenset(("x", "a", "root", "anchor", "content", ":~:text=words"))
OPTIONS = DistillOptions(outline=True, fragments=CITED)


def check_readers(html, options=OPTIONS):
    """One input: both readers read the same, and only what is harmless passes for it."""
    if rust_reader.READER is None:
        return
    harmless = rust_reader.READER.is_harmless(html)
    if harmless and breach(html) is not None:
        raise AssertionError("a page beyond the limits was called harmless")
    form, is_reduced = form_of(html)
    if not is_reduced and form != normal_form(html):
        raise AssertionError("the native reader does not see what a normal form leaves out")
    read = rust_reader.read_form(rust_reader.READER, form, URL, options)
    if read is not None and read != python_reader.read_form(form, URL, options):
        raise AssertionError("the native reader reads something else")


def check(body):
    """One input: total, deterministic, quick, and read alike by both readers."""
    check_readers(decode(body, "text/html", markup=True).text)
    capture = Capture(URL, URL, 200, (("content-type", "text/html"),), body, datetime(2026, 1, 1, tzinfo=UTC))
    started = time.process_time()
    page = distill(capture, RECIPE)
    if time.process_time() - started > 2 or page != distill(capture, RECIPE):
        raise AssertionError("slow, or not the same twice")


def check_text(html):
    """One input of plain constructs: what is read is what was written."""
    page = f"<main>{html}</main>"
    if visible(rendered(markdown_of(page))) != visible(page):
        raise AssertionError("text was lost or made up")


def by_chance(seconds, seed):
    """Without coverage: random sequences of what has meaning somewhere."""
    end = time.monotonic() + seconds
    count = 0
    while time.monotonic() < end:
        chance = random.Random(seed)
        html = "".join(chance.choices(SEEDS, k=chance.randint(1, 60)))
        text = chance.choice(("", " ")).join(chance.choices(INLINE, k=chance.randint(1, 14)))
        odd = odd_page(seed)
        for name, function, value in (
            ("page", check, html.encode()),
            ("text", check_text, chance.choice(PLACES).format(text)),
            ("odd", check_readers, odd),
        ):
            try:
                function(value)
            except Exception:
                print(f"seed {seed}, {name}: {value!r}", file=sys.stderr)
                raise
        seed += 1
        count += 3
    print(f"{count:,} inputs, no fault")


def by_coverage(atheris, seconds):
    """Guided by what of the code an input reaches; it begins with the pieces that have a meaning."""
    atheris.instrument_all()
    with tempfile.TemporaryDirectory() as folder:
        words = Path(folder, "words")
        words.write_text("".join(f'"{_quoted(seed)}"\n' for seed in sorted(set(SEEDS)) if seed))
        limits = (f"-max_total_time={seconds}", "-rss_limit_mb=2048", "-max_len=4096", "-timeout=10")
        atheris.Setup([sys.argv[0], *limits, f"-dict={words}", "-print_final_stats=1"], check)
        atheris.Fuzz()


def _quoted(word):
    return "".join(
        chr(byte) if 32 < byte < 127 and byte not in b'"\\' else f"\\x{byte:02x}" for byte in word.encode()
    )


def main():
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().randrange(2**40)
    print(f"from seed {seed} on", file=sys.stderr)
    try:
        import atheris  # noqa: PLC0415 - an extra that not every machine has
    except ImportError:
        by_chance(seconds, seed)
    else:
        by_chance(seconds // 2, seed)
        by_coverage(atheris, seconds // 2)


if __name__ == "__main__":
    main()
