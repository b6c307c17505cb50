"""Follow-ups: does making them whole, and what was referred to before, help to find the answer?

python -m benchmarks.knowledge.followups [--split dev] [--embedder NAME] [--data DIR] [--json FILE]

Dialogues in benchmarks/sets/followups: a small base of sections in each language, follow-ups with
the section that answers, and questions that stand by themselves (asked after a turn about something
else), which must not be changed. `--data DIR` also counts how many questions of labelled sets
(see benchmarks/quality) are changed when each is asked after another one of its set; they were
written by others, and nearly all of them stand by themselves.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from bethink import Engine
from bethink.knowledge import KnowledgeBase, Turn
from bethink.knowledge.follow_ups import by_rules
from bethink.recall.document_parts import DOCUMENT, SECTION, section_id
from bethink.settings import Settings

SETS = Path(__file__).parents[1] / "sets" / "followups"
LANGUAGES = ("en", "zh")
SPLITS = ("dev", "held-out")
WAYS = ("as asked", "references", "rewritten", "both")
_DEPTH = 5


class Dialogue(NamedTuple):
    name: str
    kind: str
    turns: tuple[Turn, ...]
    question: str
    gold: str  # the id of a section


class Alone(NamedTuple):
    before: str
    question: str


class Set(NamedTuple):
    base: KnowledgeBase
    headings: dict[str, str]
    dialogues: list[Dialogue]
    alone: list[Alone]


def rows(language: str) -> list[dict[str, Any]]:
    text = (SETS / f"{language}.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def made(language: str, split: str, embedder: str | None) -> Set:
    engine = Engine.in_memory(embedder=embedder, settings=Settings())
    base = KnowledgeBase(engine, f"followups-{language}")
    told = rows(language)
    sections = {row["section"]: row for row in told if "section" in row}
    ids = _shelved(base, list(sections.values()))
    dialogues = [
        Dialogue(
            row["dialogue"],
            row["kind"],
            tuple(_turn(turn, sections, ids) for turn in row["turns"]),
            row["question"],
            ids[row["gold"]],
        )
        for row in told
        if "dialogue" in row and row["split"] == split
    ]
    alone = [
        Alone(row["before"], row["question"])
        for row in told
        if "alone" in row and row["split"] == split
    ]
    headings = {ids[key]: row["heading"] for key, row in sections.items()}
    return Set(base, headings, dialogues, alone)


def _shelved(base: KnowledgeBase, sections: Sequence[dict[str, Any]]) -> dict[str, str]:
    """Documents of sections, as they stand on a shelf; ids by key."""
    ids: dict[str, str] = {}
    told: list[dict[str, Any]] = []
    for title in dict.fromkeys(row["document"] for row in sections):
        card = base._shelf.id(DOCUMENT, title)
        own = [row for row in sections if row["document"] == title]
        about = {"document": card, "title": title, "sections": len(own)}
        headings = "\n".join(row["heading"] for row in own)
        told.append({"id": card, "kind": DOCUMENT, "text": f"{title}\n{headings}",
                     "source": title, "metadata": about})  # fmt: skip
        for ordinal, row in enumerate(own):
            ids[row["section"]] = section_id(card, ordinal)
            told.append({"id": ids[row["section"]], "kind": SECTION, "section": row["heading"],
                         "text": f"{row['heading']}\n{row['text']}", "source": title,
                         "metadata": {**about, "ordinal": ordinal}})  # fmt: skip
    base._shelf.put(told)
    return ids


def _turn(row: dict[str, Any], sections: dict[str, Any], ids: dict[str, str]) -> Turn:
    answer = row.get("answer", sections[row["references"][0]]["text"])
    return Turn(row["question"], answer, [ids[key] for key in row["references"]])


def found(one: Set, dialogue: Dialogue, way: str) -> list[str]:
    """Ids of what was found, best first."""
    base = one.base
    if way == "as asked":
        passages = base.search(dialogue.question, match_count=10, touch=False)
    elif way == "references":
        stages = base._preset(dialogue.turns, None)
        passages = base.search(dialogue.question, preset=stages, match_count=10, touch=False)
    elif way == "rewritten":
        whole = rewritten(one, dialogue.question, dialogue.turns)
        passages = base.search(whole, match_count=10, touch=False)
    else:
        passages = base.search(
            dialogue.question, history=dialogue.turns, match_count=10, touch=False
        )
    return [hit.id for hit in passages.hits]


def rewritten(one: Set, question: str, turns: Sequence[Turn]) -> str:
    return by_rules(question, turns, lambda r: one.headings.get(r.memory_id, "")).text


def measure(language: str, split: str, embedder: str | None, *, show: bool) -> dict[str, Any]:
    one = made(language, split, embedder)
    ways: dict[str, dict[str, float]] = {}
    kinds: dict[str, dict[str, list[bool]]] = {}
    for way in WAYS:
        ranks = []
        for dialogue in one.dialogues:
            ids = found(one, dialogue, way)
            rank = ids.index(dialogue.gold) if dialogue.gold in ids else None
            ranks.append(rank)
            hit = rank is not None and rank < _DEPTH
            kinds.setdefault(dialogue.kind, {}).setdefault(way, []).append(hit)
            if show and way == "both" and not (rank is not None and rank < 1):
                whole = rewritten(one, dialogue.question, dialogue.turns)
                print(
                    f"  {dialogue.name} {dialogue.kind} rank {rank}: {dialogue.question} → {whole}"
                )
        ways[way] = {
            "hit@1": _share(rank == 0 for rank in ranks),
            "R@5": _share(rank is not None and rank < _DEPTH for rank in ranks),
            "MRR": sum(0 if r is None else 1 / (r + 1) for r in ranks) / len(ranks),
        }
    missed = [d for d in one.dialogues if rewritten(one, d.question, d.turns) == d.question]
    harmed = []
    for question in one.alone:
        turns = (Turn(question.before, "", ()),)
        if (whole := rewritten(one, question.question, turns)) != question.question:
            harmed.append(question)
            if show:
                print(f"  rewritten though alone: {question.question} → {whole}")
    if show:
        for dialogue in missed:
            print(f"  not seen as a follow-up: {dialogue.kind}: {dialogue.question}")
    one.base.engine.close()
    return {
        "language": language,
        "split": split,
        "dialogues": len(one.dialogues),
        "ways": ways,
        "kinds": {
            kind: {"count": len(hits["both"]), **{w: _share(h) for w, h in hits.items()}}
            for kind, hits in kinds.items()
        },
        "seen": 1 - len(missed) / len(one.dialogues),
        "alone": len(one.alone),
        "harmed": len(harmed) / len(one.alone),
    }


def changed_elsewhere(data: Path, *, show: bool) -> list[dict[str, Any]]:
    """Of every set: how many questions would be rewritten after another one and its answer."""
    found = []
    for folder in sorted(path for path in data.iterdir() if (path / "queries.jsonl").exists()):
        text = (folder / "queries.jsonl").read_text("utf-8")
        asked = [json.loads(line)["text"] for line in text.splitlines()]
        changed = [
            question
            for before, question in zip([*asked[1:], asked[0]], asked, strict=True)
            if by_rules(question, [Turn(before, "1. one\n2. two\n3. three")]).rewritten
        ]
        if show:
            print("\n".join(f"  {folder.name}: {question[:150]}" for question in changed))
        found.append({"set": folder.name, "questions": len(asked), "changed": len(changed)})
    return found


def _share(values: Iterable[bool]) -> float:
    told = list(values)
    return sum(told) / len(told)


def lines(results: Sequence[dict[str, Any]]) -> Iterator[str]:
    yield "| set | dialogues | " + " | ".join(f"{way}: hit@1 · R@5" for way in WAYS) + " |"
    yield "|---|---|" + "---|" * len(WAYS)
    for one in results:
        cells = (f"{w['hit@1']:.3f} · {w['R@5']:.3f}" for w in one["ways"].values())
        yield f"| {one['language']}, {one['split']} | {one['dialogues']} | {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--split", choices=SPLITS, action="append")
    parser.add_argument("--embedder", default=None)
    parser.add_argument("--data", type=Path, metavar="DIR", help="labelled sets of others")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--show", action="store_true", help="every follow-up that is not first")
    arguments = parser.parse_args()
    results = [
        measure(language, split, arguments.embedder, show=arguments.show)
        for split in arguments.split or SPLITS
        for language in LANGUAGES
    ]
    print("\n".join(lines(results)))
    for one in results:
        print(
            f"{one['language']}, {one['split']}: {one['seen']:.1%} of the follow-ups are seen; "
            f"{one['harmed']:.1%} of {one['alone']} questions that stand by themselves are changed"
        )
    elsewhere = changed_elsewhere(arguments.data, show=arguments.show) if arguments.data else []
    for one in elsewhere:
        print(f"{one['set']}: {one['changed']} of {one['questions']} questions are changed")
    if arguments.json:
        told = {"dialogues": results, "elsewhere": elsewhere}
        Path(arguments.json).write_text(json.dumps(told, ensure_ascii=False, indent=1), "utf-8")


if __name__ == "__main__":
    main()
