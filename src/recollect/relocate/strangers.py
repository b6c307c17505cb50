"""What somebody told the target of a move before that was finished. It is left alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from recollect.relocate.carrying import MovableStore, memories_of
from recollect.relocate.carrying_tiers import offers_of, recent_of
from recollect.stores.protocol import Store

_NAMED = 5  # of each kind; an error is no list


class Strangers(NamedTuple):
    """Ids of what only the target holds."""

    memories: list[str]
    offers: list[str]
    recent: list[str]

    @property
    def said(self) -> str:
        """Empty where there are none."""
        kinds = (("memories", self.memories), ("offers", self.offers), ("recent ones", self.recent))
        return ", ".join(f"{len(ids):,} {kind} ({_some(ids)})" for kind, ids in kinds if ids)


def strangers(source: MovableStore, target: MovableStore, *, now: datetime) -> Strangers:
    offered = {offer.id for offer, _ in offers_of(source)}
    recent = {one.memory.id for one in recent_of(source, now=now)}
    return Strangers(
        list(_missing(source, target)),
        [offer.id for offer, _ in offers_of(target) if offer.id not in offered],
        [i for one in recent_of(target, now=now) if (i := one.memory.id) not in recent],
    )


def _missing(source: Store, target: Store) -> Iterator[str]:
    for page in memories_of(target):
        ids = [memory.id for memory in page]
        yield from (i for i, there in zip(ids, source.get(ids), strict=True) if there is None)


def _some(ids: Sequence[str]) -> str:
    return ", ".join(ids[:_NAMED]) + (", …" if len(ids) > _NAMED else "")
