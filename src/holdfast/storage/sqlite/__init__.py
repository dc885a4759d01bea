"""SQLite: the ledger in a file, the search index, exports."""
