"""READING: run the stages of a preset in order, time each, and write down what it did.

Explaining an answer is printing this trace; there is no second code path.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from bethink.recall.budget import Budget
from bethink.recall.draft import Draft, Kit, Stage
from bethink.recall.presets import Preset
from bethink.recall.unverified import SearchVerified, share_is_exceeded
from bethink.stores.damage import damage_of, left_out
from bethink.vocabulary import Query, Recollection, Status, Step, Trace

# Which status wins when several apply: the one that warns most.
_GRAVITY = (
    Status.DISABLED,
    Status.UNAVAILABLE,
    Status.DEGRADED,
    Status.STALE,
    Status.BELOW_FLOOR,
    Status.UNCERTAIN,
)


def run(
    query: Query, preset: Preset, kit: Kit, watch: Callable[[Stage, Draft], None] | None = None
) -> Recollection:
    """`watch` is shown what each stage hands on, e.g. to follow one memory through them."""
    steps: list[Step] = []

    def after(stage: Stage, draft: Draft) -> Draft:
        received = steps[-1].passed_on if steps else draft.size
        start = time.perf_counter()
        if draft.notes or draft.dropped:  # of the stage before
            draft = draft._replace(notes=(), dropped=())
        draft = stage(draft, kit)
        spent = (time.perf_counter() - start) * 1000
        steps.append(Step(stage.name, spent, received, draft.size, draft.notes, draft.dropped))
        if watch is not None:
            watch(stage, draft)
        return draft

    began = time.perf_counter()
    damage = damage_of(kit.store)
    before = damage.number
    draft = Draft(query)
    for at, stage in enumerate(preset.stages):
        if stage.name == Budget.name and share_is_exceeded(draft.candidates, query):
            draft = after(SearchVerified(preset.stages[:at]), draft)
        draft = after(stage, draft)
    damaged = damage.since(before, query.spaces)
    if damaged:
        draft = draft.fault(Status.DEGRADED, left_out(damaged))
    used = sum(hit.tokens for hit in draft.hits)
    return Recollection(
        query=query,
        hits=draft.hits,
        status=_status(draft),
        reasons=tuple(fault.reason for fault in draft.faults),
        tokens_used=used,
        tokens_left=max(0, query.budget - used),
        trace=Trace(preset.name, tuple(steps), (time.perf_counter() - began) * 1000),
        confidence=draft.confidence,
        nearest=draft.nearest,
    )


def _status(draft: Draft) -> Status:
    statuses = {fault.status for fault in draft.faults}
    for status in _GRAVITY:
        if status in statuses:
            return status
    return Status.ANSWERED if draft.hits else Status.EMPTY
