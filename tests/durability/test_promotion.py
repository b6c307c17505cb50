"""A promotion is one step: killed before or after any of its writes, reopening finishes or undoes
it, and nobody has to look."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from bethink import Engine, Status
from bethink.settings import Settings
from bethink.stores.sqlite.database import Database
from bethink.vocabulary import Decision, Principal
from tests.durability.children import Child, Say
from tests.embedders_of_tests import Letters

ANNA, BO = Principal("anna", "test"), Principal("bo", "test")
OLD = "The staging database listens on port 5432."
TEXTS = {
    "en": "The staging database of the billing service listens on port 5433 since Monday.",
    "zh": "财务部在周一的例会上确认，第三季度的市场预算从八十万上调到一百二十万，由李梅负责执行。",
}
MOST_WRITES = 40


def opened(path: Path) -> Engine:
    return Engine(path, embedder=Letters("letters"), settings=Settings())


def die_at(moment: int) -> None:
    """Kill this process at a moment: an even one is before a write, an odd one after it."""
    passed = 0
    former = Database.write

    def reached() -> None:
        nonlocal passed
        if passed == moment:
            os.kill(os.getpid(), signal.SIGKILL)
        passed += 1

    @contextmanager
    def write(self: Database, *args: Any, **options: Any) -> Iterator[Any]:
        reached()
        with former(self, *args, **options) as writer:
            yield writer
        reached()

    Database.write = write  # type: ignore[method-assign]  # in a forked process


@pytest.mark.parametrize("supersedes", [False, True])
@pytest.mark.parametrize("language", TEXTS)
def test_killed_anywhere_it_is_finished_or_undone(
    quick_path: Path, language: str, supersedes: bool
) -> None:
    text = TEXTS[language]
    finished = 0
    for moment in range(2 * MOST_WRITES):
        path = quick_path / f"{moment}.db"
        with opened(path) as engine:
            old = engine.remember(OLD).id
            offer = engine.offer(text, by=BO, source="https://example.org/页面").id

        def promote(
            say: Say, path: Path = path, moment: int = moment, offer: str = offer, old: str = old
        ) -> None:
            with opened(path) as engine:
                die_at(moment)
                engine.promote(
                    offer, by=ANNA, reason="看过", supersedes=old if supersedes else None
                )
                say("promoted")

        with Child(promote) as child:
            said = child.lines()
        with opened(path) as engine:
            assert engine.store.notes("promotion") == {}
            held, decided = engine.get(offer), engine.tiers.get(offer)
            assert decided is not None
            assert (held is not None) is (decided.decision is Decision.PROMOTED), moment
            rulings = [r for r in engine.tiers.rulings(offer) if r.decision is Decision.PROMOTED]
            assert len(rulings) == (held is not None)
            if held is not None:
                finished += not said
                assert held.verified and (rulings[0].by, rulings[0].reason) == ("anna", "看过")
                assert engine.recall(text, floor=0.0).status is not Status.DEGRADED
                if supersedes:
                    assert held.metadata["supersedes"] == old
            assert [c for c in engine.doctor() if not c.ok and c.part == "promotions"] == []
        if said:
            assert said == ["promoted"]
            break
    else:
        pytest.fail("it was killed each time")
    assert finished, "no kill came between its writes"
