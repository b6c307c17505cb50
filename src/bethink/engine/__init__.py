"""The one façade: everything that any door does goes through an `Engine`.

from bethink import Engine

with Engine("memory.db") as engine:
    engine.remember("Mei prefers dark mode. 小美喜欢深色主题。", tags=["ui"])
    for hit in engine.recall("which theme does Mei like?").hits:
        print(hit.score, hit.text)
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from bethink import settings as settings_module
from bethink.accesses import Accesses
from bethink.assembly import Parts, opened_store
from bethink.clock import Clock, system_clock
from bethink.condition import EngineStatus as EngineStatus
from bethink.engine.deciding import Deciding
from bethink.engine.keeping import Keeping
from bethink.engine.moving import Moving
from bethink.engine.reading import Reading
from bethink.engine.writing import Writing
from bethink.errors import StoreBusy, StoreReadOnly
from bethink.lazy_exports import hinting
from bethink.settings import Settings
from bethink.stores.protocol import PROMOTION_NOTE, Store
from bethink.text.tokens import count_tokens
from bethink.text.tokens import count_tokens as estimated_tokens

if TYPE_CHECKING:
    from bethink.embedders.protocol import Embedder
    from bethink.llms.protocol import LLM
    from bethink.rerankers.protocol import Reranker

__all__ = ["Engine", "EngineStatus"]

# What people call the methods before they have read what they are called here.
_CALLED_HERE = {
    **dict.fromkeys(("search", "query", "retrieve", "find"), "recall(text)"),
    **dict.fromkeys(("add", "save", "put", "insert", "write", "memorize"), "remember(text)"),
    **dict.fromkeys(("add_many", "remember_all", "remember_batch"), "remember_many([{...}])"),
    **dict.fromkeys(("delete", "remove", "erase"), "forget(id)"),
    **dict.fromkeys(("clear", "reset", "delete_space"), "forget_space(name)"),
    **dict.fromkeys(("update", "edit", "change"), "revise(id, text=...)"),
    **dict.fromkeys(("all", "memories", "get_all", "iter"), "list(limit=...) or export()"),
    **dict.fromkeys(("stats", "info"), "status()"),
    **dict.fromkeys(("backup", "dump", "export_jsonl"), "export()"),
    **dict.fromkeys(("load", "restore_from", "import_jsonl"), "import_many(records)"),
    **dict.fromkeys(("arecall", "aremember"), "asyncio.to_thread(engine.recall, text)"),
    **dict.fromkeys(("ask", "knowledge", "add_document"), "KnowledgeBase(engine, space)"),
    **dict.fromkeys(("notebook", "notebooks", "add_notebook"), "Notebook(engine, folder)"),
    **dict.fromkeys(("story", "add_scene"), "Story(engine, project)"),
}


class Engine(Writing, Reading, Deciding, Keeping, Moving):
    """A memory. Safe to share between threads; many processes may use one store at once."""

    def __init__(
        self,
        store: str | os.PathLike[str] | Store | None = None,
        *,
        embedder: Embedder | str | None = None,
        llm: LLM | str | None = None,
        reranker: Reranker | str | None = None,
        hot: str | None = None,
        count_tokens: Callable[[str], int] = count_tokens,
        settings: Settings | None = None,
        clock: Clock = system_clock,
    ) -> None:
        """Open a store: a path, an address (`postgresql://…`), `":memory:"` (forgotten when the
        process ends), a ready store, or by default the one that the settings name.

        `embedder` is a name (see `bethink models list`), an object, or `"none"`. `llm` is
        `"openai:MODEL"`, an object, or `"none"`; only some presets ask it anything. `reranker` is
        `"http:MODEL"`, `"tei"`, `"onnx:DIRECTORY"`, an object, or `"none"`. `count_tokens` says
        what a text costs of a budget; by default it is estimated. `hot` is `"redis://…"`,
        `"memory"` or `"none"`: see docs/how-to/redis.md.
        """
        self.settings = settings or settings_module.here()
        self.store = opened_store(store, self.settings)
        self._clock = clock
        self._count_tokens = count_tokens
        self._accesses = Accesses(self.store)
        self._parts = Parts(
            self.store,
            self.settings,
            clock,
            embedder=embedder,
            llm=llm,
            reranker=reranker,
            hot=hot,
            tokens_by="" if count_tokens is estimated_tokens else count_tokens,
        )
        self._bookkeeping = self._parts.bookkeeping
        if PROMOTION_NOTE in self.store.notes(PROMOTION_NOTE):
            with suppress(StoreBusy, StoreReadOnly):  # the next that opens it tries again
                self._parts.tiers.finish()

    @classmethod
    def in_memory(cls, **options: Any) -> Engine:
        """An engine that forgets everything when the process ends; for tests and trials."""
        from bethink.stores.in_memory import InMemoryStore

        return cls(InMemoryStore(), **options)

    if not TYPE_CHECKING:  # a type checker would accept any name
        __getattr__ = hinting(_CALLED_HERE)

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Write what is owed and let go of the store."""
        try:
            self._accesses.flush()
        finally:
            try:
                self._parts.close()
            finally:
                self.store.close()
