"""Retrievers that do their work as any other, until the test breaks the line to them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Sequence

from bethink.filters import Filter
from bethink.stores.protocol import Store
from bethink.stores.retrievers import (
    MEANING,
    WORDS,
    Changes,
    Copies,
    Finds,
    Position,
    Seen,
)
from bethink.stores.store_retriever import StoreRetriever
from bethink.vocabulary import Vector


class Unruly(StoreRetriever):
    """`down`: every call fails. `deaf`: it cannot be written. `untidy`: it
    cannot clean its files. `hang()`: no call comes back before
    `release()`. `asked` counts searches, `applied` the memories that it was told of."""

    def __init__(
        self, store: Store, *, name: str, finds: Collection[Finds] = (WORDS, MEANING)
    ) -> None:
        super().__init__(store, name=name, finds=finds)
        self.down = False
        self.deaf = False
        self.untidy = False
        self.asked = 0
        self.applied: list[str] = []
        self.fails_after: int | None = None  # this many memories
        self._line = threading.Event()
        self._line.set()

    def hang(self) -> None:
        self._line.clear()

    def release(self) -> None:
        self._line.set()

    @property
    def hangs(self) -> bool:
        return not self._line.is_set()

    def _call(self) -> None:
        if not self._line.wait(60):
            raise TimeoutError("nobody released the line")
        if self.down:
            raise ConnectionError("no route to host")

    def position(self) -> Position | None:
        self._call()
        return super().position()

    def set_position(self, position: Position) -> None:
        self._call()
        super().set_position(position)

    def apply(self, changes: Changes) -> None:
        self._call()
        if self.deaf:
            raise ConnectionError("disk full over there")
        new = [one.memory.id for one in changes.written]
        if self.fails_after is not None and len(self.applied) + len(new) > self.fails_after:
            raise ConnectionError("the line went dead")
        super().apply(changes)
        self.applied += new

    def search_words(
        self, terms: Sequence[str], *, spaces: Sequence[str], where: Filter | None, limit: int
    ) -> list[Seen]:
        self.asked += 1
        self._call()
        return super().search_words(terms, spaces=spaces, where=where, limit=limit)

    def search_meaning(
        self,
        vector: Vector,
        *,
        fingerprint: str,
        spaces: Sequence[str],
        where: Filter | None,
        limit: int,
    ) -> list[Seen]:
        self.asked += 1
        self._call()
        return super().search_meaning(
            vector, fingerprint=fingerprint, spaces=spaces, where=where, limit=limit
        )

    def copies(self, *, cursor: str | None, limit: int) -> Copies:
        self._call()
        return super().copies(cursor=cursor, limit=limit)

    def finish_erasing(self, texts: Sequence[str] = ()) -> bool:
        self._call()
        if self.untidy and texts:
            raise ConnectionError("somebody reads over there")
        return super().finish_erasing(texts)


class Blunt(StoreRetriever):
    """An engine that cannot filter at all."""

    def expresses(self, where: Filter) -> bool:
        return False

    def search_words(
        self, terms: Sequence[str], *, spaces: Sequence[str], where: Filter | None, limit: int
    ) -> list[Seen]:
        assert where is None
        return super().search_words(terms, spaces=spaces, where=None, limit=limit)

    def search_meaning(
        self,
        vector: Vector,
        *,
        fingerprint: str,
        spaces: Sequence[str],
        where: Filter | None,
        limit: int,
    ) -> list[Seen]:
        assert where is None
        return super().search_meaning(
            vector, fingerprint=fingerprint, spaces=spaces, where=None, limit=limit
        )


class WithoutWalls(StoreRetriever):
    """It answers from every space that its store has, whatever was asked."""

    def __init__(self, store: Store, *, name: str) -> None:
        super().__init__(store, name=name)
        self.all = store

    def search_words(
        self, terms: Sequence[str], *, spaces: Sequence[str], where: Filter | None, limit: int
    ) -> list[Seen]:
        every = [info.name for info in self.all.spaces()]
        return super().search_words(terms, spaces=every, where=None, limit=limit)

    def search_meaning(
        self,
        vector: Vector,
        *,
        fingerprint: str,
        spaces: Sequence[str],
        where: Filter | None,
        limit: int,
    ) -> list[Seen]:
        every = [info.name for info in self.all.spaces()]
        return super().search_meaning(
            vector, fingerprint=fingerprint, spaces=every, where=None, limit=limit
        )


def until(holds: Callable[[], bool]) -> None:
    """What happens in the background is waited for, and must happen."""
    end = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)
