"""An offer is logged and made recent in one step: whoever decides sees all of it or nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from bethink import Engine
from bethink.settings import Settings
from bethink.testing import working
from bethink.tiers import offering
from bethink.tiers.filtering import Filtered, filtered
from bethink.tiers.kit import Kit
from bethink.tiers.recent import make_recent
from bethink.vocabulary import Offer
from tests.tiers.offered import ANNA, BO, BUDGET, PORT

MARKED = "XYZZYPLUGH "
DECIDERS: dict[str, Callable[[Engine, str], object]] = {
    "reject": lambda engine, offer_id: engine.reject(offer_id, by=ANNA),
    "forget": lambda engine, offer_id: engine.forget(offer_id),
    "rollback": lambda engine, _: engine.tiers.roll_back("page", by=ANNA),
}


@pytest.mark.parametrize("text", [MARKED + PORT, MARKED + BUDGET], ids=["en", "zh"])
@pytest.mark.parametrize("decider", DECIDERS)
def test_who_decides_between_log_and_working_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, decider: str, text: str
) -> None:
    """Another process decides as soon as the offer stands in the log."""
    folder = tmp_path / "store"
    folder.mkdir()
    settings = Settings(embedder="hashing")
    with (
        ExitStack() as deciding,
        Engine(folder / "m.db", settings=settings) as one,
        Engine(folder / "m.db", settings=settings) as other,
    ):

        def slowly(offers: Sequence[Offer], kit: Kit) -> None:
            decide = partial(DECIDERS[decider], other)
            act = deciding.enter_context(working(decide, [offers[0].id]))
            act.wait(1)  # as long as it likes, if nothing keeps it waiting
            make_recent(offers, kit)

        monkeypatch.setattr(offering, "make_recent", slowly)
        one.offer(text, source="page", by=BO)
        deciding.close()
        for engine in (one, other):
            assert engine.tiers.working(spaces=["global"]) == []
            assert engine.recall("预算 port", preset="workflow", unverified_share=1.0).hits == ()
    left = [path.name for path in folder.iterdir() if MARKED.strip().encode() in path.read_bytes()]
    assert left == ([] if decider == "forget" else ["m.db"])


def test_words_rejected_meanwhile_are_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rejected while the same words are being made into an offer, and before they are logged."""
    settings = Settings(embedder="hashing")
    with (
        Engine(tmp_path / "m.db", settings=settings) as one,
        Engine(tmp_path / "m.db", settings=settings) as other,
    ):
        first = one.offer(BUDGET, by=BO)

        def after_a_rejection(*given: Any, **options: Any) -> Filtered:
            other.reject(first.id, by=ANNA)
            return filtered(*given, **options)

        monkeypatch.setattr(offering, "filtered", after_a_rejection)
        assert one.offer(BUDGET, by=BO).decision == "held"
        assert one.tiers.working(spaces=["global"]) == []
