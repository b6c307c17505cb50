"""Telling PostgreSQL how large a space has become, when it grows fast.

What PostgreSQL believes of a new space is that it has next to no rows, until autovacuum comes by
after a minute. Until then any index that begins with the space or the tenant seems as good as the
right one, and each memory that is told is looked for among all of its space: 16,000 told into a
second space took 93 seconds, 82 of them for this. So whoever tells much has it counted, at the
first few thousand and whenever there are four times as many. All three columns, or what is not
known of one is guessed.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress

from bethink.errors import StoreError
from bethink.stores.postgres.database import SCHEMA, Database
from bethink.stores.protocol import Written
from bethink.vocabulary import Action, Entry

_FROM = 2048  # memories: fewer are looked through in a millisecond
_TIMES = 4
_SPACES = 10_000  # that are remembered


class Growing:
    """What this process told, by space."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._guard = threading.Lock()
        self._told: Counter[str] = Counter()
        self._counted: dict[str, int] = {}  # so many were told when it was last counted

    def told(self, entries: Sequence[Entry], written: Sequence[Written]) -> None:
        """After a write, and what became of each."""
        every = zip(entries, written, strict=True)
        new = Counter(e.memory.space for e, one in every if one.action is Action.CREATED)
        grown = False
        with self._guard:
            if len(self._told) > _SPACES:
                self._told.clear()
                self._counted.clear()
            for space, count in new.items():
                self._told[space] += count
                if self._told[space] >= max(_FROM, _TIMES * self._counted.get(space, 0)):
                    self._counted[space] = self._told[space]
                    grown = True
        if grown:
            self._count()

    def _count(self) -> None:
        """Whoever holds the table counts it, or autovacuum does: nobody waits for that. The
        memories are on disk already, and a server that went away since must not make their writing
        look failed."""
        with suppress(StoreError), self._database.outside() as connection:
            counted = f"{SCHEMA}.memories (tenant, space, identity)"
            connection.execute(f"ANALYZE (SKIP_LOCKED) {counted}")
