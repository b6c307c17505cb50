"""All that the embedded store holds of a memory, and what comes from another store in its place."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import apsw

from bethink.clock import from_micros
from bethink.stores.damage import Damage, sound_snapshots
from bethink.stores.movable import Exchange, Kept, Whole
from bethink.stores.protocol import Embedding
from bethink.stores.sqlite import notes, writing
from bethink.stores.sqlite.database import Database
from bethink.stores.sqlite.rows import from_snapshot
from bethink.stores.sqlite.schema import has_tiers
from bethink.stores.sqlite.searching import Searcher
from bethink.stores.sqlite.spaces import space_id, spaces_of
from bethink.stores.sqlite.upkeep import Upkeep
from bethink.vocabulary import Revision

_IDENTITIES = "SELECT m.id, m.identity FROM json_each(?) j JOIN memories m ON m.id = j.value"
_HISTORY = (
    "SELECT s.name, m.id, CAST(r.snapshot AS BLOB), r.replaced_at FROM json_each(?) j "
    "JOIN memories m ON m.id = j.value JOIN spaces s ON s.id = m.space "
    "JOIN revisions r ON r.memory = m.row ORDER BY r.rowid DESC"
)


def _former(row: tuple[Any, ...]) -> tuple[str, Revision]:
    return row[1], Revision(from_snapshot(row[2].decode()), from_micros(row[3]))


class HasWhole:
    """The part of a store that hands it out."""

    _database: Database
    _searcher: Searcher
    _upkeep: Upkeep
    damage: Damage

    def whole(self, ids: Sequence[str]) -> list[Whole | None]:
        with self._database.read() as reader:
            return _whole(reader, ids, self.damage)

    def exchange(
        self, exchanges: Sequence[Exchange], *, fingerprint: str | None = None
    ) -> list[bool]:
        def exchange() -> list[bool]:
            with self._database.write() as writer:
                held = _whole(writer, [one.id for one in exchanges], self.damage)
                done = [one.may_be_made(now) for one, now in zip(exchanges, held, strict=True)]
                made = [one for one, may in zip(exchanges, done, strict=True) if may]
                _, gone = writing.delete(writer, [one.id for one in made if one.seen is not None])
                self._upkeep.erase(writer, gone)
                entries = [one.instead for one in made if one.instead is not None]
                _, gone = writing.put(writer, entries, fingerprint)
                self._upkeep.erase(writer, gone)
                return done

        done = self._upkeep.mended(exchange)
        if any(may and one.seen is not None for one, may in zip(exchanges, done, strict=True)):
            self._upkeep.tidy()
        return done

    def exchange_notes(
        self, seen: Mapping[str, str | None], told: Mapping[str, str | None]
    ) -> bool:
        with self._database.write() as writer:
            if any(notes.notes(writer, key).get(key) != value for key, value in seen.items()):
                return False
            notes.write_notes(writer, told)
            return True

    def close_space(self, space: str) -> bool:
        with self._database.write() as writer:
            if space_id(writer, space) is None or spaces_of(writer, [space])[0].memories:
                return False
            writing.delete_space(writer, space)
        self._searcher.forget()
        self._upkeep.tidy()
        return True

    def embeddings(self) -> tuple[Embedding, ...]:
        from bethink.stores.sqlite.changes import embeddings

        with self._database.read() as reader:
            return embeddings(reader)

    def working(self) -> list[Kept]:
        from bethink.stores.sqlite.working import RECENT, recent_from  # no question needs it

        with self._database.read() as reader:
            if not has_tiers(reader):
                return []
            rows = reader.execute(f"SELECT {RECENT}, w.expires_at FROM working w ORDER BY w.number")
            return list(
                sound_snapshots(
                    list(rows),
                    self.damage,
                    lambda row: Kept(recent_from(row[:3]), from_micros(row[3])),
                )
            )


def _whole(reader: apsw.Connection, ids: Sequence[str], damage: Damage) -> list[Whole | None]:
    from bethink.stores.sqlite.changes import held_now  # no question needs it

    asked = json.dumps(list(dict.fromkeys(ids)))
    held = held_now(reader, ids, damage)
    identities: dict[str, str] = dict(reader.execute(_IDENTITIES, (asked,)))
    history: dict[str, list[Revision]] = defaultdict(list)
    rows = list(reader.execute(_HISTORY, (asked,)))
    for memory_id, former in sound_snapshots(rows, damage, _former):
        history[memory_id].append(former)
    return [
        None
        if (one := held.get(memory_id)) is None
        else Whole(one.memory, identities[memory_id], tuple(history[memory_id]), one.passages)
        for memory_id in ids
    ]
