"""What a node's input asks, and where: `topic`, else `content`, else `document`, else `question`,
`query` or `input`, else the last of the `messages`; `group_id` is the space."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple
from uuid import UUID

from bethink.checks import check_space, shown
from bethink.errors import InvalidInput
from bethink.text.both_ends import MAX_QUERY_CHARS, both_ends

MESSAGES = "messages"  # of a chat: the last one asks
QUESTION_FIELDS = ("topic", "content", "document", "question", "query", "input", MESSAGES)
GROUP = "group_id"
_TEXT_OF_A_DOCUMENT = ("content", "text", "page_content")  # ours, most people's, LangChain's


class Asked(NamedTuple):
    question: str
    field: str  # where the question stood
    notes: tuple[str, ...] = ()  # what was passed over or shortened


def asked(given: Mapping[str, object]) -> Asked:
    """The first field that holds text. What is no text is passed over, and a note says so."""
    notes: list[str] = []
    for field in QUESTION_FIELDS:
        value = given.get(field)
        if field == MESSAGES and isinstance(value, list | tuple):
            value = value[-1] if value else ""
            if isinstance(value, tuple) and len(value) == 2:  # ("user", "…"), as LangChain takes it
                value = value[1]
        text = _text_of(value)
        if text:
            if len(text) > MAX_QUERY_CHARS:
                notes.append(
                    f"{field} has {len(text):,} characters: its first and its last "
                    f"{MAX_QUERY_CHARS // 2:,} were asked"
                )
                text = both_ends(text)
            return Asked(text, field, tuple(notes))
        if text is None and value is not None:
            notes.append(f"{field} was passed over: it is no text but {shown(value)}")
    fields = ", ".join(QUESTION_FIELDS)
    told = "; ".join(notes) or f"it has {shown(list(given)) if given else 'no fields'}"
    raise InvalidInput(
        f"nothing is asked: the node's input needs text in one of {fields}, but {told}"
    )


def _text_of(value: object) -> str | None:
    """Text without the white space around it; None if the value is none."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, Mapping):
        parts: list[object] = [value.get(name) for name in _TEXT_OF_A_DOCUMENT]
    else:  # an object such as a document of a framework
        parts = [getattr(value, name, None) for name in _TEXT_OF_A_DOCUMENT]
    texts = [part.strip() for part in parts if isinstance(part, str)]
    return next(filter(None, texts), "" if texts else None)


def space_of(given: Mapping[str, object], default: str) -> str:
    """Return the space of a group: its name, a UUID or a whole number as text. A group that is not
    named is the default; one that is no name for a space is an error."""
    group = given.get(GROUP)
    if group is None or group == "":
        return default
    if isinstance(group, UUID | int) and not isinstance(group, bool):
        group = str(group)
    try:
        return check_space(group)
    except InvalidInput as e:
        raise InvalidInput(f"{GROUP}: {e}") from None
