"""How fast documents come in, and what withholding some costs a question.

    python -m benchmarks.knowledge.documents_speed [--documents 2500] [--embedder hashing]

Documents of Markdown in both languages, of about forty passages each, are added; the same texts
(of 200 documents) are told to `remember_many` in an engine of their own. Then questions are asked
of all documents, of all but five and of all but a thousand. All times are of the processor: on a
machine that others use as well, seconds say little.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from pathlib import Path
from statistics import median

from bethink import Engine
from bethink.knowledge import KnowledgeBase

ENGLISH = "leave notice salary travel train contract office garden river market window".split()
CHINESE = "年假 通知 工资 出差 火车 合同 办公室 花园 河流 市场 窗户 文件".split()


def document(number: int, chance: random.Random) -> str:
    """Twenty sections of two passages each."""
    parts = [f"# Document {number} 文档{number}"]
    for at in range(20):
        words = [chance.choice(ENGLISH) + str(chance.randrange(3000)) for _ in range(60)]
        words += [chance.choice(CHINESE) for _ in range(60)]
        chance.shuffle(words)
        lines = [" ".join(words[n : n + 12]) + "." for n in range(0, len(words), 12)]
        parts.append(f"## Section {at} 第{at}节\n\n" + "\n".join(lines))
    return "\n\n".join(parts)


def passages(engine: Engine) -> int:
    return sum(info.passages for info in engine.spaces())


def asked(engine: Engine, questions: list[str]) -> float:
    """Milliseconds in the middle."""
    took: list[float] = []
    for question in questions:
        began = time.process_time()
        engine.recall(question, spaces="kb", touch=False)
        took.append((time.process_time() - began) * 1000)
    return median(took)


def compared(folder: Path, place: Path, embedder: str) -> None:
    """Adding a folder against telling the same texts; each once before, since the first to meet a
    word pays for taking it apart."""
    told: list[dict[str, str]] = []
    for turn in ("before", "measured"):
        with Engine(place / f"few-{turn}.db", embedder=embedder) as engine:
            began = time.process_time()
            KnowledgeBase(engine, "kb").add(folder)
            adding = passages(engine) / (time.process_time() - began)
            told = [
                {"text": memory.text, "space": "kb", "kind": memory.kind, "section": memory.section}
                for memory in engine.store.scan(spaces=["kb"], limit=1_000_000).memories
            ]
        with Engine(place / f"plain-{turn}.db", embedder=embedder) as plain:
            began = time.process_time()
            plain.remember_many(told)
            plainly = passages(plain) / (time.process_time() - began)
    print(f"documents {adding:,.0f} passages/s, remember_many {plainly:,.0f} passages/s, ", end="")
    print(f"ratio {adding / plainly:.2f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=2_500)
    parser.add_argument("--embedder", default="hashing")
    options = parser.parse_args()
    chance = random.Random(1)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "docs"
        for number in range(options.documents):
            under = folder / f"{number // 200:03d}"
            under.mkdir(parents=True, exist_ok=True)
            (under / f"{number}.md").write_text(document(number, chance), "utf-8")
        compared(folder / "000", Path(place), options.embedder)
        with Engine(Path(place) / "m.db", embedder=options.embedder) as engine:
            base = KnowledgeBase(engine, "kb")
            began = time.process_time()
            base.add(folder)
            took = time.process_time() - began
            print(f"{options.documents:,} documents, {passages(engine):,} passages: {took:.1f} s")
            began = time.process_time()
            base.add(folder)
            print(f"again, unchanged: {time.process_time() - began:.2f} s", flush=True)
            engine.store.maintain()
            withholding(base, chance)


def withholding(base: KnowledgeBase, chance: random.Random) -> None:
    engine = base.engine
    questions = [
        f"{chance.choice(ENGLISH)}{chance.randrange(3000)} {chance.choice(CHINESE)}"
        for _ in range(60)
    ]
    asked(engine, questions)
    ids = [one.id for one in base.documents()]
    for some in (0, 5, min(1_000, len(ids))):
        engine.withheld.add(ids[:some], space="kb")
        print(f"asked with {some:,} withheld: {asked(engine, questions):.1f} ms", flush=True)
        engine.withheld.remove(ids[:some])
    began = time.process_time()
    for _ in range(1_000):
        engine.withheld.out_of_reach(["kb"])
    print(f"to see that nothing is withheld: {(time.process_time() - began) * 1000:.0f} µs")
    began = time.process_time()
    gone = base.remove_documents(*ids[:100])
    print(f"removed 100 documents ({gone:,} memories): {time.process_time() - began:.1f} s")


if __name__ == "__main__":
    main()
