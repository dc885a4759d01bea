"""`holdfast check` on standard input, patterns, other suffixes; links that Sphinx and AsciiDoc resolve."""

import io
import json
import sys

import pytest

pytestmark = pytest.mark.spec("TRK-11")


@pytest.fixture
def tree(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "holdfast.toml").write_text("")

    def write(files):
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return tmp_path

    return write


@pytest.fixture
def given(monkeypatch):
    def put(text):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))

    return put


def findings(ran):
    return [(f["code"], f["document"], f["url"]) for f in json.loads(ran.out)["findings"]]


def test_standard_input_is_a_document_of_this_run_alone(holdfast, tree, given):
    folder = tree({"docs/guide.md": "# Guide\n"})
    given("[a](docs/guide.md) [b](docs/gone.md) <https://host.invalid/x>\n")
    ran = holdfast("check", "-", "--format", "json")
    assert findings(ran) == [("HF050", "stdin.md", "docs/gone.md")]
    assert holdfast("links", "stdin.md").out == ""
    assert not list(folder.rglob(".url-manifest*"))


def test_the_name_says_what_standard_input_is_and_where_it_lies(holdfast, tree, given):
    tree({"docs/guide.md": "# Guide\n", "docs/a.html": "<p>old</p>"})
    given('<a href="guide.md">x</a> <a href="gone.png">y</a>')
    ran = holdfast("check", "-", "--stdin-name", "docs/a.html", "--format", "json")
    assert findings(ran) == [("HF050", "docs/a.html", "gone.png")]
    given("[a](x.md)")
    assert holdfast("check", "-", "--stdin-name", "../a.md").status == 2


def test_urls_of_standard_input_are_planned(holdfast, tree, given):
    tree({})
    given("https://one.host.org/a\n")
    ran = holdfast("check", "-", "--stdin-name", "list.txt", "--dry-run", "--json")
    assert "https://one.host.org/a" in ran.out


def test_a_pattern_names_files_of_any_suffix(holdfast, tree):
    tree({"src/a.ts": "// https://one.org/a\n", "src/deep/b.ts": "// https://two.org/b\n", "c.md": ""})
    ran = holdfast("check", "src/**/*.ts", "--dry-run")
    assert "https://one.org/a" in ran.out
    assert "https://two.org/b" in ran.out
    assert holdfast("check", "src/**/*.js").status == 2


def test_a_file_that_is_named_and_is_not_text_is_refused(holdfast, tree):
    folder = tree({})
    (folder / "a.png").write_bytes(b"\x89PNG\0\0")
    assert holdfast("check", "a.png").status == 2


def test_read_as_adds_files_to_the_documents(holdfast, tree):
    tree(
        {
            "a.css": "/* url(no.png) */ body { background: url('gone.png') }\n@import 'https://one.org/b.css';",
            "app/page.j2": '<a href="https://two.org/c">c</a>',
            "app/x.ts": "const u = 'https://three.org/d'",
        }
    )
    assert "https://" not in holdfast("check", "--dry-run").out
    rules = ("--read-as", "*.css", "--read-as", "app/*.j2", "--read-as", "*.ts=text")
    planned = holdfast("check", "--dry-run", *rules).out
    assert all(
        url in planned for url in ("https://one.org/b.css", "https://two.org/c", "https://three.org/d")
    )
    ran = holdfast("check", "--format", "json", *rules)
    assert findings(ran) == [("HF050", "a.css", "gone.png")]
    assert holdfast("check", "--read-as", "*.ts=nonsense").status == 2


SPHINX = {
    "docs/conf.py": "extensions = []\n",
    "docs/index.rst": ".. _top label:\n\nIndex\n=====\n\n:doc:`guide/install` :doc:`Guide </guide/install>` "
    ":doc:`guide/instal` :doc:`build/api`\n\n:ref:`Top  Label` :ref:`it <usage>` :ref:`nowhere` :ref:`!x` "
    ":ref:`genindex` :numref:`fig` :download:`data.csv` :download:`none.csv`\n",
    "docs/guide/install.rst": ".. _usage:\n\nInstall\n=======\n\n.. figure:: a.png\n   :name: fig\n",
    "docs/guide/a.png": "",
    "docs/data.csv": "",
}


def test_roles_of_sphinx_are_local_links(holdfast, tree):
    tree(SPHINX)
    assert findings(holdfast("check", "--format", "json")) == [
        ("HF050", "docs/index.rst", ":doc:`guide/instal`"),
        ("HF052", "docs/index.rst", ":ref:`nowhere`"),
        ("HF050", "docs/index.rst", "none.csv"),
    ]


MYST = {
    "index.md": "# Index\n\n[a](#fig:one) [b](#eq-two) [c](#other) [d](#far) [e](#yaml) "
    "[f](guide.md#far) [g](#nowhere)\n\n"
    ":::{figure} https://e.org/i.png\n:label: fig:one\n:::\n\n$$\nx\n$$ (eq-two)\n\n"
    "```{code-block} sh\n:name: other\nls\n```\n\n```{table}\n---\nname: yaml\n---\n```\n",
    "guide.md": "# Guide\n\n(far)=\n## Away\n",
}


@pytest.mark.parametrize("root", ["conf.py", "myst.yml", "_toc.yml"])
def test_a_label_of_myst_is_one_of_the_project(holdfast, tree, root):
    tree(MYST | {root: ""})
    assert findings(holdfast("check", "--format", "json")) == [("HF052", "index.md", "#nowhere")]


def test_without_myst_a_place_is_one_of_the_document(holdfast, tree):
    tree(MYST)
    expected = [("HF052", "index.md", name) for name in ("#far", "#nowhere")]
    assert findings(holdfast("check", "--format", "json")) == expected


def test_a_name_of_an_object_is_not_a_file_in_a_project_of_sphinx(holdfast, tree):
    links = "# A\n\n[a](package.frozen) [b](gone.md) [c](gone.png) [d](sub/package.frozen)\n"
    tree({"docs/conf.py": "", "docs/a.md": links, "b.md": "[a](package.frozen)\n"})
    assert findings(holdfast("check", "--format", "json")) == [
        ("HF050", "b.md", "package.frozen"),
        ("HF050", "docs/a.md", "gone.md"),
        ("HF050", "docs/a.md", "gone.png"),
        ("HF050", "docs/a.md", "sub/package.frozen"),
    ]


def test_labels_and_documents_of_other_projects_are_not_judged(holdfast, tree):
    tree(
        SPHINX
        | {
            "docs/conf.py": "intersphinx_mapping = {}\n",
            "docs/index.rst": "Index\n=====\n\n:ref:`nowhere` :ref:`usages` "
            ":doc:`pip:index` :doc:`pip<pip:index>`\n",
        }
    )
    assert findings(holdfast("check", "--format", "json")) == []


def test_what_a_build_makes_or_copies_is_not_judged(holdfast, tree):
    tree(
        {
            "docs/conf.py": "",
            "docs/schemas/index.rst": "`a <one.json>`_ `b <two.json>`_ :doc:`made`\n",
            "extra/schemas/one.json": "",
            ".gitignore": "made.rst\n/out\n",
            "a.md": "[x](out/page.html.md) [y](outer/page.md)\n",
        }
    )
    assert findings(holdfast("check", "--format", "json")) == [
        ("HF050", "a.md", "outer/page.md"),
        ("HF050", "docs/schemas/index.rst", "two.json"),
    ]


def test_headings_of_all_scripts_have_ids_with_their_marks(holdfast, tree):
    tree({"a.md": "## রিলিজ ম্যানেজার\n\n[a](#রিলিজ-ম্যানেজার) [b](#রিলিজ)\n"})
    assert [url for _, _, url in findings(holdfast("check", "--format", "json"))] == ["#রিলিজ"]


def test_an_attribute_of_asciidoc_that_is_not_a_url_is_not_a_link(holdfast, tree):
    tree({"a.adoc": ":version: 2.1.0.dev\n:site: https://one.org\n\nv {version} {site}/x\n"})
    ran = holdfast("check", "--dry-run")
    assert "https://one.org/x" in ran.out
    assert findings(holdfast("check", "--format", "json")) == []


def test_a_label_may_stand_in_code_that_documentation_is_made_of(holdfast, tree):
    tree(
        {
            "docs/conf.py": "extensions = ['sphinx.ext.autodoc']\n",
            "docs/index.rst": ":ref:`from-code` :ref:`not-there`\n",
            "lib/a.py": '"""\n.. _from-code:\n"""\n',
        }
    )
    assert findings(holdfast("check", "--format", "json")) == [
        ("HF052", "docs/index.rst", ":ref:`not-there`")
    ]


@pytest.mark.parametrize(
    ("directive", "is_judged"),
    [
        (".. automodule:: lib.a", True),
        (".. automodule:: engine.dialects", False),
        ("  .. autoclass:: engine.Pool", False),
        (".. autoclass:: Pool", True),
        ("```{automodule} engine```", False),
        ("Of automodule:: engine is said", True),
    ],
)
def test_a_label_may_stand_in_code_that_is_not_here(holdfast, tree, directive, is_judged):
    tree(
        {
            "docs/conf.py": "extensions = ['sphinx.ext.autodoc']\n",
            "docs/index.rst": ":ref:`perhaps-there`\n",
            "docs/api.rst": f"{directive}\n",
            "lib/a.py": "",
        }
    )
    judged = [("HF052", "docs/index.rst", ":ref:`perhaps-there`")] if is_judged else []
    assert findings(holdfast("check", "--format", "json")) == judged


def test_a_label_that_is_nearly_right_is_mended(holdfast, tree):
    folder = tree(
        {
            "docs/conf.py": "",
            "docs/index.rst": ".. _install guide:\n\n:ref:`see <instal guide>` :doc:`sub/Page`\n",
            "docs/sub/page.rst": "Page\n====\n",
        }
    )
    assert holdfast("fix", "--only", "anchor", "--only", "file", "--write").status == 0
    text = (folder / "docs/index.rst").read_text()
    assert ":ref:`see <install guide>` :doc:`sub/page`" in text


ASCIIDOC = {
    "book/one.adoc": "[[first]]\n== First Part\n\n<<first>> <<second,the second>> <<Other Title>> "
    "<<nowhere>> xref:two.adoc#second[x] xref:two.adoc#gone[y] xref:three.adoc[z] xref:first[w] "
    "<<two#second>> \\<<escaped>>\n"
    "\n----\n<<in_code>>\n----\n\nxref:module:page.adoc[antora] xref:partial$x.adoc[p] {name}\n",
    "book/two.adoc": "[#second]\n== Second\n\n=== Other Title\n",
}


def test_cross_references_of_asciidoc_are_local_links(holdfast, tree):
    tree(ASCIIDOC)
    assert findings(holdfast("check", "--format", "json")) == [
        ("HF052", "book/one.adoc", "#nowhere"),
        ("HF052", "book/one.adoc", "two.adoc#gone"),
        ("HF050", "book/one.adoc", "three.adoc"),
    ]


def test_mail_addresses_are_judged_by_their_syntax(holdfast, tree):
    tree({"a.md": "[a](mailto:a@b.org) [b](mailto:nobody) [c](mailto:{{x}}) <d@e.org>\n"})
    ran = holdfast("check", "--format", "json", "--fail-on", "local")
    assert (ran.status, findings(ran)) == (1, [("HF053", "a.md", "mailto:nobody")])


def test_a_backslash_in_markdown_is_a_character_of_the_url(holdfast, tree):
    tree(
        {
            "a.md": "[a](https://one.org/x\\y) [b](sub\\c.md)\n",
            "sub/c.md": "",
            "b.html": '<a href="sub\\c.md">',
        }
    )
    assert "https://one.org/x%5Cy" in holdfast("check", "--dry-run").out
    assert findings(holdfast("check", "--format", "json")) == [("HF050", "a.md", "sub%5Cc.md")]
