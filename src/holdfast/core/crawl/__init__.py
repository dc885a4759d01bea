"""The decisions of a crawl: values in, values out. `jobs.mirror` gets what they need and does what they say.

order      what was asked for, as one value, and its digest
standard   what decides the identity of everything in a mirror
making     with which recipe and options a mirror is made, goes on, or is looked after
harvest    what a capture has come to
result     how an entry came out
decision   one result to what follows from it: the table
endings    a decision as what the ledger is told
effect     all that follows from one result
state      where a crawl stands: its plan, its progress, its counts, what the trap rules remember
ending     how a crawl can end
taking_in  captures of which no ledger tells, and what it is told of them
"""
