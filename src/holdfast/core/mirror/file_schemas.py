"""The files that a mirror and tracking write, and what `holdfast mirror` says at the end.

The files are written by their own modules (`core.mirror.manifest`, `core.page.sidecar`,
`core.mirror.checkpoint`, `core.links.url_manifest`), piece by piece or in other formats than JSON; here is
what readers may rely on.
"""

from __future__ import annotations

from typing import Final

from holdfast.core.base.json_shape import (
    BID,
    BOOLEAN,
    DATE_TIME,
    HASH,
    INTEGER,
    NUMBER,
    RECIPE_TEXT,
    TEXT,
    WEB_URL,
    Schema,
    Shape,
    array,
    counts_of,
    described,
    exactly,
    mapping,
    one_of,
    optional,
    record,
    sometimes,
    tuple_of,
)
from holdfast.core.links.link_shapes import STATE
from holdfast.core.page.section import SectionKind
from holdfast.core.url.layout import Layout


def _if_there(**shapes: Shape) -> Shape:
    return record(**{name: sometimes(name, shape) for name, shape in shapes.items()})


_CRAWL: Final = record(
    _if_there(run_id=HASH),
    status=TEXT,
    **_if_there(
        software=TEXT,
        sources=array(TEXT),
        settings=described(
            mapping(Shape({})),
            "The settings that decide which pages there are; the next run goes on with them.",
        ),
        discovery=TEXT,
        started_at=DATE_TIME,
        updated_at=DATE_TIME,
        rebuilt_at=DATE_TIME,
        as_of=DATE_TIME,
        elapsed_sec=NUMBER,
        processed=INTEGER,
        total=INTEGER,
        outcomes=counts_of(),
        refused=counts_of(),
        warnings=counts_of(),
        seal=optional(HASH),
        gone=mapping(DATE_TIME),
        settling=described(BOOLEAN, "Local links, lists and images are not yet those of these pages."),
    ).keys,
    fetched_at=described(mapping(DATE_TIME), "Each page's fetch time, by path."),
    sha256=described(HASH, "SHA-256 of every byte of the file before this key."),
)

MIRROR_MANIFEST: Final = Schema(
    "mirror_manifest",
    "`_manifest.json` of a mirror (MIR-10). Everything but `crawl` is a function of the responses.",
    record(
        version=exactly("1"),
        layout=record(name=one_of(Layout), version=INTEGER, scheme=one_of(("http", "https"))),
        normalization_version=RECIPE_TEXT,
        markdown_version=TEXT,
        options=described(
            mapping(Shape({"type": ["string", "boolean"]})), "The settings that the files are made with."
        ),
        collisions=array(record(url=WEB_URL, path=TEXT)),
        aliases=described(
            array(record(url=WEB_URL, duplicate_of=WEB_URL, reason=TEXT)),
            "Other names of pages: redirects, canonical links, index files with equal content.",
        ),
        pages=array(
            record(
                url=WEB_URL,
                path=TEXT,
                size=INTEGER,
                file_sha256=HASH,
                content_sha256=HASH,
                title=described(TEXT, "Without the site's own."),
                full_title=sometimes("full_title", described(TEXT, "With it, where it has that.")),
                warnings=sometimes("warnings", array(TEXT)),
            )
        ),
        crawl=_CRAWL,
    ),
)

SIDECAR: Final = Schema(
    "sidecar",
    "The file beside a page (PATH-9).",
    record(
        url_hash=HASH,
        content_hash=HASH,
        source_url=WEB_URL,
        canonical_url=WEB_URL,
        crawl_depth=INTEGER,
        title=TEXT,
        normalization_version=RECIPE_TEXT,
        markdown_version=TEXT,
        fetched_at=DATE_TIME,
        status_code=INTEGER,
        etag=optional(TEXT),
        last_modified=optional(TEXT),
        warnings=array(TEXT),
        markdown_source=sometimes(
            "markdown_source",
            described(optional(WEB_URL), "Where the site's own Markdown came from, if it was taken."),
        ),
        full_title=sometimes("full_title", described(TEXT, "With the site's own title, where it has that.")),
        language=sometimes("language", TEXT),
        sections=described(
            array(
                record(
                    id=described(
                        TEXT, "`url_hash`, `#`, the anchor; of what is before the first: `url_hash`."
                    ),
                    path=array(TEXT),
                    level=INTEGER,
                    kind=one_of(SectionKind),
                    name=sometimes("name", described(TEXT, "The qualified name of an API entry.")),
                    hash=described(TEXT, "`section_v1-…`, of its text."),
                    bytes=described(array(tuple_of(INTEGER, INTEGER)), "Which bytes of the file say it."),
                )
            ),
            "The page's sections in order.",
        ),
    ),
)

PROGRESS: Final = Schema(
    "progress",
    "`_progress.json` of a mirror (MIR-9).",
    record(processed=INTEGER, total=INTEGER, elapsed_sec=NUMBER, eta_sec=optional(NUMBER)),
)

URL_MANIFEST: Final = Schema(
    "url-manifest",
    "`.url-manifest.{toml|json|yaml}`: what the documents of one folder cite. In TOML an absent value is a "
    "missing key.",
    record(
        version=exactly("0.1"),
        network_bid=BID,
        urls=array(
            record(
                _if_there(bid=optional(BID)),
                url_bid=BID,
                url=TEXT,
                **_if_there(final_url=optional(TEXT)).keys,
                state=STATE,
                **_if_there(
                    status_code=optional(INTEGER),
                    content_hash=optional(TEXT),
                    content_type=optional(TEXT),
                    fetched_at=optional(TEXT),
                    last_modified=optional(TEXT),
                    normalization_version=optional(TEXT),
                    link_text=optional(TEXT),
                ).keys,
                documents=array(TEXT),
            )
        ),
    ),
)
