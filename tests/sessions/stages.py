"""What each page's reader already has when the session begins: files in the folder, and commands run before.

A page of the documentation begins somewhere ("You have a mirror in `docs/`"); this is that place.
"""

from __future__ import annotations

from typing import NamedTuple

_NOTES = {
    "notes/a.md": "[users](https://docs.example.com/api/users) [x](https://x.example/gone)\n",
    "urls.txt": "https://docs.example.com/a?utm_source=x\nhttps://docs.example.com/b\n",
}
_CITING = {
    "docs/guide.md": "# Guide\n\n[spec](https://example.com/spec), [x](https://example.com/x)\n",
    "docs/paper.md": "[moved](https://example.com/old)\n",
}
_GIT = ("git init --quiet -b main .", "git add -A", "git commit --quiet -m first", "git tag v1.2")
_EMBED = 'import json, sys\nfor line in sys.stdin:\n    print(json.dumps({"id": json.loads(line)["id"]}))\n'


class Stage(NamedTuple):
    """The folder before the first command of a page."""

    files: dict[str, str] = {}  # noqa: RUF012
    before: tuple[str, ...] = ()


_MIRROR = "holdfast mirror https://example.com/ -o docs"
_THREE = {
    "notes/a.md": "# Notes\n\nSee [users](https://docs.example.com/api/users), "
    "[limits](https://docs.example.com/old) and [x](https://x.example/gone).\n",
}
_URLS = {
    "urls.txt": "https://docs.example.com/a?utm_source=x\nhttps://docs.example.com/b\nhttps://docs.example.com/a#top\n"
}
STAGES = {
    "README.md": Stage(_NOTES),
    "docs/start/first-steps.md": Stage(_NOTES),
    "docs/start/tutorial-corpus.md": Stage(),
    "docs/start/tutorial-citations.md": Stage(_THREE),
    "docs/start/tutorial-identity.md": Stage(_URLS),
    "docs/guides/a-page-is-missing.md": Stage(),
    "docs/guides/agents.md": Stage(),
    "docs/guides/ci.md": Stage(_CITING),
    "docs/guides/coming-from-lychee.md": Stage(
        {"lychee.toml": "timeout = 20\nmax_redirects = 5\n", ".lycheeignore": "^https://old\\.example/\n"}
    ),
    "docs/guides/coming-from-sphinx.md": Stage(
        {"docs/conf.py": 'linkcheck_ignore = ["^https://old"]\nlinkcheck_timeout = 20\n'} | _CITING
    ),
    "docs/guides/editors.md": Stage(_CITING),
    "docs/guides/feed-a-model.md": Stage({"embed.py": _EMBED}),
    "docs/guides/keep-a-mirror.md": Stage(before=(_MIRROR, f"{_MIRROR} --update")),
    "docs/guides/local-links.md": Stage(
        {
            "docs/index.md": "# Home\n\n[a](gone.md)\n![](Logo.png)\n[c](guide.md#instal)\n",
            "docs/guide.md": "# Guide\n\n## Install\n",
            "docs/logo.png": "",
        }
    ),
    "docs/guides/notifications.md": Stage(
        {
            "holdfast.toml": '[notify.desktop]\ncommand = "sh tell.sh"\n',
            "tell.sh": "cat > /dev/null\n",
            "notes.md": "[spec](https://example.com/spec)\n",
        },
        before=("holdfast check --fetch-urls",),
    ),
    "docs/concepts/trust.md": Stage({"holdfast.toml": "fetch_external_urls = true\n"}),
    "docs/guides/mirror-a-site.md": Stage(),
    "docs/guides/private-sites.md": Stage(),
    "docs/guides/repair-links.md": Stage(_CITING, before=("holdfast check --fetch-urls",)),
    "docs/guides/serve.md": Stage(),
    "docs/guides/check-citations.md": Stage(
        _CITING | {"tell_us.py": "import sys\nsys.stdin.read()\n"}, before=_GIT
    ),
    "docs/guides/one-machine-to-ten.md": Stage(),
    "docs/guides/watch.md": Stage(_NOTES, before=(_MIRROR, "holdfast check notes")),
    "docs/concepts/changes-and-sections.md": Stage(_CITING, before=("holdfast check --fetch-urls",)),
    "docs/concepts/lineage.md": Stage(),
    "docs/concepts/names.md": Stage(),
    "docs/concepts/store.md": Stage(
        before=(_MIRROR + "-mirror", "holdfast store backup backup --store docs-mirror")
    ),
    "docs/concepts/where-state-lives.md": Stage(
        before=(_MIRROR, "holdfast mirror https://example.com/spec -o wiki")
    ),
}
OWN_TEST = {
    "docs/guides/adopt.md": "tests/sessions/test_guide.py",
    "docs/reference/library.md": "tests/faces/library/test_library.py",
}
"""Pages whose commands another test runs, with the story they need."""
