"""The archive: WARC files in a folder or a bucket."""
