"""Who counts as a source: what we set ourselves, not what anybody claims."""

from __future__ import annotations

from typing import Any

import pytest

from bethink.settings import Settings
from bethink.tiers.rules import independent_sources, speaks_for
from bethink.vocabulary import Principal
from tests.tiers.offered import BUDGET, LURE, PORT


@pytest.mark.parametrize(
    ("told", "count"),
    [
        ([("bo", "s1")], 1),
        ([("bo", "s1"), ("bo", "s2"), ("bo", "s3")], 1),  # one principal with many names
        ([("bo", "s1"), ("cai", "s1"), ("dan", "s1")], 1),  # one page, read by three
        ([("bo", "s1"), ("cai", "s2")], 2),
        ([("bo", "s1"), ("cai", "s2"), ("dan", "s3")], 3),
    ],
)
def test_sources_are_independent_by_principal_and_by_source(
    make: Any, told: list[tuple[str, str]], count: int
) -> None:
    engine = make()
    offers = [engine.offer(PORT, by=Principal(who), source=source) for who, source in told]
    assert independent_sources(offers) == count


def test_retelling_is_no_second_source(make: Any) -> None:
    engine = make()
    first = engine.offer(PORT, by=Principal("bo"), source="s1")
    retold = engine.offer(PORT, by=Principal("cai"), source="s2", parents=[first.id])
    assert independent_sources([first, retold]) == 1
    page = engine.offer(BUDGET, by=Principal("web"), source="page")
    twice = [
        engine.offer(PORT, by=Principal(who), source=source, parents=[page.id])
        for who, source in (("dan", "s3"), ("eve", "s4"))
    ]
    assert independent_sources(twice) == 1


def test_what_is_suspicious_is_never_promoted_by_rule(make: Any) -> None:
    engine = make(trusted="anna")
    offers = [engine.offer(LURE, by=Principal("anna"), source=f"s{n}") for n in range(9)]
    spoken = speaks_for(offers, engine.settings)
    assert not spoken.promote
    assert "only a person" in spoken.reasons[0]


def test_rules_can_be_switched_off(make: Any) -> None:
    engine = make()
    offers = [engine.offer(PORT, by=Principal(f"p{n}"), source=f"s{n}") for n in range(9)]
    assert speaks_for(offers, Settings(promote_sources=3)).promote
    assert speaks_for(offers, Settings(promote_sources=0, promote_told=9)).promote
    assert not speaks_for(offers, Settings(promote_sources=0, promote_told=0)).promote
