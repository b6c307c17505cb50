"""How long does a search in a large knowledge base take, beside a plain recall of the same store?

    python -m benchmarks.knowledge.search_speed --rows 100k --best-of 4

A folder of made-up Markdown in both languages goes in through `base.add` (no model: the embedder is
`hashing`), with its progress; the words are drawn at random, which says nothing about ranking and
enough about time. Then the same questions are asked in several ways by turns.
"""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Any

from benchmarks.knowledge.documents_speed import CHINESE, ENGLISH, document
from benchmarks.measure import arguments, save, say, side_by_side, sizes, table, workplace

from bethink import Engine
from bethink.knowledge import KnowledgeBase
from bethink.recall.presets_by_use import knowledge_preset

_PASSAGES = 41  # of a document: twenty sections of two, and the card


def added(engine: Engine, folder: Path, rows: int, seed: int) -> tuple[KnowledgeBase, float]:
    chance = random.Random(seed)
    for number in range(rows // _PASSAGES):
        under = folder / f"{number % 50:02d}"
        under.mkdir(parents=True, exist_ok=True)
        (under / f"{number}.md").write_text(document(number, chance), "utf-8")
    base = KnowledgeBase(engine, "kb")
    last = time.monotonic()

    def progress(done: int, total: int | None) -> None:
        nonlocal last
        if time.monotonic() - last > 5:
            last = time.monotonic()
            say(f"  {done} of {total} documents")

    report = base.add(folder, progress=progress)
    engine.store.maintain()
    return base, report.seconds


def measure(place: Path, rows: int, questions: int, seed: int, best_of: int) -> dict[str, Any]:
    with Engine(place / "m.db", embedder="hashing") as engine:
        base, seconds = added(engine, place / "docs", rows, seed)
        passages = next(one.passages for one in engine.spaces() if one.name == "kb")
        chance = random.Random(seed + 1)
        asked = [
            f"{chance.choice(ENGLISH)}{chance.randrange(3000)} {chance.choice(ENGLISH)} "
            f"{chance.choice(CHINESE)}"
            for _ in range(questions)
        ]
        bare = knowledge_preset(abstain=False)

        def recall(preset: str) -> Any:
            return lambda q: engine.recall(q, spaces="kb", preset=preset, touch=False)

        ways = {
            "plain recall (ranks)": recall("ranks"),
            "default recall": recall("balanced"),
            "base.search": lambda q: base.search(q, touch=False),
            "base.search, no confidence and noise": lambda q: base.search(
                q, touch=False, preset=bare
            ),
            "base.search, five hits": lambda q: base.search(q, touch=False, match_count=5),
        }
        times = side_by_side(ways, asked, best_of=best_of)
    plain = times["plain recall (ranks)"].p50
    return {
        "passages": passages,
        "added_seconds": round(seconds, 1),
        "passages_per_second": round(passages / seconds),
        "ways": {
            name: {**one.figures(), "to_plain": round(one.p50 / plain, 2)}
            for name, one in times.items()
        },
    }


def main() -> None:
    parser = arguments(__doc__, rows="100k", few=60)
    parser.add_argument("--best-of", type=int, default=1, help="each question's best time counts")
    parser.add_argument("--keep", type=Path, help="keep the folder and the store here")
    given = parser.parse_args()
    results = []
    with workplace(given.keep) as folder:
        for rows in sizes(given.rows):
            place = folder / str(rows)
            place.mkdir(exist_ok=True)
            one = measure(place, rows, given.questions, given.seed, given.best_of)
            results.append(one)
            print(f"{one['passages']:,} passages, {one['passages_per_second']:,} a second")
            heads = ["way", "p50 ms", "p95 ms", "CPU ms", "÷ plain recall"]
            print(table(heads, [[name, *told.values()] for name, told in one["ways"].items()]))
    save(given.out, "search_speed", {"sizes": results})


if __name__ == "__main__":
    main()
