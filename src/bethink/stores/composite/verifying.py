"""What a retriever returns, held against the truth: nothing passes that is not there.

A copy may be of a memory that is gone, of an older text, of another space; a retriever may have
been restored from a backup, or lie. So every passage is looked up: it must exist, in a space that
was asked, with the same words, and pass the whole filter. What is dropped makes room for more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite
from typing import NamedTuple

from bethink.filters import All, AnyOf, Condition, Filter, Not, matches
from bethink.stores.protocol import Store
from bethink.stores.retrievers import COUNTERS, Seen, version_of
from bethink.text.searched import searched_text
from bethink.vocabulary import Found

# How many are asked for at first, for each that is wanted, where the truth must filter, and how
# many more each further time; no more than so many in all.
_WIDER = 4
MOST = 10_000


class Asked(NamedTuple):
    """What one retriever had to say."""

    found: list[Found]
    wrong: list[str]  # ids of memories that it does not hold as the truth does
    cut: bool  # more might pass the filter than were looked at


class _Sorted(NamedTuple):
    sound: list[Found]
    wrong: list[str]


def ask(
    search: Callable[[Filter | None, int], list[Seen]],
    expresses: Callable[[Filter], bool],
    truth: Store,
    *,
    spaces: Sequence[str],
    where: Filter | None,
    limit: int,
) -> Asked:
    """`search` is asked with what it can express of the filter, and again for more while too few
    of what it finds are sound."""
    sent = expressible(where, expresses)
    exact = sent == where
    most = max(limit, MOST)
    wanted = limit if exact else min(limit * _WIDER, most)
    wrong: dict[str, None] = {}
    while True:
        seen = search(sent, wanted)
        sorted_ = _sort(seen, truth, spaces, where, exact=exact)
        wrong |= dict.fromkeys(sorted_.wrong)
        short = len(sorted_.sound) < limit and len(seen) >= wanted
        if not short or wanted >= most:
            return Asked(sorted_.sound[:limit], list(wrong), cut=short)
        wanted = min(wanted * _WIDER, most)


def _sort(
    seen: Sequence[Seen], truth: Store, spaces: Sequence[str], where: Filter | None, *, exact: bool
) -> _Sorted:
    best: dict[tuple[str, int], Seen] = {}
    for one in seen:
        key = (one.memory_id, one.ordinal)
        if isfinite(one.score) and (key not in best or best[key].score < one.score):
            best[key] = one
    sound: list[Found] = []
    wrong: list[str] = []
    for one, there in zip(best.values(), truth.fetch(list(best)), strict=True):
        if there is None:
            wrong.append(one.memory_id)
            continue
        memory, passage = there
        same = version_of(searched_text(memory, passage)) == one.version
        if memory.space not in spaces or not same:
            wrong.append(one.memory_id)
        elif matches(memory, where):
            sound.append(Found(one.memory_id, one.ordinal, one.score))
        elif exact:
            wrong.append(one.memory_id)  # it says that this passes: its fields are old
    sound.sort(key=lambda found: -found.score)
    return _Sorted(sound, wrong)


def expressible(where: Filter | None, expresses: Callable[[Filter], bool]) -> Filter | None:
    """As much of a filter as an engine can apply: all of it, or some of what must hold together;
    everything that passes the whole passes this too."""
    if where is None:
        return None
    if not _asks_counters(where) and expresses(where):
        return where
    if not isinstance(where, All):
        return None
    parts = tuple(
        part for part in (expressible(p, expresses) for p in where.parts) if part is not None
    )
    return All(parts) if parts else None


def _asks_counters(where: Filter) -> bool:
    if isinstance(where, All | AnyOf):
        return any(map(_asks_counters, where.parts))
    if isinstance(where, Not):
        return _asks_counters(where.part)
    return isinstance(where, Condition) and where.field in COUNTERS
