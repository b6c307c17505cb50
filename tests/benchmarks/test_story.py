"""The story benchmark: it sees what is there, what is missing and what leaks; and it runs."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from benchmarks.quality.sets import Document
from benchmarks.story.__main__ import main
from benchmarks.story.checks import leaks, verdicts
from benchmarks.story.dialogues import cast_of, dialogues, sessions
from benchmarks.story.measure import latest
from benchmarks.story.model import Script, serving
from benchmarks.story.novel import LANGUAGES, At, load
from benchmarks.story.page import main as make_page
from benchmarks.story.report import rows
from benchmarks.story.runs import MAIN, RUNS

from bethink.llms.openai_compatible import OpenAICompatibleLLM
from bethink.llms.protocol import complete_json
from bethink.story import (
    EntityStateSnapshot,
    SceneMemoryContext,
    StoryMemoryChunk,
    Thread,
    TimelineContext,
    TimelineEntry,
)
from bethink.story.models import ScenePoint, Source

DUEL = At(9, 3)
THREADS = {"lost_dog": "t1"}


def context(**parts: object) -> SceneMemoryContext:
    told = {"project_id": "p", "chapter_index": 9, "scene_index": 3, **parts}
    return SceneMemoryContext.model_validate(
        {"retrieval_timestamp": datetime(2026, 1, 1, tzinfo=UTC), **told}
    )


def state(entity: str, fact: str, value: str, at: At) -> EntityStateSnapshot:
    source = Source(memory_id="m", chapter=at.chapter, scene=at.scene)
    return EntityStateSnapshot(
        entity_id=entity,
        name=entity,
        chapter_index=at.chapter,
        scene_index=at.scene,
        facts={fact: value},
        sources={fact: source},
    )


def happened(event: TimelineEntry) -> TimelineContext:
    return TimelineContext(from_chapter_index=1, to_chapter_index=4, events=[event])


def passage(text: str, at: At) -> StoryMemoryChunk:
    return StoryMemoryChunk(
        id=text,
        text=text,
        score=0.5,
        chapter_index=at.chapter,
        scene_index=at.scene,
        content_type="scene",
    )


@pytest.mark.parametrize(
    ("language", "sword", "fact", "holder"),
    [("en", "greywake", "holder", "Brandt"), ("zh", "huilang", "持有人", "卜岩")],
)
def test_what_is_there_is_seen(language: str, sword: str, fact: str, holder: str) -> None:
    novel = load(language)
    nothing = {v.check.id: v for v in verdicts(novel, DUEL, context(), THREADS)}
    assert {v.holds for v in nothing.values()} == {True, False}
    assert all(v.holds == (v.check.say == "never") for v in nothing.values())
    ours = next(v for v in nothing.values() if v.check.about.startswith(sword))
    assert ours.implied
    lesson, ring = novel.scene(At(2, 2)), novel.scene(At(5, 3))
    full = context(
        entity_states=[state(sword, fact, holder, At(4, 1))],
        relevant_memories=[passage(ring.text, ring.at), passage(lesson.text, lesson.at)],
        open_threads=[
            Thread(id="t1", text="?", opened_at=ScenePoint(chapter=6, scene=1), entities=[])
        ],
    )
    found = {v.check.id: v for v in verdicts(novel, DUEL, full, THREADS)}
    assert found[ours.check.id].holds
    taught = next(v for v in found.values() if v.check.about == "2.2")
    assert (taught.holds, taught.rank) == (True, 2)
    for about in ("5.3", "lost_dog"):  # must not be there, and is
        assert not next(v for v in found.values() if v.check.about == about).holds
    assert leaks(novel, DUEL, full) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_leaks_are_seen_by_place_and_by_words(language: str) -> None:
    novel = load(language)
    later = novel.scene(At(12, 1))
    earlier = novel.scene(At(4, 1))
    assert leaks(novel, DUEL, context()) == []
    by_place = context(entity_states=[state("x", "f", "v", DUEL)])
    assert len(leaks(novel, DUEL, by_place)) == 2  # the state, and the source of its fact
    by_words = context(relevant_memories=[passage(later.text, earlier.at)])
    assert any(str(later.at) in leak for leak in leaks(novel, DUEL, by_words))
    event = TimelineEntry(chapter=4, scene=1, text=later.event)
    assert any(
        later.event in leak
        for leak in leaks(novel, DUEL, context(timeline_context=happened(event)))
    )
    fine = context(timeline_context=happened(TimelineEntry(chapter=4, scene=1, text=earlier.event)))
    assert leaks(novel, DUEL, fine) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_model_answers_over_http(language: str) -> None:
    novel = load(language)
    script = Script(novel)
    with serving(script) as address:
        llm = OpenAICompatibleLLM("scripted", endpoint=address)
        plan = {"plan": {"title": novel.scene(DUEL).title}}
        told = complete_json(llm, "plan", plan, schema={"type": "object"}, seconds=30)
        llm.close()
    assert told == novel.answers[DUEL]
    assert script.asked == 1


def test_shares_are_counted() -> None:
    novel = load("en")
    counted = rows("last ten", "en", latest(novel))
    whole = [row for row in counted if row["kind"] == "memories" and row["say"] == "must"]
    assert sum(row["of"] for row in whole) == sum(
        check.part == "memories" and check.say == "must" for check in novel.checks
    )
    assert 0 < sum(row["right"] for row in whole) < sum(row["of"] for row in whole)
    few = sum(row["right"] for row in counted if row["kind"] == "first 3")
    assert few < sum(row["right"] for row in whole)


@pytest.mark.parametrize(("language", "runs"), [("en", "all"), ("zh", "main")])
def test_it_runs_and_nothing_leaks(
    language: str, runs: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With an embedder that loads at once: every way of making a context, and the page of it."""
    out = tmp_path / "story.json"
    told = ["--language", language, "--runs", runs, "--embedder", "hashing", "--out", str(out)]
    assert main(told) == 0
    measured = json.loads(out.read_text("utf-8"))
    ways = list(RUNS if runs == "all" else MAIN)
    assert [figures["run"] for figures in measured["figures"]] == ways
    assert measured["leaks"] == []
    right = [row for row in measured["counted"] if row["run"] in ("rules", "model")]
    for kind, least in (("states", 0.9), ("timeline", 1.0), ("threads", 1.0), ("memories", 0.7)):
        mine = [row for row in right if row["kind"] == kind]
        share = sum(row["right"] for row in mine) / sum(row["of"] for row in mine)
        assert share >= least, (kind, share)
    capsys.readouterr()
    assert make_page([str(out)]) == 0
    page = capsys.readouterr().out
    assert all(f"| {way} | " in page for way in ways)
    assert f"Leaks in all {len(ways)} runs, with every part taken out in turn: 0." in page


def test_unknown_languages_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--language", "fr"]) == 2
    assert "en, zh" in capsys.readouterr().err
    assert make_page([]) == 2


def test_sessions_are_scenes() -> None:
    days = [datetime(2023, 5, day, tzinfo=UTC) for day in (1, 1, 1, 2)]
    told = [
        Document(str(n), f"text {n}", "g", seq, speaker, day)
        for n, (seq, speaker, day) in enumerate(
            zip((0, 0, 1, 2), ("Ann", "Bo", "Ann", "Bo"), days, strict=True)
        )
    ]
    found = sessions(told)
    assert [(one.chapter, one.scene, len(one.documents)) for one in found] == [
        (1, 1, 2), (1, 2, 1), (2, 1, 1),
    ]  # fmt: skip
    assert [one.name for one in cast_of("g", told).characters] == ["Ann", "Bo"]
    unnamed = [Document("1", "用户：你好", "张曼婷", 0)]
    assert cast_of("张曼婷", unnamed).characters[0].aliases == ["用户"]


def test_dialogues_are_asked(tmp_path: Path) -> None:
    lines = [
        ("1", 0, "2023-05-01", "用户：我的猫叫豆包。\nAI：真可爱。"),
        ("2", 1, "2023-05-01", "用户：今天下雨了。\nAI：记得带伞。"),
        ("3", 2, "2023-05-02", "用户：我想学钢琴。\nAI：从音阶开始吧。"),
    ]
    rows_of = [{"id": i, "group": "林", "seq": n, "timestamp": d, "text": t}
               for i, n, d, t in lines]  # fmt: skip
    folder = tmp_path / "small"
    folder.mkdir()
    question = {"id": "q", "group": "林", "text": "我的猫叫什么？"}
    for name, told in (("corpus", rows_of), ("queries", [question])):
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in told)
        (folder / f"{name}.jsonl").write_text(text, "utf-8")
    (folder / "qrels.tsv").write_text("q\t1\t1\n", "utf-8")
    (first, *_) = found = dialogues(folder, "hashing")
    assert {row["asked"] for row in found} == {1}
    assert (first["any"], first["first 3"], first["leaks"]) == (1, 1, 0)
