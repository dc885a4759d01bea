"""What is kept: the ledger, the archive, and the one owner of both."""
