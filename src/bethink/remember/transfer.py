"""Out and back in again without loss: every field, the counters, the times, the history."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import Any, NamedTuple

from bethink.clock import parse_moment
from bethink.errors import BethinkError, Conflict, InvalidInput, StoreCorrupt
from bethink.records import memory_record as as_record
from bethink.remember import pipeline as writing
from bethink.remember.ingress import accept
from bethink.stores.damage import left_out as why_left_out
from bethink.stores.protocol import Store
from bethink.vocabulary import Action, Memory, Receipt, Revision
from bethink.withheld import Withheld

_PAGE = 500
BESIDE = ("history", "withheld")  # in a record, and no fields of the memory


def former_record(revision: Revision) -> dict[str, Any]:
    return {**as_record(revision.memory), "replaced_at": revision.replaced_at.isoformat()}


def receipt_record(receipt: Receipt) -> dict[str, Any]:
    return {
        "id": receipt.id,
        "space": receipt.space,
        "action": receipt.action.value,
        "passages": receipt.passages,
        "embedded": receipt.embedded,
        "notes": list(receipt.notes),
    }


def promotion_record(offer_id: str, receipt: Receipt) -> dict[str, Any]:
    """Which offer was promoted; the memory that holds it may have another id."""
    return {"offer_id": offer_id, **receipt_record(receipt)}


def history_record(
    former: Iterable[Revision], succession: Iterable[Memory], *, memory_id: str
) -> dict[str, Any]:
    """How a memory read before, newest first, and what took whose place, oldest first."""
    chain = {memory.id: as_record(memory) for memory in succession}
    return {
        "memory": chain[memory_id],
        "history": [former_record(revision) for revision in former],
        "succession": list(chain.values()),
    }


def exported(
    store: Store, spaces: Sequence[str] | None, damaged: list[str] | None = None
) -> Iterator[dict[str, Any]]:
    """Yield every memory that can be read as a record: an export may be the rescue. What cannot be
    read is named in the list. Without a list, raise StoreCorrupt after the last record."""
    cursor: str | None = None
    withheld = Withheld(store).every()
    unnamed: list[str] = []
    left_out = unnamed if damaged is None else damaged
    while True:
        page = store.scan(spaces=spaces, cursor=cursor, limit=_PAGE, damaged=left_out)
        for memory in page.memories:
            record = as_record(memory)
            former = store.history(memory.id)
            if former:
                record["history"] = [former_record(r) for r in former]
            if withheld.get(memory.id) == memory.space:
                record["withheld"] = True
            yield record
        cursor = page.cursor
        if cursor is None:
            if unnamed:
                raise StoreCorrupt(f"the export is not complete: {why_left_out(unnamed)}")
            return


def unreadable(store: Store, spaces: Sequence[str] | None) -> list[str]:
    """Return the ids of the memories that an export would leave out. Read all of them."""
    damaged: list[str] = []
    cursor: str | None = None
    while True:
        cursor = store.scan(spaces=spaces, cursor=cursor, limit=_PAGE, damaged=damaged).cursor
        if cursor is None:
            return damaged


class _Told(NamedTuple):
    number: int
    memory: Memory
    history: tuple[Revision, ...]
    given_id: bool
    withheld: bool  # no question finds it


def _accepted(number: int, record: Mapping[str, Any], now: datetime, redact: bool) -> _Told:
    if not isinstance(record, Mapping):
        raise InvalidInput(f"expected an object, got {type(record).__name__}")
    own = {key: value for key, value in record.items() if key not in BESIDE}
    former = record.get("history") or []
    memory = accept(own, now=now, redact=redact)
    if not isinstance(former, Sequence) or isinstance(former, str):
        raise InvalidInput("'history' must be a list")
    history = tuple(_revision(item, memory, now, redact) for item in former)
    withheld = record.get("withheld") or False
    if not isinstance(withheld, bool):
        raise InvalidInput("'withheld' must be true or false")
    return _Told(number, memory, history, bool(own.get("id")), withheld)


def _revision(item: Any, memory: Memory, now: datetime, redact: bool) -> Revision:
    if not isinstance(item, Mapping) or "replaced_at" not in item:
        raise InvalidInput("a former form needs its fields and 'replaced_at'")
    own = {key: value for key, value in item.items() if key != "replaced_at"}
    former = accept({**own, "id": memory.id, "space": memory.space}, now=now, redact=redact)
    return Revision(former, parse_moment(item["replaced_at"], name="replaced_at"))


Refused = Callable[[int, BethinkError], None]


def imported(
    records: Iterable[Mapping[str, Any]],
    kit: writing.Kit,
    *,
    now: datetime,
    progress: Callable[[int, int | None], None] | None = None,
    refused: Refused | None = None,
    total: int | None = None,
) -> Counter[str]:
    """Take records over. With `refused`, one that cannot be taken is told there by its number and
    the rest goes on; so is one whose id is here with another text, kind or space: it stays."""
    fates: Counter[str] = Counter()
    withheld = Withheld(kit.store)
    done = 0
    if progress is not None and total is not None:
        progress(0, total)  # how many there are is known long before the first are kept
    for batch in _batches(records, now, refused, kit.redact):
        fresh = _fresh(batch, kit.store, fates, refused)

        # before they are there: nobody finds them meanwhile, and whoever is stopped may go on
        for told in fresh:
            if told.withheld:
                withheld.add([told.memory.id], space=told.memory.space)

        def conflict(position: int, error: BethinkError, fresh: list[_Told] = fresh) -> None:
            told = fresh[position]
            if told.withheld:
                withheld.remove([told.memory.id])
            _stays(told.number, error, fates, refused)

        entries = [
            writing.prepare(told.memory, given_id=told.given_id)._replace(history=told.history)
            for told in fresh
        ]
        receipts = writing.write_each(entries, kit, conflict=conflict) if entries else []
        fates.update(receipt.action.value for receipt in receipts)
        done += len(batch)
        if progress is not None:
            progress(done, total)
    writing.keep_fast(kit.store)
    return fates


def foreseen(
    records: Iterable[Mapping[str, Any]],
    store: Store,
    *,
    now: datetime,
    refused: Refused,
    redact: bool = True,
) -> Counter[str]:
    """What `imported` would do with records that have ids, without doing it."""
    fates: Counter[str] = Counter()
    before: dict[str, Memory] = {}  # of earlier batches
    for batch in _batches(records, now, refused, redact):
        for told in _fresh(batch, store, fates, refused, before):
            before[told.memory.id] = told.memory
            fates["created"] += 1
    return fates


def _fresh(
    batch: list[_Told],
    store: Store,
    fates: Counter[str],
    refused: Refused | None,
    before: Mapping[str, Memory] | None = None,
) -> list[_Told]:
    """Those that are not here yet. The others need neither be cut into passages nor embedded, and
    one that is here with another text must not make a whole batch go one by one."""
    given = [told.memory.id for told in batch if told.given_id]
    here = {memory.id: memory for memory in store.get(given) if memory is not None}
    here = {**(before or {}), **here}
    fresh: list[_Told] = []
    for told in batch:
        memory = told.memory
        held = here.get(memory.id) if told.given_id else None
        if held is None:
            here[memory.id] = memory
            fresh.append(told)
        elif _content(held) == _content(memory):
            fates[Action.UNCHANGED.value] += 1
        else:
            error = Conflict(
                f"{memory.id} is here with another text, kind or space, and stays as it is"
            )
            _stays(told.number, error, fates, refused)
    return fresh


def _stays(number: int, error: BethinkError, fates: Counter[str], refused: Refused | None) -> None:
    fates["conflict"] += 1
    if refused is not None:
        refused(number, error)


def _content(memory: Memory) -> tuple[str, str, str]:
    """What a store takes for the same memory."""
    return memory.space, memory.text, memory.kind


def _batches(
    records: Iterable[Mapping[str, Any]], now: datetime, refused: Refused | None, redact: bool
) -> Iterator[list[_Told]]:
    """What was accepted, as many as are written at once."""
    numbered = enumerate(records, start=1)
    while batch := list(islice(numbered, writing.BATCH)):
        accepted: list[_Told] = []
        for number, record in batch:
            try:
                accepted.append(_accepted(number, record, now, redact))
            except InvalidInput as e:
                if refused is None:
                    raise InvalidInput(f"record {number}: {e}") from None
                refused(number, e)
        yield accepted
