"""What each preset does that the others do not."""

from __future__ import annotations

import pytest
from pytest import approx

from bethink import Engine, Status
from bethink.errors import InvalidInput
from bethink.testing import FakeClock
from bethink.vocabulary import Recollection
from tests.recall.asking_presets import clock as clock
from tests.recall.asking_presets import engine as engine
from tests.recall.asking_presets import letters as letters
from tests.recall.asking_presets import notes
from tests.recall.working import add, heard


def stages_that_ran(answer: Recollection) -> list[str]:
    return [step.stage for step in answer.trace.steps]


# Workflow


@pytest.mark.parametrize(
    ("told", "question"),
    [("step {} of the release", "the garden in June"), ("发布的第{}步", "六月的花园")],
)
def test_workflow_ten_newest_then_the_five_nearest(
    engine: Engine, clock: FakeClock, told: str, question: str
) -> None:
    for number, more in enumerate("roses tulips 牡丹 ivy fern 玉兰 moss 荷花".split()):
        engine.remember(f"the garden in June 六月的花园 {more} {number}", id=f"cold-{number}")
    add(engine, *(heard(f"hot-{n}", told.format(n)) for n in range(11)), now=clock.now)
    answer = engine.recall(question, preset="workflow", floor=0)
    assert [hit.id for hit in answer.hits[:10]] == [f"hot-{number}" for number in range(10, 0, -1)]
    assert [hit.score for hit in answer.hits[:10]] == [1.0] * 10
    cold = answer.hits[10:]
    assert len(cold) == 5
    for hit in cold:  # 1 − cosine distance
        assert hit.score == approx(hit.channels["meaning"].score, abs=1e-6)
    assert answer.hits[10].score < 1


def test_workflow_room_for_fifteen_whole_passages(engine: Engine, clock: FakeClock) -> None:
    long = "每一条都很长的中文记录，写满五百个字。" * 26
    for number in range(20):
        engine.remember(f"{number} {long}")
    add(engine, *(heard(f"hot-{n}", f"最近 {n} {long}") for n in range(20)), now=clock.now)
    answer = engine.recall("中文记录", preset="workflow", floor=0)
    assert len(answer.hits) == 15
    assert all(len(hit.text) > 400 for hit in answer.hits)


# Notebook


def test_notebook_route_then_day_then_search(engine: Engine, clock: FakeClock) -> None:
    engine.remember("Answer in short sentences.", id="p1", kind="preference")
    engine.remember("喜欢深色主题。", id="p2", kind="preference")
    engine.remember("修好了登录。", id="j1", kind="journal", occurred_at="2026-04-30T09:00Z")
    engine.remember("Deployed v2.", id="j2", kind="journal", occurred_at="2026-04-30T18:00Z")
    engine.remember("a plain note", id="n1", occurred_at="2026-04-30T12:00Z")
    engine.remember("PostgreSQL stores the vectors.", id="d1", kind="decision")
    engine.reinforce("p2", 5)

    for question in ("what are my preferences?", "我的偏好有哪些"):
        routed = engine.recall(question, preset="notebook")
        assert [hit.id for hit in routed.hits] == ["p1", "p2"]  # as told: no salience in a list
        assert set(routed.hits[0].channels) == {"route"}
    for question in ("what happened yesterday?", "昨天做了什么"):
        day = engine.recall(question, preset="notebook")
        assert [hit.id for hit in day.hits] == ["j2", "j1"]  # the journal, newest first
        assert set(day.hits[0].channels) == {"timeline"}
    searched = engine.recall("which database stores the vectors?", preset="notebook")
    assert searched.hits[0].id == "d1"
    assert list(searched.hits[0].parts) == ["relevance", "reinforcement", "recency", "access"]


@pytest.mark.parametrize("question", ["what happened yesterday?", "昨天发生了什么"])
def test_notebook_a_day_without_a_journal(engine: Engine, question: str) -> None:
    engine.remember("a plain note 随手记", id="n1", occurred_at="2026-04-30T12:00Z")
    answer = engine.recall(question, preset="notebook")
    assert [hit.id for hit in answer.hits] == ["n1"]
    assert set(answer.hits[0].channels) == {"timeline"}


@pytest.mark.parametrize("question", ["what about the budget yesterday?", "昨天的 budget 怎么样"])
def test_notebook_a_day_with_nothing_is_said_and_searched(engine: Engine, question: str) -> None:
    engine.remember("the budget is 40 000", id="b", occurred_at="2026-03-01")
    answer = engine.recall(question, preset="notebook", floor=0)
    assert [hit.id for hit in answer.hits] == ["b"]
    assert answer.status in (Status.ANSWERED, Status.UNCERTAIN)
    reason = answer.reasons[0]
    assert reason.startswith("there is nothing of 2026-04-30; it was searched by words and meaning")


def test_notebook_twice_the_limit_from_each_search(engine: Engine) -> None:
    engine.remember_many([{"text": f"budget note {n} 预算"} for n in range(30)])
    for limit in (3, 10):
        answer = engine.recall("budget 预算", preset="notebook", limit=limit)
        assert f"meaning: {2 * limit} nearest" in notes(answer)
        assert f"words: {2 * limit} for: budget 预算" in notes(answer)


def test_notebook_age_and_telling_decide_between_equals(engine: Engine, clock: FakeClock) -> None:
    engine.remember("预算 budget plan alpha", id="old")
    engine.remember("预算 budget plan gamma", id="told")
    engine.reinforce("told", 4)
    clock.advance(days=60)
    engine.remember("预算 budget plan delta", id="new")
    answer = engine.recall("预算 budget plan", preset="notebook", touch=False)
    assert {hit.id for hit in answer.hits} == {"old", "told", "new"}
    assert answer.hits[-1].id == "old"
    parts = {hit.id: hit.parts for hit in answer.hits}
    assert parts["new"]["recency"] == approx(0.2)
    assert parts["old"]["recency"] == approx(0.2 * 0.25)
    assert parts["told"]["reinforcement"] > parts["new"]["reinforcement"] == 0


# Story


def test_story_within_one_project(engine: Engine) -> None:
    for space in ("novel", "other"):
        engine.remember("林远在雨夜离开了北城 Lin Yuan left", space=space)
    with pytest.raises(InvalidInput, match="within one space, and 2 are named"):
        engine.recall("林远去了哪里", spaces=["novel", "other"], preset="story")
    assert engine.recall("林远去了哪里", spaces="novel", preset="story").hits


def test_story_ten_and_filters(engine: Engine) -> None:
    for number in range(14):
        engine.remember(
            f"林远 Lin Yuan, scene {number}",
            entities=["林远"] if number % 2 else ["Bo"],
            tags=["rain"],
            kind="scene",
        )
    assert len(engine.recall("林远 Lin Yuan", preset="story", floor=0).hits) == 10
    filtered = engine.recall(
        "林远 Lin Yuan",
        preset="story",
        where={"entities": "林远", "tags": "rain", "kind": "scene"},
        floor=0,
    )
    assert len(filtered.hits) == 7


@pytest.mark.parametrize("question", ["what did he lose yesterday?", "昨天他丢了什么？"])
def test_story_reads_no_time_of_ours(engine: Engine, question: str) -> None:
    engine.remember("he lost the ring, 他丢了戒指", id="ring", occurred_at="2020-01-01")
    engine.remember("unrelated", id="now", occurred_at="2026-04-30")
    answer = engine.recall(question, preset="story")
    assert answer.hits[0].id == "ring"
    assert "find_period" not in stages_that_ran(answer)


# Knowledge


def test_knowledge_plans_widens_and_fills(engine: Engine) -> None:
    document = "\n\n".join(
        f"Section {n}. {'General remarks about nothing much. ' * 10}" for n in range(3)
    )
    target = "The escrow account is closed by the notary. 托管账户由公证员关闭。"
    engine.remember(f"{document}\n\n{target}\n\n{document}", id="doc")
    for question in (
        "could you please tell me who closes the escrow account?",
        "请问托管账户由谁关闭？",
    ):
        answer = engine.recall(question, preset="knowledge")
        assert answer.hits[0].id == "doc"
        assert target in answer.hits[0].text
        assert "neighbour" in answer.hits[0].parts
        assert len(answer.hits[0].text) > 600
        assert any(note.startswith("plan: words look for") for note in notes(answer))
        assert any("widened by its neighbours" in note for note in notes(answer))


def test_knowledge_looks_at_a_hundred_and_truncates(engine: Engine) -> None:
    engine.remember_many([{"text": f"invoice {n} 发票"} for n in range(130)])
    answer = engine.recall("invoice 发票", preset="knowledge", limit=4, floor=0)
    assert "meaning: 100 nearest" in notes(answer)
    assert len(answer.hits) == 4


def test_knowledge_asks_again_when_little_is_found(engine: Engine) -> None:
    engine.remember("无关的内容 nothing")
    answer = engine.recall("怎样申请“差旅报销”", preset="knowledge")
    assert any("other ways to ask" in note for note in notes(answer))


def test_knowledge_says_nothing_twice(engine: Engine) -> None:
    text = "Invoices are paid within thirty days of receipt by the finance department in Bonn."
    engine.remember(text, id="one")
    engine.remember(text.upper(), id="same")
    engine.remember(f"{text} Reminders go out after forty days to the customer.", id="larger")
    answer = engine.recall("when are invoices paid?", preset="knowledge")
    assert len(answer.hits) < 3
    assert any(step.stage == "deduplicate" and step.dropped for step in answer.trace.steps)


# Skill


def test_skill_arithmetic(engine: Engine) -> None:
    """0.7 × cosine + 0.3 / (1 + rank)."""
    engine.remember("retry the upload with backoff 重试上传", id="a")
    engine.remember("retry later", id="b")
    answer = engine.recall("retry upload 重试上传", preset="skill")
    for hit in answer.hits:
        words = hit.channels["words"].rank
        cosine = hit.channels["meaning"].score
        assert hit.score == approx(0.7 * cosine + 0.3 / (1 + words), abs=1e-5)


def test_skill_at_most_three_from_ten_each(engine: Engine) -> None:
    engine.remember_many([{"text": f"retry upload {n} 重试上传"} for n in range(20)])
    answer = engine.recall("retry upload 重试上传", preset="skill", floor=0)
    assert len(answer.hits) == 3
    assert "meaning: 10 nearest" in notes(answer)


@pytest.mark.parametrize("asked", ["what about ERR_CONN_1042?", "ERR_CONN_1042 怎么办"])
def test_skill_identifiers_are_exact(engine: Engine, asked: str) -> None:
    engine.remember("ERR_CONN_1043: what about it? Restart. 怎么办：重启", id="other")
    engine.remember("ERR_CONN_1042: start the VPN. 启动 VPN", id="right")
    answer = engine.recall(asked, preset="skill")
    assert answer.hits[0].id == "right"
    assert "exact" in answer.hits[0].channels


@pytest.mark.parametrize("asked", ["quantum chromodynamics", "量子色动力学"])
def test_skill_below_its_floor_is_silent_with_a_reason(engine: Engine, asked: str) -> None:
    told = ["retry the upload with backoff", "上传失败就重试", "the oven is in the kitchen"]
    for number, text in enumerate(told):
        engine.remember(text, id=f"told-{number}")
    answer = engine.recall(asked, preset="skill")
    assert answer.hits == ()
    assert answer.status is Status.BELOW_FLOOR
    assert answer.nearest is not None and answer.nearest.text in told
    assert "nothing here seems to answer this" in answer.reasons[0]
    assert answer.nearest.relevance is not None


@pytest.mark.parametrize(
    "asked",
    [
        "please commit this with a short message and go on with the next file",
        "请提交这些修改，写一个简短的说明，然后继续处理下一个文件",
    ],
)
def test_skill_is_silent_where_a_word_in_common_is_all(asked: str) -> None:
    with Engine.in_memory() as engine:
        engine.remember_many(
            {"text": text}
            for text in (
                "The upload retries three times with backoff.",
                "A short note: Mei drinks tea in the afternoon.",
                "上传失败会重试三次。",
                "小美下午喝茶，然后去散步。",
            )
        )
        answer = engine.recall(asked, preset="skill")
        assert answer.hits == () and answer.status is Status.BELOW_FLOOR
        spoken = engine.recall("小美下午喝什么茶", preset="skill").hits
        assert spoken and spoken[0].text.startswith("小美")


NOTES = (
    "Failed payments are retried with exponential backoff, at most five times.",
    "ERR_CONN_1042 means that the VPN is down.",
    "Set STRIPE_WEBHOOK_TOLERANCE=600 in CI.",
    "导出 Excel 超过一万行时要用流式写入。",
    "错误码 40029 表示 code 无效。",
    "The tenant 3f2b8c1e-9d47-4a6b-8c2d-1234567890ab is on the old plan.",
)


@pytest.mark.parametrize(
    ("asked", "right"),
    [
        ("implement retry for failed payments with backoff (in src/app/main.py)", 0),
        ("帮我写一个导出 Excel 的功能，要流式写入，在 src/app/export.py 里", 3),
        ("export STRIPE_WEBHOOK_TOLERANCE=300 in the workflow", 2),
        ("微信返回 40029 怎么处理", 4),
        ("what do we know about 3f2b8c1e?", 5),
        ("ERR_CONN_1043", None),
        ("what does ERR_CONN_1043 mean for us, and who should look into it today?", None),
        ("where is STRIPE_WEBHOOK_SECRET set in CI, and what should its value be?", None),
    ],
)
def test_skill_identifiers_named_by_the_way_and_near_misses(asked: str, right: int | None) -> None:
    with Engine.in_memory() as engine:
        engine.remember_many({"text": text} for text in NOTES)
        hits = engine.recall(asked, preset="skill").hits
        assert [hit.text for hit in hits[:1]] == ([] if right is None else [NOTES[right]])
