"""The search index: SQLite's FTS5 in a file of its own, beside the ledger."""
