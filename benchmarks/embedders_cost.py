"""What an embedder costs: CPU of a question, texts in a second of CPU, room for a vector.

The sentences are those of the parallel set, in both languages. CPU time, so that a busy machine
says nearly the same as a quiet one.

    python -m benchmarks.embedders_cost use-m arctic-s use-m+arctic-s
"""

from __future__ import annotations

import sys
import time
from statistics import median

from benchmarks.measure import table
from benchmarks.quality.parallel import read_pairs

from bethink.embedders.loading import embedder_named
from bethink.embedders.protocol import embed_question, embed_texts
from bethink.settings import Settings

_QUESTIONS = 60


def row(name: str) -> list[str]:
    embedder = embedder_named(name, Settings())
    if embedder is None:
        raise SystemExit("which embedder? e.g. use-m")
    began = time.process_time()
    embed_question(embedder, "Is anybody there? 有人在吗？")
    embed_question(embedder, "Is anybody there?")
    told = [name, f"{time.process_time() - began:.2f}"]
    pairs = read_pairs()
    for language in ("en", "zh"):
        spent = []
        for question in pairs.questions[:_QUESTIONS]:
            began = time.process_time()
            embed_question(embedder, question[language])
            spent.append((time.process_time() - began) * 1000)
        texts = [memory[language] for memory in pairs.memories]
        began = time.process_time()
        embed_texts(embedder, texts, kind="document")
        told += [f"{median(spent):.1f}", f"{len(texts) / (time.process_time() - began):.0f}"]
    return [*told, f"{4 * embedder.dimension:,}"]


def main() -> None:
    heads = ["embedder", "start, s", "en: ms a question", "en: texts/s", "zh: ms a question",
             "zh: texts/s", "bytes a vector"]  # fmt: skip
    print(table(heads, [row(name) for name in sys.argv[1:] or ["use-m"]]))


if __name__ == "__main__":
    main()
