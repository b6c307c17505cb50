"""What does a search find that asks for all words of a question, instead of any?

    python -m benchmarks.all_words --data DIR

The cheap full-text query, `a & b & c`, is fast because it matches next to nothing. For every
labelled set below DIR this counts, among the documents that a question may see, whether one holds
all of its terms (stop words left out, as a recall asks for them), and whether a right one does. The
same for any of them. Nothing is ranked: it is what a ranking would have to choose from.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from pathlib import Path
from typing import Any

from benchmarks.measure import save, say, table
from benchmarks.quality.sets import LabelledSet, load

from bethink.text.tokenise import joined_terms, query_terms


def counted(labelled: LabelledSet) -> dict[str, Any]:
    groups = defaultdict(list)
    for document in labelled.documents:
        groups[document.group].append((document, frozenset(joined_terms(document.text).split())))
    questions = [q for q in labelled.questions if labelled.relevant.get(q.id)]
    found = dict.fromkeys(("all", "right by all", "any", "right by any"), 0)
    for question in questions:
        terms = frozenset(query_terms(question.text))
        seen = [
            (document.id, held)
            for document, held in groups[question.group]
            if question.asof is None or document.seq < question.asof
        ]
        by_all = {one for one, held in seen if terms <= held}
        by_any = {one for one, held in seen if not terms.isdisjoint(held)}
        right = labelled.relevant[question.id]
        found["all"] += bool(by_all)
        found["right by all"] += not right.isdisjoint(by_all)
        found["any"] += bool(by_any)
        found["right by any"] += not right.isdisjoint(by_any)
    shares = {name: round(number / len(questions), 3) for name, number in found.items()}
    return {"set": labelled.name, "questions": len(questions), **shares}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="a folder of labelled sets")
    parser.add_argument("--out", type=Path, help="write the figures here as JSON")
    options = parser.parse_args()
    folders = sorted(path.parent for path in options.data.glob("*/queries.jsonl"))
    if not folders:
        parser.error(f"{options.data} holds no labelled set; one is a folder with queries.jsonl")
    rows = []
    for folder in folders:
        say(folder.name)
        rows.append(counted(load(folder)))
    print(table(list(rows[0]), [list(row.values()) for row in rows]))
    save(options.out, "all_words", {"sets": rows})


if __name__ == "__main__":
    main()
