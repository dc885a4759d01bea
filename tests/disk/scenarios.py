"""What is disturbed: each command of Holdfast that writes, on a site of nine addresses.

A scenario begins with a folder that earlier commands made (`before`), and is the one command whose changes
are recorded. The site has two forms: what was there when the folder was made, and what the command meets.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import apsw

from helpers.sites.server import Reply, Site, page, redirect

__all__ = ["SCENARIOS", "Scenario", "TinySite"]

PNG = b"\x89PNG\r\n\x1a\n" + b"pixels" * 9
CALM = ("--content-rate-limit", "0", "--processes", "1")


class TinySite(Site):
    """Six pages, a picture, a redirect, something that is not a page."""

    def __init__(self) -> None:
        super().__init__({})
        self.age(1)

    def age(self, version: int) -> None:
        """What the site says: first, or later."""
        links = ["/a", "/b", "/deep/er/c", "/moved", "/data.bin"]
        self.answers = {
            "/": page("Home", links=[*links, "/old", "/lost"] if version == 1 else [*links, "/new"]),
            "/a": page("A", links=["/b"], text=f"Version {version} of the page, which changes."),
            "/b": page("B", links=["/a"], head='<meta name="x">', text="B stays. <img src=/p.png>"),
            "/deep/er/c": page("C", text="This page lies deep, and is the only one there."),
            "/moved": redirect("/a", 301),
            "/data.bin": Reply(b"\0\1\2" * 40, type="application/octet-stream"),
            "/p.png": Reply(PNG, type="image/png"),
            "/b?utm_source=z": page("B", text="B stays."),
        }
        if version == 1:
            self.answers["/old"] = page("Old", text="This page will not be there for long.")
        else:
            self.answers["/new"] = page("New", text="This page was not there before.")


Words = Callable[[str, Path], Sequence[str]]


@dataclass(frozen=True)
class Scenario:
    """`before`: commands that make the folder, and changes to it by hand; then `words`, while the site is of
    `version`. `mirror` is the folder that `verify` looks at. `statuses`: how the command may end, also where
    it was done already. `without` a function, which stands for a system that does not have it.
    """

    name: str
    before: tuple[Words | Callable[[Path], None], ...]
    words: Words
    version: int = 1
    mirror: str | None = "m"
    statuses: frozenset[int] = frozenset((0, 1))
    without: str | None = None


def _mirror(*flags: str) -> Words:
    return lambda origin, _: ("mirror", f"{origin}/", "-o", "m", "--discover", "links", *CALM, *flags)


def _last_run(_: str, root: Path) -> Sequence[str]:
    found = apsw.Connection(str(root / "m/.holdfast/ledger.db")).execute("SELECT run_id FROM run").fetchall()
    return ("store", "reprocess", found[-1][0], "--compare", "body", "--store", "m", "--processes", "1")


def _documents(root: Path) -> None:
    origin = (root / "origin").read_text()
    (root / "docs").mkdir()
    text = f"# Read\n\n[one]({origin}/a), [two]({origin}/moved) and [three]({origin}/b).\n"
    (root / "docs/read.md").write_text(text)
    (root / "docs/more.md").write_text(f"See [there]({origin}/moved#x) and <{origin}/b?utm_source=z>.\n")
    (root / "holdfast.toml").write_text("")


def _one_more(root: Path) -> None:
    origin = (root / "origin").read_text()
    (root / "docs/third.md").write_text(f"Also [there]({origin}/deep/er/c).\n")


def _damaged(root: Path) -> None:
    pages = sorted((root / "m").rglob("index.md"))
    pages[0].unlink()
    pages[1].write_text("Somebody wrote this here.")
    shutil.rmtree(next(iter((root / "m").rglob("deep"))))


def _without_ledger(root: Path) -> None:
    for file in (root / "m/.holdfast").glob("ledger.db*"):
        file.unlink()


def _a_strangers_archive(root: Path) -> None:
    shutil.copyfile(next((root / "m/.holdfast/archive").glob("*.warc.gz")), root / "s.warc.gz")


def _url(path: str, *words: str) -> Words:
    return lambda origin, _: (words[0], f"{origin}{path}", *words[1:])


def _plain(*words: str) -> Words:
    return lambda _origin, _root: words


LOCAL = ("--convert-links", "local", "--assets", "--llms-txt")
SYNCFS = "holdfast.adapters.folder.folder:can_sync_at_once"
UPDATE = ("--update", "--max-age", "0s")
TRACK = ("check", "docs", "--fetch-urls", "--content-rate-limit", "0")

SCENARIOS = {
    scenario.name: scenario
    for scenario in (
        Scenario("mirror", (), _mirror()),
        Scenario("mirror with local links", (), _mirror(*LOCAL)),
        Scenario("mirror where each file is synced", (), _mirror(), without=SYNCFS),
        Scenario("update", (_mirror(),), _mirror(*UPDATE), version=2),
        Scenario("update with local links", (_mirror(*LOCAL),), _mirror(*UPDATE, *LOCAL), version=2),
        Scenario(
            "update where each file is synced", (_mirror(*LOCAL),), _mirror(*UPDATE, *LOCAL),
            version=2, without=SYNCFS,
        ),
        Scenario("prune", (_mirror(),), _mirror(*UPDATE, "--delete-gone"), version=2),
        Scenario(
            "forget", (_mirror(*LOCAL),), _url("/b", "forget", "--store", "m"),
            statuses=frozenset((0, 2)),
        ),
        Scenario("gc", (_mirror(),), _plain("store", "prune", "--store", "m")),
        Scenario("rebuild", (_mirror(), _damaged), _plain("restore", "m", "--processes", "1")),
        Scenario(
            "rebuild in another form", (_mirror(),),
            _plain("restore", "m", "--sidecar", "front-matter", "--processes", "1"),
        ),
        Scenario(
            "move", (_mirror(),), _plain("restore", "m", "--move", "--policy", "site@2", "--processes", "1"),
            statuses=frozenset((0, 2)),
        ),
        Scenario("reprocess", (_mirror(),), _last_run),
        Scenario("track", (_documents,), _plain(*TRACK), mirror=None),
        Scenario(
            "track again", (_documents, _plain(*TRACK), _one_more), _plain(*TRACK, "--force-refetch"),
            mirror=None,
        ),
        Scenario(
            "fix", (_documents, _plain(*TRACK), _plain(*TRACK, "--force-refetch")),
            _plain("fix", "docs", "--write"), mirror=None,
        ),
        Scenario(
            "store rebuild", (_mirror(), _mirror(*UPDATE), _without_ledger),
            _plain("store", "rebuild", "--store", "m", "--processes", "1"),
        ),
        Scenario(
            "store rebuild over another", (_mirror(), _mirror(*UPDATE)),
            _plain("store", "rebuild", "--store", "m", "--processes", "1"),
        ),
        Scenario(
            "store backup", (_mirror(),), _plain("store", "backup", "safe/place/copy", "--store", "m"),
            statuses=frozenset((0, 2)),
        ),
        Scenario(
            "store join", (_mirror(), _mirror(*UPDATE), _documents, _plain(*TRACK)),
            _plain("store", "join", "m"), statuses=frozenset((0, 2)),
        ),
        Scenario(
            "store import", (_mirror(), _a_strangers_archive),
            _plain("store", "import", "s.warc.gz", "--store", "m"),
        ),
    )
}  # fmt: skip
