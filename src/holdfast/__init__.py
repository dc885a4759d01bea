"""Holdfast gives web content a fixed identity.

It mirrors sites to Markdown, keeps every version of every page with its lineage, and tells which of
your documents cite a page that changed or died. Tool and library are twins: what `holdfast canon` does
on the command line, `holdfast.canonicalize` does here.

Names are imported when they are first asked for, so that `import holdfast` costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from holdfast.core.canonical import CanonicalUrl, Explained, explain
    from holdfast.core.canonical_fast import canonicalize
    from holdfast.core.errors import HoldfastError
    from holdfast.core.hashing import ContentHash, UrlKey, url_key
    from holdfast.core.mirror_plan import Layout, NamePlan
    from holdfast.core.policy import DOCS, SITE, WEB, Policy, policy
    from holdfast.core.recipe import Recipe
    from holdfast.core.refusal import Refused
    from holdfast.core.url import Url, parse_url
    from holdfast.faces.library import fetch, mirror, track

__version__ = "0.1.0"

__all__ = [
    "DOCS",
    "SITE",
    "WEB",
    "CanonicalUrl",
    "ContentHash",
    "Explained",
    "HoldfastError",
    "Layout",
    "NamePlan",
    "Policy",
    "Recipe",
    "Refused",
    "Url",
    "UrlKey",
    "canonicalize",
    "explain",
    "fetch",
    "mirror",
    "parse_url",
    "policy",
    "track",
    "url_key",
]

_HOME = {
    "CanonicalUrl": "core.canonical",
    "ContentHash": "core.hashing",
    "DOCS": "core.policy",
    "Explained": "core.canonical",
    "HoldfastError": "core.errors",
    "Layout": "core.mirror_plan",
    "NamePlan": "core.mirror_plan",
    "Policy": "core.policy",
    "Recipe": "core.recipe",
    "Refused": "core.refusal",
    "SITE": "core.policy",
    "Url": "core.url",
    "UrlKey": "core.hashing",
    "WEB": "core.policy",
    "canonicalize": "core.canonical_fast",
    "explain": "core.canonical",
    "fetch": "faces.library",
    "mirror": "faces.library",
    "parse_url": "core.url",
    "policy": "core.policy",
    "track": "faces.library",
    "url_key": "core.hashing",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'holdfast' has no attribute {name!r}")
    return getattr(import_module(f"holdfast.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
