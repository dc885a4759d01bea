"""`make demo`: what Holdfast does, on a handful of URLs."""

from __future__ import annotations

import subprocess
import sys

URLS = (
    "HTTPS://Docs.Example.com:443/api//users/../users/create/?utm_source=mail#top",
    "https://docs.example.com/api/users/create",
    "https://example.com/search?q=caf%c3%a9+au+lait&page=2",
    "https://bücher.example/Käse",
    "http://good.example\\@evil.example/",
    "ftp://example.com/not-a-web-page",
)


def show(*words: str) -> None:
    """Run a command as a person would, and show it."""
    print(f"\n$ holdfast {' '.join(words[:3])} …", flush=True)
    subprocess.run([sys.executable, "-m", "holdfast", *words], check=False)


if __name__ == "__main__":
    print("Many spellings, one place: the canonical URL, its key, and the rules that made it.")
    show("canon", "--explain", *URLS)
    print("\nThe name each page has on disk, in the order of one mirror.")
    show("path", *URLS[1:4])
    print("\nEvery setting, and where it came from.")
    show("config")
