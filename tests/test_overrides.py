"""Settings of a store and of its spaces: global → store → space → arguments."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from bethink import Engine
from bethink.errors import InvalidInput, SettingsError
from bethink.settings import OVERRIDABLE, OVERRIDABLE_BY_STORE_ONLY, SECRET, Settings
from bethink.vocabulary import Principal
from tests.engines_of_tests import STORES, engine_on

TOLD = [
    "The budget meeting moved to Friday",
    "The budget of the meeting room is spent",
    "预算会议改到周五了",
    "预算会议室的预算用完了",
]


@pytest.fixture(params=STORES)
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Engine:
    engine = engine_on(request.param, tmp_path, embedder="hashing", settings=Settings(limit=7))
    for space in ("work", "项目"):
        engine.remember_many({"text": text, "space": space} for text in TOLD)
    return engine


def test_without_overrides_the_settings_themselves_hold(engine: Engine) -> None:
    assert engine.settings_for() is engine.settings
    assert engine.settings_for(["work", "项目"]) is engine.settings


def test_a_space_overrides_the_store_which_overrides_the_settings(engine: Engine) -> None:
    assert engine.settings_for("work").limit == 7
    engine.set_override("limit", 3)
    assert engine.settings_for("work").limit == engine.settings_for().limit == 3
    engine.set_override("limit", 2, space="项目")
    assert engine.settings_for("work").limit == 3
    assert engine.settings_for("项目").limit == 2
    asked = "预算会议 budget meeting"
    assert len(engine.recall(asked, spaces="work", floor=0).hits) == 3
    assert len(engine.recall(asked, spaces="项目", floor=0).hits) == 2
    assert len(engine.recall(asked, spaces="项目", limit=1, floor=0).hits) == 1
    engine.set_override("limit", None, space="项目")
    engine.set_override("limit", None)
    assert engine.settings_for("项目") is engine.settings


def test_a_threshold_of_a_space_cuts_there_and_nowhere_else(engine: Engine) -> None:
    engine.set_override("words_threshold", 1.0, space="项目")
    asked = "budget meeting moved 预算会议改到"
    strict = engine.recall(asked, spaces="项目", meaning=False)
    assert strict.query.words_threshold == 1.0
    assert not strict.hits
    assert engine.recall(asked, spaces="work", meaning=False).hits


@pytest.mark.parametrize(
    ("name", "one", "other", "holds"),
    [
        ("limit", 9, 3, 3),
        ("limit", 2, None, 2),  # the settings' 7 is the other
        ("limit", 9, None, 7),
        ("budget", 100, 5_000, 100),
        ("deadline", 1.0, 20.0, 1.0),
        ("meaning_threshold", 0.2, 0.5, 0.5),
        ("meaning_threshold", 0.2, None, 0.2),
        ("words_threshold", 0.9, 0.1, 0.9),
        ("floor", 0.3, None, 0.3),
        ("unverified_share", 0.0, 0.9, 0.0),
        ("match_words", True, False, False),
        ("match_meaning", False, None, False),
        ("offer_confidence", 0.9, 0.2, 0.9),
        ("offer_characters", 10, 80, 80),
        ("working_kept", 10, 40, 10),
        ("working_hours", 1.0, 48.0, 1.0),
        ("promotion", "by-rule", None, "by-hand"),
        ("promotion", "by-rule", "by-rule", "by-rule"),
        ("promote_sources", 2, 5, 5),
        ("promote_told", 0, 5, 0),
    ],
)
def test_over_several_spaces_the_strictest_holds(
    engine: Engine, name: str, one: object, other: object, holds: object
) -> None:
    engine.set_override(name, one, space="work")
    engine.set_override(name, other, space="项目")
    assert getattr(engine.settings_for(["work", "项目"]), name) == holds
    assert getattr(engine.settings_for(["项目", "work"]), name) == holds


def test_every_overridable_setting_was_thought_of_and_none_is_a_place_a_key_or_a_model() -> None:
    names = {field.name for field in fields(Settings)}
    assert names >= OVERRIDABLE | OVERRIDABLE_BY_STORE_ONLY
    assert not SECRET & (OVERRIDABLE | OVERRIDABLE_BY_STORE_ONLY)
    for word in ("store", "endpoint", "embedder", "llm", "reranker", "models", "routes", "redact"):
        assert not [name for name in OVERRIDABLE if word in name], word


@pytest.mark.parametrize(
    ("name", "value", "space"),
    [
        ("store", "/elsewhere.db", None),
        ("endpoint", "https://example.org", None),
        ("endpoint_key", "k", "work"),
        ("embedder", "none", "work"),
        ("redact", False, None),
        ("trusted", "小美", "work"),  # of the store only: trust is not a matter of one space
        ("nothing", 1, None),
        ("limit", 3, "no such name!"),
    ],
)
def test_what_may_not_be_overridden_is_refused(
    engine: Engine, name: str, value: object, space: str | None
) -> None:
    with pytest.raises(InvalidInput):
        engine.set_override(name, value, space=space)
    assert engine.store.notes() == {}


@pytest.mark.parametrize(
    ("name", "value"),
    [("limit", 0), ("limit", "many"), ("floor", 2), ("promotion", "sometimes"), ("budget", True)],
)
def test_a_wrong_value_is_refused_and_nothing_is_kept(
    engine: Engine, name: str, value: object
) -> None:
    with pytest.raises(SettingsError):
        engine.set_override(name, value)
    assert engine.store.notes() == {}


def test_in_force_says_who_says_so(engine: Engine) -> None:
    engine.set_override("limit", 3)
    engine.set_override("floor", 0.2, space="项目")
    engine.set_override("trusted", "小美, ci")
    of_space = engine.overrides.in_force("项目")
    assert of_space["limit"] == (3, "store")
    assert of_space["floor"] == (0.2, "space")
    assert of_space["budget"] == (1500, "settings")
    assert of_space["trusted"] == ("小美, ci", "store")
    assert engine.overrides.in_force("work")["floor"] == (None, "settings")


def test_forgetting_a_space_forgets_what_was_set_for_it(engine: Engine) -> None:
    engine.set_override("limit", 3)
    engine.set_override("limit", 2, space="项目")
    engine.set_override("floor", 0.5, space="项目")
    engine.forget_space("项目")
    assert list(engine.store.notes()) == ["settings/limit"]


def test_another_engine_on_the_store_sees_it_at_once_and_so_does_one_opened_later(
    tmp_path: Path,
) -> None:
    path = tmp_path / "m.db"
    options: dict[str, Any] = {"embedder": "none", "settings": Settings()}
    with Engine(path, **options) as one, Engine(path, **options) as other:
        one.set_override("limit", 4, space="项目")
        assert other.settings_for("项目").limit == 4
        other.set_override("limit", 5, space="项目")
        assert one.settings_for("项目").limit == 5
    with Engine(path, **options) as later:
        assert later.settings_for("项目").limit == 5


LONG = (
    "The ops team agreed that budget meetings are held on Fridays at ten. "
    "预算会议定在每周五上午十点。"
)


def test_what_is_offered_is_judged_by_its_space(engine: Engine) -> None:
    engine.set_override("offer_characters", 5, space="项目")
    engine.set_override("offer_confidence", 0.5, space="work")
    assert engine.offer("预算会议改到周五", space="项目").decision == "admitted"
    assert engine.offer("预算会议改到周五", space="work").decision == "ignored"
    assert engine.offer(LONG, space="work", confidence=0.6).decision == "admitted"
    assert engine.offer(LONG, space="项目", confidence=0.6).decision == "refused"


def test_a_space_keeps_as_much_working_memory_as_it_says(engine: Engine) -> None:
    engine.set_override("working_kept", 2, space="项目")
    for number in range(4):
        for space in ("项目", "work"):
            engine.offer(f"{LONG} 第 {number} 次 time {number}", space=space)
    assert len(engine.tiers.working(spaces=["项目"])) == 2
    assert len(engine.tiers.working(spaces=["work"])) == 4


def test_promotion_by_rule_is_a_matter_of_the_space_and_trust_of_the_store(engine: Engine) -> None:
    mei = Principal("小美", "rest")
    engine.set_override("promotion", "by-rule", space="项目")
    assert engine.offer(LONG, space="项目", by=mei).decision == "admitted"
    engine.set_override("trusted", "小美")
    told = "办公室的花由前台每天早上浇水 and nobody else should touch them, as we agreed."
    assert engine.offer(told, space="项目", by=mei).decision == "promoted"
    assert engine.offer(told, space="work", by=mei).decision == "admitted"
    proposal = engine.tiers.digest("work").proposals[0]
    assert proposal.promote
