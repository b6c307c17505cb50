"""The whole benchmark on a tiny set: store, ask, measure, write, compare."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks.quality.__main__ import main
from benchmarks.quality.ask import filled
from benchmarks.quality.report import change, differences, faults, share, table
from benchmarks.quality.runs import RUNS, Run, run_named
from benchmarks.quality.sets import load
from benchmarks.quality.vectors import KeptVectors, RandomEmbedder

from bethink.embedders.protocol import Kind
from bethink.recall.presets import PRESETS
from bethink.vocabulary import Vectors

CORPUS: list[dict[str, Any]] = [
    {"id": "cat", "text": "My cat is called Mimi.", "group": "one", "timestamp": "2024-01-01"},
    {"id": "dog", "text": "My dog is called Rex.", "group": "one", "timestamp": "2024-01-02"},
    {"id": "猫", "text": "我的猫叫咪咪。", "group": "二", "seq": 1},
    {"id": "later", "text": "花花是我养的第二只猫。", "group": "二", "seq": 2},
]
QUERIES: list[dict[str, Any]] = [
    {
        "id": "q1",
        "text": "What is my cat called?",
        "group": "one",
        "time": "2024/02/01 (Thu) 09:00",
    },
    {"id": "q2", "text": "我的猫叫什么？", "group": "二", "asof": 2, "type": "as of"},
    {"id": "q3", "text": "quantum chromodynamics", "group": "one", "answerable": False},
    {"id": "q4", "text": " ", "group": "one"},
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data" / "tiny"
    folder.mkdir(parents=True)
    for name, rows in (("corpus.jsonl", CORPUS), ("queries.jsonl", QUERIES)):
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (folder / name).write_text(text, "utf-8")
    (folder / "qrels.tsv").write_text("q1\tcat\t1\nq2\t猫\t1\nq4\tdog\t1\n", "utf-8")
    return folder.parent


def _main(data: Path, tmp_path: Path, *more: str) -> int:
    return main(["--data", str(data), "--sets", "tiny", "--embedder", "hashing",
                 "--cache", str(tmp_path / "cache"), *more])  # fmt: skip


def test_one_command_measures_writes_and_compares(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert _main(data, tmp_path, "--out", str(out)) == 0
    printed = capsys.readouterr().out
    for run in ("words", "meaning", "balanced"):
        assert f"### {run} (hashing)" in printed
    assert "Not whole: tiny: 1 refused" in printed  # the empty question counts as a miss

    figures = json.loads((out / "quality.json").read_text("utf-8"))["runs"]["balanced"]["tiny"]
    assert figures["questions"] == 3 and figures["unanswerable"] == 1
    assert figures["hit@1"] == pytest.approx(2 / 3)
    assert figures["types"]["as of"]["hit@1"] == 1
    assert figures["p50_ms"] > 0

    lines = (out / "runs" / "balanced" / "tiny.tsv").read_text("utf-8").splitlines()
    rows = [line.split("\t") for line in lines]
    assert {document for question, document, _ in rows if question == "q1"} <= {"cat", "dog"}
    assert [document for question, document, _ in rows if question == "q2"] == ["猫"]
    scores = [float(score) for question, _, score in rows if question == "q1"]
    assert scores == sorted(scores, reverse=True) and len(set(scores)) == len(scores)

    again = ("--runs", "balanced", "--against", str(out / "quality.json"))
    assert _main(data, tmp_path, *again) == 0
    assert "Change in points" in capsys.readouterr().out


def test_every_embedder_and_preset_is_a_run(data: Path, tmp_path: Path) -> None:
    for name in PRESETS:
        assert run_named(name, embedder="use-m").preset == RUNS.get(name, Run(name)).preset
    assert run_named("words@random", embedder="use-m").embedder == "random"
    assert _main(data, tmp_path, "--runs", "balanced@random,words@none") == 0


def test_sets_side_by_side(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    both = ("--sets", "tiny,parallel_zh", "--runs", "words@none", "--jobs", "2")
    assert _main(data, tmp_path, *both) == 0
    printed = capsys.readouterr().out
    assert printed.index("| tiny | 3 |") < printed.index("| parallel_zh | 100 |")


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (["--runs", "sideways"], "there is no run 'sideways'; known: balanced"),
        (["--sets", "nowhere"], "there is no set 'nowhere'; known: parallel_zh"),
    ],
)
def test_a_wrong_name_says_which_there_are(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], more: list[str], says: str
) -> None:
    assert _main(data, tmp_path, *more) == 2
    assert says in capsys.readouterr().err


def test_a_question_is_asked_at_its_time_else_after_the_last_memory(
    data: Path, tmp_path: Path
) -> None:
    with filled(load(data / "tiny"), embedder="none", cache=tmp_path) as store:
        answers = store.ask(Run(options={"meaning": False}))
        engine = store._engine
        assert [str(m.created_at.date()) for m in engine.list(spaces="group-0").memories] == [
            "2024-01-02",
            "2024-01-01",
        ]
        by_id = {answer.question.id: answer.question for answer in answers}
        for name, moment in (("q1", "2024-02-01 09:00"), ("q3", "2024-01-03 00:00")):
            recollection = store._recall(by_id[name], Run())
            assert recollection is not None and recollection.query.as_of is not None
            assert f"{recollection.query.as_of:%Y-%m-%d %H:%M}" == moment


def test_a_store_is_kept_until_its_documents_change(data: Path, tmp_path: Path) -> None:
    def names() -> list[str]:
        with filled(load(data / "tiny"), embedder="none", cache=tmp_path / "cache"):
            return sorted(path.name for path in (tmp_path / "cache" / "stores").iterdir())

    first = names()
    assert len(first) == 1 and names() == first
    with (data / "tiny" / "corpus.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps({"id": "cow", "text": "A cow.", "group": "one"}) + "\n")
    assert len(names()) == 2  # the first may still be in use


class Counting(RandomEmbedder):
    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str], *, kind: Kind) -> Vectors:
        self.asked += texts
        return super().embed(texts, kind=kind)


def test_a_text_is_embedded_once_and_kept(tmp_path: Path) -> None:
    texts = ["b", "aaa", "b", "猫"]
    maker = Counting()
    first = KeptVectors(maker, tmp_path)
    vectors = first.embed(texts, kind="document")
    assert np.array_equal(vectors, RandomEmbedder().embed(texts, kind="document"))
    first.close()
    assert sorted(maker.asked) == ["aaa", "b", "猫"]

    second = KeptVectors(maker, tmp_path)
    assert np.array_equal(second.embed(texts, kind="document"), vectors)
    assert len(maker.asked) == 3
    second.embed(["b"], kind="query")  # a question is another text
    assert maker.asked[3:] == ["b"]
    second.close()


def test_numbers_in_tables() -> None:
    assert [share(v) for v in (0.7124, 1.0, 0.0, None)] == [".712", "1.00", ".000", ""]
    assert [change(*v) for v in ((0.5, 0.48), (0.5, 0.5), (0.1, 0.3), (None, 1.0))] == [
        "+2.0", "0", "-20.0", "",
    ]  # fmt: skip
    figures: dict[str, dict[str, Any]] = {
        "cmrc_500": {"questions": 1, "hit@1": 1.0, "R@5": 1.0, "R@10": 1.0, "NDCG@10": 1.0,
                     "MRR": 1.0, "AUROC": None, "p50_ms": 1.25, "p95_ms": 2.0, "cpu_ms": 1.0,
                     "status": {"answered": 1, "degraded": 2}},
    }  # fmt: skip
    assert "| cmrc_500 | 1 | 1.00 |" in table(figures)
    assert ".968 · .990 · .981" in table(figures)
    assert "1.2 → 1.2" in differences(figures, figures)
    assert faults(figures) == ["cmrc_500: 2 degraded"]
