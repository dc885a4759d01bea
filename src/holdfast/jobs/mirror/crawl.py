"""The crawl: a window of fetches ahead, results taken in frontier order.

    ready entries → fetch and harvest, many at a time → the window, in order → effects → group → flush

1. The head of the window takes effect first, whoever is ready; the window is bounded in entries and bytes.
2. Entries come in the order of depth, source, position. What a page leads to lies deeper and comes later
   than everything in the window, so the window never has to be put in order again.
3. When nothing is ready, the entries that had to wait (a canonical not yet known, a host that wants to be
   left alone, a failure worth another try) are taken in a final pass, in the same order.
4. A flush runs in another thread while the loop goes on; there is one at a time.
"""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from holdfast.core.capture import Deferred, Failed, Fetched, Outcome, TimedOut, Trail
from holdfast.core.errors import NoSpaceError
from holdfast.core.ledger import EntryState, FrontierEntry
from holdfast.core.lineage import New, Superseding, Unchanged
from holdfast.core.url import Url, parse_url
from holdfast.jobs.mirror.effects import Decider, Result, TryNext
from holdfast.jobs.mirror.group import Effect, flush
from holdfast.jobs.mirror.knowledge import DONE, Knowledge
from holdfast.jobs.mirror.notes import Note
from holdfast.jobs.mirror.pages import shown
from holdfast.jobs.mirror.progress import Progress
from holdfast.jobs.mirror.state import CrawlState
from holdfast.jobs.mirror.tools import Stop, Tools, Unreadable
from holdfast.ports import FetchRequest
