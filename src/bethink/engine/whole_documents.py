"""A document is forgotten whole: its card alone would leave sections that nobody can name."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING

from bethink.recall.document_parts import section_id, sections_of
from bethink.vocabulary import Memory

if TYPE_CHECKING:
    from bethink.engine.writing import Writing

AT_ONCE = 2_000  # memories in one transaction
_LOOKED_FOR = 1_000  # texts, of those that went
_CARD = ("id", "space", "kind", "text", "source", "provenance", "metadata")


def forget_documents(
    engine: Writing, cards: Sequence[Memory], *, space: str
) -> tuple[int, list[str]]:
    """How many memories went, and what is left of them for now. Where that takes several
    transactions, the cards say "unfinished" meanwhile, and go last."""
    if sum(map(sections_of, cards)) + len(cards) > AT_ONCE:
        _mark(engine, cards, space)
    parts = (section_id(card.id, at) for card in cards for at in range(sections_of(card)))
    ids = chain(parts, (card.id for card in cards))
    gone, texts = 0, list[str]()
    while batch := list(islice(ids, AT_ONCE)):
        held = engine.store.get(batch, spaces=[space])
        texts += [one.text for one in held if one is not None]
        gone += engine.forget_many(batch, space=space, finish=False)
    return gone, engine._finish_erasing(texts[:_LOOKED_FOR]) if texts else []


def _mark(engine: Writing, cards: Sequence[Memory], space: str) -> None:
    from bethink.errors import NotFound

    for at in range(0, len(cards), AT_ONCE):
        ids = [card.id for card in cards[at : at + AT_ONCE]]
        while some := [one for one in engine.store.get(ids, spaces=[space]) if one is not None]:
            try:
                engine.replace_many([_unfinished(card) for card in some], finish=False)
            except NotFound:  # another process removed one just now
                continue
            break


def _unfinished(card: Memory) -> dict[str, object]:
    told = {name: getattr(card, name) for name in _CARD}
    return {**told, "metadata": {**card.metadata, "state": "unfinished"}}
