"""Documents into the store, many at a time, so that whatever is interrupted can be done again.

A new document that fits goes in one transaction with others, card and sections: it is there or not.
What takes several has a card that says "unfinished" before the first and until after the last.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from bethink.engine.whole_documents import forget_documents
from bethink.errors import Conflict, NotFound
from bethink.knowledge.documents.made import Made, Told, reads_the_same, unfinished
from bethink.recall.document_parts import section_id, sections_of
from bethink.text.redaction import noted_together
from bethink.vocabulary import Memory

if TYPE_CHECKING:
    from bethink.engine import Engine

# In one transaction. Of one passage each they would be some thousands; others wait for that long.
AT_ONCE = 2_000  # sections
CHARS_AT_ONCE = 2_000_000
_LOOKED_FOR = 1_000  # texts, of those that went
_TRIES = 5  # while another process writes the same document

T = TypeVar("T")


class Put(NamedTuple):
    """By the ids of the cards."""

    notes: dict[str, list[str]]
    failed: dict[str, str]  # why


class Keeper:
    def __init__(self, engine: Engine, space: str) -> None:
        self._engine = engine
        self._space = space
        self._erased: list[str] = []  # texts that went, and may be left in files

    def put(self, documents: Sequence[tuple[Made, Memory | None]]) -> Put:
        """Write documents, each with the card that is there already, if one is. One that others
        are in the way of stops none of the rest."""
        fresh = [made for made, held in documents if held is None]
        small = [made for made in fresh if len(made.sections) < AT_ONCE]
        others = [(made, held) for made, held in documents if held or len(made.sections) >= AT_ONCE]
        notes: dict[str, list[str]] = {made.id: [] for made, _ in documents}
        failed: dict[str, str] = {}
        for some in _batches(small):
            told = [(one.id, told) for one in some for told in (one.card, *one.sections)]
            try:
                receipts = self._engine.remember_many([one for _, one in told])
            except Conflict:  # a part of one is there without its card
                others += [(made, None) for made in some]
            else:
                for (ident, _), receipt in zip(told, receipts, strict=True):
                    notes[ident] += receipt.notes
        for made, held in others:
            try:
                notes[made.id] += self._while_others_write(made, held)
            except Conflict as e:
                failed[made.id] = str(e)
            except NotFound:
                failed[made.id] = "another process is removing it; add it again"
        left = self._finish()
        for made, _ in others:
            notes[made.id] += left
        return Put({ident: noted_together(said) for ident, said in notes.items()}, failed)

    def _while_others_write(self, made: Made, held: Memory | None) -> list[str]:
        """What was there a moment ago may be gone, and what was not may be there."""
        for _ in range(_TRIES - 1):
            try:
                return self._replace(made, held)
            except (Conflict, NotFound):
                held = self._engine.get(made.id, space=self._space)
        return self._replace(made, held)

    def remove(self, cards: Sequence[Memory]) -> tuple[int, list[str]]:
        """Erase documents; how many memories went, and what is left of them for now."""
        return forget_documents(self._engine, cards, space=self._space)

    def _forget(self, ids: Sequence[str]) -> int:
        held = self._engine.store.get(list(ids), spaces=[self._space])
        self._erased += [one.text for one in held if one is not None]
        return self._engine.forget_many(ids, space=self._space, finish=False)

    def _finish(self) -> list[str]:
        """Once for all: the whole file is looked through for what may be left of them."""
        texts, self._erased = self._erased[:_LOOKED_FOR], []
        return self._engine._finish_erasing(texts) if texts else []

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
            for some in _chunks([made.id, *ids], AT_ONCE)
            for one in self._engine.store.get(some)
            if one is not None
        }
        for one in known.values():
            if one.space != self._space:
                raise Conflict(
                    f"a memory of another space has the id {one.id!r}; forget that one "
                    "('bethink forget ID') and add the document again"
                )
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
        # never told anew: whoever removed the card meanwhile removed its sections
        return [*notes, self._engine.replace_many([made.card], finish=False)]

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
