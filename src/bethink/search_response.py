"""An answer in the form of a notebook's search: results, their cost, what is left of the budget.

The field names are part of the contract with programs that call a notebook's search; a
`Recollection` has more. It is a module of its own because few answers are wanted in this form, and
a cold start should not pay for the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bethink.vocabulary import Hit, Recollection


@dataclass(frozen=True, slots=True)
class SearchResult:
    """One passage that was found."""

    chunk_id: str  # the memory's id and the number of the passage in it: `ID#0`
    uri: str  # the memory's source, else `memory:ID`
    content: str
    score: float
    memory_type: str  # the memory's kind
    section: str
    reinforcement: int
    token_count: int
    verified: bool = True  # False: heard, and not reviewed yet
    uncertain: bool = False  # True: the answer is only perhaps about what was asked

    @classmethod
    def of(cls, hit: Hit, *, uncertain: bool = False) -> SearchResult:
        """Return the result for a hit of an answer that is or is not `uncertain`."""
        memory = hit.memory
        return cls(
            chunk_id=f"{memory.id}#{hit.passage.ordinal}",
            uri=memory.source or f"memory:{memory.id}",
            content=hit.text,
            score=hit.score,
            memory_type=memory.kind,
            section=memory.section,
            reinforcement=memory.reinforcement,
            token_count=hit.tokens,
            verified=memory.verified,
            uncertain=uncertain,
        )

    def as_record(self) -> dict[str, Any]:
        """Return JSON-ready values; `verified` only where it is false, `uncertain` where true."""
        record = {name: getattr(self, name) for name in self.__slots__}
        if self.verified:
            del record["verified"]
        if not self.uncertain:
            del record["uncertain"]
        return record

    to_dict = as_record


@dataclass(frozen=True, slots=True)
class SearchResponse:
    """The results in order, their tokens, and the tokens that are left of the budget."""

    results: tuple[SearchResult, ...]
    total_tokens: int
    budget_remaining: int

    @classmethod
    def of(cls, answer: Recollection) -> SearchResponse:
        """Return the response for an answer."""
        return cls(
            results=tuple(
                SearchResult.of(hit, uncertain=answer.status == "uncertain") for hit in answer.hits
            ),
            total_tokens=answer.tokens_used,
            budget_remaining=answer.tokens_left,
        )

    def as_record(self) -> dict[str, Any]:
        """Return JSON-ready values."""
        return {
            "results": [result.as_record() for result in self.results],
            "total_tokens": self.total_tokens,
            "budget_remaining": self.budget_remaining,
        }

    to_dict = as_record
