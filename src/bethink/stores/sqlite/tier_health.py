"""A thorough look at what stands before long-term memory, for `doctor`. A line only where there is
something to look at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import apsw

from bethink.errors import BethinkError, StoreFull
from bethink.stores.damage import Damage
from bethink.stores.sqlite import events
from bethink.stores.sqlite.connection import connect, crammed, plain_errors
from bethink.stores.sqlite.quarantine import offers_by_row
from bethink.stores.sqlite.rows import dump, from_snapshot
from bethink.stores.sqlite.schema import has_tiers
from bethink.stores.sqlite.working import RECENT, recent_from
from bethink.vocabulary import Check

_BATCH = 1000


def check_tiers(connection: apsw.Connection, fix: str) -> list[Check]:
    """Quarantine and working memory, in the store's own file."""
    if not has_tiers(connection):
        return []
    checks: list[Check] = []
    offers = _numbers(connection, "SELECT row FROM offers ORDER BY row")
    if offers:
        bad = _unreadable(
            offers, lambda rows: len(offers_by_row(connection, rows, Damage())) == len(rows)
        )
        checks.append(_finding("quarantine", len(offers), bad, "offers", fix))
    former = _numbers(connection, "SELECT rowid FROM revisions ORDER BY rowid")
    if former:
        bad = _unreadable(former, lambda rows: _read_former(connection, rows))
        checks.append(_finding("history", len(former), bad, "former texts", fix))
    recent = _numbers(connection, "SELECT number FROM working ORDER BY number")
    if recent:
        bad = _unreadable(recent, lambda rows: _read_recent(connection, rows))
        checks.append(_finding("working memory", len(recent), bad, "memories", fix))
    return checks


def _numbers(connection: apsw.Connection, sql: str) -> list[int]:
    return [number for (number,) in connection.execute(sql)]


def _read_recent(connection: apsw.Connection, numbers: Sequence[int]) -> bool:
    rows = connection.execute(
        f"SELECT {RECENT} FROM json_each(?) j CROSS JOIN working w ON w.number = j.value",
        (dump(list(numbers)),),
    )
    return len([recent_from(row) for row in rows]) == len(numbers)


def _read_former(connection: apsw.Connection, numbers: Sequence[int]) -> bool:
    rows = connection.execute(
        "SELECT CAST(r.snapshot AS BLOB) FROM json_each(?) j "
        "CROSS JOIN revisions r ON r.rowid = j.value",
        (dump(list(numbers)),),
    )
    return len([from_snapshot(text.decode()) for (text,) in rows]) == len(numbers)


def _unreadable(numbers: Sequence[int], read: Callable[[Sequence[int]], bool]) -> list[int]:
    """Which rows do not give what they should."""

    def sound(some: Sequence[int]) -> bool:
        try:
            return read(some)
        except (ValueError, TypeError, KeyError):  # no UTF-8, no JSON, or JSON of something else
            return False

    batches = [numbers[start : start + _BATCH] for start in range(0, len(numbers), _BATCH)]
    return [n for batch in batches if not sound(batch) for n in batch if not sound([n])]


def _finding(part: str, count: int, bad: Sequence[int], what: str, fix: str) -> Check:
    if not bad:
        return Check(part, True, f"{count} {what} can be read")
    named = ", ".join(f"row {n}" for n in bad[:5]) + (" …" if len(bad) > 5 else "")
    return Check(part, False, f"{len(bad)} of {count} {what} cannot be read: {named}", fix)


def check_events(store: Path) -> list[Check]:
    """The log of events, which has a file of its own."""
    path = events.events_file(store)
    if not path.exists():
        return []
    begin_anew = f"move {path.name} away: the log begins anew, and no memory is lost"
    try:
        with plain_errors(path):
            connection = connect(path, read_only=True, alone=crammed(path))
            try:
                return [_events(connection, begin_anew)]
            finally:
                connection.close()
    except StoreFull as e:
        return [Check("events", False, str(e), "free some space, then run doctor again")]
    except BethinkError as e:
        return [Check("events", False, str(e), begin_anew)]


def _events(connection: apsw.Connection, fix: str) -> Check:
    if not events.version(connection):
        return Check("events", True, "none yet")
    fault = connection.execute("PRAGMA integrity_check(1)").get
    if fault != "ok":
        return Check("events", False, str(fault), fix)
    numbers = _numbers(connection, "SELECT id FROM events ORDER BY id")
    bad = _unreadable(numbers, lambda rows: len(events.by_id(connection, rows)) == len(rows))
    return _finding("events", len(numbers), bad, "events", fix)
