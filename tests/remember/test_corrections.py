"""Corrections win by default: a sure one supersedes, a doubtful one is marked in recall."""

from __future__ import annotations

import pytest
from benchmarks.corrections import LANGUAGES, Pair, pairs, strangers, told

from bethink import Engine
from bethink.recall.render import as_history, as_markdown, as_record, as_text
from bethink.testing import FakeClock
from bethink.vocabulary import TRUST, UNVERIFIED, Action

CASES = [
    (
        "The API timeout is 30 seconds",
        "The API timeout is now 60 seconds",
        "what is the API timeout",
    ),
    ("小美住在上海", "小美现在住在北京，不住上海了", "小美住在哪里"),
    ("Anna leads payments", "Ben leads payments now", "who leads payments"),
    ("The meeting is on Tuesday", "The meeting moves from Tuesday to Thursday", "the meeting"),
    ("例会在周二", "例会改到周四了", "例会是哪天"),
]


@pytest.mark.parametrize(("old", "new", "question"), CASES)
def test_a_sure_correction_supersedes(
    engine: Engine, clock: FakeClock, old: str, new: str, question: str
) -> None:
    former = engine.remember(old)
    before = clock.now
    clock.advance(days=1)
    receipt = engine.remember(new)
    assert receipt.action is Action.REVISED
    (note,) = receipt.notes
    assert note.startswith(f"supersedes {former.id}: {old}") and f"forget {receipt.id}" in note
    assert [hit.id for hit in engine.recall(question, floor=0).hits] == [receipt.id]
    then = engine.recall(question, floor=0, as_of=before)
    assert [hit.id for hit in then.hits] == [former.id]
    assert [one.id for one in engine.succession(receipt.id)] == [former.id, receipt.id]
    assert f"{former.id} holds again" in engine.forget(receipt.id).notes
    assert [hit.id for hit in engine.recall(question, floor=0).hits] == [former.id]
    kept = engine.get(former.id)
    assert kept is not None and kept.valid_to is None and not kept.metadata


@pytest.mark.parametrize(("old", "new", "question"), CASES)
def test_it_can_be_switched_off_and_is_found_among_many(
    engine: Engine, clock: FakeClock, old: str, new: str, question: str
) -> None:
    engine.remember(old)
    clock.advance(days=1)
    kept = engine.remember(new, merge="words")
    assert kept.action is Action.CREATED
    answer = engine.recall(question, floor=0)
    assert answer.hits[0].id == kept.id  # the newer first
    assert [hit.contradicted_by for hit in answer.hits] == ["", kept.id]
    engine.remember_many([{"text": old, "space": "many"}])
    clock.advance(days=1)
    receipts = engine.remember_many(
        [{"text": new, "space": "many"}, {"text": "tea 茶", "space": "many"}]
    )
    assert [one.action for one in receipts] == [Action.REVISED, Action.CREATED]


@pytest.mark.parametrize(
    ("old", "new", "question"),
    [
        ("Lunch is in the canteen at noon", "Lunch is at 12:30 now, not at noon", "when is lunch"),
        ("我用VS Code写代码", "我已经不用VS Code了，换成了Neovim", "我还用 VS Code 吗"),
    ],
)
def test_where_it_is_not_sure_both_are_kept(
    engine: Engine, clock: FakeClock, old: str, new: str, question: str
) -> None:
    older = engine.remember(old)
    clock.advance(days=1)
    newer = engine.remember(new)
    assert newer.action is Action.CREATED
    assert any(note.startswith("it may correct this one") for note in newer.notes)
    answer = engine.recall(question, floor=0)
    assert [hit.id for hit in answer.hits] == [newer.id, older.id]
    assert [hit["contradicted_by"] for hit in as_record(answer)["hits"]] == ["", newer.id]
    mark = f"contradicted by the newer {newer.id}"
    assert mark in as_markdown(answer) and mark in as_text(answer)
    assert f"与较新的 {newer.id} 矛盾" in as_history(answer)
    assert f"{older.id} is contradicted by {newer.id}" in as_text(answer, explain=True)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Server alpha listens on port 8080", "Server beta listens on port 9090 now"),
        ("测试库的端口是5432", "生产库的端口改成5433了"),
        ("Anna leads payments", "Anna also leads the fraud team now"),
        ("我喜欢喝绿茶", "我早上也喜欢喝咖啡"),
    ],
)
def test_what_may_both_hold_stays(engine: Engine, clock: FakeClock, old: str, new: str) -> None:
    engine.remember(old)
    clock.advance(days=1)
    assert engine.remember(new).action is Action.CREATED
    assert engine.store.count(spaces=["global"], where=None) == 2


@pytest.mark.parametrize(("old", "new", "question"), CASES[:2])
def test_whose_word_does_not_count(
    engine: Engine, clock: FakeClock, old: str, new: str, question: str
) -> None:
    former = engine.remember(old, confidence=0.9)
    clock.advance(days=1)
    for fields in (
        {"space": "other"},
        {"confidence": 0.5},
        {"speaker": "Bo"},
        {"role": "user"},
        {"provenance": {TRUST: UNVERIFIED}, "confidence": 0.95},
        {"occurred_at": "2001-01-01"},
        {"kind": "journal"},
    ):
        receipt = engine.remember(new, **fields)
        assert receipt.action is Action.CREATED, fields
        engine.forget(receipt.id)
    kept = engine.get(former.id)
    assert kept is not None and kept.valid_to is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The staging API listens on port 8080.", "staging api: port 9191 now, 8080 is closed"),
        ("We build with Node 18.", "bumped the build to Node 22, 18 dropped from CI"),
        ("The GPU box is called atlas.", "hostname change done: GPU box atlas -> titan"),
        ("Tom is a vegetarian.", "Tom eats meat again, he gave up being vegetarian."),
        ("邮件服务器是 Debian 11。", "邮件服务器升级到 Debian 12 了。"),
        ("我们的文档放在语雀。", "文档都搬到飞书了，语雀不再维护。"),
        ("暖气设的 19 度。", "暖气调到 21 度了。"),
    ],
)
def test_it_is_sure_in_whatever_words(engine: Engine, clock: FakeClock, old: str, new: str) -> None:
    engine.remember(old)
    clock.advance(days=1)
    assert engine.remember(new).action is Action.REVISED


@pytest.mark.parametrize(
    ("old", "new", "question"),
    [
        (
            "Our session tokens expire after 30 minutes.",
            "Session token TTL: 12h.",
            "how long do session tokens hold",
        ),
        (
            "Acme Corp is on the Enterprise tier.",
            "Acme downgraded to the Team tier at renewal.",
            "which tier is Acme on",
        ),
        ("图片最大允许上传 2MB。", "图片上传上限：5MB", "图片上传最大多少"),
        ("儿子在一中读书。", "儿子转学到三中了。", "儿子在哪里读书"),
    ],
)
def test_a_likely_correction_comes_first_and_marks_the_older(
    engine: Engine, clock: FakeClock, old: str, new: str, question: str
) -> None:
    former = engine.remember(old)
    clock.advance(days=1)
    latter = engine.remember(new)
    assert latter.action is Action.CREATED
    hits = engine.recall(question, floor=0).hits
    assert [hit.id for hit in hits] == [latter.id, former.id]
    assert [hit.contradicted_by for hit in hits] == ["", latter.id]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("We use npm.", "We are thinking about switching from npm to pnpm."),
        ("The linter is ESLint.", 'Someone wrote: "We no longer use ESLint, Biome is faster."'),
        ("Lena works at Siemens.", "Before she came to Siemens, Lena used to work at Bosch."),
        ("Olga's wedding is in September.", "Olga's sister's wedding got postponed to November."),
        ("The user works as a teacher.", "My wife quit teaching; she's a nurse now."),
        ("Room 101 has a projector", "Room 102 has a projector"),
        ("The library closes at 20:00.", "On Saturdays the library closes at 16:00."),
        ("上线定在 5 月 4 号。", "上线可能要推到 5 月 9 号。"),
        ("我们发货走顺丰。", "有客户问能不能不发顺丰，改发京东。"),
        ("小丽在华为上班。", "小丽进华为之前在中兴干过三年。"),
        ("婚礼定在九月。", "表哥的婚礼延期到十一月。"),
        ("会议室预订上限是 2 小时。", "大会议室的预订上限改成 4 小时了。"),
        ("我每天跑步五公里。", "我弟弟不跑步了。"),
        ("三楼有打印机", "四楼有打印机"),
    ],
)
def test_near_misses_are_neither_superseded_nor_marked(old: str, new: str) -> None:
    assert told(Pair(old, new, "near_miss")) == "kept"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("half", "sure", "likely"), [("development", 25, 29), ("development2", 6, 28)]
)
def test_the_development_pairs(half: str, sure: int, likely: int, language: str) -> None:
    every = pairs(half, language)
    found = [(pair.kind, told(pair)) for pair in every]
    superseded = [kind for kind, what in found if what == "superseded"]
    either = [kind for kind, what in found if what != "kept"]
    assert set(superseded) == {"correction"} and len(superseded) >= sure
    assert either.count("correction") >= max(likely, 0.95 * len(either))
    assert strangers(every) == 0
