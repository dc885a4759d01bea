"""Settings of identity, of ledger and archive, of fetching, of distilling.

The identity settings decide what a URL's identity is. All but the policy's choice are the user's own
(VER-1).
"""

from __future__ import annotations

from dataclasses import field

from holdfast.core.base.values import dataclass
from holdfast.core.settings.field import setting
from holdfast.core.settings.reach import Reach
from holdfast.core.url.policy import policy_names


@dataclass(frozen=True, slots=True)
class IdentitySettings:
    """What makes two URLs one."""

    policy: str | None = setting(
        reach=Reach.NOTHING,
        default=None,
        help="URL policy, with a version or without (`web`, `web@1`); each command has its own default "
        "(`site` for mirror and path, `web` for the rest).",
        kind="choice",
        choices=tuple(policy_names()),
    )
    overrides: str | None = setting(
        reach=Reach.PATH,
        default=None,
        help="Overrides file: per-host query keys and prefix rewrites, as JSON.",
        kind="path",
    )
    allow_query: tuple[str, ...] = setting(
        reach=Reach.NOTHING,
        default=(),
        help="Query keys that the `docs` policy keeps.",
        kind="list",
        identity=True,
    )
    trailing_slash: str = setting(
        reach=Reach.NOTHING,
        default="remove",
        help="Whether `/a/` and `/a` are one place (`remove`) or two (`keep`).",
        choices=("remove", "keep"),
        identity=True,
    )
    identity_version: int | None = setting(
        reach=Reach.NOTHING,
        default=None,
        help="Version of your own identity settings; by default the overrides file's `version`. "
        "Raise it whenever you change one of them.",
        kind="int",
        least=0,
    )


@dataclass(frozen=True, slots=True)
class StoreSettings:
    """Settings of ledger and archive."""

    folder: str | None = setting(
        reach=Reach.PATH,
        default=None,
        help="The store: the folder `.holdfast`, or the one that has it; by default the nearest one.",
        kind="path",
        called="store",
    )
    ledger: str | None = setting(
        reach=Reach.SERVER,
        default=None,
        help="The ledger's address, postgresql://user@host/database; by default a file in the store.",
        kind="str",
    )
    archive: str | None = setting(
        reach=Reach.SERVER,
        default=None,
        help="The archive's address, s3://bucket/prefix; by default a folder in the store.",
        kind="str",
    )
    scheduler: str | None = setting(
        reach=Reach.SERVER,
        default=None,
        help="A Dask scheduler, tcp://host:8786, whose machines convert pages; by default this one does.",
        kind="str",
    )
    notifications: bool = setting(
        reach=Reach.NOTHING,
        default=True,
        help="Tell what happened to the targets ([notify.NAME]) that the settings file names.",
    )
    archive_file_mb: int = setting(
        reach=Reach.NOTHING,
        default=1000,
        help="Size at which an archive file is full and the next is begun, in MB.",
        least=1,
    )


_MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class FetchPace:
    """How fast a host is asked, and how long it may want to be left alone."""

    content_rate_limit: float = setting(
        reach=Reach.NOTHING,
        default=1.0,
        help="Requests per second to one host: 0.5 waits 2 s between two, 0 turns the limit off. Cited links "
        "are asked at a pace that fits each host unless this is set.",
        least=0,
    )
    per_host: int = setting(
        reach=Reach.NOTHING,
        default=8,
        help="Requests to one host at a time while the limit is off; one otherwise.",
        least=1,
    )
    max_wait: float = setting(
        reach=Reach.NOTHING,
        kind="seconds",
        default=60.0,
        help="The longest single wait that a host can ask for; beyond it the URL is put off.",
        least=0,
    )
    max_wait_sum: float = setting(
        reach=Reach.NOTHING,
        kind="seconds",
        default=180.0,
        help="The longest that all such waits for one URL may take together.",
        least=0,
    )
    max_slowdowns: int = setting(
        reach=Reach.NOTHING,
        default=4,
        help="How often a host may answer one URL with 429 before it counts as failed.",
        least=0,
    )


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """How long and how large an answer may be."""

    timeout: float = setting(
        reach=Reach.NOTHING,
        kind="seconds",
        default=30.0,
        help="How long one request may take in all.",
        least=0.001,
    )
    idle_timeout: float = setting(
        reach=Reach.NOTHING,
        kind="seconds",
        default=15.0,
        help="How long a server may be silent during a response.",
        least=0.001,
    )
    connect_timeout: float = setting(
        reach=Reach.NOTHING,
        kind="seconds",
        default=10.0,
        help="How long a connection, its encryption included, may take.",
        least=0.001,
    )
    max_body_bytes: int = setting(
        reach=Reach.NOTHING,
        default=32 * _MIB,
        help="Bytes of a response as sent; a longer one is not taken.",
        least=1,
    )
    max_decoded_bytes: int = setting(
        reach=Reach.NOTHING,
        default=64 * _MIB,
        help="Bytes of a response once decompressed; a longer one is not taken.",
        least=1,
    )
    max_ratio: float = setting(
        reach=Reach.NOTHING,
        default=250.0,
        help="How many times its compressed size a response may grow to, beyond its first MiB.",
        least=1,
    )
    max_header_bytes: int = setting(
        reach=Reach.NOTHING,
        default=64 * 1024,
        help="Bytes of a response's header fields together.",
        least=256,
    )
    max_redirects: int = setting(
        reach=Reach.NOTHING, default=10, help="Redirects followed for one URL.", least=0
    )


@dataclass(frozen=True, slots=True)
class FetchSettings:
    """How Holdfast asks."""

    pace: FetchPace = field(default_factory=FetchPace)
    limits: FetchLimits = field(default_factory=FetchLimits)
    contact: str = setting(
        reach=Reach.NOTHING,
        default="",
        help="An address or a page about you, sent in the user agent.",
        kind="str",
    )
    robots: bool = setting(
        reach=Reach.NOTHING,
        default=True,
        help="Whether robots.txt decides what is fetched.",
        called="mirror.robots",
    )
    allow_private: bool = setting(
        reach=Reach.NETWORK, default=False, help="Let discovered URLs reach private and loopback addresses."
    )
    proxy: str | None = setting(
        reach=Reach.NETWORK,
        default=None,
        help="An HTTP proxy for every request. It resolves names, so the address guard sees literals only.",
        kind="str",
    )
    ca_file: str | None = setting(
        reach=Reach.CREDENTIAL,
        default=None,
        help="Certificates to trust instead of the system's, as PEM.",
        kind="path",
    )


@dataclass(frozen=True, slots=True)
class DistillSettings:
    """What is too large to be read as a page."""

    max_page_bytes: int = setting(
        reach=Reach.NOTHING,
        default=10_000_000,
        help="The largest body that is parsed as a page; a larger one is hashed by its bytes and flagged, "
        "so another limit is an identity setting of your own.",
        least=1,
        identity=True,
    )
