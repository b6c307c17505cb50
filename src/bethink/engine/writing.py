"""Telling, changing and forgetting."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bethink.checks import check_space, shown
from bethink.engine.shared import Shared
from bethink.errors import (
    BethinkError,
    InvalidInput,
    NotFound,
    StoreCorrupt,
    no_such_memory,
)
from bethink.recall.document_parts import DOCUMENT
from bethink.relocate.unfinished import warning
from bethink.stores.damage import damage_of
from bethink.stores.protocol import Owes
from bethink.vocabulary import (
    SUPERSEDES,
    Action,
    Memory,
    Progress,
    Receipt,
)

if TYPE_CHECKING:
    pass


_HELD_BY_READERS = (
    "it is found no more, but another process is reading: its bytes leave the store's log when "
    "that reader is done and anything is written or closed"
)


class Writing(Shared):
    """What changes memories."""

    def remember(
        self,
        text: str,
        *,
        space: str = "",
        supersedes: str | None = None,
        merge: str = "corrections",
        speaker: str | None = None,
        role: str | None = None,
        conversation: str | None = None,
        **fields: Any,
    ) -> Receipt:
        """Remember one thing. The receipt means that it is on disk.

        Fields: id, kind, section, tags, entities, source, provenance, confidence, occurred_at,
        valid_from, valid_to, metadata. Told again in the same words, it is reinforced.

        `speaker` (a name), `role` (user, assistant, tool or other) and `conversation` (its name or
        id) say who said it and where. They are kept in the metadata, and recall uses them.

        A space that has a notebook keeps preferences, decisions and the like in its files: told
        again in other words they are reinforced there, and a correction takes the old line's place.
        Preferences, instructions and entities told in a project go to `global` unless a space is
        named. `supersedes` names the memory whose place this one takes.

        `merge` says what becomes of what is known. By default ("corrections") a text that surely
        corrects an older one takes its place; the older is kept as history, and the receipt says
        so. "words" never does that. "meaning" also counts what is the same in other words.
        """
        told = {**fields, "text": text, "space": space or self.settings.space}
        said = {"speaker": speaker, "role": role, "conversation": conversation}
        told |= {name: value for name, value in said.items() if value is not None}
        corrections = merge == "corrections" and supersedes is None
        plainly = self._remember_judged if corrections else self._remember_plainly
        in_store = supersedes is None and merge in ("words", "corrections")
        if in_store and self._bookkeeping.in_use() is None:
            return plainly(told)
        return self._warned(
            self._bookkeeping.remember(
                told, plainly, space=space, supersedes=supersedes, merge=merge
            )
        )

    def _warned(self, receipt: Receipt) -> Receipt:
        """With what whoever writes here must know; nothing, as a rule."""
        said = warning(self.store)
        if not said or said in receipt.notes:
            return receipt
        return receipt._replace(notes=(*receipt.notes, said))

    def _remember_plainly(self, told: Mapping[str, Any]) -> Receipt:
        stream = self._parts.writer.remember_stream([told], progress=None, refused=None)
        (receipt,) = stream
        return receipt

    def _remember_judged(self, told: Mapping[str, Any]) -> Receipt:
        return self.remember_many([told])[0]

    def remember_many(
        self, told: Iterable[Mapping[str, Any] | str], *, progress: Progress | None = None
    ) -> list[Receipt]:
        """Remember many things, a durable batch at a time. Each is a text or a mapping of fields.
        Of up to 20, what says itself that something has changed supersedes what it surely
        corrects."""
        if isinstance(told, str | Mapping) or not isinstance(told, Iterable):
            kind = type(told).__name__
            raise InvalidInput(
                f"expected a list of texts or objects, got {kind}; remember takes one"
            )
        each = ({"text": one} if isinstance(one, str) else one for one in told)
        many = list(each) if isinstance(told, Sequence) else each  # a list tells its length
        return list(self.remember_stream(many, progress=progress))

    def remember_stream(
        self,
        told: Iterable[Mapping[str, Any]],
        *,
        progress: Progress | None = None,
        refused: Callable[[int, BethinkError], None] | None = None,
    ) -> Generator[Receipt, None, None]:
        """The same, giving each receipt as soon as its batch is on disk.

        `refused` is called with the number (from 1) of an item that cannot be taken, and the rest
        goes on; without it, the first such item stops everything from its batch on.
        """
        if not isinstance(told, Iterable):
            raise InvalidInput(f"expected a list of objects, got {type(told).__name__}")
        return self._parts.writer.remember_stream(
            told, progress=progress, refused=refused, corrections=True
        )

    def revise(self, memory_id: str, **fields: Any) -> Receipt:
        """Change a memory. Its former form stays in the history. What stands in a notebook's file
        is changed there too."""
        from bethink.remember.ingress import with_speaker_revised

        memory = self._existing(memory_id)
        told = with_speaker_revised(memory, fields)
        receipt = self._bookkeeping.revise(memory, told, self._parts.writer.revise)
        if fields.get("text") not in (None, memory.text):
            self._parts.erase_questions(memory_id)  # they may hold the words that went
        return self._warned(receipt)

    def replace_many(self, told: Sequence[Mapping[str, Any]], *, finish: bool = True) -> str:
        """Put what is told now in the place of the memories with these ids, all together. No former
        form is kept: for what is read from somewhere and now reads otherwise there. Why words alone
        find it, if so. Without `finish`, whoever calls finishes erasing the former texts."""
        self._accesses.flush()
        ids = [str(one.get("id")) for one in told]
        formers: list[Memory] = []
        for memory_id, former in zip(ids, self.store.get(ids), strict=True):
            if former is None:
                raise no_such_memory(memory_id)
            formers.append(former)
        note = self._parts.writer.replace_many(formers, told)
        self._parts.erase_questions(*ids)
        gone = [f.text for f, one in zip(formers, told, strict=True) if f.text != one.get("text")]
        if finish and gone:
            self.store.finish_erasing(gone)
        return note

    def reinforce(self, memory_id: str, times: int = 1) -> Receipt:
        """Count that something was told again."""
        if isinstance(times, bool) or not isinstance(times, int) or not 1 <= times <= 1_000_000:
            raise InvalidInput(
                f"times: expected a whole number from 1 to 1,000,000, got {shown(times)}"
            )
        memory = self._existing(memory_id)
        self.store.touch(accessed={}, reinforced={memory_id: times})
        return self._warned(Receipt(memory.id, memory.space, Action.REINFORCED))

    def forget(self, memory_id: str, *, spaces: Sequence[str] | None = None) -> Receipt:
        """Erase a memory: text, history, words, vectors and the write-ahead log; of a notebook the
        line in its file too, and the lines of `history.md` whose place it took. What was offered in
        the same words goes with it; an offer that was never promoted is erased by its id too.
        A document's card takes its sections with it.
        With `spaces`, only what is in one of them is found."""
        try:
            memory = self.get(memory_id)
        except StoreCorrupt:
            return self._warned(self._forget_damaged(memory_id, spaces))
        if memory is not None and self._is_a_document(memory, spaces):
            return self._warned(self._forget_document(memory))
        with self.tiers.alone():  # whoever promotes it just now must not bring it back
            return self._warned(self._forget(memory_id, spaces))

    def _forget_damaged(self, memory_id: str, spaces: Sequence[str] | None) -> Receipt:
        """Erase a memory of which nothing can be read but its id and its space."""
        with self.tiers.alone():
            damage = damage_of(self.store)
            before = damage.number
            self.store.get([memory_id])
            where = damage.space_of(memory_id, after=before)
            if where is None or (spaces is not None and where not in spaces):
                raise no_such_memory(memory_id)
            self._accesses.drop(memory_id)
            offer = self.tiers.get(memory_id, spaces=spaces)
            if offer is not None:
                self.tiers.erase(offer.memory)
            self.store.delete([memory_id])
            self.withheld.remove(self.withheld.ids(where) & {memory_id})
            self._parts.erase_questions(memory_id)
            held = self._finish_erasing([])
        return Receipt(
            memory_id, where, Action.FORGOTTEN, notes=("it was damaged; all of it is erased", *held)
        )

    def _is_a_document(self, memory: Memory, spaces: Sequence[str] | None) -> bool:
        return (
            memory.kind == DOCUMENT
            and (spaces is None or memory.space in spaces)
            and not self._bookkeeping.stands_in_a_book(memory)
        )

    def _forget_document(self, card: Memory) -> Receipt:
        from bethink.engine.whole_documents import forget_documents

        gone, notes = forget_documents(self, [card], space=card.space)
        if not gone:
            raise NotFound(f"no memory has the id {card.id!r}; somebody else forgot it just now")
        return Receipt(card.id, card.space, Action.FORGOTTEN, notes=tuple(notes))

    def _forget(self, memory_id: str, spaces: Sequence[str] | None) -> Receipt:
        memory = self.get(memory_id)
        if memory is not None and spaces is not None and memory.space not in spaces:
            memory = None
        offer = self.tiers.get(memory_id, spaces=spaces)
        if memory is None and offer is not None:
            kept = self.tiers.held_by(offer)
            self.tiers.erase(offer.memory)
            self._parts.erase_questions(memory_id)
            said = self._finish_erasing([offer.memory.text])
            if kept is not None:
                said.append(f"long-term memory holds these words as {kept}: forget that one too")
            return Receipt(offer.id, offer.space, Action.FORGOTTEN, notes=tuple(said))
        if memory is None:
            raise no_such_memory(memory_id)
        self._accesses.drop(memory_id)
        self.tiers.erase(memory)
        notes = self._bookkeeping.forget(memory)
        if notes is None and self.store.delete([memory_id]) != [True]:
            raise NotFound(f"no memory has the id {memory_id!r}; somebody else forgot it just now")
        self.withheld.remove(self.withheld.ids(memory.space) & {memory_id})
        self._parts.erase_questions(memory_id)
        if SUPERSEDES in memory.metadata:
            from bethink.remember.succession import taken_back

            again = [f"{old.id} holds again" for old in taken_back(self.store, memory)]
            notes = (*(notes or ()), *again)
        held = self._finish_erasing([memory.text])
        return Receipt(memory.id, memory.space, Action.FORGOTTEN, notes=(*(notes or ()), *held))

    def _finish_erasing(self, texts: Sequence[str]) -> list[str]:
        """Look for what the files still hold of forgotten texts, and erase it; where something is
        left for now (nowhere, as a rule)."""
        copied = self._parts.hot.owed()
        if self.store.finish_erasing(texts):
            return copied
        owed = self.store.owed() if isinstance(self.store, Owes) else []
        return [*(owed or [_HELD_BY_READERS]), *copied]

    def forget_many(self, ids: Sequence[str], *, space: str, finish: bool = True) -> int:
        """Erase many memories of a space as `forget` does, all together; how many there were. Not
        for what a notebook's file says: that is forgotten line by line. Without `finish`, whoever
        calls finishes erasing."""
        with self.tiers.alone():
            found = [one for one in self.store.get(list(ids), spaces=[space]) if one is not None]
            for memory in found:
                if self._bookkeeping.stands_in_a_book(memory):
                    raise InvalidInput(
                        f"{memory.id} stands in a notebook's file; forget it by itself"
                    )
            gone = [memory.id for memory in found]
            for memory in found:
                self._accesses.drop(memory.id)
            self.tiers.erase_many(found, space=space)
            self.store.delete(gone)
            self.withheld.remove(self.withheld.ids(space) & set(gone))
            self._parts.erase_questions(*gone)
            if finish:
                self.store.finish_erasing([memory.text for memory in found])
            return len(gone)

    def forget_space(self, space: str) -> int:
        """Erase a space and all that it holds; how many memories went. A space that is read from a
        folder must be let go of first: it would come back."""
        self._bookkeeping.refuse_following(check_space(space))
        with self.tiers.alone():
            self._parts.before_erasing()
            self.events.erase_space(space)  # with what waits to be written
            self.tiers.erase_space(space)
            self.overrides.forget_space(space)
            self.withheld.forget_space(space)
            gone = self.store.delete_space(space)
            self._parts.forget_questions()
            return gone
