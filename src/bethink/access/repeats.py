"""A write that is sent again under the same Idempotency-Key is not done again: it gets the answer
of the first. Keys are kept for a day.

What is guaranteed, whatever crashes when:

- Answered once, it is never done again within the day, in this process or another.
- It is noted as begun, durably, before it is done. While it is under way, others with the same key
  wait, or are told to come back.
- Interrupted between the deed and the note of its answer (a kill, a power cut), nobody knows
  whether it was done. Then it is done again only where doing it twice is doing it once
  (`repeatable`); otherwise the caller is told to look, and nothing is doubled.
- A write that was refused, or found the store busy or full, was not done: it is forgotten, and may
  be tried again with the same key.

No text is kept here: an answer is kept without its offers, which are read anew from the store.
"""

from __future__ import annotations

import json
import secrets
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from hashlib import sha256
from typing import Any, NamedTuple, TypeAlias

from bethink.access.caller import Caller
from bethink.access.server_rows import ServerRows
from bethink.clock import Clock, system_clock, to_micros
from bethink.errors import (
    BethinkError,
    Conflict,
    InvalidInput,
    StoreBusy,
    StoreError,
    StoreFull,
    StoreReadOnly,
)

Answer: TypeAlias = Any  # what a door gives back: JSON-ready

KEPT = timedelta(hours=24)
LEASE = timedelta(seconds=60)  # after that, who began it is taken to be gone
_PATIENCE = 10.0  # seconds that a second request waits for the first
_POLL = 0.02
_MOST_WAITING = 8  # of all that repeat; the others are told to come back
_MOST_CHARS = 255


class Replayed(NamedTuple):
    record: Answer
    replayed: bool


class Repeats:
    def __init__(
        self, file: ServerRows, *, clock: Clock = system_clock, patience: float = _PATIENCE
    ) -> None:
        self._file = file
        self._clock = clock
        self._patience = patience
        self._owner = secrets.token_hex(8)
        self._running: set[bytes] = set()
        self._patient = threading.BoundedSemaphore(_MOST_WAITING)

    def once(
        self,
        caller: Caller,
        key: str,
        request_hash: str,
        do: Callable[[], Answer],
        *,
        repeatable: bool = False,
        keep: Callable[[Answer], Answer] = lambda answer: answer,
        show: Callable[[Answer], Answer] = lambda answer: answer,
    ) -> Replayed:
        """`keep` makes of an answer what may be kept, `show` an answer of that."""
        token = sha256(_checked(key).encode()).digest()
        place = (caller.tenant, caller.key_id, token)
        own = sha256(repr(place).encode()).digest()
        end = time.monotonic() + self._patience
        waits = False
        while True:
            kept = self._begin(place, own, request_hash, repeatable)
            if kept is None:
                break
            if kept.answer is not None:
                if waits:
                    self._patient.release()
                return Replayed(show(json.loads(kept.answer)), True)
            if not waits:
                # a few may wait for the first; more of them would keep threads from others
                waits = self._patient.acquire(blocking=False)
            if not waits or time.monotonic() >= end:
                if waits:
                    self._patient.release()
                raise Conflict(
                    "a request with this Idempotency-Key is still under way; try again in a "
                    "few seconds with the same key"
                )
            time.sleep(_POLL)
        if waits:
            self._patient.release()
        try:
            answer = do()
        except BaseException as e:
            self._failed(place, own, forget=_not_done(e))
            raise
        self._finish(place, own, json.dumps(keep(answer), ensure_ascii=False))
        return Replayed(answer, False)

    def forget_tenant(self, tenant: str) -> None:
        with self._file.write() as writer:
            writer.execute("DELETE FROM idempotency WHERE tenant = ?", (tenant,))

    def _begin(
        self, place: tuple[str, str, bytes], own: bytes, request_hash: str, repeatable: bool
    ) -> _Kept | None:
        """Note that it is begun (None), or what is known of whoever began it before."""
        now = to_micros(self._clock())
        with self._file.write() as writer:
            writer.execute(
                "DELETE FROM idempotency WHERE begun_at <= ?", (now - KEPT // _MICROSECOND,)
            )
            row = writer.execute(
                "SELECT request_hash, begun_at, owner, answer FROM idempotency "
                "WHERE tenant = ? AND key_id = ? AND token_hash = ?",
                place,
            ).fetchone()
            if row is not None:
                asked, begun_at, owner, answer = row
                if asked != request_hash:
                    raise Conflict(
                        "this Idempotency-Key was used for another request; give every request "
                        "a key of its own"
                    )
                mine = owner == self._owner
                running = own in self._running if mine else now - begun_at < LEASE // _MICROSECOND
                if answer is not None or running:
                    return _Kept(answer)
                if not repeatable:
                    raise Conflict(
                        "an earlier request with this Idempotency-Key was interrupted, and whether "
                        "it was done is not known. Look first (list, get); if it was not, send it "
                        "again with another key"
                    )
            writer.execute(
                "INSERT INTO idempotency VALUES (?, ?, ?, ?, ?, ?, NULL) "
                "ON CONFLICT (tenant, key_id, token_hash) DO UPDATE SET answer = NULL, "
                "request_hash = excluded.request_hash, begun_at = excluded.begun_at, "
                "owner = excluded.owner",
                (*place, request_hash, now, self._owner),
            )
            self._running.add(own)
        return None

    def _finish(self, place: tuple[str, str, bytes], own: bytes, answer: str) -> None:
        try:
            # it is done, and its caller must hear that; sent again, it counts as interrupted
            with suppress(StoreError), self._file.write() as writer:
                writer.execute(
                    "UPDATE idempotency SET answer = ? "
                    "WHERE tenant = ? AND key_id = ? AND token_hash = ?",
                    (answer, *place),
                )
        finally:
            self._running.discard(own)

    def _failed(self, place: tuple[str, str, bytes], own: bytes, *, forget: bool) -> None:
        try:
            if forget:
                with suppress(StoreError), self._file.write() as writer:  # the first error is told
                    writer.execute(
                        "DELETE FROM idempotency "
                        "WHERE tenant = ? AND key_id = ? AND token_hash = ?",
                        place,
                    )
        finally:
            self._running.discard(own)


def _not_done(error: BaseException) -> bool:
    """Errors of ours say that nothing was written, but for some of the disk."""
    if isinstance(error, StoreError):
        return isinstance(error, StoreBusy | StoreFull | StoreReadOnly)
    return isinstance(error, BethinkError)


class _Kept(NamedTuple):
    answer: str | None  # None: it is under way


_MICROSECOND = timedelta(microseconds=1)


def derived_id(caller: Caller, key: str) -> str:
    """An id that the same caller gets again with the same key: what is written under it can be
    written twice and is there once."""
    place = json.dumps([caller.tenant, caller.key_id, _checked(key)], ensure_ascii=False)
    return sha256(place.encode()).hexdigest()[:32]


def _checked(key: str) -> str:
    if not isinstance(key, str) or not 1 <= len(key) <= _MOST_CHARS or not key.isprintable():
        raise InvalidInput(
            f"an Idempotency-Key is 1 to {_MOST_CHARS} printable characters, such as a UUID"
        )
    return key
