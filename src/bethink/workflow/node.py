"""A node that any workflow engine can call: what is remembered of a topic, as `history_context`.

    node = MemoryRetrievalNode(engine)
    output = node.process({"topic": "发布计划", "group_id": "release"})

It says `node_state_change` (running, then completed) and, where it fails, `memory_retrieval_error`,
to whoever gave `emit` and to `engine.events`. It always completes: a workflow goes on without
history, and the output says why there is none.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Awaitable, Callable, Mapping
from secrets import token_hex
from typing import TYPE_CHECKING, Any, NamedTuple

from bethink.checks import check_space, shown
from bethink.errors import BethinkError, InvalidInput, UnknownSpace
from bethink.events.kinds import (
    MEMORY_RETRIEVAL_ERROR,
    NODE_STATE_CHANGE,
    RETRIEVAL_TRACE,
)
from bethink.recall.presets import Preset, as_preset
from bethink.recall.render import HEADINGS, as_history, hit_record, language_of
from bethink.vocabulary import Json, Query, Recollection, Status, Trace
from bethink.workflow.asked import asked, space_of

if TYPE_CHECKING:
    from bethink.engine import Engine

Emit = Callable[[str, Mapping[str, Json]], object]

# What the node adds to its input.
HISTORY, MEMORIES = "history_context", "memories"
STATUS, REASONS, ERROR = "memory_status", "memory_reasons", "memory_error"
FIELDS = (HISTORY, MEMORIES, STATUS, REASONS, ERROR)


class MemoryRetrievalNode:
    """Safe to share between threads and runs."""

    def __init__(
        self,
        engine: Engine,
        *,
        name: str = "memory_retrieval",
        preset: str | Preset = "workflow",
        language: str | None = None,
        space: str = "",
        **options: Any,
    ) -> None:
        """`space` is where to look when the input names no `group_id` (by default the engine's);
        `language` is that of the headings, `zh` or `en` (by default the setting's, else the
        preset's). Options are those of `Engine.recall`.
        """
        if language is not None and language not in HEADINGS:
            raise InvalidInput(f"language: expected {' or '.join(HEADINGS)}, got {shown(language)}")
        self.engine = engine
        self.name = name
        self.language = language
        self._preset = as_preset(preset)
        self._space = check_space(space) if space else ""
        self._options = options

    def process(
        self,
        input: Mapping[str, Any],  # noqa: A002  (as workflow engines call it)
        emit: Emit | None = None,
    ) -> dict[str, Any]:
        """The input with `history_context`, `memories`, `memory_status`, `memory_reasons` and
        `memory_error` added. Never raises for what goes wrong in here or in `emit`."""
        return self._completed(input, emit, self._found)

    __call__ = process  # a graph calls its nodes as functions

    def failed(
        self,
        input: Mapping[str, Any],  # noqa: A002
        error: str,
        emit: Emit | None = None,
    ) -> dict[str, Any]:
        """What `process` gives where retrieval fails, for whoever failed before it."""
        return self._completed(input, emit, lambda _: _failed(error))

    def _completed(
        self, given: object, emit: Emit | None, find: Callable[[object], _Outcome]
    ) -> dict[str, Any]:
        run = _Run(self, given)
        run.tell(emit, *run.running())
        found = find(given)
        for event in run.ended(found):
            run.tell(emit, *event)
        return run.output(found)

    async def aprocess(
        self,
        input: Mapping[str, Any],  # noqa: A002
        emit: Emit | None = None,
    ) -> dict[str, Any]:
        """The same for an event loop: memory is asked in a thread, and `emit` may be async."""
        import asyncio

        run = _Run(self, input)
        await run.atell(emit, *run.running())
        try:
            found = await asyncio.to_thread(self._found, input)
        except asyncio.CancelledError:
            for event in run.ended(_failed("the workflow cancelled the node")):
                run.tell(None, *event)
            raise
        for event in run.ended(found):
            await run.atell(emit, *event)
        return run.output(found)

    def _found(self, given: object) -> _Outcome:
        try:
            if not isinstance(given, Mapping):
                raise InvalidInput(
                    f"the node's input is a mapping with a topic, got {type(given).__name__}"
                )
            question = asked(given)
            space = space_of(given, self._space)
        except InvalidInput as e:
            return _failed(str(e))
        except Exception as e:  # an object of somebody's framework that cannot be looked at
            return _failed(f"the input cannot be read: {type(e).__name__}: {e}")
        try:
            answer = self.engine.recall(
                question.question, spaces=space or None, preset=self._preset, **self._options
            )
        except UnknownSpace:  # a workflow's first run: nothing was remembered in its group yet
            reason = f"nothing was remembered in {space or self.engine.settings.space!r} yet"
            self._trace_empty(question.question, space or self.engine.settings.space, reason)
            return _Outcome("", [], Status.EMPTY.value, [*question.notes, reason], None)
        except BethinkError as e:
            return _failed(str(e), *question.notes)
        except Exception as e:  # a fault of ours must not end somebody's workflow
            return _failed(f"{type(e).__name__}: {e}", *question.notes)
        return self._outcome(answer, question.notes)

    def _trace_empty(self, question: str, space: str, reason: str) -> None:
        """Whoever watches sees that it was asked, though there was nothing to search."""
        from bethink.recall.traced import traced

        query = Query(text=question, spaces=(space,))
        trace = Trace(self._preset.name, (), 0.0)
        asked = Recollection(query, (), Status.EMPTY, (reason,), 0, query.budget, trace)
        self.engine.events.later(RETRIEVAL_TRACE, lambda: traced(asked), spaces=query.spaces)

    def _outcome(self, answer: Recollection, notes: tuple[str, ...]) -> _Outcome:
        reasons = [*notes, *answer.reasons]
        return _Outcome(
            as_history(answer, language=language_of(answer, self.language, self.engine.settings)),
            [hit_record(hit) for hit in answer.hits],
            answer.status.value,
            reasons,
            # found nothing because nothing could be asked: that is no empty memory
            "; ".join(answer.reasons) if answer.status is Status.UNAVAILABLE else None,
        )

    def space_of(self, given: object) -> str:
        """Where events of this input belong."""
        default = self._space or self.engine.settings.space
        try:
            return space_of(given, default) if isinstance(given, Mapping) else default
        except Exception:  # told by whoever asks for the question
            return default


class _Outcome(NamedTuple):
    history: str
    memories: list[dict[str, Any]]
    status: str
    reasons: list[str]
    error: str | None


def _failed(error: str, *notes: str) -> _Outcome:
    """An error may quote the input, and the input may hold a secret."""
    from bethink.text.redaction import redact

    told = [redact(note).text for note in notes]
    return _Outcome("", [], Status.UNAVAILABLE.value, told, redact(error).text)


def _run_named(given: object) -> str:
    try:
        named = given.get("run_id") if isinstance(given, Mapping) else None
    except Exception:  # told by whoever asks for the question
        named = None
    return named if isinstance(named, str) and named else token_hex(8)


def _passed_through(given: object) -> dict[str, Any]:
    try:
        return dict(given) if isinstance(given, Mapping) else {}
    except Exception:  # the error says that it cannot be read
        return {}


_Event = tuple[str, dict[str, Json]]


class _Run:
    """One call of the node: its events, and what went wrong while they were told."""

    def __init__(self, node: MemoryRetrievalNode, given: object) -> None:
        self._node = node
        self._given = given
        self._id = _run_named(given)
        self._spaces = (node.space_of(given),)
        self._began = time.perf_counter()
        self._emit_error = ""

    def _event(self, kind: str, **data: Json) -> _Event:
        return kind, {"node": self._node.name, "run": self._id, **data}

    def running(self) -> _Event:
        return self._event(NODE_STATE_CHANGE, state="running")

    def ended(self, found: _Outcome) -> list[_Event]:
        completed = self._event(
            NODE_STATE_CHANGE,
            state="completed",
            status=found.status,
            hits=len(found.memories),
            milliseconds=round((time.perf_counter() - self._began) * 1000, 3),
            error=found.error,
            emit_error=self._emit_error or None,
        )
        if found.error is None:
            return [completed]
        return [self._event(MEMORY_RETRIEVAL_ERROR, error=found.error), completed]

    def output(self, found: _Outcome) -> dict[str, Any]:
        reasons = [*found.reasons, *filter(None, [self._emit_error])]
        added = (found.history, found.memories, found.status, reasons, found.error)
        return {**_passed_through(self._given), **dict(zip(FIELDS, added, strict=True))}

    def tell(self, emit: Emit | None, kind: str, data: dict[str, Json]) -> None:
        told = self._told(emit, kind, data)
        if told is not None:
            close = getattr(told, "close", None)  # a coroutine that nobody will ever await
            if close is not None:
                close()
            self._failed(kind, "emit is asynchronous; call aprocess instead of process")

    async def atell(self, emit: Emit | None, kind: str, data: dict[str, Json]) -> None:
        told = self._told(emit, kind, data)
        if told is not None:
            try:
                await told
            except Exception as e:
                self._failed(kind, f"{type(e).__name__}: {e}")

    def _told(self, emit: Emit | None, kind: str, data: dict[str, Json]) -> Awaitable[Any] | None:
        """Kept for whoever watches, then told; what is still to be awaited is handed back."""
        self._node.engine.events.later(kind, lambda: data, spaces=self._spaces)
        if emit is None:
            return None
        try:
            told = emit(kind, dict(data))
        except Exception as e:
            self._failed(kind, f"{type(e).__name__}: {e}")
            return None
        return told if inspect.isawaitable(told) else None

    def _failed(self, kind: str, error: str) -> None:
        """A workflow that cannot be told of events still gets its history, and is told of that."""
        if not self._emit_error:
            self._emit_error = f"emit failed at {kind}: {error}"
