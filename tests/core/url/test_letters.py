"""Names of all scripts can be read, from tables that no Python can move (PATH-6)."""

import hashlib
import unicodedata

import pytest

from holdfast.core.url.compiled import canonicalize
from holdfast.core.url.layout import LETTERS, MARKS, Layout, with_letters
from holdfast.core.url.name_plan import NamePlan
from holdfast.core.url.policy import SITE


def members(table):
    for item in table.split():
        first, _, last = item.partition("-")
        yield from map(chr, range(int(first, 16), int(last or first, 16) + 1))


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


def named(path, layout=Layout.TREE):
    url = canonicalize(f"https://e.com/{path}", SITE)
    return NamePlan(layout, "https").place(url).path.removeprefix("e.com/").removesuffix("/index.md")


@pytest.mark.spec("PATH-6", "ID-6")
def test_the_tables_of_letters_and_marks_are_frozen():
    assert (
        digest(" ".join(LETTERS.split()))
        == "c5ddea7b373d86b57089b441f6fa168819711ad739696bb7134650b164a8e4e3"
    )
    assert (
        digest(" ".join(MARKS.split())) == "203d7afa6658483ced3eeb9e63e435c0ccc0af71b97b5ff1425661fea05160fa"
    )


@pytest.mark.spec("PATH-6", "ID-6")
def test_which_letters_a_file_system_may_fold_is_the_same_on_every_python():
    """Those that `tree-fold` gives a hash, of all there are."""
    plan = NamePlan(Layout.TREE_FOLD, "https")
    moved = []
    for letter in members(LETTERS):
        url = canonicalize(f"https://e.com/x{letter}", SITE)
        if plan.place(url).path != f"e.com/x{letter}/index.md":
            moved.append(letter)

    assert len(moved) == 1423
    assert digest("".join(moved)) == "4af54e9f863f6c314a767e47d140c6ce486cfad22344e32d1d948524dbbe075c"


@pytest.mark.spec("PATH-6")
def test_every_letter_is_written_as_itself():
    letters = "".join(members(LETTERS))
    written = with_letters("%" + letters.encode().hex("%").upper(), marks=False)

    assert written == letters


@pytest.mark.spec("PATH-6")
@pytest.mark.parametrize(
    "word",
    "日本語 人々 हिन्दी Tiếng_Việt فارسی اردو ภาษาไทย น้ำ ქართული Հայերեն և தமிழ் বাংলা తెలుగు ಕನ್ನಡ "
    "മലയാളം සිංහල ਪੰਜਾਬੀ ភាសាខ្មែរ ລາວ မြန်မာ བོདསྐད አማርኛ עִבְרִית ދިވެހި ᏣᎳᎩ ⵜⴰⵎⴰⵣⵉⵖⵜ 𞤀𞤁 𠀋 ٣٤ 〇".split(),
)
def test_a_word_of_any_script_is_its_own_name(word):
    word = unicodedata.normalize("NFC", word)

    assert named(word) == word
    assert named(word, Layout.FLAT) == f"{word}.md"


@pytest.mark.spec("PATH-6")
@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("e%CC%81", "e%CC%81"),  # not in NFC
        ("é-e%CC%81", "é-e%CC%81"),
        ("%CC%81a", "%CC%81a"),  # begins with a mark
        (":%CC%81", "%3a%CC%81"),  # the escape would compose with the mark
        ("%E1%84%80%E1%85%A1", "%E1%84%80%E1%85%A1"),  # conjoining jamo
        ("%E2%84%A6", "%E2%84%A6"),  # the sign for ohm, which is a Greek letter
        ("%EF%BC%A1", "%EF%BC%A1"),  # fullwidth
        ("%E3%85%A4", "%E3%85%A4"),  # a letter that shows nothing
        ("%E2%80%8C", "%E2%80%8C"),  # a joiner
        ("a%CC%A3%CC%82", "a%CC%A3%CC%82"),
    ],
)
def test_what_is_not_shown_or_has_another_form_keeps_its_triplets(path, name):
    assert named(path) == name


@pytest.mark.spec("PATH-11")
@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("docs/page", "docs/page.md"),
        ("docs/page.html", "docs/page.html.md"),
        ("", "index.md"),
        ("a/index", "a/%69ndex.md"),
        ("a.md/b", "a%2Emd/b.md"),
        ("a.json/b", "a%2Ejson/b.md"),
        ("x__q_0a1b2c3d", "x__q%5F0a1b2c3d.md"),
        ("search?q=test&page=2", "search__q_93b5eb01.md"),
        ("con", "%63on.md"),
    ],
)
def test_a_flat_page_is_a_file_of_its_own_name(path, name):
    assert named(path, Layout.FLAT) == name
