"""What the commands do, as functions. The library reads neither the home folder nor the environment.

asking    questions: plain functions that read
working   what fetches, writes or takes long: coroutines
upkeep    small works on a state folder
identity  URLs, pages at hand, settings: what needs no state folder
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
rebuild = blocking(working.rebuild)
reprocess = blocking(working.reprocess)
track = blocking(working.track, consent="fetch_urls")
track_plan = blocking(working.track_plan, consent="fetch_urls")
