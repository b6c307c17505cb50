"""A thorough look at an embedded store, for `doctor`: every part, each fault with its fix."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import apsw

from bethink.errors import BethinkError, StoreFull
from bethink.stores.damage import HOW_TO_RESTORE, Damage
from bethink.stores.sqlite import own_files, words
from bethink.stores.sqlite.connection import connect, crammed, plain_errors
from bethink.stores.sqlite.large import directory
from bethink.stores.sqlite.rows import readable
from bethink.stores.sqlite.spaces import EVERY_SPACE, SpaceRow, spaces_of
from bethink.stores.sqlite.tier_health import check_events, check_tiers
from bethink.stores.sqlite.vector_tables import VectorTable, all_tables
from bethink.vocabulary import Check

_MEND_WORDS = "run 'bethink reindex --words'"
_MEND_VECTORS = "run 'bethink reindex --force'"
_RESTORE = (
    "stop writing; restore a backup, or save what is readable with "
    "'bethink export --out rescue.jsonl' and import it into a new store"
)
_MAKE_ROOM = "free some space, then run doctor again"
_LOW_DISK_BYTES = 200_000_000
_SHOWN = 5  # entries of a folder that are named


def check(path: Path, *, writable: bool) -> list[Check]:
    alone = crammed(path)
    writable = writable and not alone
    checks = [_file(path, alone=alone), _disk(path)]
    try:
        with plain_errors(path):
            connection = connect(path, read_only=not writable, alone=alone)
            try:
                checks += _parts(connection, directory(path), thorough=writable)
                checks += check_tiers(connection, _RESTORE)
            finally:
                connection.close()
    except BethinkError as e:  # the lists of what there is cannot be read: nor can the rest
        fix = _MAKE_ROOM if isinstance(e, StoreFull) else _RESTORE
        checks.append(Check("contents", False, str(e), fix))
    return checks + check_events(path)


def _parts(connection: apsw.Connection, folder: Path, *, thorough: bool) -> list[Check]:
    checks = [_texts(connection)]
    spaces = spaces_of(connection, None)
    for space in spaces:
        checks += _space(connection, space.id, thorough=thorough)
    if os.path.lexists(folder):
        checks.append(_sidecars(connection, folder, spaces, all_tables(connection)))
    return checks


def _space(connection: apsw.Connection, number: int, *, thorough: bool) -> list[Check]:
    """What there is of a space. It is counted at one moment, since others may write meanwhile; one
    that they forgot is no fault."""
    with connection:
        row = connection.execute(f"{EVERY_SPACE} WHERE id = ?", (number,)).get
        if row is None:
            return []
        space = SpaceRow(*row)
        held = _words(connection, space)
        checks = [_vectors(connection, table, space) for table in all_tables(connection)]
    if held.ok and thorough and (fault := words.thorough_check(connection, number)) is not None:
        held = Check(held.part, False, fault, _MEND_WORDS)
    return [held, *checks]


def _texts(connection: apsw.Connection) -> Check:
    """Read every memory: a byte that went wrong inside a text breaks no page."""
    numbers = [int(row[0]) for row in connection.execute("SELECT row FROM memories")]
    damaged: list[str] = []
    for start in range(0, len(numbers), 1000):
        damaged += readable(connection, numbers[start : start + 1000], Damage())[1]
    if damaged:
        named = ", ".join(damaged[:_SHOWN]) + (" …" if len(damaged) > _SHOWN else "")
        what = f"{len(damaged)} memories are damaged and not handed out: {named}"
        return Check("texts", False, what, f"{HOW_TO_RESTORE}. Check the disk")
    return Check("texts", True, f"{len(numbers)} memories can be read, every checksum holds")


def _file(path: Path, *, alone: bool) -> Check:
    faults: dict[str, str] = {}
    try:
        with plain_errors(path):
            connection = connect(path, read_only=True, alone=alone)
            try:
                faults = _faults(connection)
            finally:
                connection.close()
    except StoreFull as e:
        return Check("file", False, f"{path}: {e}", _MAKE_ROOM)
    except BethinkError as e:
        faults = {"": str(e)}
    if not faults:
        return Check("file", True, f"{path} is sound (SQLite {apsw.sqlite_lib_version()})")
    if all(name.startswith("words_") for name in faults):
        fix = _MEND_WORDS
    elif all(name.startswith(("words_", "vectors_")) for name in faults):
        fix = _MEND_VECTORS
    else:
        fix = _RESTORE
    return Check("file", False, f"{path}: {'; '.join(faults.values())}", fix)


def _faults(connection: apsw.Connection) -> dict[str, str]:
    """What is wrong with each table, one by one: the fix depends on whose pages are damaged."""
    names = connection.execute("SELECT name FROM sqlite_schema WHERE rootpage > 0 AND type='table'")
    faults: dict[str, str] = {}
    for name in [str(row[0]) for row in names]:
        try:
            rows = [str(r[0]) for r in connection.execute(f'PRAGMA integrity_check("{name}")')]
        except apsw.Error as e:
            rows = [str(e)]
        if rows != ["ok"]:
            faults[name] = f"{name}: {rows[0]}"
    return faults


def _disk(path: Path) -> Check:
    free = shutil.disk_usage(path.parent).free
    if free >= _LOW_DISK_BYTES:
        return Check("disk", True, f"{free // 1_000_000:,} MB free")
    return Check(
        "disk", False, f"only {free // 1_000_000:,} MB free", "free some space before it is full"
    )


def _words(connection: apsw.Connection, space: SpaceRow) -> Check:
    part = f"words of {space.name!r}"
    held = words.size(connection, space.id)
    if held is None:
        return Check(part, False, "the index is missing", _MEND_WORDS)
    if held != space.passages:
        finding = f"the index holds {held} of {space.passages} passages"
        return Check(part, False, finding, _MEND_WORDS)
    return Check(part, True, f"{space.passages} passages")


def _vectors(connection: apsw.Connection, table: VectorTable, space: SpaceRow) -> Check:
    state = "meaning" if table.active else "meaning (being built)"
    part = f"{state} of {space.name!r} by {table.name}"
    try:
        held, wrong = connection.execute(
            f"SELECT count(*), count(*) FILTER (WHERE length(data) <> ?) FROM {table.table} "
            "WHERE space = ?",
            (table.dimension * 4, space.id),
        ).get
    except apsw.CorruptError as e:
        return Check(part, False, str(e), _MEND_VECTORS)
    if wrong:
        return Check(part, False, f"{wrong} vectors have the wrong size", _MEND_VECTORS)
    if held < space.passages:
        finding = f"{space.passages - held} of {space.passages} passages wait for a vector"
        return Check(part, False, finding, "run 'bethink reindex'")
    return Check(part, True, f"{held} vectors of {table.dimension} numbers")


def _sidecars(
    connection: apsw.Connection,
    folder: Path,
    spaces: Sequence[SpaceRow],
    tables: Sequence[VectorTable],
) -> Check:
    from bethink.stores.sqlite.posting_files import PostingFiles
    from bethink.stores.sqlite.vector_files import VectorFiles

    fault = own_files.fault_of_folder(folder)
    if fault is not None:
        return Check(
            "index files",
            False,
            f"{folder} is not used and nothing in it is changed: {fault}. Answers stay right: the "
            "rows are used instead",
            "move it away; Bethink makes a folder of its own",
        )
    foreign, doubtful = own_files.strangers(folder)
    faults = [f"{one} is left alone" for one in doubtful]
    if faults:
        faults.append("what was forgotten may still be in it; remove it by hand")
    for space in spaces:
        for table in tables:
            fault = VectorFiles(folder, table, space.id).check(connection)
            if fault is not None:
                faults.append(f"vectors of {space.name!r}: {fault}")
        fault = PostingFiles(folder, space.id).check(connection)
        if fault is not None:
            faults.append(f"words of {space.name!r}: {fault}")
    if not faults:
        also = f"; not ours and left alone: {', '.join(foreign[:_SHOWN])}" if foreign else ""
        also += " …" if len(foreign) > _SHOWN else ""
        return Check("index files", True, f"every checksum holds{also}")
    return Check(
        "index files",
        False,
        "; ".join(faults) + ". Answers stay right: the rows are used instead",
        "run 'bethink reindex --files'",
    )
