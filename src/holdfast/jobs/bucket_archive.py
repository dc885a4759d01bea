"""An archive in a bucket, where the extra `s3` is installed."""

from __future__ import annotations

import os
import secrets
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from holdfast import __version__
from holdfast.adapters.system import SystemClock
from holdfast.core.base.errors import ConfigError
from holdfast.core.lineage.shared_jobs import JobLease
from holdfast.core.settings.resolve import Settings
from holdfast.storage.archive.bucket import Bucket, BucketKeys
from holdfast.storage.archive.bucket_writer import (
    UnknownObjects,
    bucket_and_prefix,
    open_objects,
    writer_name,
)

if TYPE_CHECKING:
    from holdfast.storage.archive.archive import WarcArchive
    from holdfast.storage.ledger.archive_table import ArchiveTable


def bucket_of(settings: Settings) -> Bucket:
    """The bucket that the settings name."""
    name, prefix = bucket_and_prefix(settings.store.archive or "")
    return Bucket(name, prefix, bucket_keys(os.environ))


def bucket_keys(environment: Mapping[str, str]) -> BucketKeys:
    """What the usual variables say; both keys are needed, and are never looked for elsewhere."""
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


def open_in_bucket(settings: Settings, known: ArchiveTable, lease: JobLease | None) -> WarcArchive:
    """The archive with a writer. What the ledger does not know may be of somebody who is at work."""
    bucket = bucket_of(settings)
    if lease is None:
        bucket.remove(known.spare_files())
        known.spare_files_are_gone()
    owner = f"job{lease.job_id}e{lease.epoch}" if lease else secrets.token_hex(4)
    return open_objects(
        bucket,
        software=f"holdfast/{__version__}",
        store_id=known.store_id(),
        writer=writer_name(SystemClock().now(), owner),
        limit=settings.store.archive_file_mb * 1_000_000,
    )


def unknown_objects(settings: Settings, known: Collection[str]) -> UnknownObjects:
    """The objects that a ledger does not know."""
    return UnknownObjects(bucket_of(settings), known)
