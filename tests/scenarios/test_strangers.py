"""Two tenants, and two keys of one space each of a third, walk through REST, MCP over HTTP and both
kinds of event streams of one server, in any order, with whatever ids, cursors, sessions and
Idempotency-Keys they may have heard of. Nobody ever sees the canary of another: in an answer, a
count, an error, an event, or anything that the server kept for somebody else."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from bethink.settings import Settings
from bethink.testing import run_at_once
from tests.scenarios.serving import Served, serving
from tests.scenarios.strangers_deeds import DEEDS, MCP, REST
from tests.scenarios.strangers_world import inhabited, strangers_in, what_is_left

steps = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from(DEEDS), st.integers(0, 11)),
    min_size=10,
    max_size=40,
)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    store = tmp_path_factory.mktemp("strangers") / "memory.db"
    settings = Settings(store=str(store), embedder="none", offer_characters=5)
    with serving(settings) as server:
        yield server


@pytest.fixture(scope="module")
def portal() -> Iterator[BlockingPortal]:
    with start_blocking_portal() as made:
        yield made


# A walk that fails is told as it is: making it shorter would take minutes.
@examples(
    max_examples=8,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=list(HealthCheck),
    print_blob=True,
)
@given(walk=steps)
def test_nobody_sees_a_stranger_through_any_door(
    walk: list[tuple[int, tuple[str, str], int]], served: Served, portal: BlockingPortal
) -> None:
    with inhabited(served, portal) as (world, actors):
        for index, deed, number in walk:
            actor = actors[index]
            seen = world.step(actor, deed, number)
            assert strangers_in(seen, actor, actors) == [], (actor.canary, deed, number, seen)
        what_is_left(actors)
    assert served.reception.audit.verify() is None


def test_every_door_and_verb_is_walked_through(served: Served, portal: BlockingPortal) -> None:
    with inhabited(served, portal) as (world, actors):
        for number, deed in enumerate(DEEDS):
            for index, actor in enumerate(actors):
                seen = world.step(actor, deed, number + index)
                assert strangers_in(seen, actor, actors) == [], (actor.canary, deed, seen)
        what_is_left(actors)


def test_all_of_them_at_once(served: Served, portal: BlockingPortal) -> None:
    """What belongs to one request never gets into another that is under way."""
    with inhabited(served, portal) as (world, actors):

        def walk(index: int) -> list[str]:
            actor, seen = actors[index], list[str]()
            for number in range(60):
                deed = DEEDS[(number * 7 + index * 3) % len(DEEDS)]
                seen.append(world.step(actor, deed, number + index))
            return strangers_in("\n".join(seen), actor, actors)

        assert run_at_once(walk, range(len(actors))) == [[]] * len(actors)
        what_is_left(actors)


def test_the_walk_would_notice(served: Served, portal: BlockingPortal) -> None:
    """What one sees of one's own is what a stranger would be caught with."""
    with inhabited(served, portal) as (world, actors):
        anna, bo = actors[:2]
        at_home = 1  # this number asks in the actor's own space
        at_the_doors = [(REST, verb) for verb in ("recall", "spaces", "documents", "faqs", "ask")]
        for deed in (*at_the_doors, (MCP, "recall"), (MCP, "resources"), (MCP, "ask")):
            seen = world.step(anna, deed, at_home)
            assert strangers_in(seen, bo, actors) == [anna.canary], deed
        for stream in anna.streams:
            assert strangers_in(stream.text, bo, actors) == [anna.canary]
