"""An answer: its text, who wrote it, what it cites, and how far to trust it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from bethink.knowledge.citations import Citation
from bethink.knowledge.passages import Passages
from bethink.knowledge.turns import Turn
from bethink.vocabulary import Status

_REFERENCES = 5  # of an answer that is the passages themselves


@dataclass(frozen=True, slots=True)
class Answer:
    """`text` holds marks like [2], each the number of a citation. Where no model wrote it, it is
    the cited passages themselves."""

    question: str
    asked_as: str  # what was searched for: a follow-up is made whole first
    text: str
    by: Literal["llm", "passages"]
    citations: tuple[Citation, ...]  # that the text cites, in the order of their numbers
    passages: Passages  # all that were found
    status: Status
    reasons: tuple[str, ...] = ()
    known: bool = True  # False: nothing that was found answers it
    uncited: bool = False  # a model wrote it, and cites nothing: look at the passages
    unsupported: tuple[str, ...] = ()  # sentences that share nothing with what they cite

    def __str__(self) -> str:
        return self.text

    @property
    def turn(self) -> Turn:
        """For the history of the next question."""
        cited = self.citations if self.by == "llm" else self.citations[:_REFERENCES]
        return Turn(self.question, self.text if self.by == "llm" else "", cited)

    def as_data(self, *, explain: bool = False) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "question": self.question,
            "asked_as": self.asked_as,
            "answer": self.text,
            "by": self.by,
            "known": self.known,
            "uncited": self.uncited,
            "unsupported": list(self.unsupported),
            "citations": [one.as_data() for one in self.citations],
            "status": self.status.value,
            "reasons": list(self.reasons),
            "passages": self.passages.as_data(explain=explain),
        }

    to_dict = as_data
