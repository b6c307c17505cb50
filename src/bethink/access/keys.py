"""Keys: who may come in. A key is shown once, when it is made; only a hash of its secret is kept.

    bk_<id>_<secret>    the id names the key and is no secret; the secret has 256 bits

Every key is looked up anew at every request, so that what another process revoked is refused at
once: one look at an index, next to nothing beside a question.
"""

from __future__ import annotations

import builtins
import hmac
import json
import re
import secrets
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, NamedTuple

from bethink.access.caller import Caller, Scope, scopes_of
from bethink.access.server_rows import ServerRows, only
from bethink.access.tenant_names import DEFAULT_TENANT, check_tenant
from bethink.checks import check_space, shown
from bethink.clock import Clock, from_micros, parse_moment, system_clock, to_micros
from bethink.errors import InvalidInput, NotFound, StoreError, Unauthorised
from bethink.tiers.kit import FILTER, RULES

PREFIX = "bk_"
_FORM = r"bk_([0-9a-f]{16})_([0-9a-f]{64})"
_NOBODY = "0" * 16  # no key has this id
_NO_SECRET = sha256(secrets.token_bytes(32)).digest()
_REFUSED = (
    "this key is not known, or it was revoked or has expired; 'bethink keys create' makes another"
)
_LATELY = timedelta(hours=1)  # for somebody to come and see to the database
_COARSE = timedelta(hours=1)  # how exactly we know when a key was last used
MOST_PER_MINUTE = 1_000_000
_COLUMNS = (
    "id, name, tenant, scopes, spaces, trusted, per_minute, created_at, expires_at, revoked_at, "
    "last_used_at"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyRecord:
    """What is known of a key. The secret is not."""

    id: str
    name: str
    tenant: str
    scopes: tuple[Scope, ...]
    spaces: tuple[str, ...] | None
    trusted: bool
    per_minute: int | None
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None  # to the hour

    def holds(self, now: datetime) -> bool:
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


@dataclass(frozen=True, slots=True)
class NewKey:
    key: str = field(repr=False)  # the only time that it is seen
    record: KeyRecord


class _Held(NamedTuple):
    secret_hash: bytes
    record: KeyRecord
    seen_at: datetime


class KeyBook:
    def __init__(self, file: ServerRows, *, clock: Clock = system_clock) -> None:
        self._file = file
        self._clock = clock
        self._noted: dict[str, datetime] = {}
        self._held: dict[str, _Held] = {}
        self._revoked: set[str] = set()  # here: a look that began before may end after

    def create(
        self,
        *,
        name: str,
        tenant: str = DEFAULT_TENANT,
        scopes: Iterable[str],
        spaces: Sequence[str] | None = None,
        trusted: bool = False,
        expires_at: datetime | str | None = None,
        per_minute: int | None = None,
    ) -> NewKey:
        now = self._clock()
        record = KeyRecord(
            id=secrets.token_hex(8),
            name=_checked_name(name),
            tenant=check_tenant(tenant),
            scopes=tuple(scope for scope in Scope if scope in scopes_of(_listed(scopes))),
            spaces=_checked_spaces(spaces),
            trusted=trusted,
            per_minute=_checked_rate(per_minute),
            created_at=from_micros(to_micros(now)),
            expires_at=None if expires_at is None else parse_moment(expires_at, name="expires_at"),
            revoked_at=None,
            last_used_at=None,
        )
        if record.expires_at is not None and record.expires_at <= now:
            raise InvalidInput(f"expires_at: {record.expires_at} is past; give a later time")
        secret = secrets.token_hex(32)
        with self._file.write() as writer:
            writer.execute(
                f"INSERT INTO keys ({_COLUMNS}, secret_hash) VALUES ({', '.join('?' * 12)})",
                (*_row(record), _hashed(secret)),
            )
        return NewKey(f"{PREFIX}{record.id}_{secret}", record)

    def list(self, tenant: str | None = None) -> list[KeyRecord]:
        """Every key, oldest first, revoked ones too."""
        with self._file.ask() as reader:
            if reader is None:
                return []
            rows = reader.execute(
                f"SELECT {_COLUMNS} FROM keys WHERE tenant = coalesce(?, tenant) "
                "ORDER BY created_at, id",
                (tenant,),
            )
            return [_record(row) for row in rows]

    def revoke(self, key_id: str) -> KeyRecord:
        """From the next request on it is refused, in every process. Revoked twice is revoked."""
        with self._file.write() as writer:
            writer.execute(
                "UPDATE keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?",
                (to_micros(self._clock()), key_id),
            )
            row = writer.execute(f"SELECT {_COLUMNS} FROM keys WHERE id = ?", (key_id,)).fetchone()
        self._revoked.add(key_id)
        if row is None:
            raise NotFound(f"no key has the id {shown(key_id)}; 'bethink keys list' shows them")
        return _record(row)

    def held_lately(self, key: str, *, door: str) -> Caller | None:
        """Who held this key when it could last be looked up, if that was within the last hour. For
        what may be seen while no key can be; one that was revoked elsewhere since is not known."""
        key_id, secret = _parts(key)
        held, now = self._held.get(key_id), self._clock()
        if (
            held is None
            or key_id in self._revoked
            or not hmac.compare_digest(_hashed(secret), held.secret_hash)
        ):
            return None
        if not held.record.holds(now) or now - held.seen_at > _LATELY:
            return None
        return _caller(held.record, door)

    def revoke_all(self, tenant: str) -> builtins.list[KeyRecord]:
        """Every key of a tenant that still holds."""
        return [self.revoke(one.id) for one in self.list(tenant) if one.revoked_at is None]

    def any(self) -> bool:
        """Was a key ever made here? Then nobody comes in without one."""
        with self._file.ask() as reader:
            return reader is not None and only(reader.execute("SELECT 1 FROM keys LIMIT 1")) == 1

    def caller(self, key: str, *, door: str) -> Caller:
        """Who holds this key. An unknown, a malformed, a revoked and an expired one get the same
        answer after the same work."""
        record = self.record_of(key)
        if record is None:
            raise Unauthorised(_REFUSED)
        self._note_use(record)
        return _caller(record, door)

    def record_of(self, key: str) -> KeyRecord | None:
        key_id, secret = _parts(key)
        with self._file.ask() as reader:
            row = (
                reader
                and reader.execute(
                    f"SELECT secret_hash, {_COLUMNS} FROM keys WHERE id = ?", (key_id,)
                ).fetchone()
            )
        secret_hash = bytes(row[0]) if row else _NO_SECRET
        same = hmac.compare_digest(_hashed(secret), secret_hash)
        record, now = _record(row[1:]) if row else None, self._clock()
        if record is None or not record.holds(now):
            self._held.pop(key_id, None)
            return None
        if same:
            self._held[key_id] = _Held(secret_hash, record, now)
        return record if same else None

    def holds(self, key_id: str) -> bool:
        """Does this key hold still? For what goes on for long after its key was looked at."""
        with self._file.ask() as reader:
            if reader is None:
                return False
            row = reader.execute(f"SELECT {_COLUMNS} FROM keys WHERE id = ?", (key_id,)).fetchone()
        return row is not None and _record(row).holds(self._clock())

    def claimed(self, key: str) -> str | None:
        """The id of the key that somebody claims to hold, if there is one; the id is no secret."""
        with self._file.ask() as reader:
            if reader is None:
                return None
            known: str | None = only(
                reader.execute("SELECT id FROM keys WHERE id = ?", (_parts(key)[0],))
            )
        return known

    def _note_use(self, record: KeyRecord) -> None:
        """To the hour: a request that only reads must not write."""
        now = self._clock()
        last = self._noted.get(record.id, record.last_used_at)
        if last is not None and now - last < _COARSE:
            return
        self._noted[record.id] = now  # also when it fails: not at every request again
        with suppress(StoreError), self._file.write(patience=1.0) as writer:
            # a full disk keeps nobody from reading; when a key was used is nice to know, no more
            writer.execute(
                "UPDATE keys SET last_used_at = ? WHERE id = ?", (to_micros(now), record.id)
            )


def key_record(record: KeyRecord) -> dict[str, Any]:
    """As JSON-ready values, the same through every door."""
    return {
        "id": record.id,
        "name": record.name,
        "tenant": record.tenant,
        "scopes": [scope.value for scope in record.scopes],
        "spaces": None if record.spaces is None else list(record.spaces),
        "trusted": record.trusted,
        "per_minute": record.per_minute,
        "created_at": record.created_at.isoformat(),
        "expires_at": record.expires_at and record.expires_at.isoformat(),
        "revoked_at": record.revoked_at and record.revoked_at.isoformat(),
        "last_used_at": record.last_used_at and record.last_used_at.isoformat(),
    }


def _parts(key: str) -> tuple[str, str]:
    """The id and the secret; nobody's where it is no key."""
    form = re.fullmatch(_FORM, key, re.ASCII) if isinstance(key, str) else None
    return (form[1], form[2]) if form else (_NOBODY, _NOBODY)


def _caller(record: KeyRecord, door: str) -> Caller:
    return Caller(
        tenant=record.tenant,
        name=record.name,
        scopes=frozenset(record.scopes),
        door=door,
        spaces=record.spaces,
        key_id=record.id,
        trusted=record.trusted,
        per_minute=record.per_minute,
    )


def _hashed(secret: str) -> bytes:
    # fast on purpose: 256 random bits cannot be guessed, however fast each try is
    return sha256(secret.encode()).digest()


def _row(record: KeyRecord) -> tuple[Any, ...]:
    return (
        record.id,
        record.name,
        record.tenant,
        json.dumps(list(record.scopes)),
        None if record.spaces is None else json.dumps(list(record.spaces), ensure_ascii=False),
        int(record.trusted),
        record.per_minute,
        to_micros(record.created_at),
        _micros(record.expires_at),
        _micros(record.revoked_at),
        _micros(record.last_used_at),
    )


def _record(row: Sequence[Any]) -> KeyRecord:
    (key_id, name, tenant, scopes, spaces, trusted, rate, created, expires, revoked, used) = row
    return KeyRecord(
        id=key_id,
        name=name,
        tenant=tenant,
        scopes=tuple(map(Scope, json.loads(scopes))),
        spaces=None if spaces is None else tuple(json.loads(spaces)),
        trusted=bool(trusted),
        per_minute=rate,
        created_at=from_micros(created),
        expires_at=_moment(expires),
        revoked_at=_moment(revoked),
        last_used_at=_moment(used),
    )


def _micros(moment: datetime | None) -> int | None:
    return None if moment is None else to_micros(moment)


def _moment(micros: int | None) -> datetime | None:
    return None if micros is None else from_micros(micros)


def _listed(scopes: Iterable[str]) -> list[str]:
    if isinstance(scopes, str):
        raise InvalidInput(f'scopes: expected a list like ["read"], got {shown(scopes)}')
    return list(scopes)


def _checked_name(name: object) -> str:
    """It stands in the log beside what its holder offers, and may be trusted by name: no control
    characters, no comma, which separates the trusted, and nobody is called as we are."""
    if (
        isinstance(name, str)
        and name == name.strip()
        and 1 <= len(name) <= 100
        and name.isprintable()
        and "," not in name
        and name not in (FILTER, RULES)
    ):
        return name
    raise InvalidInput(
        f"{shown(name)} is no name for a key; use 1 to 100 printable characters without a comma, "
        "like 'ci' or '小美的笔记本'"
    )


def _checked_spaces(spaces: Sequence[str] | None) -> tuple[str, ...] | None:
    if spaces is None:
        return None
    if isinstance(spaces, str) or not spaces:
        raise InvalidInput(
            "spaces: expected a list of at least one name; leave it out for every space"
        )
    return tuple(dict.fromkeys(map(check_space, spaces)))


def _checked_rate(per_minute: object) -> int | None:
    if per_minute is None:
        return None
    if (
        isinstance(per_minute, bool)
        or not isinstance(per_minute, int)
        or not 1 <= per_minute <= MOST_PER_MINUTE
    ):
        raise InvalidInput(
            f"per_minute: expected a whole number from 1 to {MOST_PER_MINUTE:,}, "
            f"got {shown(per_minute)}"
        )
    return per_minute
