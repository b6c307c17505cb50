"""A thorough look at an embedded store, for `doctor`: every part, each fault with its fix."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from typing import TYPE_CHECKING

import apsw

from recollect.errors import RecollectError
from recollect.stores.sqlite import words
from recollect.stores.sqlite.connection import connect, plain_errors
from recollect.stores.sqlite.large import directory
from recollect.stores.sqlite.writing import VectorTable
from recollect.vocabulary import Check

if TYPE_CHECKING:
    from recollect.stores.sqlite.store import SQLiteStore

_LOW_DISK_BYTES = 200_000_000


def check(
    store: SQLiteStore, spaces: Sequence[tuple[int, str, int]], tables: Sequence[VectorTable]
) -> list[Check]:
    checks = [_file(store), _disk(store)]
    with plain_errors(store.path):
        connection = connect(store.path, read_only=False)
        try:
            for number, name, passages in spaces:
                checks.append(_words(connection, number, name, passages))
                for table in tables:
                    checks.append(_vectors(connection, table, number, name, passages))
        finally:
            connection.close()
    if directory(store.path).exists():
        checks.append(_sidecars(store, spaces, tables))
    return checks


def _file(store: SQLiteStore) -> Check:
    try:
        with plain_errors(store.path):
            connection = connect(store.path, read_only=True)
            try:
                rows = [row[0] for row in connection.execute("PRAGMA integrity_check(5)")]
            finally:
                connection.close()
    except RecollectError as e:
        rows = [str(e)]
    if rows == ["ok"]:
        version = apsw.sqlite_lib_version()
        return Check("file", True, f"{store.path} is sound (SQLite {version})")
    # a damaged words index shows up here too, and is mended by a rebuild
    derived = all("words_" in row or "fts5" in row.lower() for row in rows)
    fix = (
        "run 'recollect reindex --words'"
        if derived
        else "stop writing; restore a backup, or save what is readable with "
        "'recollect export --out rescue.jsonl' and import it into a new store"
    )
    return Check("file", False, f"{store.path}: {'; '.join(rows)}", fix)


def _disk(store: SQLiteStore) -> Check:
    free = shutil.disk_usage(store.path.parent).free
    if free >= _LOW_DISK_BYTES:
        return Check("disk", True, f"{free // 1_000_000:,} MB free")
    return Check(
        "disk", False, f"only {free // 1_000_000:,} MB free", "free some space before it is full"
    )


def _words(connection: apsw.Connection, number: int, name: str, passages: int) -> Check:
    part = f"words of {name!r}"
    held = words.size(connection, number)
    if held is None:
        return Check(part, False, "the index is missing", "run 'recollect reindex --words'")
    if held != passages:
        return Check(
            part,
            False,
            f"the index holds {held} of {passages} passages",
            "run 'recollect reindex --words'",
        )
    fault = words.thorough_check(connection, number)
    if fault is not None:
        return Check(part, False, fault, "run 'recollect reindex --words'")
    return Check(part, True, f"{passages} passages")


def _vectors(
    connection: apsw.Connection, table: VectorTable, number: int, name: str, passages: int
) -> Check:
    state = "meaning" if table.active else "meaning (being built)"
    part = f"{state} of {name!r} by {table.name}"
    held, wrong = connection.execute(
        f"SELECT count(*), count(*) FILTER (WHERE length(data) <> ?) FROM {table.table} "
        "WHERE space = ?",
        (table.dimension * 4, number),
    ).get
    if wrong:
        return Check(
            part, False, f"{wrong} vectors have the wrong size", "run 'recollect reindex --force'"
        )
    if held < passages:
        return Check(
            part,
            False,
            f"{passages - held} of {passages} passages wait for a vector",
            "run 'recollect reindex'",
        )
    return Check(part, True, f"{held} vectors of {table.dimension} numbers")


def _sidecars(
    store: SQLiteStore, spaces: Sequence[tuple[int, str, int]], tables: Sequence[VectorTable]
) -> Check:
    from recollect.stores.sqlite.posting_files import PostingFiles
    from recollect.stores.sqlite.vector_files import VectorFiles

    faults: list[str] = []
    connection = connect(store.path, read_only=True)
    try:
        folder = directory(store.path)
        for number, name, _ in spaces:
            for table in tables:
                fault = VectorFiles(folder, table, number).check(connection)
                if fault is not None:
                    faults.append(f"vectors of {name!r}: {fault}")
            fault = PostingFiles(folder, number).check(connection)
            if fault is not None:
                faults.append(f"words of {name!r}: {fault}")
    finally:
        connection.close()
    if faults:
        return Check(
            "index files",
            False,
            "; ".join(faults) + ". Answers stay right: the rows are used instead",
            "run 'recollect reindex --files'",
        )
    return Check("index files", True, "every checksum holds")
