"""The turns so far, with what is needed to make the next question whole."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from bethink.errors import BethinkError
from bethink.filters import matches
from bethink.knowledge.turns import Reference, Turn, turns_from
from bethink.vocabulary import Recollection

if TYPE_CHECKING:
    from bethink.engine import Engine
    from bethink.knowledge.follow_ups import AskedAs

_NAME = 60  # characters of a memory that has neither heading nor title
_LEAST = 0.001  # seconds that are left for the search, whatever the model took


class Whole(NamedTuple):
    """A question made whole, and what that took."""

    asked: str
    made: AskedAs | None  # None: there was nothing to lean on
    took: float = 0.0  # seconds

    @property
    def text(self) -> str:
        return self.asked if self.made is None else self.made.text

    def left(self, deadline: float | None) -> float | None:
        """Of the deadline, for the search."""
        return None if deadline is None else max(_LEAST, deadline - self.took)

    def noted(self, recollection: Recollection) -> Recollection:
        """The answer, with what became of the question in its trace."""
        if self.made is None:
            return recollection
        from bethink.knowledge.rewriting import with_step

        return with_step(recollection, self.made, self.took)


class Conversation(NamedTuple):
    engine: Engine
    turns: tuple[Turn, ...]
    spaces: tuple[str, ...]

    @classmethod
    def of(
        cls, engine: Engine, history: Sequence[Turn | Mapping[str, Any]], spaces: Sequence[str]
    ) -> Conversation:
        return cls(engine, turns_from(history) if history else (), tuple(spaces))

    def made_whole(self, question: str, deadline: float | None) -> Whole:
        if not self.turns:
            return Whole(question, None)
        from bethink.knowledge.rewriting import SECONDS, asked_as

        began = time.perf_counter()
        most = self.engine.settings_for(self.spaces).deadline if deadline is None else deadline
        llm, fault = None, ""
        try:
            llm = self.engine.llm
        except BethinkError as e:
            fault = f"the question was read by rules: {e}"
        made = asked_as(
            question,
            self.turns,
            heading_of=self._heading_of,
            llm=llm,
            seconds=min(SECONDS, most / 2),
        )
        if fault:
            made = made._replace(fault=fault)
        return Whole(question, made, time.perf_counter() - began)

    def _heading_of(self, reference: Reference) -> str:
        """What people call it: only of what these spaces hold and do not withhold."""
        memory = self.engine.store.get([reference.memory_id], spaces=self.spaces)[0]
        if memory is None or not matches(memory, self.engine.withheld.out_of_reach(self.spaces)):
            return ""
        told = memory.section.split("›")[-1].strip() or memory.metadata.get("title")
        if isinstance(told, str) and told.strip():
            return told.strip()
        return " ".join(memory.text[:_NAME].split())
