"""Quarantine in the store's own file. No search reads these tables."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from zlib import crc32

import apsw

from bethink.clock import from_micros, to_micros
from bethink.stores.cursors import place
from bethink.stores.damage import Damage, sealed, sound_snapshots, unsealed
from bethink.stores.offers import check_same, first_ruling, unknown_offer
from bethink.stores.sqlite.connection import WriteLock
from bethink.stores.sqlite.database import Database
from bethink.stores.sqlite.rows import dump, from_snapshot, snapshot
from bethink.stores.sqlite.schema import WITH_CHECKSUMS, has_tiers
from bethink.stores.tiers import OfferPage
from bethink.vocabulary import Decision, Offer, Principal, Ruling

# As bytes: one that is no UTF-8 any more must not keep the others from being read.
_SELECTED = (
    "s.space, o.id, CAST(o.memory AS BLOB), CAST(o.source_hash AS BLOB), "
    "CAST(o.identity AS BLOB), CAST(o.details AS BLOB), "
)
_RULING = (
    "CAST(r.decision AS BLOB), CAST(r.reason AS BLOB), CAST(r.decided_by AS BLOB), r.decided_at, "
    "CAST(r.memory_id AS BLOB), r.undo, {}"
)
# To decide takes as long as embedding what is promoted; this is for one who hangs.
_PATIENCE = 120.0
_WITH_RULING = "JOIN standing s ON s.offer = o.row JOIN rulings r ON r.number = s.ruling"


class SQLiteQuarantine:
    def __init__(self, database: Database, damage: Damage) -> None:
        self._database = database
        self._damage = damage
        path = database.path
        self._deciding = WriteLock(path.with_name(f"{path.name}.deciding.lock"))
        self._settling = WriteLock(path.with_name(f"{path.name}.settling.lock"))

    def log(self, offers: Sequence[Offer]) -> list[bool]:
        if not offers:
            return []
        with self._database.write() as writer:
            damaged = Damage()
            known = _by_id(writer, [offer.id for offer in offers], damaged)
            for offer_id in self._damage.take(damaged):  # told again: it takes its place
                writer.execute("DELETE FROM offers WHERE id = ?", (offer_id,))
            kept: list[bool] = []
            for offer in offers:
                before = known.setdefault(offer.id, offer)
                if before is not offer:
                    check_same(before, offer)
                else:
                    _insert(writer, offer)
                kept.append(before is offer)
            return kept

    def get(self, ids: Sequence[str]) -> list[Offer | None]:
        with self._database.read() as reader:
            found = _by_id(reader, ids, self._damage) if has_tiers(reader) else {}
        return [found.get(offer_id) for offer_id in ids]

    def scan(
        self,
        *,
        spaces: Sequence[str] | None = None,
        decisions: Collection[Decision] | None = None,
        source_hash: str | None = None,
        identities: Collection[str] | None = None,
        newest_first: bool = True,
        cursor: str | None = None,
        limit: int = 100,
    ) -> OfferPage:
        tests, bindings = ["1"], list[Any]()
        for column, values in (
            ("s.space", spaces),
            ("s.decision", decisions),
            ("o.source_hash", None if source_hash is None else [source_hash]),
            ("o.identity", identities),
        ):
            if values is not None:
                tests.append(f"{column} IN (SELECT value FROM json_each(?))")
                bindings.append(dump(list(values)))
        # what is rare first, and no look at an offer that nothing asks of
        by_offer = source_hash is not None or identities is not None
        tables = "offers o CROSS JOIN standing s ON s.offer = o.row" if by_offer else "standing s"
        if cursor is not None:
            tests.append(f"s.offer {'<' if newest_first else '>'} ?")
            bindings.append(place(cursor))
        with self._database.read() as reader:
            if not has_tiers(reader):
                return OfferPage([], None)
            found = reader.execute(
                f"SELECT s.offer FROM {tables} WHERE {' AND '.join(tests)} "
                f"ORDER BY s.offer {'DESC' if newest_first else ''} LIMIT ?",
                (*bindings, limit + 1),
            )
            rows = [row for (row,) in found]
            offers = offers_by_row(reader, rows[:limit], self._damage)
        return OfferPage(offers, str(rows[limit - 1]) if len(rows) > limit else None)

    def decide(self, rulings: Sequence[Ruling]) -> None:
        if not rulings:
            return
        with self._database.write() as writer:
            for ruling in rulings:
                row = writer.execute("SELECT row FROM offers WHERE id = ?", (ruling.offer_id,)).get
                if row is None:
                    raise unknown_offer(ruling.offer_id)
                number = _rule(writer, row, ruling)
                writer.execute(
                    "UPDATE standing SET decision = ?, ruling = ? WHERE offer = ?",
                    (ruling.decision, number, row),
                )

    @contextmanager
    def alone(self) -> Iterator[None]:
        with self._deciding.hold(_PATIENCE):
            yield

    @contextmanager
    def settling(self) -> Iterator[None]:
        with self._settling.hold(_PATIENCE):
            yield

    def counts(self, decisions: Collection[Decision]) -> Mapping[str, Mapping[Decision, int]]:
        found: dict[str, dict[Decision, int]] = defaultdict(dict)
        with self._database.read() as reader:
            if has_tiers(reader):
                rows = reader.execute(
                    "SELECT space, decision, count(*) FROM standing WHERE decision IN "
                    "(SELECT value FROM json_each(?)) GROUP BY space, decision",
                    (dump(list(decisions)),),
                )
                for space, decision, count in rows:
                    found[space][Decision(decision)] = count
        return found

    def rulings(self, offer_id: str) -> list[Ruling]:
        with self._database.read() as reader:
            if not has_tiers(reader):
                return []
            rows = reader.execute(
                f"SELECT s.space, o.id, {_ruling_columns(reader)} FROM offers o "
                "JOIN rulings r ON r.offer = o.row JOIN standing s ON s.offer = o.row "
                "WHERE o.id = ? ORDER BY r.number",
                (offer_id,),
            )
            return list(
                sound_snapshots(list(rows), self._damage, lambda row: _ruling(row[1], row[2:]))
            )

    def made_from(self, source_hash: str) -> list[str]:
        return self.children([_origin(source_hash)])

    def children(self, ids: Sequence[str]) -> list[str]:
        with self._database.read() as reader:
            if not has_tiers(reader):
                return []
            rows = reader.execute(
                "SELECT o.id FROM offers o WHERE o.row IN (SELECT p.offer FROM json_each(?) j "
                "CROSS JOIN offer_parents p ON p.parent = j.value) ORDER BY o.row",
                (dump(list(ids)),),
            )
            return [offer_id for (offer_id,) in rows]

    def erase(self, ids: Sequence[str]) -> int:
        return self._erase(
            "SELECT row FROM offers WHERE id IN (SELECT value FROM json_each(?))", ids
        )

    def erase_space(self, space: str) -> int:
        return self._erase(
            "SELECT offer FROM standing WHERE space IN (SELECT value FROM json_each(?))", [space]
        )

    def _erase(self, rows: str, named: Sequence[str]) -> int:
        if not named:
            return 0
        with self._database.write() as writer:
            writer.execute(f"DELETE FROM offers WHERE row IN ({rows})", (dump(list(named)),))
            gone = writer.changes()
        self._database.empty_log()
        return gone


def _ruling_columns(connection: apsw.Connection) -> str:
    version: int = connection.pragma("user_version")
    return _RULING.format("r.checksum" if version >= WITH_CHECKSUMS else "NULL")


def _by_id(connection: apsw.Connection, ids: Sequence[str], damage: Damage) -> dict[str, Offer]:
    rows = connection.execute(
        f"SELECT {_SELECTED}{_ruling_columns(connection)} FROM json_each(?) j "
        f"CROSS JOIN offers o ON o.id = j.value {_WITH_RULING}",
        (dump(list(ids)),),
    )
    return {offer.id: offer for offer in sound_snapshots(list(rows), damage, _offer)}


def offers_by_row(
    connection: apsw.Connection, numbers: Sequence[int], damage: Damage
) -> list[Offer]:
    rows = connection.execute(
        f"SELECT {_SELECTED}{_ruling_columns(connection)} FROM json_each(?) j "
        f"CROSS JOIN offers o ON o.row = j.value {_WITH_RULING} ORDER BY j.key",
        (dump(list(numbers)),),
    )
    return list(sound_snapshots(list(rows), damage, _offer))


def _insert(writer: apsw.Connection, offer: Offer) -> None:
    writer.execute(
        "INSERT INTO offers (id, source_hash, identity, details, memory) VALUES (?, ?, ?, ?, ?)",
        (
            offer.id,
            offer.source_hash,
            offer.identity,
            sealed(_details(offer), _named(offer.id, offer.source_hash, offer.identity)),
            snapshot(offer.memory),
        ),
    )
    row = writer.last_insert_rowid()
    writer.executemany(
        "INSERT OR IGNORE INTO offer_parents VALUES (?, ?)",
        ((above, row) for above in (*offer.parents, *map(_origin, offer.origins))),
    )
    number = _rule(writer, row, first_ruling(offer))
    writer.execute(
        "INSERT INTO standing VALUES (?, ?, ?, ?)", (row, offer.space, offer.decision, number)
    )


def _origin(source_hash: str) -> str:
    """How a source stands among the parents. No id has a blank in it."""
    return f"source {source_hash}"


def _rule(writer: apsw.Connection, row: int, ruling: Ruling) -> int:
    _, decision, reason, by, at, memory_id, undo, supersedes = ruling
    if supersedes:  # both are ids, and no id has a blank in it
        memory_id = f"{memory_id} {supersedes}"
    said = (decision, reason, by, to_micros(at), memory_id, int(undo))
    writer.execute(
        "INSERT INTO rulings (offer, decision, reason, decided_by, decided_at, memory_id, undo, "
        "checksum) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (row, *said, ruling_checksum(ruling.offer_id, said)),
    )
    return writer.last_insert_rowid()


def ruling_checksum(offer_id: str, said: Sequence[object]) -> int:
    """Return the checksum of a decision: over the columns from `decision` to `undo`."""
    return crc32("\x1f".join((offer_id, *map(str, said))).encode("utf-8", "surrogatepass"))


def _ruling(offer_id: str, row: tuple[Any, ...]) -> Ruling:
    """Return the decision. Raise ValueError if it is damaged."""
    decision, reason, by, memory_id = (row[at].decode() for at in (0, 1, 2, 4))
    at, undo, told = row[3], row[5], row[6]
    if told is not None:
        said = (decision, reason, by, at, memory_id, undo)
        if told != ruling_checksum(offer_id, said):
            raise ValueError("the checksum of a decision does not match")
    memory_id, _, supersedes = memory_id.partition(" ")
    return Ruling(
        offer_id, Decision(decision), reason, by, from_micros(at), memory_id, bool(undo), supersedes
    )


def _named(offer_id: str, source_hash: str, identity: str) -> str:
    """What the columns of an offer say beside its details, for the checksum."""
    return "\x1f".join((offer_id, source_hash, identity))


def _details(offer: Offer) -> str:
    """What nothing is looked up by."""
    return dump(
        {
            "by": offer.by,
            "parents": offer.parents,
            "origins": offer.origins,
            "trusted": offer.trusted,
            "risk": offer.risk,
            "findings": offer.findings,
            "redacted": offer.redacted,
        }
    )


def _offer(row: tuple[Any, ...]) -> Offer:
    """Return the offer. Raise ValueError if it or the decision on it is damaged."""
    memory, source_hash, identity, details = (part.decode() for part in row[2:6])
    said = json.loads(unsealed(details, _named(row[1], source_hash, identity)))
    ruling = _ruling(row[1], row[6:])
    return Offer(
        memory=from_snapshot(memory),
        by=Principal(*said["by"]),
        source_hash=source_hash,
        parents=tuple(said["parents"]),
        origins=tuple(said.get("origins", ())),
        identity=identity,
        trusted=said["trusted"],
        risk=said["risk"],
        findings=tuple(said["findings"]),
        redacted=tuple(said["redacted"]),
        decision=ruling.decision,
        reason=ruling.reason,
        decided_at=ruling.at,
        decided_by=ruling.by,
    )
