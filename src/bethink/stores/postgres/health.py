"""A thorough look at a store on PostgreSQL, for `doctor`: every part, each fault with its fix."""

from __future__ import annotations

from math import inf

from bethink.errors import BethinkError
from bethink.stores.damage import HOW_TO_RESTORE
from bethink.stores.postgres import words
from bethink.stores.postgres.database import SCHEMA, Cursor, Database
from bethink.stores.postgres.rows import is_sound
from bethink.stores.postgres.schema import WANTED_PGVECTOR, version_numbers
from bethink.stores.postgres.spaces import SpaceRow, spaces_of
from bethink.stores.postgres.upkeep import Upkeep, index_name, index_of, is_large
from bethink.stores.postgres.vector_tables import VectorTable, all_tables
from bethink.vocabulary import Check

_MEND_WORDS = "run 'bethink reindex --words'"
_MEND_VECTORS = "run 'bethink reindex --force'"
_SHOWN = 5
_MUCH_DEAD = 100_000  # rows that nobody sees any more, before it is worth a word


def check(database: Database, upkeep: Upkeep) -> list[Check]:
    try:
        with database.read("statement_timeout = 0", seconds=inf) as cursor:
            checks = [_server(cursor, database.shown), _pgvector(cursor), _walls(cursor)]
            checks += [_durability(cursor), _indexes(cursor), _counts(cursor)]
            spaces, tables = spaces_of(cursor, None), all_tables(cursor)
            for space in spaces:
                checks.append(_words(cursor, space))
                checks += [_vectors(cursor, table, space) for table in tables]
            checks += _room(cursor)
        return checks + upkeep.checks()
    except BethinkError as e:
        return [Check("server", False, str(e), "see that the server runs and can be reached")]


def _server(cursor: Cursor, shown: str) -> Check:
    (version,) = cursor.execute("SHOW server_version").fetchone() or ("?",)
    return Check("server", True, f"{shown} is PostgreSQL {version}")


def _pgvector(cursor: Cursor) -> Check:
    (version,) = cursor.execute(
        "SELECT extversion FROM pg_extension WHERE extname = 'vector'"
    ).fetchone() or ("none",)
    if version_numbers(version) >= WANTED_PGVECTOR:
        return Check("pgvector", True, f"version {version}")
    wanted = ".".join(map(str, WANTED_PGVECTOR))
    return Check(
        "pgvector",
        False,
        f"version {version}; before {wanted} an index may be read beyond its end",
        f"install pgvector {wanted} or later, then ALTER EXTENSION vector UPDATE",
    )


def _walls(cursor: Cursor) -> Check:
    rows = cursor.execute(
        "SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid "
        "WHERE c.relnamespace = %s::regnamespace AND c.relkind = 'r' AND a.attname = 'tenant' "
        "AND NOT (c.relrowsecurity AND c.relforcerowsecurity)",
        (SCHEMA,),
    ).fetchall()
    if not rows:
        return Check("tenants", True, "row-level security keeps them apart in every table")
    named = ", ".join(f"{SCHEMA}.{name}" for (name,) in rows)
    return Check(
        "tenants",
        False,
        f"row-level security is off in {named}",
        "ALTER TABLE … ENABLE ROW LEVEL SECURITY and ALTER TABLE … FORCE ROW LEVEL SECURITY",
    )


def _durability(cursor: Cursor) -> Check:
    rows = cursor.execute(
        "SELECT name FROM pg_settings WHERE name IN ('fsync', 'full_page_writes') "
        "AND setting = 'off'"
    ).fetchall()
    if not rows:
        return Check("durability", True, "what is acknowledged is on disk")
    named = " and ".join(name for (name,) in rows)
    return Check(
        "durability",
        False,
        f"{named} off: a power cut may damage the database",
        f"set {named} = on in postgresql.conf",
    )


def _indexes(cursor: Cursor) -> Check:
    rows = cursor.execute(
        "SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid "
        "WHERE c.relnamespace = %s::regnamespace AND NOT i.indisvalid "
        "AND NOT EXISTS (SELECT 1 FROM pg_stat_progress_create_index p "
        "WHERE p.index_relid = c.oid)",
        (SCHEMA,),
    ).fetchall()
    if not rows:
        return Check("indexes", True, "all are valid")
    named = ", ".join(name for (name,) in rows)
    return Check("indexes", False, f"not valid: {named}", "run 'bethink reindex --files'")


def _counts(cursor: Cursor) -> Check:
    """What the spaces say that they hold, against what is there."""
    rows = cursor.execute(
        "SELECT s.name FROM spaces s WHERE (s.memories, s.passages, s.length) IS DISTINCT FROM "
        "((SELECT count(*) FROM memories m WHERE m.space = s.id), "
        "(SELECT count(*) FROM passages p WHERE p.space = s.id), "
        "(SELECT coalesce(sum(p.length), 0) FROM passages p WHERE p.space = s.id))"
    ).fetchall()
    (total,) = cursor.execute("SELECT count(*) FROM memories").fetchone() or (0,)
    damaged = cursor.execute(
        f"SELECT m.id FROM memories m WHERE NOT {is_sound('m')} ORDER BY m.row".encode()
    ).fetchall()
    if damaged:
        named = ", ".join(name for (name,) in damaged[:_SHOWN]) + " …" * (len(damaged) > _SHOWN)
        what = f"{len(damaged)} memories are damaged and not handed out: {named}"
        return Check("texts", False, what, HOW_TO_RESTORE)
    if not rows:
        return Check("texts", True, f"{total} memories can be read, every checksum holds")
    named = ", ".join(name for (name,) in rows)
    return Check("texts", False, f"the counts of {named} are wrong", "restore a backup")


def _words(cursor: Cursor, space: SpaceRow) -> Check:
    part = f"words of {space.name!r}"
    held = words.occurrences(cursor, space.id)
    if held != space.length:
        finding = f"the index holds {held} of {space.length} words"
        return Check(part, False, finding, _MEND_WORDS)
    return Check(part, True, f"{space.passages} passages")


def _vectors(cursor: Cursor, table: VectorTable, space: SpaceRow) -> Check:
    state = "meaning" if table.active else "meaning (being built)"
    part = f"{state} of {space.name!r} by {table.name}"
    row = cursor.execute(
        f"SELECT (SELECT count(*) FROM {table.table} WHERE space = %s), coalesce((SELECT passages "
        "FROM embedded WHERE space = %s AND fingerprint = %s), 0)".encode(),
        (space.id, space.id, table.fingerprint),
    ).fetchone()
    assert row is not None
    held, counted = row
    if held != counted:
        return Check(part, False, f"{held} vectors, but {counted} were counted", _MEND_VECTORS)
    if held < space.passages:
        finding = f"{space.passages - held} of {space.passages} passages wait for a vector"
        return Check(part, False, finding, "run 'bethink reindex'")
    how = "looked through"
    if is_large(table, space):
        index = index_of(cursor, index_name(table, space.id))
        if index is None or not index.valid:
            finding = f"{held} vectors, without an index yet: answers are right, but slow"
            return Check(part, False, finding, "run 'bethink reindex --files'")
        if space.passages > index.good_up_to:
            finding = (
                f"{held} vectors, in lists that were drawn when there were {index.passages}: "
                "what is new since is often missed"
            )
            return Check(part, False, finding, "run 'bethink reindex --files'")
        how = "indexed"
    return Check(part, True, f"{held} vectors of {table.dimension} numbers, {how}")


def _room(cursor: Cursor) -> list[Check]:
    rows = cursor.execute(
        "SELECT relname, n_dead_tup FROM pg_stat_user_tables WHERE schemaname = %s "
        "AND n_dead_tup > %s AND n_dead_tup > n_live_tup / 2",
        (SCHEMA, _MUCH_DEAD),
    ).fetchall()
    return [
        Check(
            f"table {name}",
            False,
            f"{dead:,} rows that nobody sees any more take room",
            f"see that autovacuum runs, or run VACUUM {SCHEMA}.{name}",
        )
        for name, dead in rows
    ]
