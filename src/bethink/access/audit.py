"""Who did what, when and with what outcome; never what anything says.

Every row hashes the row before it: to change or remove one, all that follow would have to be made
anew. Whoever may write the file can do that too, so note the newest hash (`head`) elsewhere from
time to time; `verify` then takes it.

A write that cannot be audited is refused. The row is written after the deed, when its outcome and
ids are known, so one deed at most may be missing: that during which the disk failed or the process
was killed. From then on nothing is written before the trail can be written again.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any, NamedTuple

from bethink.access.caller import Caller
from bethink.access.server_rows import Rows, ServerRows
from bethink.clock import Clock, from_micros, system_clock, to_micros
from bethink.errors import BethinkError, StoreBusy, StoreError, StoreUnavailable

DONE = "done"
MOST_TARGETS = 1_000  # of one deed; of more, how many there were
_START = b"\0" * 32
_COLUMNS = "number, at, tenant, key_id, door, action, targets, outcome, hash"
_PAGE = 1_000


class AuditRow(NamedTuple):
    number: int
    at: datetime
    tenant: str
    key_id: str  # empty: no key, on this machine
    door: str
    action: str
    targets: tuple[str, ...]  # ids and names
    outcome: str  # done, or the code of an error
    hash: str


class Broken(NamedTuple):
    """The first link that does not hold."""

    number: int
    why: str


class Audit:
    def __init__(self, file: ServerRows, *, clock: Clock = system_clock) -> None:
        self._file = file
        self._clock = clock
        self._fault = ""
        self._lock = threading.Lock()

    def note(
        self,
        action: str,
        *,
        caller: Caller | None = None,
        tenant: str = "",
        key_id: str = "",
        door: str = "",
        targets: Sequence[str] = (),
        outcome: str = DONE,
    ) -> AuditRow:
        """Add a row; it is on disk when this returns."""
        if caller is not None:
            tenant, key_id, door = caller.tenant, caller.key_id, caller.door
        named = [str(target) for target in targets[:MOST_TARGETS]]
        if len(targets) > MOST_TARGETS:
            named.append(f"and {len(targets) - MOST_TARGETS} more")
        try:
            with self._file.write() as writer:
                row = writer.execute(
                    "SELECT number, hash FROM audit ORDER BY number DESC LIMIT 1"
                ).fetchone()
                last, before = row or (0, _START)
                number = 1 + max(last, self._file.last_audited(writer))
                said = (
                    number,
                    to_micros(self._clock()),
                    tenant,
                    key_id,
                    door,
                    action,
                    json.dumps(named, ensure_ascii=False),
                    outcome,
                )
                linked = _linked(before, said)
                writer.execute(
                    f"INSERT INTO audit ({_COLUMNS}) VALUES ({', '.join('?' * 9)})",
                    (*said, linked),
                )
        except BethinkError as e:
            self._fault = str(e)
            # what passes is said to pass: who asked may try again
            kind = type(e) if isinstance(e, StoreBusy | StoreUnavailable) else StoreError
            raise kind(
                f"the audit trail {self._file.shown} cannot be written ({e}). What was asked may "
                "have been done; nothing more is written before the trail can be"
            ) from e
        self._fault = ""
        return _row((*said, linked))

    def ready(self) -> None:
        """Before a write: where the last row could not be written, see whether one can be now."""
        with self._lock:
            if self._fault:
                self.note("audit.resumed")

    def list(
        self,
        *,
        tenant: str | None = None,
        key_id: str | None = None,
        action: str | None = None,
        before: int | None = None,
        limit: int = 100,
    ) -> list[AuditRow]:
        """Newest first; `before` a number goes on from there."""
        tests, bindings = ["1 = 1"], list[Any]()
        for column, value in (("tenant", tenant), ("key_id", key_id), ("action", action)):
            if value is not None:
                tests.append(f"{column} = ?")
                bindings.append(value)
        if before is not None:
            tests.append("number < ?")
            bindings.append(before)
        with self._file.read() as reader:
            if reader is None:
                return []
            rows = reader.execute(
                f"SELECT {_COLUMNS} FROM audit WHERE {' AND '.join(tests)} "
                "ORDER BY number DESC LIMIT ?",
                (*bindings, limit),
            )
            return [_row(row) for row in rows]

    def head(self) -> str:
        """The newest hash: it stands for the whole trail up to here."""
        newest = self.list(limit=1)
        return newest[0].hash if newest else _START.hex()

    def verify(self, *, head: str | None = None) -> Broken | None:
        """Read the whole trail; the first link that is broken, or None. `head`, a hash that was
        noted before, must be among its rows."""
        before, expected, found = _START, 1, head is None or head == _START.hex()
        with self._file.read() as reader:
            if reader is None:
                return None if found else Broken(1, "the trail is gone")
            for row in _in_order(reader):
                if row[0] != expected:
                    return Broken(expected, f"row {expected} is missing")
                if bytes(row[8]) != _linked(before, row[:8]):
                    return Broken(expected, f"row {expected} or the one before it was changed")
                before, expected = bytes(row[8]), expected + 1
                found = found or before.hex() == head
            last = self._file.last_audited(reader)
        if last >= expected:
            return Broken(expected, f"rows from {expected} to {last} are missing at the end")
        if not found:
            return Broken(expected, "no row has the hash that was noted: the trail was made anew")
        return None


def _in_order(reader: Rows) -> Iterator[Sequence[Any]]:
    """The whole trail, a page at a time: it may be longer than what fits into memory."""
    asked = f"SELECT {_COLUMNS} FROM audit WHERE number > ? ORDER BY number LIMIT ?"
    after = -1
    while page := list(reader.execute(asked, (after, _PAGE))):
        yield from page
        after = page[-1][0]


def audit_record(row: AuditRow) -> dict[str, Any]:
    return {**row._asdict(), "at": row.at.isoformat(), "targets": list(row.targets)}


def _linked(before: bytes, said: Sequence[Any]) -> bytes:
    return sha256(before + json.dumps(list(said), ensure_ascii=False).encode()).digest()


def _row(row: Sequence[Any]) -> AuditRow:
    number, at, tenant, key_id, door, action, targets, outcome, linked = row
    return AuditRow(
        number,
        from_micros(at),
        tenant,
        key_id,
        door,
        action,
        tuple(json.loads(targets)),
        outcome,
        bytes(linked).hex(),
    )
