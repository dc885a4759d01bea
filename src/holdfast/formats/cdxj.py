"""The CDXJ index of WARC files: one line a capture, sorted, as replay tools read it.

    <key> <14 digits of time> {"url":…,"mime":…,"status":…,"digest":…,"length":…,"offset":…,"filename":…}

The key is the address turned around (`com,example)/path?query`) and reduced as replay tools reduce it:
lower case, no `www.`, no default port, no trailing slash, query pairs sorted. It finds records; it is no
identity of ours.
"""

from __future__ import annotations

import json
import re

from holdfast.core.capture import header
from holdfast.core.url import Url, parse_url
from holdfast.formats.warc_record import Record

__all__ = ["cdxj_line", "surt"]

_WWW = re.compile(r"^www\d*\.")


def surt(url: Url) -> str:
    """The key of an address."""
    host = url.host.lower()
    turned = host.strip("[]") if host.startswith("[") else ",".join(reversed(_WWW.sub("", host).split(".")))
    port = f":{url.port}" if url.port is not None else ""
    path = url.path.lower().rstrip("/") or "/"
    query = "&".join(sorted((url.query or "").lower().split("&")))
    return f"{turned}{port}){path}" + (f"?{query}" if query else "")


def cdxj_line(record: Record, file: str, offset: int, length: int) -> str | None:
    """The line of a response or revisit; None for other records."""
    target = record.field("WARC-Target-URI") or ""
    url = parse_url(target)
    if record.type not in ("response", "revisit") or not isinstance(url, Url):
        return None
    first, fields, _ = record.http
    mime = (header(fields, "Content-Type") or "unk").partition(";")[0].strip() or "unk"
    status = first.split(" ")[1] if " " in first else "-"
    kind = {"mime": "warc/revisit"} if record.type == "revisit" else {"mime": mime, "status": status}
    facts = {
        "url": target,
        **kind,
        "digest": record.field("WARC-Payload-Digest") or "-",
        "length": str(length),
        "offset": str(offset),
        "filename": file,
    }
    time = re.sub(r"\D", "", record.field("WARC-Date") or "")[:14]
    return f"{surt(url)} {time} {json.dumps(facts, ensure_ascii=False)}"
