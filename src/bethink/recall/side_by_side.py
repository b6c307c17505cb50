"""Run searches at the same time, each within what is left of the deadline.

All but the last run in the pool; the last runs here. One that is late or fails is left out and
named, so that a hung embedder never holds up an answer by words. A search that waits for strangers
(the web) has threads of its own, so that it takes none from the others; it never runs here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeGuard

from bethink.errors import BethinkError, FingerprintMismatch, InvalidInput
from bethink.recall.draft import Apart, Draft, Kit, Stage
from bethink.vocabulary import Status

if TYPE_CHECKING:
    from concurrent.futures import Future

# The caller can mend the one, and the engine asks anew where an index changed over meanwhile.
_NOT_THE_SEARCH = (InvalidInput, FingerprintMismatch)


@dataclass(frozen=True, slots=True)
class SideBySide:
    stages: tuple[Stage, ...]

    @property
    def name(self) -> str:
        return " + ".join(stage.name for stage in self.stages)

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        if draft.settled:
            return draft.note(f"no search: {draft.settled}")
        here = next((stage for stage in reversed(self.stages) if not _is_apart(stage)), None)
        others = [self._begun(stage, draft, kit) for stage in self.stages if stage is not here]
        merged = draft if here is None else _merge(draft, self._now(here, draft, kit))
        for done in others:
            merged = _merge(merged, done())
        if not merged.channels:
            merged = self._nothing_ran(merged)
        return merged

    def _begun(self, stage: Stage, draft: Draft, kit: Kit) -> Callable[[], Draft]:
        """What hands out its draft, once that is wanted."""
        if _is_apart(stage):
            return partial(self._wait, stage, stage.start(draft, kit), draft, kit)
        if draft.query.vector is not None or not draft.query.meaning:  # nothing to wait for
            return partial(self._now, stage, draft, kit)
        if not kit.deadline.left():  # it is asked anew, and the time was over before
            return partial(_left_out, stage, draft)
        return partial(self._wait, stage, kit.pool().submit(stage, draft, kit), draft, kit)

    def _now(self, stage: Stage, draft: Draft, kit: Kit) -> Draft:
        try:
            return stage(draft, kit)
        except _NOT_THE_SEARCH:
            raise
        except BethinkError as e:
            return draft.failed(stage.name, e)

    def _wait(self, stage: Stage, future: Future[Draft], draft: Draft, kit: Kit) -> Draft:
        try:
            return future.result(timeout=kit.deadline.left())
        except TimeoutError:
            future.cancel()
            return _left_out(stage, draft)
        except _NOT_THE_SEARCH:
            raise
        except BethinkError as e:
            return draft.failed(stage.name, e)

    @staticmethod
    def _nothing_ran(draft: Draft) -> Draft:
        if not draft.query.words and not draft.query.meaning:
            return draft.fault(Status.DISABLED, "both words and meaning are switched off")
        if any(fault.status is not Status.ANSWERED for fault in draft.faults):
            return draft.fault(Status.UNAVAILABLE, "no channel could answer")
        return draft.fault(
            Status.DISABLED, "words are switched off and no embedder is set; switch one on"
        )


def _left_out(stage: Stage, draft: Draft) -> Draft:
    said = f"{stage.name} was not done within {draft.query.deadline:g} s and was left out"
    return draft.fault(Status.DEGRADED, said)


def _is_apart(stage: Stage) -> TypeGuard[Apart]:
    return hasattr(stage, "start")


def _merge(into: Draft, one: Draft) -> Draft:
    new_faults = tuple(f for f in one.faults if f not in into.faults)
    return into._replace(
        channels={**into.channels, **one.channels},
        question=into.question or one.question,
        working={**into.working, **one.working} if into.working else one.working,
        notes=(*into.notes, *(note for note in one.notes if note not in into.notes)),
        faults=(*into.faults, *new_faults),
    )
