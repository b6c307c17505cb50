"""What the tiers work with. The engine hands it over; nothing here knows the engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from bethink.clock import Clock
from bethink.settings import Settings
from bethink.stores.protocol import Store
from bethink.stores.tiers import Quarantine, WorkingMemory
from bethink.vocabulary import Memory, Offer, Receipt, Ruling, Tier

if TYPE_CHECKING:
    from bethink.embedders.protocol import Embedder


# Who decides, where nobody did. No principal may be called so.
FILTER, RULES = "the filter", "the rules"


class Kit(NamedTuple):
    store: Store
    settings: Settings
    clock: Clock
    embedder: Callable[[], Embedder | None]
    remember: Callable[[Sequence[Memory], str | None], list[Receipt]]  # may supersede one
    forget: Callable[[Sequence[Memory]], object]  # out of long-term memory
    record: Callable[..., object]  # an event
    settings_for: Callable[[Sequence[str]], Settings]  # with what store and spaces say otherwise

    @property
    def quarantine(self) -> Quarantine:
        return self.store.tiers().quarantine

    @property
    def working(self) -> WorkingMemory:
        return self.store.tiers().working

    def admit(self, memories: Sequence[Memory]) -> None:
        """Into working memory, where each is there once however often it is offered."""
        for space in dict.fromkeys(memory.space for memory in memories):
            rules = self.settings_for([space])
            self.working.add(
                [memory for memory in memories if memory.space == space],
                now=self.clock(),
                keep=rules.working_kept,
                seconds=rules.working_hours * 3600,
            )

    def changed(self, offer: Offer, ruling: Ruling, former: Tier | None, now: Tier) -> None:
        """Tell whoever watches. The text stays here, and so does what a person wrote: forgetting
        an offer must not have to look for quotations in a log of events."""
        self.record(
            "tier_change",
            {
                "offer_id": offer.id,
                "from": None if former is None else former.value,
                "to": now.value,
                "decision": ruling.decision.value,
                "reason": ruling.reason if ruling.by in (FILTER, RULES) else "",
                "by": ruling.by,
                "memory_id": ruling.memory_id,
                "risk": offer.risk,
                "redacted": list(offer.redacted),
                "undo": ruling.undo,
            },
            spaces=[offer.space],
        )
