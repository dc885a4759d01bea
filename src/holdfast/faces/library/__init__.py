"""What the commands do, as functions. The library reads neither the home folder nor the environment.

asking    questions: plain functions that read
working   what fetches, writes or takes long: coroutines
upkeep    small works on a store
identity  URLs, pages at hand, settings: what needs no store
calling   the conventions: settings, event loops

`holdfast` offers all of them as plain functions (those that are made of coroutines are here), `holdfast.aio`
as coroutines.
"""

from __future__ import annotations

from holdfast.faces.library import working
from holdfast.faces.library.calling import blocking

fetch = blocking(working.fetch)
fix = blocking(working.fix, consent="fetch_urls")
mirror = blocking(working.mirror)
mirror_plan = blocking(working.mirror_plan)
restore = blocking(working.restore)
reprocess = blocking(working.reprocess)
check = blocking(working.check, consent="fetch_urls")
check_plan = blocking(working.check_plan, consent="fetch_urls")
sync = blocking(working.sync)
