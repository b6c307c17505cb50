"""A turn that asks is not its answer: the reply comes along, and only within one conversation."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bethink import Engine
from tests.engines_of_tests import STORES, engine_on

TALKS = {
    "English": (
        [
            ("Jonas", "Which instrument did you start to learn?"),
            ("Mei", "The cello, on Tuesdays."),
            ("Jonas", "My brother sold his boat."),
        ],
        "which instrument did Mei start to learn",
    ),
    "Chinese": (
        [
            ("阿杰", "你开始学什么乐器了？"),
            ("小美", "大提琴，每周二上课。"),
            ("阿杰", "我哥哥把船卖了。"),
        ],
        "小美开始学什么乐器",
    ),
}


@pytest.fixture(params=STORES)
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    with engine_on(request.param, tmp_path, embedder="none") as made:
        yield made


def tell(engine: Engine, talk: list[tuple[str, str]], *, conversation: str) -> None:
    for number, (speaker, text) in enumerate(talk):
        engine.remember(
            text, id=f"{conversation}-{number}", speaker=speaker, conversation=conversation
        )


@pytest.mark.parametrize("language", TALKS)
def test_the_reply_is_among_the_hits_though_no_search_found_it(
    engine: Engine, language: str
) -> None:
    talk, question = TALKS[language]
    tell(engine, talk, conversation="monday")
    hits = {hit.id: hit for hit in engine.recall(question, floor=0).hits}
    reply = hits["monday-1"]
    assert "neighbour" in reply.channels or "words" in reply.channels
    assert reply.evidence["question"] > 0
    assert hits["monday-0"].evidence["question"] < reply.evidence["question"]
    assert "monday-2" not in hits


@pytest.mark.parametrize("language", TALKS)
def test_the_next_turn_of_another_conversation_is_no_reply(engine: Engine, language: str) -> None:
    talk, question = TALKS[language]
    engine.remember(talk[0][1], id="asks", speaker=talk[0][0], conversation="monday")
    engine.remember(talk[1][1], id="other", speaker=talk[1][0], conversation="tuesday")
    hits = {hit.id: hit for hit in engine.recall(question, floor=0).hits}
    assert "neighbour" not in [name for hit in hits.values() for name in hit.channels]


@pytest.mark.parametrize("language", TALKS)
def test_what_a_user_asks_an_assistant_hands_nothing_on(engine: Engine, language: str) -> None:
    talk, question = TALKS[language]
    engine.remember(talk[0][1], id="asks", role="user", conversation="chat")
    engine.remember(talk[1][1], id="reply", role="assistant", conversation="chat")
    hits = {hit.id: hit for hit in engine.recall(question, floor=0).hits}
    assert "asks" in hits
    assert "neighbour" not in [name for hit in hits.values() for name in hit.channels]
