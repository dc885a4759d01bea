"""A mirror with two runs and a checked document, served in this process."""

from __future__ import annotations

import html
import os
from types import SimpleNamespace
from urllib.parse import urlencode

import pytest
from starlette.testclient import TestClient

import holdfast
from helpers.sites.living import LivingSite
from holdfast.faces.web.app import make_app
from holdfast.faces.web.guard import Access
from holdfast.jobs.served_stores import served_states

HOSTILE = """
<h2 id="main">Attack</h2><script>document.title = "owned"</script>
<style>body { display: none }</style><p style="position:fixed">fixed</p>
<p onclick="alert(1)">handler</p><iframe src="https://evil.example/"></iframe>
<p><a href="javascript:alert(1)">script link</a> <a href="data:text/html,<script>1</script>">data link</a>
<a href=" https://evil.example/x ">plain link</a></p>
<p>&lt;script&gt;alert(2)&lt;/script&gt; &lt;img src=x onerror=alert(3)&gt; {{ 7 * 7 }} \u202eturned\u202c</p>
<p><img src="https://evil.example/spy.png" alt="a picture" onerror="alert(4)"></p>
<pre><code class="language-x" onfocus=alert(5)>&lt;/code&gt;&lt;script&gt;6&lt;/script&gt;</code></pre>
"""
PAGE = "<h2>Limits</h2><p>It returns at most {} items and says so.</p><h2>Other</h2><p>Same words.</p>"


def document(title, body):
    name = html.escape(title)
    return f"<!doctype html><title>{name}</title><main><h1>{name}</h1>{body}</main>".encode()


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """Where it is kept, and the site it is from."""
    root = tmp_path_factory.mktemp("kept")
    before = os.getcwd()  # noqa: PTH109 - what `holdfast.mirror` looks at
    os.chdir(root)
    try:
        with LivingSite() as site:
            site.put("/page", body=document("A page", PAGE.format(100)))
            site.put("/hostile", body=document("<b>Hostile</b>", HOSTILE))
            settings = {"output": "mirror", "content_rate_limit": 0, "processes": 1}
            holdfast.mirror(site.origin + "/", **settings)
            site.put("/page", body=document("A page", PAGE.format(250)))
            holdfast.mirror(site.origin + "/", update=True, **settings)
            (root / "notes").mkdir()
            cited = (
                f"See <{site.origin}/page>, [gone]({site.origin}/nowhere) and <{site.origin}/page#none>.\n"
            )
            (root / "notes" / "notes.md").write_text(cited)
            os.chdir(root / "notes")
            holdfast.check("notes.md", fetch_urls=True, allow_private=True, content_rate_limit=0)
            yield SimpleNamespace(root=root, origin=site.origin, page=f"{site.origin}/page")
    finally:
        os.chdir(before)


@pytest.fixture(scope="module")
def sources(kept):
    return served_states([kept.root / "mirror", kept.root / "notes"], {})


@pytest.fixture(scope="module")
def client(sources):
    return TestClient(make_app(sources, Access()), base_url="http://127.0.0.1:8470", follow_redirects=False)


def at(*path, **query):
    return "/" + "/".join(path) + (f"?{urlencode(query)}" if query else "")
