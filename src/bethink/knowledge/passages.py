"""The answer of a knowledge base: passages with their citations, and how far to trust it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bethink.knowledge.citations import Citation
from bethink.vocabulary import Hit, Recollection, Status, Trace


@dataclass(frozen=True, slots=True)
class Passages:
    """Best first. `recollection` is the whole answer of the engine, with the trace."""

    recollection: Recollection
    citations: tuple[Citation, ...]

    def __iter__(self) -> Iterator[tuple[Hit, Citation]]:
        return zip(self.recollection.hits, self.citations, strict=True)

    def __len__(self) -> int:
        return len(self.citations)

    def __getitem__(self, rank: int) -> tuple[Hit, Citation]:
        return self.recollection.hits[rank], self.citations[rank]

    @property
    def hits(self) -> tuple[Hit, ...]:
        return self.recollection.hits

    @property
    def status(self) -> Status:
        return self.recollection.status

    @property
    def reasons(self) -> tuple[str, ...]:
        return self.recollection.reasons

    @property
    def tokens(self) -> int:
        """What the passages cost together."""
        return self.recollection.tokens_used

    @property
    def asked_as(self) -> str:
        """The question as it was searched for."""
        return self.recollection.query.text

    @property
    def trace(self) -> Trace:
        return self.recollection.trace

    def explain(self) -> list[str]:
        """Every step, what it passed on and what it dropped, as lines for people."""
        from bethink.recall.render import explanation

        return list(explanation(self.recollection))

    def as_text(self, language: str = "en") -> str:
        """For people: each citation, and under it the passage."""
        return "\n\n".join(f"{citation.line(language)}\n{hit.text}" for hit, citation in self)

    def as_data(self, *, explain: bool = False) -> dict[str, Any]:
        """JSON-ready: the engine's record of the answer, with the citation in every hit."""
        from bethink.recall.render import as_record

        record = as_record(self.recollection, explain=explain)
        for hit, citation in zip(record["hits"], self.citations, strict=True):
            hit["citation"] = citation.as_data()
        return record

    to_dict = as_data
