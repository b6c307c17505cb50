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
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from recollect import settings as settings_module
from recollect.accesses import Accesses
from recollect.assembly import Parts, opened_store
from recollect.checks import check_space, is_id, shown
from recollect.clock import Clock, system_clock
from recollect.condition import EngineStatus as EngineStatus
from recollect.condition import checks_of, status_of
from recollect.errors import InvalidInput, NotFound, RecollectError
from recollect.events.kinds import RETRIEVAL_TRACE
from recollect.filters import Filter
from recollect.recall import draft as reading
from recollect.recall.asking import condition_of, make_query, space_names, whole
from recollect.recall.pipeline import run
from recollect.recall.presets import Preset, preset_named
from recollect.settings import Settings
from recollect.stores.protocol import Page, Store
from recollect.text.tokens import count_tokens
from recollect.vocabulary import (
    Action,
    Check,
    Memory,
    Offer,
    Principal,
    Progress,
    Query,
    Receipt,
    Recollection,
    Revision,
    SpaceInfo,
    SpaceNames,
    Tier,
    Vector,
)

if TYPE_CHECKING:
    from recollect.embedders.protocol import Embedder
    from recollect.events.events import Events
    from recollect.formats.export_markdown import Exported
    from recollect.formats.take_in import ImportReport
    from recollect.llms.protocol import LLM
    from recollect.notebook.books import Book, Books
    from recollect.notebook.sync import SyncReport
    from recollect.overrides import Overrides
    from recollect.recall.why_not import WhyNot
    from recollect.rerankers.protocol import Reranker
    from recollect.tiers.keeper import TierKeeper

_HELD_BY_READERS = (
    "it is found no more, but another process is reading: its bytes leave the store's log when "
    "that reader is done and anything is written or closed"
)


def _no_such_memory(memory_id: str) -> NotFound:
    return NotFound(f"no memory has the id {memory_id!r}; 'recollect list' shows the ids")


def _traced(recollection: Recollection) -> Mapping[str, Any]:
    from recollect.recall.traced import traced

    return traced(recollection)


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
        self.settings = settings or settings_module.here()
        self.store = opened_store(store, self.settings)
        self._clock = clock
        self._count_tokens = count_tokens
        self._accesses = Accesses(self.store)
        self._parts = Parts(
            self.store, self.settings, clock, embedder=embedder, llm=llm, reranker=reranker
        )
        self._bookkeeping = self._parts.bookkeeping

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
            self._accesses.flush()
        finally:
            try:
                self._parts.close()
            finally:
                self.store.close()

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
        Preferences, instructions and entities told in a project go to `global` unless a space is
        named. `merge="meaning"` judges in the same way without a notebook. `supersedes` names the
        memory whose place this one takes.
        """
        told = {**fields, "text": text, "space": space or self.settings.space}
        if supersedes is None and merge == "words" and self._bookkeeping.in_use() is None:
            return self._remember_plainly(told)
        return self._bookkeeping.remember(
            told, self._remember_plainly, space=space, supersedes=supersedes, merge=merge
        )

    def _remember_plainly(self, told: Mapping[str, Any]) -> Receipt:
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
        refused: Callable[[int, RecollectError], None] | None = None,
    ) -> Iterator[Receipt]:
        """The same, giving each receipt as soon as its batch is on disk.

        `refused` is called with the number (from 1) of an item that cannot be taken, and the rest
        goes on; without it, the first such item stops everything from its batch on.
        """
        if not isinstance(told, Iterable):
            raise InvalidInput(f"expected a list of objects, got {type(told).__name__}")
        return self._parts.writer.remember_stream(told, progress=progress, refused=refused)

    def revise(self, memory_id: str, **fields: Any) -> Receipt:
        """Change a memory. Its former form stays in the history. What stands in a notebook's file
        is changed there too."""
        memory = self._existing(memory_id)
        receipt = self._bookkeeping.revise(memory, fields, self._parts.writer.revise)
        if fields.get("text") not in (None, memory.text):
            self.events.erase_questions([memory_id])  # they may hold the words that went
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

    def forget(self, memory_id: str, *, spaces: Sequence[str] | None = None) -> Receipt:
        """Erase a memory: text, history, words, vectors and the write-ahead log; of a notebook the
        line in its file too, and the lines of `history.md` whose place it took. What was offered in
        the same words goes with it; an offer that was never promoted is erased by its id too.
        With `spaces`, only what is in one of them is found."""
        with self.tiers.alone():  # whoever promotes it just now must not bring it back
            return self._forget(memory_id, spaces)

    def _forget(self, memory_id: str, spaces: Sequence[str] | None) -> Receipt:
        memory = self.get(memory_id)
        if memory is not None and spaces is not None and memory.space not in spaces:
            memory = None
        offer = self.tiers.get(memory_id, spaces=spaces)
        if memory is None and offer is not None:
            kept = self.tiers.held_by(offer)
            self.tiers.erase(offer.memory)
            self.events.erase_questions([memory_id])
            said = [] if self.store.finish_erasing([offer.memory.text]) else [_HELD_BY_READERS]
            if kept is not None:
                said.append(f"long-term memory holds these words as {kept}: forget that one too")
            return Receipt(offer.id, offer.space, Action.FORGOTTEN, notes=tuple(said))
        if memory is None:
            raise _no_such_memory(memory_id)
        self._accesses.drop(memory_id)
        self.tiers.erase(memory)
        notes = self._bookkeeping.forget(memory)
        if notes is None and self.store.delete([memory_id]) != [True]:
            raise NotFound(f"no memory has the id {memory_id!r}; somebody else forgot it just now")
        self.events.erase_questions([memory_id])
        held = () if self.store.finish_erasing([memory.text]) else (_HELD_BY_READERS,)
        return Receipt(memory.id, memory.space, Action.FORGOTTEN, notes=(*(notes or ()), *held))

    def forget_space(self, space: str) -> int:
        """Erase a space and all that it holds; how many memories went. A space that is read from a
        folder must be let go of first: it would come back."""
        self._bookkeeping.refuse_following(check_space(space))
        with self.tiers.alone():
            self.events.erase_space(space)  # with what waits to be written
            self.tiers.erase_space(space)
            self.overrides.forget_space(space)
            return self.store.delete_space(space)

    # Tiers

    @property
    def tiers(self) -> TierKeeper:
        """Quarantine and working memory: what was offered, what was decided, and what waits."""
        return self._parts.tiers

    def offer(
        self,
        text: str,
        *,
        space: str = "",
        confidence: float = 1.0,
        source: str = "",
        parents: Sequence[str] = (),
        by: Principal | None = None,
        **fields: Any,
    ) -> Offer:
        """Offer what an agent heard or made. It is logged in quarantine, filtered, and admitted to
        working memory or not: the offer says which, and why. Nothing of it is long-term memory
        before it is promoted.

        `parents` are the offers and memories that it was made from; `by` is who offers it.
        """
        told = {**fields, "text": text, "confidence": confidence, "source": source}
        return self.tiers.offer(
            told,
            by=by or Principal(),
            parents=parents,
            space=check_space(space or self.settings.space),
        )

    def promote(
        self, ids: str | Sequence[str], *, by: Principal | None = None, **options: Any
    ) -> builtins.list[Receipt]:
        """Make offers long-term memory, all or none. Options: `reason`, `supersedes` (the memory
        whose place it takes), `spaces`."""
        return self.tiers.promote(ids, by=by or Principal(), **options)

    def reject(
        self, ids: str | Sequence[str], *, by: Principal | None = None, **options: Any
    ) -> builtins.list[Offer]:
        """Let offers stay in the log only. Options: `reason`, `spaces`."""
        return self.tiers.reject(ids, by=by or Principal(), **options)

    def restore(
        self, ids: str | Sequence[str], *, by: Principal | None = None, **options: Any
    ) -> builtins.list[Offer]:
        """Admit what was held, refused, ignored or rejected to working memory after all."""
        return self.tiers.restore(ids, by=by or Principal(), **options)

    def _existing(self, memory_id: str) -> Memory:
        memory = self.get(memory_id)
        if memory is None:
            raise _no_such_memory(memory_id)
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
        unverified_share: float | None = None,
        vector: Vector | None = None,
        deadline: float | None = None,
        touch: bool = True,
    ) -> Recollection:
        """What matters for this question, best first, within the budget, with reasons.

        `preset` is a name (docs/reference/presets.md) or a `Preset` of stages of your own; it may
        bring a limit and a budget, for where you and your settings name none. `where` is a filter
        (see `recollect.filters`); no spaces named, it looks in the default one, and in `global` too
        where that is a project with a notebook. `as_of` asks what held at a moment; `touch=False`
        leaves the access counts alone. `meaning_threshold` (a cosine) and `words_threshold` (a
        share of the question's words) cut what is not good enough; `unverified_share` (0 to 1) says
        how much of the answer may be unverified.
        """
        query, stages, kit = self._asked(
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
            unverified_share=unverified_share,
        )
        recollection = run(query, self._bookkeeping.freshened(stages), kit)
        if touch and recollection.hits:
            self._accesses.count(hit.id for hit in recollection.hits)
        self.events.later(RETRIEVAL_TRACE, lambda: _traced(recollection), spaces=query.spaces)
        return recollection

    def why_not(
        self, memory_id: str, text: str, *, preset: str | Preset = "balanced", **options: Any
    ) -> WhyNot:
        """At which stage a memory lost when this is asked, and by how much; or at which rank it is
        a hit. The options are those of `recall`. No counter changes."""
        from recollect.recall.why_not import why_not

        asked = self._asked(text, preset, **options)
        if self.get(memory_id) is None and is_id(memory_id):
            recent = self.store.tiers().working.get([memory_id], now=self._clock())[0]
            if recent is not None:
                return why_not(recent, *asked, tier=Tier.WORKING)
        return why_not(self._existing(memory_id), *asked)

    def _asked(
        self, text: str, preset: str | Preset, **options: Any
    ) -> tuple[Query, Preset, reading.Kit]:
        """A question made ready to be run."""
        stages = preset if isinstance(preset, Preset) else preset_named(preset)
        if options.get("spaces") is None:
            options["spaces"] = self._bookkeeping.spaces_here()
        options["spaces"] = names = space_names(options["spaces"], self.settings)
        query = make_query(
            text, self.settings_for(names), now=self._clock(), preset=stages, **options
        )
        kit = reading.Kit(
            store=self.store,
            question=self._parts.question,
            clock=self._clock,
            deadline=reading.Deadline.after(query.deadline),
            pool=self._parts.pool,
            zone=self.settings.zone,
            llm=lambda: self._parts.llm,
            routes=lambda: self._parts.routes,
            reranker=lambda: self._parts.reranker,
            count_tokens=self._count_tokens,
        )
        return query, stages, kit

    def settings_for(self, spaces: SpaceNames | None = None) -> Settings:
        """The settings with what the store and these spaces say otherwise. Where several spaces
        differ, the strictest holds."""
        names = () if spaces is None else space_names(spaces, self.settings)
        return self.overrides.settings_for(names)

    def set_override(self, name: str, value: object, *, space: str | None = None) -> None:
        """Set what holds in this store, or in one space of it, whatever the settings say. None
        takes that back. Thresholds, limits and the rules for offers can be set so."""
        self.overrides.set(name, value, space=space)

    @property
    def overrides(self) -> Overrides:
        return self._parts.overrides

    @property
    def events(self) -> Events:
        """What happens here, kept for replay: tier changes, nodes of workflows, traces of recalls.
        They can be followed as they happen (docs/reference/events.md)."""
        return self._parts.events

    def get(self, memory_id: str, *, space: str | None = None) -> Memory | None:
        """A memory by its id, or None."""
        if not isinstance(memory_id, str):
            raise InvalidInput(f"an id is text, got {type(memory_id).__name__}")
        if not is_id(memory_id):
            return None
        self._accesses.flush()
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
        self._accesses.flush()
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

    # Books

    @property
    def books(self) -> Books | None:
        """The folders of Markdown whose memories this store holds; None if it is no file."""
        return self._bookkeeping.books

    def sync(self, *, spaces: SpaceNames | None = None, **options: Any) -> SyncReport:
        """Make the store true to its books: all, or those of some spaces.

        Options: `paths` (only these files), `within` (seconds), `progress`, `anew` (look at every
        file and memory), `accept_empty` (a folder that is empty now was emptied on purpose).
        """
        from recollect.notebook.sync import sync

        names = None if spaces is None else space_names(spaces, self.settings)
        return sync(self._bookkeeping.sync_kit, spaces=names, **options)

    def freshen(self, *, spaces: SpaceNames | None = None) -> str:
        """Read what changed in the files of these spaces (by default all), as a recall does and
        within `sync_seconds`; why the store is behind them all the same, or nothing."""
        return self._bookkeeping.freshen(
            None if spaces is None else tuple(space_names(spaces, self.settings) or ())
        )

    def let_go(self, book: Book, *, forget: bool = False) -> int:
        """Read a book no more; with `forget`, erase what was remembered of it. How many went."""
        from recollect.notebook.sync import let_go

        return let_go(self._bookkeeping.sync_kit, book, forget=forget)

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
        Files of books are the truth of their memories: all are read again first.
        """
        if self._bookkeeping.in_use() is not None:
            self.sync(anew=True)
        return self._parts.writer.reindex(force=force, progress=progress)

    def status(self) -> EngineStatus:
        """A quick look, without loading any model."""
        return status_of(self.store, self._parts)

    def doctor(self) -> Sequence[Check]:
        """Check every part thoroughly; each fault comes with its fix."""
        return checks_of(self.store, self._parts)

    def export(
        self, *, spaces: SpaceNames | None = None, damaged: builtins.list[str] | None = None
    ) -> Iterator[dict[str, Any]]:
        """Every memory with its history as JSON-ready objects; `import_many` takes them back.

        With a list `damaged`, what cannot be read any more is named there and passed over.
        """
        from recollect.remember.transfer import exported

        self._accesses.flush()
        names = None if spaces is None else space_names(spaces, self.settings)
        return exported(self.store, names, damaged)

    def import_many(
        self, records: Iterable[Mapping[str, Any]], *, progress: Progress | None = None
    ) -> Counter[str]:
        """Take back what `export` gave: ids, times, counters and history stay as they were.

        What is here already stays as it is, also where it has changed since ("conflict" counts
        those). Returns how many memories met each fate.
        """
        return self._parts.writer.import_many(records, progress=progress)

    def import_from(
        self,
        path: str | os.PathLike[str],
        *,
        format: str = "auto",  # noqa: A002  (as people call it)
        space: str | None = None,
        spaces: Mapping[str, str] | None = None,
        own_spaces: bool = False,
        dry_run: bool = False,
        update: bool = False,
        progress: Progress | None = None,
    ) -> ImportReport:
        """Take in what others wrote: Markdown, Claude's memory, mem0, LangGraph, chats, or ours.

        `space` is where it goes. Where the source says whose each memory is, `spaces` maps these
        owners to spaces, and `own_spaces` gives each a space of its name; nothing is mixed unsaid.
        One bad record stops nothing: the report names it. Taken twice, nothing is added; what the
        source has changed since is named, and revised with `update`.
        """
        from recollect.formats.importing import import_from

        return import_from(
            path,
            self.store,
            self._parts.writer,
            books=self.books,
            settings=self.settings,
            now=self._clock(),
            format_name=format,
            space=space,
            spaces=spaces,
            own_spaces=own_spaces,
            dry_run=dry_run,
            update=update,
            progress=progress,
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
