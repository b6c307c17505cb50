"""What changed, written down for those who follow the store: in the transaction of the change, as
its last statement, and only while somebody follows.

Numbers come from the row of the tenant, which is held until the end of the transaction: whoever
follows them never sees a greater number before a smaller one. Whether somebody follows is known
from the beginning of a transaction (`Database.write`), and cannot change in it: `follow` waits for
all who write, and they for it.
"""

from __future__ import annotations

from collections.abc import Iterable

from recollect.stores.postgres.arrays import texts
from recollect.stores.postgres.database import Cursor
from recollect.stores.postgres.pool import Connection
from recollect.stores.retrievers import What


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
            "RETURNING last_change - %s AS before) "
            "INSERT INTO changes (number, what, name, space) "
            "SELECT taken.before + w.at, %s, w.name, %s FROM taken, "
            "unnest(%b) WITH ORDINALITY AS w (name, at) ON CONFLICT (tenant, what, name) "
            "DO UPDATE SET number = excluded.number, space = excluded.space, at = excluded.at",
            (len(named), len(named), what.value, space, texts(named)),
        )


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
