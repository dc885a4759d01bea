"""The ledger in SQL: its tables, the same for both databases."""
