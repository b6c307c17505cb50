"""All that the embedded store holds of a memory, and what comes from another store in its place."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence

import apsw

from bethink.clock import from_micros
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
    "SELECT m.id, r.snapshot, r.replaced_at FROM json_each(?) j JOIN memories m ON m.id = j.value "
    "JOIN revisions r ON r.memory = m.row ORDER BY r.rowid DESC"
)


class HasWhole:
    """The part of a store that hands it out."""

    _database: Database
    _searcher: Searcher
    _upkeep: Upkeep

    def whole(self, ids: Sequence[str]) -> list[Whole | None]:
        with self._database.read() as reader:
            return _whole(reader, ids)

    def exchange(
        self, exchanges: Sequence[Exchange], *, fingerprint: str | None = None
    ) -> list[bool]:
        def exchange() -> list[bool]:
            with self._database.write() as writer:
                held = _whole(writer, [one.id for one in exchanges])
                done = [one.may_be_made(now) for one, now in zip(exchanges, held, strict=True)]
                made = [one for one, may in zip(exchanges, done, strict=True) if may]
                _, gone = writing.delete(writer, [one.id for one in made if one.seen is not None])
                self._upkeep.erase(writer, gone)
                entries = [one.instead for one in made if one.instead is not None]
                writing.put(writer, entries, fingerprint)
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
        with self._database.read() as reader:
            if not has_tiers(reader):
                return []
            rows = reader.execute("SELECT memory, expires_at FROM working ORDER BY number")
            return [Kept(from_snapshot(text), from_micros(until)) for text, until in rows]


def _whole(reader: apsw.Connection, ids: Sequence[str]) -> list[Whole | None]:
    from bethink.stores.sqlite.changes import held_now  # no question needs it

    asked = json.dumps(list(dict.fromkeys(ids)))
    held = held_now(reader, ids)
    identities: dict[str, str] = dict(reader.execute(_IDENTITIES, (asked,)))
    history: dict[str, list[Revision]] = defaultdict(list)
    for memory_id, text, at in reader.execute(_HISTORY, (asked,)):
        history[memory_id].append(Revision(from_snapshot(text), from_micros(at)))
    return [
        None
        if (one := held.get(memory_id)) is None
        else Whole(one.memory, identities[memory_id], tuple(history[memory_id]), one.passages)
        for memory_id in ids
    ]
