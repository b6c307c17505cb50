"""The one façade: everything that any door does goes through an `Engine`.

from recollect import Engine

with Engine("memory.db") as engine:
    engine.remember("Mei prefers dark mode. 小美喜欢深色主题。", tags=["ui"])
    for hit in engine.recall("which theme does Mei like?").hits:
        print(hit.score, hit.text)
"""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

from recollect import settings as settings_module
from recollect.clock import Clock, parse_moment, system_clock, to_micros
from recollect.errors import EmbedderError, InvalidInput, NotFound, RecollectError
from recollect.filters import All, Filter, ValidAt, parse_filter, shown
from recollect.recall import draft as reading
from recollect.recall.pipeline import run
from recollect.recall.presets import preset_named
from recollect.remember import pipeline as writing
from recollect.remember.ingress import accept, check_space, is_id
from recollect.settings import Settings
from recollect.stores.protocol import Page, Store
from recollect.vocabulary import (
    Action,
    Check,
    Entry,
    Memory,
    Query,
    Receipt,
    Recollection,
    Revision,
    SpaceInfo,
    SpaceNames,
    Vector,
)

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from recollect.embedders.protocol import Embedder
    from recollect.recall.workers import Workers

_MAX_QUERY_CHARS = 2_000_000  # beyond this it is no question; up to it the start is used
_FLUSH_ACCESSES = 64  # memories
_FLUSH_COUNTS = 512  # the same few memories asked for again and again are written too
_BACKFILL_AT_ONCE = 256

Progress = Callable[[int, int | None], None]  # done, of how many (None: unknown)


@dataclass(frozen=True, slots=True)
class EngineStatus:
    """How the engine is doing. `embedder` is what the settings name, `index` what answers."""

    store: str
    memories: int
    spaces: tuple[SpaceInfo, ...]
    embedder: str
    index: str
    pending: int
    notes: tuple[str, ...]


class Engine:
    """A memory. Safe to share between threads; many processes may use one store at once."""

    def __init__(
        self,
        store: str | os.PathLike[str] | Store | None = None,
        *,
        embedder: Embedder | str | None = None,
        settings: Settings | None = None,
        clock: Clock = system_clock,
    ) -> None:
        """Open a store: a path, a ready store, or by default the one that the settings name.

        `embedder` is a name (see `recollect models list`), an object, or `"none"`.
        """
        self.settings = settings or settings_module.load().settings
        if store is None:
            store = self.settings.store_path
            if not self.settings.store:  # our own place; a place that the user named must exist
                store.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(store, str | os.PathLike):
            from recollect.stores.sqlite.store import SQLiteStore

            self.store: Store = SQLiteStore(store)
        else:
            self.store = store
        self._clock = clock
        self._configured = embedder if embedder is not None else self.settings.embedder
        self._loaded: dict[str, Embedder | None] = {}
        self._lock = threading.Lock()
        self._threads: Workers | None = None
        self._accessed: Counter[str] = Counter()
        self._may_owe_vectors = True
        self._writing = writing.Kit(self.store, self._writing_embedder)

    @classmethod
    def in_memory(cls, **options: Any) -> Engine:
        """An engine that forgets everything when the process ends; for tests and trials."""
        from recollect.stores.in_memory import InMemoryStore

        return cls(InMemoryStore(), **options)

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Write what is owed and let go of the store."""
        try:
            self._flush_accesses()
        finally:
            if self._threads is not None:
                self._threads.shutdown()
            for embedder in self._loaded.values():
                let_go = getattr(embedder, "close", None)  # those with connections have it
                if let_go is not None:
                    let_go()
            self.store.close()

    # Writing

    def remember(self, text: str, *, space: str = "", **fields: Any) -> Receipt:
        """Remember one thing. The receipt means that it is on disk.

        Fields: id, kind, section, tags, entities, source, provenance, confidence, occurred_at,
        valid_from, valid_to, metadata. Told again in the same words, it is reinforced.
        """
        told = {**fields, "text": text, "space": space or self.settings.space}
        return self.remember_many([told])[0]

    def remember_many(
        self, told: Iterable[Mapping[str, Any]], *, progress: Progress | None = None
    ) -> list[Receipt]:
        """Remember many things, a durable batch at a time. Each is a mapping of fields."""
        return list(self.remember_stream(told, progress=progress))

    def remember_stream(
        self,
        told: Iterable[Mapping[str, Any]],
        *,
        progress: Progress | None = None,
        refused: Callable[[int, InvalidInput], None] | None = None,
    ) -> Iterator[Receipt]:
        """The same, giving each receipt as soon as its batch is on disk.

        `refused` is called with the number (from 1) of an item that cannot be taken, and the rest
        goes on; without it, the first such item stops everything after its batch.
        """
        total = len(told) if isinstance(told, Sequence) else None
        iterator = enumerate(told, start=1)
        done = 0
        behind = False
        while batch := list(islice(iterator, writing.BATCH)):
            entries: list[Entry] = []
            for number, item in batch:
                try:
                    entries.append(self._entry(item))
                except InvalidInput as e:
                    if refused is None:
                        raise type(e)(f"item {number}: {e}" if number > 1 else str(e)) from None
                    refused(number, e)
            receipts = writing.write(entries, self._writing)
            done += len(batch)
            if progress is not None:
                progress(done, total)
            behind = any(not receipt.embedded for receipt in receipts)
            self._may_owe_vectors = self._may_owe_vectors or behind
            yield from receipts
        if done >= writing.BATCH:
            self.store.maintain()
        elif done and not behind:  # an embedder that has just failed is not asked again
            self._pay_vectors()

    def _entry(self, told: Mapping[str, Any]) -> Entry:
        if not isinstance(told, Mapping):
            raise InvalidInput(f"expected an object with a 'text', got {type(told).__name__}")
        space = told.get("space")
        if space is None or space == "":
            space = self.settings.space
        memory = accept({**told, "space": space}, now=self._clock())
        return writing.prepare(memory, given_id=bool(told.get("id")))

    def revise(self, memory_id: str, **fields: Any) -> Receipt:
        """Change a memory. Its former form stays in the history."""
        former = self._existing(memory_id)
        fixed = sorted(fields.keys() & {"id", "space", "created_at", "updated_at"})
        if fixed:
            raise InvalidInput(f"{fixed[0]} cannot be revised; leave it out")
        if not fields:
            raise InvalidInput("nothing to revise; give a text or another field")
        now = self._clock()
        kept = {name: getattr(former, name) for name in _revisable()}
        memory = accept(
            {**kept, "created_at": former.created_at, **fields, "id": former.id,
             "space": former.space, "updated_at": now},
            now=now,
        )  # fmt: skip
        receipt = writing.revise(
            writing.prepare(memory, given_id=False),
            self._writing,
            same_text=memory.text == former.text,
        )
        self._may_owe_vectors = self._may_owe_vectors or not receipt.embedded
        return receipt

    def reinforce(self, memory_id: str, times: int = 1) -> Receipt:
        """Count that something was told again."""
        if isinstance(times, bool) or not isinstance(times, int) or not 1 <= times <= 1_000_000:
            raise InvalidInput(
                f"times: expected a whole number from 1 to 1,000,000, got {shown(times)}"
            )
        memory = self._existing(memory_id)
        self.store.touch(accessed={}, reinforced={memory_id: times})
        return Receipt(memory.id, memory.space, Action.REINFORCED)

    def forget(self, memory_id: str) -> Receipt:
        """Erase a memory: text, history, words, vectors and the write-ahead log."""
        memory = self._existing(memory_id)
        with self._lock:
            self._accessed.pop(memory_id, None)
        if self.store.delete([memory_id]) != [True]:
            raise NotFound(f"no memory has the id {memory_id!r}; somebody else forgot it just now")
        return Receipt(memory.id, memory.space, Action.FORGOTTEN)

    def forget_space(self, space: str) -> int:
        """Erase a space and all that it holds; how many memories went."""
        return self.store.delete_space(check_space(space))

    def _existing(self, memory_id: str) -> Memory:
        memory = self.get(memory_id)
        if memory is None:
            raise NotFound(f"no memory has the id {memory_id!r}; 'recollect list' shows the ids")
        return memory

    # Reading

    def recall(
        self,
        text: str,
        *,
        spaces: SpaceNames | None = None,
        limit: int | None = None,
        budget: int | None = None,
        where: Mapping[str, Any] | Filter | None = None,
        as_of: datetime | str | None = None,
        preset: str = "balanced",
        words: bool = True,
        meaning: bool = True,
        vector: Vector | None = None,
        deadline: float | None = None,
        touch: bool = True,
    ) -> Recollection:
        """What matters for this question, best first, within the budget, with reasons.

        `where` is a filter (see `recollect.filters`); `as_of` asks what held at a moment;
        `touch=False` leaves the access counts alone.
        """
        stages = preset_named(preset)
        query = self._query(
            text, spaces, limit, budget, where, as_of, words, meaning, vector, deadline
        )
        kit = reading.Kit(
            store=self.store,
            question=self._question,
            clock=self._clock,
            deadline=reading.Deadline.after(query.deadline),
            pool=self._pool,
        )
        recollection = run(query, stages, kit)
        if touch and recollection.hits:
            self._count_accesses(hit.id for hit in recollection.hits)
        return recollection

    def _query(
        self,
        text: str,
        spaces: SpaceNames | None,
        limit: int | None,
        budget: int | None,
        where: Mapping[str, Any] | Filter | None,
        as_of: datetime | str | None,
        words: bool,
        meaning: bool,
        vector: Vector | None,
        deadline: float | None,
    ) -> Query:
        if not isinstance(text, str):
            raise InvalidInput(f"the question must be text, got {type(text).__name__}")
        if not text.strip():
            raise InvalidInput("the question is empty; ask for something")
        if len(text) > _MAX_QUERY_CHARS:
            raise InvalidInput(
                f"the question has {len(text):,} characters; at most {_MAX_QUERY_CHARS:,} are read"
            )
        moment = self._clock() if as_of is None else parse_moment(as_of, name="as_of")
        valid = ValidAt(to_micros(moment))
        condition = _condition(where)
        return Query(
            text=text.encode("utf-8", "replace").decode(),
            spaces=self._names(spaces),
            limit=_whole("limit", self.settings.limit if limit is None else limit),
            budget=_whole("budget", self.settings.budget if budget is None else budget),
            where=valid if condition is None else All((valid, condition)),
            as_of=moment,
            words=words,
            meaning=meaning,
            vector=vector,
            deadline=_seconds(self.settings.deadline if deadline is None else deadline),
        )

    def _names(self, spaces: SpaceNames | None) -> tuple[str, ...]:
        if spaces is None:
            spaces = self.settings.space
        names = (spaces,) if isinstance(spaces, str) else tuple(spaces)
        if not names:
            raise InvalidInput("name at least one space to look in")
        return tuple(dict.fromkeys(map(check_space, names)))

    def get(self, memory_id: str, *, space: str | None = None) -> Memory | None:
        """A memory by its id, or None."""
        if not isinstance(memory_id, str):
            raise InvalidInput(f"an id is text, got {type(memory_id).__name__}")
        if not is_id(memory_id):
            return None
        self._flush_accesses()
        return self.store.get([memory_id], spaces=None if space is None else [space])[0]

    def list(
        self,
        *,
        spaces: SpaceNames | None = None,
        where: Mapping[str, Any] | Filter | None = None,
        newest_first: bool = True,
        cursor: str | None = None,
        limit: int = 20,
    ) -> Page:
        """Memories as they were told, a page at a time. No spaces named: the default one."""
        self._flush_accesses()
        return self.store.scan(
            spaces=self._names(spaces),
            where=_condition(where),
            newest_first=newest_first,
            cursor=cursor,
            limit=_whole("limit", limit),
        )

    def history(self, memory_id: str) -> Sequence[Revision]:
        """Former forms of a memory, newest first."""
        self._existing(memory_id)
        return self.store.history(memory_id)

    def spaces(self) -> Sequence[SpaceInfo]:
        return self.store.spaces()

    # Embedders

    def _embedder(self, name: str) -> Embedder | None:
        """By name, loaded once. Raises EmbedderError when it cannot be had."""
        configured = self._configured
        if not isinstance(configured, str) and configured.name == name:
            return configured
        with self._lock:
            if name not in self._loaded:
                from recollect.embedders.loading import embedder_named

                try:
                    self._loaded[name] = embedder_named(name, self.settings)
                except EmbedderError:
                    raise
                except RecollectError as e:
                    raise EmbedderError(str(e)) from e
            return self._loaded[name]

    def _configured_embedder(self) -> Embedder | None:
        configured = self._configured
        return configured if not isinstance(configured, str) else self._embedder(configured)

    def _index_embedder(self) -> tuple[Embedder | None, str]:
        """Whoever made the index must read it; with a note where the settings name another."""
        configured = self._configured_embedder()
        held = self.store.embedding()
        if configured is None or held is None or held.fingerprint == configured.fingerprint:
            return configured, ""
        note = (
            f"the index is by {held.name}, the settings name {configured.name}; "
            "'recollect reindex' changes over"
        )
        try:
            maker = self._embedder(held.name)
        except EmbedderError:
            maker = None  # e.g. somebody's own class, in another program
        if maker is None or maker.fingerprint != held.fingerprint:
            raise EmbedderError(
                f"the index is by {held.name} ({held.fingerprint}), which cannot be loaded here; "
                "run 'recollect reindex' to make it anew"
            )
        return maker, note

    def _writing_embedder(self) -> Embedder | None:
        return self._index_embedder()[0]

    def _question(self, query: Query) -> reading.Question | None:
        """The question's vector, by whoever made the index."""
        from recollect.embedders.protocol import embed_question, unit_rows

        embedder, note = self._index_embedder()
        if embedder is None:
            return None
        if query.vector is not None:
            vector = unit_rows(
                [query.vector], rows=1, dimension=embedder.dimension, maker="the question's vector"
            )[0]
        else:
            vector = embed_question(embedder, query.text.strip()[:_QUESTION_CHARS])
        return reading.Question(vector, embedder.fingerprint, note)

    def _pool(self) -> Executor:
        with self._lock:
            if self._threads is None:
                from recollect.recall.workers import Workers

                self._threads = Workers(4)
            return self._threads

    # What is owed

    def _count_accesses(self, ids: Iterable[str]) -> None:
        """Counted now, written with the next batch: a question must not wait for the disk."""
        with self._lock:
            self._accessed.update(ids)
            due = len(self._accessed) >= _FLUSH_ACCESSES or self._accessed.total() >= _FLUSH_COUNTS
        if due:
            self._flush_accesses()

    def _flush_accesses(self) -> None:
        with self._lock:
            accessed, self._accessed = self._accessed, Counter()
        if accessed:
            from recollect.errors import StoreError

            try:
                self.store.touch(accessed=accessed, reinforced={})
            except StoreError:  # a hint for ranking, not a memory: never worth an error
                return

    def _pay_vectors(self) -> None:
        """Fill in vectors that an earlier failure left out, a little with each write."""
        if not self._may_owe_vectors:
            return
        from recollect.embedders.protocol import embed_question

        owed = sum(info.pending for info in self.store.spaces())
        self._may_owe_vectors = owed > 0
        if owed:
            try:
                embedder = self._writing_embedder()
                if embedder is not None:
                    if self.store.embedding() is None:
                        embed_question(embedder, "Does it work?")  # only then it may claim
                        writing.claim(self.store, embedder)
                    writing.backfill(self._writing, embedder, at_most=_BACKFILL_AT_ONCE)
            except EmbedderError:
                return  # still owed; every recall says so

    # Care

    def rebuild_words(self) -> int:
        """Make the words index anew from the texts; how many passages it holds."""
        return self.store.rebuild_words()

    def rebuild_files(self) -> None:
        """Throw the derived files beside the store away and write them anew."""
        self.store.maintain(anew=True)

    def reindex(self, *, force: bool = False, progress: Progress | None = None) -> int:
        """Fill in missing vectors; change over to the embedder that the settings name.

        The index that answers now goes on answering until the new one is complete. Interrupted, it
        goes on where it stopped. `force` first throws all vectors away, for when they are damaged:
        until they are made again, words alone answer. How many were made is returned.
        """
        from recollect.embedders.protocol import embedding_of

        embedder = self._configured_embedder()
        if embedder is None:
            return 0
        target = embedding_of(embedder)
        if force:
            self.store.clear_vectors()
        self.store.build(target)
        total = sum(info.passages for info in self.store.spaces())
        done = 0
        while True:
            made = writing.backfill(self._writing, embedder, at_most=_BACKFILL_AT_ONCE)
            done += made
            if progress is not None:
                progress(done, max(total, done))
            if not made and self.store.switch(embedder.fingerprint):
                break
        self.store.maintain()
        self._may_owe_vectors = False
        return done

    def status(self) -> EngineStatus:
        """A quick look, without loading any model."""
        infos = tuple(self.store.spaces())
        held = self.store.embedding()
        configured = self._configured
        name = configured if isinstance(configured, str) else configured.name
        pending = sum(info.pending for info in infos)
        notes: list[str] = []
        if held is not None and name != "none" and held.name != name:
            notes.append(
                f"the index is by {held.name}, the settings name {name}: run 'recollect reindex'"
            )
        if pending and name != "none":
            notes.append(f"{pending} passages wait for vectors: run 'recollect reindex'")
        return EngineStatus(
            store=str(getattr(self.store, "path", "in memory")),
            memories=sum(info.memories for info in infos),
            spaces=infos,
            embedder=name,
            index="none yet" if held is None else held.name,
            pending=pending,
            notes=tuple(notes),
        )

    def doctor(self) -> Sequence[Check]:
        """Check every part thoroughly; each fault comes with its fix."""
        return [*self.store.check(), self._check_embedder()]

    def _check_embedder(self) -> Check:
        from recollect.embedders.protocol import embed_question

        try:
            embedder, note = self._index_embedder()
            if embedder is None:
                return Check("embedder", True, "none is set: recall works by words alone")
            embed_question(embedder, "Is anybody there? 有人在吗？")
        except RecollectError as e:
            return Check(
                "embedder", False, str(e), "recall works by words meanwhile; do what is said above"
            )
        if note:
            return Check("embedder", False, note, "run 'recollect reindex'")
        return Check("embedder", True, f"{embedder.name} answers ({embedder.dimension} numbers)")

    def export(self, *, spaces: SpaceNames | None = None) -> Iterator[dict[str, Any]]:
        """Every memory with its history as JSON-ready objects; `import_many` takes them back."""
        from recollect.transfer import exported

        self._flush_accesses()
        names = None if spaces is None else self._names(spaces)
        return exported(self.store, names)

    def import_many(
        self, records: Iterable[Mapping[str, Any]], *, progress: Progress | None = None
    ) -> Counter[str]:
        """Take back what `export` gave: ids, times, counters and history stay as they were.

        What is here already stays as it is. Returns how many memories met each fate.
        """
        from recollect.transfer import imported

        self._may_owe_vectors = True
        return imported(records, self._writing, now=self._clock(), progress=progress)


_QUESTION_CHARS = 8_192


def _condition(where: Mapping[str, Any] | Filter | None) -> Filter | None:
    return where if isinstance(where, Filter) else parse_filter(where)


def _revisable() -> tuple[str, ...]:
    return (
        "text", "kind", "section", "tags", "entities", "source", "provenance", "confidence",
        "occurred_at", "valid_from", "valid_to", "reinforcement", "access_count", "metadata",
    )  # fmt: skip


def _whole(name: str, value: object) -> int:
    least, most = settings_module.RANGES[name]
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise InvalidInput(
            f"{name}: expected a whole number from {least:,} to {most:,}, got {shown(value)}"
        )
    return value


def _seconds(value: object) -> float:
    least, most = settings_module.RANGES["deadline"]
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise InvalidInput(
            f"deadline: expected seconds from {least} to {most:,}, got {shown(value)}"
        )
    return float(value)
