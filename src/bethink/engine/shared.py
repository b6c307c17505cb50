"""What every part of an engine shares: the store, the settings, and the parts behind it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from bethink.accesses import Accesses
from bethink.assembly import Parts
from bethink.bookkeeping import Bookkeeping
from bethink.checks import is_id
from bethink.clock import Clock
from bethink.errors import InvalidInput, StoreCorrupt, no_such_memory
from bethink.recall.asking import space_names
from bethink.settings import Settings
from bethink.stores.damage import HOW_TO_RESTORE, damage_of
from bethink.stores.protocol import Store
from bethink.vocabulary import (
    Memory,
    SpaceNames,
)

if TYPE_CHECKING:
    from bethink.embedders.protocol import Embedder
    from bethink.events.events import Events
    from bethink.llms.protocol import LLM
    from bethink.overrides import Overrides
    from bethink.tiers.keeper import TierKeeper
    from bethink.withheld import Withheld


class Shared:
    """Made by `Engine`; the others only use it."""

    settings: Settings
    store: Store
    _clock: Clock
    _count_tokens: Callable[[str], int]
    _accesses: Accesses
    _parts: Parts
    _bookkeeping: Bookkeeping

    @property
    def tiers(self) -> TierKeeper:
        """Quarantine and working memory: what was offered, what was decided, and what waits."""
        return self._parts.tiers

    @property
    def overrides(self) -> Overrides:
        return self._parts.overrides

    @property
    def withheld(self) -> Withheld:
        """Documents and other memories that are kept, and that no question finds."""
        return self._parts.withheld

    def now(self) -> datetime:
        """By the clock that dates everything here."""
        return self._clock()

    def count_tokens(self, text: str) -> int:
        """What a text costs of a budget here."""
        return self._count_tokens(text)

    def index_embedder(self) -> Embedder | None:
        """Whoever made the index, for texts that are to be compared with it; None: nobody did."""
        return self._parts.for_writing()

    @property
    def embedder(self) -> Embedder | None:
        """The embedder that was given or that its name stands for; None: meaning is off."""
        given = self._parts.embedder
        return self._parts.embedders.configured() if isinstance(given, str) else given

    @property
    def llm(self) -> LLM | None:
        """The language model, or None: then rules do its work."""
        return self._parts.llm

    @property
    def events(self) -> Events:
        """What happens here, kept for replay: tier changes, nodes of workflows, traces of recalls.
        They can be followed as they happen (docs/reference/events.md)."""
        return self._parts.events

    def settings_for(self, spaces: SpaceNames | None = None) -> Settings:
        """The settings with what the store and these spaces say otherwise. Where several spaces
        differ, the strictest holds."""
        names = () if spaces is None else space_names(spaces, self.settings)
        return self.overrides.settings_for(names)

    def set_override(self, name: str, value: object, *, space: str | None = None) -> None:
        """Set what holds in this store, or in one space of it, whatever the settings say. None
        takes that back. Thresholds, limits and the rules for offers can be set so."""
        self.overrides.set(name, value, space=space)

    def get(self, memory_id: str, *, space: str | None = None) -> Memory | None:
        """A memory by its id, or None."""
        if not isinstance(memory_id, str):
            raise InvalidInput(f"an id is text, got {type(memory_id).__name__}")
        if not is_id(memory_id):
            return None
        self._accesses.flush()
        damage = damage_of(self.store)
        before = damage.number
        found = self.store.get([memory_id], spaces=None if space is None else [space])[0]
        if found is None and memory_id in damage.since(before, None if space is None else [space]):
            raise StoreCorrupt(
                f"the memory {memory_id!r} is damaged: what the store holds is not what was "
                f"stored. Nothing of it is handed out; {HOW_TO_RESTORE}"
            )
        return found

    def _existing(self, memory_id: str) -> Memory:
        memory = self.get(memory_id)
        if memory is None:
            raise no_such_memory(memory_id)
        return memory
