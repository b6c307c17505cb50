"""What fits, what is skipped, and what fills the rest."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from bethink import Engine
from bethink.recall.budget import Budget
from bethink.recall.fuse import ReciprocalRanks
from bethink.recall.hydrate import Hydrate
from bethink.recall.presets import Preset
from bethink.recall.search_words import SearchWords
from bethink.recall.side_by_side import SideBySide
from bethink.remember.pipeline import prepare
from bethink.stores.in_memory import InMemoryStore
from bethink.text.tokens import count_tokens
from bethink.vocabulary import Candidate, Dropped, Place, Status
from tests.recall.kits import candidate, draft, kit, memory

ENGLISH = " ".join(f"Sentence number {n} tells about the day and what was done." for n in range(60))
CHINESE = "".join(f"第{n}句话讲的是那一天做了什么事情，还有谁在场。" for n in range(60))
MIXED = "".join(f"第{n}步 run the deploy script 然后检查 log。 " for n in range(80))


def stored(*texts: str) -> tuple[InMemoryStore, dict[str, list[Candidate]]]:
    """A store with these memories, and the candidates of every passage."""
    store = InMemoryStore()
    every: dict[str, list[Candidate]] = {}
    for number, text in enumerate(texts):
        entry = prepare(memory(f"m{number}", text), given_id=True)
        store.put([entry])
        every[entry.memory.id] = [
            Candidate(p_memory.id, p.ordinal, 0.5, {"words": Place(0, 1.0)}, p_memory, p)
            for p in entry.passages
            for p_memory in [entry.memory]
        ]
    return store, every


def by_length(text: str) -> int:
    return len(text)


def test_what_does_not_fit_is_skipped_and_smaller_ones_follow() -> None:
    after = Budget(count=by_length)(
        draft(
            [
                candidate("A", "x" * 60),
                candidate("B", "x" * 50),
                candidate("C", "好" * 30),
                candidate("D", "x" * 11),
                candidate("E", "x" * 10),
            ],
            budget=100,
        ),
        kit(),
    )
    assert [hit.id for hit in after.hits] == ["A", "C", "E"]
    assert [d.reason for d in after.dropped] == [
        "50 tokens do not fit in the 40 left",
        "11 tokens do not fit in the 10 left",
    ]
    assert after.hits[0].displaced == ()
    assert after.hits[1].displaced == ("B: 50 tokens do not fit in the 40 left",)
    assert after.faults == ()
    assert sum(hit.tokens for hit in after.hits) == 100


def test_the_limit_is_not_the_budgets_fault() -> None:
    after = Budget(count=by_length)(draft([candidate(n) for n in "ABC"], limit=2), kit())
    assert [hit.id for hit in after.hits] == ["A", "B"]
    assert after.dropped == (Dropped("C", 0, "beyond the limit of 2 hits"),)
    assert after.faults == ()


def test_nothing_fits() -> None:
    after = Budget(count=by_length)(
        draft([candidate("A", "x" * 60), candidate("B", "好" * 50)], budget=10), kit()
    )
    assert after.hits == ()
    assert after.size == 0
    (fault,) = after.faults
    assert fault.status is Status.DEGRADED
    assert fault.reason == "2 hits were found but none fits in 10 tokens; raise the budget"


def test_nothing_found_is_no_fault() -> None:
    after = Budget()(draft([]), kit())
    assert (after.hits, after.faults) == ((), ())


def test_a_hit_shows_its_parts() -> None:
    (hit,) = Budget()(draft([candidate("A", "深色主题", score=0.123456789)]), kit()).hits
    assert hit.score == 0.123457
    assert hit.parts == {"relevance": 0.123457}
    assert hit.text == "深色主题"
    assert hit.channels == {"words": Place(0, 1.0)}


def test_a_hit_shows_the_parts_of_its_score() -> None:
    mixed = candidate("A", score=0.75)._replace(parts={"relevance": 0.5, "recency": 0.25000000001})
    (hit,) = Budget()(draft([mixed]), kit()).hits
    assert hit.parts == {"relevance": 0.5, "recency": 0.25}


def test_the_engine_says_how_tokens_are_counted() -> None:
    told = "The plan for the offsite. 团建计划。"
    with Engine.in_memory(embedder="none", count_tokens=len) as engine:
        engine.remember(told)
        answer = engine.recall("offsite plan", preset=preset())
        assert (answer.tokens_used, answer.tokens_left) == (len(told), 1500 - len(told))


# Neighbours


def preset(*, fill: bool = False) -> Preset:
    search = SideBySide((SearchWords(),))
    return Preset("own", (search, ReciprocalRanks(), Hydrate(), Budget(fill=fill)))


def test_neighbours_fill_what_is_left() -> None:
    for text in (ENGLISH, CHINESE, MIXED):
        store, every = stored(text)
        chosen = every["m0"][1]
        plain = Budget()(draft([chosen], budget=2_000), kit(store))
        after = Budget(fill=True)(draft([chosen], budget=2_000), kit(store))
        (hit,), (narrow,) = after.hits, plain.hits
        first, last = every["m0"][0].passage, every["m0"][2].passage
        assert first is not None and last is not None
        assert hit.text == text[first.start : last.end]  # contiguous: no overlap is said twice
        assert hit.passage == narrow.passage
        assert hit.tokens == count_tokens(hit.text) > narrow.tokens
        assert hit.parts == {**narrow.parts, "neighbour": 0.0}
        assert after.notes == (
            f"m0: widened by its neighbours, {hit.tokens - narrow.tokens} tokens more",
        )
        assert plain.notes == ()


def test_only_what_fits_and_what_follows_comes_first() -> None:
    store, every = stored(CHINESE)
    first, chosen, last = (c.passage for c in every["m0"][:3])
    assert first is not None and chosen is not None and last is not None
    room = len(CHINESE[chosen.start : last.end])
    for budget, end in ((room, last.end), (room - 1, chosen.end)):
        after = Budget(count=len, fill=True)(draft([every["m0"][1]], budget=budget), kit(store))
        text = after.hits[0].text
        if end == last.end:
            assert text == CHINESE[chosen.start : end]
        else:  # the next does not fit; the one before is no longer than it
            assert len(text) <= budget


def test_hits_come_before_neighbours() -> None:
    store, every = stored(ENGLISH, CHINESE)
    wanted = [every["m0"][1], every["m1"][1]]
    room = sum(count_tokens(c.text) for c in wanted)
    after = Budget(fill=True)(draft(wanted, budget=room), kit(store))
    assert [hit.text for hit in after.hits] == [c.text for c in wanted]
    assert after.notes == ()


def test_nothing_is_said_by_two_hits_of_a_memory() -> None:
    store, every = stored(ENGLISH)
    passages = every["m0"]
    after = Budget(count=len, fill=True)(
        draft([passages[1], passages[3], passages[4]], budget=9_000), kit(store)
    )
    starts = [ENGLISH.index(hit.text) for hit in after.hits]
    ends = [at + len(hit.text) for at, hit in zip(starts, after.hits, strict=True)]
    first, third, fourth = (passages[n].passage for n in (0, 3, 4))
    assert first is not None and third is not None and fourth is not None
    assert (starts[0], ends[0]) == (first.start, third.start)  # up to where the next begins
    assert (starts[1], ends[1]) == (third.start, third.end)
    assert starts[2] == fourth.start and ends[2] > fourth.end


def test_a_memory_that_was_revised_meanwhile_is_left_as_found() -> None:
    store, every = stored(ENGLISH)
    chosen = every["m0"][1]
    store.revise(prepare(replace(memory("m0", CHINESE)), given_id=True))
    after = Budget(fill=True)(draft([chosen]), kit(store))
    assert [hit.text for hit in after.hits] == [chosen.text]


def test_a_whole_memory_has_no_neighbours() -> None:
    store, every = stored("short 短")
    after = Budget(fill=True)(draft(every["m0"]), kit(store))
    assert after.hits[0].parts == {"relevance": 0.5}


def test_through_the_engine() -> None:
    needle = "The password for the printer is on the yellow note. 打印机的密码在黄色便签上。"
    text = ENGLISH[:1500] + " " + needle + " " + CHINESE[:800]
    with Engine.in_memory(embedder="none") as engine:
        engine.remember(text)
        for question in ("printer password", "打印机的密码"):
            narrow = engine.recall(question, preset=preset(), limit=1)
            wide = engine.recall(question, preset=preset(fill=True), limit=1)
            assert narrow.hits[0].text in wide.hits[0].text
            assert narrow.tokens_used < wide.tokens_used <= 1500
            assert wide.hits[0].text in text


@given(
    st.lists(
        st.text(st.sampled_from("预算会议。.a b\n,不5"), min_size=1, max_size=1800).filter(
            str.strip
        )
        | st.sampled_from([ENGLISH, CHINESE, MIXED]),
        min_size=1,
        max_size=4,
    ),
    st.integers(1, 3_000),
    st.integers(1, 6),
    st.sampled_from([len, count_tokens]),
    st.randoms(use_true_random=False),
)
def test_the_budget_is_never_exceeded(texts, budget, limit, count, random) -> None:  # type: ignore[no-untyped-def]
    store, every = stored(*texts)
    wanted = [c for candidates in every.values() for c in candidates]
    random.shuffle(wanted)
    after = Budget(count=count, fill=True)(draft(wanted, budget=budget, limit=limit), kit(store))
    plain = Budget(count=count)(draft(wanted, budget=budget, limit=limit), kit(store))
    assert sum(count(hit.text) for hit in after.hits) <= budget
    assert all(hit.tokens == count(hit.text) for hit in after.hits)
    assert [hit.passage for hit in after.hits] == [hit.passage for hit in plain.hits]
    for wide, narrow in zip(after.hits, plain.hits, strict=True):
        assert narrow.text in wide.text
        assert wide.text in wide.memory.text
