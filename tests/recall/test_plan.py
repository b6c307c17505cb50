"""The plan for the words channel: by rules, by a model, and by rules when the model fails."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from typing import Any

import pytest

from bethink import Engine, Status
from bethink.errors import LLMError
from bethink.recall import draft as reading
from bethink.recall.budget import Budget
from bethink.recall.draft import Deadline, Draft
from bethink.recall.fuse import ReciprocalRanks
from bethink.recall.hydrate import Hydrate
from bethink.recall.plan import Plan
from bethink.recall.presets import Preset
from bethink.recall.search_words import SearchWords
from bethink.recall.side_by_side import SideBySide
from bethink.settings import Settings
from bethink.vocabulary import Query
from tests.embedders.serving import Reply, Request, serving
from tests.recall.kits import kit

# By rules


@pytest.mark.parametrize(
    ("question", "rewritten", "keywords", "phrases"),
    [
        ("Can you tell me what theme Mei likes?", "what theme Mei likes",
         ("Mei", "theme", "likes"), ()),
        ("请问小美喜欢什么主题？", "小美喜欢什么主题", ("小美喜欢", "主题"), ()),
        ("你还记得“dark mode”的设置吗", "“dark mode”的设置", ("dark mode", "设置"), ("dark mode",)),
    ],
)  # fmt: skip
def test_by_rules(
    question: str, rewritten: str, keywords: tuple[str, ...], phrases: tuple[str, ...]
) -> None:
    draft = Plan()(Draft(Query(text=question)), kit())
    assert draft.plan == reading.Plan(rewritten, keywords, phrases, "rules")
    assert draft.notes == (
        f"plan: words look for: {rewritten} (by rules)",
        f"plan: keywords: {'; '.join(keywords)}",
    )
    assert draft.query.text == question
    assert draft.faults == ()


def test_a_plain_question_needs_no_note_of_change() -> None:
    draft = Plan()(Draft(Query(text="预算")), kit())
    assert draft.notes == ("plan: keywords: 预算",)


def test_what_is_settled_needs_no_plan() -> None:
    draft = Draft(Query(text="请问预算"), settled="by a route")
    assert Plan()(draft, kit()) is draft


def test_words_look_for_what_was_planned() -> None:
    with Engine.in_memory(embedder="none", settings=Settings()) as engine:
        engine.remember("Mei 的主题是 dark", id="theme")
        engine.remember("please tell me again 帮我查一下", id="noise")
        own = kit(engine.store)
        asked = Draft(Query(text="帮我查一下 Mei 的主题, can you tell me?"))
        without = SearchWords()(asked, own).channels["words"]
        planned = SearchWords()(Plan()(asked, own), own).channels["words"]
    assert {found.memory_id for found in without} == {"theme", "noise"}
    assert {found.memory_id for found in planned} == {"theme"}


# By a language model


class Model:
    """Answers as it is told; no class of ours stands behind it."""

    name = "own"

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.asked: list[tuple[str, str, float]] = []

    def complete(
        self, instructions: str, data: str, *, schema: Mapping[str, Any] | None, seconds: float
    ) -> str:
        self.asked.append((instructions, data, seconds))
        if isinstance(self.answer, Exception):
            raise self.answer
        if callable(self.answer):
            self.answer()
        return self.answer if isinstance(self.answer, str) else json.dumps(self.answer)


def planned(model: Any, question: str, *, left: float = 20.0, seconds: float = 10.0) -> Draft:
    own = kit()._replace(llm=lambda: model, deadline=Deadline.after(left))
    return Plan(use_llm=True, seconds=seconds)(Draft(Query(text=question)), own)


@pytest.mark.parametrize(
    ("question", "rewritten", "keywords"),
    [
        ("do you remember Mei's theme?", "Mei theme dark mode appearance", ["Mei", "theme"]),
        ("你还记得小美的主题吗", "小美 主题 深色 外观", ["小美", "主题"]),
    ],
)
def test_by_a_model(question: str, rewritten: str, keywords: list[str]) -> None:
    model = Model({"rewritten": f" {rewritten}\n", "keywords": [*keywords, "", 5]})
    draft = planned(model, question)
    assert draft.plan == reading.Plan(rewritten, tuple(keywords), (), "llm")
    assert draft.notes[0] == f"plan: words look for: {rewritten} (by llm)"
    assert draft.faults == ()
    ((instructions, data, seconds),) = model.asked
    assert json.loads(data) == {"question": question}
    assert question not in instructions
    assert 0 < seconds <= 10


def test_what_is_exact_is_never_lost() -> None:
    model = Model({"rewritten": "connection error", "keywords": ["error"]})
    draft = planned(model, '请问 ERR_CONN_1042 和 "Dark Mode" 有关吗')
    assert draft.plan is not None
    assert draft.plan.rewritten == "connection error Dark Mode err_conn_1042"
    assert draft.plan.keywords == ("Dark Mode", "error")
    assert draft.plan.phrases == ("Dark Mode",)


def test_the_time_is_what_the_deadline_leaves() -> None:
    model = Model({"rewritten": "budget", "keywords": []})
    planned(model, "the budget", left=5.0, seconds=60.0)
    assert 0 < model.asked[0][2] <= 5.0


def test_no_model_is_no_fault() -> None:
    draft = planned(None, "请问预算")
    assert draft.plan is not None
    assert draft.plan.by == "rules"
    assert draft.faults == ()
    assert "plan: no language model is set; rules do it" in draft.notes


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (LLMError("it is closed"), "it is closed"),
        (OSError("no route"), "OSError: no route"),
        ("I will not", "did not answer with a JSON object"),
        ([1], "did not answer with a JSON object"),
        ({}, "no text 'rewritten'"),
        ({"rewritten": 5, "keywords": []}, "no text 'rewritten'"),
        ({"rewritten": "预算", "keywords": "预算"}, "no list 'keywords'"),
        ({"rewritten": " ", "keywords": []}, "says nothing"),
        ({"rewritten": "what is it", "keywords": []}, "says nothing"),
    ],
)
@pytest.mark.parametrize("question", ["please tell me the budget", "请问预算"])
def test_a_failure_falls_back_to_the_rules(answer: Any, says: str, question: str) -> None:
    draft = planned(Model(answer), question)
    assert draft.plan is not None
    assert draft.plan.by == "rules"
    (fault,) = draft.faults
    assert fault.status is Status.DEGRADED
    assert fault.reason.startswith("plan by rules, because the language model could not be used: ")
    assert says in fault.reason


def test_a_slow_model_is_not_waited_for() -> None:
    done = threading.Event()
    draft = planned(Model(lambda: done.wait(30)), "请问预算 the budget", seconds=0.05)
    assert not done.is_set()
    done.set()
    assert draft.plan is not None
    assert draft.plan.by == "rules"
    assert "own did not answer within 0.05 s; use a faster model" in draft.faults[0].reason


def test_a_model_that_cannot_be_loaded() -> None:
    def load() -> Any:
        raise LLMError("openai:m needs an address")

    own = kit()._replace(llm=load)
    draft = Plan(use_llm=True)(Draft(Query(text="请问预算")), own)
    assert draft.plan is not None
    assert draft.plan.rewritten == "预算"
    assert "needs an address" in draft.faults[0].reason


# Through an engine


PLANNED = Preset(
    "planned",
    (Plan(use_llm=True), SideBySide((SearchWords(),)), ReciprocalRanks(), Hydrate(), Budget()),
)


def chat(request: Request) -> Reply:
    question = json.loads(request.json["messages"][1]["content"])["question"]
    plan = json.dumps({"rewritten": f"{question} 深色", "keywords": ["深色"]})
    return Reply(body=json.dumps({"choices": [{"message": {"content": plan}}]}).encode())


def test_an_engine_with_a_server() -> None:
    with serving(chat) as address:
        settings = Settings(embedder="none", llm="openai:small", llm_endpoint=f"{address}/v1")
        with Engine.in_memory(settings=settings) as engine:
            engine.remember("小美喜欢深色")
            answer = engine.recall("which theme?", preset=PLANNED)
            assert [hit.text for hit in answer.hits] == ["小美喜欢深色"]
            assert answer.status is Status.ANSWERED


def test_an_engine_with_an_object() -> None:
    model = Model({"rewritten": "深色", "keywords": []})
    with Engine.in_memory(embedder="none", llm=model, settings=Settings()) as engine:
        engine.remember("小美喜欢深色")
        assert engine.recall("which theme?", preset=PLANNED).hits
    assert len(model.asked) == 1


def test_an_engine_whose_server_is_down_answers_by_rules() -> None:
    settings = Settings(embedder="none", llm="openai:m", llm_endpoint="http://127.0.0.1:1/v1")
    with Engine.in_memory(settings=settings) as engine:
        engine.remember("the budget 预算 is 5")
        answer = engine.recall("请问预算是多少", preset=PLANNED)
        assert answer.hits
        assert answer.status is Status.DEGRADED
        assert "http://127.0.0.1:1/v1/chat/completions cannot be used" in answer.reasons[0]
