"""The weighted union: 0.7 × meaning + 0.3 × words, on one scale whichever search ran."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from bethink import Engine, Status
from bethink.recall.draft import Draft
from bethink.recall.fuse_union import FuseUnion
from bethink.recall.search_exact import SearchExact
from bethink.recall.search_meaning import SearchMeaning
from bethink.recall.search_words import SearchWords
from bethink.recall.side_by_side import SideBySide
from bethink.vocabulary import Candidate, Found, Query
from tests.embedders_of_tests import Letters
from tests.engines_of_tests import STORES, engine_on
from tests.recall.asking_with_stages import ask, step
from tests.recall.kits import kit

TEN = SideBySide((SearchMeaning(candidates=10, exactly=True), SearchWords(10, exactly=True)))
STAGES = (SearchExact(), TEN, FuseUnion())


def fused(channels: dict[str, list[tuple[str, float]]], **options: float) -> dict[str, Candidate]:
    found = {
        name: tuple(Found(memory, 0, score) for memory, score in one)
        for name, one in channels.items()
    }
    after = FuseUnion(**options)(Draft(Query(text="?"), channels=found), kit())
    assert [c.score for c in after.candidates] == sorted(
        (c.score for c in after.candidates), reverse=True
    )
    return {c.memory_id: c for c in after.candidates}


def test_the_formula() -> None:
    got = fused(
        {
            "meaning": [("A", 0.9), ("B", 0.5), ("C", -0.2)],
            "words": [("B", 12.0), ("A", 7.0), ("C", 1.0)],
        }
    )
    assert {name: c.score for name, c in got.items()} == {
        "A": approx(0.7 * 0.9 + 0.3 / 2),
        "B": approx(0.7 * 0.5 + 0.3),
        "C": approx(0.3 / 3),  # a cosine below 0 counts as 0
    }
    assert got["A"].parts == {"meaning": 0.63, "words": 0.15}
    assert {name: place.rank for name, place in got["A"].channels.items()} == {
        "meaning": 0,
        "words": 1,
    }


def test_first_in_both_with_the_same_text_is_one() -> None:
    (best,) = fused({"meaning": [("A", 1.0)], "words": [("A", 3.0)]}).values()
    assert best.score == approx(1.0)


def test_a_search_that_did_not_run_takes_nothing_away() -> None:
    by_words = fused({"words": [("A", 3.0), ("B", 2.0)]})
    assert [c.score for c in by_words.values()] == [1.0, 0.5]
    by_meaning = fused({"meaning": [("A", 0.8)]})
    assert by_meaning["A"].score == approx(0.8)
    # having run and found nothing is another matter
    assert fused({"meaning": [("A", 0.8)], "words": []})["A"].score == approx(0.56)


def test_the_weights_need_not_sum_to_one() -> None:
    channels = {"meaning": [("A", 0.5)], "words": [("A", 2.0)]}
    assert fused(channels, meaning=7, words=3)["A"].score == approx(0.65)


@given(
    st.dictionaries(
        st.sampled_from(["meaning", "words", "exact", "hot", "timeline"]),
        st.dictionaries(st.sampled_from("ABCDEFGH"), st.floats(-1, 1)),
    )
)
def test_scores_are_between_0_and_1_and_the_parts_sum_up(
    channels: dict[str, dict[str, float]],
) -> None:
    got = fused({name: list(one.items()) for name, one in channels.items()})
    assert set(got) == {memory for one in channels.values() for memory in one}
    for c in got.values():
        assert 0 <= c.score <= 1 + 1e-9
        assert sum(c.parts.values()) == approx(c.score, abs=1e-5)


def test_settled_before_any_search() -> None:
    settled = Draft(
        Query(text="?"), settled="a route has answered", candidates=(Candidate("A", 0, 1.0, {}),)
    )
    assert FuseUnion()(settled, kit()) is settled


# Over a store


@pytest.fixture
def letters() -> Letters:
    return Letters(dimension=4096)


@pytest.fixture(params=STORES)
def engine(request: pytest.FixtureRequest, tmp_path: Path, letters: Letters) -> Iterator[Engine]:
    with engine_on(request.param, tmp_path, embedder=letters) as made:
        yield made


BOTH = pytest.mark.parametrize(
    ("texts", "question"),
    [
        (["Mei prefers dark mode", "the dark side of the moon", "lunch at noon"], "dark mode"),
        (["小美喜欢深色主题", "深色的一面", "中午吃饭"], "深色主题"),
        (["偏好 dark mode 深色", "the dark side", "中午 lunch"], "dark mode 深色"),
    ],
    ids=["English", "Chinese", "mixed"],
)


@BOTH
def test_the_best_come_first(
    engine: Engine, letters: Letters, texts: list[str], question: str
) -> None:
    for text in texts:
        engine.remember(text)
    answer = ask(engine, question, *STAGES, embedder=letters, limit=3)
    assert answer.status is Status.ANSWERED
    assert answer.hits[0].text == texts[0]
    assert texts[2] not in [hit.text for hit in answer.hits[:2]]
    assert set(answer.hits[0].parts) == {"meaning", "words"}
    assert sum(answer.hits[0].parts.values()) == approx(answer.hits[0].score, abs=1e-5)


@BOTH
def test_without_meaning_words_answer_alone(
    engine: Engine, letters: Letters, texts: list[str], question: str
) -> None:
    for text in texts:
        engine.remember(text)
    letters.fails = True
    answer = ask(engine, question, *STAGES, embedder=letters, limit=3)
    assert answer.status is Status.DEGRADED
    assert answer.hits[0].text == texts[0]
    assert answer.hits[0].score == 1.0
    assert answer.hits[0].parts == {"words": 1.0}
    assert "meaning did not run: what did run has all the weight" in step(answer, "fuse").notes


def test_what_words_alone_found_has_a_meaning_too(engine: Engine, letters: Letters) -> None:
    """Ten others are nearer; the eleventh, which words found, is not 0.3 at best."""
    engine.remember_many([{"text": f"budget 预算 {n}"} for n in range(10)])
    engine.remember("budget 预算 rocket 火箭 launch site by the sea", id="rocket")
    answer = ask(engine, "budget 预算", TEN, FuseUnion(), embedder=letters, limit=20)
    assert len(answer.hits) == 10  # ten of each, whatever the limit
    answer = ask(engine, "预算 rocket", TEN, FuseUnion(), embedder=letters, limit=20)
    assert answer.hits[0].id == "rocket"
    assert answer.hits[0].parts["meaning"] > 0.1


def test_what_waits_for_its_vector_stands_by_its_words(engine: Engine, letters: Letters) -> None:
    engine.remember("lunch at noon 中午吃饭")
    letters.fails = True
    engine.remember("dark mode 深色主题", id="new")
    letters.fails = False
    answer = ask(engine, "dark 深色", *STAGES, embedder=letters)
    assert answer.hits[0].id == "new"
    assert answer.hits[0].score == 1.0
    assert answer.status is Status.STALE
    assert "1 have no vector: words have all the weight there" in step(answer, "fuse").notes


@pytest.mark.parametrize(
    "question", ["why does ERR_CONN_1042 show up", "ERR_CONN_1042 是怎么回事", "ERR_CONN_1042"]
)
def test_an_identifier_leads_whatever_the_embedder_thinks(
    engine: Engine, letters: Letters, question: str
) -> None:
    engine.remember("why does it show up? 是怎么回事 why does it show", id="like-the-question")
    engine.remember("ERR_CONN_1043 是怎么回事: why does it show up", id="another-code")
    engine.remember(
        "The proxy refuses. 代理拒绝连接。ERR_CONN_1042, see the manual.", id="the-code"
    )
    answer = ask(engine, question, *STAGES, embedder=letters)
    assert answer.hits[0].id == "the-code"
    assert answer.hits[0].parts["exact"] > 0
    assert answer.hits[0].score >= 0.5
    assert [hit.score for hit in answer.hits] == sorted(
        (hit.score for hit in answer.hits), reverse=True
    )


def test_more_of_the_identifiers_lead(engine: Engine) -> None:
    engine.remember("E-17 alone", id="one")
    engine.remember("E-17 与 --no-cache 一起", id="both")
    answer = ask(engine, "E-17 --no-cache", SearchExact(), SearchWords(), FuseUnion())
    assert [hit.id for hit in answer.hits] == ["both", "one"]
