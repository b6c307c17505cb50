"""What is found: by words, by meaning, and beside what was found."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bethink.errors import FingerprintMismatch, UnknownSpace
from bethink.stores.in_memory import InMemoryStore
from bethink.stores.protocol import Store
from bethink.testing.entries import make_entry, make_memory
from bethink.testing.programs import EVERYTHING, same_ranking
from bethink.testing.store_contract.store_case import CHINESE, OTHER, TOY, StoreCase, ids
from bethink.text.searched import SECTION

# What FTS engines and SQL read as something else than a word.
HOSTILE_TERMS = [
    '"', "'", "''", '""', "*", "alph*", "alpha*", "OR", "AND", "NOT", "alpha OR beta", "NEAR(",
    "NEAR(alpha beta)", "terms:alpha", "^alpha", "{terms}", "-alpha", "+", "(", ")", "\\", "%", "_",
    "; DROP TABLE memories", "", " ", "\0", "alpha\0beta", "\n", "x" * 5_000,
]  # fmt: skip


class SearchingContract(StoreCase):
    # words

    def test_best_first_and_limited(self, store: Store) -> None:
        self.told(store, "alpha", "alpha beta", "gamma delta", "beta epsilon", "zeta eta")
        found = self.words(store, "alpha beta")
        assert [f.score for f in found] == sorted((f.score for f in found), reverse=True)
        assert found[0].memory_id == "global-1"
        assert {f.memory_id for f in found} == {"global-0", "global-1", "global-3"}
        assert self.words(store, "alpha beta", limit=2) == found[:2]

    @pytest.mark.parametrize(
        ("text", "question"),
        [
            ("我们讨论了预算问题", "预算"),
            ("磁盘已满", "磁盘"),
            ("小美喜欢深色主题", "主题"),
            ("雨", "雨"),
            ("預算超支", "预算"),  # traditional in the text, simplified in the question
            ("see ERR_CONN_1042 there", "ERR_CONN_1042"),
            ("call user_id now", "user_id"),
            ("run it with --no-cache", "--no-cache"),
            ("in /etc/hosts it is", "/etc/hosts"),
            ("a.b.c is a path", "a.b.c"),
            ("getUserName() fails", "getUserName"),
            ("it's C++ not C#", "C++"),
            ("don't/stop it", "don't/stop"),
            ("v1.2.3-rc.1", "v1.2.3-rc.1"),
            ("Ünïcödé wörds", "ünïcödé"),
            ("deploying fails", "deploy failed"),
        ],
    )
    def test_words_are_found(self, store: Store, text: str, question: str) -> None:
        (memory,) = self.told(store, text)
        self.told(store, "nothing of the kind", "另外一些文字", "other things", "还有别的")
        assert ids(self.words(store, question))[:1] == [memory.id]

    def test_an_identifier_beats_its_parts(self, store: Store) -> None:
        exact, *_ = self.told(
            store, "failed: ERR_CONN_1042", "err conn 1042 failed", "ERR_CONN_1043", "err", "conn"
        )
        assert ids(self.words(store, "ERR_CONN_1042"))[0] == exact.id

    @pytest.mark.parametrize("term", HOSTILE_TERMS, ids=lambda t: ascii(t[:16]))
    def test_operators_in_terms_are_harmless(self, store: Store, term: str) -> None:
        alpha, _ = self.told(store, "alpha", "beta")
        assert store.search_words([term], spaces=["global"], where=None, limit=5) == []
        with_alpha = store.search_words([term, "alpha"], spaces=["global"], where=None, limit=5)
        assert ids(with_alpha) == [alpha.id]

    def test_a_term_named_twice_counts_once(self, store: Store) -> None:
        self.told(store, "alpha beta", "beta", "gamma")
        once = store.search_words(["alpha", "beta"], spaces=["global"], where=None, limit=5)
        twice = store.search_words(["alpha", "beta"] * 2, spaces=["global"], where=None, limit=5)
        assert [f.score for f in twice] == pytest.approx([f.score for f in once])

    def test_no_term_finds_nothing(self, store: Store) -> None:
        self.told(store, "alpha", "…")
        assert store.search_words((), spaces=["global"], where=None, limit=5) == []
        assert self.words(store, "unheard") == []

    def test_scores_are_bm25(self, store: Store) -> None:
        texts = [
            "alpha",
            "alpha alpha beta",
            "beta gamma",
            "delta\nalpha 预算",
            "预算 预算 磁盘",
            "…",
        ]
        reference = InMemoryStore()
        self.told(store, *texts)
        self.told(reference, *texts)
        for question in ("alpha", "alpha beta", "预算 alpha gamma", "delta"):
            found = self.words(store, question, limit=3)
            same_ranking(found, self.words(reference, question, limit=EVERYTHING), limit=3)

    def test_rebuilding_the_words_changes_nothing(self, store: Store) -> None:
        self.told(store, "alpha beta\n预算", "gamma don't/stop", "…")
        self.told(store, "delta", space=CHINESE)
        before = self.words(store, "alpha 预算 gamma don't/stop")
        assert store.rebuild_words() == 5
        after = self.words(store, "alpha 预算 gamma don't/stop")
        same_ranking(after, before, limit=10)

    def test_a_part_of_a_document_is_found_by_its_headings(self, store: Store) -> None:
        self.told(store, "something else", "另外一些文字")
        part = make_memory(
            "press it twice\n按两次",
            "d.00001",
            kind=SECTION,
            section="Operation 操作 › Stopping 停机",
        )
        store.put([make_entry(part, TOY)], fingerprint=TOY.fingerprint)
        store.put(
            [make_entry(replace(part, id="n", kind="note"), TOY)], fingerprint=TOY.fingerprint
        )
        both = {("d.00001", 0), ("d.00001", 1)}
        for question in ("stopping", "停机", "操作"):
            assert {(f.memory_id, f.ordinal) for f in self.words(store, question)} == both
        assert self.words(store, "twice")[0].memory_id == "n"  # it says nothing else
        near = self.meaning(store, f"{part.section}\n按两次", limit=1)
        assert [(f.memory_id, f.ordinal) for f in near] == [("d.00001", 1)]
        assert store.rebuild_words() == 6
        assert {(f.memory_id, f.ordinal) for f in self.words(store, "停机")} == both

        moved = replace(part, section="Operation 操作 › Starting 启动")
        store.revise(make_entry(moved, TOY), fingerprint=TOY.fingerprint)
        assert self.words(store, "停机") == []
        assert {(f.memory_id, f.ordinal) for f in self.words(store, "启动")} == both
        assert store.frequencies(["stop", "启动"], spaces=["global"]).holding == [0, 2]
        store.delete(["d.00001"])
        assert self.words(store, "启动 操作") == []

    def test_headings_are_embedded_with_a_part_of_a_document(self, store: Store) -> None:
        part = make_memory("按两次\ntwice", "d.00001", kind=SECTION, section="Stopping 停机")
        store.put([make_entry(part)])
        store.declare(TOY.embedding)
        waiting = store.unembedded(TOY.fingerprint, limit=9)
        assert [w.text for w in waiting] == ["Stopping 停机\n按两次", "Stopping 停机\ntwice"]

    def test_how_common_terms_are(self, store: Store) -> None:
        self.told(store, "alpha beta\n预算 预算", "alpha gamma")
        self.told(store, "alpha delta", space=CHINESE)
        terms = ["alpha", "预算", "omega", "预", "two words"]
        found = store.frequencies(terms, spaces=["global"])
        assert found.holding == [2, 1, 0, 1, 0]
        assert (found.passages, found.memories) == (3, 2)
        both = store.frequencies(terms, spaces=["global", CHINESE])
        assert both.holding == [3, 1, 0, 1, 0]
        assert both.length == pytest.approx((found.length * 3 + 2) / 4)
        with pytest.raises(UnknownSpace):
            store.frequencies(terms, spaces=["nowhere"])

    # meaning

    def test_the_nearest_first_with_their_cosines(self, store: Store) -> None:
        texts = [f"text {n}" for n in range(30)]
        self.told(store, *texts)
        found = self.meaning(store, "text 7", limit=5)
        cosines = TOY.embed(texts) @ TOY.embed(["text 7"])[0]
        assert found[0].memory_id == "global-7"
        assert [f.score for f in found] == pytest.approx(
            sorted(cosines, reverse=True)[:5], abs=1e-5
        )

    def test_every_passage_has_its_place(self, store: Store) -> None:
        (memory,) = self.told(store, "alpha\nbeta\ngamma")
        assert self.meaning(store, "beta", limit=1)[0][:2] == (memory.id, 1)
        assert self.words(store, "gamma", limit=1)[0][:2] == (memory.id, 2)

    def test_passages_are_compared_with_a_question_and_with_what_is_usual(
        self, store: Store
    ) -> None:
        self.told(store, "alpha", "beta", "预算", "alpha beta")
        self.told(store, "alpha", space="other")
        found = {(f.memory_id, f.ordinal): f.score for f in self.meaning(store, "alpha")}
        keys = [*reversed(found), ("nobody", 0), ("global-0", 7), ("other-4", 0)]
        compared = self.compare(store, "alpha", *keys)
        assert compared.scores == [
            pytest.approx(found[key], abs=1e-5) if key in found else None for key in keys
        ]
        mean = sum(found.values()) / len(found)
        assert compared.mean == pytest.approx(mean, abs=1e-5)
        assert compared.spread > 0
        with pytest.raises(FingerprintMismatch):
            store.compare(
                TOY.embed(["a"])[0], keys, fingerprint=OTHER.fingerprint, spaces=["global"]
            )

    def test_without_vectors_there_is_nothing_to_compare(self, store: Store) -> None:
        store.put([make_entry(make_memory("alpha", "a"))])
        assert self.compare(store, "alpha", ("a", 0)).scores == [None]

    # neighbours

    def test_neighbours_are_those_told_before_and_after_in_the_space(self, store: Store) -> None:
        for name, space in (("a", "global"), ("x", "other"), ("b", "global"), ("c", "global")):
            store.put([make_entry(make_memory(f"text {name} 文字", name, space=space))])
        asked = ["c", "a", "nobody", "b", "x"]
        expected = [("b", None), (None, "b"), (None, None), ("a", "c"), (None, None)]
        assert [tuple(n) for n in store.neighbours(asked)] == expected
        store.delete(["b"])
        assert [tuple(n) for n in store.neighbours(["a", "c"])] == [(None, "c"), ("a", None)]
