"""A store of several engines may find only a part: the answer says which engine was missing."""

from __future__ import annotations

from collections.abc import Sequence

from bethink.recall.draft import Draft
from bethink.stores.protocol import FoundPartly
from bethink.vocabulary import Found, Status


def told_if_partly(draft: Draft, found: Sequence[Found]) -> Draft:
    """The same draft, where everything was searched that there is."""
    if isinstance(found, FoundPartly):
        for shortfall in found.shortfalls:
            status = Status.STALE if shortfall.behind else Status.DEGRADED
            if (status, shortfall.reason) not in draft.faults:  # another stage asked the same
                draft = draft.fault(status, shortfall.reason)
    return draft
