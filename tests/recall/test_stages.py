"""Stages that need no search: each alone, with tables."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from bethink.recall.draft import Draft
from bethink.recall.fuse import K, ReciprocalRanks, reciprocal_ranks
from bethink.recall.hydrate import Hydrate
from bethink.recall.presets import PRESETS, preset_named
from bethink.remember.pipeline import prepare
from bethink.stores.in_memory import InMemoryStore
from bethink.vocabulary import Found, Place, Query
from tests.recall.kits import candidate, draft, kit, memory


def found(*names: str) -> tuple[Found, ...]:
    return tuple(Found(name, 0, 1.0 - at / 100) for at, name in enumerate(names))


# Fuse


def test_the_worked_example() -> None:
    """Vectors A, B, C; words B, D, A: then B > A > D > C, with these sums."""
    fused = reciprocal_ranks({"meaning": found("A", "B", "C"), "words": found("B", "D", "A")})
    assert [c.memory_id for c in fused] == ["B", "A", "D", "C"]
    best_sum = 2 / (K + 1)
    sums = {c.memory_id: c.score * best_sum for c in fused}
    assert sums == {
        "A": approx(1 / 61 + 1 / 63),
        "B": approx(1 / 62 + 1 / 61),
        "C": approx(1 / 63),
        "D": approx(1 / 62),
    }
    assert {name: round(value, 4) for name, value in sums.items()} == {
        "A": 0.0323,
        "B": 0.0325,
        "C": 0.0159,
        "D": 0.0161,
    }


def test_first_everywhere_is_one_and_places_are_kept() -> None:
    (best,) = reciprocal_ranks({"meaning": found("A"), "words": found("A")})
    assert best.score == approx(1.0)
    assert best.channels == {"meaning": Place(0, 1.0), "words": Place(0, 1.0)}
    (only,) = reciprocal_ranks({"meaning": (), "words": found("A")})
    assert only.score == approx(1.0)


def test_weights_and_k() -> None:
    channels = {"meaning": found("A", "B"), "words": found("B", "A")}
    assert reciprocal_ranks(channels, weights={"words": 2.0})[0].memory_id == "B"
    assert reciprocal_ranks(channels, weights={"meaning": 2.0})[0].memory_id == "A"
    assert reciprocal_ranks(channels, k=1)[0].score < reciprocal_ranks(channels, k=60)[0].score


def test_nothing_found_is_nothing_fused() -> None:
    assert reciprocal_ranks({}) == ()
    assert reciprocal_ranks({"words": ()}) == ()


@given(
    st.dictionaries(
        st.sampled_from(["meaning", "words", "third"]),
        st.lists(st.sampled_from("ABCDEFGH"), unique=True),
    )
)
def test_fused_scores(channels: dict[str, list[str]]) -> None:
    fused = reciprocal_ranks({name: found(*names) for name, names in channels.items()})
    assert {c.memory_id for c in fused} == {n for names in channels.values() for n in names}
    scores = [c.score for c in fused]
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score <= 1 + 1e-9 for score in scores)


def test_the_stage_says_what_it_did() -> None:
    before = Draft(Query(text="?"), channels={"meaning": found("A", "B"), "words": found("B")})
    after = ReciprocalRanks()(before, kit())
    assert before.size == 3
    assert after.size == 2
    assert after.notes == ("2 passages, 1 found by more than one channel",)


# Hydrate


def test_fetch_what_can_be_shown_and_drop_what_is_gone() -> None:
    store = InMemoryStore()
    for name, space in (("A", "global"), ("B", "other"), ("C", "global"), ("D", "global")):
        store.put([prepare(memory(name, f"text {name} 文字", space=space), given_id=True)])
    wanted = [candidate(n, fetched=False) for n in ("A", "B", "gone", "C", "D")]
    after = Hydrate(per_hit=2, at_least=1)(draft(wanted, limit=2), kit(store))
    assert [c.text for c in after.candidates] == ["text A 文字", "text C 文字"]
    assert [d.memory_id for d in after.dropped] == ["B", "gone"]
    assert {d.reason for d in after.dropped} == {
        "damaged, or forgotten while this question was answered"
    }
    assert after.notes == ("1 lower candidates were not fetched",)


def test_a_passage_has_no_text_before_it_is_fetched() -> None:
    with pytest.raises(ValueError, match="has not been fetched yet"):
        _ = candidate("A", fetched=False).text


# Presets


def test_presets_are_named() -> None:
    from bethink.errors import InvalidInput

    assert preset_named("balanced") is PRESETS["balanced"]
    with pytest.raises(InvalidInput, match=r"there is no preset 'magic'; known: .*balanced"):
        preset_named("magic")
