"""What callers from elsewhere learn of this machine: where the store is and what stands beside it
only whoever runs the server; and from a document the name of its file, not where that file is.

The card of a document that was added at the command line holds the whole path, by which the file is
known when it is added again. So it stays on the card; it is shortened where a card is shown, left
alone where it comes back, and cannot be asked for by a filter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from bethink.recall.document_parts import DOCUMENT
from bethink.vocabulary import Memory

_KEY = "origin"
_FIELD = f"metadata.{_KEY}"
# in whatever words a library has for one
_ADDRESS = (
    r"[a-z]+://[^\s,;]+|\[[0-9a-f:.]+\](:\d+)?|\b(ipv4:)?\d+(\.\d+){3}(:\d+)?(/[\w.-]+)?"
    r"|[\w-]*[a-z][\w.-]*:\d{2,5}\b(/[\w.-]+)?|(host|host name|server at)[ =]['\"][^'\"]+['\"]"
    r"|\bport[ =]\d+"
)
_DEEPEST = 20  # of a filter; none that is allowed is as deep


def without_places(text: str, store: str, engines: Iterable[str] = ()) -> str:
    """What is noted of a store, for whoever does not run the server."""
    for engine in engines:
        text = text.replace(engine, engine.partition(" ")[0])
    return re.sub(_ADDRESS, "(its address)", text.replace(store, "the store"))


def from_outside(record: dict[str, Any]) -> dict[str, Any]:
    """A memory's record, or a hit's, as it may be shown."""
    if record["kind"] != DOCUMENT:
        return record
    path = record["metadata"].get(_KEY)
    if not isinstance(path, str) or not path:
        return record
    return {**record, "metadata": {**record["metadata"], _KEY: _name(path)}}


def answer_from_outside(answer: dict[str, Any]) -> dict[str, Any]:
    """An answer with hits, as it may be shown."""
    nearest = answer["nearest"]
    return {
        **answer,
        "hits": [from_outside(hit) for hit in answer["hits"]],
        "nearest": nearest and from_outside(nearest),
    }


def with_its_path(card: Memory, fields: Mapping[str, Any]) -> dict[str, Any]:
    """What is to be changed of a card. Metadata that was read here and comes back does not take the
    path away."""
    told, path = fields.get("metadata"), card.metadata.get(_KEY)
    if card.kind != DOCUMENT or not isinstance(told, Mapping) or not isinstance(path, str):
        return dict(fields)
    if not path or told.get(_KEY) != _name(path):
        return dict(fields)
    return {**fields, "metadata": {**told, _KEY: path}}


def not_by_path(where: Any) -> Any:
    """The filter; where it asks about `metadata.origin`, no document fits it: whoever may compare
    what is kept with what they guess can read it."""
    if not _asks(where, 0):
        return where
    return {"and": [where, {"not": {"kind": DOCUMENT}}]}


def _asks(where: Any, depth: int) -> bool:
    if depth > _DEEPEST:
        return False  # it is refused before anything is looked for
    if isinstance(where, Mapping):
        return any(name == _FIELD or _asks(value, depth + 1) for name, value in where.items())
    return isinstance(where, list) and any(_asks(one, depth + 1) for one in where)


def _name(path: str) -> str:
    return re.split(r"[\\/]", path.rstrip("\\/"))[-1]
