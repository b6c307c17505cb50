"""What an engine is made of. Parts that cost time to load come with their first use: a question by
words needs neither a model nor a notebook."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from bethink.addresses import IN_MEMORY, file_named, is_server
from bethink.bookkeeping import Bookkeeping
from bethink.clock import Clock
from bethink.errors import InvalidInput, MissingExtra, StoreError, StoreReadOnly
from bethink.hot import Hot, HotNumbers, check_hot, opened_hot
from bethink.overrides import Overrides
from bethink.recall.draft import Question
from bethink.relocate.unfinished import warning
from bethink.settings import Settings, is_embedder, no_such_embedder
from bethink.stores.protocol import Store
from bethink.text.both_ends import MAX_MEANING_CHARS, both_ends
from bethink.vocabulary import Memory, Query, Receipt, Vectors
from bethink.withheld import Withheld

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from bethink.embedders.asked_before import AskedBefore
    from bethink.embedders.choosing import Embedders
    from bethink.embedders.protocol import Embedder
    from bethink.events.events import Events
    from bethink.llms.protocol import LLM
    from bethink.recall.route import RouteRule
    from bethink.recall.workers import Workers
    from bethink.remember.writer import Writer
    from bethink.rerankers.protocol import Reranker
    from bethink.tiers.keeper import TierKeeper


def opened_store(store: str | os.PathLike[str] | Store | None, settings: Settings) -> Store:
    """A store from a path or address, as it is, or the one that the settings name; that one with
    the engines that they name beside it."""
    truth = _opened(store, settings)
    if not settings.retrievers or not (store is None or _is_named(store, settings)):
        return truth
    from bethink.beside import with_retrievers

    return with_retrievers(truth, settings.retrievers)


# Searches by meaning at the same time. Most wait for an embedder elsewhere, which answers many at
# once: with four threads a server whose embedder takes 200 ms answers 20 questions a second.
_SEARCHES = 32


def _is_named(store: str | os.PathLike[str] | Store, settings: Settings) -> bool:
    return isinstance(store, str | os.PathLike) and (
        str(store) == settings.store or os.fspath(store) == os.fspath(settings.store_path)
    )


def _opened(store: str | os.PathLike[str] | Store | None, settings: Settings) -> Store:
    if store is None and settings.server is not None:
        store = settings.server
    if isinstance(store, str) and is_server(store):
        return _on_server(store)
    if store is None:
        store = settings.store_path
        if not settings.store:  # our own place; a place that the user named must exist
            try:
                store.parent.mkdir(parents=True, exist_ok=True)
            except OSError as e:
                raise StoreReadOnly(
                    f"{store.parent} cannot be created ({e.strerror}); choose another place "
                    "with --store or BETHINK_STORE"
                ) from None
    if store == IN_MEMORY:
        from bethink.stores.in_memory.store import InMemoryStore

        return InMemoryStore()
    if isinstance(store, str | os.PathLike):
        from bethink.stores.sqlite.store import SQLiteStore

        return SQLiteStore(file_named(store) if isinstance(store, str) else store)
    if hasattr(store, "search_words"):
        return store
    raise InvalidInput(
        f"a store is a path, an address (postgresql://…), ':memory:' or a Store, got "
        f"{type(store).__name__}"
    )


def _on_server(address: str) -> Store:
    try:
        from bethink.stores.postgres.store import PostgresStore
    except ModuleNotFoundError as e:
        if not (e.name or "").startswith("psycopg"):
            raise
        raise MissingExtra("a store on PostgreSQL", "postgres") from None
    return PostgresStore(address)


class Parts:
    """Everything beside the store. What was given as an object belongs to whoever gave it; what
    was loaded by name is closed with the engine."""

    def __init__(
        self,
        store: Store,
        settings: Settings,
        clock: Clock,
        *,
        embedder: Embedder | str | None,
        llm: LLM | str | None,
        reranker: Reranker | str | None,
        hot: str | None = None,
        tokens_by: object = "",
    ) -> None:
        self._hot_named = check_hot(settings.hot if hot is None else hot)
        self._tokens_by = tokens_by
        self._store = store
        self._settings = settings
        self._clock = clock
        self.embedder = embedder if embedder is not None else settings.embedder
        self._given_llm = llm if llm is not None else settings.llm
        self._given_reranker = reranker if reranker is not None else settings.reranker
        self.bookkeeping = Bookkeeping(store, settings, clock, self.for_writing)
        self._lock = threading.Lock()
        self._threads: Workers | None = None
        self._closed = False
        self.before_erasing: Callable[[], None] = lambda: None

    def close(self) -> None:
        self._closed = True
        loaded = self.__dict__
        try:
            if "events" in loaded:
                self.events.close()
            if "writer" in loaded:
                self.writer.close()
        finally:
            if self._threads is not None:
                self._threads.shutdown()
            if "hot" in loaded:
                self.hot.close()
            if "embedders" in loaded:
                self.embedders.close()
            for name, given in (("llm", self._given_llm), ("reranker", self._given_reranker)):
                if isinstance(given, str) and name in loaded:
                    let_go = getattr(loaded[name], "close", None)  # those with connections have it
                    if let_go is not None:
                        let_go()

    @property
    def embedder_name(self) -> str:
        return self.embedder if isinstance(self.embedder, str) else self.embedder.name

    @cached_property
    def embedders(self) -> Embedders:
        from bethink.embedders.choosing import Embedders

        return Embedders(self.embedder, self._settings, self._store)

    def for_writing(self) -> Embedder | None:
        return self.embedders.for_writing()

    @cached_property
    def llm(self) -> LLM | None:
        from bethink.llms.protocol import GuardedLLM

        given = self._given_llm
        if not isinstance(given, str):
            return GuardedLLM(given)
        from bethink.llms.loading import llm_named

        llm = llm_named(given, self._settings)
        return None if llm is None else GuardedLLM(llm)

    @cached_property
    def reranker(self) -> Reranker | None:
        given = self._reranker_chosen()
        if given == "none":
            return None
        from bethink.rerankers.protocol import GuardedReranker, ReadsInOrder

        reranker: Reranker | None
        if isinstance(given, str):
            from bethink.rerankers.loading import reranker_named

            reranker = reranker_named(given, self._settings)
        else:
            reranker = given
        if reranker is None or isinstance(reranker, ReadsInOrder):  # a model in this process
            return reranker
        return GuardedReranker(reranker)

    def _reranker_chosen(self) -> Reranker | str:
        given = self._given_reranker
        if not isinstance(given, str):
            return given
        if given == "auto" and not self._settings.models_path.is_dir():
            return "none"  # nothing was ever pulled: spare the imports
        from bethink.rerankers.loading import chosen_reranker

        return chosen_reranker(given, self._settings)

    def left_alone(self) -> list[str]:
        """Return why models that were used in this process are left alone."""
        loaded = self.__dict__
        notes = self.embedders.left_alone() if "embedders" in loaded else []
        used = (loaded.get("llm"), loaded.get("reranker"))
        return [*notes, *(why for one in used if (why := getattr(one, "why", "")))]

    @cached_property
    def hot(self) -> Hot:
        models = [self.embedder, self._given_llm, self._reranker_chosen(), self._tokens_by]
        return opened_hot(self._hot_named, self._store, self._settings, self._clock, models)

    def hot_numbers(self) -> HotNumbers:
        return self.hot.numbers() if "hot" in self.__dict__ else HotNumbers()

    @cached_property
    def routes(self) -> tuple[RouteRule, ...] | None:
        if not self._settings.routes:
            return None
        from pathlib import Path

        from bethink.recall.route_table import read_routes

        return read_routes(Path(self._settings.routes).expanduser())

    @cached_property
    def overrides(self) -> Overrides:
        return Overrides(self._store, self._settings)

    @cached_property
    def withheld(self) -> Withheld:
        return Withheld(self._store)

    @cached_property
    def writer(self) -> Writer:
        from bethink.remember.writer import Writer

        return Writer(
            self._store,
            self.embedders,
            space=self._settings.space,
            clock=self._clock,
            notes=self.bookkeeping.in_store_alone,
            redact=self._settings.redact,
            warning=lambda: warning(self._store),
            zone=self._settings.zone,
        )

    @cached_property
    def tiers(self) -> TierKeeper:
        from bethink.tiers.keeper import TierKeeper
        from bethink.tiers.kit import Kit

        return TierKeeper(
            Kit(
                self._store,
                self._settings,
                self._clock,
                self.for_writing,
                self._promoted,
                self._taken_back,
                self.events.record,
                self.overrides.settings_for,
            )
        )

    def _promoted(self, memories: Sequence[Memory], supersedes: str | None) -> list[Receipt]:
        """Into the store alone: a file could not say who offered it and how far it is trusted."""
        if supersedes is None:
            return self.writer.take_over(memories)
        from bethink.records import memory_record as as_record

        return [
            self.bookkeeping.remember(
                as_record(memory),
                self._plainly,
                space=memory.space,
                supersedes=supersedes,
                merge="words",
            )
            for memory in memories
        ]

    def _plainly(self, told: Mapping[str, Any]) -> Receipt:
        (receipt,) = self.writer.remember_stream([told], progress=None, refused=None)
        return receipt

    def _taken_back(self, memories: Sequence[Memory]) -> None:
        if memories:
            self._store.delete([memory.id for memory in memories])
            self._store.finish_erasing()

    @cached_property
    def events(self) -> Events:
        from bethink.events.events import Events

        return Events(
            lambda: self._store.tiers().events, keep=self._settings.keep_events, clock=self._clock
        )

    def pool(self) -> Executor:
        with self._lock:
            if self._closed:
                raise StoreError("this engine is closed; open it again to use it")
            if self._threads is None:
                from bethink.recall.workers import Workers

                self._threads = Workers(_SEARCHES)
            return self._threads

    @cached_property
    def _asked_before(self) -> AskedBefore:
        from bethink.embedders.asked_before import AskedBefore

        return AskedBefore()

    def erase_questions(self, *memory_ids: str) -> None:
        """Questions that found a memory may have been asked in its very words."""
        self.before_erasing()
        self.events.erase_questions(memory_ids)
        self.forget_questions()

    def forget_questions(self) -> None:
        """Those that are in this process's memory, and their answers."""
        self.hot.forget_answers()
        if "_asked_before" in self.__dict__:
            self._asked_before.forget()

    def question(self, query: Query, *, seen: Store | None = None) -> Question | None:
        """The question's vector, by whoever made the index; `seen` is what it sees of the store."""
        from bethink.embedders.protocol import unit_rows

        if isinstance(self.embedder, str) and not is_embedder(self.embedder):
            raise InvalidInput(no_such_embedder(self.embedder))
        embedder, note = self.embedders.of_index(seen)
        if embedder is None:
            return None
        if query.vector is not None:
            vector = unit_rows(
                [query.vector], rows=1, dimension=embedder.dimension, maker="the question's vector"
            )[0]
            return Question(vector, embedder.fingerprint, note)  # no model need be loaded
        vector = self._asked_before.vector(embedder, both_ends(query.text, MAX_MEANING_CHARS))
        word_vectors = getattr(embedder, "word_vectors", None)
        return Question(vector, embedder.fingerprint, note, word_vectors)

    def documents(self, texts: Sequence[str], *, seen: Store | None = None) -> Vectors | None:
        """The vectors of texts that no index holds, by whoever made the index; each made once."""
        embedder, _ = self.embedders.of_index(seen)
        return None if embedder is None else self._asked_before.vectors(embedder, texts)
