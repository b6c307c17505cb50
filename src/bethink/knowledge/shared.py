"""What every part of a knowledge base shares: the engine and the shelf of its space."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bethink.events.kinds import KNOWLEDGE_CHANGE
from bethink.recall.document_parts import DOCUMENT as DOCUMENT
from bethink.recall.document_parts import SECTION as SECTION
from bethink.shelf import Shelf
from bethink.vocabulary import Json

if TYPE_CHECKING:
    from bethink.engine import Engine

FAQ = "faq"  # a kind of memories, as are DOCUMENT and SECTION
WEB = "web"  # a page that was read for one question; none is ever kept


class Shared:
    def __init__(self, engine: Engine, space: str) -> None:
        """`space` is the knowledge base: all that it holds are memories there."""
        self.engine = engine
        self._shelf = Shelf(engine, space)

    def _changed(self, of: str, action: str, count: int) -> None:
        """Tell whoever watches the base; without any name, so that nothing need be erased."""
        if count:
            data: dict[str, Json] = {"of": of, "action": action, "count": count}
            self.engine.events.later(KNOWLEDGE_CHANGE, lambda: data, spaces=[self.space])

    @property
    def space(self) -> str:
        return self._shelf.space
