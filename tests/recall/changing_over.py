"""Another embedder's index begins to answer in the middle of a question."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import ClassVar

from bethink import Engine
from bethink.recall.draft import Draft, Kit, Stage
from bethink.recall.presets import BALANCED, Preset
from bethink.settings import Settings
from bethink.stores.protocol import Store
from bethink.testing import ToyEmbedder
from bethink.vocabulary import Status
from tests.stores.changing_over import change_over

_SEARCHED = 5  # so many stages until everything was searched
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


@dataclass(frozen=True, slots=True)
class TakesAllTheTime:
    """A stage behind the searches that is slow, and whenever it is done another index answers."""

    store: Store
    ends: list[float] = field(default_factory=list)
    name: ClassVar[str] = "takes all the time"

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        self.ends.append(kit.deadline.end)
        time.sleep(kit.deadline.left())
        change_over(self.store, ToyEmbedder(f"new 新 {len(self.ends)}", 6))
        return draft


def check_one_deadline(store: Store, other: Store, hot: str) -> None:
    """However often it is asked anew, its time is one; what it has then is the answer."""
    with Engine(store, embedder="hashing") as engine:
        kept = engine.remember("部署在周五 the deployment is on Friday")
    slow = TakesAllTheTime(other)
    stages: tuple[Stage, ...] = BALANCED.stages
    preset = Preset("slow", (*stages[:_SEARCHED], slow, *stages[_SEARCHED:]))
    with Engine(other, embedder=_NEW, settings=Settings(hot=hot)) as engine:
        answer = engine.recall("部署 deployment", preset=preset, deadline=0.2, floor=0)
    assert len(slow.ends) == 2 and len(set(slow.ends)) == 1
    assert [hit.id for hit in answer.hits] == [kept.id]
    assert answer.status is Status.DEGRADED
    assert answer.reasons[0] == "search_meaning was not done within 0.2 s and was left out"


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
        answer = engine.recall("部署 deployment", preset=preset, floor=0)
        assert changes.done
        sound = (Status.ANSWERED, Status.UNCERTAIN, Status.STALE)
        assert answer.status in sound, answer.reasons
        assert not any("failed" in reason for reason in answer.reasons)
        assert {"words", "meaning"} <= {name for hit in answer.hits for name in hit.channels}
        again = engine.recall("部署 deployment", floor=0)
        assert again.hits and again.status in sound[:2]


def check_explaining(store: Store, other: Store, place: int) -> None:
    """Where a memory stands is said all the same."""
    kept, changes, preset = _changing(store, other, place)
    with Engine(other, embedder=_NEW) as engine:
        said = engine.why_not(kept, "部署 deployment", preset=preset, floor=0)
    assert changes.done
    assert said.rank is not None


PLACES = range(len(BALANCED.stages) + 1)
