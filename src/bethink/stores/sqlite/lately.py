"""Which number (pid) each passage has that a search named lately.

After a search the same passages are compared and fetched by memory id and ordinal. Looking a
number up by these takes as long as the rest, so the last ones are remembered. A number is never
given twice: a remembered one is still right, or is gone and the passage is looked up anew.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import apsw

from bethink.stores.damage import Damage
from bethink.stores.sqlite.rows import BY_PASSAGE, note_unreadable

_T = TypeVar("_T")
_Key = tuple[str, int]  # memory id, ordinal
_MOST = 2_000  # the next stages want those of the last search; a server has several at a time


class Lately:
    def __init__(self, damage: Damage) -> None:
        self._pids: dict[_Key, int] = {}
        self._damage = damage

    def named(
        self, reader: apsw.Connection, best: Sequence[tuple[float, int]]
    ) -> list[tuple[float, str, int]]:
        """(score, pid) as (score, memory id, ordinal), in one statement: it is a third of the
        time."""
        rows = self._named(reader, [pid for _, pid in best])
        named = {pid: (memory_id, ordinal) for pid, memory_id, ordinal in rows}
        self._remember({key: pid for pid, key in named.items()})
        return [(score, *named[pid]) for score, pid in best if pid in named]

    def _named(self, reader: apsw.Connection, pids: list[int]) -> list[tuple[int, str, int]]:
        sql = (
            "SELECT p.pid, m.id, p.ordinal FROM json_each(?) j JOIN passages p ON p.pid = j.value "
            "JOIN memories m ON m.row = p.memory"
        )
        try:
            return list(reader.execute(sql, (str(pids),)))  # whole numbers: JSON as they stand
        except UnicodeDecodeError:  # of an id
            if len(pids) == 1:
                note_unreadable(reader, BY_PASSAGE, pids[0], self._damage)
                return []
            return [row for pid in pids for row in self._named(reader, [pid])]

    def each(
        self,
        reader: apsw.Connection,
        keys: Sequence[_Key],
        look: Callable[[list[int]], Mapping[int, _T]],
    ) -> list[_T | None]:
        """What `look` finds for the number of each passage; None where there is nothing."""
        pids = list(map(self._pids.get, keys))
        found = look([pid for pid in pids if pid is not None])
        each = [None if pid is None else found.get(pid) for pid in pids]
        missing = [key for key, one in zip(keys, each, strict=True) if one is None]
        if missing:
            anew = _numbers(reader, missing)
            self._remember(anew)
            more = look(list(anew.values()))
            for place, key in enumerate(keys):
                if each[place] is None and key in anew:
                    each[place] = more.get(anew[key])
        return each

    def _remember(self, pids: Mapping[_Key, int]) -> None:
        if len(self._pids) > _MOST:
            self._pids = {}
        self._pids.update(pids)


def _numbers(reader: apsw.Connection, keys: Sequence[_Key]) -> dict[_Key, int]:
    rows = reader.execute(  # CROSS: the keys first, each a look into two indexes
        "SELECT m.id, p.ordinal, p.pid FROM json_each(?) j "
        "CROSS JOIN memories m ON m.id = j.value ->> 0 "
        "JOIN passages p ON p.memory = m.row AND p.ordinal = j.value ->> 1",
        (json.dumps(keys),),
    )
    return {(memory_id, ordinal): pid for memory_id, ordinal, pid in rows}
