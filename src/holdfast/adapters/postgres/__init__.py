"""PostgreSQL, through `psycopg`: what `adapters/sql` needs of a database, on a server.

address      where a ledger is, and what of it may be shown
connection   one connection, its transactions and locks; foreign errors end here
migrations   the schema's numbered steps, in `schema/`
references   what rows of a batch refer to, looked at when all of them are there
places       URLs and hosts, each written once, in transactions of their own
ledger       how a ledger is opened, made, and brought up to date
check        what can be wrong with one
jobs         the queue of jobs, their leases, and the lanes of hosts
lanes        a fetcher that asks a host only while its run has the host's lane
kept_files   the files of a mirror that is made without a folder
"""
