"""Nodes for LangGraph. They are plain functions from a state to what changes in it, so that nothing
of LangGraph is imported here; any framework with such nodes can call them.

    graph.add_node("history", retrieval_node(engine))
    graph.add_node("offer", offering_node(engine, takes="draft", agent="writer"))

A state is a mapping, a dataclass or a Pydantic model. Keys that its schema does not have are passed
over by LangGraph. Events are also written to its stream of mode "custom".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any, TypedDict

from bethink.checks import shown
from bethink.errors import BethinkError, InvalidInput
from bethink.vocabulary import Json, Principal
from bethink.workflow.asked import space_of
from bethink.workflow.node import FIELDS, MEMORIES, MemoryRetrievalNode

if TYPE_CHECKING:
    from bethink.engine import Engine

State = Any  # whatever the graph's schema makes it
StreamWriter = Callable[[Any], None]  # LangGraph hands one over by this name
Node = Callable[..., dict[str, Any]]


class MemoryState(TypedDict, total=False):
    """The keys that these nodes read and write; a graph's own state may be derived from it."""

    topic: str
    content: str
    document: str
    group_id: str
    history_context: str
    memories: list[dict[str, Any]]
    memory_status: str
    memory_reasons: list[str]
    memory_error: str | None
    memory_offer: dict[str, Any]


def _nobody(_: Any) -> None:
    """Outside of LangGraph nobody reads the stream."""


def retrieval_node(
    engine: Engine, *, question: Callable[[State], str] | None = None, **options: Any
) -> Node:
    """A `MemoryRetrievalNode` whose partial state holds only what it adds. `question` makes the
    question where it is none of topic, content and document, e.g. from the last message. Options
    are those of `MemoryRetrievalNode`."""
    node = MemoryRetrievalNode(engine, **options)

    def retrieve(state: State, writer: StreamWriter = _nobody) -> dict[str, Any]:
        def emit(kind: str, data: Mapping[str, Json]) -> None:
            writer({"event": kind, **data})

        given: Any = as_mapping(state)
        if question is None:
            output = node.process(given, emit)
        else:
            try:
                given = {**given, "topic": question(state)}
            except Exception as e:
                output = node.failed(given, f"no question could be made: {_told(e)}", emit)
            else:
                output = node.process(given, emit)
        return {field: output[field] for field in FIELDS}

    retrieve.__name__ = node.name
    return retrieve


def offering_node(
    engine: Engine,
    *,
    takes: str = "output",
    confidence: str | float = 1.0,
    agent: str = "agent",
    space: str = "",
    **fields_of_offer: Any,
) -> Node:
    """Offer what an agent wrote (`state[takes]`) to the memory. `confidence` is a number, or the
    key of the state that holds it. `memory_offer` in the partial state says what became of it:
    `id`, `decision`, `reason`, or the `error`; the workflow goes on in any case.

    What the agent was shown (`memories` in the state) are the offer's parents: what is made from
    untrusted text is untrusted."""

    def offer(state: State) -> dict[str, Any]:
        given = as_mapping(state)
        try:
            sure = given.get(confidence) if isinstance(confidence, str) else confidence
            if sure is None:
                raise InvalidInput(f"the state has no {confidence!r}, which says how sure it is")
            text = given.get(takes)
            if not isinstance(text, str) or not text.strip():
                raise InvalidInput(f"nothing to offer: {takes!r} holds {shown(text)}, not text")
            made = engine.offer(
                text,
                space=space_of(given, space),
                confidence=sure,
                by=Principal(agent, "langgraph"),
                **{"source": agent, "parents": _shown_to_it(given), **fields_of_offer},
            )
        except BethinkError as e:
            return {"memory_offer": _outcome(error=str(e))}
        decided = {"id": made.id, "decision": made.decision.value, "reason": made.reason}
        return {"memory_offer": _outcome(**decided)}

    return offer


def _told(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _shown_to_it(given: Mapping[str, Any]) -> list[str]:
    memories = given.get(MEMORIES)
    if not isinstance(memories, list):
        return []
    ids = (memory.get("id") for memory in memories if isinstance(memory, Mapping))
    return list(dict.fromkeys(known for known in ids if isinstance(known, str)))


def _outcome(**known: str) -> dict[str, Any]:
    return {"id": None, "decision": None, "reason": None, "error": None, **known}


def as_mapping(state: State) -> Mapping[str, Any]:
    """A state as a mapping, without copying what it holds."""
    if isinstance(state, Mapping):
        return state
    if is_dataclass(state):
        return {field.name: getattr(state, field.name) for field in fields(state)}
    of_a_model = getattr(type(state), "model_fields", None)  # Pydantic
    if isinstance(of_a_model, Mapping):
        return {name: getattr(state, name) for name in of_a_model}
    raise InvalidInput(
        f"a state is a mapping, a dataclass or a Pydantic model, got {type(state).__name__}"
    )
