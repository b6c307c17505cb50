"""What the indexes of one retriever hold.

The first has a document for each passage: its terms, ready-made and split at spaces only, and what
filters ask for. Beside it stands one for each embedder, with the vectors. A field that nobody
declared is refused (`strict`), so a mapping never grows by what people tell.
"""

from __future__ import annotations

from typing import Any, Final

from bethink.stores.facts import HOLDS_FROM, HOLDS_UNTIL, NUMBERS, TIMES
from bethink.text.bm25 import K1, B

VERSION: Final = 1
MOST_DIMENSIONS: Final = 4096  # of a `dense_vector`
_KEYWORD = {"type": "keyword"}
_KEPT_ONLY = {"type": "keyword", "index": False, "doc_values": False}


def base_index() -> dict[str, Any]:
    properties = _common() | {
        "terms": {"type": "text", "analyzer": "whitespace", "index_options": "freqs"},
        "length": {"type": "integer"},
        "position": _KEPT_ONLY,
        "made": _KEPT_ONLY,
    }
    similarity = {"default": {"type": "BM25", "k1": K1, "b": B}}
    return _index(properties, {"similarity": similarity})


def vectors_index(dimension: int) -> dict[str, Any]:
    # Not quantised, which is the default: the cosines that come back would not be the cosines.
    graph = {"type": "hnsw", "m": 16, "ef_construction": 128}
    vector = {
        "type": "dense_vector",
        "dims": dimension,
        "index": True,
        "similarity": "cosine",
        "index_options": graph,
    }
    return _index(_common() | {"vector": vector}, {})


def is_ours(mapping: dict[str, Any]) -> bool:
    return bool(mapping.get("_meta", {}).get("bethink") == VERSION)


def _index(properties: dict[str, Any], settings: dict[str, Any]) -> dict[str, Any]:
    # What is deleted leaves the files when it is asked for, however little it is.
    settings = settings | {"merge": {"policy": {"expunge_deletes_allowed": 0}}}
    mappings = {"dynamic": "strict", "_meta": {"bethink": VERSION}, "properties": properties}
    return {"settings": {"index": settings}, "mappings": mappings}


def _common() -> dict[str, Any]:
    return {
        "key": _KEYWORD,
        "memory": _KEYWORD,
        "ordinal": {"type": "integer"},
        "space": _KEYWORD,
        "version": _KEPT_ONLY,
        "facts": _KEYWORD,
        **{name: {"type": "double"} for name in NUMBERS},
        **{name: {"type": "long"} for name in (*TIMES, HOLDS_FROM, HOLDS_UNTIL)},
    }
