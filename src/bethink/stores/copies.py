"""How engines on servers name the copies of passages, and the parts that hold vectors."""

from __future__ import annotations

import json
from hashlib import blake2b
from uuid import UUID, uuid5

from bethink.stores.retrievers import Position

_NAMES = UUID("5c7bb9c1-6d0e-5f0c-9a55-2f0f3c1c7a11")  # any will do, as long as it stays
POSITION_ID = str(uuid5(_NAMES, "position"))


def copy_id(memory_id: str, ordinal: int) -> str:
    """The same passage always has the same one: written twice, it is there once."""
    return str(uuid5(_NAMES, f"{ordinal} {memory_id}"))


def vectors_in(base: str, fingerprint: str) -> str:
    """The part that holds the vectors of one embedder, each by itself: old and new stand side by
    side, may differ in dimension, and the old ones go as a whole."""
    mark = blake2b(fingerprint.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    return f"{base}--{mark}"


def is_vectors_of(base: str, name: str) -> bool:
    mark = name.removeprefix(f"{base}--")
    return mark != name and len(mark) == 16 and not mark.strip("0123456789abcdef")


def position_written(position: Position) -> str:
    return json.dumps(position)


def position_read(written: str) -> Position:
    return Position(*json.loads(written))
