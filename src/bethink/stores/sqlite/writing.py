"""What a write does to the tables. Every function runs inside the caller's transaction."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple, TypeAlias

import apsw

from bethink.clock import to_micros
from bethink.errors import Conflict, NotFound, StoreCorrupt
from bethink.stores.damage import HOW_TO_RESTORE, Damage
from bethink.stores.protocol import MAX_COUNT, Written
from bethink.stores.sqlite import spaces as spaces_module
from bethink.stores.sqlite import vector_tables, words
from bethink.stores.sqlite.connection import insert_rows
from bethink.stores.sqlite.passages import Placed, add_passages, next_number
from bethink.stores.sqlite.rows import (
    BY_ID,
    BY_ROW,
    COLUMNS,
    checksum_of,
    from_row,
    snapshot,
    sound_rows,
    to_row,
)
from bethink.stores.told_again import takes_in
from bethink.text.searched import searched_alike
from bethink.vocabulary import GLOBAL_SPACE, Action, Entry, Memory

_MEMORIES = f"memories (row, space, identity, {COLUMNS}, checksum)"


def known(connection: apsw.Connection, entries: Sequence[Entry]) -> list[bool]:
    """Which entries are there already, by id or by identity?"""
    damage = Damage()
    ids = _known_ids(connection, [e.memory.id for e in entries], damage)
    spaces = {
        name: number
        for name in {e.memory.space for e in entries}
        if (number := spaces_module.space_id(connection, name)) is not None
    }
    identities = _known_identities(connection, entries, spaces, damage)
    return [e.memory.id in ids or (e.merge and _holder(e, identities) is not None) for e in entries]


def put(
    connection: apsw.Connection, entries: Sequence[Entry], fingerprint: str | None
) -> tuple[list[Written], dict[int, list[int]]]:
    """Insert what is new; count what is told again; refuse an id that means something else. What
    is told under the id of a damaged memory takes its place; return the pids that went so, by
    space, too."""
    spaces: dict[str, int] = {}
    for entry in entries:
        name = entry.memory.space
        if name not in spaces:
            spaces[name] = spaces_module.ensure_space(connection, name)
    damage = Damage()
    known_ids = _known_ids(connection, [e.memory.id for e in entries], damage)
    damaged = damage.since(0)
    gone = delete(connection, damaged)[1] if damaged else {}
    known_identities = _known_identities(connection, entries, spaces, damage)

    several = _told_twice(entries)
    created = Action.CREATED
    written: list[Written] = []
    fresh: list[Entry] = []
    told_again: dict[str, int] = defaultdict(int)
    for entry in entries:
        memory = entry.memory
        before = known_ids.get(memory.id)
        if before is not None:
            if not _same(before, memory):
                raise Conflict(
                    f"the id {memory.id!r} is taken by another memory in space {before.space!r}; "
                    "use 'revise' to change it, or another id"
                )
            written.append(Written(Action.UNCHANGED, memory.id))
            continue
        holder = _holder(entry, known_identities) if entry.merge else None
        if holder is not None:
            told_again[holder] += 1
            written.append(Written(Action.REINFORCED, holder))
            continue
        if entry.identity in several:
            of_space = known_identities.setdefault(memory.space, {})
            same = of_space.setdefault(entry.identity, [])
            same.append(_Same(memory.id, memory.valid_from, memory.valid_to))
        known_ids[memory.id] = memory
        fresh.append(entry)
        written.append(Written(created, memory.id))
    _insert(connection, fresh, spaces, fingerprint)
    touch(connection, accessed={}, reinforced=told_again)
    return written, gone


def _told_twice(entries: Sequence[Entry]) -> frozenset[str]:
    """The identities that more than one of these have; hardly ever any."""
    every = [entry.identity for entry in entries]
    if len(set(every)) == len(every):
        return frozenset()
    return frozenset(identity for identity, times in Counter(every).items() if times > 1)


def _same(before: Memory, again: Memory) -> bool:
    return (before.space, before.text, before.kind) == (again.space, again.text, again.kind)


def _known_ids(
    connection: apsw.Connection, ids: Sequence[str], damage: Damage
) -> dict[str, Memory]:
    return {m.id: m for m in sound_rows(connection, BY_ID, ids, from_row, damage)}


class _Same(NamedTuple):
    """A memory of the same words, and when it holds."""

    id: str
    valid_from: datetime | None
    valid_to: datetime | None


# By the name of the space.
_Identities: TypeAlias = dict[str, dict[str, list[_Same]]]


def _holder(entry: Entry, known: _Identities) -> str | None:
    """The oldest of the same words that this telling may be counted with."""
    told = entry.memory
    for same in known.get(told.space, {}).get(entry.identity, ()):
        if takes_in(same.valid_from, same.valid_to, told):
            return same.id
    return None


def _known_identities(
    connection: apsw.Connection,
    entries: Sequence[Entry],
    spaces: Mapping[str, int],
    damage: Damage,
) -> _Identities:
    """Of those that may be counted with others: what is never merged asks for nobody. Nothing is
    counted with a damaged memory, which is not handed out."""
    wanted: dict[str, list[str]] = defaultdict(list)
    for entry in entries:
        if entry.merge and entry.memory.space in spaces:
            wanted[entry.memory.space].append(entry.identity)
    known: _Identities = {}
    for name, identities in wanted.items():
        of_space = known[name] = {}
        rows = connection.execute(
            # CROSS: in this order, or SQLite walks the whole space once for every batch
            "SELECT m.row, j.value FROM json_each(?) j "
            "CROSS JOIN memories m ON m.space = ? AND m.identity = j.value ORDER BY m.row",
            (json.dumps(list(dict.fromkeys(identities))), spaces[name]),
        )
        by_row: dict[int, str] = dict(rows)
        if not by_row:
            continue
        held = dict(sound_rows(connection, BY_ROW, list(by_row), _numbered, damage, first="m.row"))
        for row, identity in by_row.items():
            if (memory := held.get(row)) is not None:
                same = _Same(memory.id, memory.valid_from, memory.valid_to)
                of_space.setdefault(identity, []).append(same)
    return known


def _numbered(row: tuple[Any, ...]) -> tuple[int, Memory]:
    return row[0], from_row(row[1:])


def _insert(
    connection: apsw.Connection,
    entries: Sequence[Entry],
    spaces: Mapping[str, int],
    fingerprint: str | None,
) -> None:
    if not entries:
        return
    first_row = next_number(connection, "memories")
    insert_rows(
        connection,
        _MEMORIES,
        (
            (
                row,
                spaces[entry.memory.space],
                entry.identity,
                *to_row(entry.memory),
                checksum_of(entry.memory),
            )
            for row, entry in enumerate(entries, start=first_row)
        ),
    )
    labels = (
        label
        for row, entry in enumerate(entries, start=first_row)
        if entry.memory.tags or entry.memory.entities
        for label in _labels(entry.memory, row)
    )
    insert_rows(connection, "labels", labels, verb="INSERT OR IGNORE")
    connection.executemany(
        "INSERT INTO revisions VALUES (?, ?, ?)",
        (
            (row, to_micros(former.replaced_at), snapshot(former.memory))
            for row, entry in enumerate(entries, start=first_row)
            if entry.history
            for former in reversed(entry.history)  # oldest first, as they came to be
        ),
    )
    for space, placed in _by_space(connection, entries, spaces, first_row).items():
        add_passages(connection, space, placed, fingerprint)
        connection.execute(
            "UPDATE spaces SET memories = memories + ? WHERE id = ?", (len(placed.rows), space)
        )


def _by_space(
    connection: apsw.Connection, entries: Sequence[Entry], spaces: Mapping[str, int], first_row: int
) -> dict[int, Placed]:
    placed: dict[int, Placed] = {}
    pid = next_number(connection, "passages")  # in the order told, across spaces too
    for row, entry in enumerate(entries, start=first_row):
        space = spaces[entry.memory.space]
        if space not in placed:
            placed[space] = Placed([], [], [])
        rows, pids, some = placed[space]
        rows.append(row)
        pids.append(pid)
        some.append(entry)
        pid += len(entry.passages)
    return placed


def _labels(memory: Memory, row: int) -> Iterable[tuple[str, str, int]]:
    for tag in memory.tags:
        yield ("tags", tag, row)
    for entity in memory.entities:
        yield ("entities", entity, row)


def find_row(connection: apsw.Connection, memory_id: str) -> tuple[int, int] | None:
    """(row, space) of a memory."""
    found: tuple[int, int] | None = connection.execute(
        "SELECT row, space FROM memories WHERE id = ?", (memory_id,)
    ).get
    return found


def revise(
    connection: apsw.Connection, entry: Entry, fingerprint: str | None, *, history: bool
) -> list[int]:
    """Replace a memory in place, its former form into the history; the pids that went."""
    memory = entry.memory
    found = find_row(connection, memory.id)
    if found is None:
        raise NotFound(f"no memory has the id {memory.id!r}")
    row, space = found
    damage = Damage()
    former = next(sound_rows(connection, BY_ROW, [row], from_row, damage), None)
    if former is None:
        raise StoreCorrupt(
            f"the memory {memory.id!r} is damaged, so nothing was changed; {HOW_TO_RESTORE}"
        )
    if former.space != memory.space:
        raise Conflict(
            f"{memory.id!r} belongs to space {former.space!r}; a memory cannot move to another"
        )
    if history:
        connection.execute(
            "INSERT INTO revisions VALUES (?, ?, ?)",
            (row, to_micros(memory.updated_at), snapshot(former)),
        )
    columns = ", ".join(f"{name} = ?" for name in COLUMNS.split(", "))
    connection.execute(
        f"UPDATE memories SET identity = ?, {columns}, checksum = ? WHERE row = ?",
        (entry.identity, *to_row(memory), checksum_of(memory), row),
    )
    connection.execute("DELETE FROM labels WHERE memory = ?", (row,))
    insert_rows(connection, "labels", _labels(memory, row), verb="INSERT OR IGNORE")
    if searched_alike(former, memory):
        spaces_module.next_seq(connection, space)
        return []  # passages, words and vectors still hold
    pids = remove_passages(connection, space, [row])
    first_pid = next_number(connection, "passages")
    add_passages(connection, space, Placed([row], [first_pid], [entry]), fingerprint)
    return pids


def remove_passages(connection: apsw.Connection, space: int, rows: Sequence[int]) -> list[int]:
    """Take memories' passages out of every index of their space; the pids that went."""
    pids: list[int] = [
        pid
        for (pid,) in connection.execute(
            "SELECT p.pid FROM json_each(?) j JOIN passages p ON p.memory = j.value",
            (json.dumps(rows),),
        )
    ]
    seq = spaces_module.next_seq(connection, space)
    held: int = connection.execute("SELECT passages FROM spaces WHERE id = ?", (space,)).get
    words.remove(connection, space, pids, held)
    marked = [(pid,) for pid in pids]
    for index in vector_tables.all_tables(connection):
        before = connection.total_changes()
        connection.executemany(f"DELETE FROM {index.table} WHERE pid = ?", marked)
        vector_tables.count_vectors(
            connection, index.id, space, before - connection.total_changes()
        )
    connection.executemany("DELETE FROM passages WHERE pid = ?", marked)
    connection.executemany("INSERT INTO gone VALUES (?, ?, ?)", ((space, seq, p) for p in pids))
    connection.execute("UPDATE spaces SET passages = passages - ? WHERE id = ?", (len(pids), space))
    return pids


def delete(
    connection: apsw.Connection, ids: Sequence[str]
) -> tuple[list[bool], dict[int, list[int]]]:
    """Erase memories; for each id whether it was there, and the pids that went, by space."""
    rows_by_space: dict[int, list[int]] = defaultdict(list)
    done: list[bool] = []
    for memory_id in ids:
        found = find_row(connection, memory_id)
        fresh = found is not None and found[0] not in rows_by_space[found[1]]
        done.append(fresh)
        if found is not None and fresh:
            rows_by_space[found[1]].append(found[0])
    gone: dict[int, list[int]] = {}
    for space, rows in rows_by_space.items():
        if not rows:
            continue
        gone[space] = remove_passages(connection, space, rows)
        connection.executemany("DELETE FROM memories WHERE row = ?", ((row,) for row in rows))
        connection.execute(
            "UPDATE spaces SET memories = memories - ? WHERE id = ?", (len(rows), space)
        )
    return done, gone


def delete_space(connection: apsw.Connection, name: str) -> int:
    """Erase a space and all that it holds; how many memories went."""
    space = spaces_module.spaces_of(connection, [name])[0]
    words.drop(connection, space.id)
    for table in vector_tables.all_tables(connection):
        connection.execute(f"DELETE FROM {table.table} WHERE space = ?", (space.id,))
        connection.execute("DELETE FROM embedded WHERE space = ?", (space.id,))
    for statement in (
        "DELETE FROM sidecars WHERE space = ?",
        "DELETE FROM passages WHERE space = ?",
        "DELETE FROM memories WHERE space = ?",
        "DELETE FROM gone WHERE space = ?",
        "DELETE FROM spaces WHERE id = ?",
    ):
        connection.execute(statement, (space.id,))
    spaces_module.ensure_space(connection, GLOBAL_SPACE)  # the user's own is always there
    return space.memories


def touch(
    connection: apsw.Connection, *, accessed: Mapping[str, int], reinforced: Mapping[str, int]
) -> None:
    connection.executemany(
        f"UPDATE memories SET access_count = min(access_count + ?, {MAX_COUNT}) WHERE id = ?",
        ((n, memory_id) for memory_id, n in accessed.items()),
    )
    connection.executemany(
        f"UPDATE memories SET reinforcement = min(reinforcement + ?, {MAX_COUNT}) WHERE id = ?",
        ((n, memory_id) for memory_id, n in reinforced.items()),
    )
    if reinforced:
        spaces_module.mark_changed(connection, reinforced)
