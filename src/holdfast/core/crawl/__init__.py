"""The decisions of a crawl: values in, values out. `jobs.mirror` gets what they need and does what they say.

order      what was asked for, as one value, and its digest
standard   what decides the identity of everything in a mirror
harvest    what a capture has come to
result     how an entry came out
decision   one result to what follows from it: the table
endings    a decision as what the ledger is told
effect     all that follows from one result
notes      what is written beside a frontier entry
state      where a crawl stands: its plan, its progress, its counts, what the trap rules remember
"""
