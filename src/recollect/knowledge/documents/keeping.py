"""Documents into the store, many at a time, so that whatever is interrupted can be done again.

A new document that fits goes in one transaction with others, card and sections: it is there or not.
What takes several has a card that says "unfinished" before the first and until after the last.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, TypeVar

from recollect.errors import Conflict
from recollect.knowledge.documents.made import Made, Told, reads_the_same, unfinished
from recollect.recall.document_parts import section_id, sections_of
from recollect.vocabulary import Memory

if TYPE_CHECKING:
    from recollect.engine import Engine

# In one transaction. Of one passage each they would be some thousands; others wait for that long.
AT_ONCE = 2_000  # sections
CHARS_AT_ONCE = 2_000_000
_LOOKED_FOR = 1_000  # texts, of those that went

T = TypeVar("T")


class Keeper:
    def __init__(self, engine: Engine, space: str) -> None:
        self._engine = engine
        self._space = space
        self._erased: list[str] = []  # texts that went, and may be left in files

    def put(self, documents: Sequence[tuple[Made, Memory | None]]) -> list[str]:
        """Write documents, each with the card that is there already, if one is; notes."""
        fresh = [made for made, held in documents if held is None]
        small = [made for made in fresh if len(made.sections) < AT_ONCE]
        others = [(made, held) for made, held in documents if held or len(made.sections) >= AT_ONCE]
        notes: list[str] = []
        for some in _batches(small):
            try:
                notes += self._tell([told for one in some for told in (one.card, *one.sections)])
            except Conflict:  # a part of one is there without its card
                others += [(made, None) for made in some]
        for made, held in others:
            notes += self._replace(made, held)
        self._finish()
        return list(dict.fromkeys(notes))

    def remove(self, cards: Sequence[Memory]) -> int:
        """Erase documents; how many memories went. Where that takes several transactions, their
        cards say "unfinished" meanwhile, and go last."""
        if sum(map(sections_of, cards)) + len(cards) > AT_ONCE:
            for some in _chunks(cards, AT_ONCE):
                told = [unfinished(_told(card), sections=sections_of(card)) for card in some]
                self._engine.replace_many(told, finish=False)
        parts = (section_id(card.id, at) for card in cards for at in range(sections_of(card)))
        ids = chain(parts, (card.id for card in cards))
        gone = 0
        while batch := list(islice(ids, AT_ONCE)):
            gone += self._forget(batch)
        self._finish()
        return gone

    def _forget(self, ids: Sequence[str]) -> int:
        held = self._engine.store.get(list(ids), spaces=[self._space])
        self._erased += [one.text for one in held if one is not None]
        return self._engine.forget_many(ids, space=self._space, finish=False)

    def _finish(self) -> None:
        """Once for all: the whole file is looked through for what may be left of them."""
        if self._erased:
            self._engine.store.finish_erasing(self._erased[:_LOOKED_FOR])
            self._erased = []

    def amend(self, card: Memory, **metadata: Any) -> None:
        """Change what a card says beside its text."""
        told = _told(card)
        self._engine.replace_many([{**told, "metadata": {**card.metadata, **metadata}}])

    def _replace(self, made: Made, held: Memory | None) -> list[str]:
        """Sections that read the same stay as they are."""
        before = 0 if held is None else sections_of(held)
        count = max(before, len(made.sections))
        ids = [section_id(made.id, at) for at in range(count)]
        known = {
            one.id: one
            for some in _chunks(ids, AT_ONCE)
            for one in self._engine.store.get(some, spaces=[self._space])
            if one is not None
        }
        new = [told for told in made.sections if told["id"] not in known]
        changed = [
            told
            for told in made.sections
            if told["id"] in known and not reads_the_same(known[told["id"]], told)
        ]
        surplus = [one for one in ids[len(made.sections) :] if one in known]
        notes = self._card(unfinished(made.card, sections=count))
        for some in _chunks(surplus, AT_ONCE):
            self._forget(some)
        self._erased += [known[told["id"]].text for told in changed]
        for told in _chunks(changed, AT_ONCE):
            notes.append(self._engine.replace_many(told, finish=False))
        for told in _chunks(new, AT_ONCE):
            notes += self._tell(told)
        return [*filter(None, notes), *self._card(made.card)]

    def _card(self, told: Told) -> list[str]:
        if self._engine.get(told["id"], space=self._space) is None:
            return self._tell([told])
        return [self._engine.replace_many([told], finish=False)]

    def _tell(self, told: Sequence[Told]) -> list[str]:
        """In one transaction: fewer than the engine takes in one batch."""
        return [note for one in self._engine.remember_many(told) for note in one.notes]


def _told(card: Memory) -> Told:
    names = ("id", "space", "kind", "text", "source", "provenance", "metadata")
    return {name: getattr(card, name) for name in names}


def _batches(documents: Sequence[Made]) -> Iterator[list[Made]]:
    some: list[Made] = []
    sections = chars = 0
    for one in documents:
        if some and (sections + len(one.sections) > AT_ONCE or chars + one.chars > CHARS_AT_ONCE):
            yield some
            some, sections, chars = [], 0, 0
        some.append(one)
        sections += len(one.sections) + 1
        chars += one.chars
    if some:
        yield some


def _chunks(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    for at in range(0, len(items), size):
        yield items[at : at + size]
