"""Random programs for generations: under one generation a store holds one thing only.

run_generation_programs(make_store)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from hypothesis import given
from hypothesis import strategies as st

from bethink.stores.in_memory import InMemoryStore
from bethink.stores.protocol import KeepsGenerations, Store
from bethink.testing.programs import Reopen, Step, Touch, attempt, randomly
from bethink.testing.strategies import SPACES, programs
from bethink.testing.tier_programs import REOPEN, TierStep
from bethink.testing.tier_programs import steps as tier_steps

_LOOKS = "Get Fetch History Scan Count SearchWords Frequencies SearchMeaning Known".split()


def _generations(store: Store) -> list[str]:
    assert isinstance(store, KeepsGenerations)
    return [
        attempt(partial(store.generation, spaces)) for spaces in (*([s] for s in SPACES), SPACES)
    ]


def _only_looks(step: Step | TierStep) -> bool:
    if isinstance(step, TierStep):
        return step.tier != "working" or step.method in ("recent", "get")
    if isinstance(step, Touch):
        return not any(step.reinforced.values())
    return type(step).__name__ in _LOOKS


def run_generation_programs(
    make_store: Callable[[], Store], *, examples: int = 60, length: int = 20
) -> None:
    mixed = st.tuples(programs(length), st.lists(tier_steps, max_size=length)).flatmap(
        lambda both: st.permutations([*both[0], *both[1]])
    )

    @randomly(examples)
    @given(mixed)
    def compare(program: list[Step | TierStep]) -> None:
        store, reference = make_store(), InMemoryStore()
        try:
            was, known = _generations(store), _generations(reference)
            meant = [{is_now: expected} for is_now, expected in zip(was, known, strict=True)]
            for step in program:
                if isinstance(step, Reopen) or step == REOPEN:
                    continue
                for each in (store, reference):
                    if isinstance(step, TierStep):
                        attempt(partial(step.run, each.tiers()))
                    else:
                        attempt(partial(step.run, each))
                now, expected = _generations(store), _generations(reference)
                for at, (before, after) in enumerate(zip(known, expected, strict=True)):
                    assert meant[at].setdefault(now[at], after) == after, step
                    if before == after and _only_looks(step):
                        assert now[at] == was[at], step
                was, known = now, expected
        finally:
            store.close()

    compare()
