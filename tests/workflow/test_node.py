"""The node's contract: every shape of input, every way to fail, with and without an event loop."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from bethink import Engine
from bethink.errors import InvalidInput
from bethink.events.kinds import MEMORY_RETRIEVAL_ERROR, NODE_STATE_CHANGE, RETRIEVAL_TRACE
from bethink.settings import Settings
from bethink.testing import FakeClock
from bethink.vocabulary import Json
from bethink.workflow.node import FIELDS, MemoryRetrievalNode
from tests.embedders_of_tests import Letters

ZH = "发布计划:周五上线,回滚脚本由小美准备,上线前要先跑一遍冒烟测试,并通知客服值班同事。"
EN = "The release plan: we ship on Friday, Mei prepares the rollback script, smoke tests first."

Told = list[tuple[str, Mapping[str, Json]]]
Run = Callable[..., dict[str, Any]]


def _sync(node: MemoryRetrievalNode, given: Any, emit: Any = None) -> dict[str, Any]:
    return node.process(given, emit)


def _async(node: MemoryRetrievalNode, given: Any, emit: Any = None) -> dict[str, Any]:
    return asyncio.run(node.aprocess(given, emit))


@pytest.fixture(params=[_sync, _async], ids=["sync", "async"])
def run(request: pytest.FixtureRequest) -> Run:
    made: Run = request.param
    return made


@pytest.fixture
def engine(engine: Engine) -> Engine:
    engine.remember(ZH, id="zh", space="release")
    engine.remember(EN, id="en", space="release")
    engine.remember("别的项目:数据库迁移推迟到下个月。", id="other", space="elsewhere")
    engine.remember("The user's own: coffee, no sugar.", id="own")
    return engine


@pytest.mark.parametrize(
    ("given", "asked", "answer"),
    [
        ({"topic": "发布计划"}, "发布计划", "zh"),
        ({"topic": "  release plan \n"}, "release plan", "en"),
        ({"topic": "发布计划", "content": "coffee", "document": "coffee"}, "发布计划", "zh"),
        ({"content": "谁准备 the rollback script?"}, "谁准备 the rollback script?", "en"),
        ({"topic": "", "content": "发布"}, "发布", "zh"),
        ({"topic": " \t\n", "content": None, "document": "发布计划书"}, "发布计划书", "zh"),
        ({"topic": None, "document": {"content": "发布计划", "title": "x"}}, "发布计划", "zh"),
        ({"document": {"text": "release"}}, "release", "en"),
        ({"document": {"page_content": "release", "metadata": {}}}, "release", "en"),
        ({"topic": 42, "content": ["a"], "document": "发布"}, "发布", "zh"),
        ({"question": "发布计划"}, "发布计划", "zh"),
        ({"query": "release plan", "input": "coffee"}, "release plan", "en"),
        ({"input": "发布"}, "发布", "zh"),
        ({"messages": ["coffee", "发布计划"]}, "发布计划", "zh"),
        ({"messages": [{"role": "user", "content": "release plan"}]}, "release plan", "en"),
        ({"messages": [("user", "发布计划")]}, "发布计划", "zh"),
        ({"topic": "发布", "messages": ["coffee"]}, "发布", "zh"),
    ],
)
def test_the_question_reaches_memory(
    engine: Engine, run: Run, given: dict[str, Any], asked: str, answer: str
) -> None:
    output = run(MemoryRetrievalNode(engine), {**given, "group_id": "release"})
    assert output["memory_error"] is None
    assert output["memory_status"] == "answered"
    assert [memory["id"] for memory in output["memories"]] == [answer]
    (trace,) = engine.events.since(kinds=RETRIEVAL_TRACE)
    assert trace.data["question"] == asked
    assert trace.spaces == ("release",)


def test_it_is_called_as_a_function(engine: Engine) -> None:
    node = MemoryRetrievalNode(engine, space="release")
    for question, answer in (("发布计划", "zh"), ("release plan", "en")):
        output = node({"topic": question})
        assert [memory["id"] for memory in output["memories"]] == [answer]


def test_the_output_is_the_input_with_history(engine: Engine, run: Run) -> None:
    engine.set_override("floor", 0, space="release")  # all that is found, whatever its relevance
    given = {
        "topic": "发布计划",
        "group_id": "release",
        "draft": {"v": 1},
        "history_context": "old",
    }
    output = run(MemoryRetrievalNode(engine), given)
    assert given["history_context"] == "old"  # what was handed in is left alone
    assert output.keys() == {"topic", "group_id", "draft", *FIELDS}
    assert output["draft"] is given["draft"]
    heading, *records = output["history_context"].split("\n\n")
    assert heading == "## 历史上下文"
    assert records[0].startswith("### 记录 1 (相关度: ")
    assert ZH in output["history_context"]
    assert EN in output["history_context"]
    assert "咖啡" not in output["history_context"]
    json.dumps(output)


def test_headings_in_english(engine: Engine, run: Run) -> None:
    node = MemoryRetrievalNode(engine, language="en")
    output = run(node, {"topic": "release", "group_id": "release"})
    assert output["history_context"].startswith("## History\n\n### Record 1 (relevance: ")


def test_nothing_found_is_an_empty_string_and_says_so(engine: Engine, run: Run) -> None:
    engine.remember("something", id="gone", space="emptied")
    engine.forget("gone")
    for group in ("emptied", "新项目"):  # one that is empty, one that was never written to
        output = run(MemoryRetrievalNode(engine), {"topic": "发布计划", "group_id": group})
        assert output["history_context"] == ""
        assert output["memories"] == []
        assert output["memory_status"] == "empty"
        assert output["memory_error"] is None
    assert output["memory_reasons"] == ["nothing was remembered in the space '新项目' yet"]
    traces = engine.events.since(0, kinds="retrieval_trace", spaces=["emptied", "新项目"])
    assert [(e.spaces, e.data["status"]) for e in traces] == [
        (("emptied",), "empty"), (("新项目",), "empty")
    ]  # fmt: skip
    assert traces[1].data["question"] == "发布计划"


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({}, "no fields"),
        ({"other": "text"}, "['other']"),
        ({"topic": "", "content": " ", "document": "\n"}, "nothing is asked"),
        ({"topic": 42}, "topic was passed over: it is no text but 42"),
        ({"topic": None, "content": None, "document": None}, "nothing is asked"),
        ({"document": {"title": "no text"}}, "document was passed over"),
        ({"document": b"bytes"}, "document was passed over"),
        ({"topic": ["发布"], "content": {"a": 1}}, "content was passed over"),
        (None, "got NoneType"),
        ("发布计划", "got str"),
        ([("topic", "发布")], "got list"),
        ({"topic": "发布", "group_id": "no such\nname!"}, "group_id: "),
        ({"topic": "发布", "group_id": 7.5}, "group_id: 7.5 is no name for a space"),
        ({"topic": "发布", "group_id": ["a"]}, "group_id: "),
    ],
)
def test_bad_input_completes_and_is_named(engine: Engine, run: Run, given: Any, says: str) -> None:
    told: Told = []
    output = run(MemoryRetrievalNode(engine), given, lambda kind, data: told.append((kind, data)))
    assert says in output["memory_error"]
    assert output["history_context"] == ""
    assert output["memory_status"] == "unavailable"
    assert [kind for kind, _ in told] == [
        NODE_STATE_CHANGE,
        MEMORY_RETRIEVAL_ERROR,
        NODE_STATE_CHANGE,
    ]
    assert told[1][1]["error"] == output["memory_error"]


@pytest.mark.parametrize(
    ("begins", "ends", "answer"),
    [
        ("发布计划:回滚脚本由小美准备吗?上线前要先跑一遍冒烟测试吗?", "", "zh"),
        ("", "who prepares the rollback script?", "en"),
    ],
)
def test_huge_text_is_asked_by_its_ends(
    engine: Engine, run: Run, begins: str, ends: str, answer: str
) -> None:
    document = begins + "日志 log line\n" * 300_000 + ends
    output = run(MemoryRetrievalNode(engine), {"document": document, "group_id": "release"})
    assert output["memory_error"] is None
    assert output["memory_status"] == "answered"
    assert [memory["id"] for memory in output["memories"]] == [answer]
    assert any("document has 3,600,0" in reason for reason in output["memory_reasons"])


def test_strange_characters_are_no_reason_to_fail(engine: Engine, run: Run) -> None:
    topic = "发布\ud800计划 \x00\x1b[31m release \u202eplan"
    output = run(MemoryRetrievalNode(engine), {"topic": topic, "group_id": "release"})
    assert output["memory_error"] is None
    assert output["memories"]


def test_without_a_group_the_default_space_is_asked(engine: Engine, run: Run) -> None:
    for group in ({}, {"group_id": None}, {"group_id": ""}):
        output = run(MemoryRetrievalNode(engine), {"topic": "coffee", **group})
        assert [memory["id"] for memory in output["memories"]] == ["own"]
        output = run(MemoryRetrievalNode(engine, space="elsewhere"), {"topic": "迁移", **group})
        assert [memory["id"] for memory in output["memories"]] == ["other"]


def test_events_run_in_order_with_increasing_ids(engine: Engine, run: Run) -> None:
    told: Told = []
    node = MemoryRetrievalNode(engine, name="历史")
    run(node, {"topic": "发布", "group_id": "release"}, lambda k, d: told.append((k, d)))
    assert [(kind, data["state"]) for kind, data in told] == [
        (NODE_STATE_CHANGE, "running"),
        (NODE_STATE_CHANGE, "completed"),
    ]
    running, completed = (data for _, data in told)
    assert running["node"] == completed["node"] == "历史"
    assert running["run"] == completed["run"]
    assert (completed["status"], completed["hits"], completed["error"]) == ("answered", 1, None)
    kept = engine.events.since(spaces=["release"])
    assert [event.kind for event in kept] == [NODE_STATE_CHANGE, RETRIEVAL_TRACE, NODE_STATE_CHANGE]
    assert [event.id for event in kept] == sorted({event.id for event in kept})
    assert [kept[0].data, kept[2].data] == [running, completed]
    assert all(text not in str(kept) for text in (ZH, EN))


def test_runs_can_be_told_apart_and_named(engine: Engine, run: Run) -> None:
    node = MemoryRetrievalNode(engine)
    for given in ({"topic": "发布"}, {"topic": "发布"}, {"topic": "发布", "run_id": "运行-3"}):
        run(node, given)
    runs = [e.data["run"] for e in engine.events.since(kinds=NODE_STATE_CHANGE)]
    assert runs[0] == runs[1] != runs[2] == runs[3]
    assert runs[4:] == ["运行-3"] * 2


def test_hot_takes_ten_and_not_one_more(engine: Engine, run: Run, clock: FakeClock) -> None:
    for number in range(1, 13):
        clock.now += timedelta(minutes=1)
        engine.offer(
            f"第 {number} 步的产出:各个模块的负责人都确认过接口,联调环境已经准备完毕,"
            f"可以开始下一阶段的工作,详情见会议记录第 {number} 页,谢谢大家。",
            space="hot",
        )
    output = run(MemoryRetrievalNode(engine), {"topic": "接口", "group_id": "hot"})
    assert [memory["score"] for memory in output["memories"]] == [1.0] * 10
    assert f"第 {12} 步" in output["memories"][0]["text"]
    assert f"第 {3} 步" in output["memories"][-1]["text"]


def test_a_broken_embedder_degrades_and_says_so(tmp_path: Path, run: Run) -> None:
    embedder = Letters()
    with Engine(tmp_path / "m.db", embedder=embedder, settings=Settings()) as engine:
        engine.remember(ZH, space="release")
        embedder.fails = True
        told: Told = []
        output = run(
            MemoryRetrievalNode(engine),
            {"topic": "发布计划", "group_id": "release"},
            lambda kind, data: told.append((kind, data)),
        )
    assert output["memory_status"] == "degraded"
    assert any("on holiday" in reason for reason in output["memory_reasons"])
    assert ZH in output["history_context"]  # words stand in
    assert output["memory_error"] is None
    assert told[-1][1]["status"] == "degraded"


def test_a_closed_store_fails_retrieval_not_the_workflow(tmp_path: Path, run: Run) -> None:
    engine = Engine(tmp_path / "m.db", embedder=Letters(), settings=Settings())
    engine.remember(ZH, space="release")
    engine.close()
    told: Told = []
    output = run(
        MemoryRetrievalNode(engine),
        {"topic": "发布计划", "group_id": "release", "draft": "kept"},
        lambda kind, data: told.append((kind, data)),
    )
    assert output["draft"] == "kept"
    assert output["memory_status"] == "unavailable"
    assert "closed" in output["memory_error"]
    assert [kind for kind, _ in told] == [
        NODE_STATE_CHANGE,
        MEMORY_RETRIEVAL_ERROR,
        NODE_STATE_CHANGE,
    ]
    assert told[-1][1]["error"] == output["memory_error"]


def test_an_emit_that_raises_loses_no_history_and_is_reported(engine: Engine, run: Run) -> None:
    calls: list[str] = []

    def emit(kind: str, data: Mapping[str, Json]) -> None:
        calls.append(kind)
        raise ConnectionError("浏览器走了")

    output = run(MemoryRetrievalNode(engine), {"topic": "发布", "group_id": "release"}, emit)
    assert calls == [NODE_STATE_CHANGE, NODE_STATE_CHANGE]
    assert ZH in output["history_context"]
    assert output["memory_error"] is None
    told = "emit failed at node_state_change: ConnectionError: 浏览器走了"
    assert output["memory_reasons"] == [told]
    assert engine.events.since(kinds=NODE_STATE_CHANGE)[-1].data["emit_error"] == told


def test_an_async_emit_is_awaited(engine: Engine) -> None:
    told: Told = []

    async def emit(kind: str, data: Mapping[str, Json]) -> None:
        await asyncio.sleep(0)
        told.append((kind, data))

    node = MemoryRetrievalNode(engine)
    output = _async(node, {"topic": "发布", "group_id": "release"}, emit)
    assert [data["state"] for _, data in told] == ["running", "completed"]
    assert output["memory_reasons"] == []


def test_an_async_emit_that_raises_is_reported(engine: Engine) -> None:
    async def emit(kind: str, data: Mapping[str, Json]) -> None:
        raise ConnectionError("gone")

    output = _async(MemoryRetrievalNode(engine), {"topic": "发布", "group_id": "release"}, emit)
    assert output["memories"]
    assert output["memory_reasons"] == ["emit failed at node_state_change: ConnectionError: gone"]


def test_an_async_emit_without_an_event_loop_is_named(engine: Engine) -> None:
    async def emit(kind: str, data: Mapping[str, Json]) -> None:
        raise AssertionError("nobody awaits this")

    output = _sync(MemoryRetrievalNode(engine), {"topic": "发布", "group_id": "release"}, emit)
    assert output["memories"]
    assert "call aprocess" in output["memory_reasons"][0]


def test_a_workflow_that_is_cancelled_leaves_no_node_running(engine: Engine) -> None:
    async def cancelled() -> None:
        started = asyncio.Event()

        async def emit(kind: str, data: Mapping[str, Json]) -> None:
            started.set()

        task = asyncio.ensure_future(
            MemoryRetrievalNode(engine, deadline=30).aprocess({"topic": "发布"}, emit)
        )
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    last = engine.events.since(kinds=NODE_STATE_CHANGE)[-1]
    assert last.data["state"] == "completed"
    assert last.data["error"] == "the workflow cancelled the node"


def test_wrong_options_are_named_when_the_node_is_made(engine: Engine) -> None:
    with pytest.raises(InvalidInput, match="language: expected zh or en, got 'fr'"):
        MemoryRetrievalNode(engine, language="fr")
    with pytest.raises(InvalidInput, match="no preset"):
        MemoryRetrievalNode(engine, preset="workfolw")
    with pytest.raises(InvalidInput, match="no name for a space"):
        MemoryRetrievalNode(engine, space="!")


@pytest.mark.parametrize("group", [UUID("3f2a9b40-4a3e-4f6b-9a55-0d2c8f6f1c01"), 4711, 0])
def test_a_group_may_be_a_uuid_or_a_number(engine: Engine, run: Run, group: UUID | int) -> None:
    engine.remember(ZH, id="mine", space=str(group))
    output = run(MemoryRetrievalNode(engine), {"topic": "发布计划", "group_id": group})
    assert output["memory_error"] is None
    assert [memory["id"] for memory in output["memories"]] == ["mine"]
    assert output["group_id"] == group


def test_a_group_that_is_true_is_no_number(engine: Engine, run: Run) -> None:
    output = run(MemoryRetrievalNode(engine), {"topic": "发布计划", "group_id": True})
    assert output["memory_error"].startswith("group_id: ")


@pytest.mark.parametrize(
    ("setting", "argument", "heading"),
    [
        ("preset", None, "## 历史上下文"),
        ("en", None, "## History"),
        ("en", "zh", "## 历史上下文"),
        ("zh", None, "## 历史上下文"),
    ],
)
def test_the_language_of_headings_is_a_setting(
    setting: str, argument: str | None, heading: str
) -> None:
    settings = Settings(heading_language=setting)
    with Engine.in_memory(embedder="none", settings=settings) as engine:
        engine.remember(ZH)
        node = MemoryRetrievalNode(engine, language=argument)
        assert node.process({"topic": "发布计划"})["history_context"].startswith(f"{heading}\n")


def test_five_cold_memories_where_five_are_relevant(run: Run) -> None:
    for topic, text in (
        ("release plan", "The release plan of team {n}: ship on day {n}, with a rollback script."),
        ("发布计划", "第 {n} 组的发布计划：第 {n} 天上线，准备好回滚脚本。"),
    ):
        with Engine.in_memory(embedder="none", settings=Settings()) as engine:
            for number in range(2, 10):
                engine.remember(text.format(n=number), id=f"m{number}")
            output = run(MemoryRetrievalNode(engine), {"topic": topic})
        assert len(output["memories"]) == 5
        headings = [line for line in output["history_context"].splitlines() if line[:4] == "### "]
        assert all(
            re.fullmatch(rf"### 记录 {n} \(相关度: [01]\.\d\d\)", line)
            for n, line in enumerate(headings, 1)
        )
