"""The conversation so far: turns of a question, its answer, and what the answer referred to.

As data (a history file, a request)::

    [{"question": "…", "answer": "…", "references": ["memory id", {"memory_id": "…"}]}]
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from bethink.checks import check_encodable, is_id, shown
from bethink.errors import InvalidInput

MAX_TURNS = 20  # the last so many are read; what is older says nothing about the next question
MAX_REFERENCES = 50  # of one turn
_MAX_CHARS = 100_000  # of an answer or a question


class Reference(NamedTuple):
    """Something that an earlier answer referred to. Without a place it is the whole memory."""

    memory_id: str
    start: int | None = None  # characters of the memory's text
    end: int | None = None
    heading: str = ""  # what people call it


# An id, a reference, a citation (whatever has a memory_id), or any of them as data.
Referring: TypeAlias = "str | Reference | Mapping[str, Any] | object"


@dataclass(frozen=True, slots=True, init=False)
class Turn:
    """One question of a conversation, with what came of it."""

    question: str
    answer: str = ""
    references: tuple[Reference, ...] = ()

    def __init__(
        self, question: str, answer: str = "", references: Iterable[Referring] = ()
    ) -> None:
        object.__setattr__(self, "question", _text("question", question))
        object.__setattr__(self, "answer", _text("answer", answer))
        if isinstance(references, str) or not isinstance(references, Iterable):
            raise InvalidInput(
                f"references: expected a list of ids or citations, got {shown(references)}"
            )
        told = [reference_of(one) for one in references]
        object.__setattr__(self, "references", tuple(dict.fromkeys(told))[:MAX_REFERENCES])

    def as_data(self) -> dict[str, Any]:
        """As `turns_from` reads it."""
        return {
            "question": self.question,
            "answer": self.answer,
            "references": [
                {name: value for name, value in one._asdict().items() if value not in (None, "")}
                for one in self.references
            ],
        }

    to_dict = as_data


def reference_of(told: Referring) -> Reference:
    if isinstance(told, Reference):
        return told
    if isinstance(told, str):
        return Reference(_id(told))
    held = (
        told.get
        if isinstance(told, Mapping)
        else lambda name, other=None: getattr(told, name, other)
    )
    memory_id = held("memory_id", None)
    if memory_id is None:
        raise InvalidInput(
            f"a reference is a memory's id or a citation with a memory_id, got {shown(told)}"
        )
    start, end = _place(held("start", None)), _place(held("end", None))
    if start is None or end is None or end <= start:
        start = end = None
    heading = held("heading", "") or held("title", "")
    return Reference(_id(memory_id), start, end, heading[:500] if isinstance(heading, str) else "")


def turns_from(data: object) -> tuple[Turn, ...]:
    """Turns out of data: the last ones, oldest first. Says what is wrong and where."""
    return all_turns(data)[-MAX_TURNS:]


def all_turns(data: object) -> tuple[Turn, ...]:
    """For whoever keeps a conversation: however long it has become."""
    if isinstance(data, str) or not isinstance(data, Sequence):
        raise InvalidInput(
            f'history: expected a list like [{{"question": "…", "answer": "…"}}], got {shown(data)}'
        )
    return tuple(_turn(at, one) for at, one in enumerate(data, 1))


def _turn(at: int, one: object) -> Turn:
    if isinstance(one, Turn):
        return one
    if not isinstance(one, Mapping) or "question" not in one:
        raise InvalidInput(
            f'history: turn {at}: expected an object with a "question", got {shown(one)}'
        )
    unknown = set(one) - {"question", "answer", "references"}
    if unknown:
        raise InvalidInput(
            f"history: turn {at}: unknown field {shown(min(map(str, unknown)))}; a turn has "
            "question, answer and references"
        )
    try:
        return Turn(one["question"], one.get("answer") or "", one.get("references") or ())
    except InvalidInput as e:
        raise InvalidInput(f"history: turn {at}: {e}") from None


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise InvalidInput(f"{name}: expected text, got {shown(value)}")
    return check_encodable(value[:_MAX_CHARS], name=name)


def _id(value: object) -> str:
    if isinstance(value, str) and is_id(value):
        return value
    raise InvalidInput(f"a reference names a memory by its id, got {shown(value)}")


def _place(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
