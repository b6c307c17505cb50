"""What two stores must have in common after a move, in few numbers: how many there are of a thing,
and a digest of all of them. The digest is a sum, so that it does not depend on the order in which
stores hand things out; the order told has a digest of its own."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from hashlib import sha256
from typing import Any, NamedTuple

from bethink.clock import to_micros
from bethink.relocate.journal import MARK_BYTES
from bethink.stores.movable import Whole
from bethink.vocabulary import Event, Memory, Offer, Revision, Ruling

_ROUND = 1 << 256
_WHOLE = 1 << 53


class Digest(NamedTuple):
    """Of any number of things of one kind."""

    number: int = 0
    total: int = 0
    order: bytes = b""
    uncounted: int = 0  # the total without how often a thing was read and told

    def plus(self, one: bytes, name: str = "", uncounted: bytes | None = None) -> Digest:
        return Digest(
            self.number + 1,
            _sum(self.total, one),
            sha256(self.order + name.encode()).digest(),
            _sum(self.uncounted, one if uncounted is None else uncounted),
        )

    @property
    def said(self) -> str:
        return f"{self.total:064x}"

    def holds_as(self, other: Digest) -> bool:
        """The same things, in whatever order."""
        return (self.number, self.total) == (other.number, other.total)

    def holds_uncounted_as(self, other: Digest) -> bool:
        return (self.number, self.uncounted) == (other.number, other.uncounted)


def _sum(total: int, one: bytes) -> int:
    return (total + int.from_bytes(one, "big")) % _ROUND


def of_memory(whole: Whole) -> bytes:
    """All of it but the handles, which are each store's own."""
    return counted(of_uncounted(whole), whole.memory)


def counted(uncounted: bytes, memory: Memory) -> bytes:
    return sha256(uncounted + _canonical([memory.reinforcement, memory.access_count])).digest()


def of_uncounted(whole: Whole) -> bytes:
    whole = without_counters(whole)
    said = sha256(_canonical([_memory(whole.memory), whole.identity, *map(_former, whole.history)]))
    for held in whole.passages:
        said.update(_canonical(list(held.passage)))
        for fingerprint in sorted(held.vectors):
            said.update(_canonical(fingerprint))
            said.update(held.vectors[fingerprint].astype("<f4").tobytes())
    return said.digest()


def without_counters(whole: Whole) -> Whole:
    """What is left of it where nobody asks how often it was told and read."""
    from dataclasses import replace

    return whole._replace(memory=replace(whole.memory, reinforcement=0, access_count=0))


def of_offer(offer: Offer, rulings: Iterable[Ruling]) -> bytes:
    fields = {name: _plain(getattr(offer, name)) for name in Offer.__slots__ if name != "memory"}
    return sha256(
        _canonical([_memory(offer.memory), fields, *(list(ruling) for ruling in rulings)])
    ).digest()


def of_recent(memory: Memory, until: datetime) -> bytes:
    return sha256(_canonical([_memory(memory), until])).digest()


def of_note(key: str, value: str) -> bytes:
    return sha256(_canonical([key, value])).digest()


def mark_of_memory(whole: Whole) -> bytes:
    """Of what was told, not of what is made from it or counted: passages, vectors, accesses."""
    return _mark("memory", of_uncounted(whole._replace(passages=())))


def mark_of_offer(offer: Offer, rulings: Iterable[Ruling]) -> bytes:
    return _mark("offer", of_offer(offer, rulings))


def mark_of_recent(memory: Memory) -> bytes:
    """However long it is kept."""
    return _mark("recent", _canonical(_memory(memory)))


def mark_of_note(key: str, value: str) -> bytes:
    return _mark("note", of_note(key, value))


def mark_of_event(event: Event) -> bytes:
    return _mark("event", of_event(event))


def mark_of_space(name: str) -> bytes:
    return _mark("space", name.encode())


def _mark(kind: str, said: bytes) -> bytes:
    return sha256(kind.encode() + b"\0" + said).digest()[:MARK_BYTES]


def of_event(event: Event) -> bytes:
    """Its number is given anew by whoever takes it over."""
    return sha256(_canonical([*event[1:4], _plain(event.data)])).digest()


def _memory(memory: Memory) -> dict[str, Any]:
    values = {name: getattr(memory, name) for name in Memory.__slots__}
    for name in ("confidence", "provenance", "metadata"):  # where stores may differ in a number
        if values[name]:
            values[name] = _plain(values[name])
    return values


def _former(revision: Revision) -> list[Any]:
    return [_memory(revision.memory), revision.replaced_at]


def _canonical(value: object) -> bytes:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, default=_told)
    return text.encode("utf-8", "surrogatepass")


def _told(value: object) -> object:
    """What JSON has no word for: moments, and mappings that are no dict."""
    return to_micros(value) if isinstance(value, datetime) else _plain(value)


def _plain(value: object) -> object:
    """The same for the same, whichever store it comes from: one has 1.0 where another has 1."""
    if isinstance(value, datetime):
        return to_micros(value)
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int | float):
        return _number(value)
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, Iterable):
        return [_plain(item) for item in value]
    return value


def _number(value: int | float) -> int | float:
    """A whole number that every float of its size can tell from the next is itself; beyond that one
    store has 1e23 where another has all 24 digits, and both mean the nearest float."""
    if -_WHOLE <= value <= _WHOLE:
        return int(value) if value == int(value) else value
    try:
        return float(value)
    except OverflowError:  # larger than any float: only whole numbers are, and they stay as told
        return value
