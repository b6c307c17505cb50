"""The door for what is told: every field checked, every error saying what to do."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any

from bethink.checks import check_encodable, check_space, is_id, shown
from bethink.clock import parse_moment, to_micros
from bethink.errors import InvalidInput
from bethink.remember.redacting import redacted_fields
from bethink.vocabulary import GLOBAL_SPACE, Memory, OpenMemory

# A memory is a thing one remembers, not a library: a longer text is a document in parts.
MAX_TEXT_CHARS = 1_000_000
_MAX_LABELS = 256
_MAX_JSON_CHARS = 100_000
_MAX_NUMBER = 2**53
ROLES = ("user", "assistant", "tool", "other")
_MAX_SPEAKER_CHARS = 128
_MAX_CONVERSATION_CHARS = 512


def new_id(now: datetime) -> str:
    """Time first, so that ids sort as they were made; then chance, so that none is made twice."""
    return f"{to_micros(now) // 1000:012x}-{os.urandom(8).hex()}"


def check_text(text: object, name: str = "text") -> str:
    if not isinstance(text, str):
        raise InvalidInput(f"{name}: expected text, got {type(text).__name__}")
    if len(text) > MAX_TEXT_CHARS:
        raise InvalidInput(
            f"{name} has {len(text):,} characters; a memory holds at most {MAX_TEXT_CHARS:,}. "
            "Tell it in parts, for example one memory for each chapter"
        )
    check_encodable(text, name=name)
    if not text or text.isspace():
        raise InvalidInput(f"{name} is empty; there is nothing to remember")
    return text


def accept(
    told: Mapping[str, Any], *, now: datetime, space: str = GLOBAL_SPACE, redact: bool = True
) -> Memory:
    """A whole memory from what a caller told us; what they left out is filled in.

    A field that is null or empty text counts as left out. Every write passes here, so this is where
    secrets are blotted out, unless the user wants them kept.
    """
    if not FIELDS.keys() >= told.keys():
        unknown = sorted(str(key) for key in told if key not in FIELDS)
        raise InvalidInput(
            f"unknown field {unknown[0]!r}; known: {', '.join(sorted(FIELDS))}. "
            "Put what is your own into 'metadata'"
        )
    if told.get("text") is None:
        raise InvalidInput("a memory needs a 'text'")
    given = {
        name: FIELDS[name](value, name)
        for name, value in with_speaker(told).items()
        if value is not None and (value != "" or name == "text")
    }
    if redact:
        cleaned = redacted_fields(given)
        if cleaned is not given:
            given = dict(cleaned)
            check_text(given["text"])  # a mark may be longer than what it stands for
    memory = _filled(given, now=now, space=space)
    if memory.valid_from and memory.valid_to and memory.valid_to <= memory.valid_from:
        raise InvalidInput("valid_to must be later than valid_from; change one of them")
    return memory


def with_speaker(told: Mapping[str, Any]) -> Mapping[str, Any]:
    """Move `speaker`, `role` and `conversation` into the metadata, where they are stored.

    Returns `told` itself if it has none of them.
    """
    if told.keys().isdisjoint(SPEAKER_FIELDS):
        return told
    rest = {name: value for name, value in told.items() if name not in SPEAKER_FIELDS}
    metadata = rest.get("metadata") or {}
    if not isinstance(metadata, Mapping):
        return rest  # the check of 'metadata' refuses it
    said: dict[str, str] = {}
    for name in SPEAKER_FIELDS:
        value = told.get(name)
        if value is None or value == "":
            continue
        said[name] = FIELDS[name](value, name)
        if metadata.get(name, said[name]) != said[name]:
            raise InvalidInput(
                f"{name} is told twice: {shown(said[name])}, and {shown(metadata[name])} in "
                f"metadata; leave out one of them"
            )
    return {**rest, "metadata": {**metadata, **said}}


def with_speaker_revised(former: Memory, fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """The same for a revision: what it does not name stays as it was, and null removes a value."""
    if fields.keys().isdisjoint(SPEAKER_FIELDS):
        return fields
    named = fields.keys() & SPEAKER_FIELDS
    kept = {key: value for key, value in former.metadata.items() if key not in named}
    return with_speaker({"metadata": kept, **fields})


def _filled(given: Mapping[str, Any], *, now: datetime, space: str) -> Memory:
    """What was left out is as `Memory` has it, made now."""
    made: Any = OpenMemory()
    get = given.get
    made.id = given["id"] if "id" in given else new_id(now)
    made.space = get("space", space)
    made.text = given["text"]
    made.kind = get("kind", "note")
    made.section = get("section", "")
    made.tags = get("tags", ())
    made.entities = get("entities", ())
    made.source = get("source", "")
    made.provenance = get("provenance", {})
    made.confidence = get("confidence", 1.0)
    made.occurred_at = get("occurred_at")
    made.created_at = created = get("created_at", now)
    made.updated_at = get("updated_at", created)
    made.valid_from = get("valid_from")
    made.valid_to = get("valid_to")
    made.reinforcement = get("reinforcement", 0)
    made.access_count = get("access_count", 0)
    made.metadata = get("metadata", {})
    made.__class__ = Memory
    memory: Memory = made
    return memory


def identity(memory: Memory) -> str:
    """What makes two tellings the same: the words, the kind, the section, the moment, and who said
    it if that is known: two people who say the same are two memories.

    Surrounding white space and line ends do not count; everything else does.
    """
    words = memory.text.strip()
    lines = words.splitlines()
    if len(lines) > 1:
        words = "\n".join([line.rstrip() for line in lines])
    moment = "" if memory.occurred_at is None else str(to_micros(memory.occurred_at))
    parts = "\x1f".join((memory.kind, memory.section, moment, words))
    if memory.metadata and (memory.speaker or memory.role):
        parts = "\x1f".join((parts, memory.speaker, memory.role))
    return sha256(parts.encode("utf-8")).hexdigest()[:40]


def _identifier(value: object, name: str) -> str:
    if isinstance(value, str) and is_id(value):
        return value
    raise InvalidInput(
        f"{shown(value)} is no id; use 1 to 256 visible characters without white space"
    )


def _space(value: object, name: str) -> str:
    return check_space(value)


def _label(value: object, name: str) -> str:
    text = _line(value, name, limit=128)
    if not text or text.isspace():
        raise InvalidInput(f"{name} is empty; name it or leave it out")
    return text


def _source(value: object, name: str) -> str:
    return _line(value, name, limit=2_048)


def _line(value: object, name: str, *, limit: int = 512) -> str:
    if not isinstance(value, str):
        raise InvalidInput(f"{name}: expected text, got {type(value).__name__}")
    if len(value) > limit:
        raise InvalidInput(f"{name} has {len(value):,} characters; at most {limit:,} fit")
    return check_encodable(value, name=name)


def _speaker(value: object, name: str) -> str:
    return _one_line(value, name, limit=_MAX_SPEAKER_CHARS)


def _conversation(value: object, name: str) -> str:
    return _one_line(value, name, limit=_MAX_CONVERSATION_CHARS)


def _one_line(value: object, name: str, *, limit: int) -> str:
    text = _line(value, name, limit=limit).strip()
    if not text:
        raise InvalidInput(f"{name} is empty; name it or leave it out")
    if len(text.splitlines()) > 1:
        raise InvalidInput(f"{name}: expected one line, got {shown(value)}")
    return text


def _role(value: object, name: str) -> str:
    if isinstance(value, str) and value in ROLES:
        return value
    raise InvalidInput(
        f"{name}: expected one of {', '.join(ROLES)}, got {shown(value)}. "
        "A person's name goes into 'speaker'"
    )


def _labels(value: object, name: str) -> tuple[str, ...]:
    if isinstance(value, (list, tuple)) and not value:
        return ()
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise InvalidInput(f'{name}: expected a list of texts like ["a", "b"], got {shown(value)}')
    if len(value) > _MAX_LABELS:
        raise InvalidInput(f"{name}: {len(value)} are too many; at most {_MAX_LABELS} fit")
    return tuple(dict.fromkeys(_label(item, name) for item in value))


def _confidence(value: object, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InvalidInput(f"{name}: expected a number from 0 to 1, got {shown(value)}")
    return float(value)


def _count(value: object, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _MAX_NUMBER:
        raise InvalidInput(f"{name}: expected a whole number from 0, got {shown(value)}")
    return value


def _moment(value: Any, name: str) -> datetime:
    return parse_moment(value, name=name)


def _object(value: object, name: str) -> dict[str, Any]:
    """JSON that every store can keep: text keys, no NaN, numbers that survive a round trip."""
    if not isinstance(value, Mapping):
        raise InvalidInput(
            f'{name}: expected an object like {{"key": "value"}}, got {shown(value)}'
        )
    checked = _json(value, name, depth=0)
    size = len(repr(checked))
    if size > _MAX_JSON_CHARS:
        raise InvalidInput(f"{name} has {size:,} characters; at most {_MAX_JSON_CHARS:,} fit")
    assert isinstance(checked, dict)
    return checked


def _json(value: object, name: str, *, depth: int) -> Any:
    if depth > 16:
        raise InvalidInput(f"{name} is nested deeper than 16 levels; flatten it")
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return check_encodable(value, name=name)
    if isinstance(value, int):
        if abs(value) > _MAX_NUMBER:
            raise InvalidInput(f"{name}: {shown(value)} is too large a number; write it as text")
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise InvalidInput(f"{name}: NaN and infinity cannot be kept; use null or text")
        return value
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise InvalidInput(f"{name}: keys are text, got {shown(key)}")
            check_encodable(key, name=name)
        return {key: _json(item, name, depth=depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_json(item, name, depth=depth + 1) for item in value]
    raise InvalidInput(
        f"{name}: {type(value).__name__} is not JSON; use text, numbers, lists, objects"
    )


# Every field that can be told, and what checks it.
FIELDS: dict[str, Callable[[Any, str], Any]] = {
    "id": _identifier,
    "space": _space,
    "text": check_text,
    "kind": _label,
    "section": _line,
    "tags": _labels,
    "entities": _labels,
    "source": _source,
    "provenance": _object,
    "confidence": _confidence,
    "occurred_at": _moment,
    "created_at": _moment,
    "updated_at": _moment,
    "valid_from": _moment,
    "valid_to": _moment,
    "reinforcement": _count,
    "access_count": _count,
    "metadata": _object,
    "speaker": _speaker,
    "role": _role,
    "conversation": _conversation,
}
# Stored in the metadata under these names, so filters, exports and every store have them as well.
SPEAKER_FIELDS = ("speaker", "role", "conversation")
