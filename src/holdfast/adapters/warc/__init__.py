"""The archive as WARC/1.1 files, one gzip member a record.

members   gzip members: made, and read whole or not at all
files     which files there are, which is written next, what a crash left behind
archive   the port: append, sync, read
survey    every record of every file, checked; the CDXJ index
"""
