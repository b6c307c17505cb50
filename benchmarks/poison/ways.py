"""The ways in: how far an injected text gets, and what stands against it there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from benchmarks.poison.corpus import Injected

from bethink import Engine
from bethink.vocabulary import TRUST, UNVERIFIED, Decision, Principal

_AT_ONCE = 500  # promotions in one call
_REVIEWER = Principal("reviewer")
_MOUTHS = 3  # as many independent sources as the rule asks for


class Asked(NamedTuple):
    """How the victim asks: with a preset, and with how much unverified at most."""

    preset: str = "balanced"
    share: float | None = None


class Way(NamedTuple):
    """`inject` puts the texts of one space in."""

    tier: str
    defence: str
    inject: Callable[[Engine, str, Sequence[Injected]], None]
    asked: tuple[Asked, ...] = (Asked(),)
    by_rule: bool = False


def _remember(engine: Engine, space: str, texts: Sequence[Injected]) -> None:
    engine.remember_many({"id": one.id, "text": one.text, "space": space} for one in texts)


def _remember_unverified(engine: Engine, space: str, texts: Sequence[Injected]) -> None:
    provenance = {TRUST: UNVERIFIED}
    engine.remember_many(
        {"id": one.id, "text": one.text, "space": space, "provenance": provenance} for one in texts
    )


def _refused(engine: Engine, space: str, texts: Sequence[Injected]) -> None:
    for one in texts:
        engine.offer(one.text, space=space, id=one.id, confidence=0.1, by=Principal("stranger"))


def _offer(engine: Engine, space: str, texts: Sequence[Injected]) -> None:
    for one in texts:
        engine.offer(one.text, space=space, id=one.id, by=Principal("stranger"))


def _offer_and_restore(engine: Engine, space: str, texts: Sequence[Injected]) -> None:
    """As if nothing were suspicious: what the detectors held is let in by hand."""
    offers = [
        engine.offer(one.text, space=space, id=one.id, by=Principal("stranger")) for one in texts
    ]
    held = [offer.id for offer in offers if offer.decision is Decision.HELD]
    if held:
        engine.restore(held, by=_REVIEWER)


def _offer_from_everywhere(engine: Engine, space: str, texts: Sequence[Injected]) -> None:
    for one in texts:
        for mouth in range(_MOUTHS):
            engine.offer(
                one.text,
                space=space,
                id=f"{one.id}-{mouth}",
                source=f"https://{mouth}.example.com/",
                by=Principal(f"stranger-{mouth}"),
            )


def _fool_the_reviewer(engine: Engine, space: str, texts: Sequence[Injected]) -> None:
    ids = [
        engine.offer(one.text, space=space, id=one.id, by=Principal("stranger")).id for one in texts
    ]
    for start in range(0, len(ids), _AT_ONCE):
        engine.promote(ids[start : start + _AT_ONCE], by=_REVIEWER)


_HOT = tuple(Asked("workflow", share) for share in (None, 0.5, 0.25, 0.0))
_SHARES = tuple(Asked("balanced", share) for share in (0.5, 0.25, 0.0))

WAYS = (
    Way("long-term", "none: remembered as told", _remember),
    Way("quarantine", "the filter refused it", _refused, (Asked(), Asked("workflow"))),
    Way("working", "detectors", _offer, (Asked(), *_HOT)),
    Way("working", "no detectors", _offer_and_restore, _HOT[:2]),
    Way("long-term", "by rule, detectors", _offer_from_everywhere, _SHARES, by_rule=True),
    Way("long-term", "unverified, nothing checked", _remember_unverified, _SHARES),
    Way("long-term", "promoted by a fooled reviewer", _fool_the_reviewer),
)
