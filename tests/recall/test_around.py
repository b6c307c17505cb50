"""Short hits are shown with what stands around them: up to a length, never twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.filters import Not, PartOf
from bethink.recall.budget import Budget, Widen
from bethink.recall.document_parts import SECTION, section_id, sections_beside
from bethink.recall.draft import Draft
from bethink.remember.pipeline import prepare
from bethink.stores.in_memory import InMemoryStore
from bethink.vocabulary import TRUST, UNVERIFIED, Candidate, Extent, Hit, Memory, Place
from tests.recall.kits import NOW, draft, kit, memory

WIDEN = Budget(count=len, widen=Widen(below=350, up_to=850))
ENGLISH = (
    "Refunds take two weeks. Cards are faster.",
    "Parcels come back to the shop for free.",
    "Gift cards are never refunded. Ask for help at the desk.",
)
CHINESE = ("退款需要两周。刷卡更快。", "包裹可以免费退回商店。", "礼品卡概不退款。请到柜台求助。")


def section(ordinal: int, text: str, *, card: str = "doc", **more: Any) -> Memory:
    about = {"document": card, "ordinal": ordinal, **more.pop("metadata", {})}
    return Memory(
        id=section_id(card, ordinal),
        space=more.pop("space", "global"),
        text=text,
        kind=more.pop("kind", SECTION),
        metadata=about,
        created_at=NOW,
        updated_at=NOW,
        **more,
    )


def shelved(*memories: Memory) -> tuple[InMemoryStore, list[list[Candidate]]]:
    """A store with these, and the candidates of the passages of each."""
    store = InMemoryStore()
    entries = [prepare(one, given_id=True) for one in memories]
    store.put(entries)
    return store, [
        [Candidate(e.memory.id, p.ordinal, 0.5, {"words": Place(0, 1.0)}, e.memory, p)
         for p in e.passages]
        for e in entries
    ]  # fmt: skip


def hits_of(store: InMemoryStore, asked: Draft, stage: Budget = WIDEN) -> tuple[Hit, ...]:
    return stage(asked, kit(store)).hits


@pytest.mark.parametrize("texts", [ENGLISH, CHINESE])
def test_a_short_section_is_shown_with_those_beside_it(texts: Sequence[str]) -> None:
    store, every = shelved(*(section(n, text) for n, text in enumerate(texts)))
    after = WIDEN(draft(every[1], budget=5_000), kit(store))
    (hit,) = after.hits
    assert hit.text == "\n\n".join(texts)
    assert hit.shown == tuple(Extent(f"doc.0000{n}", 0, len(t)) for n, t in enumerate(texts))
    assert hit.tokens == len(hit.text)
    assert (hit.id, hit.passage) == ("doc.00001", every[1][0].passage)  # it is still the hit
    assert hit.parts == {"relevance": 0.5, "neighbour": 0.0}
    more = len(hit.text) - len(texts[1])
    assert after.notes == (
        f"doc.00001: widened by its neighbours and by doc.00000 and doc.00002, {more} tokens more",
    )
    (plain,) = hits_of(store, draft(every[1]), Budget(count=len, fill=True))
    assert (plain.text, plain.shown) == (texts[1], ())  # without the option it stays alone


@pytest.mark.parametrize("sentence", ["This sentence is number {}. ", "这是第{}个句子。"])
def test_up_to_a_length_in_whole_sentences(sentence: str) -> None:
    long = "".join(sentence.format(n) for n in range(400)).strip()
    store, every = shelved(section(0, long), section(1, "短 short."), section(2, long))
    (hit,) = hits_of(store, draft(every[1], budget=9_000))
    before, _, after = hit.text.split("\n\n") if hit.text.count("\n\n") == 2 else ("", "", "")
    own, following = hit.text.split("\n\n")
    assert (before, after, own) == ("", "", "短 short.")  # what follows takes all of the room
    assert len(hit.text) <= 850 < len(hit.text) + 60
    assert long.startswith(following) and following[-1] in ".。"
    store, every = shelved(section(0, long), section(1, "短 short."))
    (hit,) = hits_of(store, draft(every[1], budget=9_000))
    preceding = hit.text.split("\n\n")[0]
    assert len(hit.text) <= 850 < len(hit.text) + 60
    assert long.endswith(preceding) and long[-len(preceding) - 2 :][:2].strip()[-1] in ".。"


def test_its_own_section_comes_first() -> None:
    for sentences, shown in ((60, ["doc.00001"]), (35, ["doc.00000", "doc.00001", "doc.00002"])):
        long = "".join(f"第{n}句 sentence {n}。" for n in range(sentences))
        store, every = shelved(section(0, "前面。"), section(1, long), section(2, "after 后面。"))
        tail, head = every[1][-1], every[1][0]
        assert len(tail.text) < 350 and tail.passage is not None
        (hit,) = hits_of(store, draft([tail], budget=9_000))
        assert [one.memory_id for one in hit.shown] == shown
        own = next(one for one in hit.shown if one.memory_id == "doc.00001")
        assert own.start < tail.passage.start and own.end == len(long)
        assert len(hit.text) <= 850
        if len(shown) == 1:
            assert len(hit.text) > 820
        else:
            assert hit.text == f"前面。\n\n{long}\n\nafter 后面。"
        # one that is not short is left to `fill`
        assert len(head.text) >= 350 and hits_of(store, draft([head], budget=9_000))[0].shown == ()


def test_never_over_another_hit() -> None:
    store, every = shelved(*(section(n, text) for n, text in enumerate(ENGLISH)))
    first, second, third = hits_of(store, draft([every[1][0], every[0][0], every[2][0]]))
    assert [hit.text for hit in (first, second, third)] == [ENGLISH[1], ENGLISH[0], ENGLISH[2]]
    first, last = hits_of(store, draft([every[0][0], every[2][0]]))
    assert first.text == f"{ENGLISH[0]}\n\n{ENGLISH[1]}"  # the best has it
    assert last.text == ENGLISH[2]


def test_not_past_a_hit_within_the_section() -> None:
    long = "".join(f"第{n}句 sentence {n}。" for n in range(60))
    store, every = shelved(section(0, "短的 short。"), section(1, long), section(2, "end 结尾。"))
    middle = every[1][1]
    assert middle.passage is not None
    short, _ = hits_of(store, draft([every[0][0], middle], budget=9_000))
    assert short.shown[1].end <= middle.passage.start
    assert short.text.split("\n\n")[1] == long[: short.shown[1].end]


def test_never_over_the_budget() -> None:
    store, every = shelved(*(section(n, text) for n, text in enumerate(CHINESE)))
    room = len(CHINESE[1]) + len("\n\n") + len(CHINESE[2])
    (hit,) = hits_of(store, draft(every[1], budget=room))
    assert hit.text == f"{CHINESE[1]}\n\n{CHINESE[2]}" and hit.tokens == room
    (hit,) = hits_of(store, draft(every[1], budget=room - 1))
    assert (
        hit.text == f"{CHINESE[0]}\n\n{CHINESE[1]}"
    )  # what follows is too dear, what precedes fits
    (hit,) = hits_of(store, draft(every[1], budget=len(CHINESE[1])))
    assert hit.text == CHINESE[1]


@pytest.mark.parametrize(
    "other",
    [
        section(2, "其他 other.", space="elsewhere"),
        section(2, "其他 other.", metadata={"document": "another"}),
        section(2, "其他 other.", provenance={TRUST: UNVERIFIED}),
        section(3, "其他 other."),
        section(2, "其他 other.", kind="note"),
    ],
)
def test_only_what_stands_beside_it_in_the_same_document(other: Memory) -> None:
    store, every = shelved(section(1, "short 短。"), other)
    (hit,) = hits_of(store, draft(every[0]))
    assert (hit.text, hit.shown) == ("short 短。", ())


def test_what_the_question_may_not_see_is_not_shown_beside_a_hit() -> None:
    store, every = shelved(*(section(n, text) for n, text in enumerate(ENGLISH)))
    asked = draft(every[1])
    withheld = replace(asked.query, where=Not(PartOf(("doc.00002",))))
    (hit,) = hits_of(store, asked._replace(query=withheld))
    assert hit.text == f"{ENGLISH[0]}\n\n{ENGLISH[1]}"
    (hit,) = hits_of(store, asked._replace(query=replace(asked.query, looking_back=True)))
    assert hit.text == ENGLISH[1]  # it may have read otherwise then


@pytest.mark.parametrize("kind", ["faq", "document"])
def test_what_is_no_running_text_is_left_alone(kind: str) -> None:
    lines = "".join(f"问题 question number {n}?\n" for n in range(60))
    store, every = shelved(replace(memory("m", lines), kind=kind))
    tail = every[0][-1]
    for stage in (WIDEN, Budget(count=len, fill=True)):
        assert hits_of(store, draft([tail], budget=9_000), stage)[0].text == tail.text


def test_only_sections_have_sections_beside_them() -> None:
    assert sections_beside(section(0, "x")) == (None, "doc.00001")
    assert sections_beside(section(7, "x")) == ("doc.00006", "doc.00008")
    assert sections_beside(memory("doc.00007", "x")) == (None, None)
    assert sections_beside(replace(section(7, "x"), id="forged")) == (None, None)
    for ordinal in (True, "1", None):
        forged = replace(section(1, "x"), metadata={"document": "doc", "ordinal": ordinal})
        assert sections_beside(forged) == (None, None)


@given(
    st.lists(st.text("预算会议。.a b\n,不", min_size=1, max_size=900).filter(str.strip),
             min_size=1, max_size=5),
    st.integers(1, 3_000),
    st.integers(1, 6),
    st.booleans(),
    st.randoms(use_true_random=False),
)  # fmt: skip
def test_whatever_is_found(texts, budget, limit, fill, random) -> None:  # type: ignore[no-untyped-def]
    store, every = shelved(*(section(n, text) for n, text in enumerate(texts)))
    wanted = [one for candidates in every for one in candidates]
    random.shuffle(wanted)
    asked = draft(wanted, budget=budget, limit=limit)
    plain = hits_of(store, asked, Budget(count=len))
    wide = hits_of(store, asked, replace(WIDEN, fill=fill))
    assert [hit.passage for hit in wide] == [hit.passage for hit in plain]
    assert sum(len(hit.text) for hit in wide) == sum(hit.tokens for hit in wide) <= budget
    by_id = {f"doc.{n:05d}": text for n, text in enumerate(texts)}
    taken: list[tuple[str, int]] = []
    for narrow, hit in zip(plain, wide, strict=True):
        assert narrow.text in hit.text
        if len(narrow.text) < 350:
            assert len(hit.text) <= 850
        if hit.shown:
            assert hit.text == "\n\n".join(by_id[m][a:b] for m, a, b in hit.shown)
            own = set(range(narrow.passage.start, narrow.passage.end))
            taken += [
                (m, at) for m, a, b in hit.shown for at in range(a, b)
                if m != hit.id or at not in own
            ]  # fmt: skip
    assert len(taken) == len(set(taken))  # nothing is shown beside two hits
