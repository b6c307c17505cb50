"""What was told, in the order told: memories with their history, their passages, their spaces."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from bethink.errors import Conflict, NotFound, unknown_space
from bethink.filters import Filter, matches
from bethink.stores.in_memory.embeddings import Embeddings
from bethink.stores.in_memory.held import Held, beside, held_of, more, page_of, said
from bethink.stores.protocol import Neighbours, Page, Written
from bethink.stores.told_again import takes_in
from bethink.text.searched import searched_alike
from bethink.vocabulary import GLOBAL_SPACE, Action, Entry, Memory, Passage, Revision, SpaceInfo


class Truth:
    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.RLock()
        self._memories: dict[str, Memory] = {}
        self._numbers: dict[str, int] = {}  # the order told
        self._identities: dict[str, str] = {}
        self._history: dict[str, list[Revision]] = {}
        self._passages: dict[str, list[Held]] = {}
        self._spaces: dict[str, None] = {GLOBAL_SPACE: None}
        self._embeddings = Embeddings()
        self._handles = 0
        self._told = 0

    def put(self, entries: Sequence[Entry], *, fingerprint: str | None = None) -> list[Written]:
        with self._lock:
            self._refuse(entries, fingerprint)
            return [self._put(entry, fingerprint) for entry in entries]

    def _refuse(self, entries: Sequence[Entry], fingerprint: str | None) -> None:
        """Check all before writing any: a write is all or nothing."""
        seen: dict[str, Memory] = {}
        fresh: list[Entry] = []
        same: dict[tuple[str, str], list[Memory]] = defaultdict(list)
        for memory in self._memories.values():
            same[memory.space, self._identities[memory.id]].append(memory)
        for entry in entries:
            memory = entry.memory
            before = self._memories.get(memory.id) or seen.get(memory.id)
            if before is not None:
                if said(before) != said(memory):
                    raise Conflict(
                        f"the id {memory.id!r} is taken by another memory in space "
                        f"{before.space!r}; use 'revise' to change it, or another id"
                    )
                continue
            told = same[memory.space, entry.identity]
            if entry.merge and any(takes_in(m.valid_from, m.valid_to, memory) for m in told):
                continue
            told.append(memory)
            seen[memory.id] = memory
            fresh.append(entry)
        for entry in fresh:
            self._embeddings.check(entry, fingerprint)

    def _put(self, entry: Entry, fingerprint: str | None) -> Written:
        memory = entry.memory
        self._spaces.setdefault(memory.space)
        if memory.id in self._memories:
            return Written(Action.UNCHANGED, memory.id)
        holder = self._holder(entry)
        if entry.merge and holder is not None:
            self.touch(accessed={}, reinforced={holder: 1})
            return Written(Action.REINFORCED, holder)
        self._identities[memory.id] = entry.identity
        self._told += 1
        self._numbers[memory.id] = self._told  # first: who reads meanwhile sorts by it
        self._memories[memory.id] = memory
        if entry.history:
            self._history[memory.id] = list(entry.history)
        self._index(entry, fingerprint)
        return Written(Action.CREATED, memory.id)

    def _holder(self, entry: Entry) -> str | None:
        """The oldest memory of the space that says the same, of the same time."""
        told = (m for m in self._in(None) if m.space == entry.memory.space)
        same = (m for m in told if self._identities[m.id] == entry.identity)
        return next((m.id for m in same if takes_in(m.valid_from, m.valid_to, entry.memory)), None)

    def _index(self, entry: Entry, fingerprint: str | None) -> None:
        self._passages[entry.memory.id] = held_of(entry, fingerprint, after=self._handles)
        self._handles += len(entry.passages)

    def known(self, entries: Sequence[Entry]) -> list[bool]:
        return [
            e.memory.id in self._memories or (e.merge and self._holder(e) is not None)
            for e in entries
        ]

    def revise(self, entry: Entry, *, fingerprint: str | None = None) -> None:
        self.revise_many([entry], fingerprint=fingerprint)

    def revise_many(
        self, entries: Sequence[Entry], *, fingerprint: str | None = None, history: bool = True
    ) -> None:
        with self._lock:
            for entry in entries:  # check all before writing any
                former = self._memories.get(entry.memory.id)
                if former is None:
                    raise NotFound(f"no memory has the id {entry.memory.id!r}")
                if former.space != entry.memory.space:
                    raise Conflict(
                        f"{former.id!r} belongs to space {former.space!r}; "
                        "a memory cannot move to another"
                    )
                if not searched_alike(former, entry.memory):
                    self._embeddings.check(entry, fingerprint)
            for entry in entries:
                self._revise(entry, fingerprint, history)

    def _revise(self, entry: Entry, fingerprint: str | None, history: bool) -> None:
        memory = entry.memory
        former = self._memories[memory.id]
        if history:
            self._history.setdefault(memory.id, []).insert(0, Revision(former, memory.updated_at))
        self._identities[memory.id] = entry.identity
        self._memories[memory.id] = memory
        if not searched_alike(former, memory):
            self._index(entry, fingerprint)

    def get(
        self, ids: Sequence[str], *, spaces: Sequence[str] | None = None
    ) -> list[Memory | None]:
        found = [self._memories.get(memory_id) for memory_id in ids]
        if spaces is None:
            return found
        return [m if m is not None and m.space in spaces else None for m in found]

    def fetch(self, keys: Sequence[tuple[str, int]]) -> list[tuple[Memory, Passage] | None]:
        fetched: list[tuple[Memory, Passage] | None] = []
        for memory_id, ordinal in keys:
            passages = [h.passage for h in self._passages.get(memory_id, ())]
            passage = next((p for p in passages if p.ordinal == ordinal), None)
            fetched.append(None if passage is None else (self._memories[memory_id], passage))
        return fetched

    def delete(self, ids: Sequence[str]) -> list[bool]:
        with self._lock:
            return [self._delete(memory_id) for memory_id in ids]

    def _delete(self, memory_id: str) -> bool:
        if self._memories.pop(memory_id, None) is None:
            return False
        self._numbers.pop(memory_id)
        self._passages.pop(memory_id)
        self._history.pop(memory_id, None)
        self._identities.pop(memory_id)
        return True

    def open_space(self, space: str) -> None:
        with self._lock:
            self._spaces.setdefault(space)

    def delete_space(self, space: str) -> int:
        with self._lock:
            ids = [m.id for m in self._in([space])]
            self.delete(ids)
            if space != GLOBAL_SPACE:
                self._spaces.pop(space)
            return len(ids)

    def _in(self, spaces: Sequence[str] | None) -> list[Memory]:
        for name in spaces or ():
            if name not in self._spaces:
                raise unknown_space(name, self._spaces)
        told = sorted(self._memories.values(), key=lambda m: self._numbers[m.id])
        return [m for m in told if spaces is None or m.space in spaces]

    def finish_erasing(self, texts: Sequence[str] = ()) -> bool:
        return True

    def scan(
        self,
        *,
        spaces: Sequence[str] | None = None,
        where: Filter | None = None,
        newest_first: bool = False,
        cursor: str | None = None,
        limit: int = 100,
        damaged: list[str] | None = None,
    ) -> Page:
        found = [m for m in self._in(spaces) if matches(m, where)]
        return page_of(found, self._numbers, newest_first=newest_first, cursor=cursor, limit=limit)

    def count(self, *, spaces: Sequence[str] | None = None, where: Filter | None = None) -> int:
        return sum(matches(m, where) for m in self._in(spaces))

    def history(self, memory_id: str) -> list[Revision]:
        return list(self._history.get(memory_id, ()))

    def touch(self, *, accessed: Mapping[str, int], reinforced: Mapping[str, int]) -> None:
        with self._lock:
            for memory_id in accessed.keys() | reinforced.keys():
                memory = self._memories.get(memory_id)
                if memory is not None:
                    self._memories[memory_id] = replace(
                        memory,
                        access_count=more(memory.access_count, accessed.get(memory_id, 0)),
                        reinforcement=more(memory.reinforcement, reinforced.get(memory_id, 0)),
                    )

    def spaces(self) -> list[SpaceInfo]:
        infos: list[SpaceInfo] = []
        for name in sorted(self._spaces):
            held = self._held([name])
            count = sum(m.space == name for m in self._memories.values())
            pending = sum(self._embeddings.active not in h.vectors for h in held)
            infos.append(SpaceInfo(name, count, len(held), pending))
        return infos

    def pending(self, spaces: Sequence[str]) -> int:
        return sum(self._embeddings.active not in h.vectors for h in self._held(spaces))

    def _held(self, spaces: Sequence[str] | None) -> list[Held]:
        every = [h for m in self._in(spaces) for h in self._passages[m.id]]
        return sorted(every, key=lambda h: h.handle)

    def neighbours(self, ids: Sequence[str]) -> list[Neighbours]:
        with self._lock:
            lines = {space: [m.id for m in self._in([space])] for space in self._spaces}
            return [beside(memory_id, lines.values()) for memory_id in ids]
