"""The keys of a bucket, from the environment by name. They are never looked for elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from holdfast.core.errors import ConfigError

if TYPE_CHECKING:
    from holdfast.adapters.warc.bucket import BucketKeys

__all__ = ["bucket_keys"]


def bucket_keys(environment: Mapping[str, str]) -> BucketKeys:
    """What the usual variables say; both keys are needed."""
    from holdfast.adapters.warc.bucket import BucketKeys  # noqa: PLC0415 # an extra brings it

    missing = [name for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY") if not environment.get(name)]
    if missing:
        raise ConfigError(
            f"an archive in a bucket needs its keys: {' and '.join(missing)} not set",
            hint="set both; AWS_SESSION_TOKEN, AWS_REGION and AWS_ENDPOINT_URL are read where they are set",
        )
    return BucketKeys(
        environment["AWS_ACCESS_KEY_ID"],
        environment["AWS_SECRET_ACCESS_KEY"],
        environment.get("AWS_SESSION_TOKEN") or None,
        environment.get("AWS_REGION") or environment.get("AWS_DEFAULT_REGION") or "us-east-1",
        environment.get("AWS_ENDPOINT_URL_S3") or environment.get("AWS_ENDPOINT_URL") or None,
    )
