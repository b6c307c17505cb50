"""Quarantine in tables of its own. No search reads them."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from bethink.stores.cursors import place
from bethink.stores.damage import Damage, sound_snapshots
from bethink.stores.offers import check_same, first_ruling, unknown_offer
from bethink.stores.postgres.database import Cursor, Database
from bethink.stores.postgres.locks import ServerLock
from bethink.stores.postgres.rows import dump, from_snapshot, snapshot
from bethink.stores.postgres.upkeep import Upkeep
from bethink.stores.tiers import OfferPage
from bethink.vocabulary import Decision, Offer, Principal, Ruling

_SELECTED = (
    "s.space, o.id, o.memory, o.source_hash, o.identity, o.details, "
    "r.decision, r.reason, r.decided_by, r.decided_at"
)
_WITH_RULING = "JOIN standing s ON s.offer = o.row JOIN rulings r ON r.number = s.ruling"
# To decide takes as long as embedding what is promoted; this is for one who hangs.
_PATIENCE = 120.0


class PostgresQuarantine:
    def __init__(self, database: Database, upkeep: Upkeep, damage: Damage) -> None:
        self._damage = damage
        self._database = database
        self._upkeep = upkeep
        self._deciding = ServerLock(database, "deciding")
        self._settling = ServerLock(database, "settling")

    def close(self) -> None:
        self._deciding.close()
        self._settling.close()

    def log(self, offers: Sequence[Offer]) -> list[bool]:
        if not offers:
            return []

        def log(writer: Cursor) -> list[bool]:
            _one_at_a_time(writer)
            damaged = Damage()
            known = _by_id(writer, [offer.id for offer in offers], damaged)
            for offer_id in self._damage.take(damaged):  # told again: it takes its place
                writer.execute("DELETE FROM offers WHERE id = %s", (offer_id,))
            kept: list[bool] = []
            for offer in offers:
                before = known.setdefault(offer.id, offer)
                if before is not offer:
                    check_same(before, offer)
                else:
                    _insert(writer, offer)
                kept.append(before is offer)
            return kept

        return self._database.write(log)

    def get(self, ids: Sequence[str]) -> list[Offer | None]:
        with self._database.ask() as reader:
            found = _by_id(reader, ids, self._damage)
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
        tests, bindings = ["true"], list[Any]()
        for column, values in (
            ("s.space", spaces),
            ("s.decision", decisions),
            ("o.source_hash", None if source_hash is None else [source_hash]),
            ("o.identity", identities),
        ):
            if values is not None:
                tests.append(f"{column} = ANY(%s)")
                bindings.append([str(value) for value in values if "\0" not in value])
        by_offer = source_hash is not None or identities is not None
        tables = "offers o JOIN standing s ON s.offer = o.row" if by_offer else "standing s"
        if cursor is not None:
            tests.append(f"s.offer {'<' if newest_first else '>'} %s")
            bindings.append(place(cursor))
        with self._database.read() as reader:
            found = reader.execute(
                f"SELECT s.offer FROM {tables} WHERE {' AND '.join(tests)} "
                f"ORDER BY s.offer {'DESC' if newest_first else ''} LIMIT %s".encode(),
                (*bindings, limit + 1),
            )
            rows = [row for (row,) in found]
            offers = offers_by_row(reader, rows[:limit], self._damage)
        return OfferPage(offers, str(rows[limit - 1]) if len(rows) > limit else None)

    def decide(self, rulings: Sequence[Ruling]) -> None:
        if not rulings:
            return

        def decide(writer: Cursor) -> None:
            _one_at_a_time(writer)
            for ruling in rulings:
                row = writer.execute(
                    "SELECT row FROM offers WHERE id = %s", (ruling.offer_id,)
                ).fetchone()
                if row is None:
                    raise unknown_offer(ruling.offer_id)
                number = _rule(writer, row[0], ruling)
                writer.execute(
                    "UPDATE standing SET decision = %s, ruling = %s WHERE offer = %s",
                    (str(ruling.decision), number, row[0]),
                )

        self._database.write(decide)

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
        with self._database.ask() as reader:
            rows = reader.execute(
                "SELECT space, decision, count(*) FROM standing WHERE decision = ANY(%s) "
                "GROUP BY space, decision",
                ([str(decision) for decision in decisions],),
            )
            for space, decision, count in rows:
                found[space][Decision(decision)] = count
        return found

    def rulings(self, offer_id: str) -> list[Ruling]:
        with self._database.ask() as reader:
            rows = reader.execute(
                "SELECT o.id, r.decision, r.reason, r.decided_by, r.decided_at, r.memory_id, "
                "r.undo, r.supersedes FROM offers o JOIN rulings r ON r.offer = o.row "
                "WHERE o.id = %s ORDER BY r.number",
                (offer_id,),
            )
            return [Ruling(row[0], Decision(row[1]), *row[2:]) for row in rows]

    def made_from(self, source_hash: str) -> list[str]:
        return self.children([_origin(source_hash)])

    def children(self, ids: Sequence[str]) -> list[str]:
        with self._database.ask() as reader:
            rows = reader.execute(
                "SELECT o.id FROM offers o WHERE o.row IN (SELECT p.offer FROM offer_parents p "
                "WHERE p.parent = ANY(%s)) ORDER BY o.row",
                (list(ids),),
            )
            return [offer_id for (offer_id,) in rows]

    def erase(self, ids: Sequence[str]) -> int:
        return self._erase("id = ANY(%s)", list(ids)) if ids else 0

    def erase_space(self, space: str) -> int:
        return self._erase("row IN (SELECT offer FROM standing WHERE space = %s)", space)

    def _erase(self, which: str, named: object) -> int:
        def erase(writer: Cursor) -> int:
            _one_at_a_time(writer)
            writer.execute(f"DELETE FROM offers WHERE {which}".encode(), (named,))
            return writer.rowcount

        return self._upkeep.erase(erase)


def _one_at_a_time(writer: Cursor) -> None:
    """Of one tenant: what came first has the smaller number, and no page misses it."""
    writer.execute(
        "SELECT pg_advisory_xact_lock(hashtextextended("
        "'bethink offers ' || current_setting('bethink.tenant'), 0))"
    )


def _by_id(cursor: Cursor, ids: Sequence[str], damage: Damage) -> dict[str, Offer]:
    rows = cursor.execute(
        f"SELECT {_SELECTED} FROM offers o {_WITH_RULING} WHERE o.id = ANY(%s)".encode(),
        (list(ids),),
    ).fetchall()
    sound = sound_snapshots(rows, damage, lambda row: _offer(row[2:]))
    return {offer.id: offer for offer in sound}


def offers_by_row(cursor: Cursor, numbers: Sequence[int], damage: Damage) -> list[Offer]:
    rows = cursor.execute(
        f"SELECT {_SELECTED}, o.row FROM offers o {_WITH_RULING} WHERE o.row = ANY(%s)".encode(),
        (list(numbers),),
    ).fetchall()
    found = dict(sound_snapshots(rows, damage, lambda row: (row[-1], _offer(row[2:-1]))))
    return [found[number] for number in numbers if number in found]


def _insert(writer: Cursor, offer: Offer) -> None:
    found = writer.execute(
        "INSERT INTO offers (id, source_hash, identity, details, memory) "
        "VALUES (%s, %s, %s, %s, %s) RETURNING row",
        (offer.id, offer.source_hash, offer.identity, _details(offer), snapshot(offer.memory)),
    ).fetchone()
    assert found is not None
    above = [*offer.parents, *map(_origin, offer.origins)]
    writer.execute(
        "INSERT INTO offer_parents (parent, offer) SELECT DISTINCT p, %s::bigint "
        "FROM unnest(%s::text[]) p",
        (found[0], above),
    )
    number = _rule(writer, found[0], first_ruling(offer))
    writer.execute(
        "INSERT INTO standing (offer, space, decision, ruling) VALUES (%s, %s, %s, %s)",
        (found[0], offer.space, str(offer.decision), number),
    )


def _origin(source_hash: str) -> str:
    """How a source stands among the parents. No id has a blank in it."""
    return f"source {source_hash}"


def _rule(writer: Cursor, row: int, ruling: Ruling) -> int:
    found = writer.execute(
        "INSERT INTO rulings (offer, decision, reason, decided_by, decided_at, memory_id, undo, "
        "supersedes) VALUES (%s, %s, %s, %s, %s, %s, %s, %s) RETURNING number",
        (row, str(ruling.decision), *ruling[2:]),
    ).fetchone()
    assert found is not None
    return int(found[0])


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


def _offer(row: Sequence[Any]) -> Offer:
    memory, source_hash, identity, details, decision, reason, decided_by, decided_at = row
    said = json.loads(details)
    return Offer(
        memory=from_snapshot(memory),
        by=Principal(*said["by"]),
        source_hash=source_hash,
        parents=tuple(said["parents"]),
        origins=tuple(said["origins"]),
        identity=identity,
        trusted=said["trusted"],
        risk=said["risk"],
        findings=tuple(said["findings"]),
        redacted=tuple(said["redacted"]),
        decision=Decision(decision),
        reason=reason,
        decided_at=decided_at,
        decided_by=decided_by,
    )
