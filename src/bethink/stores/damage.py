"""Records whose checksum does not match: noticed when they are read, never handed out.

Every memory, former form, offer, decision and event carries a checksum over what it says. CRC-32
finds every change of up to four bytes in a row, and misses one of four billion others: it is meant
against disks, memory and careless programs, not against somebody who can write to the store.
Counters are not covered: they change without the text.

A store leaves a damaged record out and notes it in its `Damage`. Whoever asked compares the number
before and after, so that an answer names what is missing from it.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar
from zlib import crc32

_T = TypeVar("_T")
_KEPT = 1_000  # notes; whoever asks for more learns of the newest
_SHOWN = 5

HOW_TO_RESTORE = (
    "import a backup or an export that holds it ('bethink import FILE' puts it back under the same "
    "id), or erase it with 'bethink forget ID'"
)


class RowDamaged(Exception):
    """What a row says is not what was stored in it."""

    def __init__(self, space: str, record: str) -> None:
        super().__init__(f"{record} is damaged")
        self.space = space
        self.record = record


class _Note(NamedTuple):
    number: int
    space: str
    record: str


class Damage:
    """Damaged records as this process met them, each time that it met one."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._notes: deque[_Note] = deque(maxlen=_KEPT)
        self.number = 0

    def note(self, space: str, record: str) -> None:
        """Note that a record (a memory by its id) was found damaged and left out."""
        with self._guard:
            self.number += 1
            self._notes.append(_Note(self.number, space, record))

    def take(self, other: Damage) -> list[str]:
        """Note what another has noted; return the records."""
        with other._guard:
            noted = list(other._notes)
        for note in noted:
            self.note(note.space, note.record)
        return list(dict.fromkeys(note.record for note in noted))

    def since(self, number: int, spaces: Iterable[str] | None = None) -> list[str]:
        """Return what was noted after this number, each record once. With `spaces`, only what is
        in one of them."""
        if self.number == number:
            return []
        with self._guard:
            noted = [note for note in self._notes if note.number > number]
        wanted = None if spaces is None else set(spaces)
        return list(
            dict.fromkeys(note.record for note in noted if wanted is None or note.space in wanted)
        )

    def space_of(self, record: str, *, after: int) -> str | None:
        """Return the space of a record that was noted after this number, or None."""
        with self._guard:
            return next(
                (n.space for n in self._notes if n.number > after and n.record == record), None
            )


_NONE = Damage()


def damage_of(store: object) -> Damage:
    """Return the damage that a store has met. A store that checks nothing has met none."""
    found = getattr(store, "damage", _NONE)
    return found if isinstance(found, Damage) else _NONE


def left_out(records: Sequence[str]) -> str:
    """Return the reason that an answer gives for what is missing from it."""
    named = ", ".join(records[:_SHOWN]) + (" …" if len(records) > _SHOWN else "")
    what = "a damaged memory was" if len(records) == 1 else f"{len(records)} damaged memories were"
    return f"{what} left out: {named}; run 'bethink doctor'"


def damage_record(records: Sequence[str]) -> dict[str, list[str]]:
    """Return what a list of memories in JSON says about those that are missing from it."""
    return {"damaged": list(records), "reasons": [left_out(records)] if records else []}


# Records that are one JSON text


def sound_snapshots(
    rows: Sequence[tuple[Any, ...]], damage: Damage, make: Callable[[tuple[Any, ...]], _T]
) -> Iterator[_T]:
    """Yield what `make` makes of (space, record, …); note and leave out what is damaged."""
    for row in rows:
        try:
            yield make(row)
        except (ValueError, TypeError, KeyError):
            damage.note(str(row[0]), str(row[1]))


def sealed(text: str, said: str = "") -> str:
    """Return a JSON array or object with a checksum as its last member. `said`: what else the
    record says, in other columns."""
    last = f'"{_sum(text, said)}"'
    if text.endswith("]"):
        return f"[{last}]" if text == "[]" else f"{text[:-1]},{last}]"
    return f'{{"sum":{last}}}' if text == "{}" else f'{text[:-1]},"sum":{last}}}'


_ARRAY_TAIL = len(',"01234567"]')
_OBJECT_TAIL = len(',"sum":"01234567"}')


def unsealed(text: str, said: str = "") -> str:
    """Return the text without its checksum, as it was before `sealed`. One that has none is older
    than checksums. Raise ValueError if the checksum does not match."""
    told = text[-10:-2]
    if not _is_sum(told):
        return text
    if text.endswith('"]') and text[-_ARRAY_TAIL : -_ARRAY_TAIL + 2] == ',"':
        body = f"{text[:-_ARRAY_TAIL]}]"
    elif text.endswith('"}') and text[-_OBJECT_TAIL:-10] == ',"sum":"':
        body = f"{text[:-_OBJECT_TAIL]}}}"
    elif text == f'{{"sum":"{told}"}}':
        body = "{}"
    else:
        return text
    if told != _sum(body, said):
        raise ValueError("the checksum of a record does not match")
    return body


def _is_sum(text: str) -> bool:
    return len(text) == 8 and text.isascii() and not text.strip("0123456789abcdef")


def _sum(text: str, said: str) -> str:
    return f"{crc32(text.encode('utf-8', 'surrogatepass'), crc32(said.encode('utf-8'))):08x}"
