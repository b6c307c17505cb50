"""How long does a recall take, and how does it grow with the number of rows in one space?

Measured in one run for each size, by turns: the vector leg alone, the words leg alone, both with
the fusion of their ranks, the plain recall (preset `ranks`, with texts, duplicates and budget), the
default recall (`balanced`, with everything that it adds), and recall@10 of the vector leg against
an exact scan. The vectors are given. By turns too: the default as JSON, as a door hands it out, and
the same with its explanation; and filters by a tag that 1 % of the rows have: the vector leg and
the default recall with one that was asked for before, the leg with one that never was, right after
something was written, and of all that do not have the tag.

    python -m benchmarks.recall_speed --rows 1k,10k,100k,1M --plot docs/img/recall_growth.png
    python -m benchmarks.recall_speed --rows 1k,10k            # a quick run
    python -m benchmarks.recall_speed --rows 100k --best-of 8  # on a busy machine
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.corpus import Corpus, GivenVectors, Question, exact_nearest
from benchmarks.measure import (
    EVERY_HUNDREDTH,
    arguments,
    filled,
    open_engine,
    recall_at_10,
    row_id,
    save,
    say,
    side_by_side,
    sizes,
    table,
    verdict,
    workplace,
)

from bethink import Engine
from bethink.clock import system_clock, to_micros
from bethink.filters import All, Filter, Not, ValidAt, parse_filter
from bethink.recall.fuse import ReciprocalRanks
from bethink.recall.presets import Preset
from bethink.recall.render import as_record
from bethink.recall.search_meaning import SearchMeaning
from bethink.recall.search_words import SearchWords
from bethink.recall.side_by_side import SideBySide
from bethink.text.tokenise import query_terms
from bethink.vocabulary import Recollection

_FUSED = Preset(
    "fused", (SideBySide((SearchMeaning(), SearchWords())), ReciprocalRanks())
)  # the two searches and the fusion of their ranks, nothing fetched
_CANDIDATES = 50  # what the recall's own stages ask for


def measure(path: Path, corpus: Corpus, rows: int, count: int, best_of: int) -> dict[str, Any]:
    filled(path, corpus, rows)
    questions = corpus.questions(count, rows)
    engine, embedder = open_engine(path)
    with engine:
        say(f"asking {count} questions over {rows:,} rows")
        figures = _speeds(engine, embedder, questions, best_of)
        say("comparing with the exact answer")
        figures |= _recalls(engine, embedder, corpus, rows, questions)
    for name in ("fused", "plain_recall", "recall"):
        figures[f"{name}_to_vector_leg"] = round(
            figures[name]["p50_ms"] / figures["vector_leg"]["p50_ms"], 2
        )
    return {"rows": rows, **figures}


def _nearest(
    engine: Engine, embedder: GivenVectors, question: Question, where: Filter
) -> list[str]:
    found = engine.store.search_meaning(
        question.vector,
        fingerprint=embedder.fingerprint,
        spaces=["global"],
        where=where,
        limit=_CANDIDATES,
    )
    return [one.memory_id for one in found]


def _speeds(
    engine: Engine, embedder: GivenVectors, questions: Sequence[Question], best_of: int
) -> dict[str, Any]:
    now = ValidAt(to_micros(system_clock()))  # as every recall asks: what holds today
    rare = _rare(now)
    others = All((now, Not(rare.parts[1])))
    numbers = count()

    def words(question: Question) -> object:
        return engine.store.search_words(
            query_terms(question.text), spaces=["global"], where=now, limit=_CANDIDATES
        )

    def recall(question: Question) -> Recollection:
        return engine.recall(question.text, vector=question.vector, touch=False)

    def fused(question: Question) -> object:
        return engine.recall(question.text, vector=question.vector, touch=False, preset=_FUSED)

    def plain_recall(question: Question) -> object:
        return engine.recall(question.text, vector=question.vector, touch=False, preset="ranks")

    def told(question: Question) -> object:
        return json.dumps(as_record(recall(question)))

    def explained(question: Question) -> object:
        return json.dumps(as_record(recall(question), explain=True))

    def new_filter(question: Question) -> object:
        unheard = f"nobody has it {next(numbers)}"
        where = parse_filter({"tags": {"in": [EVERY_HUNDREDTH, unheard]}})
        assert where is not None
        return _nearest(engine, embedder, question, All((now, where)))

    def write(_: Question) -> None:
        """No row comes or goes, or what is exact would be another."""
        engine.store.touch(accessed={}, reinforced={row_id(1): 1})

    def filtered_recall(question: Question) -> object:
        return engine.recall(
            question.text, vector=question.vector, touch=False, where={"tags": EVERY_HUNDREDTH}
        )

    plain = {
        "vector_leg": lambda q: _nearest(engine, embedder, q, now),
        "words_leg": words,
        "fused": fused,
        "plain_recall": plain_recall,
        "recall": recall,
    }
    filtered = {
        "filtered_vector_leg": lambda q: _nearest(engine, embedder, q, rare),
        "filtered_recall": filtered_recall,
        "first_filtered_leg": new_filter,
        "others_leg": lambda q: _nearest(engine, embedder, q, others),
    }
    written = {  # apart: after a write everything has something to catch up with
        "write": write,
        "written_filtered_leg": lambda q: _nearest(engine, embedder, q, rare),
    }
    times = side_by_side(plain, questions, best_of=best_of)
    times |= side_by_side({"told": told, "explained": explained}, questions, best_of=best_of)
    times |= side_by_side(filtered, questions[:50], warm=2, best_of=best_of)
    times |= side_by_side(written, questions[:50], warm=2, best_of=best_of)
    return {name: measured.figures() for name, measured in times.items()}


def _rare(now: ValidAt) -> All:
    rare = parse_filter({"tags": EVERY_HUNDREDTH})
    assert rare is not None
    return All((now, rare))


def _recalls(
    engine: Engine,
    embedder: GivenVectors,
    corpus: Corpus,
    rows: int,
    questions: Sequence[Question],
) -> dict[str, Any]:
    now = ValidAt(to_micros(system_clock()))
    matrix = corpus.matrix(rows)
    vectors = np.stack([q.vector for q in questions])
    exact = [[row_id(n) for n in row] for row in exact_nearest(matrix, vectors, 10).tolist()]
    exact_rare = [
        [row_id(100 * n) for n in row]
        for row in exact_nearest(np.ascontiguousarray(matrix[::100]), vectors, 10).tolist()
    ]
    found = [_nearest(engine, embedder, q, now) for q in questions]
    found_rare = [_nearest(engine, embedder, q, _rare(now)) for q in questions[:50]]
    return {
        "recall_at_10": round(recall_at_10(found, exact), 4),
        "filtered_recall_at_10": round(recall_at_10(found_rare, exact_rare[:50]), 4),
    }


def show(measured: Sequence[dict[str, Any]]) -> None:
    headings = ["rows", "vector leg p50 / p95 ms", "its CPU ms", "words leg p50 / p95 ms",
                "plain recall p50 / p95 ms", "÷ vector leg", "default recall p50 / p95 ms",
                "÷ vector leg", "recall@10"]  # fmt: skip
    lines = []
    for one in measured:
        leg, words, whole = one["vector_leg"], one["words_leg"], one["recall"]
        plain = one["plain_recall"]
        lines.append([
            one["rows"],
            f"{leg['p50_ms']:.2f} / {leg['p95_ms']:.2f}",
            leg["cpu_ms"],
            f"{words['p50_ms']:.2f} / {words['p95_ms']:.2f}",
            f"{plain['p50_ms']:.2f} / {plain['p95_ms']:.2f}",
            one["plain_recall_to_vector_leg"],
            f"{whole['p50_ms']:.2f} / {whole['p95_ms']:.2f}",
            one["recall_to_vector_leg"],
            one["recall_at_10"],
        ])  # fmt: skip
    print(table(headings, lines))
    print()
    filtered = {
        "leg, 1 %": "filtered_vector_leg",
        "recall, 1 %": "filtered_recall",
        "leg, never asked before": "first_filtered_leg",
        "leg, after a write": "written_filtered_leg",
        "leg, the other 99 %": "others_leg",
    }
    lines = [
        [one["rows"], *(one[key]["p50_ms"] for key in filtered.values()),
         one["filtered_recall_at_10"]]
        for one in measured
    ]  # fmt: skip
    print(table(["rows", *(f"{name}: p50 ms" for name in filtered), "recall@10, 1 %"], lines))
    print()
    for one in measured:
        rows = f"{one['rows']:,} rows"
        if one["rows"] == 100_000:
            ratio = one["fused_to_vector_leg"]
            label = f"{rows}, words + meaning + fuse ÷ vector leg"
            print(verdict(label, ratio, 3, at_most=True))
            for name in ("fused", "plain_recall", "recall"):
                print(f"{name}: {one[name]['p50_ms']:.2f} ms, ÷ {one[f'{name}_to_vector_leg']}")
            added = one["recall"]["p50_ms"] - one["fused"]["p50_ms"]
            print(verdict(f"{rows}, ms that the default adds", round(added, 2), 2, at_most=True))
            ratio = round(one["explained"]["p50_ms"] / one["told"]["p50_ms"], 3)
            print(verdict(f"{rows}, explained ÷ not explained", ratio, 1.02, at_most=True))
        if one["rows"] == 1_000_000:
            cpu = one["vector_leg"]["cpu_ms"]
            print(verdict(f"{rows}, CPU ms of the vector leg", cpu, 10, at_most=True))
        print(verdict(f"{rows}, recall@10", one["recall_at_10"], 0.99, at_most=False))


def plot(measured: Sequence[dict[str, Any]], path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    rows = [one["rows"] for one in measured]
    figure, axes = pyplot.subplots(figsize=(8, 5), layout="constrained")
    lines = (
        ("recall", "default recall", "o-"),
        ("plain_recall", "plain recall (words + meaning + fuse)", "v-"),
        ("vector_leg", "vector leg", "s-"),
        ("words_leg", "words leg", "^-"),
        ("filtered_recall", "default recall, filter to 1 %", "d--"),
    )
    for key, label, style in lines:
        axes.loglog(rows, [one[key]["p50_ms"] for one in measured], style, label=label)
    axes.set_xlabel("passages in one space")
    axes.set_ylabel("p50, milliseconds")
    axes.set_title("Growth of a recall (vectors given, 2 shared cores)")
    axes.grid(visible=True, which="both", alpha=0.25)
    axes.legend()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)
    say(f"plot in {path}")


def main() -> None:
    parser = arguments(__doc__, rows="1k,10k,100k")
    parser.add_argument("--plot", type=Path, help="draw the growth into this PNG")
    parser.add_argument("--keep", type=Path, help="keep the stores here for the next run")
    parser.add_argument(
        "--best-of", type=int, default=1, help="ask so often, the best time of each question counts"
    )
    given = parser.parse_args()
    corpus = Corpus(given.seed)
    measured = []
    with workplace(given.keep) as folder:
        for rows in sizes(given.rows):
            path = folder / f"{rows}.db"
            measured.append(measure(path, corpus, rows, given.questions, given.best_of))
    show(measured)
    if given.plot is not None:
        plot(measured, given.plot)
    save(given.out, "recall_speed", {"sizes": measured})


if __name__ == "__main__":
    main()
