"""A thorough look at one retriever, for `doctor`: how it stands, its copies, and its own parts."""

from __future__ import annotations

from collections.abc import Callable

from bethink.errors import StoreBusy
from bethink.stores.composite.audit import Audit, audit
from bethink.stores.composite.follower import Follower, told
from bethink.stores.protocol import Store
from bethink.stores.retrievers import MAKE_ANEW, Feed
from bethink.vocabulary import Check

_OTHERS_FEED = 5.0  # seconds to wait until nobody does
_REACH = "see that it runs and can be reached"


def check(
    follower: Follower, truth: Store, feed: Feed, *, catch_up: Callable[[], object]
) -> list[Check]:
    part = f"retriever {follower.name}"
    why = follower.missing() or (follower.lag_told() if follower.behind(feed.last()) else "")
    if why:
        return [Check(part, False, why, f"{_REACH}; it catches up")]
    try:
        found = audit(follower.retriever, truth, feed, catch_up=catch_up)
        own = _of_its_own(follower, feed)
    except Exception as e:  # of whatever library; it belongs into the report
        return [Check(part, False, told(e, follower.name), _REACH)]
    named = [one._replace(part=f"{follower.name}: {one.part}") for one in own]
    return [_copies(part, found, follower.repaired), *named]


def _copies(part: str, found: Audit, repaired: int) -> Check:
    if not found.sound:
        finding = (
            f"{len(found.wrong):,} copies are not as in the store and {len(found.missing):,} "
            "are missing; what is wrong is found by nobody"
        )
        return Check(part, False, finding, MAKE_ANEW)
    finding = f"{found.copies:,} copies are as in the store"
    if repaired:
        finding += f"; {repaired:,} were mended since it was opened"
    return Check(part, True, finding)


def _of_its_own(follower: Follower, feed: Feed) -> list[Check]:
    """While nobody feeds it, or what is half written would seem lost."""
    try:
        with feed.alone(follower.name, patience=_OTHERS_FEED):
            return follower.retriever.check()
    except StoreBusy:  # it is fed without a pause
        return follower.retriever.check()
