"""Feeding several retrievers at once, and how long whoever asks for it waits."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import wait

from bethink.errors import StoreError
from bethink.stores.composite.follower import Follower, told

_STANDSTILL = 60.0  # seconds without a step: it hangs


def catch_up(followers: Sequence[Follower], seconds: float, *, for_late: bool = False) -> None:
    """Bring these up to date; who needs longer goes on in the background, and is not waited for
    again (`for_late`: all the same)."""
    under_way = {
        f: future for f in followers if (future := f.start_feeding(for_late=for_late)) is not None
    }
    if under_way:
        late = wait(under_way.values(), timeout=seconds).not_done
        for follower, future in under_way.items():
            if future in late:
                follower.is_late()


def make_anew(followers: Sequence[Follower]) -> None:
    """Make these anew from the truth, however long it takes while they get on. StoreError names
    those that failed; what they have got so far is gone on from."""
    under_way = {f.make_anew(): f for f in followers}
    steps: list[int] = []
    while wait(under_way, timeout=_STANDSTILL).not_done:
        before, steps = steps, [f.steps for f in followers]
        if steps == before:
            break
    faults = [
        f"{f.name}: {told(fault, f.name) if (fault := one.exception()) else ''}"
        if one.done()
        else f"{f.name}: it does not get on"
        for one, f in under_way.items()
        if not one.done() or one.exception() is not None
    ]
    if faults:
        raise StoreError(
            f"not made anew: {'; '.join(faults)}. See that it runs and can be reached; it goes on "
            "where it was left"
        )
