"""PostgreSQL: the ledger on a server, and the queue of jobs that machines share."""
