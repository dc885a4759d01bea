"""URLs for the identity bench: seeded, so that every run and every machine measures the same lists.

The varied list follows what was harvested from documentation, source trees and site-packages: about 73
bytes a URL, 29 % with a query (1.4 pairs, 4 % of them with a tracker), 11 % with a fragment, 14 % with a
percent sign, 6 % not ASCII, 20,000 hosts. The mixed list is harder: a fifth of all URLs each have an
upper-case host, a port, a tracker, a fragment.
"""

import random

# fmt: off
WORDS = (
    "api", "guide", "users", "create", "reference", "latest", "stable", "en", "docs", "install", "tutorial",
    "index", "search", "blog", "post", "release", "notes", "changelog", "config", "cli", "class", "module",
    "function", "type", "error", "handling", "async", "stream", "http", "client", "server", "faq", "about",
    "getting-started", "how-to", "v1", "v2", "3.11", "library", "json", "html", "archive", "2024", "2025",
)
KEYS = (
    "id", "q", "page", "lang", "v", "sort", "order", "tab", "view", "from", "to", "t", "name", "path",
)
TRACKERS = ("utm_source", "utm_medium", "ref", "gclid")
# fmt: on
TLDS = ("com", "org", "net", "io", "dev", "example.com", "co.uk", "de", "fr", "jp")


def varied_urls(count: int, seed: int = 20261115) -> list[str]:
    """That many URLs, distinct or not, as they come."""
    rng = random.Random(seed)
    hosts = [_host(rng) for _ in range(20_000)]
    weights = [1 / (rank + 10) for rank in range(len(hosts))]
    chosen = rng.choices(hosts, weights, k=count)
    return [_url(rng, host) for host in chosen]


def mixed_urls(count: int, seed: int = 20261116) -> list[str]:
    """That many URLs, in which what a policy changes is frequent."""
    rng = random.Random(seed)
    return [_mixed(rng, url) for url in varied_urls(count, seed)]


def _mixed(rng: random.Random, url: str) -> str:
    url, mark, fragment = url.partition("#")
    scheme, _, rest = url.partition("://")
    host, _, path = rest.partition("/")
    if rng.random() < 0.2:
        host = host.upper()
    if rng.random() < 0.2 and ":" not in host:
        host += f":{rng.choice([80, 443, 8080, 8443])}"
    if rng.random() < 0.2:
        path += ("&" if "?" in path else "?") + f"{rng.choice(TRACKERS)}={_value(rng)}"
    if not mark and rng.random() < 0.2:
        fragment = rng.choice(WORDS)
    return f"{scheme}://{host}/{path}" + (f"#{fragment}" if fragment else "")


def _host(rng: random.Random) -> str:
    labels = [rng.choice(WORDS).replace(".", "") for _ in range(rng.randint(1, 2))]
    host = ".".join([*labels, f"site{rng.randint(1, 9999)}", rng.choice(TLDS)])
    if rng.random() < 0.005:
        host = "bücher-" + host
    if rng.random() < 0.015:
        host += f":{rng.choice([80, 443, 8080, 8443])}"
    return host.title() if rng.random() < 0.01 else host


def _segment(rng: random.Random) -> str:
    word = rng.choice(WORDS)
    roll = rng.random()
    if roll < 0.03:
        return word + rng.choice(["%20", "%2F", "%C3%A9", "%7E", "%e2%80%93"]) + rng.choice(WORDS)
    if roll < 0.048:
        return word + rng.choice(["é", "日本", "–", "ß"])
    if roll < 0.25:
        return f"{word}-{rng.choice(WORDS)}-{rng.randint(1, 999)}"
    return word


def _url(rng: random.Random, host: str) -> str:
    scheme = "http" if rng.random() < 0.15 else "https"
    path = "/" + "/".join(_segment(rng) for _ in range(rng.randint(1, 5)))
    if rng.random() < 0.3:
        path += "/" if rng.random() < 0.5 else ".html"
    if rng.random() < 0.003:
        path += "/../" + rng.choice(WORDS)
    query = ""
    if rng.random() < 0.29:
        keys = rng.sample(KEYS, rng.choices((1, 2, 3, 4), (70, 18, 8, 4))[0])
        if rng.random() < 0.04:
            keys.append(rng.choice(TRACKERS))
        query = "?" + "&".join(f"{key}={_value(rng)}" for key in keys)
    fragment = f"#{rng.choice(WORDS)}" if rng.random() < 0.11 else ""
    return f"{scheme}://{host}{path}{query}{fragment}"


def _value(rng: random.Random) -> str:
    roll = rng.random()
    if roll < 0.12:
        return rng.choice(WORDS) + rng.choice(["%20", "+", "%2B", "%C3%BC"]) + rng.choice(WORDS)
    if roll < 0.5:
        return str(rng.randint(1, 10**6))
    return rng.choice(WORDS)
