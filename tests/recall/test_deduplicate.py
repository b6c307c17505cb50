"""Nothing is said twice, and nothing that differs is lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.recall.deduplicate import Deduplicate, OnePerMemory, signature
from bethink.vocabulary import Dropped
from tests.recall.kits import candidate, draft, kit

LONG_EN = (
    "The budget review with the finance team takes place in the large meeting room. "
    "Everyone brings the printed plan. Parking is free for guests of the house."
)
LONG_ZH = "预算评审会在大会议室举行，财务团队全员参加。请大家带上打印好的计划书。来宾可以免费停车。"


def kept(*texts: str) -> list[str]:
    """Which of these are kept, best first."""
    after = Deduplicate()(draft([candidate(f"m{n}", t) for n, t in enumerate(texts)]), kit())
    assert len(after.candidates) + len(after.dropped) == len(texts)
    return [c.text for c in after.candidates]


def test_one_passage_for_each_memory() -> None:
    after = OnePerMemory()(
        draft([candidate("A", ordinal=3), candidate("B"), candidate("A", ordinal=1)]), kit()
    )
    assert [c.key for c in after.candidates] == [("A", 3), ("B", 0)]
    assert after.dropped == (Dropped("A", 1, "another passage of A stands higher"),)


def test_the_same_passage_twice() -> None:
    after = Deduplicate()(draft([candidate("A", "one"), candidate("A", "one")]), kit())
    assert len(after.candidates) == 1
    assert after.dropped == (Dropped("A", 0, "the same passage stands higher"),)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Dark  mode\n", "dark mode", True),
        ("深色主题", "深色主題", True),
        ("ＡＢＣ", "abc", True),
        ("a\u200bb", "ab", True),
        ("dark mode", "dark-mode", False),
        ("深色主题", "浅色主题", False),
    ],
)
def test_what_says_the_same(one: str, other: str, same: bool) -> None:
    assert (signature(one) == signature(other)) is same
    after = Deduplicate()(draft([candidate("A", one), candidate("B", other)]), kit())
    assert [c.memory_id for c in after.candidates] == (["A"] if same else ["A", "B"])
    assert after.dropped == ((Dropped("B", 0, "says the same as A"),) if same else ())


CONTAINED = [
    (LONG_EN, "The budget review with the finance team takes place in the large meeting room."),
    (LONG_EN, "the budget review with finance team takes place in a large meeting room"),
    (LONG_ZH, "预算评审会在大会议室举行，财务团队全员参加。"),
    (LONG_ZH, "请大家带上打印好的计划书"),
    ("用户偏好：Mei 在所有编辑器里都喜欢用 dark mode 主题，字体要大。",
     "Mei 在所有编辑器里都喜欢用 dark mode 主题"),
    # word for word, whole sentences: what else the larger says does not matter
    ("Tom was not there on 5 May. The release goes out to all customers on Monday at 9:30. No.",
     "The release goes out to all customers on Monday at 9:30."),
    ("汤姆5月5日没有来。新版本将在周一 9:30 发布给所有客户。不准备蛋糕。",
     "新版本将在周一 9:30 发布给所有客户。"),
]  # fmt: skip


@pytest.mark.parametrize(("larger", "smaller"), CONTAINED)
def test_what_a_better_one_contains_goes(larger: str, smaller: str) -> None:
    after = Deduplicate()(draft([candidate("A", larger), candidate("B", smaller)]), kit())
    assert [c.memory_id for c in after.candidates] == ["A"]
    assert after.dropped == (Dropped("B", 0, "is contained in A"),)


@pytest.mark.parametrize(("larger", "smaller"), CONTAINED)
def test_the_better_short_one_and_the_longer_both_stay(larger: str, smaller: str) -> None:
    assert kept(smaller, larger) == [smaller, larger]


@pytest.mark.parametrize(
    ("better", "other"),
    [
        # negations and what has ceased
        ("Mei no longer prefers dark mode in all of her code editors and terminals",
         "Mei prefers dark mode in all of her code editors and terminals"),
        ("Mei used to prefer dark mode in all of her code editors and terminals",
         "Mei prefers dark mode in all of her code editors and terminals"),
        ("小美不再喜欢在所有的编辑器和终端里使用深色主题",
         "小美喜欢在所有的编辑器和终端里使用深色主题"),
        ("小美喜欢在所有的编辑器和终端里使用深色主题",
         "小美没喜欢在所有的编辑器和终端里使用深色主题"),
        ("我们曾经决定把主数据库迁移到新的机房去", "我们决定把主数据库迁移到新的机房去"),
        # numbers and dates
        ("今年市场部门的宣传预算是 42 万，由财务团队批准",
         "今年市场部门的宣传预算是 38 万，由财务团队批准"),
        ("Marketing gets 42 thousand this year and sales gets 38 thousand for travel and ads",
         "Marketing gets 38 thousand this year for travel and ads and sales"),
        ("The review with the whole finance team is on 5 May in the large room",
         "The review with the whole finance team is on 6 May in the large room"),
        ("与整个财务团队的评审会定在下周三下午的大会议室",
         "与整个财务团队的评审会定在下周五下午的大会议室"),
        ("与整个财务团队的评审会定在三月五日的大会议室",
         "与整个财务团队的评审会定在三月六日的大会议室"),
        # identifiers
        ("The error ERR_CONN_1042 appears when the company proxy is switched off at night",
         "The error ERR_CONN_1043 appears when the company proxy is switched off at night"),
        ("夜里公司的代理关闭以后就会出现错误 ERR_CONN_1042 的提示",
         "夜里公司的代理关闭以后就会出现错误 ERR_CONN_1043 的提示"),
        # one telling word among many
        ("Mei likes the dark theme of the editor that the whole team uses for the web project",
         "Mei likes the light theme of the editor that the whole team uses for the web project"),
        ("Mei leads the weekly planning meeting of the web project in the large room",
         "Tom leads the weekly planning meeting of the web project in the large room"),
        # short ones
        ("We talked for an hour and at the end Mei said yes to the plan.", "Mei said yes"),
        ("我们谈了一个小时，最后小美同意了这个计划。", "小美同意了"),
    ],
)  # fmt: skip
def test_what_differs_stays(better: str, other: str) -> None:
    assert kept(better, other) == [better, other]
    assert kept(other, better) == [other, better]


def test_contained_in_what_was_dropped_is_compared_with_what_stayed() -> None:
    assert kept(LONG_EN, LONG_EN.upper(), LONG_EN.split(". ")[0]) == [LONG_EN]


@given(
    st.lists(
        st.text(st.sampled_from("ab 预算会。.不5\n\u200bＡ"), max_size=40).filter(str.strip),
        max_size=8,
    )
)
def test_the_best_always_stays_and_every_loss_has_a_reason(texts: list[str]) -> None:
    got = kept(*texts)
    assert got[:1] == texts[:1]
    signatures = [signature(text) for text in got]
    assert len(set(signatures)) == len(signatures)
    assert set(signatures) >= {signature(t) for t in texts if len(signature(t)) < 8}
