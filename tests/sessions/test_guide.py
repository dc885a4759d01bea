"""The guide "Adopt it in a repository with 500 dead links in ten minutes", followed to the letter."""

import re
from pathlib import Path

import pytest

from helpers.faults.server import response
from helpers.repository import Repository
from helpers.served import serving

GUIDE = Path(__file__).parents[2] / "docs/guides/adopt.md"
BLOCK = re.compile(r"(<!-- exits (\d+) -->\n)?```sh\n(.*?)```", re.DOTALL)
DEAD_LINKS = 500


def blocks():
    return [(found[3], int(found[2] or 0)) for found in BLOCK.finditer(GUIDE.read_text(encoding="utf-8"))]


def page(text):
    return (response(f"<title>{text}</title><p>{text}".encode(), "200 OK", "Content-Type: text/html"),)


@pytest.mark.spec("TRK-9")
def test_the_guide_works_as_it_stands(tmp_path):
    moved = (response(b"", "301 Moved Permanently", "Location: /alive/1"),)
    with serving({"/alive/1": page("one"), "/alive/2": page("two"), "/moved": moved}) as server:
        repo = Repository(tmp_path / "repo")
        base = server.base
        repo.write("README.md", f"# Ours\n\n[moved]({base}/moved) [fine]({base}/alive/2?utm_source=x)\n")
        for number in range(25):
            dead = "\n".join(f"- [dead]({base}/gone/{number}/{n})" for n in range(DEAD_LINKS // 25))
            repo.write(f"docs/{number}.md", f"# {number}\n\n[fine]({base}/alive/1)\n\n{dead}\n")
        repo.commit()
        for script, status in blocks():
            ran = repo.run("bash", "-e", "-c", script, DEAD_LINK=f"{base}/never/there")
            assert ran.returncode == status, f"{script}\n{ran.stdout[-2000:]}\n{ran.stderr[-2000:]}"
    known = repo.read(".holdfast-baseline").splitlines()
    assert len(known) == 1 + DEAD_LINKS
    assert f"[moved]({base}/alive/1) [fine]({base}/alive/2)" in repo.read("README.md")
    assert repo.git("status", "--porcelain") == ""
    assert max(server.requests.values()) <= 4


def test_every_block_of_the_guide_is_followed():
    assert GUIDE.read_text(encoding="utf-8").count("```sh") == len(blocks()) >= 9
