"""Questions that are asked again: answered as before while nothing changed, and never otherwise."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from bethink import Engine
from bethink.embedders.protocol import Kind, embed_question
from bethink.errors import EmbedderError
from bethink.events.kinds import RETRIEVAL_TRACE
from bethink.recall.answered_before import SECONDS, STAGE
from bethink.recall.presets import BALANCED, PRESETS
from bethink.settings import Settings
from bethink.stores.in_memory import InMemoryStore
from bethink.testing import FakeClock
from bethink.vocabulary import Json, Recollection, Status, Vectors
from tests.embedders_of_tests import Letters
from tests.servers.redis_server import RedisServer

THEME = "which theme does Mei like?"
CHINESE = "小美喜欢什么主题？"


def as_list(value: Json) -> list[Any]:
    assert isinstance(value, list)
    return value


def again(answer: Recollection) -> bool:
    return answer.trace.steps[0].stage == STAGE


def told(answer: Recollection) -> Any:
    """All of it but the trace's times, and when it was asked."""
    steps = [s._replace(milliseconds=0) for s in answer.trace.steps if s.stage != STAGE]
    return replace(
        answer,
        query=replace(answer.query, as_of=None, where=None),
        trace=answer.trace._replace(steps=tuple(steps), milliseconds=0),
    )


@pytest.fixture(params=["memory", "redis"])
def hot(request: pytest.FixtureRequest) -> str:
    if request.param == "memory":
        return "memory"
    server: RedisServer = request.getfixturevalue("server")
    return server.address


Opened = Callable[..., Engine]


@pytest.fixture
def opened(hot: str, tmp_path: Path, clock: FakeClock) -> Iterator[Opened]:
    engines: list[Engine] = []

    def opened(name: str = "m.db", **options: Any) -> Engine:
        given: dict[str, Any] = {"settings": Settings(), "clock": clock, "hot": hot}
        given["embedder"] = Letters()
        engines.append(Engine(tmp_path / name, **(given | options)))
        return engines[-1]

    yield opened
    for engine in engines:
        engine.close()


@pytest.fixture
def engine(opened: Opened) -> Engine:
    engine = opened()
    engine.remember("Mei prefers the dark theme. 小美喜欢深色主题。", tags=["ui", "界面"], id="m1")
    engine.remember("The budget is 42. 预算是四十二万。", metadata={"author": "李雷"})
    return engine


@pytest.mark.parametrize("preset", sorted(PRESETS))
@pytest.mark.parametrize("question", [THEME, CHINESE])
def test_asked_again_the_answer_is_the_same(engine: Engine, preset: str, question: str) -> None:
    engine.offer("刚刚说过的 thing, which is long enough to be admitted to working memory, 主题。")
    first = engine.recall(question, preset=preset)
    second = engine.recall(question, preset=preset)
    assert not again(first)
    assert again(second)
    assert told(second) == told(first)
    assert second.hits
    assert "nothing was written since" in second.trace.steps[0].notes[0]


def test_other_questions_are_other_questions(engine: Engine) -> None:
    engine.recall(THEME)
    for other in (
        {"limit": 3}, {"budget": 99}, {"where": {"tags": "ui"}}, {"words": False},
        {"meaning": False}, {"meaning_threshold": 0.1}, {"words_threshold": 0.1}, {"floor": 0.01},
        {"unverified_share": 0.9}, {"preset": "skill"}, {"as_of": "2030-01-01"},
    ):  # fmt: skip
        options: dict[str, Any] = other
        assert not again(engine.recall(THEME, **options)), other
        assert again(engine.recall(THEME, **options)), other
    assert not again(engine.recall(THEME.upper()))
    assert again(engine.recall(THEME, deadline=5.0))


def test_every_write_to_the_space_is_noticed(engine: Engine, opened: Opened) -> None:
    plain = opened(hot="none")

    def asked(engine: Engine) -> Recollection:
        return engine.recall(CHINESE, preset="workflow", floor=0, touch=False)

    def changed(by: Callable[[], object], *, back: bool = False) -> None:
        """`back`: what is there is again what was there before the last change."""
        before = asked(engine)
        assert again(asked(engine))
        by()
        assert told(asked(plain)) != told(before)
        assert again(asked(engine)) is back
        assert told(asked(engine)) == told(asked(plain))

    long = "an offer about themes 关于主题 that has more than fifty characters in it, certainly"
    changed(lambda: engine.remember("小美现在喜欢浅色主题"))
    changed(lambda: engine.revise("m1", text="Mei likes 绿色 now"))
    changed(lambda: engine.revise("m1", tags=["other"]))
    changed(lambda: engine.reinforce("m1"))
    changed(lambda: engine.offer(long, id="o1"))
    changed(lambda: engine.reject("o1"), back=True)
    changed(lambda: engine.restore("o1"))
    changed(lambda: engine.promote("o1"))
    changed(lambda: engine.withheld.add(["m1"], space="global"))
    changed(lambda: engine.withheld.remove(["m1"]), back=True)
    changed(lambda: engine.set_override("limit", 1))
    changed(lambda: engine.forget("o1"))


def test_a_write_elsewhere_is_not(engine: Engine) -> None:
    engine.recall(THEME)
    engine.remember("elsewhere 别处", space="项目")
    assert again(engine.recall(THEME))
    engine.recall(THEME, spaces=["global", "项目"])
    engine.remember("elsewhere again", space="项目")
    assert not again(engine.recall(THEME, spaces=["global", "项目"]))
    assert again(engine.recall(THEME))


def test_accesses_are_counted_and_events_told(engine: Engine) -> None:
    for _ in range(3):
        hits = engine.recall(THEME).hits
    memory = engine.get(hits[0].id)
    assert memory is not None
    assert memory.access_count == 3
    engine.events.flush()
    traces = engine.events.since(0, kinds=[RETRIEVAL_TRACE])
    stages = [[step["stage"] for step in as_list(event.data["steps"])] for event in traces]
    assert [one[0] == STAGE for one in stages] == [False, True, True]


def test_it_is_not_kept_for_long(engine: Engine, clock: FakeClock) -> None:
    engine.recall(THEME)
    clock.advance(seconds=SECONDS - 1)
    assert again(engine.recall(THEME))
    clock.advance(seconds=1)
    assert not again(engine.recall(THEME))


def test_what_ends_or_begins_meanwhile_is_noticed(engine: Engine, clock: FakeClock) -> None:
    now = clock()
    engine.remember("主题: ends soon theme", valid_to=now + timedelta(seconds=10), id="ends")
    engine.remember("主题: begins theme", valid_from=now + timedelta(seconds=20), id="begins")

    def ids() -> set[str]:
        return {hit.id for hit in engine.recall("theme 主题").hits}

    assert "ends" in ids()
    clock.advance(seconds=9)
    assert again(engine.recall("theme 主题"))
    clock.advance(seconds=1)
    assert "ends" not in ids()
    assert again(engine.recall("theme 主题"))
    clock.advance(seconds=10)
    assert "begins" in ids()


def test_what_expires_in_working_memory_is_noticed(opened: Opened, clock: FakeClock) -> None:
    settings = Settings(working_hours=0.005)  # 18 seconds
    engine = opened(settings=settings)
    engine.offer("an offer 一条消息 that is long enough, with more than fifty characters in it")
    assert engine.recall("anything", preset="workflow").hits
    clock.advance(seconds=17)
    assert again(engine.recall("anything", preset="workflow"))
    clock.advance(seconds=1)
    assert not engine.recall("anything", preset="workflow").hits


@pytest.mark.parametrize("question", ["what happened yesterday?", "昨天说了什么？", "上周五的预算"])
def test_a_time_in_the_question_means_another_one_tomorrow(engine: Engine, question: str) -> None:
    engine.recall(question)
    assert not again(engine.recall(question))


def test_a_way_of_one_s_own_is_never_kept(engine: Engine) -> None:
    mine = BALANCED._replace(stages=BALANCED.stages[:-1] + BALANCED.stages[-1:], limit=3)
    for options in ({"preset": mine}, {"vector": embed_question(Letters(), "x")}):
        given: dict[str, Any] = options
        engine.recall(THEME, **given)
        assert not again(engine.recall(THEME, **given))


def test_what_is_not_sound_is_not_kept(opened: Opened) -> None:
    class Broken(Letters):
        def embed(self, texts: Sequence[str], *, kind: Kind) -> Vectors:
            raise EmbedderError("away")

    engine = opened()
    engine.remember("a theme 主题")
    engine.close()
    broken = opened(embedder=Broken())
    assert broken.recall(THEME).status is Status.DEGRADED
    assert not again(broken.recall(THEME))


def test_tenants_and_stores_never_share(opened: Opened) -> None:
    mine, theirs = opened("a.db"), opened("b.db")
    mine.remember("my secret theme 我的主题")
    theirs.remember("their theme 他们的主题")
    assert mine.recall(THEME).hits[0].text.startswith("my")
    answer = theirs.recall(THEME)
    assert not again(answer)
    assert [hit.text for hit in answer.hits] == ["their theme 他们的主题"]


def test_another_embedder_is_another_answer(opened: Opened) -> None:
    engine = opened(embedder="hashing")
    engine.remember("theme 主题 one")
    engine.recall(THEME)
    assert again(engine.recall(THEME))
    engine.close()
    assert not again(opened(embedder="none").recall(THEME))
    changed = opened(embedder=Letters())
    changed.reindex()
    assert not again(changed.recall(THEME))


def test_an_answer_is_shared_between_processes_by_redis_alone(
    server: RedisServer, tmp_path: Path, clock: FakeClock
) -> None:
    def opened(hot: str) -> Engine:
        return Engine(tmp_path / "m.db", embedder="none", settings=Settings(), clock=clock, hot=hot)

    with opened(server.address) as one, opened(server.address) as other:
        one.remember("theme 主题")
        first = one.recall(CHINESE)
        second = other.recall(CHINESE)
        assert again(second)
        assert told(second) == told(first)
        other.remember("another theme 别的主题")
        assert not again(one.recall(CHINESE))
    with opened("memory") as one, opened("memory") as other:
        one.recall(CHINESE)
        assert not again(other.recall(CHINESE))


def test_what_is_forgotten_is_in_no_answer_that_is_left(
    server: RedisServer, tmp_path: Path, clock: FakeClock
) -> None:
    from bethink.recall.kept_answer import from_bytes

    def kept() -> list[str]:
        texts: list[str] = []
        with server.client() as client:
            for key in client.scan_iter("*:answer:*"):
                value = client.get(key)
                assert isinstance(value, bytes)
                read = from_bytes(value, answer.query)
                assert read is not None
                texts += [hit.text for hit in read.answer.hits]
        return texts

    with server.client() as client:
        client.flushall()
    with Engine(
        tmp_path / "m.db", embedder="none", settings=Settings(), clock=clock, hot=server.address
    ) as engine:
        for forget in ("forget", "revise", "space"):
            engine.remember("swordfish 剑鱼", id="s", space="项目")
            answer = engine.recall("swordfish", spaces="项目")
            assert again(engine.recall("swordfish", spaces="项目"))
            assert kept() == ["swordfish 剑鱼"]
            if forget == "forget":
                assert engine.forget("s").notes == ()
            elif forget == "revise":
                engine.revise("s", text="gone")
                engine.forget("s")
            else:
                engine.forget_space("项目")
            assert kept() == []
        assert "swordfish" not in everything_in(server)


def test_rubbish_on_the_shelf_is_no_answer(
    server: RedisServer, tmp_path: Path, clock: FakeClock
) -> None:
    with Engine(
        tmp_path / "m.db", embedder="none", settings=Settings(), clock=clock, hot=server.address
    ) as engine:
        engine.remember("theme 主题")
        for rubbish in (b"", b"x", b"\x78\x9c\x03\x00", b"null"):
            engine.recall(THEME)
            with server.client() as client:
                for key in client.scan_iter("*:answer:*"):
                    client.set(key, rubbish)
            answer = engine.recall(THEME)
            assert not again(answer)
            assert answer.hits


def test_a_program_with_models_of_its_own_shares_nothing(
    server: RedisServer, tmp_path: Path, clock: FakeClock
) -> None:
    for _ in range(2):
        with Engine(
            tmp_path / "m.db",
            embedder="none",
            settings=Settings(),
            clock=clock,
            hot=server.address,
            count_tokens=len,
        ) as engine:
            if engine.status().memories == 0:
                engine.remember("theme 主题")
            assert not again(engine.recall(THEME))
            assert again(engine.recall(THEME))


def test_without_hot_nothing_is_kept(tmp_path: Path) -> None:
    with Engine(InMemoryStore(), embedder="none", settings=Settings()) as engine:
        engine.remember("theme 主题")
        engine.recall(THEME)
        assert not again(engine.recall(THEME))
        assert engine.status().hot == ""


def everything_in(server: RedisServer) -> str:
    """All values there, as one text."""
    with server.client() as client:
        dumped = [client.dump(key) for key in client.scan_iter("*")]
    return "\n".join(one.decode("utf-8", "replace") for one in dumped if isinstance(one, bytes))
