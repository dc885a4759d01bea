"""The JSON of commands about one URL or one page: canon, path, fetch, convert."""

from __future__ import annotations

from typing import Final

from holdfast.core.answers.identity import ReverseAnswer
from holdfast.core.page import PageKind, PageWarning
from holdfast.core.policy import POLICIES
from holdfast.core.redaction import redacted
from holdfast.core.shown_text import loggable
from holdfast.core.url import Url
from holdfast.formats.fetch_report import OUTCOME_NAMES
from holdfast.formats.schemas.pieces import HASH, WEB_URL
from holdfast.formats.schemas.shape import (
    BOOLEAN,
    COUNT,
    DATE_TIME,
    INTEGER,
    NUMBER,
    TEXT,
    Schema,
    Shape,
    array,
    at,
    described,
    limited,
    one_of,
    optional,
    record,
    sometimes,
    tuple_of,
)

__all__ = ["CANON", "FETCH", "PAGE", "PATH"]

_REFUSED: Final = {
    "refused": sometimes(lambda answer: answer.refused and answer.refused.reason, TEXT),
    "detail": sometimes(lambda answer: str(answer.refused) if answer.refused else None, TEXT),
}

CANON: Final = Schema(
    "canon",
    "One line of `holdfast canon --json`.",
    record(
        input=at(lambda answer: loggable(answer.input), TEXT),
        canonical=at(lambda a: a.explained.canonical.text if a.explained else None, optional(WEB_URL)),
        url_key=at(lambda a: a.explained.canonical.key if a.explained else None, optional(HASH)),
        policy=at("identity.policy.name", one_of(POLICIES)),
        component=at("identity.component", TEXT),
        rules=at(lambda a: a.explained.rules if a.explained else (), array(TEXT)),
        **_REFUSED,
    ),
    is_line=True,
)

_FORWARD: Final = record(
    input=at(lambda answer: loggable(answer.input), TEXT),
    canonical=sometimes("canonical", optional(WEB_URL), when=lambda _: True),
    path=sometimes("path", optional(TEXT), when=lambda _: True),
    **_REFUSED,
)
_REVERSE: Final = record(
    input=at(lambda answer: loggable(answer.input), TEXT),
    url=sometimes("url", optional(WEB_URL), when=lambda _: True),
)

PATH: Final = Schema(
    "path",
    "One line of `holdfast path --json`; with `--reverse` it has `url` instead of `canonical` and `path`.",
    Shape(
        record(_FORWARD, **_REVERSE.keys).schema,
        lambda answer: (_REVERSE if isinstance(answer, ReverseAnswer) else _FORWARD).encode(answer),
    ),
    is_line=True,
)

_HEADING: Final = record(level=INTEGER, text=TEXT, anchor=optional(TEXT))


def _text(url: Url | None) -> str | None:
    return None if url is None else str(url)


PAGE: Final = Schema(
    "page",
    "What `holdfast convert --format json` prints.",
    record(
        url=at(
            lambda made: str(made.url) if made.url else None,
            described(optional(TEXT), "What --url gave."),
        ),
        kind=at("page.kind", one_of(PageKind)),
        title=at("page.title", TEXT),
        language=at("page.head.language", optional(TEXT)),
        canonical_link=at(lambda made: _text(made.page.head.canonical_link), optional(TEXT)),
        content_sha256=at("page.content_sha256", HASH),
        normalization_version=at(lambda made: str(made.page.recipe), TEXT),
        markdown_version=at("page.markdown_version", TEXT),
        generator=at(
            "page.head.generator", described(optional(TEXT), "The row of the generator table that fitted.")
        ),
        warnings=at("page.warnings", array(one_of(PageWarning))),
        headings=at("page.structure.headings", array(_HEADING)),
        links=array(
            record(url=at(lambda link: str(link.target), TEXT), text=TEXT, kind=TEXT, nofollow=BOOLEAN)
        ),
        markdown=at("page.markdown", TEXT),
        text=at("page.text", TEXT),
    ),
)

_RESPONSE: Final = record(
    url=at(lambda capture: redacted(capture.final), described(TEXT, "Who answered, after the hops.")),
    status=INTEGER,
    http_version=TEXT,
    fetched_at=DATE_TIME,
    content_type=at(lambda capture: capture.content_type or None, optional(TEXT)),
    bytes=at(lambda capture: len(capture.body), described(COUNT, "Of the body, content codings undone.")),
    headers=array(tuple_of(TEXT, TEXT)),
)
_REASON: Final = "The denial, the failure, or the phase of a time-out: one word of a closed set."

FETCH: Final = Schema(
    "fetch",
    "What `holdfast fetch --json` prints. URLs are shown with secrets in their query taken out.",
    record(
        url=at(lambda told: redacted(told.url), described(TEXT, "What was asked for.")),
        outcome=at("name", one_of(OUTCOME_NAMES.values())),
        reason=described(optional(TEXT), _REASON),
        detail=described(optional(TEXT), "The same in words."),
        until=described(optional(DATE_TIME), "For `deferred`."),
        hops=at(
            "outcome.trail.hops",
            array(
                record(
                    url=at(lambda hop: redacted(hop.url), TEXT),
                    status=INTEGER,
                    location=at(lambda hop: redacted(hop.location), TEXT),
                )
            ),
        ),
        waits=at(
            "outcome.trail.waits",
            array(
                record(
                    seconds=limited(NUMBER, minimum=0),
                    reason=one_of(("queue", "delay", "crawl-delay", "retry-after", "backoff")),
                )
            ),
        ),
        requests=at("outcome.trail.requests", COUNT),
        robots_rule=at("outcome.trail.robots_rule", optional(TEXT)),
        address=at("outcome.trail.address", described(optional(TEXT), "The address that answered.")),
        response=at("capture", optional(_RESPONSE)),
    ),
)
