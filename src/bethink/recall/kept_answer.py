"""An answer as bytes and back: JSON of our own form, compressed. What was asked is not in it."""

from __future__ import annotations

import json
import zlib
from datetime import datetime
from typing import Any, NamedTuple

from bethink.clock import from_micros, to_micros
from bethink.stores.memory_forms import VERSION as MEMORY_VERSION
from bethink.stores.memory_forms import as_values, from_values
from bethink.vocabulary import (
    Dropped,
    Extent,
    Hit,
    Passage,
    Place,
    Query,
    Recollection,
    Status,
    Step,
    Tier,
    Trace,
)

_VERSION = [2, MEMORY_VERSION]
MOST_BYTES = 256_000  # compressed; a larger answer is seldom asked for twice
_MOST_PLAIN = 16_000_000  # what they may grow to when they are read


class KeptAnswer(NamedTuple):
    answer: Recollection
    at: datetime  # when it was given
    until: datetime  # it holds before this moment


def as_bytes(answer: Recollection, *, at: datetime, until: datetime) -> bytes | None:
    """None where it would be too large."""
    trace = answer.trace
    made = [
        _VERSION,
        to_micros(at),
        to_micros(until),
        [_hit(hit) for hit in answer.hits],
        answer.status.value,
        answer.reasons,
        answer.tokens_used,
        answer.tokens_left,
        answer.confidence,
        None if answer.nearest is None else _hit(answer.nearest),
        [trace.preset, trace.milliseconds, trace.steps],
    ]
    text = json.dumps(made, ensure_ascii=False, separators=(",", ":"))
    if len(text) > _MOST_PLAIN // 4:
        return None
    packed = zlib.compress(text.encode("utf-8", "replace"), 1)
    return packed if len(packed) <= MOST_BYTES else None


def from_bytes(packed: bytes, query: Query) -> KeptAnswer | None:
    """None where it is not ours, damaged, or of another version."""
    try:
        unpacking = zlib.decompressobj()
        made = json.loads(unpacking.decompress(packed, _MOST_PLAIN))
        if made[0] != _VERSION:
            return None
        _, at, until, hits, status, reasons, used, left, confidence, nearest, trace = made
        answer = Recollection(
            query=query,
            hits=tuple(map(_read_hit, hits)),
            status=Status(status),
            reasons=tuple(reasons),
            tokens_used=used,
            tokens_left=left,
            trace=Trace(trace[0], tuple(map(_read_step, trace[2])), trace[1]),
            confidence=confidence,
            nearest=None if nearest is None else _read_hit(nearest),
        )
        return KeptAnswer(answer, from_micros(at), from_micros(until))
    except (zlib.error, ValueError, TypeError, KeyError, IndexError):
        return None


def _hit(hit: Hit) -> list[Any]:
    return [
        as_values(hit.memory),
        hit.passage,
        hit.text,
        hit.score,
        hit.tokens,
        dict(hit.channels),
        dict(hit.parts),
        hit.displaced,
        hit.tier.value,
        hit.shown,
        hit.relevance,
        dict(hit.evidence),
    ]


def _read_hit(values: list[Any]) -> Hit:
    memory, passage, text, score, tokens, channels, parts, displaced, tier = values[:9]
    shown, relevance, evidence = values[9:]
    return Hit(
        from_values(memory),
        Passage(*passage),
        text,
        score,
        tokens,
        {name: Place(*place) for name, place in channels.items()},
        parts,
        tuple(displaced),
        Tier(tier),
        tuple(Extent(*extent) for extent in shown),
        relevance,
        evidence,
    )


def _read_step(values: list[Any]) -> Step:
    stage, milliseconds, received, passed_on, notes, dropped = values
    return Step(
        stage,
        milliseconds,
        received,
        passed_on,
        tuple(notes),
        tuple(Dropped(*one) for one in dropped),
    )
