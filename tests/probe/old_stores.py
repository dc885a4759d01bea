"""Stores that an older program left, packed as one file: what a newer one has to open.

    python tests/probe/old_stores.py FILE.tar.xz [--checkout DIR]

world/      a shared root: documents that were checked, two mirrors in two layouts, ledger, archive, search
            index; `own/` in it is a mirror with a history of its own
saved/      a backup of the root's ledger and archive (`store backup`)
ledger.sql  the root's ledger on a PostgreSQL server, as `pg_dump` writes it, where there is a server
answers.json  what that program itself said of them, by the command's words
"""

from __future__ import annotations

import argparse
import io
import json
import lzma
import shlex
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:] = [str(TESTS), *(each for each in sys.path if Path(each or ".").resolve() != TESTS / "probe")]

from helpers.postgres_server import Server, binaries  # noqa: E402
from probe.commands import Call, answer_of, filled  # noqa: E402
from probe.recording import Bench, bench  # noqa: E402
from probe.world import NOW, Contents, Program  # noqa: E402

ASKED = (
    "broken --json",
    "history {site}/guide/2/ --json",
    "search capstans --json",
    "runs --limit 0 --json",
    "verify docs --json",
    "verify handbook --json",
    "verify own --json",
    "links notes.md --json",
    "show {site}/going/ --json",
)
"""What a newer program has to answer alike."""


def made(asked: Bench, folder: Path) -> None:
    """The stores, and what their program says of them, in a folder that is not there yet."""
    asked.ask(lambda *given: _made(*given, folder))


def _made(program: Program, _: Contents, world: Path, folder: Path) -> dict[str, str]:
    answers = {}
    for words in ASKED:
        argv = program.holdfast(*shlex.split(filled(words)))
        answers[words] = json.loads(program.done(world, argv, env=program.environment(words)).stdout)
    saved = answer_of(
        program, world, Call("saved", ("store backup saved", "verify --store own/.holdfast"), moment=NOW)
    )
    print(saved, file=sys.stderr)
    folder.mkdir()
    (world / "saved").rename(folder / "saved")
    if dump := _dump(program, world):
        (folder / "ledger.sql").write_text(dump)
    subprocess.run(["cp", "-a", str(world), str(folder / "world")], check=True)
    subprocess.run(["rm", "-r", str(folder / "world" / ".git")], check=True)
    (folder / "answers.json").write_text(json.dumps(answers, ensure_ascii=False, indent=1) + "\n")
    return {}


def _dump(program: Program, world: Path) -> str | None:
    programs, dump = binaries(), shutil.which("pg_dump")
    if programs is None or dump is None:
        print("no PostgreSQL server with pg_dump here: no ledger.sql", file=sys.stderr)
        return None
    server = Server(programs)
    try:
        copied = Call("dump", (f"store copy .holdfast '{server.address}'",))
        print(answer_of(program, world, copied), file=sys.stderr)
        dumped = [dump, "--no-owner", "--inserts", "--rows-per-insert=100", server.address]
        lines = subprocess.run(dumped, capture_output=True, text=True, check=True).stdout.splitlines()
        return "\n".join(line for line in lines if not line.startswith("\\")) + "\n"
    finally:
        server.close()


def packed(folder: Path) -> bytes:
    """A folder as one file, without what is of this machine: owners, and when the files were written."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for file in sorted(folder.rglob("*")):
            entry = archive.gettarinfo(file, file.relative_to(folder).as_posix())
            entry.uid = entry.gid = 0
            entry.uname = entry.gname = ""
            entry.mtime = int(entry.mtime)
            archive.addfile(entry, io.BytesIO(file.read_bytes()) if file.is_file() else None)
    return lzma.compress(plain.getvalue(), preset=9 | lzma.PRESET_EXTREME)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--checkout", type=Path, default=TESTS.parent)
    given = parser.parse_args()
    with bench(given.checkout) as (asked, _):
        folder = given.out.with_suffix(".folder")
        made(asked, folder)
        given.out.write_bytes(packed(folder))
        subprocess.run(["rm", "-r", str(folder)], check=True)


if __name__ == "__main__":
    main()
