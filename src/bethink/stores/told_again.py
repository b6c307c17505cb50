"""When a telling is counted with a memory of the same words: not if the two hold at other times.

A fact that is told again after its end holds again; merged into the memory that has ended it would
be found by nobody. The same of one that will end, or has not begun.
"""

from __future__ import annotations

from datetime import datetime

from bethink.vocabulary import Memory


def takes_in(valid_from: datetime | None, valid_to: datetime | None, told: Memory) -> bool:
    """May what holds from and to these moments stand for what is told now?"""
    now = told.created_at
    if (valid_from, valid_to) == (told.valid_from, told.valid_to):
        return True
    if _ahead(valid_from, now) != _ahead(told.valid_from, now):
        return False
    if valid_to is None:  # it holds on, whatever this telling says of its end
        return told.valid_to is None or told.valid_to > now
    return valid_to == told.valid_to


def _ahead(moment: datetime | None, now: datetime) -> datetime | None:
    """Since when in the past makes no difference: both hold now."""
    return moment if moment is not None and moment > now else None
