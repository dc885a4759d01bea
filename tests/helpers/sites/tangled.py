"""A site with everything in it, each answer a function of its URL: what mirrors are compared on."""

from __future__ import annotations

from helpers.sites.server import Reply, Site, page, redirect


def prose(number: int) -> str:
    """Words that no other number has."""
    letters = "".join(chr(ord("a") + int(digit)) for digit in str(number))
    return " ".join(f"{letters}{letters[::-1]}{chr(ord('a') + n % 26) * (n // 26 + 1)}" for n in range(60))


def tangled_site(pages: int) -> Site:
    """Links, redirects, duplicates, failures and placeholders under `/1` … `/pages`."""

    def answer(target: str) -> Reply | None:
        word = target.strip("/")
        number = int(word) if word.isdigit() else 0
        if not 0 < number <= pages:
            return None
        if number % 17 == 5:
            return redirect(f"/{number + 1}")
        if number % 23 == 7:
            return Reply(b"x" * number, type="application/pdf")
        if number % 29 == 11:
            return Reply(status=500)
        links = [f"/{number * 2 + step}" for step in (0, 1, 2)]
        if number % 13 == 4:
            twin = number + 2
            return page(f"{twin}", text=prose(twin), canonical=f"/{twin}", links=links)
        return page(f"{number}", text=prose(number), links=links)

    return Site({}, fallback=answer)
