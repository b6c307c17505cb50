"""How well are frequent questions found, and kept out of what they exclude?

    python -m benchmarks.knowledge.faq --out faq.json
    python -m benchmarks.knowledge.faq --runs all --language zh --misses

All entries of a language stand in one base. Asked are paraphrases (`asked`), negative questions in
other words (`excluded`) and set otherwise (`equal`: another case, signs, traditional characters),
and questions that no entry answers. Each run leaves out one part. The page is made with
`python -m benchmarks.knowledge.faq_page faq.json > docs/reference/faq-quality.md`.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.figures import write_figures
from benchmarks.knowledge.faq_sets import HALVES, LANGUAGES, Entry, load
from benchmarks.measure import say, table

from bethink import Engine
from bethink.knowledge import KnowledgeBase
from bethink.recall.faq_entries import FaqEntries
from bethink.recall.faq_once import FaqOnce
from bethink.recall.hydrate import Hydrate
from bethink.recall.presets import Preset
from bethink.recall.presets_by_use import knowledge_preset
from bethink.settings import Settings
from bethink.vocabulary import Recollection

FIRST = 5  # hits: what a reader looks at
MANY = 100  # entries wanted at once, for the rounds


class Run(NamedTuple):
    similar: bool = True
    negative: bool = True
    stage: FaqEntries | None = FaqEntries()
    exclude: bool = True
    once: bool = True
    words: bool = True
    meaning: bool = True
    embedder: str = ""  # another than the one that was named


RUNS: dict[str, Run] = {
    "all of it": Run(),
    "no similar questions": Run(similar=False),
    "no negative questions": Run(negative=False),
    "negatives by equality alone": Run(stage=FaqEntries(near=False)),
    "negatives by nearness alone": Run(stage=FaqEntries(equal=False), exclude=False),
    "by passages, not by entries": Run(once=False),
    "one round": Run(stage=FaqEntries(again=False)),
    "words alone": Run(meaning=False),
    "meaning alone": Run(words=False),
}


class Asked(NamedTuple):
    kind: str  # asked, excluded, equal
    half: str
    entry: Entry
    text: str


def questions(language: str) -> Iterator[Asked]:
    for entry in load(language).entries:
        for kind, texts in (
            ("asked", entry.asked),
            ("excluded", entry.excluded),
            ("equal", tuple(set_otherwise(one, language) for one in entry.negative)),
        ):
            for text in texts:
                yield Asked(kind, entry.half, entry, text)


def set_otherwise(question: str, language: str) -> str:
    """The same question as somebody else would type it."""
    if language == "en":
        return f"{question.upper()} ?!"
    from opencc import OpenCC

    return " ".join(OpenCC("s2t").convert(question)) + "。。"


def preset_of(run: Run) -> Preset:
    preset = knowledge_preset(faq=run.stage)
    stages = (
        replace(stage, exclude=run.exclude) if isinstance(stage, Hydrate) else stage
        for stage in preset.stages
        if run.once or not isinstance(stage, FaqOnce)
    )
    return preset._replace(stages=tuple(stages))


@contextmanager
def opened(embedder: str) -> Iterator[Engine]:
    with (
        tempfile.TemporaryDirectory() as folder,
        Engine(Path(folder, "faq.db"), settings=Settings(), embedder=embedder) as engine,
    ):
        yield engine


def filled(language: str, run: Run, engine: Engine) -> KnowledgeBase:
    base = KnowledgeBase(engine, language)
    report = base.add_faqs(
        {
            "id": entry.id,
            "question": entry.question,
            "answers": entry.answers,
            "similar": entry.similar if run.similar else (),
            "negative": entry.negative if run.negative else (),
        }
        for entry in load(language).entries
    )
    assert not report.failed, report.failed
    return base


def measure(language: str, name: str, embedder: str, missed: list[str]) -> list[dict[str, Any]]:
    run = RUNS[name]
    preset = preset_of(run)
    with opened(run.embedder or embedder) as engine:
        base = filled(language, run, engine)
        ids = {faq.own_id: faq.id for faq in base.faqs()}

        def ask(text: str, limit: int = FIRST, budget: int = 4_000) -> Recollection:
            return engine.recall(
                text,
                spaces=language,
                preset=preset,
                limit=limit,
                budget=budget,
                words=run.words,
                meaning=run.meaning,
            )

        seen: dict[tuple[str, str], list[tuple[int | None, bool]]] = {}
        spent: list[float] = []
        for one in questions(language):
            began = time.perf_counter()
            answer = ask(one.text)
            spent.append((time.perf_counter() - began) * 1000)
            memory = ids[one.entry.id]
            rank = next((n for n, hit in enumerate(answer.hits, 1) if hit.id == memory), None)
            dropped = _excluded(answer, memory)
            seen.setdefault((one.half, one.kind), []).append((rank, dropped))
            if (rank is None) == (one.kind == "asked") or (one.kind == "asked" and dropped):
                missed.append(f"{language}, {name}, {one.half}, {one.kind}: {one.text}")
        many = [
            len(ask(one.text, MANY, 100_000).hits)
            for one in list(questions(language))[::10]
            if one.kind == "asked"
        ]
    rows: list[dict[str, Any]] = []
    for half in HALVES:
        asked = [rank for rank, _ in seen[half, "asked"]]
        lost = [dropped for _, dropped in seen[half, "asked"]]
        row: dict[str, Any] = {
            "run": name,
            "language": language,
            "half": half,
            "asked": len(asked),
            "hit@1": sum(rank == 1 for rank in asked) / len(asked),
            f"R@{FIRST}": sum(rank is not None for rank in asked) / len(asked),
            "MRR": sum(1 / rank for rank in asked if rank) / len(asked),
            "lost": sum(lost) / len(lost),
            "many": sum(many) / len(many),
            "ms": sorted(spent)[len(spent) // 2],
        }
        for kind in ("excluded", "equal"):
            ranks = [rank for rank, _ in seen[half, kind]]
            row[kind] = len(ranks)
            row[f"{kind} answered"] = sum(rank is not None for rank in ranks) / len(ranks)
            row[f"{kind} first"] = sum(rank == 1 for rank in ranks) / len(ranks)
        rows.append(row)
    return rows


def _excluded(answer: Recollection, memory: str) -> bool:
    """Did the entry give way because it excludes the question?"""
    return any(
        drop.memory_id == memory and "excludes" in drop.reason
        for step in answer.trace.steps
        for drop in step.dropped
        if step.stage in ("faq", "hydrate")
    ) and all(hit.id != memory for hit in answer.hits)


def thresholds(language: str, embedder: str) -> list[dict[str, Any]]:
    """What a least cosine makes of questions that nothing answers, and what it costs."""
    told = load(language)
    rows: list[dict[str, Any]] = []
    with opened(embedder) as engine:
        base = filled(language, Run(), engine)
        ids = {faq.own_id: faq.id for faq in base.faqs()}
        for least in (None, 0.4, 0.5, 0.6):

            def hits(text: str, least: float | None = least) -> list[str]:
                found = engine.recall(
                    text,
                    spaces=language,
                    preset="knowledge",
                    limit=FIRST,
                    meaning_threshold=least,
                    words_threshold=None if least is None else 0.5,
                )
                return [hit.id for hit in found.hits]

            for half in HALVES:
                none = [bool(hits(text)) for part, text in told.unanswerable if part == half]
                if not none:
                    continue
                gold = [
                    ids[one.entry.id] in hits(one.text)
                    for one in questions(language)
                    if one.kind == "asked" and one.half == half
                ]
                rows.append(
                    {
                        "language": language,
                        "half": half,
                        "least": least,
                        "unanswerable": len(none),
                        "answered": sum(none) / len(none),
                        f"R@{FIRST}": sum(gold) / len(gold),
                    }
                )
    return rows


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--language", default=",".join(LANGUAGES))
    parser.add_argument("--embedder", default="use-m")
    parser.add_argument("--run", action="append", choices=list(RUNS), help="some only")
    parser.add_argument("--held-out", action="store_true", help="show the other parts too")
    parser.add_argument("--misses", action="store_true", help="print what went wrong on dev")
    parser.add_argument("--out", type=Path, help="a JSON file for the figures of both halves")
    options = parser.parse_args(arguments)
    figures: list[dict[str, Any]] = []
    cut: list[dict[str, Any]] = []
    missed: list[str] = []
    for language in options.language.split(","):
        for name in options.run or RUNS:
            figures += measure(language, name, options.embedder, missed)
            say(f"{language}: {name}")
        if options.run is None:
            cut += thresholds(language, options.embedder)
    halves = HALVES if options.held_out else HALVES[:1]
    columns = [name for name in figures[0] if name not in ("run", "language", "half")]
    rows = [
        [row["run"], row["language"], row["half"], *(_cell(row[name]) for name in columns)]
        for row in figures
        if row["half"] in halves
    ]
    print(table(["run", "language", "half", *columns], rows))
    for row in cut:
        if row["half"] in halves:
            print(row)
    if options.misses:
        print("\n".join(one for one in missed if ", dev," in one))
    if options.out:
        whole = {
            "benchmark": "faq",
            "date": time.strftime("%Y-%m-%d"),
            "embedder": options.embedder,
            "figures": figures,
            "thresholds": cut,
        }
        write_figures(options.out, whole)


def _cell(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.3f}"


if __name__ == "__main__":
    main()
