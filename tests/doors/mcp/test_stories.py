"""A story's tools over MCP, for who starts the server for one."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest

from bethink import Engine
from bethink.settings import Settings
from bethink.story import StoryTools
from tests.doors.mcp.asking import on_stdio
from tests.doors.running import Cli
from tests.story.telling import story_in

STORY = {one["function"]["name"] for one in StoryTools.definitions()}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "m.db"
    with Engine(path, embedder="hashing", settings=Settings()) as engine:
        story = story_in(engine, "江湖")
        story.add_scene(1, 1, "林婉在码头受了伤。", states={"Captain": {"arm": "injured 受伤"}})
        story.add_scene(3, 1, "FUTURE 码头 dock", states={"林婉": {"arm": "FUTURE"}})
        engine.remember("another space 别处 码头")
    return path


def test_a_model_looks_things_up_in_its_story(store: Path) -> None:
    async def talk() -> None:
        async with on_stdio(store, "--story", "江湖", "--chapter", "2", "--scene", "1") as ask:
            assert await ask.names() > STORY
            found = (await ask("search_story_memory_tool", query="码头", entities="林婉")).data
            assert [one["text"] for one in found["result"]] == ["林婉在码头受了伤。"]
            assert found["notice"]
            state = (await ask("get_entity_state_tool", entity_id="captain", chapter_index=9)).data
            assert state["result"]["facts"] == {"arm": "injured 受伤"}
            nobody = await ask("get_entity_state_tool", entity_id="nobody")
            assert nobody.data["result"] is None
            timeline = (await ask("get_recent_timeline_tool")).data["result"]
            assert {one["chapter_index"] for one in timeline} == {1}
            assert timeline[0]["facts"] == {"arm": "injured 受伤"}
            wrong = await ask("search_story_memory_tool", query="x", top_k=0)
            assert wrong.error["code"] == "invalid_input"

    anyio.run(talk)


@pytest.mark.parametrize("spaces", [(), ("--space", "江湖", "--space", "global")])
def test_no_other_tool_tells_what_comes_later(store: Path, spaces: tuple[str, ...]) -> None:
    """`recall` knows no scenes: who writes scene 2.1 would be told how the story ends."""

    async def talk() -> None:
        scene = ("--story", "江湖", "--chapter", "2", "--scene", "1")
        async with on_stdio(store, *scene, *spaces) as ask:
            found = await ask("get_entity_state_tool", entity_id="captain")
            assert found.data["result"]["facts"] == {"arm": "injured 受伤"}
            for tool, given in (
                ("recall", {"question": "码头 dock FUTURE"}),
                ("context", {"question": "码头 dock FUTURE"}),
                ("recent", {}),
                ("status", {}),
            ):
                told = await ask(tool, **given)
                assert "FUTURE" not in str(told.data)
                assert "江湖" not in str(told.data)
                if tool != "status":
                    refused = await ask(tool, **given, spaces=["江湖"])
                    assert refused.error["code"] == "unknown_space"
            assert "别处" in str((await ask("recall", question="码头")).data)  # the rest is there
        by_index = ("--story", "江湖", "--chapter-index", "2", "--scene-index", "1")
        async with on_stdio(store, *by_index) as ask:
            asked = await ask("search_story_memory_tool", query="码头 dock")
            assert asked.data["result"]
            assert "FUTURE" not in str(asked.data)
        async with on_stdio(store, "--story", "江湖") as ask:  # bound to no scene: all of it
            assert "FUTURE" in str((await ask("recall", question="dock", spaces=["江湖"])).data)

    anyio.run(talk)


def test_nobody_else_pays_for_them(store: Path) -> None:
    async def talk() -> None:
        async with on_stdio(store) as ask:
            assert not await ask.names() & STORY
        # a story outside of what the agent may see does not exist for it
        async with on_stdio(store, "--story", "江湖", "--space", "global") as ask:
            refused = await ask("get_recent_timeline_tool")
            assert refused.error["code"] == "unknown_space"

    anyio.run(talk)


def test_what_does_not_fit_is_said(cli: Cli) -> None:
    alone = cli("mcp", "--story", "p", "--chapter", "1", "--space", "p")
    assert "no space is left for the others" in alone.error["message"]
    assert "give --story PROJECT" in cli("mcp", "--chapter", "1").error["message"]
    assert "give --chapter N" in cli("mcp", "--story", "p", "--scene", "1").error["message"]
