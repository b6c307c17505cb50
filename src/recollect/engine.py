"""The one façade: everything that any door does goes through an `Engine`.

from recollect import Engine

with Engine("memory.db") as engine:
    engine.remember("Mei prefers dark mode. 小美喜欢深色主题。", tags=["ui"])
    for hit in engine.recall("which theme does Mei like?").hits:
        print(hit.score, hit.text)
"""

from __future__ import annotations

import builtins
import os
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from recollect import settings as settings_module
from recollect.checks import check_space, is_id, shown
from recollect.clock import Clock, system_clock
from recollect.errors import InvalidInput, NotFound, RecollectError, StoreError, StoreReadOnly
from recollect.filters import Filter
from recollect.recall import draft as reading
from recollect.recall.asking import condition_of, make_query, space_names, whole
from recollect.recall.pipeline import run
from recollect.recall.presets import Preset, preset_named
from recollect.settings import Settings
from recollect.stores.protocol import Page, Store
from recollect.text.both_ends import MAX_MEANING_CHARS, both_ends
from recollect.text.tokens import count_tokens
from recollect.vocabulary import (
    Action,
    Check,
    Memory,
    Progress,
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

    from recollect.embedders.choosing import Embedders
    from recollect.embedders.protocol import Embedder
    from recollect.formats.export_markdown import Exported
    from recollect.formats.take_in import ImportReport
    from recollect.llms.protocol import LLM
    from recollect.notebook.books import Book, Books
    from recollect.notebook.condition import BookStatus
    from recollect.notebook.freshen import Freshener
    from recollect.notebook.sync import SyncKit, SyncReport
    from recollect.recall.route import RouteRule
    from recollect.recall.why_not import WhyNot
    from recollect.recall.workers import Workers
    from recollect.remember.writer import Writer
    from recollect.rerankers.protocol import Reranker

_FLUSH_ACCESSES = 64  # memories
_FLUSH_COUNTS = 512  # the same few memories asked for again and again are written too


_HELD_BY_READERS = (
    "it is found no more, but another process is reading: its bytes leave the store's log when "
    "that reader is done and anything is written or closed"
)


class EngineStatus(NamedTuple):
    """How the engine is doing. `embedder` is what the settings name, `indexed_by` who made
    the index that answers."""

    store: str
    memories: int
    spaces: tuple[SpaceInfo, ...]
    embedder: str
    indexed_by: str
    pending: int
    notes: tuple[str, ...]
    books: tuple[BookStatus, ...] = ()


class Engine:
    """A memory. Safe to share between threads; many processes may use one store at once."""

    def __init__(
        self,
        store: str | os.PathLike[str] | Store | None = None,
        *,
        embedder: Embedder | str | None = None,
        llm: LLM | str | None = None,
        reranker: Reranker | str | None = None,
        count_tokens: Callable[[str], int] = count_tokens,
        settings: Settings | None = None,
        clock: Clock = system_clock,
    ) -> None:
        """Open a store: a path, a ready store, or by default the one that the settings name.

        `embedder` is a name (see `recollect models list`), an object, or `"none"`. `llm` is
        `"openai:MODEL"`, an object, or `"none"`; only some presets ask it anything. `reranker` is
        `"http:MODEL"`, `"tei"`, `"onnx:DIRECTORY"`, an object, or `"none"`. `count_tokens` says
        what a text costs of a budget; by default it is estimated.
        """
        self.settings = settings or settings_module.load().settings
        if store is None:
            store = self.settings.store_path
            if not self.settings.store:  # our own place; a place that the user named must exist
                try:
                    store.parent.mkdir(parents=True, exist_ok=True)
                except OSError as e:
                    raise StoreReadOnly(
                        f"{store.parent} cannot be created ({e.strerror}); choose another place "
                        "with --store or RECOLLECT_STORE"
                    ) from None
        if isinstance(store, str | os.PathLike):
            from recollect.stores.sqlite.store import SQLiteStore

            self.store: Store = SQLiteStore(store)
        elif hasattr(store, "search_words"):
            self.store = store
        else:
            raise InvalidInput(f"a store is a path or a Store, got {type(store).__name__}")
        self._clock = clock
        self._configured = embedder if embedder is not None else self.settings.embedder
        self._given_llm = llm if llm is not None else self.settings.llm
        self._given_reranker = reranker if reranker is not None else self.settings.reranker
        self._count_tokens = count_tokens
        self._lock = threading.Lock()
        self._threads: Workers | None = None
        self._closed = False
        self._accessed: Counter[str] = Counter()

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
        self._closed = True
        try:
            self._flush_accesses()
            if "_writer" in self.__dict__:
                self._writer.close()
        finally:
            if self._threads is not None:
                self._threads.shutdown()
            if "_embedders" in self.__dict__:
                self._embedders.close()
            if isinstance(self._given_llm, str) and "_llm" in self.__dict__:
                let_go = getattr(self._llm, "close", None)  # those with connections have it
                if let_go is not None:
                    let_go()
            if isinstance(self._given_reranker, str) and "_reranker" in self.__dict__:
                let_go = getattr(self._reranker, "close", None)
                if let_go is not None:
                    let_go()
            self.store.close()

    # Parts that cost time to load come with the first use: a question by words needs neither.

    @cached_property
    def _embedders(self) -> Embedders:
        from recollect.embedders.choosing import Embedders

        return Embedders(self._configured, self.settings, self.store)

    @cached_property
    def _llm(self) -> LLM | None:
        if not isinstance(self._given_llm, str):
            return self._given_llm
        from recollect.llms.loading import llm_named

        return llm_named(self._given_llm, self.settings)

    @cached_property
    def _reranker(self) -> Reranker | None:
        if not isinstance(self._given_reranker, str):
            return self._given_reranker
        from recollect.rerankers.loading import reranker_named

        return reranker_named(self._given_reranker, self.settings)

    @cached_property
    def _routes(self) -> tuple[RouteRule, ...] | None:
        if not self.settings.routes:
            return None
        from pathlib import Path

        from recollect.recall.route_table import read_routes

        return read_routes(Path(self.settings.routes).expanduser())

    @cached_property
    def _writer(self) -> Writer:
        from recollect.remember.writer import Writer

        return Writer(self.store, self._embedders, space=self.settings.space, clock=self._clock)

    @cached_property
    def books(self) -> Books | None:
        """The folders of Markdown whose memories this store holds; None if it is no file."""
        if (path := getattr(self.store, "path", None)) is None:
            return None
        from recollect.notebook.books import Books, books_directory

        return Books(books_directory(path))

    @cached_property
    def _sync_kit(self) -> SyncKit:
        from recollect.notebook.sync import sync_kit

        return sync_kit(
            self.store,
            self.books,
            lambda: self._embedders.for_writing(),  # noqa: PLW0108  (asked for when needed)
            self._clock,
            self.settings,
        )

    def _has_books(self) -> bool:
        """One look at the disk: a store without books must not pay for them."""
        path = getattr(self.store, "path", None)
        return path is not None and os.path.exists(f"{path}.books/books.json")

    @cached_property
    def _freshener(self) -> Freshener:
        from recollect.notebook.freshen import Freshener

        return Freshener(lambda spaces, within: self.sync(spaces=spaces, within=within))

    def _freshened(self, preset: Preset) -> Preset:
        """The same stages, after a look at the files."""
        from recollect.notebook.freshen import Freshen

        look = Freshen(self._freshener, self.settings.sync_seconds)
        return preset._replace(stages=(look, *preset.stages))

    # Writing

    def remember(
        self,
        text: str,
        *,
        space: str = "",
        supersedes: str | None = None,
        merge: str = "words",
        **fields: Any,
    ) -> Receipt:
        """Remember one thing. The receipt means that it is on disk.

        Fields: id, kind, section, tags, entities, source, provenance, confidence, occurred_at,
        valid_from, valid_to, metadata. Told again in the same words, it is reinforced.

        A space that has a notebook keeps preferences, decisions and the like in its files: told
        again in other words they are reinforced there, and a correction takes the old line's place.
        `merge="meaning"` judges in the same way without a notebook. `supersedes` names the memory
        whose place this one takes.
        """
        told = {**fields, "text": text, "space": space or self.settings.space}
        if supersedes is None and merge == "words" and not self._has_books():
            return self.remember_many([told])[0]
        from recollect.notebook import write_back

        kit = write_back.Kit(
            self.store,
            self.books,
            lambda: self._embedders.for_writing(),  # noqa: PLW0108  (asked for when needed)
            self._clock,
            lambda: self.settings.zone,
            lambda one: self.remember_many([one])[0],
        )
        return write_back.remembered(kit, told, supersedes=supersedes, merge=merge)

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
        refused: Callable[[int, RecollectError], None] | None = None,
    ) -> Iterator[Receipt]:
        """The same, giving each receipt as soon as its batch is on disk.

        `refused` is called with the number (from 1) of an item that cannot be taken, and the rest
        goes on; without it, the first such item stops everything from its batch on.
        """
        if not isinstance(told, Iterable):
            raise InvalidInput(f"expected a list of objects, got {type(told).__name__}")
        return self._writer.remember_stream(told, progress=progress, refused=refused)

    def revise(self, memory_id: str, **fields: Any) -> Receipt:
        """Change a memory. Its former form stays in the history."""
        memory = self._existing(memory_id)
        receipt = self._writer.revise(memory, fields)
        return receipt._replace(notes=(*receipt.notes, *self._in_its_file(memory)))

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
        held = () if self.store.finish_erasing() else (_HELD_BY_READERS,)
        notes = (*held, *self._in_its_file(memory))
        return Receipt(memory.id, memory.space, Action.FORGOTTEN, notes=notes)

    def _in_its_file(self, memory: Memory) -> tuple[str, ...]:
        """What a file says comes back from there: whoever changes only the store must know."""
        if "book" not in memory.provenance or not self._has_books() or self.books is None:
            return ()
        from recollect.notebook.condition import stands_in

        return stands_in(memory, self.books)

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
        preset: str | Preset = "balanced",
        words: bool = True,
        meaning: bool = True,
        meaning_threshold: float | None = None,
        words_threshold: float | None = None,
        floor: float | None = None,
        vector: Vector | None = None,
        deadline: float | None = None,
        touch: bool = True,
    ) -> Recollection:
        """What matters for this question, best first, within the budget, with reasons.

        `preset` is a name (docs/reference/presets.md) or a `Preset` of stages of your own; it may
        bring a limit and a budget, for where you and your settings name none. `where` is a filter
        (see `recollect.filters`); `as_of` asks what held at a moment; `touch=False` leaves the
        access counts alone. `meaning_threshold` (a cosine) and `words_threshold` (a share of the
        question's words) cut what is not good enough.
        """
        asked = self._asked(
            text,
            preset,
            spaces=spaces,
            limit=limit,
            budget=budget,
            where=where,
            as_of=as_of,
            words=words,
            meaning=meaning,
            vector=vector,
            deadline=deadline,
            meaning_threshold=meaning_threshold,
            words_threshold=words_threshold,
            floor=floor,
        )
        if self.settings.sync_seconds and self._has_books():
            asked = (asked[0], self._freshened(asked[1]), asked[2])
        recollection = run(*asked)
        if touch and recollection.hits:
            self._count_accesses(hit.id for hit in recollection.hits)
        return recollection

    def why_not(
        self, memory_id: str, text: str, *, preset: str | Preset = "balanced", **options: Any
    ) -> WhyNot:
        """At which stage a memory lost when this is asked, and by how much; or at which rank it is
        a hit. The options are those of `recall`. No counter changes."""
        from recollect.recall.why_not import why_not

        memory = self._existing(memory_id)
        return why_not(memory, *self._asked(text, preset, **options))

    def _asked(
        self, text: str, preset: str | Preset, **options: Any
    ) -> tuple[Query, Preset, reading.Kit]:
        """A question made ready to be run."""
        stages = preset if isinstance(preset, Preset) else preset_named(preset)
        query = make_query(text, self.settings, now=self._clock(), preset=stages, **options)
        kit = reading.Kit(
            store=self.store,
            question=self._question,
            clock=self._clock,
            deadline=reading.Deadline.after(query.deadline),
            pool=self._pool,
            zone=self.settings.zone,
            llm=lambda: self._llm,
            routes=lambda: self._routes,
            reranker=lambda: self._reranker,
            count_tokens=self._count_tokens,
        )
        return query, stages, kit

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
        if cursor is not None and not isinstance(cursor, str):
            raise InvalidInput(f"a cursor is text, got {type(cursor).__name__}")
        self._flush_accesses()
        return self.store.scan(
            spaces=space_names(spaces, self.settings),
            where=condition_of(where),
            newest_first=newest_first,
            cursor=cursor,
            limit=whole("limit", limit),
        )

    def history(self, memory_id: str) -> Sequence[Revision]:
        """Former forms of a memory, newest first."""
        self._existing(memory_id)
        return self.store.history(memory_id)

    def succession(self, memory_id: str) -> Sequence[Memory]:
        """A memory with all that it superseded and all that superseded it, oldest first."""
        from recollect.remember.succession import succession

        return succession(self.store, self._existing(memory_id))

    def spaces(self) -> Sequence[SpaceInfo]:
        return self.store.spaces()

    def _question(self, query: Query) -> reading.Question | None:
        """The question's vector, by whoever made the index."""
        from recollect.embedders.protocol import embed_question, unit_rows

        if isinstance(self._configured, str) and not settings_module.is_embedder(self._configured):
            raise InvalidInput(settings_module.no_such_embedder(self._configured))
        embedder, note = self._embedders.of_index()
        if embedder is None:
            return None
        if query.vector is not None:
            vector = unit_rows(
                [query.vector], rows=1, dimension=embedder.dimension, maker="the question's vector"
            )[0]
            return reading.Question(vector, embedder.fingerprint, note)  # no model need be loaded
        vector = embed_question(embedder, both_ends(query.text, MAX_MEANING_CHARS))
        word_vectors = getattr(embedder, "word_vectors", None)
        return reading.Question(vector, embedder.fingerprint, note, word_vectors)

    def _pool(self) -> Executor:
        with self._lock:
            if self._closed:
                raise StoreError("this engine is closed; open it again to use it")
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
            try:
                self.store.touch(accessed=accessed, reinforced={})
            except StoreError:  # a hint for ranking, not a memory: never worth an error
                return

    # Care

    def sync(self, *, spaces: SpaceNames | None = None, **options: Any) -> SyncReport:
        """Make the store true to its books: all, or those of some spaces.

        Options: `paths` (only these files), `within` (seconds), `progress`, `anew` (look at every
        file and memory), `accept_empty` (a folder that is empty now was emptied on purpose).
        """
        from recollect.notebook.sync import sync

        names = None if spaces is None else space_names(spaces, self.settings)
        return sync(self._sync_kit, spaces=names, **options)

    def let_go(self, book: Book, *, forget: bool = False) -> int:
        """Read a book no more; with `forget`, erase what was remembered of it. How many went."""
        from recollect.notebook.sync import let_go

        return let_go(self._sync_kit, book, forget=forget)

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
        Files of books are the truth of their memories: all are read again first.
        """
        if self._has_books():
            self.sync(anew=True)
        return self._writer.reindex(force=force, progress=progress)

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
        books: tuple[BookStatus, ...] = ()
        if self._has_books() and self.books is not None:
            from recollect.notebook.condition import statuses

            books = tuple(statuses(self.books))
            behind = [book.root for book in books if not book.complete]
            if behind:
                notes.append(f"not all of {', '.join(behind)} is read yet: run 'recollect sync'")
        return EngineStatus(
            store=str(getattr(self.store, "path", "in memory")),
            memories=sum(info.memories for info in infos),
            spaces=infos,
            embedder=name,
            indexed_by="none yet" if held is None else held.name,
            pending=pending,
            notes=tuple(notes),
            books=books,
        )

    def doctor(self) -> Sequence[Check]:
        """Check every part thoroughly; each fault comes with its fix."""
        found = [*self.store.check(), self._embedders.check()]
        if self._has_books() and self.books is not None:
            from recollect.notebook.condition import checks

            found += checks(self.books)
        return found

    def export(
        self, *, spaces: SpaceNames | None = None, damaged: builtins.list[str] | None = None
    ) -> Iterator[dict[str, Any]]:
        """Every memory with its history as JSON-ready objects; `import_many` takes them back.

        With a list `damaged`, what cannot be read any more is named there and passed over.
        """
        from recollect.remember.transfer import exported

        self._flush_accesses()
        names = None if spaces is None else space_names(spaces, self.settings)
        return exported(self.store, names, damaged)

    def import_many(
        self, records: Iterable[Mapping[str, Any]], *, progress: Progress | None = None
    ) -> Counter[str]:
        """Take back what `export` gave: ids, times, counters and history stay as they were.

        What is here already stays as it is, also where it has changed since ("conflict" counts
        those). Returns how many memories met each fate.
        """
        return self._writer.import_many(records, progress=progress)

    def import_from(
        self,
        path: str | os.PathLike[str],
        *,
        format: str = "auto",  # noqa: A002  (as people call it)
        space: str | None = None,
        spaces: Mapping[str, str] | None = None,
        own_spaces: bool = False,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> ImportReport:
        """Take in what others wrote: Markdown, Claude's memory, mem0, LangGraph, chats, or ours.

        `space` is where it goes. Where the source says whose each memory is, `spaces` maps these
        owners to spaces, and `own_spaces` gives each a space of its name; nothing is mixed unsaid.
        One bad record stops nothing: the report names it. Taken twice, nothing is added.
        """
        from pathlib import Path

        from recollect.formats.plan import plan
        from recollect.formats.take_in import take_in

        source = Path(path).expanduser()
        book = self.books.holding(source.resolve()) if self.books is not None else None
        if book is not None:
            raise InvalidInput(
                f"{source} is part of {book.root}, which this store follows already in space "
                f"{book.space!r}: imported, all of it would be there twice"
            )
        found = plan(
            source,
            format_name=format,
            zone=self.settings.zone,
            default_space=self.settings.space,
            space=space,
            spaces=spaces,
            own_spaces=own_spaces,
        )
        if dry_run:
            from recollect.remember.transfer import foreseen

            return take_in(
                found,
                lambda records, refused: foreseen(
                    records, self.store, now=self._clock(), refused=refused
                ),
                dry_run=True,
            )
        return take_in(
            found,
            lambda records, refused: self._writer.import_many(
                records, progress=progress, refused=refused, total=found.memories
            ),
            dry_run=False,
        )

    def export_markdown(
        self,
        folder: str | os.PathLike[str],
        *,
        spaces: SpaceNames | None = None,
        damaged: builtins.list[str] | None = None,
        progress: Progress | None = None,
    ) -> Exported:
        """Write every memory as a file of Markdown, without loss; `import_from` takes them back.

        Exported again, the folder is brought up to date. Files that are not ours, or that a person
        changed, are never touched."""
        from pathlib import Path

        from recollect.formats.export_markdown import export_markdown

        records = self.export(spaces=spaces, damaged=damaged)
        return export_markdown(records, Path(folder).expanduser(), progress=progress)
