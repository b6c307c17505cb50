"""What a large space's words file says of a passage is what its text says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bethink import Engine
from bethink.errors import UnknownSpace
from bethink.stores.in_memory import InMemoryStore
from bethink.stores.protocol import Counted, CountsTerms
from bethink.stores.sqlite import large
from bethink.stores.sqlite.store import SQLiteStore
from bethink.testing import FakeClock, make_entry, make_memory
from bethink.text.fold import fold_for_terms
from bethink.text.tokenise import count_terms, query_terms, stands_for_many
from bethink.vocabulary import Recollection

PIECES = (
    "budget budgets Budget, the of 2026 don't ERR_CONN_1042 --no-cache user_id=7 getUserName "
    "/etc/hosts a.b.c 预算 的预算 哈哈 哈哈哈 哈 ，预算。 預算 ｂｕｄｇｅｔ 用getUserName获取 "
    "docs/部署.md カタカナ 部署--force 42% … é naïve"
).split()
TEXTS = st.lists(st.sampled_from(PIECES), min_size=1, max_size=12).flatmap(
    lambda pieces: st.sampled_from(["", " ", "，"]).map(lambda between: between.join(pieces))
)


@pytest.fixture(autouse=True)
def large_from_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large, "POSTINGS_FROM", 1)
    monkeypatch.setattr(large, "BEHIND_AT_LEAST", 0)


@pytest.fixture
def store(quick_path: Path) -> Iterator[SQLiteStore]:
    made = SQLiteStore(quick_path / "s.db")
    yield made
    made.close()


def put(store: SQLiteStore, texts: Mapping[str, str], space: str = "global") -> None:
    store.put([make_entry(make_memory(text, one, space=space)) for one, text in texts.items()])


def counted(
    store: SQLiteStore, terms: Sequence[str], ids: Sequence[str], space: str = "global"
) -> list[Counted | None]:
    found = store.count_terms(terms, [(one, 0) for one in ids], spaces=[space])
    assert found.common == store.frequencies(terms, spaces=[space])
    return found.held


def test_only_a_store_that_has_them_at_hand_is_asked(store: SQLiteStore) -> None:
    assert isinstance(store, CountsTerms)
    assert not isinstance(InMemoryStore(), CountsTerms)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(TEXTS, min_size=1, max_size=6), question=TEXTS)
def test_the_file_counts_as_the_text_is_read(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], question: str
) -> None:
    store = SQLiteStore(tmp_path_factory.mktemp("s") / "s.db")
    named = {f"m{n}": text for n, text in enumerate(texts)}
    put(store, named)
    store.maintain()
    asked = query_terms(question)
    found = counted(store, asked, list(named))
    store.close()
    for text, one in zip(texts, found, strict=True):
        counts, length = count_terms(fold_for_terms(text), asked)
        if any(map(stands_for_many, asked)):
            assert one is None  # 哈 means every term that begins with it: the text tells
        else:
            assert one == (counts, length)


def test_what_the_file_does_not_hold_is_read(store: SQLiteStore) -> None:
    """Told since, forgotten, of another space, or told before there was a file at all."""
    put(store, {"a": "the budget 预算 预算", "b": "budget"})
    put(store, {"c": "预算"}, space="项目")
    terms = ["budget", "预算"]
    assert counted(store, terms, ["a", "b", "c"]) == [None, None, None]
    store.maintain()
    put(store, {"d": "budget"})
    expected = [Counted({"budget": 1, "预算": 2}, 6), Counted({"budget": 1}, 1), None, None, None]
    assert counted(store, terms, ["a", "b", "c", "d", "nobody"]) == expected
    assert counted(store, terms, ["c", "a"], "项目") == [Counted({"预算": 1}, 2), None]
    both = store.count_terms(terms, [("c", 0), ("b", 0)], spaces=["global", "项目"])
    assert both.held == [Counted({"预算": 1}, 2), Counted({"budget": 1}, 1)]
    assert both.common == store.frequencies(terms, spaces=["global", "项目"])
    store.delete(["b"])
    assert counted(store, terms, ["b"]) == [None]
    with pytest.raises(UnknownSpace):
        counted(store, terms, ["a"], "nowhere")


def weighed(answer: Recollection) -> list[object]:
    return [(hit.id, hit.score, hit.parts) for hit in answer.hits]


TOLD = {
    "disk": "The disk of the build server was full; cleaning the cache of the build freed 40 GB.",
    "build": "The build takes 12 minutes since the cache was moved to another disk.",
    "cake": "Tom bakes a cake on Sunday.",
    "磁盘": "构建服务器的磁盘满了，清理构建缓存后腾出 40 GB。",
    "缓存": "缓存搬到另一块磁盘以后，构建要十二分钟。哈哈哈",
    "蛋糕": "小王星期天烤蛋糕。",
}


@pytest.mark.parametrize(
    "question", ["which cache filled the disk of the build", "构建缓存占满了哪块磁盘", "哈哈 disk"]
)
def test_an_answer_is_the_same_with_and_without_the_file(
    quick_path: Path, question: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = FakeClock()
    with Engine(quick_path / "s.db", embedder="none", clock=clock) as engine:
        for name, text in TOLD.items():
            engine.remember(text, id=name)
        monkeypatch.setattr(large, "POSTINGS_FROM", 1_000)
        read = engine.recall(question, touch=False)
        monkeypatch.setattr(large, "POSTINGS_FROM", 1)
        engine.store.maintain()
        known = engine.recall(question, touch=False)
        assert isinstance(engine.store, CountsTerms)
        at_hand = engine.store.count_terms(["disk"], [("disk", 0)], spaces=["global"])
        assert at_hand.held == [Counted({"disk": 1}, 17)]
    assert read.hits
    assert weighed(known) == weighed(read)
    assert known.confidence == read.confidence


def test_looking_back_the_former_text_is_read_and_not_the_present_file(
    quick_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = FakeClock()
    with Engine(quick_path / "s.db", embedder="none", clock=clock) as engine:
        engine.remember("the budget is forty 预算是四十", id="a")
        engine.remember("a budget for the cake 蛋糕的预算", id="b")
        then = clock()
        clock.advance(days=2)
        engine.revise("a", text="the budget budget budget is fifty 预算预算预算是五十")
        monkeypatch.setattr(large, "POSTINGS_FROM", 1_000)
        read = engine.recall("budget 预算", as_of=then, touch=False)
        monkeypatch.setattr(large, "POSTINGS_FROM", 1)
        engine.store.maintain()
        known = engine.recall("budget 预算", as_of=then, touch=False)
    assert {hit.text for hit in known.hits} >= {"the budget is forty 预算是四十"}
    assert weighed(known) == weighed(read)
