"""What another link checker knew of a URL, taken as a light look at the time when it looked.

1. Only what nobody here has looked at takes it: an answer of our own is worth more.
2. A look of another's reads no page, so the first whole look here reads it; a light one is spared until the
   answer is too old. A failure is a first look, and is looked at again like any other.
"""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from holdfast.core.citation import CitedPlace
from holdfast.core.citation_state import look
from holdfast.core.link_evidence import Evidence, Sighting
from holdfast.core.link_state import LinkState

__all__ = ["ToldState", "with_told"]

_STATES = {404: LinkState.NOT_FOUND, 410: LinkState.GONE}


class ToldState(NamedTuple):
    """That a URL answered with a status at a time."""

    url: str
    status: int
    at: datetime


def with_told(node: CitedPlace, told: ToldState) -> CitedPlace | None:
    """The node as if it had been looked at then; None where what was told says nothing, or is not needed."""
    state = LinkState.OK if 200 <= told.status < 300 else _STATES.get(told.status)
    if state is None or node.state is not LinkState.UNCHECKED:
        return None
    evidence = Evidence("told", told.status, unread=state is LinkState.OK)
    return look(node, Sighting(state, evidence), None, told.at).node
