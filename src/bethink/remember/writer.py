"""Everything that changes what is remembered, batch by batch, and what a failed embedder left owed.

Loaded with the first write: a process that only asks never pays for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, tzinfo
from typing import Any

from bethink.clock import Clock
from bethink.embedders.choosing import Embedders
from bethink.embedders.protocol import embed_question, embedding_of
from bethink.errors import BethinkError, EmbedderError, InvalidInput
from bethink.remember import pipeline, transfer
from bethink.remember.batches import batches
from bethink.remember.ingress import accept
from bethink.stores.protocol import Store, WritesElsewhere
from bethink.text.searched import searched_alike
from bethink.vocabulary import TRUST, Entry, Memory, Progress, Receipt

Refused = Callable[[int, BethinkError], None]

_BACKFILL_AT_ONCE = 256
# Of so many told at once corrections are looked for: 11 ms each, where writing 10,000 takes 0.3 s
# without an embedder. Of an import, recall marks what is contradicted.
_FEW = 20
_FIXED = frozenset({"id", "space", "created_at", "updated_at"})
_OFFERED = ("who", "door", "source_hash", "parents", "risk", "vouched", TRUST)
_REVISABLE = (
    "text", "kind", "section", "tags", "entities", "source", "provenance", "confidence",
    "occurred_at", "valid_from", "valid_to", "reinforcement", "access_count", "metadata",
)  # fmt: skip


class Writer:
    def __init__(
        self,
        store: Store,
        embedders: Embedders,
        *,
        space: str,
        clock: Clock,
        notes: pipeline.Notes | None = None,
        redact: bool = True,
        warning: Callable[[], str] | None = None,
        zone: tzinfo = UTC,
    ) -> None:
        self._zone = zone
        self._store = store
        self._embedders = embedders
        self._space = space
        self._clock = clock
        self._kit = pipeline.Kit(store, embedders.for_writing, notes, redact, warning)
        self._may_owe_vectors = True
        self._told = 0

    def close(self) -> None:
        """After many writes, leave files behind with which the next process is fast at once.
        While writing goes on, making them again and again would cost more than it gives."""
        if self._told >= pipeline.BATCH:
            pipeline.keep_fast(self._store)

    def remember_stream(
        self,
        told: Iterable[Mapping[str, Any]],
        *,
        progress: Progress | None,
        refused: Refused | None,
        corrections: bool = False,
    ) -> Generator[Receipt, None, None]:
        total = len(told) if isinstance(told, Sequence) else None
        done = 0
        behind = False
        ahead = isinstance(self._store, WritesElsewhere)
        ready = batches(told, self._entry, size=pipeline.BATCH, ahead=ahead)
        with closing(ready):
            for batch in ready:
                for number, e in batch.refusals:
                    if refused is None:
                        raise type(e)(f"item {number}: {e}" if number > 1 else str(e)) from None
                    refused(number, e)
                receipts = self._write(batch.entries, batch.numbers, refused)
                few = done + batch.size <= _FEW and len(receipts) == len(batch.entries)
                if corrections and few:
                    receipts = self._superseded(batch.entries, receipts)
                done += batch.size
                if progress is not None:
                    progress(done, total)
                behind = any(not receipt.embedded for receipt in receipts)
                self._may_owe_vectors = self._may_owe_vectors or behind
                yield from receipts
        self._told += done
        if 0 < done < pipeline.BATCH and not behind:  # one that has just failed is not asked again
            self._pay_vectors()

    def take_over(self, memories: Sequence[Memory]) -> list[Receipt]:
        """Write memories that are checked already, all or none, under their own ids; one that is
        known by its words is reinforced."""
        receipts = pipeline.write(
            [pipeline.prepare(memory, given_id=False) for memory in memories], self._kit
        )
        self._may_owe_vectors = self._may_owe_vectors or any(not r.embedded for r in receipts)
        return receipts

    def _write(
        self, entries: list[Entry], numbers: list[int], refused: Refused | None
    ) -> list[Receipt]:
        if refused is None:
            return pipeline.write(entries, self._kit)
        return pipeline.write_each(
            entries, self._kit, conflict=lambda position, e: refused(numbers[position], e)
        )

    def _superseded(self, entries: list[Entry], receipts: list[Receipt]) -> list[Receipt]:
        """With what the new memories correct superseded. See `judging.supersede`."""
        from bethink.remember.judging import may_correct, supersede

        alone = len(entries) == 1
        if not any(may_correct(entry.memory, alone=alone) for entry in entries):
            return receipts
        memories = [entry.memory for entry in entries]
        return supersede(memories, receipts, store=self._store, zone=self._zone)

    def _entry(self, told: Mapping[str, Any]) -> Entry:
        if not isinstance(told, (dict, Mapping)):  # dict first: Mapping alone takes longer to say
            raise InvalidInput(f"expected an object with a 'text', got {type(told).__name__}")
        memory = accept(told, now=self._clock(), space=self._space, redact=self._kit.redact)
        return pipeline.prepare(memory, given_id=bool(told.get("id")))

    def revise(self, former: Memory, fields: Mapping[str, Any]) -> Receipt:
        fixed = sorted(fields.keys() & _FIXED)
        if fixed:
            raise InvalidInput(f"{fixed[0]} cannot be revised; leave it out")
        if not fields:
            raise InvalidInput("nothing to revise; give a text or another field")
        now = self._clock()
        kept = {name: getattr(former, name) for name in _REVISABLE}
        memory = accept(
            {**kept, "created_at": former.created_at, **fields, "id": former.id,
             "space": former.space, "updated_at": now},
            now=now,
            redact=self._kit.redact,
        )  # fmt: skip
        if TRUST in former.provenance:  # who offered it and how far it is trusted is not told
            ours = {key: former.provenance[key] for key in _OFFERED if key in former.provenance}
            memory = replace(memory, provenance={**memory.provenance, **ours})
        receipt = pipeline.revise(
            pipeline.prepare(memory, given_id=False),
            self._kit,
            same_text=searched_alike(memory, former),
        )
        self._may_owe_vectors = self._may_owe_vectors or not receipt.embedded
        return receipt

    def replace_many(self, formers: Sequence[Memory], told: Sequence[Mapping[str, Any]]) -> str:
        """Put what is told now in the place of these, keeping no former form; why words alone find
        it, if so. Times told, counters and vectors of unchanged texts stay."""
        now = self._clock()
        reworded: list[Entry] = []
        amended: list[Entry] = []
        for former, fields in zip(formers, told, strict=True):
            kept = {name: getattr(former, name) for name in ("reinforcement", "access_count")}
            memory = accept(
                {**kept, "created_at": former.created_at, **fields, "id": former.id,
                 "space": former.space, "updated_at": now},
                now=now,
                redact=self._kit.redact,
            )  # fmt: skip
            entry = pipeline.prepare(memory, given_id=True)
            (amended if searched_alike(memory, former) else reworded).append(entry)
        self._store.revise_many(amended, history=False)
        note = pipeline.revise_many(reworded, self._kit, history=False)
        self._may_owe_vectors = self._may_owe_vectors or bool(note)
        return note

    def _pay_vectors(self) -> None:
        """Fill in vectors that an earlier failure left out, a little with each write."""
        if not self._may_owe_vectors:
            return
        owed = sum(info.pending for info in self._store.spaces())
        self._may_owe_vectors = owed > 0
        if owed:
            try:
                embedder = self._embedders.for_writing()
                if embedder is not None:
                    if self._store.embedding() is None:
                        embed_question(embedder, "Does it work?")  # only then it may claim
                        pipeline.claim(self._store, embedder)
                    pipeline.backfill(self._kit, embedder, at_most=_BACKFILL_AT_ONCE)
            except EmbedderError:
                return  # still owed; every recall says so

    def reindex(self, *, force: bool, progress: Progress | None) -> int:
        embedder = self._embedders.configured()
        if embedder is None:
            return 0
        embedder.prove()  # before anything is given up for what it will make
        target = embedding_of(embedder)
        if force:
            self._store.clear_vectors()
        self._store.build(target)
        total = sum(info.passages for info in self._store.spaces())
        done = 0
        while True:
            made = pipeline.backfill(self._kit, embedder, at_most=_BACKFILL_AT_ONCE)
            done += made
            if progress is not None:
                progress(done, max(total, done))
            if not made and self._store.switch(embedder.fingerprint):
                break
        self._store.maintain()
        self._may_owe_vectors = False
        return done

    def import_many(
        self,
        records: Iterable[Mapping[str, Any]],
        *,
        progress: Progress | None,
        refused: Refused | None = None,
        total: int | None = None,
    ) -> Counter[str]:
        self._may_owe_vectors = True
        return transfer.imported(
            records, self._kit, now=self._clock(), progress=progress, refused=refused, total=total
        )
