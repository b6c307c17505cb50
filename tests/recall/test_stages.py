"""Stages that need no search: each alone, with tables."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from recollect.recall.budget import Budget
from recollect.recall.deduplicate import Deduplicate, OnePerMemory, signature
from recollect.recall.draft import Draft
from recollect.recall.fuse import K, ReciprocalRanks, reciprocal_ranks
from recollect.recall.hydrate import Hydrate
from recollect.recall.presets import PRESETS, preset_named
from recollect.remember.pipeline import prepare
from recollect.stores.in_memory import InMemoryStore
from recollect.vocabulary import Dropped, Found, Place, Query, Status
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
    assert len(before) == 3
    assert len(after) == 2
    assert after.notes == ("2 passages, 1 found by more than one channel",)


# One per memory, deduplicate


def test_one_passage_for_each_memory() -> None:
    after = OnePerMemory()(
        draft([candidate("A", ordinal=3), candidate("B"), candidate("A", ordinal=1)]), kit()
    )
    assert [c.key for c in after.candidates] == [("A", 3), ("B", 0)]
    assert after.dropped == (Dropped("A", 1, "another passage of A stands higher"),)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Dark  mode\n", "dark mode", True),
        ("深色主题", "深色主題", True),
        ("ＡＢＣ", "abc", True),
        ("a\u200bb", "ab", True),
        ("dark mode", "dark-mode", False),
        ("深色主题", "浅色主题", False),
    ],
)
def test_what_says_the_same(one: str, other: str, same: bool) -> None:
    assert (signature(one) == signature(other)) is same
    after = Deduplicate()(draft([candidate("A", one), candidate("B", other)]), kit())
    assert [c.memory_id for c in after.candidates] == (["A"] if same else ["A", "B"])
    assert after.dropped == ((Dropped("B", 0, "says the same as A"),) if same else ())


# Budget


def by_length(text: str) -> int:
    return len(text)


def test_what_does_not_fit_is_skipped_and_smaller_ones_follow() -> None:
    after = Budget(count=by_length)(
        draft(
            [
                candidate("A", "x" * 60),
                candidate("B", "x" * 50),
                candidate("C", "好" * 30),
                candidate("D", "x" * 11),
                candidate("E", "x" * 10),
            ],
            budget=100,
        ),
        kit(),
    )
    assert [hit.id for hit in after.hits] == ["A", "C", "E"]
    assert [d.reason for d in after.dropped] == [
        "50 tokens do not fit in the 40 left",
        "11 tokens do not fit in the 10 left",
    ]
    assert after.hits[0].displaced == ()
    assert after.hits[1].displaced == ("B: 50 tokens do not fit in the 40 left",)
    assert after.faults == ()
    assert sum(hit.tokens for hit in after.hits) == 100


def test_the_limit_is_not_the_budgets_fault() -> None:
    after = Budget(count=by_length)(draft([candidate(n) for n in "ABC"], limit=2), kit())
    assert [hit.id for hit in after.hits] == ["A", "B"]
    assert after.dropped == (Dropped("C", 0, "beyond the limit of 2 hits"),)
    assert after.faults == ()


def test_nothing_fits() -> None:
    after = Budget(count=by_length)(
        draft([candidate("A", "x" * 60), candidate("B", "好" * 50)], budget=10), kit()
    )
    assert after.hits == ()
    assert len(after) == 0
    (fault,) = after.faults
    assert fault.status is Status.DEGRADED
    assert fault.reason == "2 hits were found but none fits in 10 tokens; raise the budget"


def test_nothing_found_is_no_fault() -> None:
    after = Budget()(draft([]), kit())
    assert (after.hits, after.faults) == ((), ())


def test_a_hit_shows_its_parts() -> None:
    (hit,) = Budget()(draft([candidate("A", "深色主题", score=0.123456789)]), kit()).hits
    assert hit.score == 0.123457
    assert hit.parts == {"relevance": 0.123457}
    assert hit.text == "深色主题"
    assert hit.channels == {"words": Place(0, 1.0)}


# Hydrate


def test_fetch_what_can_be_shown_and_drop_what_is_gone() -> None:
    store = InMemoryStore()
    for name, space in (("A", "global"), ("B", "other"), ("C", "global"), ("D", "global")):
        store.put([prepare(memory(name, f"text {name} 文字", space=space), given_id=True)])
    wanted = [candidate(n, fetched=False) for n in ("A", "B", "gone", "C", "D")]
    after = Hydrate(per_hit=2, at_least=1)(draft(wanted, limit=2), kit(store))
    assert [c.text for c in after.candidates] == ["text A 文字", "text C 文字"]
    assert [d.memory_id for d in after.dropped] == ["B", "gone"]
    assert {d.reason for d in after.dropped} == {"forgotten while this question was answered"}
    assert after.notes == ("1 lower candidates were not fetched",)


def test_a_passage_has_no_text_before_it_is_fetched() -> None:
    with pytest.raises(ValueError, match="has not been fetched yet"):
        _ = candidate("A", fetched=False).text


# Presets


def test_presets_are_named() -> None:
    from recollect.errors import InvalidInput

    assert preset_named("balanced") is PRESETS["balanced"]
    with pytest.raises(InvalidInput, match=r"there is no preset 'magic'; known: .*balanced"):
        preset_named("magic")
