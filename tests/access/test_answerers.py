"""Processes beside the server: the same answers as its own, one that ends is replaced, and none is
left behind."""

from __future__ import annotations

import inspect
import os
import pickle
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import bethink.errors
from bethink.access import answerers
from bethink.access.answerer import Unforeseen
from bethink.access.answering import Refused
from bethink.access.reception import Reception
from bethink.errors import (
    BethinkError,
    InvalidInput,
    MissingExtra,
    NotebookFileRefused,
    SettingsError,
    StoreMissing,
    StoreUnavailable,
    TooManyRequests,
    UnknownSpace,
)
from bethink.settings import Settings
from bethink.testing import run_at_once
from tests.access.coming_in import caller, desk
from tests.doors.http.served import until
from tests.embedders_of_tests import Letters

MEI = "Mei prefers dark mode. 小美喜欢深色主题。"
QUESTIONS = ("小美喜欢什么主题？", "which theme does Mei like?", "深色 dark mode")


class Deadly(Letters):
    """Ends its process where it is asked about a certain word."""

    def embed(self, texts: Any, *, kind: Any) -> Any:
        if kind == "query" and any("毒药 poison" in text for text in texts):
            os._exit(1)
        return super().embed(texts, kind=kind)


@pytest.fixture
def reception(tmp_path: Path) -> Iterator[Reception]:
    settings = Settings(store=str(tmp_path / "m.db"), embedder="hashing", hot="memory")
    with Reception(settings) as reception:
        reception.answer_beside(2)
        yield reception


def processes(reception: Reception) -> list[int]:
    assert reception.answerers is not None
    return [one.number for one in reception.answerers._there]


def is_there(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return True


def by_itself(reception: Reception, ask: Callable[[], Any]) -> Any:
    """The same, answered by the server."""
    beside, reception.answerers = reception.answerers, None
    try:
        return ask()
    finally:
        reception.answerers = beside


def untimed(answer: Any) -> Any:
    if isinstance(answer, dict):
        return {
            name: untimed(value)
            for name, value in answer.items()
            if name not in ("milliseconds", "seconds", "ms", "took", "trace_id", "id_of_trace")
        }
    if isinstance(answer, float):
        return round(answer, 4)  # a relevance falls with age, even within milliseconds
    return [untimed(one) for one in answer] if isinstance(answer, list) else answer


def test_the_same_answers(reception: Reception) -> None:
    one = desk(reception)
    told = one.remember({"text": MEI, "tags": ["theme"]})
    one.remember({"text": "Budget meetings are on Fridays. 预算会议在周五。", "space": "工作"})
    verbs: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
        ("why_not", (told["id"], "预算会议 budget"), {}),
        *(("recall", (text,), {"touch": False}) for text in QUESTIONS),
        *(("recall", (text,), {"explain": True, "where": {"tags": "theme"}}) for text in QUESTIONS),
        *(("search", (text,), {"budget": 200}) for text in QUESTIONS),
        *(("context", (text,), {"language": "zh", "budget": 200}) for text in QUESTIONS),
        ("recall", ("budget 预算",), {"spaces": ["工作"], "touch": False}),
    ]
    for verb, args, kwargs in verbs:
        beside = getattr(one, verb)(*args, **kwargs)
        assert beside, verb
        here = by_itself(reception, lambda: getattr(one, verb)(*args, **kwargs))  # noqa: B023
        assert untimed(beside) == untimed(here), verb
    assert one.recall("小美喜欢什么主题？")["hits"][0]["id"] == told["id"]


def test_knowledge_and_stories_too(reception: Reception) -> None:
    one = desk(reception)
    one.add_faq("手册", {"question": "怎么退款？", "answers": ["七天内原路退回 in seven days"]})
    for asked in (one.search_knowledge, one.ask_knowledge):
        assert "七天内原路退回" in str(asked("手册", "怎么退款 refund"))
    one.add_story_scene("长夜", 1, 1, "林舟 lost his sword: 林舟在渡口丢了剑。")
    assert "丢了剑" in str(one.search_story("长夜", "sword 剑"))
    plan = {"title": "寻剑", "summary": "林舟 looks for the sword 找剑"}
    assert "丢了剑" in str(one.scene_context("长夜", plan, ["林舟"], 2, 1))


def test_what_was_written_is_found_at_once(reception: Reception) -> None:
    one = desk(reception)
    for number in range(20):
        told = one.remember({"text": f"第{number}号柜子 locker {number}: 蓝色 blue-{number}"})
        for _ in range(2):  # by whichever of them
            answer = one.recall(f"locker blue-{number}", limit=1)
            assert answer["hits"][0]["id"] == told["id"]
        one.forget(told["id"])
        again = one.recall(f"locker blue-{number}")
        assert told["id"] not in [hit["id"] for hit in again["hits"]]


def test_errors_and_walls_are_the_same(reception: Reception) -> None:
    everything = desk(reception)
    everything.remember({"text": "secret 秘密", "space": "隐"})
    everything.remember({"text": "open 公开", "space": "明"})
    assert everything.recall("秘密", spaces=["没有"])["status"] == "empty"
    with pytest.raises(InvalidInput, match="no option 'colour'"):
        everything.recall("秘密", colour="red")
    some = desk(reception, "read", spaces=["明"])
    with pytest.raises(UnknownSpace) as refused:
        some.recall("秘密", spaces=["隐"])
    assert "隐" not in str(refused.value).replace("'隐'", "")
    assert [hit["text"] for hit in some.recall("公开 secret")["hits"]] == ["open 公开"]
    with pytest.raises(bethink.errors.Forbidden):
        desk(reception, "offer").recall("公开")
    noted = [row for row in reception.audit.list(limit=50) if row.outcome == "forbidden"]
    assert len(noted) == 1  # by the server, and not by the process as well


def test_tenants_are_apart(reception: Reception) -> None:
    reception.create_tenant("甲")
    reception.create_tenant("乙")
    first, second = desk(reception, tenant="甲"), desk(reception, tenant="乙")
    first.remember({"text": MEI})
    assert first.recall("小美喜欢什么主题？")["hits"]
    answer = second.recall("小美喜欢什么主题？")
    assert (answer["status"], answer["hits"]) == ("empty", [])
    reception.remove_tenant("甲")
    with pytest.raises(BethinkError):
        first.recall("小美喜欢什么主题？")


def test_more_at_once_than_they_take(reception: Reception) -> None:
    one = desk(reception)
    told = one.remember({"text": MEI})
    answers = run_at_once(lambda number: one.recall(QUESTIONS[number % 3])["hits"], range(60))
    assert {hits[0]["id"] for hits in answers} == {told["id"]}


def test_one_that_is_killed_is_replaced(reception: Reception) -> None:
    one = desk(reception)
    told = one.remember({"text": MEI})
    assert reception.answerers is not None
    for _ in range(2):
        before = processes(reception)
        assert len(before) == 2

        def ask(number: int, victim: int = before[0]) -> Any:
            if number == 5:
                os.kill(victim, signal.SIGKILL)
            return one.recall(QUESTIONS[number % 3])["hits"][0]["id"]

        assert set(run_at_once(ask, range(30))) == {told["id"]}
        until(lambda: reception.answerers is not None and reception.answerers.alive == 2)
        assert before[0] not in processes(reception)
        assert not is_there(before[0])


def test_a_question_that_ends_its_process_does_not_end_the_server(tmp_path: Path) -> None:
    with Reception(Settings(store=str(tmp_path / "m.db")), embedder=Deadly()) as reception:
        reception.answer_beside(1)
        one = desk(reception)
        one.remember({"text": MEI})
        with pytest.raises(StoreUnavailable, match="Try again"):
            one.recall("毒药 poison")
        assert one.recall("小美喜欢什么主题？")["hits"]  # waits for the new one


def test_without_any_it_is_not_ready(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answerers, "_PAUSES", (60.0,))
    monkeypatch.setattr(answerers, "_PATIENCE", 0.2)
    with Reception(Settings(store=str(tmp_path / "m.db"), embedder="hashing")) as reception:
        reception.answer_beside(1)
        reception.look()
        os.kill(processes(reception)[0], signal.SIGKILL)
        with pytest.raises(bethink.errors.StoreBusy, match="--workers"):
            desk(reception).recall("小美")
        with pytest.raises(StoreUnavailable, match="being started"):
            reception.look()


def test_what_nobody_expected_says_where(reception: Reception) -> None:
    assert reception.answerers is not None
    with pytest.raises(Unforeseen, match=r"(?s)answering_process.*no_such_verb"):
        reception.answerers.ask(caller(reception), "no_such_verb", (), {})


def test_they_end_with_the_reception(tmp_path: Path) -> None:
    with Reception(Settings(store=str(tmp_path / "m.db"), embedder="hashing")) as reception:
        reception.answer_beside(2)
        one = desk(reception)
        one.remember({"text": MEI})
        one.recall("小美喜欢什么主题？")
        started = processes(reception)
        assert all(map(is_there, started))
    assert not any(map(is_there, started))


def test_kept_answers_are_counted(reception: Reception) -> None:
    one = desk(reception)
    one.remember({"text": MEI})
    for _ in range(12):
        one.recall("小美喜欢什么主题？", touch=False)
    numbers = reception.hot_numbers()
    assert numbers.kept + numbers.asked == 12
    assert numbers.kept >= 10  # each of the two had to find it once
    for number in processes(reception):
        os.kill(number, signal.SIGKILL)
    until(lambda: reception.hot_numbers() == numbers)


@pytest.mark.parametrize("count", [-1, 65])
def test_how_many(tmp_path: Path, count: int) -> None:
    with (
        Reception(Settings(store=str(tmp_path / "m.db"), embedder="hashing")) as reception,
        pytest.raises(SettingsError, match=r"0 \(none\) to 64"),
    ):
        reception.answer_beside(count)


def test_what_keeps_one_from_starting_is_said(tmp_path: Path) -> None:
    store = tmp_path / "m.db"
    with Reception(Settings(store=str(store), embedder="hashing")) as reception:
        reception.look()
        for path in tmp_path.glob("m.db*"):
            if path.is_file():
                path.unlink()
        store.mkdir()
        with pytest.raises(BethinkError, match=r"m\.db"):
            reception.answer_beside(1)


def test_every_error_arrives_as_it_was() -> None:
    made: list[BethinkError] = [
        TooManyRequests(2.5),
        MissingExtra("读取 PDF", "documents"),
        NotebookFileRefused("笔记.md", "it is no text", gone=True),
        StoreMissing("there is no store 这里"),
    ]
    kinds = [
        kind
        for _, kind in inspect.getmembers(bethink.errors, inspect.isclass)
        if issubclass(kind, BethinkError)
    ]
    special = {type(one) for one in made}
    made += [kind("出了错 it went wrong") for kind in kinds if kind not in special]
    assert len(made) == len(kinds)
    for error in made:
        told: Refused = pickle.loads(pickle.dumps(Refused.of(error)))
        again = told.error()
        assert type(again) is type(error)
        assert (str(again), vars(again)) == (str(error), vars(error))
