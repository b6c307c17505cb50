"""Out and back in again without loss: every field, the counters, the times, the history."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from itertools import islice
from typing import Any

from recollect.clock import parse_moment
from recollect.errors import InvalidInput
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


def _entry(number: int, record: Mapping[str, Any], now: datetime) -> Entry:
    if not isinstance(record, Mapping):
        raise InvalidInput(f"record {number}: expected an object, got {type(record).__name__}")
    own = {key: value for key, value in record.items() if key != "history"}
    former = record.get("history") or []
    try:
        memory = accept(own, now=now)
        if not isinstance(former, Sequence) or isinstance(former, str):
            raise InvalidInput("'history' must be a list")
        history = tuple(_revision(item, memory, now) for item in former)
    except InvalidInput as e:
        raise InvalidInput(f"record {number}: {e}") from None
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
) -> Counter[str]:
    fates: Counter[str] = Counter()
    numbered = enumerate(records, start=1)
    while batch := list(islice(numbered, writing.BATCH)):
        entries = [_entry(number, record, now) for number, record in batch]
        receipts = writing.write_each(
            entries, kit, conflict=lambda position, error: fates.update(["conflict"])
        )
        fates.update(receipt.action.value for receipt in receipts)
        if progress is not None:
            progress(fates.total(), None)
    writing.keep_fast(kit.store)
    return fates
