"""What a write does to the tables. Every function runs inside the caller's transaction, and holds
the rows of the spaces that it writes to."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple, TypeAlias

from bethink.errors import Conflict, NotFound, StoreCorrupt
from bethink.stores.damage import HOW_TO_RESTORE, Damage, RowDamaged
from bethink.stores.postgres import changes, labels, vector_tables, words
from bethink.stores.postgres import spaces as spaces_module
from bethink.stores.postgres.arrays import bigints, texts
from bethink.stores.postgres.database import Cursor
from bethink.stores.postgres.passages import add_passages, next_numbers, remove_passages
from bethink.stores.postgres.rows import (
    COLUMNS,
    SELECTED,
    checksum,
    from_row,
    from_values,
    is_sound,
    snapshot,
    sound_rows,
    to_row,
)
from bethink.stores.postgres.spaces import SpaceRow
from bethink.stores.protocol import MAX_COUNT, Written
from bethink.stores.retrievers import What
from bethink.stores.told_again import takes_in
from bethink.text.searched import searched_alike
from bethink.vocabulary import Action, Entry, Memory


def known(cursor: Cursor, entries: Sequence[Entry]) -> list[bool]:
    """Which entries are there already, by id or by identity?"""
    ids = by_id(cursor, [e.memory.id for e in entries], Damage())
    spaces = spaces_module.existing(cursor, (entry.memory.space for entry in entries))
    identities = _known_identities(cursor, entries, spaces)
    return [e.memory.id in ids or (e.merge and _holder(e, identities) is not None) for e in entries]


def put(cursor: Cursor, entries: Sequence[Entry], fingerprint: str | None) -> list[Written]:
    """Insert what is new; count what is told again; refuse an id that means something else. What
    is told under the id of a damaged memory takes its place."""
    spaces = spaces_module.hold(cursor, (entry.memory.space for entry in entries))
    damage = Damage()
    known_ids = by_id(cursor, [e.memory.id for e in entries], damage)
    if damaged := damage.since(0):
        delete(cursor, damaged)
        spaces = spaces_module.hold(cursor, (entry.memory.space for entry in entries))
    known_identities = _known_identities(cursor, entries, spaces)
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
        same = known_identities.setdefault((memory.space, entry.identity), [])
        same.append(_Same(memory.id, memory.valid_from, memory.valid_to))
        known_ids[memory.id] = memory
        fresh.append(entry)
        written.append(Written(Action.CREATED, memory.id))
    _insert(cursor, fresh, spaces, fingerprint)
    touch(cursor, accessed={}, reinforced=told_again)
    _note(cursor, fresh, {name: space.id for name, space in spaces.items()})
    return written


def _note(cursor: Cursor, entries: Sequence[Entry], spaces: Mapping[str, int]) -> None:
    told: dict[str, list[str]] = defaultdict(list)
    for entry in entries:
        told[entry.memory.space].append(entry.memory.id)
    for name, ids in told.items():
        changes.note(cursor, What.MEMORY, ids, space=spaces[name])


def _same(before: Memory, again: Memory) -> bool:
    return (before.space, before.text, before.kind) == (again.space, again.text, again.kind)


def by_id(cursor: Cursor, ids: Sequence[str], damage: Damage) -> dict[str, Memory]:
    asked = texts(one for one in dict.fromkeys(ids) if "\0" not in one)
    rows = cursor.execute(  # a look for each, also where the server has not counted the rows yet
        f"SELECT {SELECTED} FROM unnest(%b) w (id), LATERAL (SELECT * FROM memories "
        "WHERE id = w.id OFFSET 0) m JOIN spaces s ON s.id = m.space".encode(),
        (asked,),
        prepare=True,
    )
    return {memory.id: memory for memory in sound_rows(rows, damage)}


class _Same(NamedTuple):
    """A memory of the same words, and when it holds."""

    id: str
    valid_from: datetime | None
    valid_to: datetime | None


_Identities: TypeAlias = dict[tuple[str, str], list[_Same]]


def _holder(entry: Entry, known: _Identities) -> str | None:
    """The oldest of the same words that this telling may be counted with."""
    told = entry.memory
    for same in known.get((told.space, entry.identity), ()):
        if takes_in(same.valid_from, same.valid_to, told):
            return same.id
    return None


def _known_identities(
    cursor: Cursor, entries: Sequence[Entry], spaces: Mapping[str, SpaceRow]
) -> _Identities:
    wanted: dict[str, list[str]] = defaultdict(list)
    for entry in entries:
        wanted[entry.memory.space].append(entry.identity)
    known: _Identities = {}
    for name in wanted.keys() & spaces.keys():
        rows = cursor.execute(
            "SELECT w.identity, m.* FROM unnest(%b) w (identity), LATERAL ("
            "SELECT o.id, o.valid_from, o.valid_to FROM memories o "
            f"WHERE o.space = {spaces[name].id:d} AND o.identity = w.identity "
            f"AND {is_sound('o')} ORDER BY o.row) m".encode(),
            (texts(dict.fromkeys(wanted[name])),),
            prepare=True,
        )
        for identity, *same in rows:
            known.setdefault((name, identity), []).append(_Same(*same))
    return known


def _insert(
    cursor: Cursor,
    entries: Sequence[Entry],
    spaces: Mapping[str, SpaceRow],
    fingerprint: str | None,
) -> None:
    if not entries:
        return
    numbers = next_numbers(cursor, "memories", "row", len(entries))
    columns = zip(*(to_row(entry.memory) for entry in entries), strict=True)
    cursor.execute(
        f"INSERT INTO memories (row, space, identity, {', '.join(COLUMNS)}, checksum) "
        f"SELECT m.*, {checksum('m')} FROM unnest({', '.join(['%b'] * (3 + len(COLUMNS)))}) "
        f"AS m (row, space, identity, {', '.join(COLUMNS)})".encode(),
        (
            bigints(numbers),
            bigints([spaces[entry.memory.space].id for entry in entries]),
            texts(entry.identity for entry in entries),
            *(array(column) for array, column in zip(COLUMNS.values(), columns, strict=True)),
        ),
    )
    _insert_history(cursor, zip(numbers, entries, strict=True))
    labels.add(
        cursor,
        (
            (spaces[entry.memory.space].id, row, entry.memory)
            for row, entry in zip(numbers, entries, strict=True)
        ),
    )
    add_passages(cursor, list(zip(numbers, entries, strict=True)), spaces, fingerprint)
    told = Counter(spaces[entry.memory.space].id for entry in entries)
    for space, memories in told.items():
        spaces_module.count(cursor, space, memories=memories)


def _insert_history(cursor: Cursor, entries: Iterable[tuple[int, Entry]]) -> None:
    rows = [
        (row, former.replaced_at, snapshot(former.memory))
        for row, entry in entries
        for former in reversed(entry.history)  # oldest first, as they came to be
    ]
    if rows:
        cursor.executemany(
            "INSERT INTO revisions (memory, replaced_at, snapshot) VALUES (%s, %s, %s)", rows
        )


def revise(
    cursor: Cursor, entries: Sequence[Entry], fingerprint: str | None, *, history: bool
) -> None:
    """Replace memories in place, their former forms into the history."""
    rows = cursor.execute(
        "SELECT space FROM memories WHERE id = ANY(%s)", ([e.memory.id for e in entries],)
    ).fetchall()
    spaces = spaces_module.hold_by_id(cursor, [space for (space,) in rows])
    by_name = {space.name: space for space in spaces.values()}
    for entry in entries:
        by_name = _revise(cursor, entry, fingerprint, by_name, history=history)
    _note(cursor, entries, {name: space.id for name, space in by_name.items()})


def _revise(
    cursor: Cursor,
    entry: Entry,
    fingerprint: str | None,
    spaces: dict[str, SpaceRow],
    *,
    history: bool,
) -> dict[str, SpaceRow]:
    """The spaces as they are afterwards."""
    memory = entry.memory
    found = cursor.execute(
        f"SELECT m.row, {SELECTED} FROM memories m JOIN spaces s ON s.id = m.space "
        "WHERE m.id = %s FOR UPDATE OF m".encode(),
        (memory.id,),
    ).fetchone()
    if found is None:
        raise NotFound(f"no memory has the id {memory.id!r}")
    try:
        row, former = found[0], from_row(found[1:])
    except RowDamaged:
        raise StoreCorrupt(
            f"the memory {memory.id!r} is damaged, so nothing was changed; {HOW_TO_RESTORE}"
        ) from None
    if former.space != memory.space:
        raise Conflict(
            f"{memory.id!r} belongs to space {former.space!r}; a memory cannot move to another"
        )
    if history:
        cursor.execute(
            "INSERT INTO revisions (memory, replaced_at, snapshot) VALUES (%s, %s, %s)",
            (row, memory.updated_at, snapshot(former)),
        )
    columns = ", ".join(f"{name} = %s" for name in COLUMNS)
    cursor.execute(
        f"UPDATE memories SET identity = %s, {columns} WHERE row = %s".encode(),
        (entry.identity, *to_row(memory), row),
    )
    cursor.execute(
        f"UPDATE memories m SET checksum = {checksum('m')} WHERE m.row = %s".encode(), (row,)
    )
    space = spaces[memory.space]
    if set(labels.labels_of(former)) != set(labels.labels_of(memory)):
        labels.remove(cursor, space.id, [(row, former)])
        labels.add(cursor, [(space.id, row, memory)])
    if searched_alike(former, memory):
        return spaces  # passages, words and vectors still hold
    remove_passages(cursor, space.id, {row: former})
    add_passages(cursor, [(row, entry)], spaces, fingerprint)
    given = space.numbers + len(entry.passages)
    return {**spaces, space.name: space._replace(numbers=given)}


def delete(cursor: Cursor, ids: Sequence[str]) -> list[bool]:
    """Erase memories; for each id whether it was there."""
    asked = [one for one in dict.fromkeys(ids) if "\0" not in one]
    rows = cursor.execute("SELECT space FROM memories WHERE id = ANY(%s)", (asked,)).fetchall()
    spaces_module.hold_by_id(cursor, [space for (space,) in rows])
    # looked at again: others may have been faster while we waited for the spaces
    found = cursor.execute(
        f"SELECT m.row, m.space, {SELECTED} FROM memories m JOIN spaces s ON s.id = m.space "
        "WHERE m.id = ANY(%s)".encode(),
        (asked,),
    ).fetchall()
    by_space: dict[int, dict[int, Memory]] = defaultdict(dict)
    for row, space, *values in found:
        by_space[space][row] = from_values(values)
    for space, gone in by_space.items():
        remove_passages(cursor, space, gone)
        labels.remove(cursor, space, gone.items())
        cursor.execute("DELETE FROM memories WHERE row = ANY(%s)", (list(gone),))
        spaces_module.count(cursor, space, memories=-len(gone))
    for space, gone in by_space.items():
        changes.note(cursor, What.MEMORY, [one.id for one in gone.values()], space=space)
    there = {memory.id for gone in by_space.values() for memory in gone.values()}
    done: list[bool] = []
    for memory_id in ids:
        done.append(memory_id in there)
        there.discard(memory_id)
    return done


def delete_space(cursor: Cursor, name: str) -> int:
    """Erase a space and all that it holds; how many memories went."""
    (space,) = spaces_module.spaces_of(cursor, [name])
    held = spaces_module.hold_by_id(cursor, [space.id])
    if not held:  # another has just erased it
        spaces_module.spaces_of(cursor, [name])
    for table in vector_tables.all_tables(cursor):
        cursor.execute(f"DELETE FROM {table.table} WHERE space = %s".encode(), (space.id,))
    for emptied in ("embedded", "words", "segments", "labels", "passages", "memories"):
        cursor.execute(f"DELETE FROM {emptied} WHERE space = %s".encode(), (space.id,))
    cursor.execute("DELETE FROM spaces WHERE id = %s", (space.id,))
    spaces_module.ensure_global(cursor)
    changes.note_space(cursor, space.id, name)
    return sum(one.memories for one in held.values())


def touch(cursor: Cursor, *, accessed: Mapping[str, int], reinforced: Mapping[str, int]) -> None:
    ids = sorted(one for one in accessed.keys() | reinforced.keys() if "\0" not in one)
    told_again = [one for one in ids if reinforced.get(one)]
    if told_again:  # their spaces are marked as changed, and spaces are held before memories
        rows = cursor.execute("SELECT space FROM memories WHERE id = ANY(%s)", (told_again,))
        spaces_module.hold_by_id(cursor, [space for (space,) in rows.fetchall()])
    if ids:
        # the rows first, in one order: two who touch the same ones never wait for each other
        cursor.execute(
            "WITH held AS (SELECT row FROM memories WHERE id = ANY(%s) ORDER BY id FOR UPDATE) "
            "UPDATE memories m SET "
            f"access_count = least(m.access_count + w.accessed, {MAX_COUNT}), "
            f"reinforcement = least(m.reinforcement + w.reinforced, {MAX_COUNT}) "
            "FROM held, unnest(%s::text[], %s::bigint[], %s::bigint[]) "
            "AS w (id, accessed, reinforced) WHERE m.row = held.row AND m.id = w.id".encode(),
            (
                ids,
                ids,
                [accessed.get(one, 0) for one in ids],
                [reinforced.get(one, 0) for one in ids],
            ),
        )


def rebuild_words(cursor: Cursor) -> int:
    total = 0
    for space in spaces_module.spaces_of(cursor, None):
        for held in spaces_module.hold_by_id(cursor, [space.id]).values():
            total += words.rebuild(cursor, held)
    return total
