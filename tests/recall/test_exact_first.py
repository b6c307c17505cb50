"""1042 is not 1043: whoever holds the identifier that is asked for stands above."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest import approx

from bethink import Engine
from bethink.recall.exact_first import ExactFirst
from bethink.recall.presets import PRESETS
from bethink.recall.search_exact import plain_numbers
from bethink.settings import Settings
from bethink.testing import FakeClock
from bethink.vocabulary import Place
from tests.embedders_of_tests import Letters
from tests.recall.kits import candidate, draft, kit
from tests.recall.working import add, add_steps, heard

LONG = " It came up in a long report about the office, the coffee and the weather." * 4
LONG_ZH = "这份很长的报告还写了办公室、咖啡和天气的情况，以及下个月的安排。" * 6
ASKED = pytest.mark.parametrize(
    ("right", "wrong", "question"),
    [
        ("Ticket 1042 is open." + LONG, "Ticket 1043 is open, the ticket is open", "ticket 1042"),
        ("1042 was paid." + LONG, "1043 was paid, all of it", "1042"),
        ("The proxy fixes ERR_CONN_1042." + LONG, "ERR_CONN_1043: fix err conn", "ERR_CONN_1042"),
        ("工单1042还没关。" + LONG_ZH, "工单1043还没关，工单在等", "工单1042关了吗"),
        (
            "换代理能解决 ERR_CONN_1042。" + LONG_ZH,
            "解决 ERR_CONN_1043 的办法",
            "ERR_CONN_1042 怎么解决",
        ),
    ],
    ids=["words", "number", "code", "Chinese", "mixed"],
)


@pytest.fixture
def engine(tmp_path: Path, clock: FakeClock) -> Iterator[Engine]:
    with Engine(tmp_path / "m.db", embedder=Letters(), clock=clock, settings=Settings()) as made:
        yield made


@ASKED
@pytest.mark.parametrize("preset", ["notebook", "story", "knowledge"])
def test_whoever_holds_it_is_first(
    engine: Engine, preset: str, right: str, wrong: str, question: str
) -> None:
    engine.remember(right, id="right")
    engine.remember(wrong, id="wrong")
    engine.reinforce("wrong", 50)  # and it was told later
    for text in ("The launch needs forty chairs.", "财务要求报销单附上发票。"):
        engine.remember(text)
    answer = engine.recall(question, preset=preset)
    assert answer.hits[0].id == "right"
    assert "exact" in answer.hits[0].channels
    for hit in answer.hits:
        assert sum(hit.parts.values()) == approx(hit.score, abs=1e-5)
    scores = [hit.score for hit in answer.hits]
    assert scores == sorted(scores, reverse=True) and scores[0] <= 1


@ASKED
def test_in_a_workflow_it_leads_those_behind_what_is_hot(
    engine: Engine, clock: FakeClock, right: str, wrong: str, question: str
) -> None:
    engine.remember(right, id="right")
    engine.remember(wrong, id="wrong")
    add_steps(engine, 10, now=clock.now)
    answer = engine.recall(question, preset="workflow")
    assert answer.hits[10].id == "right"
    assert all("hot" in hit.channels for hit in answer.hits[:10])


def test_one_that_is_long_is_shown_where_it_holds_the_identifier(
    engine: Engine, clock: FakeClock
) -> None:
    text = "\n\n".join([LONG, LONG_ZH, LONG + " E_77 看这里", LONG])
    add(engine, heard("it", text), now=clock.now)
    for _ in ("recent", "promoted"):
        hit = engine.recall("E_77", preset="workflow").hits[0]
        assert "E_77" in hit.text and "hot" in hit.channels
        engine.remember(text, id="it")


def test_every_preset_but_the_plain_one_looks_for_identifiers() -> None:
    names = {
        name
        for name, preset in PRESETS.items()
        if "search_exact" in [stage.name for stage in preset.stages]
    }
    assert names == PRESETS.keys() - {"ranks"}


def test_the_stage() -> None:
    best = candidate("best", score=1.0)
    holder = candidate("holder", score=0.1)
    holder = holder._replace(channels={**holder.channels, "exact": Place(0, 1.0)})
    done = ExactFirst()(draft([best, holder]), kit())
    assert [c.memory_id for c in done.candidates] == ["holder", "best"]
    assert [c.score for c in done.candidates] == approx([0.55, 0.5])
    assert done.candidates[0].parts == {"relevance": approx(0.05), "exact": 0.5}
    assert done.notes == ("1 hold it exactly, first",)
    untouched = draft([best])
    assert ExactFirst()(untouched, kit()) is untouched


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("ticket 1042", ["1042"]),
        ("工单1042和１０４３", ["1042", "1043"]),
        ("1042, 1043.", ["1042", "1043"]),
        ("what happened in 2024? 2024年呢", []),
        ("42 people 42个人", []),
        ("ERR_1042 v1042 10:30 2026-05-02 1,042 3.1415 /1042", []),
    ],
)
def test_numbers_that_name_something(text: str, numbers: list[str]) -> None:
    assert plain_numbers(text) == numbers
