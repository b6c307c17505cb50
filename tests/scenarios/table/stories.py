"""A story: told, asked for, told again, moved."""

from __future__ import annotations

from typing import Any

from tests.scenarios.scenario import CLI, MCP, Step, do, named, wrong

NOT_MCP = (MCP,)
NEITHER = (CLI, MCP)
_P = "江湖/river"
_CAST: list[dict[str, Any]] = [
    {"id": "lin", "name": "Lin Wan", "aliases": ["林婉", "阿婉"], "titles": ["Captain"]},
    {"id": "zhao", "name": "赵允"},
    {"id": "sword", "name": "月剑", "kind": "object"},
]
_PLAN = {"summary": "林婉 asks for the sword 月剑", "characters": ["阿婉"], "location": "码头"}


def _do(verb: str, *, project: str = _P, not_at: tuple[str, ...] = NOT_MCP, **told: Any) -> Step:
    return do(verb, project=project, not_at=not_at, **told)


def _wrong(verb: str, code: str, says: str, **told: Any) -> Step:
    return wrong(verb, code, says, **{"project": _P, "not_at": NOT_MCP, **told})


_TOLD = (
    _do("set_story_cast", characters=_CAST, holds={"characters.*.id": ["lin", "zhao", "sword"]}),
    _do("add_story_scene", chapter=1, scene=1, text="林婉在码头受了伤。The Captain fell.",
        plan={"location": "码头", "tags": ["雨"]}, states={"阿婉": {"arm 臂": "broken 断了"}},
        events=["林婉 is wounded"], threads=["谁伤了林婉？"], tags=["draft"],
        holds={"entities": ["lin"], "events": 1, "states": 1, "notes": []}),
    _do("add_story_chapter", chapter=2, text="# 第二章\n赵允拿走了月剑。\n***\n下雪了。It snowed.",
        holds={"*.scene": [1, 2], "*.entities": [["zhao", "sword"], []]}),
    _do("record_story_state", entity="月劍", chapter=2, scene=1, facts={"holder": "赵允"}),
)  # fmt: skip

STORIES = (
    named(
        "from a cast to the context of the next scene",
        *_TOLD,
        _do("story_cast", holds={"characters.#": 3}),
        _do("story_state", entity="captain", chapter=2, scene=2,
            holds={"state.facts": {"arm 臂": "broken 断了"}, "state.chapter_index": 1}),
        _do("story_state", entity="月剑", chapter=1, scene=1, holds={"state": None}),
        _do("story_states", chapter=2, scene=1, holds={"*.entity_id": ["lin", "sword"]}),
        _do("story_timeline", chapter=2, holds={"*.text": [
            "林婉 is wounded", "赵允拿走了月剑。", "下雪了。"]}),
        _do("story_timeline", chapter=2, scene=1, window=0, holds={"#": 1}),
        _do("search_story", query="snow 下雪", before=[3, 1], top_k=2, not_at=NEITHER),
        _do("search_story", query="snow 下雪", before=[2, 1], not_at=NEITHER),
        _do("scene_context", chapter=3, scene=1, plan=_PLAN,
            holds={"status": "answered", "entity_states.*.entity_id": ["lin", "sword"],
                   "open_threads.#": 1}),
        _do("scene_context", chapter=1, scene=2, plan=_PLAN, characters=["赵允"],
            holds={"entity_states.#": 1, "timeline_context.events.#": 1}),
        _do("scene_context", chapter=1, scene=1, plan=_PLAN, allow_future=True,
            holds={"entity_states.#": 2}),
        _do("scene_context", chapter=3, scene=1, plan=_PLAN, budget=1,
            holds={"entity_states": [], "relevant_memories": [], "open_threads": []}),
        _do("scene_context", project="nowhere", chapter=3, scene=1, plan=_PLAN,
            holds={"entity_states": [], "relevant_memories": []}),
        _do("story_state", project="other", entity="林婉", chapter=9, scene=9,
            holds={"state": None}),
    ),
    named(
        "threads open and close",
        *_TOLD,
        _do("open_story_thread", text="剑在哪里？", chapter=2, scene=1, keep="sword"),
        _do("close_story_thread", id="$sword", chapter=3, scene=1, resolution="井里"),
        _do("story_threads", chapter=2, scene=2, holds={"#": 2, "1.closed_at": None}),
        _do("story_threads", holds={"*.text": ["谁伤了林婉？"]}),
        _do("story_threads", closed=True, holds={"1.resolution": "井里"}),
        _wrong("close_story_thread", "not_found", "no thread", id="nothing", chapter=1, scene=1),
        _wrong("close_story_thread", "invalid_input", "cannot be closed before",
               id="$sword", chapter=1, scene=1),
    ),
    named(
        "scenes told again, moved and removed",
        *_TOLD,
        _do("add_story_scene", chapter=1, scene=1, text="林婉在码头受了伤。The Captain stood.",
            holds={"notes": []}),
        _do("story_timeline", chapter=1, holds={"*.place": ["码头"]}),
        _do("move_in_story", chapter=1, scene=1, to_chapter=4, to_scene=2, holds={"memories": 4}),
        _do("story_state", entity="lin", chapter=4, scene=1, holds={"state": None}),
        _do("story_state", entity="lin", chapter=4, scene=2,
            holds={"state.facts": {"arm 臂": "broken 断了"}}),
        _wrong("move_in_story", "not_found", "nothing was told of chapter 1", chapter=1,
               to_chapter=9),
        _wrong("move_in_story", "invalid_input", "already", chapter=4, to_chapter=2),
        _do("move_in_story", chapter=2, to_chapter=1, holds={"memories": 5}),
        _do("remove_from_story", chapter=1, scene=1, holds={"memories": 3}),
        _do("remove_from_story", chapter=4, holds={"memories": 4}),
        _do("story_threads", holds={"#": 0}),
        _do("story_timeline", chapter=9, window=9, holds={"*.text": ["下雪了。"]}),
    ),
    named(
        "stories refuse what makes no sense",
        *_TOLD,
        _wrong("add_story_scene", "invalid_input", "nothing to add", chapter=1, scene=1, text=" "),
        _wrong("add_story_chapter", "invalid_input", "nothing to add", chapter=1, text="***"),
        _wrong("add_story_scene", "invalid_input", "expected a whole number", chapter=-1, scene=1,
               text="x"),
        _wrong("record_story_state", "invalid_input", "too long for a name", entity="长" * 101,
               chapter=1, scene=1, facts={"a": "b"}),
        _wrong("scene_context", "invalid_input", "budget", chapter=1, scene=1, plan={}, budget=0),
        _wrong("story_timeline", "invalid_input", "window", chapter=1, window=-1),
        _wrong("story_cast", "invalid_input", "no name for a space", project="a!b"),
    ),
)  # fmt: skip
