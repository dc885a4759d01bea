"""The settings that library functions take as keyword arguments, with their types.

Made by `make docs` from the table of settings (`core/settings`). Do not edit.
"""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Literal, TypedDict

__all__ = ["GivenSettings"]


class GivenSettings(TypedDict, total=False):
    """Every setting by its name, as in `holdfast.toml`; docs/reference/settings.md says what each does."""

    policy: Literal["site", "docs", "web", "site@1", "docs@1", "web@1", "site@2", "docs@2", "web@2"] | None
    overrides: str | PathLike[str] | None
    allow_query: Sequence[str]
    trailing_slash: Literal["remove", "keep"]
    identity_version: int | None
    content_rate_limit: float
    per_host: int
    max_wait: float | str
    max_wait_sum: float | str
    max_slowdowns: int
    timeout: float | str
    idle_timeout: float | str
    connect_timeout: float | str
    max_body_bytes: int
    max_decoded_bytes: int
    max_ratio: float
    max_header_bytes: int
    max_redirects: int
    contact: str
    robots: bool
    allow_private: bool
    proxy: str | None
    ca_file: str | PathLike[str] | None
    max_page_bytes: int
    discover: Literal["auto", "sitemap", "links"]
    include: Sequence[str]
    exclude: Sequence[str]
    allow_host: Sequence[str]
    max_depth: int | None
    max_pages: int | None
    keep_noise: Sequence[str]
    meta_robots: bool
    trap_pages: int
    trap_similar: int
    layout: Literal["tree", "tree-fold", "flat", "flat-fold", "hash"]
    content: Literal["main", "full"]
    anchors: Literal["html", "attributes", "none"]
    sidecar: Literal["json", "none", "front-matter"]
    convert_links: Literal["absolute", "local"]
    assets: bool
    llms_txt: bool
    prefer_markdown: bool
    rel_canonical: Literal["check", "trust", "ignore"]
    dedupe: bool
    on_error: Literal["skip", "abort", "retry"]
    min_free_mb: int
    processes: int
    update: bool
    max_age: str | None
    delete_gone: bool
    fetch_external_urls: bool
    ask_hosts: Sequence[str]
    skip_hosts: Sequence[str]
    skip_urls: Sequence[str]
    ask_urls: Sequence[str]
    include_reserved: bool
    remap: Sequence[str]
    header: Sequence[str]
    concurrency: int
    accept: Sequence[str]
    confirm: bool
    light: bool
    local_links: bool
    root_dir: str | PathLike[str] | None
    base_url: str | None
    read_as: Sequence[str]
    hidden: bool
    ignore: bool
    wiki_links: bool
    strict_local: bool
    fail_on: Sequence[str]
    baseline: str | PathLike[str] | None
    public_archive: str
    manifest_format: Literal["toml", "json", "yaml", "none"] | None
    compare: Literal["text", "body"]
    store: str | PathLike[str] | None
    ledger: str | None
    archive: str | None
    scheduler: str | None
    notifications: bool
    archive_file_mb: int
