"""Two who decide at once, in threads and in processes: one decision holds, and nothing is left
where it does not belong."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from bethink import Engine
from bethink.errors import BethinkError
from bethink.settings import Settings
from bethink.testing import run_at_once
from bethink.vocabulary import Action, Decision, Principal
from tests.tiers.offered import ANNA, BO, BUDGET, CAI, PORT

ROUNDS = 6


def engine_at(path: Path) -> Engine:
    return Engine(path, settings=Settings(), embedder="hashing")


def at_once(*acts: Callable[[], object]) -> list[object]:
    """What each gave or raised."""

    def run(act: Callable[[], object]) -> object:
        try:
            return act()
        except BethinkError as e:
            return e

    return run_at_once(run, acts)


@pytest.mark.parametrize("together", ["one engine", "two engines"])
def test_promoted_by_two_it_is_one_promotion(tmp_path: Path, together: str) -> None:
    with engine_at(tmp_path / "m.db") as one, engine_at(tmp_path / "m.db") as other:
        second = one if together == "one engine" else other
        one.remember(BUDGET, id="known")
        for number in range(ROUNDS):
            fresh = one.offer(f"{PORT} {number}", by=BO)
            again = one.offer(BUDGET, by=BO)
            ids = [fresh.id, again.id]
            told = at_once(partial(one.promote, ids), partial(second.promote, ids))
            actions = sorted(
                str([r.action.value for r in done]) for done in told if isinstance(done, list)
            )
            assert actions == ["['created', 'reinforced']", "['unchanged', 'unchanged']"]
            for offer_id in ids:
                assert len(one.tiers.rulings(offer_id)) == 2
            known = one.get("known")
            assert known is not None
            assert known.reinforcement == number + 1
            one.tiers.undo(fresh.id, by=ANNA)
            assert one.get(fresh.id) is None


def test_promoted_and_rejected_at_once_one_holds(tmp_path: Path) -> None:
    with engine_at(tmp_path / "m.db") as one, engine_at(tmp_path / "m.db") as other:
        for number in range(ROUNDS):
            offer = one.offer(f"{BUDGET} {number}", by=BO)
            at_once(partial(one.promote, offer.id), partial(other.reject, offer.id))
            held = one.tiers.get(offer.id)
            assert held is not None
            assert held.decision in (Decision.PROMOTED, Decision.REJECTED)
            assert (one.get(offer.id) is not None) == (held.decision is Decision.PROMOTED)
            assert len(one.tiers.rulings(offer.id)) == 2


def test_forgotten_and_promoted_at_once_it_is_gone(tmp_path: Path) -> None:
    with engine_at(tmp_path / "m.db") as one, engine_at(tmp_path / "m.db") as other:
        for number in range(ROUNDS):
            offer = one.offer(f"{PORT} {number}", by=BO)
            at_once(partial(one.promote, offer.id), partial(other.forget, offer.id))
            assert one.get(offer.id) is None
            assert one.tiers.get(offer.id) is None


def test_offered_by_many_at_once_all_are_logged_and_one_is_recent(tmp_path: Path) -> None:
    with engine_at(tmp_path / "m.db") as one, engine_at(tmp_path / "m.db") as other:
        offers = at_once(
            *(
                partial(engine.offer, PORT, by=Principal(f"p{number}"))
                for number in range(4)
                for engine in (one, other)
            )
        )
        assert len(offers) == 8
        assert len(one.tiers.quarantine(limit=20).offers) == 8
        one.offer(PORT, by=CAI)
        assert len(one.tiers.working(spaces=["global"])) == 1


_DECIDE = """
import json, sys
from bethink import Engine
from bethink.errors import BethinkError
from bethink.settings import Settings

told = []
with Engine(sys.argv[1], settings=Settings(), embedder="hashing") as engine:
    sys.stdin.readline()
    for offer_id in sys.argv[3:]:
        try:
            done = getattr(engine, sys.argv[2])(offer_id)
            told.append(getattr(done[0], "action", "done"))
        except BethinkError as e:
            told.append(e.code)
print(json.dumps(told))
"""


@pytest.mark.parametrize("verbs", [("promote", "promote"), ("promote", "reject")])
def test_two_processes_decide_at_once(tmp_path: Path, verbs: tuple[str, str]) -> None:
    path = tmp_path / "m.db"
    with engine_at(path) as engine:
        ids = [engine.offer(f"{PORT} 第 {n} 次", by=BO).id for n in range(20)]
    running = [
        subprocess.Popen(
            [sys.executable, "-c", _DECIDE, str(path), verb, *ids],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for verb in verbs
    ]
    for one in running:
        assert one.stdin is not None
        one.stdin.write("go\n")
        one.stdin.flush()
    told = [json.loads(one.communicate()[0]) for one in running]
    with engine_at(path) as engine:
        for number, offer_id in enumerate(ids):
            offer = engine.tiers.get(offer_id)
            assert offer is not None
            assert len(engine.tiers.rulings(offer_id)) == 2
            assert (engine.get(offer_id) is not None) == (offer.decision is Decision.PROMOTED)
            seen = {told[0][number], told[1][number]}
            if verbs[1] == "promote":
                assert seen == {Action.CREATED, Action.UNCHANGED}
            else:
                assert seen in ({Action.CREATED, "conflict"}, {"done", "conflict"})
