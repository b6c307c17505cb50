"""How far is `count_tokens` from a real tokeniser (o200k), for each set of texts?

    pip install bpe-openai
    python benchmarks/token_estimate.py --data DIR [--fit]

DIR holds retrieval sets, each a folder with a corpus.jsonl. Code is read from Python's own library;
mixed text is made by joining pieces of two sets. Texts are cut to the length of a passage, because
passages are what a budget counts. `--fit` prints the rates that would be best on these texts, every
set weighing the same and errors being relative.
"""

from __future__ import annotations

import argparse
import json
import random
import sysconfig
from pathlib import Path

import bpe_openai
import numpy as np

from bethink.text.tokens import RATES, count_tokens, measure

PASSAGE = 500
PER_SET = 1_500


def pieces(texts: list[str]) -> list[str]:
    """Passage-sized pieces, no text giving more than six."""
    cut = [t[i : i + PASSAGE] for t in texts for i in range(0, min(len(t), 6 * PASSAGE), PASSAGE)]
    return [piece for piece in cut if piece.strip()][:PER_SET]


def read_sets(data: Path) -> dict[str, list[str]]:
    chance = random.Random(1)
    sets: dict[str, list[str]] = {}
    for corpus in sorted(data.glob("*/corpus.jsonl")):
        with open(corpus, encoding="utf-8") as lines:
            texts = [json.loads(line)["text"] for line in lines]
        chance.shuffle(texts)
        sets[corpus.parent.name] = pieces(texts)
    library = sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py"))
    sets["code (Python)"] = pieces([p.read_text("utf-8", "replace") for p in library])
    chinese = [t for name in sets for t in sets[name] if not t.isascii() and len(t.split()) < 60]
    english = [t for name in sets for t in sets[name] if t.isascii() and "code" not in name]
    chance.shuffle(chinese)
    chance.shuffle(english)
    halves = zip(chinese[:PER_SET], english, strict=False)
    sets["mixed (half and half)"] = [f"{c[:250]} {e[:250]}" for c, e in halves]
    return {name: texts for name, texts in sets.items() if texts}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--fit", action="store_true")
    options = parser.parse_args()
    encoding = bpe_openai.get_encoding("o200k_base")
    sets = read_sets(options.data)
    real = {n: np.array([len(encoding.encode(t)) for t in texts]) for n, texts in sets.items()}
    print("| set | texts | sum of estimates / real | mean error of one text |")
    print("|---|---|---|---|")
    for name, texts in sets.items():
        estimate = np.array([count_tokens(t) for t in texts])
        ratio = estimate.sum() / real[name].sum()
        error = np.mean(np.abs(estimate - real[name]) / real[name])
        print(f"| {name} | {len(texts)} | {ratio:.3f} | {error:.1%} |")
    if options.fit:
        rows, weights = [], []
        for name, texts in sets.items():
            for text, tokens in zip(texts, real[name], strict=True):
                rows.append(np.array(list(measure(text).values())) / tokens)
                weights.append(1 / np.sqrt(len(texts)))
        weight = np.array(weights)
        best = np.linalg.lstsq(np.array(rows) * weight[:, None], weight, rcond=None)[0]
        for part, rate in zip(RATES, best, strict=True):
            print(f"{part:>24}: {rate:.3f} (in use: {RATES[part]:.3f})")


if __name__ == "__main__":
    main()
