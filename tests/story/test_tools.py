"""The tools: as functions, as definitions for a model, and in a loop against a model's server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bethink.story import EntityStateSnapshot, Story, StoryTools
from tests.embedders.serving import Reply, Request, server_at
from tests.llms.chatting import chat_reply, say

EXAMPLE = Path(__file__).parents[2] / "examples" / "story_tools.py"


@pytest.fixture
def tools(story: Story) -> StoryTools:
    story.add_scene(
        1, 1, "林婉在码头 dock 受了伤。", states={"林婉": {"arm": "injured"}}, tags=["雨"]
    )
    story.add_scene(2, 1, "Zhao Yun waits at the dock 码头.", events=["赵允 waits"])
    story.add_scene(3, 1, "FUTURE dock 码头 林婉", states={"林婉": {"arm": "FUTURE"}})
    return StoryTools(story, chapter=3, scene=1)


def test_as_functions(tools: StoryTools) -> None:
    found = tools.search_story_memory_tool("码头 dock")
    assert {memory.chapter for memory in found} == {1, 2}
    assert [m.chapter for m in tools.search_story_memory_tool("码头", ["王爷"], "scene")] == [2]
    assert [m.chapter for m in tools.search_story_memory_tool("码头", tags=["雨"])] == [1]
    assert len(tools.search_story_memory_tool("码头 dock", top_k=1)) == 1
    state = tools.get_entity_state_tool("阿婉")
    assert state is not None
    assert state.facts == {"arm": "injured"}
    assert tools.get_entity_state_tool("nobody 无人") is None
    assert tools.get_entity_state_tool("林婉", 0, 5) is None
    assert [e.chapter for e in tools.get_recent_timeline_tool(2, window=0)] == [2]
    assert [e.chapter for e in tools.get_recent_timeline_tool(entity_id="王爺")] == [2]


def test_the_timeline_is_made_of_snapshots(story: Story) -> None:
    story.add_scene(
        1, 1, "林婉在码头受了伤。", states={"林婉": {"arm": "injured"}}, events=["林婉中了一箭"]
    )
    story.add_scene(1, 2, "Rain.", events=["A storm breaks over the town"])
    story.add_scene(
        2, 1, "Zhao Yun waits.", states={"林婉": {"mood": "calm"}}, events=["赵允 waits for 林婉"]
    )
    told = StoryTools(story).get_recent_timeline_tool(chapter_index=2)
    assert all(isinstance(one, EntityStateSnapshot) for one in told)
    lin = [one for one in told if one.entity_id == "lin"]
    assert [(one.chapter_index, one.scene_index) for one in lin] == [(1, 1), (2, 1)]
    assert [one.facts for one in lin] == [{"arm": "injured"}, {"arm": "injured", "mood": "calm"}]
    assert [[change.key for change in one.changes] for one in lin] == [["arm"], ["mood"]]
    assert [one.events for one in lin] == [["林婉中了一箭"], ["赵允 waits for 林婉"]]
    (zhao,) = StoryTools(story).get_recent_timeline_tool(entity_id="赵允")
    assert zhao.facts == {}
    assert zhao.events == ["赵允 waits for 林婉"]
    (nobody,) = [one for one in told if not one.entity_id]
    assert (nobody.chapter_index, nobody.scene_index) == (1, 2)
    assert nobody.events == ["A storm breaks over the town"]
    assert [(one.chapter, one.scene) for one in told] == sorted(
        (one.chapter, one.scene) for one in told
    )


def test_bound_to_a_scene_they_tell_nothing_from_it_on(tools: StoryTools) -> None:
    for chapter in (3, 9, None):
        state = tools.get_entity_state_tool("林婉", chapter)
        assert state is not None
        assert state.facts == {"arm": "injured"}
        assert all(e.chapter < 3 for e in tools.get_recent_timeline_tool(chapter))
    first = StoryTools(tools._story, chapter=0, scene=0)
    assert first.get_entity_state_tool("林婉", 5) is None
    assert first.get_recent_timeline_tool() == []
    assert first.search_story_memory_tool("码头") == []
    free = StoryTools(tools._story)
    state = free.get_entity_state_tool("林婉")
    assert state is not None
    assert state.facts == {"arm": "FUTURE"}
    assert {m.chapter for m in free.search_story_memory_tool("码头 dock")} == {1, 2, 3}
    assert StoryTools(Story(tools._story.engine, "empty")).get_entity_state_tool("林婉") is None


def test_the_definitions_say_what_the_functions_take(tools: StoryTools) -> None:
    import inspect

    definitions = {one["function"]["name"]: one["function"] for one in tools.definitions()}
    assert definitions.keys() == tools.functions().keys()
    for name, function in tools.functions().items():
        schema = definitions[name]["parameters"]
        parameters = inspect.signature(function).parameters
        assert list(schema["properties"]) == list(parameters)
        assert schema["required"] == [
            one for one, p in parameters.items() if p.default is inspect.Parameter.empty
        ]
        assert definitions[name]["description"]
    json.dumps(tools.definitions())


def test_called_as_a_model_calls_them(tools: StoryTools) -> None:
    def called(name: str, arguments: Any) -> Any:
        return json.loads(tools.call(name, arguments))

    told = called(
        "search_story_memory_tool", '{"query": "码头", "entities": ["林婉"], "tags": null}'
    )
    assert [one["chapter_index"] for one in told] == [1]
    assert called("get_entity_state_tool", {"entity_id": "无人"}) is None
    assert called("get_recent_timeline_tool", "")[0]["entity_id"] == "lin"
    for name, arguments, said in (
        ("no_such_tool", {}, "there is no tool"),
        ("search_story_memory_tool", "{", "not JSON"),
        ("search_story_memory_tool", "[]", "an object"),
        ("search_story_memory_tool", {}, "needs query"),
        ("search_story_memory_tool", {"query": 5}, "query: expected string"),
        ("search_story_memory_tool", {"query": "x", "top_k": 0}, "top_k: expected a whole"),
        (
            "search_story_memory_tool",
            {"query": "x", "entities": "林婉"},
            "entities: expected array",
        ),
        ("search_story_memory_tool", {"query": "x", "project": "other"}, "has no 'project'"),
        ("get_entity_state_tool", {"entity_id": "x", "scene_index": 1}, "chapter_index"),
        ("get_recent_timeline_tool", {"window": -1}, "whole number"),
        ("get_recent_timeline_tool", {"window": True}, "window: expected integer"),
    ):
        assert said in called(name, arguments)["error"], (name, arguments)


def test_the_example_against_a_model_on_a_server() -> None:
    """The loop as a person starts it, with a server that speaks `/chat/completions`."""

    def answer(request: Request) -> Reply:
        told = [json.loads(m["content"]) for m in request.json["messages"] if m["role"] == "tool"]
        if not told:
            calls = [
                {"id": "1", "type": "function", "function": {
                    "name": "get_entity_state_tool", "arguments": '{"entity_id": "林婉"}'}},
                {"id": "2", "type": "function", "function": {
                    "name": "search_story_memory_tool", "arguments": "{}"}},
            ]  # fmt: skip
            return chat_reply(content=None, tool_calls=calls)
        assert told[0]["facts"] == {"left arm": "injured"}
        assert "needs query" in told[1]["error"]  # it may try again
        return say("She climbed. 她爬了上去。")

    with server_at("/v1", answer) as server:
        environment = {
            "STORY_ENDPOINT": server.address, "STORY_MODEL": "small", "STORY_KEY": "sk-local",
            "PYTHONIOENCODING": "utf-8",
        }  # fmt: skip
        ran = subprocess.run(
            [sys.executable, str(EXAMPLE)],
            capture_output=True,
            encoding="utf-8",
            env={**os.environ, **environment},
            check=False,
        )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.rstrip().endswith("She climbed. 她爬了上去。")
    first, second = server.requests
    assert first.headers["authorization"] == "Bearer sk-local"
    assert first.json["tools"] == StoryTools.definitions()
    assert [m.get("tool_call_id") for m in second.json["messages"][-2:]] == ["1", "2"]
