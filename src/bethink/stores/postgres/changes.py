"""What changed, written down for those who follow the store: in the transaction of the change, as
its last statement, and only while somebody follows.

Numbers come from the row of the tenant, which is held until the end of the transaction: whoever
follows them never sees a greater number before a smaller one. Whether somebody follows is known
from the beginning of a transaction (`Database.write`), and cannot change in it: `follow` waits for
all who write, and they for it.
"""

from __future__ import annotations

from collections.abc import Iterable

from bethink.stores.postgres.arrays import texts
from bethink.stores.postgres.database import Cursor
from bethink.stores.postgres.notes import OWN
from bethink.stores.postgres.pool import Connection
from bethink.stores.retrievers import What
from bethink.stores.stretches import Stretch, mark_of

# A database that was put back from a backup gives the same numbers once more, to other changes. So
# each start of the server, and each making of its tables, begins a stretch of history with a mark
# of its own: after which number, when, the mark.
HISTORIES = f"{OWN}history/"
_STRETCH = (
    f"'{HISTORIES}' || extract(epoch FROM pg_postmaster_start_time()) || '-' || "
    "pg_relation_filenode('tenants'), taken.before || ' ' || "
    "extract(epoch FROM clock_timestamp()) || ' ' || replace(gen_random_uuid()::text, '-', '')"
)


def is_followed(cursor: Cursor) -> bool:
    connection = cursor.connection
    assert isinstance(connection, Connection)
    return connection.followed


def note(cursor: Cursor, what: What, names: Iterable[str], *, space: int | None = None) -> None:
    if not is_followed(cursor):
        return
    named = list(dict.fromkeys(names))
    if named:
        cursor.execute(
            "WITH taken AS (UPDATE tenants SET last_change = last_change + %s "
            "RETURNING last_change - %s AS before), "
            f"stretch AS (INSERT INTO notes (key, value) SELECT {_STRETCH} FROM taken "
            "ON CONFLICT DO NOTHING) "
            "INSERT INTO changes (number, what, name, space) "
            "SELECT taken.before + w.at, %s, w.name, %s FROM taken, "
            "unnest(%b) WITH ORDINALITY AS w (name, at) ON CONFLICT (tenant, what, name) "
            "DO UPDATE SET number = excluded.number, space = excluded.space, at = excluded.at",
            (len(named), len(named), what.value, space, texts(named)),
        )


def begin_history(cursor: Cursor) -> None:
    """Of what is told from now on, if there is none of this server yet."""
    cursor.execute(
        f"INSERT INTO notes (key, value) SELECT {_STRETCH} "
        "FROM (SELECT last_change AS before FROM tenants) taken ON CONFLICT DO NOTHING".encode()
    )


def history(cursor: Cursor, number: int) -> str:
    return mark_of(number, _newest_first(cursor))


def _newest_first(cursor: Cursor) -> list[Stretch]:
    rows = cursor.execute("SELECT key, value FROM notes WHERE starts_with(key, %s)", (HISTORIES,))
    parts = [(key, *value.split()) for key, value in rows]
    stretches = [(int(after), float(at), mark, key) for key, after, at, mark in parts]
    return [Stretch(key, after, mark) for after, _, mark, key in sorted(stretches, reverse=True)]


def note_space(cursor: Cursor, space: int, name: str) -> None:
    """It went as a whole: what was noted of its memories need not be."""
    if is_followed(cursor):
        cursor.execute("DELETE FROM changes WHERE space = %s", (space,))
        note(cursor, What.SPACE, [name])


def drop_passed(cursor: Cursor) -> None:
    """What every follower has is kept no longer."""
    row = cursor.execute(
        "UPDATE tenants SET changes_dropped = greatest(changes_dropped, "
        "(SELECT min(number) FROM followers)) RETURNING changes_dropped"
    ).fetchone()
    assert row is not None
    cursor.execute("DELETE FROM changes WHERE number <= %s", row)
    stretches = _newest_first(cursor)
    reached = [at for at, (_, after, _) in enumerate(stretches) if after < row[0]]
    for key, _, _ in stretches[reached[0] + 1 :] if reached else ():
        cursor.execute("DELETE FROM notes WHERE key = %s", (key,))
