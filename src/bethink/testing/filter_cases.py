"""Filters on every field with every operator, in both languages, and memories to try them on.

What each should find is not written down here: `bethink.filters.matches` says it.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from bethink.filters import Filter
from bethink.stores.retrievers import MEANING, WORDS, Finds, Retriever, Seen
from bethink.testing.entries import NOON, ToyEmbedder, make_memory
from bethink.vocabulary import Memory

_DAY = timedelta(days=1)
_VALUES: list[Any] = [
    None, True, False, 0, 1, -1, 1.0, 2.5, 2**53, "", "1", "true", "Li", "李", "a'b", 'q"q', "%",
    "a\\b", [], [1], ["Li"], {}, {"k": "Li"},
]  # fmt: skip


def filter_memories() -> list[Memory]:
    """All share the word "common"; otherwise they differ in what filters look at."""
    memories = [
        make_memory("common one", "m1"),
        make_memory(
            "common 二", "记忆-2", kind="决定", section="第一章", source="聊天",
            tags=("数据库", "b"), entities=("小美",), confidence=0.5, occurred_at=NOON,
            valid_from=NOON, provenance={"door": "cli", "路": 1}, reinforcement=2,
        ),
        make_memory(
            "common three", "m3", kind="task", section="a/b", source="chat", tags=("db",),
            entities=("Mei", "db"), confidence=0.0, occurred_at=NOON - _DAY, valid_to=NOON + _DAY,
            created_at=NOON - _DAY, updated_at=NOON + _DAY, access_count=7,
            metadata={'x"y': 1, "$.id": "Li", "'; DROP TABLE memories;--": True},
        ),
    ]  # fmt: skip
    for number, value in enumerate(_VALUES):
        key = "作者" if number % 2 else "author"
        memories.append(make_memory(f"common v{number}", f"v{number}", metadata={key: value}))
    return memories


_NOON, _BEFORE = NOON.isoformat(), (NOON - _DAY).isoformat()
_ORDERS = ("<", "<=", ">", ">=", "=", "!=")

FILTERS: list[dict[str, Any]] = [
    {"kind": "决定"},
    {"section": "第一章"},
    {"source": {"!=": "chat"}},
    {"tags": "数据库"},
    {"tags": {"has": "db"}},
    {"tags": {"!=": "db"}},
    {"tags": {"in": ["b", "db", "nope"]}},
    {"entities": {"in": ["小美", "x"]}},
    {"tags": {"exists": True}},
    {"entities": {"exists": False}},
    {"id": {"in": ["m1", "记忆-2", "v3", "nobody"]}},
    {"kind": {"in": ["task", "决定"]}},
    {"confidence": {"in": [0, 0.5]}},
    {"occurred_at": {"in": [_NOON]}},
    {"confidence": {">": 0.0, "<": 1}},
    {"occurred_at": {">=": _BEFORE, "<": _NOON}},
    {"kind": "task", "tags": "db", "confidence": 0},
    {"or": [{"kind": "task"}, {"not": {"source": ""}}]},
    {"and": [{"not": {"or": [{"kind": "note"}, {"tags": "db"}]}}, {"id": {"exists": True}}]},
    {"not": {"not": {"tags": "db"}}},
    {"provenance.door": "cli"},
    {"provenance.door": {"exists": True}},
    {"provenance.路": {">=": 1}},
    {"metadata.nope": {"exists": False}},
    {"metadata.nope": {"!=": 1}},
    {"metadata.author": {"in": [1, "Li", True, "true", 2.5]}},
    {"metadata.作者": {"in": ["李", False, 0]}},
    *({"kind": {order: "note"}} for order in _ORDERS),
    *({"confidence": {order: 0.5}} for order in _ORDERS),
    *({"reinforcement": {order: 2}} for order in _ORDERS),
    *({"access_count": {order: 7}} for order in _ORDERS),
    *({"created_at": {order: _NOON}} for order in _ORDERS),
    *({"valid_from": {order: _NOON}} for order in _ORDERS),
    *({"id": {order: "v2"}} for order in _ORDERS),
    *({field: {"exists": True}} for field in ("kind", "section", "source", "confidence")),
    *({field: {"exists": True}} for field in ("occurred_at", "updated_at", "valid_to")),
    *({f"metadata.{key}": {"exists": True}} for key in ("author", "作者")),
    *(
        {f"metadata.{key}": value}
        for key in ("author", "作者")
        for value in (True, False, 0, 1, 1.0, 2.5, 2**53, "", "1", "true", "Li", "李", "a'b", 'q"q')
    ),
    *({"metadata.author": {order: value}} for order in _ORDERS[:4] for value in (1, "Li", "")),
]

REFUSED_FILTERS: list[dict[str, Any]] = [
    {"nope": 1},
    {"text": "alpha"},
    {"space": "global"},
    {"metadata": 1},
    {"metadata.": 1},
    {'metadata.x"y': 1},
    {"metadata.a.b": 1},
    {"metadata.$": 1},
    {"metadata.') OR 1=1 --": 1},
    {"metadata.k": {"; DROP": 1}},
    {"kind": {"like": "%"}},
    {"kind": {"has": "x"}},
    {"tags": {"<": "x"}},
    {"kind": 1},
    {"kind": None},
    {"kind": "a\0b"},
    {"kind": "\ud800"},
    {"confidence": "high"},
    {"confidence": True},
    {"confidence": float("nan")},
    {"metadata.k": 2**63},
    {"metadata.k": {"<": True}},
    {"occurred_at": "yesterday"},
    {"kind": {"in": []}},
    {"kind": {"in": ["x"] * 257}},
    {"kind": {}},
    {"or": []},
    {"not": []},
]


def passing(retriever: Retriever, where: Filter, embedder: ToyEmbedder) -> list[set[str]]:
    """Which memories that have the word `common` pass the filter, by each way of finding."""
    place: Any = {"spaces": ["global"], "where": where, "limit": 1000}
    by: dict[Finds, Callable[[], list[Seen]]] = {
        WORDS: lambda: retriever.search_words(["common"], **place),
        MEANING: lambda: retriever.search_meaning(
            embedder.embed(["common one"])[0], fingerprint=embedder.fingerprint, **place
        ),
    }
    return [{one.memory_id for one in by[way]()} for way in retriever.finds]
