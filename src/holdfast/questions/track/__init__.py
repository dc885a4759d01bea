"""What tracking asks of ledger and archive, and the values it goes by.

options    what is wished
planning   what is cited, and what of it is due
facts      what is known of a link
drifting   how far what it said has moved
result     what a run came to
reporting  what of that is worth telling
"""
