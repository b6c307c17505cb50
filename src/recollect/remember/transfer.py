"""Out and back in again without loss: every field, the counters, the times, the history."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from itertools import islice
from typing import Any

from recollect.clock import parse_moment
from recollect.errors import Conflict, InvalidInput, RecollectError
from recollect.remember import pipeline as writing
from recollect.remember.ingress import accept
from recollect.stores.protocol import Store
from recollect.vocabulary import Entry, Memory, Revision

_PAGE = 500


def as_record(memory: Memory) -> dict[str, Any]:
    """A memory as JSON-ready values, every field present."""
    record: dict[str, Any] = {}
    for field in fields(memory):
        value = getattr(memory, field.name)
        if isinstance(value, datetime):
            value = value.isoformat()
        elif isinstance(value, tuple):
            value = list(value)
        elif isinstance(value, Mapping):
            value = dict(value)
        record[field.name] = value
    return record


def exported(
    store: Store, spaces: Sequence[str] | None, damaged: list[str] | None = None
) -> Iterator[dict[str, Any]]:
    """Every memory as a record. With a list given, what cannot be read is named there instead of
    stopping the rest: an export may be the rescue."""
    cursor: str | None = None
    while True:
        page = store.scan(spaces=spaces, cursor=cursor, limit=_PAGE, damaged=damaged)
        for memory in page.memories:
            record = as_record(memory)
            former = store.history(memory.id)
            if former:
                record["history"] = [
                    {**as_record(r.memory), "replaced_at": r.replaced_at.isoformat()}
                    for r in former
                ]
            yield record
        cursor = page.cursor
        if cursor is None:
            return


def _entry(record: Mapping[str, Any], now: datetime) -> Entry:
    if not isinstance(record, Mapping):
        raise InvalidInput(f"expected an object, got {type(record).__name__}")
    own = {key: value for key, value in record.items() if key != "history"}
    former = record.get("history") or []
    memory = accept(own, now=now)
    if not isinstance(former, Sequence) or isinstance(former, str):
        raise InvalidInput("'history' must be a list")
    history = tuple(_revision(item, memory, now) for item in former)
    return writing.prepare(memory, given_id=bool(own.get("id")))._replace(history=history)


def _revision(item: Any, memory: Memory, now: datetime) -> Revision:
    if not isinstance(item, Mapping) or "replaced_at" not in item:
        raise InvalidInput("a former form needs its fields and 'replaced_at'")
    own = {key: value for key, value in item.items() if key != "replaced_at"}
    former = accept({**own, "id": memory.id, "space": memory.space}, now=now)
    return Revision(former, parse_moment(item["replaced_at"], name="replaced_at"))


def imported(
    records: Iterable[Mapping[str, Any]],
    kit: writing.Kit,
    *,
    now: datetime,
    progress: Callable[[int, int | None], None] | None = None,
    refused: Callable[[int, RecollectError], None] | None = None,
    total: int | None = None,
) -> Counter[str]:
    """Take records over. With `refused`, one that cannot be taken is told there by its number and
    the rest goes on; so is one whose id is here with another text, which stays as it is."""
    fates: Counter[str] = Counter()
    done = 0
    for numbers, entries in _batches(records, now, refused):

        def conflict(position: int, error: RecollectError, numbers: list[int] = numbers) -> None:
            fates.update(["conflict"])
            if refused is not None:
                refused(numbers[position], error)

        receipts = writing.write_each(entries, kit, conflict=conflict)
        fates.update(receipt.action.value for receipt in receipts)
        done += len(entries)
        if progress is not None:
            progress(done, total)
    writing.keep_fast(kit.store)
    return fates


def foreseen(
    records: Iterable[Mapping[str, Any]],
    store: Store,
    *,
    now: datetime,
    refused: Callable[[int, RecollectError], None],
) -> Counter[str]:
    """What `imported` would do, without doing it."""
    fates: Counter[str] = Counter()
    seen: dict[str, Memory] = {}
    for numbers, entries in _batches(records, now, refused):
        here = store.get([entry.memory.id for entry in entries])
        for number, entry, held in zip(numbers, entries, here, strict=True):
            memory = entry.memory
            before = held or seen.setdefault(memory.id, memory)
            if before is memory:
                fates["created"] += 1
            elif _content(before) == _content(memory):
                fates["unchanged"] += 1
            else:
                fates["conflict"] += 1
                refused(number, Conflict(f"{memory.id} is here with another text and stays"))
    return fates


def _content(memory: Memory) -> tuple[str, str, str]:
    return memory.space, memory.text, memory.kind


def _batches(
    records: Iterable[Mapping[str, Any]],
    now: datetime,
    refused: Callable[[int, RecollectError], None] | None,
) -> Iterator[tuple[list[int], list[Entry]]]:
    """Entries that were accepted, with their numbers, as many as are written at once."""
    numbered = enumerate(records, start=1)
    while batch := list(islice(numbered, writing.BATCH)):
        numbers: list[int] = []
        entries: list[Entry] = []
        for number, record in batch:
            try:
                entries.append(_entry(record, now))
                numbers.append(number)
            except InvalidInput as e:
                if refused is None:
                    raise InvalidInput(f"record {number}: {e}") from None
                refused(number, e)
        yield numbers, entries
