"""A story over HTTP: told, asked for, and kept within its walls. The client checks each answer
against the documented form."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.doors.http.served import Served

AT = {"chapter": 1, "scene": 1}
CAST = {"characters": [
    {"id": "lin", "name": "Lin Wan", "aliases": ["林婉"], "titles": ["Captain"]},
    {"id": "zhao", "name": "赵允", "titles": ["王爷"]},
]}  # fmt: skip
RIVER = "/v1/story/river"


@pytest.fixture
def story(client: httpx.Client) -> httpx.Client:
    assert client.put(f"{RIVER}/cast", json=CAST).json() == {"project_id": "river", "notes": []}
    added = client.post(
        f"{RIVER}/scenes",
        json={
            **AT, "text": "林婉在码头受了伤。The blade was poisoned.",
            "plan": {"location": "码头", "tags": ["雨"]},
            "states": {"Captain": {"left arm": "injured", "age": 19}},
            "events": [{"text": "林婉 is wounded", "participants": ["林婉"]}],
            "threads": ["谁下的毒？ Who poisoned Lin Wan?"],
        },
    )  # fmt: skip
    assert added.status_code == 201
    assert (added.json()["entities"], added.json()["states"]) == (["lin"], 1)
    return client


def test_from_a_scene_to_the_context_of_the_next(story: httpx.Client) -> None:
    chapter = {"chapter": 2, "text": "# Chapter 2\n赵允 waits.\n***\nFUTURE 林婉 is healed."}
    scenes = story.post(f"{RIVER}/chapters", json=chapter).json()["scenes"]
    assert [(one["scene"], one["entities"]) for one in scenes] == [(1, ["zhao"]), (2, ["lin"])]
    plan = {"title": "Poison 毒", "characters": ["林婉"], "beats": ["her arm hurts"]}
    asked = {"chapter": 2, "scene": 2, "plan": plan, "characters": CAST, "deadline": 5}
    context = story.post(f"{RIVER}/context", json=asked).json()
    assert context["entity_states"][0]["facts"] == {"left arm": "injured", "age": "19"}
    assert context["relevant_memories"][0]["chapter_index"] == 1
    assert [thread["opened_at"] for thread in context["open_threads"]] == [AT]
    assert "FUTURE" not in str(context)
    assert context["status"] == "answered"  # by rules
    ahead = story.post(f"{RIVER}/context", json={**asked, "scene": 1, "allow_future": True})
    assert "FUTURE" in ahead.text
    by_names = story.post(f"{RIVER}/context", json={**asked, "characters": ["王爺"]}).json()
    assert by_names["chapter_index"] == 2


def test_states_timeline_threads_and_search(story: httpx.Client) -> None:
    at = {"entity": "林婉", "chapter": "4", "scene": "1"}
    assert story.get(f"{RIVER}/state", params=at).json()["state"]["entity_id"] == "lin"
    nobody = story.get(f"{RIVER}/state", params={**at, "entity": "nobody"})
    assert nobody.json() == {"state": None, "notes": []}
    slip = "'林碗婉' is nobody of the cast; did you mean '林婉'?"
    nearly = story.get(f"{RIVER}/state", params={**at, "entity": "林碗婉"})
    assert nearly.json() == {"state": None, "notes": [slip]}
    made = {"entity": "林碗婉", "chapter": 9, "scene": 1, "facts": {"a": "b"}}
    refused = story.post(f"{RIVER}/states", json=made)
    assert (refused.status_code, slip in refused.json()["detail"]) == (422, True)
    new = story.post(f"{RIVER}/states", json={**made, "allow_new": True})
    assert new.json()["notes"] == [slip]
    everybody = story.get(f"{RIVER}/states", params={"chapter": 4, "scene": 1}).json()["states"]
    assert [one["entity_id"] for one in everybody] == ["lin"]
    told = {"entity": "captain", "chapter": 3, "scene": 1, "facts": {"left arm": "healed"}}
    assert story.post(f"{RIVER}/states", json=told).status_code == 201
    assert story.get(f"{RIVER}/state", params=at).json()["state"]["facts"]["left arm"] == "healed"
    timeline = story.get(f"{RIVER}/timeline", params={"chapter": 3, "states": True}).json()
    assert [one["content_type"] for one in timeline["timeline"]] == [
        "event", "entity_state", "entity_state",
    ]  # fmt: skip
    opened = story.post(f"{RIVER}/threads", json={**AT, "text": "赵允呢？"}).json()["id"]
    closing = {"id": opened, "chapter": 5, "scene": 1, "resolution": "he came"}
    assert story.post(f"{RIVER}/threads/close", json=closing).json() == {"id": opened}
    open_now = story.get(f"{RIVER}/threads").json()["threads"]
    assert [one["entities"] for one in open_now] == [["lin"]]
    then = story.get(f"{RIVER}/threads", params={"chapter": 4, "scene": 9, "entity": "王爷"}).json()
    assert [one["closed_at"] for one in then["threads"]] == [None]
    search = {"query": "毒 poisoned", "entities": ["林婉"], "tags": ["雨"], "before": [2, 1]}
    found = story.post(f"{RIVER}/search", json=search).json()["memories"]
    assert [one["content_type"] for one in found] == ["scene"]
    assert story.post(f"{RIVER}/search", json={**search, "before": [1, 1]}).json()["memories"] == []
    assert story.get(f"{RIVER}/cast").json()["characters"][1]["name"] == "赵允"


def test_words_are_linked_to_somebody(story: httpx.Client) -> None:
    body = {
        "chapter": 3, "scene": 1, "text": "The widow 小寡妇 opened the drawer.",
        "mentions": {"the widow": "林婉", "小寡妇": "王爷"},
    }  # fmt: skip
    assert story.post(f"{RIVER}/scenes", json=body).json()["entities"] == ["lin", "zhao"]


def test_scenes_move_and_go(story: httpx.Client) -> None:
    def threads() -> list[Any]:
        return list(story.get(f"{RIVER}/threads").json()["threads"])

    (before,) = threads()
    place = before["opened_at"]
    to = {"to_chapter": 30, "to_scene": 2}
    moved = story.post(f"{RIVER}/move", json={**place, **to})
    assert (moved.status_code, moved.json()["memories"] >= 3) == (200, True)
    assert [one["opened_at"] for one in threads()] == [{"chapter": 30, "scene": 2}]
    again = story.post(f"{RIVER}/move", json={**place, **to})
    assert (again.status_code, "nothing was told of" in again.text) == (404, True)
    half = story.post(f"{RIVER}/move", json={"chapter": 30, "scene": 2, "to_chapter": 1})
    assert (half.status_code, "a scene moves to a scene" in half.text) == (422, True)
    removed = story.delete(f"{RIVER}/scenes", params={"chapter": 30})
    assert removed.json() == moved.json()
    assert threads() == []
    none = story.delete(f"{RIVER}/scenes", params={"chapter": 30, "scene": 2})
    assert none.json() == {"memories": 0}


def test_chapter_index_and_scene_index_are_accepted(story: httpx.Client) -> None:
    at = {"chapter_index": 2, "scene_index": 1}
    told = {**at, "text": "林婉上了船。Lin Wan boards the ship.", "events": ["林婉 boards"]}
    assert story.post(f"{RIVER}/scenes", json=told).status_code == 201
    for path, others in (("state", {"entity": "林婉"}), ("states", {}), ("threads", {})):
        answers = [
            story.get(f"{RIVER}/{path}", params={**others, **place})
            for place in (at, {"chapter": 2, "scene": 1})
        ]
        assert [one.status_code for one in answers] == [200, 200]
        assert answers[0].json() == answers[1].json()
        assert "injured" in answers[0].text or path == "threads"
    (first,) = story.get(f"{RIVER}/timeline", params={"chapter_index": 2, "window": 0}).json()[
        "timeline"
    ]
    assert (first["chapter"], first["scene"]) == (2, 1)
    context = story.post(f"{RIVER}/context", json={"chapter_index": 3, "scene_index": 1}).json()
    assert (context["chapter_index"], context["scene_index"]) == (3, 1)
    moved = story.post(
        f"{RIVER}/move", json={**at, "to_chapter_index": 5, "to_scene_index": 2}
    ).json()
    gone = {"chapter_index": 5, "scene_index": 2}
    assert story.delete(f"{RIVER}/scenes", params=gone).json() == moved
    both = story.get(f"{RIVER}/states", params={**at, "chapter": 3})
    assert (both.status_code, "leave one of them out" in both.text) == (422, True)
    neither = story.get(f"{RIVER}/states", params={"scene_index": 3})
    assert (neither.status_code, "which chapter?" in neither.text) == (422, True)


def test_a_context_within_a_budget(story: httpx.Client) -> None:
    asked = {"chapter": 2, "scene": 1, "plan": {"characters": ["林婉"]}}
    small = story.post(f"{RIVER}/context", json={**asked, "budget": 1}).json()
    assert (small["entity_states"], small["relevant_memories"]) == ([], [])
    assert "did not fit into 1 tokens" in small["missing"][-1]


@pytest.mark.parametrize(
    ("path", "body", "words"),
    [
        ("scenes", {**AT, "text": " "}, "nothing to add"),
        ("scenes", {**AT, "text": "x", "plan": {"beats": 7}}, "beats"),
        ("scenes", {"chapter": -1, "scene": 1, "text": "x"}, "chapter: expected a whole number"),
        ("scenes", {**AT, "text": "x", "states": {"林婉": {}}}, "facts"),
        ("states", {**AT, "entity": "", "facts": {"a": "b"}}, "no name"),
        ("context", {**AT, "characters": 7}, "characters"),
        ("context", {**AT, "deadline": 0}, "deadline"),
        ("context", {**AT, "budget": 0}, "budget"),
        ("search", {"query": ""}, "empty"),
        ("search", {"query": "x", "top_k": 0}, "top_k"),
        ("threads/close", {**AT, "id": "nothing"}, "no thread"),
    ],
)
def test_what_is_wrong_is_said(story: httpx.Client, path: str, body: Any, words: str) -> None:
    answer = story.post(f"{RIVER}/{path}", json=body)
    assert answer.status_code in (404, 422), answer.text
    assert words in answer.json()["detail"]


def test_a_scene_that_is_sent_twice_is_there_once(story: httpx.Client) -> None:
    body = {"chapter": 3, "scene": 1, "text": "雨 rain."}
    first = story.post(f"{RIVER}/scenes", json=body, headers={"Idempotency-Key": "k1"})
    again = story.post(f"{RIVER}/scenes", json=body, headers={"Idempotency-Key": "k1"})
    assert first.json() == again.json()
    assert again.headers["Idempotency-Replayed"] == "true"
    without = story.post(f"{RIVER}/scenes", json=body)
    assert without.json()["memory_ids"] == first.json()["memory_ids"]


def test_a_key_of_another_story_sees_nothing_of_it(served: Served) -> None:
    owner = served.keyed("admin")
    owner.put(f"{RIVER}/cast", json=CAST)
    owner.post(f"{RIVER}/scenes", json={**AT, "text": "林婉的秘密 secret"})
    other = served.keyed("read", "write", spaces=["江湖"])
    for method, path, body in (
        ("GET", "cast", None), ("POST", "context", AT), ("POST", "search", {"query": "秘密"}),
        ("POST", "scenes", {**AT, "text": "mine"}), ("GET", "threads", None),
        ("PUT", "cast", CAST),
    ):  # fmt: skip
        answer = other.request(method, f"{RIVER}/{path}", json=body)
        assert answer.status_code == 404, path
        assert "秘密" not in answer.text
    mine = "/v1/story/江湖"
    assert other.put(f"{mine}/cast", json=CAST).status_code == 200
    assert other.post(f"{mine}/scenes", json={**AT, "text": "林婉来了"}).status_code == 201
    assert (
        other.post(f"{mine}/search", json={"query": "林婉"}).json()["memories"][0]["chapter_index"]
        == 1
    )
    only_writes = served.keyed("write", spaces=["江湖"])
    told = only_writes.post(f"{mine}/scenes", json={**AT, "text": "林婉走了"}).json()
    assert (told["entities"], told["notes"]) == ([], [])  # who is in the cast is for readers
