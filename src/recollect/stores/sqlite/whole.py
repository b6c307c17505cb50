"""All that the embedded store holds of a memory."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence

from recollect.clock import from_micros
from recollect.stores.movable import Kept, Whole
from recollect.stores.protocol import Embedding
from recollect.stores.sqlite.database import Database
from recollect.stores.sqlite.rows import from_snapshot
from recollect.stores.sqlite.schema import has_tiers
from recollect.vocabulary import Revision

_IDENTITIES = "SELECT m.id, m.identity FROM json_each(?) j JOIN memories m ON m.id = j.value"
_HISTORY = (
    "SELECT m.id, r.snapshot, r.replaced_at FROM json_each(?) j JOIN memories m ON m.id = j.value "
    "JOIN revisions r ON r.memory = m.row ORDER BY r.rowid DESC"
)


class HasWhole:
    """The part of a store that hands it out."""

    _database: Database

    def whole(self, ids: Sequence[str]) -> list[Whole | None]:
        from recollect.stores.sqlite.changes import held_now  # no question needs it

        asked = json.dumps(list(dict.fromkeys(ids)))
        with self._database.read() as reader:
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

    def embeddings(self) -> tuple[Embedding, ...]:
        from recollect.stores.sqlite.changes import embeddings

        with self._database.read() as reader:
            return embeddings(reader)

    def working(self) -> list[Kept]:
        with self._database.read() as reader:
            if not has_tiers(reader):
                return []
            rows = reader.execute("SELECT memory, expires_at FROM working ORDER BY number")
            return [Kept(from_snapshot(text), from_micros(until)) for text, until in rows]
