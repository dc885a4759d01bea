"""The probe: what the program answers by its outer faces, over one frozen store, to compare two checkouts.

    python tests/probe record OUT [--checkout DIR]     a folder, or one file that ends with .tar.xz
    python tests/probe compare A B [--table FILE]      status 1 when something differs

The table has a name a line: old, new, and the rule, parted by tabs. It is applied to what is said; answers
are found by the names of their calls, which stay.

fixed_site, documents   what is mirrored, and what cites it
store                   the steps by which the store is made
clock, world            the program's time, chance and place
commands, library, http_calls, stdio_calls   how each face is asked; the calls are data, in `calls/`
answers                 the normal form, and the comparison
recording               all of it
old_stores              stores that an older program left, as fixtures
"""
