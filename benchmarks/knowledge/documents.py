"""Documents of others and our own: is the right section found, cited rightly, and what does each
part of the preset `knowledge` do for it?

    python -m benchmarks.knowledge.documents --docs bethink=docs python=DIR debian=DIR,FILE \\
        --keep DIR --out documents.json

`--docs` names a set of questions in benchmarks/sets/documents (its README says where the documents
are to be had) and what it is asked of: folders or files, after commas. `--pdf FILE` asks the
questions of debian.jsonl of a PDF too, and checks the pages that are cited. `--keep` keeps the
filled bases for the next run.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from benchmarks.knowledge.documents_citations import is_right
from benchmarks.knowledge.documents_sets import SPLITS, Question, missing, questions
from benchmarks.knowledge.documents_ways import WAYS, Way
from benchmarks.measure import save, say, table, workplace
from benchmarks.quality.metrics import auroc, percentile

from bethink import Engine
from bethink.knowledge import KnowledgeBase
from bethink.knowledge.passages import Passages
from bethink.recall.document_parts import SECTION
from bethink.vocabulary import Status

DEPTH = 10
FORMATS = ("html", "markdown")  # of a folder; what is named itself is read whatever it is


def filled(engine: Engine, name: str, paths: Sequence[Path]) -> KnowledgeBase:
    base = KnowledgeBase(engine, name)
    last = time.monotonic()

    def progress(done: int, total: int | None) -> None:
        nonlocal last
        if time.monotonic() - last > 10:
            last = time.monotonic()
            say(f"  {name}: {done} of {total} documents")

    report = base.add(paths, formats=FORMATS, progress=progress)
    say(f"{name}: {report.counts} in {report.seconds:.0f} s")
    for one in report.failed:
        say(f"  failed: {one.address}: {one.why}")
    engine.store.maintain()
    return base


def asked(base: KnowledgeBase, question: Question, way: Way) -> Passages:
    options = {"match_count": DEPTH, **way.options}
    return base.search(question.text, preset=way.preset, touch=False, **options)


class Answered(NamedTuple):
    """What came of one question."""

    question: Question
    section: int | None  # the rank of the first right one, from 0
    document: int | None
    seen: bool  # among what is shown of the first five, with their neighbours
    hits: int
    tokens: int
    refused: bool
    confidence: float | None
    milliseconds: float


def answered(base: KnowledgeBase, question: Question, way: Way) -> Answered:
    began = time.perf_counter()
    passages = asked(base, question, way)
    took = (time.perf_counter() - began) * 1000
    memories = [hit.memory for hit in passages.hits]
    shown = {one.memory_id for hit in passages.hits[:5] for one in hit.shown}
    shown |= {one.id for one in memories[:5]}
    others = base.engine.store.get(sorted(shown), spaces=[base.space])
    return Answered(
        question,
        _first(question.is_in(one) for one in memories),
        _first(question.is_from(one) for one in memories),
        any(one is not None and question.is_in(one) for one in others),
        len(passages),
        passages.tokens,
        passages.status is Status.BELOW_FLOOR,
        passages.recollection.confidence,
        took,
    )


def figures(some: Sequence[Answered]) -> dict[str, Any]:
    right = [one for one in some if one.question.gold]
    vain = [one for one in some if not one.question.gold]
    sure = [
        [one.confidence for one in part if one.confidence is not None] for part in (right, vain)
    ]
    return {
        "questions": len(right),
        "unanswerable": len(vain),
        "section": _found([one.section for one in right]),
        "document": _found([one.document for one in right]),
        "seen@5": fmean(one.seen for one in right),
        "hits": fmean(one.hits for one in right),
        "tokens": fmean(one.tokens for one in right),
        "tokens in vain": fmean(one.tokens for one in vain),
        "refused": fmean(one.refused for one in right),
        "answered in vain": 1 - fmean(one.refused for one in vain),
        "AUROC": auroc(*sure),
        "p50_ms": round(percentile([one.milliseconds for one in some], 0.5), 2),
    }


def _first(flags: Any) -> int | None:
    return next((rank for rank, right in enumerate(flags) if right), None)


def _found(ranks: Sequence[int | None]) -> dict[str, float]:
    count = len(ranks) or 1
    at = {f"@{k}": sum(r is not None and r < k for r in ranks) / count for k in (1, 5, 10)}
    return {**at, "MRR": sum(1 / (r + 1) for r in ranks if r is not None) / count}


def citations(base: KnowledgeBase, some: Sequence[Question]) -> dict[str, int]:
    """How many of the citations of all answers are right."""
    origins = {
        card.id: Path(str(card.metadata["origin"])) for card in base._shelf.of_kind("document")
    }
    told = {"right": 0, "wrong": 0, "not told": 0}
    done: set[tuple[str, int]] = set()
    for question in some:
        for hit, citation in asked(base, question, WAYS["knowledge"]):
            key = (hit.memory.id, hit.passage.ordinal)
            if key in done or hit.memory.kind != SECTION:
                continue
            done.add(key)
            right = is_right(hit, citation, origins[citation.document])
            told["not told" if right is None else "right" if right else "wrong"] += 1
            if right is False:
                say(f"  wrong: {citation}")
    return told


def run(base: KnowledgeBase, name: str, ways: Sequence[str]) -> dict[str, Any]:
    some = questions(name)
    sections = base._shelf.of_kind(SECTION)
    for one in missing(some, sections):
        say(f"  {name}: no such section: {one}")
    found: dict[str, dict[str, Any]] = {}
    for way in ways:
        say(f"{name}: {way}")
        answers = [answered(base, one, WAYS[way]) for one in some]
        found[way] = {
            split: figures([one for one in answers if one.question.split == split])
            for split in SPLITS
        } | {"all": figures(answers)}
    return {
        "documents": len(base.documents()),
        "sections": len(sections),
        "passages": next(s.passages for s in base.engine.spaces() if s.name == base.space),
        "ways": found,
        "citations": citations(base, some),
    }


def show(name: str, found: Mapping[str, Any]) -> None:
    print(f"\n{name}: {found['documents']} documents, {found['passages']:,} passages")
    rows = []
    for way, splits in found["ways"].items():
        cells = [
            " · ".join(f"{splits[split]['section'][at]:.3f}" for at in ("@1", "@5", "@10", "MRR"))
            for split in SPLITS
        ]
        whole = splits["all"]
        rows.append(
            [way, *cells, f"{whole['document']['@5']:.3f}", f"{whole['seen@5']:.3f}",
             f"{whole['tokens']:,.0f}", f"{whole['tokens in vain']:,.0f}",
             f"{whole['refused']:.3f}", f"{whole['answered in vain']:.3f}",
             "" if whole["AUROC"] is None else f"{whole['AUROC']:.3f}", f"{whole['p50_ms']:.1f}"]
        )  # fmt: skip
    heads = ["way", "dev @1 · @5 · @10 · MRR", "held-out", "document @5", "seen @5", "tokens",
             "tokens in vain", "refused", "answered in vain", "AUROC", "p50 ms"]  # fmt: skip
    print(table(heads, rows))
    print(f"citations: {found['citations']}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--docs", nargs="+", required=True, metavar="SET=PATH,…")
    parser.add_argument("--pdf", type=Path, help="the Debian reference as a PDF")
    parser.add_argument("--ways", help="only these, after commas")
    parser.add_argument("--keep", type=Path, help="keep the filled bases here")
    parser.add_argument("--out", type=Path, help="write the figures here as JSON")
    given = parser.parse_args()
    ways = given.ways.split(",") if given.ways else list(WAYS)
    results: dict[str, Any] = {}
    with workplace(given.keep) as folder:
        for told in given.docs:
            name, _, paths = told.partition("=")
            with Engine(folder / f"{name}.db") as engine:
                base = filled(engine, name, [Path(one) for one in paths.split(",")])
                results[name] = run(base, name, ways)
            show(name, results[name])
        if given.pdf:
            with Engine(folder / "pdf.db") as engine:
                base = filled(engine, "pdf", [given.pdf])
                results["pdf"] = {"citations": citations(base, questions("debian"))}
            print(f"pages of the PDF: {results['pdf']['citations']}")
    save(given.out, "documents", {"sets": results})


if __name__ == "__main__":
    main()
