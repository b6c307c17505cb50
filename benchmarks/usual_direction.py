"""What all texts of a model have in common: the direction that `Model.usual` holds.

Some models find any two texts alike (arctic-s: a cosine of .7), because all their vectors share a
direction that says nothing. Beside another model it must be taken out. It is the mean over English
sentences of this repository, none of which is in a set that the quality is measured on: facts about
people, sections of handbooks, a novel.

    python -m benchmarks.usual_direction arctic-s
"""

from __future__ import annotations

import base64
import json
import sys
import textwrap
from pathlib import Path

import numpy as np

from bethink.embedders.loading import embedder_named
from bethink.embedders.protocol import embed_texts
from bethink.settings import Settings
from bethink.text.split import split

_HERE = Path(__file__).parent
_OF_EACH = 150


def texts() -> list[str]:
    """So many of each kind, evenly spread."""
    facts = [
        row.split("\t")[2]
        for row in (_HERE / "sets" / "sameness" / "pairs.tsv").read_text("utf-8").splitlines()
        if row.split("\t")[1] == "en"
    ]
    rows = map(json.loads, (_HERE / "sets" / "followups" / "en.jsonl").open(encoding="utf-8"))
    sections = [row["text"] for row in rows if "section" in row]
    novel = (_HERE / "story" / "en" / "novel.md").read_text("utf-8")
    pages = [novel[passage.start : passage.end] for passage in split(novel)]
    chosen: list[str] = []
    for kind in (facts, sections, pages):
        distinct = list(dict.fromkeys(kind))
        chosen += distinct[:: max(1, len(distinct) // _OF_EACH)][:_OF_EACH]
    return chosen


def main() -> None:
    embedder = embedder_named(sys.argv[1], Settings())
    if embedder is None:
        raise SystemExit("which model? e.g. arctic-s")
    told = texts()
    mean = embed_texts(embedder, told, kind="document").mean(axis=0)
    print(f"{len(told)} texts, length of their mean {np.linalg.norm(mean):.3f}", file=sys.stderr)
    packed = base64.b85encode(mean.astype("<f2").tobytes()).decode()
    print("\n".join(textwrap.wrap(packed, 90)))


if __name__ == "__main__":
    main()
