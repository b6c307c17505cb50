"""Another embedder's index begins to answer in the middle of a question."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from recollect import Engine
from recollect.recall.draft import Draft, Kit, Stage
from recollect.recall.presets import BALANCED, Preset
from recollect.stores.protocol import Store
from recollect.testing import ToyEmbedder
from recollect.testing.changing_over import change_over
from recollect.vocabulary import Status

_NEW = ToyEmbedder("new 新", 6)


@dataclass(frozen=True, slots=True)
class ChangesOver:
    """A stage that changes the index over, the first time that it is reached."""

    store: Store
    done: list[bool] = field(default_factory=list)
    name: ClassVar[str] = "changes over"

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        if not self.done:
            self.done.append(True)
            change_over(self.store, _NEW)
        return draft


def _changing(store: Store, other: Store, place: int) -> tuple[str, ChangesOver, Preset]:
    """Something told under another embedder; the stage, and a preset that has it before a place."""
    with Engine(store, embedder="hashing") as engine:
        engine.remember("lunch was good 午饭不错")
        engine.remember("部署在周五")
        kept = engine.remember("the deployment is on Friday")
    changes = ChangesOver(other)
    stages: tuple[Stage, ...] = BALANCED.stages
    return kept.id, changes, Preset("changing", (*stages[:place], changes, *stages[place:]))


def check_changing_over(store: Store, other: Store, place: int) -> None:
    """A question is answered by words and meaning, before whichever stage it happens. `other` is
    another look at the same store."""
    _, changes, preset = _changing(store, other, place)
    with Engine(other, embedder=_NEW) as engine:
        answer = engine.recall("部署 deployment", preset=preset)
        assert changes.done
        assert answer.status in (Status.ANSWERED, Status.STALE), answer.reasons
        assert not any("failed" in reason for reason in answer.reasons)
        assert {"words", "meaning"} <= {name for hit in answer.hits for name in hit.channels}
        assert engine.recall("部署 deployment").status is Status.ANSWERED


def check_explaining(store: Store, other: Store, place: int) -> None:
    """Where a memory stands is said all the same."""
    kept, changes, preset = _changing(store, other, place)
    with Engine(other, embedder=_NEW) as engine:
        said = engine.why_not(kept, "部署 deployment", preset=preset)
    assert changes.done
    assert said.rank is not None


PLACES = range(len(BALANCED.stages) + 1)
