"""Indexes as the documentation of Elasticsearch describes them: strict mappings with their types,
documents that searches see after a refresh only, deletions that meet other writers."""

from __future__ import annotations

import math
import re
import threading
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]


class Refused(Exception):
    def __init__(self, status: int, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.status, self.kind, self.reason = status, kind, reason

    @property
    def body(self) -> Json:
        error = {"type": self.kind, "reason": self.reason}
        return {"error": {**error, "root_cause": [error]}, "status": self.status}


def bad(reason: str, kind: str = "illegal_argument_exception") -> Refused:
    return Refused(400, kind, reason)


def only(given: Json, *known: str, at: str) -> None:
    """Elasticsearch refuses what it does not know, by name."""
    if not isinstance(given, dict):
        raise bad(f"[{at}] expected an object", "parsing_exception")
    for name in given:
        if name not in known:
            raise bad(f"[{at}] unknown field [{name}]", "x_content_parse_exception")


_WHOLE = {"integer": 2**31, "long": 2**63}
_INDEX_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,254}")
_SETTINGS = {"similarity", "merge", "number_of_shards", "number_of_replicas"}
_PARAMETERS = {
    "keyword": {"type", "index", "doc_values", "ignore_above"},
    "text": {"type", "analyzer", "index_options", "norms", "similarity"},
    "integer": {"type", "index", "doc_values"},
    "long": {"type", "index", "doc_values"},
    "double": {"type", "index", "doc_values"},
    "dense_vector": {"type", "dims", "index", "similarity", "index_options"},
}


def check_index_body(name: str, body: Json, *, dense_vectors: bool) -> None:
    if not _INDEX_NAME.fullmatch(name):
        raise bad(f"Invalid index name [{name}]", "invalid_index_name_exception")
    only(body, "settings", "mappings", "aliases", at="create index")
    only(body["settings"], "index", at="settings")
    settings = body["settings"]["index"]
    only(settings, *_SETTINGS, at="settings.index")
    for similarity in settings.get("similarity", {}).values():
        only(similarity, "type", "k1", "b", "discount_overlaps", at="similarity")
        assert similarity["type"] == "BM25"
    policy = settings.get("merge", {}).get("policy", {})
    only(policy, "expunge_deletes_allowed", at="merge.policy")
    mappings = body["mappings"]
    only(mappings, "dynamic", "_meta", "properties", at="mappings")
    if mappings.get("dynamic") not in ("strict", "true", "false", True, False):
        raise bad("unknown value for [dynamic]", "mapper_parsing_exception")
    for field_name, told in mappings["properties"].items():
        kind = told.get("type")
        if kind not in _PARAMETERS or (kind == "dense_vector" and not dense_vectors):
            raise bad(f"No handler for type [{kind}] on [{field_name}]", "mapper_parsing_exception")
        only(told, *_PARAMETERS[kind], at=f"mapping of {field_name}")
        if kind == "text" and told.get("analyzer", "standard") not in ("standard", "whitespace"):
            raise bad(f"analyzer [{told['analyzer']}] has not been configured")
        if kind == "dense_vector":
            if not 1 <= told["dims"] <= 4096 or told["similarity"] != "cosine":
                raise bad(f"bad dense_vector [{field_name}]", "mapper_parsing_exception")
            only(told["index_options"], "type", "m", "ef_construction", at="index_options")
            assert told["index_options"]["type"] in ("hnsw", "int8_hnsw", "flat")


@dataclass
class Index:
    name: str
    body: Json
    live: dict[str, tuple[int, Json]] = field(default_factory=dict)  # with their versions
    seen: dict[str, tuple[int, Json]] = field(default_factory=dict)  # as searches see them
    deleted: int = 0  # documents whose bytes are still in segments
    number: int = 0
    lock: threading.RLock = field(default_factory=threading.RLock)

    @property
    def fields(self) -> Json:
        properties: Json = self.body["mappings"]["properties"]
        return properties

    def put(self, key: str, document: Json) -> bool:
        """True: it is new."""
        if len(key.encode()) > 512:
            raise bad("id is too long, must be no longer than 512 bytes")
        for name, value in document.items():
            if name not in self.fields:
                reason = f"mapping set to strict, dynamic introduction of [{name}] is not allowed"
                raise bad(reason, "strict_dynamic_mapping_exception")
            _check_value(name, self.fields[name], value)
        with self.lock:
            self.number += 1
            new = key not in self.live
            self.deleted += not new
            self.live[key] = (self.number, document)
            return new

    def delete_seen(self, key: str) -> bool:
        """False: it changed since the last refresh."""
        with self.lock:
            if self.live.get(key, (0,))[0] != self.seen[key][0]:
                return False
            del self.live[key]
            self.deleted += 1
            return True

    def refresh(self) -> None:
        with self.lock:
            self.seen = dict(self.live)

    def searched(self) -> list[tuple[str, Json]]:
        with self.lock:
            return [(key, document) for key, (_, document) in self.seen.items()]


def _check_value(name: str, told: Json, value: Any) -> None:
    def wrong(why: str) -> Refused:
        return bad(f"failed to parse field [{name}]: {why}", "document_parsing_exception")

    kind = told["type"]
    if kind == "dense_vector":
        if len(value) != told["dims"]:
            raise wrong(f"has {len(value)} dimensions, not {told['dims']}")
        if not math.hypot(*value) > 0:
            raise wrong("the cosine of a vector with zero magnitude is not defined")
        return
    for one in value if isinstance(value, list) and kind == "keyword" else [value]:
        if kind in ("keyword", "text"):
            if not isinstance(one, str):
                raise wrong(f"expected text, got {one!r}")
            if kind == "keyword" and told.get("index", True) and len(one.encode()) > 32766:
                raise wrong("immense term")
        elif isinstance(one, bool) or not isinstance(one, int | float):
            raise wrong(f"expected a number, got {one!r}")
        elif kind in _WHOLE and not (isinstance(one, int) and abs(one) < _WHOLE[kind]):
            raise wrong("out of range")
