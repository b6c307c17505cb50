"""Which passages of a space pass a filter, kept from question to question.

Both channels of a recall ask the same, and so do most recalls: the tag of a project, the documents
that are withheld. A set is right for one change number of its space. At a later one only what came,
went or was amended since is looked at, whichever process did it. Nothing of it is ever on disk.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

import apsw
import numpy as np

from bethink.filters import All, AnyOf, Condition, Filter, Not, ValidAt
from bethink.stores.sqlite import schema
from bethink.stores.sqlite.sidecar import Ints, places_of
from bethink.stores.sqlite.spaces import SpaceRow
from bethink.stores.sqlite.starts import passing, passing_among

# Of all sets together: eight of a million passages, or thousands of a tag that few have.
_MOST_BYTES = 64 * 1024 * 1024
_MOST_SETS = 1_000
# More changes than these, and the set is made anew.
_MOST_CHANGES = 5_000
# Counted without a trace of which memory it was.
_COUNTERS = frozenset({"access_count", "reinforcement"})
_NONE: Ints = np.empty(0, np.int64)
_ALWAYS, _FOR_EVER = -(2**63), 2**63 - 1


# The space, the filter, and which of its values are true or false: to Python true equals 1.
_Key: TypeAlias = tuple[int, Filter, tuple[bool, ...]]


class _Made(NamedTuple):
    seq: int  # of the space: when it was right
    last: int  # the greatest number that any passage had then
    pids: Ints  # ascending


class _Kept:
    """A set, and who may bring it up to date."""

    __slots__ = ("lock", "made")

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.made: _Made | None = None


class _Bounds(NamedTuple):
    """When those hold that do not always."""

    seq: int
    pids: Ints
    starts: Ints
    ends: Ints


class Chosen:
    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._sets: OrderedDict[_Key, _Kept] = OrderedDict()
        self._bounds: dict[int, _Bounds] = {}

    def passing(self, reader: apsw.Connection, space: SpaceRow, where: Filter) -> Ints:
        """Those that pass, ascending."""
        if _counts(where):
            return _array(passing(reader, space, where))
        kept = self._kept((space.id, where, tuple(_truths(where))))
        with kept.lock:  # the other channel waits for what this one finds
            before = kept.made
            if before is not None and before.seq > space.seq:  # of a later snapshot than ours
                return _array(passing(reader, space, where))
            if before is None or before.seq != space.seq:
                kept.made = _made(reader, space, where, before)
                self._make_room()
            assert kept.made is not None
            return kept.made.pids

    def not_holding(self, reader: apsw.Connection, space: SpaceRow, moment: ValidAt) -> Ints:
        """Those that do not hold at this moment. Few have a beginning or an end."""
        bounds = self._bounds.get(space.id)
        if bounds is None or bounds.seq != space.seq:
            bounds = self._bounds[space.id] = _read_bounds(reader, space)
        if not len(bounds.pids):
            return _NONE
        outside = (bounds.starts > moment.micros) | (bounds.ends <= moment.micros)
        return bounds.pids[outside]

    def forget(self) -> None:
        with self._guard:
            self._sets.clear()
            self._bounds.clear()

    def _kept(self, key: _Key) -> _Kept:
        with self._guard:
            kept = self._sets.setdefault(key, _Kept())
            self._sets.move_to_end(key)
            return kept

    def _make_room(self) -> None:
        """Let go of what was asked for longest ago."""
        with self._guard:
            held = sum(kept.made.pids.nbytes for kept in self._sets.values() if kept.made)
            while len(self._sets) > _MOST_SETS or (held > _MOST_BYTES and len(self._sets) > 1):
                _, kept = self._sets.popitem(last=False)
                held -= 0 if kept.made is None else kept.made.pids.nbytes


def _counts(where: Filter) -> bool:
    if isinstance(where, All | AnyOf):
        return any(map(_counts, where.parts))
    if isinstance(where, Not):
        return _counts(where.part)
    return isinstance(where, Condition) and where.field in _COUNTERS


def _truths(where: Filter) -> Iterator[bool]:
    if isinstance(where, All | AnyOf):
        for part in where.parts:
            yield from _truths(part)
    elif isinstance(where, Not):
        yield from _truths(where.part)
    elif isinstance(where, Condition) and where.key is not None:
        values = where.value if isinstance(where.value, tuple) else (where.value,)
        yield from (isinstance(value, bool) for value in values)


def _made(reader: apsw.Connection, space: SpaceRow, where: Filter, before: _Made | None) -> _Made:
    last: int = reader.execute("SELECT seq FROM sqlite_sequence WHERE name = 'passages'").get or 0
    pids = None if before is None else _caught_up(reader, space, where, before)
    if pids is None:
        pids = _array(passing(reader, space, where))
    return _Made(space.seq, last, pids)


def _caught_up(
    reader: apsw.Connection, space: SpaceRow, where: Filter, before: _Made
) -> Ints | None:
    """The set as it is now, by what changed since; None where that is too much, or unknown."""
    if not schema.has_starts(reader):
        return None
    changes: list[list[int]] = []
    for sql, since in (
        ("SELECT pid FROM passages WHERE space = ? AND pid > ?", before.last),
        (
            "SELECT p.pid FROM memories m CROSS JOIN passages p ON p.memory = m.row "
            "WHERE m.space = ? AND m.amended > ?",
            before.seq,
        ),
        ("SELECT pid FROM gone WHERE space = ? AND seq > ?", before.seq),
    ):
        rows: list[Any] = reader.execute(
            f"{sql} LIMIT {_MOST_CHANGES + 1}", (space.id, since)
        ).fetchall()
        if len(rows) > _MOST_CHANGES:
            return None
        changes.append([pid for (pid,) in rows])
    came, amended, gone = changes
    kept, stale = before.pids, _array([*amended, *gone])
    if len(stale):
        kept = np.delete(kept, places_of(stale, kept))
    looked_at = [*came, *amended]
    if looked_at:
        fresh = _array(passing_among(reader, looked_at, where))
        if len(fresh):
            kept = np.insert(kept, kept.searchsorted(fresh), fresh)
    return kept


def _read_bounds(reader: apsw.Connection, space: SpaceRow) -> _Bounds:
    rows: list[Any] = reader.execute(
        f"SELECT p.pid, ifnull(m.valid_from, {_ALWAYS}), ifnull(m.valid_to, {_FOR_EVER}) "
        "FROM memories m CROSS JOIN passages p ON p.memory = m.row WHERE m.space = ? "
        "AND (m.valid_from IS NOT NULL OR m.valid_to IS NOT NULL)",
        (space.id,),
    ).fetchall()
    if not rows:
        return _Bounds(space.seq, _NONE, _NONE, _NONE)
    return _Bounds(space.seq, *np.array(rows, np.int64).T)


def _array(pids: list[int]) -> Ints:
    return np.unique(np.array(pids, np.int64))
