"""A story told and asked for on the command line."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.doors.running import Cli

CAST = [{"id": "lin", "name": "Lin Wan", "aliases": ["林婉"]}, {"name": "赵允", "titles": ["王爷"]}]
PLAN = {"title": "Back 归来", "characters": ["林婉"], "beats": ["her arm hurts", "谁下的毒"]}
HERE = ("--project", "river", "--chapter", "2", "--scene", "1")


def file(path: Path, told: Any) -> str:
    path.write_text(told if isinstance(told, str) else json.dumps(told), "utf-8")
    return str(path)


@pytest.fixture
def told(cli: Cli, tmp_path: Path) -> Path:
    assert cli("story", "cast", file(tmp_path / "cast.json", CAST), "--project", "river").code == 0
    chapter = "# Chapter 1\n\n林婉在码头受了伤。\n\n* * *\n\nThe prince 赵允 hid the letter.\n"
    added = cli("story", "add", file(tmp_path / "1.md", chapter), "--project", "river",
                "--chapter", "1")  # fmt: skip
    assert [json.loads(line)["entities"] for line in added.out.splitlines()] == [["lin"], ["赵允"]]
    return tmp_path


def test_chapter_index_and_scene_index_are_accepted(cli: Cli, told: Path) -> None:
    at = ("--project-id", "river", "--chapter-index", "2", "--scene-index", "1")
    added = cli("story", "add", file(told / "s.md", "林婉没有说话。Not a word."), *at).json
    assert (added["chapter"], added["scene"]) == (2, 1)
    assert cli("story", "state", "林婉", *at, "--set", "arm=stiff 僵硬").code == 0
    for names in (at, HERE):
        assert cli("story", "state", "林婉", *names).json["facts"] == {"arm": "stiff 僵硬"}
    plan = file(told / "plan.json", PLAN)
    context = cli("scene", "--plan", plan, *at[:4], "--scene-index", "2").json
    assert (context["chapter_index"], context["scene_index"]) == (2, 2)
    assert context["entity_states"][0]["facts"] == {"arm": "stiff 僵硬"}


def test_from_a_cast_to_a_context(cli: Cli, told: Path) -> None:
    states = {"林婉": {"left arm": "injured"}}
    added = cli(
        "story", "add", file(told / "s.md", "林婉没有说话。"), *HERE, "--tag", "雨",
        "--plan", file(told / "p.json", {"location": "码头"}), "--event", "林婉 falls",
        "--states", file(told / "states.json", states), "--thread", "谁下的毒？",
    ).json  # fmt: skip
    assert (added["events"], added["states"], len(added["threads"])) == (1, 1, 1)
    out = told / "context.json"
    ran = cli("scene", "--plan", file(told / "plan.json", PLAN), "--characters",
              str(told / "cast.json"), "--project", "river", "--chapter", "2", "--scene", "2",
              "--out", str(out))  # fmt: skip
    assert (ran.code, ran.out) == (0, "")
    assert "none is set; the phrases are made by rules" in ran.err
    context = json.loads(out.read_text("utf-8"))
    assert (context["project_id"], context["chapter_index"], context["scene_index"]) == (
        "river",
        2,
        2,
    )
    assert context["entity_states"][0]["facts"] == {"left arm": "injured"}
    places = [
        (memory["chapter_index"], memory["scene_index"]) for memory in context["relevant_memories"]
    ]
    assert {(1, 1), (2, 1)} <= set(places)
    assert max(places) < (2, 2)
    assert [e["text"] for e in context["timeline_context"]["events"]][-1] == "林婉 falls"
    assert context["status"] == "answered"
    said = cli("scene", "--plan", str(told / "plan.json"), "--project", "river", "--chapter", "2",
               "--scene", "2", "--text").out  # fmt: skip
    assert "Lin Wan  left arm: injured" in said


def test_words_are_linked_to_somebody(cli: Cli, told: Path) -> None:
    text = file(told / "s.md", "The widow 小寡妇 opened the drawer.")
    added = cli("story", "add", text, *HERE, "--mention", "the widow=林婉", "--mention",
                "小寡妇=王爷").json  # fmt: skip
    assert added["entities"] == ["lin", "赵允"]
    wrong = cli("story", "add", text, *HERE, "--mention", "the widow")
    assert (wrong.code, "--mention: expected WORDS=NAME" in wrong.error["message"]) == (2, True)


def test_a_file_that_cannot_be_written_is_a_warning(cli: Cli, told: Path) -> None:
    blocked = told / "1.md" / "context.json"  # below a file there is no folder
    ran = cli("scene", "--plan", file(told / "plan.json", PLAN), *HERE, "--out", str(blocked))
    assert ran.code == 0
    assert "warning: " in ran.err
    assert ran.json["relevant_memories"]  # it is not lost


def test_states_threads_and_timeline(cli: Cli, told: Path) -> None:
    assert cli("story", "state", "王爷", *HERE).json is None
    recorded = cli("story", "state", "王爺", *HERE, "--set", "mood=angry 怒", "--set", "hat=")
    assert recorded.json["facts"] == {"mood": "angry 怒"}
    said = cli("story", "state", *HERE, "--text").out
    assert said == "赵允  (since 2.1)\n    mood: angry 怒\n"
    opened = cli("story", "threads", *HERE, "--open", "赵允会回来吗？").json
    assert opened["entities"] == ["赵允"]
    closed = cli("story", "threads", "--project", "river", "--chapter", "4", "--scene", "1",
                 "--close", opened["id"], "--resolution", "he does").json  # fmt: skip
    assert closed["closed_at"] == {"chapter": 4, "scene": 1}
    assert len(cli("story", "threads", *HERE).out.splitlines()) == 1
    assert cli("story", "threads", "--project", "river", "--text").out == "nothing is open\n"
    timeline = cli("story", "timeline", "--project", "river", "--chapter", "1", "--text").out
    assert timeline == "1.1  林婉在码头受了伤。\n1.2  The prince 赵允 hid the letter.\n"
    later = cli("story", "timeline", *HERE, "--with-states", "--window", "0").json
    assert later["content_type"] == "entity_state"
    assert "Lin Wan (林婉)" in cli("story", "cast", "--project", "river", "--text").out


def test_a_look_back_is_shown_as_one(cli: Cli, told: Path) -> None:
    plan = file(told / "p.json", {"time": "三年前", "location": "码头"})
    cli("story", "add", file(told / "s.md", "林婉还小。"), *HERE, "--plan", plan)
    shown = cli("story", "timeline", *HERE, "--window", "0", "--text").out
    assert shown == "2.1  林婉还小。 (三年前; 码头)\n"
    later = ("--project", "river", "--chapter", "2", "--scene", "2", "--text")
    said = cli("scene", "--plan", file(told / "plan.json", PLAN), *later).out
    assert said.count("林婉还小。 (三年前)") == 2  # the passage and the event


def test_scenes_move_and_go(cli: Cli, told: Path) -> None:
    river = ("--project", "river")
    first = (*river, "--chapter", "1")
    cli("story", "state", "林婉", *first, "--scene", "1", "--set", "左臂=断了")
    assert cli("story", "move", *first, "--scene", "1", "--to", "3.2").json == {"memories": 3}
    state = cli("story", "state", "林婉", *river, "--chapter", "3", "--scene", "2").json
    assert (state["chapter_index"], state["scene_index"], state["facts"]) == (
        3,
        2,
        {"左臂": "断了"},
    )
    assert cli("story", "move", *first, "--to", "2", "--text").out == "2 memories moved\n"
    timeline = cli("story", "timeline", *river, "--chapter", "3", "--text").out
    assert timeline == "2.2  The prince 赵允 hid the letter.\n3.2  林婉在码头受了伤。\n"
    gone = cli("story", "remove", *river, "--chapter", "3", "--text")
    assert gone.out == "3 memories forgotten\n"
    assert cli("story", "state", "林婉", *river, "--chapter", "9", "--scene", "1").json is None


def test_a_slip_of_the_pen_and_an_empty_story_are_said(cli: Cli, told: Path) -> None:
    slip = "'林碗婉' is nobody of the cast; did you mean '林婉'?"
    assert slip in cli("story", "state", "林碗婉", *HERE).err
    refused = cli("story", "state", "林碗婉", *HERE, "--set", "a=b")
    assert (refused.code, slip in refused.error["message"]) == (2, True)
    assert slip in cli("story", "state", "林碗婉", *HERE, "--set", "a=b", "--allow-new").err
    assert slip in cli("story", "threads", *HERE, "--entity", "林碗婉").err
    plan = file(told / "plan.json", {"characters": ["林碗婉"]})
    assert slip in cli("scene", "--plan", plan, *HERE).err
    elsewhere = ("--project", "rivr", "--chapter", "2", "--scene", "1")
    said = cli("scene", "--plan", plan, *elsewhere, "--text").out
    assert said == "nothing was told of rivr before 2.1\n"


def test_a_context_within_a_budget(cli: Cli, told: Path) -> None:
    plan = file(told / "plan.json", PLAN)
    ran = cli("scene", "--plan", plan, *HERE, "--budget", "1")
    assert ran.json["relevant_memories"] == []
    assert "did not fit into 1 tokens" in ran.err


def test_from_a_pipe(cli: Cli, told: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def pipe(text: str) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))

    pipe("赵允在雨里。")
    added = cli("story", "add", "--project", "river", "--chapter", "3", "--scene", "1").json
    assert added["entities"] == ["赵允"]
    pipe(json.dumps(PLAN))
    context = cli("scene", "--plan", "-", "--project", "river", "--chapter", "3", "--scene", "2")
    assert context.json["relevant_memories"][0]["content_type"] == "scene"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("story", "add", "no-such.md", "--project", "r", "--chapter", "1"), "there is no file"),
        (("story", "add", "1.md", "--project", "r"), "which chapter?"),
        (("story", "add", "1.md", "--project", "r", "--chapter", "1", "--event", "x"), "--scene N"),
        (("story", "state", "x", "--project", "r"), "which scene?"),
        (("story", "state", "x", *HERE, "--set", "arm"), "expected KEY=VALUE"),
        (("story", "state", *HERE, "--set", "arm=x"), "whose state?"),
        (("story", "timeline", "--project", "r"), "up to where?"),
        (("story", "timeline", *HERE, "--set", "a=b"), "--set is for 'bethink story state'"),
        (("story", "cast", "1.md", "--project", "r"), "is not JSON"),
        (("story", "threads", *HERE, "--open", "x", "--close", "y"), "one at a time"),
        (("story", "remove", "--project", "river"), "which chapter?"),
        (("story", "move", "--project", "river", "--chapter", "1"), "where to?"),
        (("story", "move", "--project", "river", "--chapter", "1", "--to", "x"), "--to: expected"),
        (("story", "move", "--project", "river", "--chapter", "1", "--to", "2.1"), "a chapter to"),
        (("story", "remove", *HERE, "--to", "2"), "--to is for 'bethink story move'"),
        (("scene", "--plan", "1.md", *HERE), "is not JSON"),
        (("scene", "--plan", "-", "--characters", "-", *HERE), "only one of"),
        (("scene", "--plan", "bad.json", *HERE), "the plan: beats: "),
        (("scene", "--plan", "list.json", *HERE), "the plan: "),
    ],
)
def test_what_is_wrong_is_said(cli: Cli, told: Path, arguments: tuple[str, ...], said: str) -> None:
    file(told / "bad.json", {"beats": 7})
    file(told / "list.json", ["x"])
    ran = cli(*arguments)
    assert ran.code == 2
    assert said in ran.error["message"]


def test_asking_creates_no_store(cli: Cli, tmp_path: Path) -> None:
    for arguments in (("story", "timeline", *HERE), ("story", "state", "x", *HERE)):
        ran = cli(*arguments)
        assert (ran.code, ran.error["code"]) == (5, "store_missing")
    assert not (tmp_path / "memory.db").exists()


@pytest.mark.parametrize("damage", ["no store", "away"])
def test_a_store_that_fails_blocks_no_scene(cli: Cli, tmp_path: Path, damage: str) -> None:
    bad = tmp_path / "bad.db"
    bad.write_bytes(b"no store " * 1000)
    store = str(bad) if damage == "no store" else "postgresql://nobody@127.0.0.1:1/none"
    out = tmp_path / "context.json"
    plan = {
        "title": "Back 归来",
        "characters": ["林婉"],
        "beats": ["谁下的毒", "the poisoned blade"],
    }
    ran = cli("scene", "--plan", file(tmp_path / "plan.json", plan), "--characters",
              file(tmp_path / "cast.json", CAST), *HERE, "--out", str(out),
              "--store", store)  # fmt: skip
    assert (ran.code, ran.out) == (0, "")
    assert "store: " in ran.err and "degraded" in ran.err
    context = json.loads(out.read_text("utf-8"))
    assert (context["status"], context["project_id"]) == ("degraded", "river")
    assert context["missing"][0].startswith("store: ")
    assert "谁下的毒" in str(context["phrases"])
    assert (context["entity_states"], context["timeline_context"]) == ([], None)


def test_a_damaged_page_costs_what_it_held(cli: Cli, told: Path) -> None:
    """The store opens, and some of it cannot be read: the file is written all the same."""
    store = Path(cli("status").json["store"])
    pages = store.read_bytes()
    store.write_bytes(pages[: 4096 * 3] + b"\x5a" * (len(pages) - 4096 * 5) + pages[-4096 * 2 :])
    out = told / "context.json"
    ran = cli("scene", "--plan", file(told / "plan.json", PLAN), *HERE, "--out", str(out))
    assert ran.code == 0
    context = json.loads(out.read_text("utf-8"))
    assert context["status"] == "degraded"
    assert context["missing"]


def test_a_project_that_is_mistyped_is_told_apart_from_an_empty_one(cli: Cli, told: Path) -> None:
    plan = file(told / "plan.json", PLAN)
    wrong = ("--project", "rivre", "--chapter", "2", "--scene", "1")
    ran = cli("scene", "--plan", plan, *wrong)
    assert ran.json["status"] == "empty"
    assert any("there is no 'rivre'" in note for note in ran.json["notes"])
    for what in ("timeline", "threads", "cast"):
        asked = cli("story", what, *wrong[: 2 if what == "cast" else 6])
        assert "there is no project 'rivre'; did you mean 'river'?" in asked.err
    assert cli("story", "cast", file(told / "c.json", CAST), "--project", "begun").code == 0
    begun = cli("scene", "--plan", plan, "--project", "begun", "--chapter", "1", "--scene", "1")
    assert begun.json["status"] == "empty"
    assert not any("there is no" in note for note in begun.json["notes"])
    asked = cli("story", "timeline", "--project", "begun", "--chapter", "1")
    assert "there is no project" not in asked.err
