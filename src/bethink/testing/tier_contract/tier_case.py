"""What every part of the contract uses: a store's tiers, and short ways to speak of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from bethink.stores.protocol import Store
from bethink.stores.tiers import EventLog, Quarantine, Tiers, WorkingMemory
from bethink.testing.entries import NOON
from bethink.testing.opened_store import OpenedStore
from bethink.vocabulary import Decision, Event, Memory, Offer, Ruling

CHINESE = "项目"
MANY = 10_000


def ids(found: Iterable[Offer | Memory]) -> list[str]:
    return [one.id for one in found]


def ruling(offer_id: str, decision: Decision, reason: str = "seen", **fields: Any) -> Ruling:
    return Ruling(offer_id, decision, reason, "Mei 小美", NOON)._replace(**fields)


def event(kind: str = "recalled", *spaces: str, **data: Any) -> Event:
    return Event(0, NOON, kind, spaces or ("global",), data)


class TierCase(OpenedStore):
    @pytest.fixture
    def open_beside(self) -> Callable[[Store], Store]:
        """How to open a store a second time at once; the same one where that means nothing."""
        return lambda store: store

    @pytest.fixture
    def tiers(self, store: Store) -> Tiers:
        return store.tiers()

    @pytest.fixture
    def quarantine(self, tiers: Tiers) -> Quarantine:
        return tiers.quarantine

    @pytest.fixture
    def working(self, tiers: Tiers) -> WorkingMemory:
        return tiers.working

    @pytest.fixture
    def events(self, tiers: Tiers) -> EventLog:
        return tiers.events
